import copy
import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput, PrivateDataError
from discreet.data import CategoricalColumn, NumericColumn, Schema, Target
from discreet.data.labels import canonical
from discreet.data.layout import plain_arrays
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
    numbers, codes, sizes = plain_arrays(pl.DataFrame(TABLE), numeric=SCHEMA.numeric, categorical=SCHEMA.categorical, markers=())
    np.testing.assert_allclose(numbers, [row[:2] for row in PLAIN])
    assert [column.tolist() for column in codes] == [[1, 0, 2]]
    assert codes[0].dtype == np.int32
    assert sizes == [3]


def test_normalised_rows_are_divided_by_their_own_norm():
    rows = np.array(PLAIN)
    np.testing.assert_allclose(dense(SCHEMA.encode(TABLE, target=False)), rows / np.linalg.norm(rows, axis=1, keepdims=True), atol=1e-15)


def test_a_row_of_zeros_stays_zero():
    schema = Schema(name="x", target=SCHEMA.target, numeric=(NumericColumn(name="a", lower=0, upper=1), NumericColumn(name="b", lower=0, upper=1)))
    np.testing.assert_allclose(dense(schema.encode({"a": [0, 3e-9], "b": [0.0, 4e-9]}, target=False)), [[0, 0], [0.6, 0.8]])


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
    encoded = schema.encode(table, target=True)
    together = dense(encoded)
    assert np.all(np.linalg.norm(together, axis=1) <= schema.norm_bound * (1 + 1e-12))
    for row in range(len(together)):
        alone = schema.encode({name: cells[row : row + 1] for name, cells in table.items()}, target=True)
        np.testing.assert_allclose(dense(alone)[0], together[row], rtol=1e-15, atol=0)
        assert alone.signs[0] == encoded.signs[row]
