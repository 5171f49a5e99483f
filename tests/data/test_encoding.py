import copy
import pickle
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput, PrivateDataError
from discreet.data import CategoricalColumn, Dialect, NumericColumn, Schema, Target
from discreet.data.labels import canonical
from discreet.data.layout import plain_arrays
from discreet.estimators import LinearSVC
from tests.data.strategies import schemas

SCHEMA = Schema(
    name="clinic",
    target=Target(column="ill", classes=("no", "yes")),
    numeric=(NumericColumn(name="age", lower=20, upper=120), NumericColumn(name="score", lower=-1, upper=1, scale="symmetric")),
    categorical=(CategoricalColumn(name="group", categories=("A", "B", "AB")),),
)
TABLE = {"age": [20, 70, 120], "score": [-1.0, 0.0, 1.0], "group": ["B", "A", "AB"], "ill": ["no", "yes", "no"]}
PLAIN = [[0.0, -1.0, 0, 1, 0], [0.5, 0.0, 1, 0, 0], [1.0, 1.0, 0, 0, 1]]


def dense(encoded):
    """The rows written out."""
    return encoded.rows.rmatvec(np.eye(encoded.rows.shape[0])).T


def with_rows(schema, rows):
    return Schema.from_dict({**schema.to_dict(), "rows": rows})


def test_numbers_are_scaled_by_their_bounds_and_labels_become_indicators():
    encoded = with_rows(SCHEMA, "bound").encode(TABLE, target=True)
    np.testing.assert_allclose(dense(encoded), PLAIN, rtol=0, atol=1e-15)
    assert encoded.signs.tolist() == [-1.0, 1.0, -1.0]


def test_the_arrays_are_numbers_and_codes():
    numbers, codes, sizes = plain_arrays(pl.DataFrame(TABLE), numeric=SCHEMA.numeric, categorical=SCHEMA.categorical, dialect=Dialect())
    np.testing.assert_allclose(numbers, [row[:2] for row in PLAIN])
    assert [column.tolist() for column in codes] == [[1, 0, 2]]
    assert codes[0].dtype == np.int32
    assert sizes == [3]


def test_normalised_rows_are_divided_by_their_own_norm():
    rows = np.array(PLAIN)
    np.testing.assert_allclose(dense(SCHEMA.encode(TABLE, target=False)), rows / np.linalg.norm(rows, axis=1, keepdims=True), atol=1e-15)


def test_a_normalised_row_is_a_function_of_its_record_to_the_last_bit():
    """NumPy adds up the squares of one row in another order than those of two: under add-remove, tables of one and of two records are neighbours."""
    numbers = np.random.default_rng(0).random((40, 50))
    columns = tuple(NumericColumn(name=str(place), lower=0, upper=1) for place in range(50))
    schema = Schema(name="x", target=SCHEMA.target, numeric=columns)

    def encoded(rows):
        return dense(schema.encode({str(place): rows[:, place] for place in range(50)}, target=False))

    together = encoded(numbers)
    assert all(np.array_equal(encoded(numbers[row : row + 1])[0], together[row]) for row in range(40))


def test_a_row_of_zeros_stays_zero():
    schema = Schema(name="x", target=SCHEMA.target, numeric=(NumericColumn(name="a", lower=0, upper=1), NumericColumn(name="b", lower=0, upper=1)))
    np.testing.assert_allclose(dense(schema.encode({"a": [0, 3e-9], "b": [0.0, 4e-9]}, target=False)), [[0, 0], [0.6, 0.8]])


@st.composite
def short_rows(draw):
    """Rows of numbers in [0, 1] of every size, from subnormal ones on, and how their columns enter."""
    encoding = draw(st.sampled_from(["linear", "log"]))
    number = st.just(0.0) | st.floats(0.0, 1e-300) | st.builds(lambda share, power: share * 10.0**power, st.floats(0.1, 1.0), st.integers(-320, 0))
    columns = draw(st.integers(1, 5))
    level = draw(st.sampled_from([1.0, 1e-29, 1e-30, 1e-31, 1e-100, 1.5e-154, 1e-155, 1.5e-162, 5e-324]))
    cells = draw(st.lists(st.lists(number | st.just(level), min_size=columns, max_size=columns), min_size=1, max_size=4))
    return encoding, np.array([*cells, [level] * columns])


def short(encoding, columns):
    """A schema of so many numbers in [0, 1]."""
    numeric = tuple(NumericColumn(name=f"x{number}", lower=0, upper=1, encoding=encoding) for number in range(columns))
    return Schema(name="x", target=SCHEMA.target, numeric=numeric, rows="normalise")


@given(short_rows())
def test_rows_however_short_have_the_norm_that_is_stated_in_exact_arithmetic(drawn):
    encoding, cells = drawn
    schema = short(encoding, cells.shape[1])
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        rows = schema.encode({f"x{number}": column for number, column in enumerate(cells.T)}, target=False).rows
        stated, written = rows.row_norms(), rows.entries(slice(0, len(cells)))
        alone = [schema.encode({f"x{number}": [cell] for number, cell in enumerate(row)}, target=False).rows.row_norms()[0] for row in cells]
    for row, norm, single, plain in zip(written.tolist(), stated, alone, cells, strict=True):
        square = sum(Fraction(entry) ** 2 for entry in row)
        assert abs(square - Fraction(float(norm)) ** 2) <= Fraction(1, 10**12)
        assert square == 0 or abs(square - 1) <= Fraction(1, 10**12)
        assert (square == 0) == (single == 0)
        if plain.max() > 1e-28:
            assert square > 0


@pytest.mark.parametrize("encoding", ["linear", "log"])
@pytest.mark.parametrize("cell", [5e-324, 1.5e-162, 1e-155, 1e-100, 1e-31, 1e-29])
def test_one_tiny_record_does_not_fail_a_fit(encoding, cell):
    cells = np.random.default_rng(0).random((300, 8))
    cells[0] = cell
    table = {f"x{number}": column for number, column in enumerate(cells.T)} | {"ill": np.where(cells[:, 0] > 0.5, "yes", "no")}
    encoded = short(encoding, 8).encode(table, target=True)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        LinearSVC(epsilon=1.0, delta=1e-6, data_norm=1.0, random_state=0).fit(encoded)


def test_a_hundred_numbers_whose_squares_underflow_are_no_row_of_norm_seven():
    cells = {f"x{number}": [2.6e-162 if number == 0 else 1.5e-162] for number in range(100)}
    for encoding in ("linear", "log"):
        assert not np.any(dense(short(encoding, 100).encode(cells, target=False)))


def test_without_a_target_the_target_column_is_not_needed():
    table = {name: cells for name, cells in TABLE.items() if name != "ill"}
    assert SCHEMA.encode(table, target=False).signs is None
    with pytest.raises(InvalidInput, match="lacks the columns 'ill'"):
        SCHEMA.encode(table, target=True)


def test_a_table_without_rows_is_a_table():
    encoded = SCHEMA.encode({name: [] for name in TABLE}, target=True)
    assert encoded.rows.shape == (0, 5)
    assert encoded.signs.shape == (0,)


def test_further_columns_are_ignored_whatever_they_hold():
    frame = pl.DataFrame({**TABLE, "note": [object(), [1], "x"]}, strict=False)
    np.testing.assert_array_equal(dense(SCHEMA.encode(frame, target=False)), dense(SCHEMA.encode(TABLE, target=False)))


def test_an_encoded_table_shows_its_schema_only_and_cannot_be_copied():
    encoded = SCHEMA.encode(TABLE, target=True)
    assert repr(encoded) == str(encoded) == "EncodedTable(schema='clinic', numeric=2, categorical=1)"
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(PrivateDataError):
            attempt(encoded)


@st.composite
def records(draw):
    """A schema that covers every cell, and a table of cells, declared or not."""
    table = draw(schemas()).to_dict()
    for column in table["numeric"]:
        column.update(outside="clip", missing=column["lower"])
    for column in (table["target"], *table["categorical"]):
        first = column.get("categories", column.get("classes"))[0]
        column.update(other=first, missing=first)
    schema = Schema.from_dict(table)
    count = draw(st.integers(1, 4))
    cells = {column.name: st.none() | st.floats() for column in schema.numeric}
    for name, labels in [(c.name, c.categories) for c in schema.categorical] + [(schema.target.column, schema.target.classes)]:
        cells[name] = (
            st.none() | st.sampled_from([canonical(label) for label in labels]) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
        )
    return schema, {name: draw(st.lists(cell, min_size=count, max_size=count)) for name, cell in cells.items()}


@given(records())
def test_every_row_is_encoded_by_itself_and_within_the_norm_bound(drawn):
    schema, table = drawn
    encoded = schema.encode(table, target=True, persons=False)
    together = dense(encoded)
    assert np.all(np.linalg.norm(together, axis=1) <= schema.norm_bound * (1 + 1e-12))
    for row in range(len(together)):
        alone = schema.encode({name: cells[row : row + 1] for name, cells in table.items()}, target=True, persons=False)
        np.testing.assert_allclose(dense(alone)[0], together[row], rtol=1e-15, atol=0)
        assert alone.signs[0] == encoded.signs[row]
