"""Laws of every exported encoding: the norm bound, one cell at a time, names, and the way through a file."""

import math
import warnings

import numpy as np
import pytest

from discreet.core.errors import InvalidInput, SchemaError
from discreet.core.fields import exported
from discreet.data import NumericColumn, Schema, Target, encodings, layout
from discreet.data.encodings import Encoding
from discreet.data.encodings.base import Bounds, Linear
from discreet.data.encodings.bins import Bins
from discreet.data.encodings.calendar import Hour, Month, Weekday
from discreet.data.encodings.curve import Curve
from discreet.data.encodings.cyclic import Cyclic
from discreet.data.encodings.log import Log
from discreet.data.places import parts_of

EXAMPLES = [
    Linear(),
    Log(),
    Log(unit=3),
    Bins(),
    Bins(cuts=(0, 1, 5), values=(0, 2)),
    Bins(count=12, steps="logarithmic", resolutions=3),
    Curve(),
    Curve(knots=(0.5, 1, 2, 40), values=(0, 1.5)),
    Curve(count=7, steps="equal", resolutions=0),
    Curve(rest=1.0),
    Cyclic(period=5),
    Cyclic(period=12, count=60, resolutions=0),
    Month(),
    Weekday(),
    Hour(),
]
BOUNDS = [Bounds(0, 8), Bounds(-3, 1e6), Bounds(0.25, 0.5), Bounds(-1e9, -2), Bounds(1900, 2030)]


def fits(encoding, bounds):
    try:
        encoding.check(bounds)
    except SchemaError:
        return False
    return True


def cases():
    """Each encoding with the bounds that it fits; in a quick run with two of them, others for each encoding."""
    for place, one in enumerate(EXAMPLES):
        fitting = [bounds for bounds in BOUNDS if fits(one, bounds)]
        for number, bounds in enumerate(fitting):
            marks = () if (number + place) % len(fitting) < 2 else pytest.mark.more
            yield pytest.param(one, bounds, id=f"{one.name}-{place}-{bounds.lower:g}-{bounds.upper:g}", marks=marks)


CASES = [*cases()]


def column(encoding, bounds, **more):
    return NumericColumn(**{"name": "x", "lower": bounds.lower, "upper": bounds.upper, "encoding": encoding, "outside": "clip", **more})


def schema(encoding, bounds, rows="bound", **more):
    return Schema(name="one", target=Target(column="y", classes=("a", "b")), numeric=(column(encoding, bounds, **more),), rows=rows)


def written(one, cells):
    encoded = one.encode({"x": cells}, target=False).rows
    return encoded.entries(slice(0, encoded.shape[0]))


def cells_of(encoding, bounds, count=400):
    """Random ones, nodes, what lies beside them, the bounds, and what is far outside."""
    rng = np.random.default_rng(5)
    points = encoding.points(bounds)
    edges = np.concatenate((points, (points[:-1] + points[1:]) / 2, np.nextafter(points, np.inf), np.nextafter(points, -np.inf), [0.0, 1.5, 2.0]))
    random = bounds.lower + (bounds.upper - bounds.lower) * rng.random(count) ** 4
    return np.concatenate((random, edges, [bounds.lower, bounds.upper, -math.inf, math.inf, 1e308, -1e308, 5e-324]))


def clear():
    for cached in (layout.parts_of, layout._table):
        cached.cache_clear()


def longest(rows):
    return float(np.max(np.linalg.norm(rows, axis=1)))


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_the_resting_value_of_a_curve_is_short_and_others_are_as_long_as_they_may_be(bounds):
    resting = min(max(0.0, bounds.lower), bounds.upper)
    lengths = {rest: np.linalg.norm(parts_of(column(Curve(rest=rest), bounds))[0].rows(np.array([resting]))) for rest in (0.3, 1.0)}
    assert lengths[0.3] < 0.45 * lengths[1.0]
    kept = parts_of(column(Curve(values=(resting,)), bounds))[0].rows(np.array([resting]))
    assert np.linalg.norm(kept) < 0.45


@pytest.mark.parametrize(("curves", "rest"), [(1, 1.0), (5, 1.0), (16, 0.75), (30, 0.4), (57, 0.3)])
def test_a_schema_says_how_long_resting_values_are(curves, rest):
    """By how many curves there are, written down in its files; one that is given stays."""
    given = NumericColumn(name="given", lower=0, upper=1, encoding=(Curve(rest=0.9), Linear()))
    others = tuple(NumericColumn(name=f"{number}", lower=0, upper=1, encoding="curve") for number in range(curves - 1))
    schema = Schema(name="t", target=Target(column="y", classes=("0", "1")), numeric=(given, *others, NumericColumn(name="l", lower=0, upper=1)))
    assert schema.numeric[0] == given
    assert {column.encoding[0].rest for column in schema.numeric[1:-1]} <= {rest}
    assert Schema.from_toml(schema.to_toml()) == schema


@pytest.mark.parametrize("rest", [0, -1, 1.5, math.inf, "all"])
def test_a_rest_that_is_no_share_is_refused(rest):
    with pytest.raises(SchemaError, match="rest"):
        Curve(rest=rest)


@pytest.mark.parametrize(("unit", "bounds"), [(1e-320, (0, 1000)), (1e-300, (1e16, 1e17)), (1e299, (0, 1e-300)), (None, (1e16, 1e16 + 2))])
def test_bounds_that_a_logarithm_does_not_tell_apart_are_refused_before_a_cell_is_read(unit, bounds):
    """Otherwise 0 becomes a number here and 500 does not: one of two tables that differ in a record is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SchemaError, match="log: on a logarithmic scale the two bounds are equal"):
            column(Log(unit=unit), Bounds(*bounds))


@pytest.mark.parametrize("encoding", [Log(), Curve(steps="logarithmic")], ids=["log", "curve"])
def test_the_smallest_numbers_of_all_have_an_encoding(encoding):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = written(schema(encoding, Bounds(0, 5e-324)), [0.0, 5e-324])
    assert np.all(np.isfinite(rows))
    assert not np.array_equal(rows[0], rows[1])
    assert np.all(np.diff(encoding.points(Bounds(0, 5e-324))) > 0)


def test_every_exported_encoding_has_an_example():
    assert {type(one) for one in EXAMPLES} == set(exported(vars(encodings), Encoding))


@pytest.mark.parametrize(("encoding", "bounds"), CASES)
@pytest.mark.parametrize("missing", [None, "indicator"])
def test_no_cell_is_longer_than_the_norm_and_some_nearly_are(encoding, bounds, missing):
    one = schema(encoding, bounds, missing=missing)
    cells = cells_of(encoding, bounds)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = written(one, [*cells, *([math.nan] if missing else [])])
    found, bound = longest(rows), one.norm_bound
    assert np.all(np.isfinite(rows))
    assert found <= bound * (1 + 1e-12)
    assert 1.01 * found > bound, "the norm bound is 1 % too large, or a table that is 1 % too long would not be seen"
    np.testing.assert_allclose(one.encode({"x": [*cells]}, target=False).rows.row_norms(), np.linalg.norm(rows[: len(cells)], axis=1), atol=1e-12)


@pytest.mark.parametrize(("encoding", "bounds"), CASES)
def test_what_a_cell_becomes_is_a_function_of_this_cell(encoding, bounds):
    one, cells = schema(encoding, bounds), cells_of(encoding, bounds, 20)
    together, apart = written(one, cells), len(cells) // 40 + 1
    alone = np.concatenate([written(one, cells[place : place + 1]) for place in range(0, len(cells), apart)])
    assert np.array_equal(together[::apart], alone)
    assert np.array_equal(written(one, cells[::-1]), together[::-1])


@pytest.mark.parametrize(("encoding", "bounds"), CASES)
def test_features_have_different_names_and_tables_as_many_columns(encoding, bounds):
    for missing in (None, "indicator"):
        one = schema(encoding, bounds, missing=missing)
        assert len(set(one.feature_names)) == one.features == written(one, [bounds.lower]).shape[1]
        assert all(part.table.shape[1] == len(part.names) for part in parts_of(one.numeric[0]))
    points = encoding.points(bounds)
    assert np.all(np.diff(points) > 0)
    assert np.all((points >= bounds.lower) & (points <= bounds.upper))


def test_the_bin_after_a_value_of_its_own_is_named_by_this_value():
    assert Bins(cuts=(50,), values=(0, 100)).labels(Bounds(0, 200)) == (" = 0", " above 0", " from 50", " = 100", " above 100")


@pytest.mark.parametrize("encoding", EXAMPLES, ids=repr)
def test_a_column_comes_back_from_a_file(encoding):
    for given in (encoding, [encoding, "linear"]) if encoding != Linear() else (encoding,):
        one = schema(given, Bounds(0, 8), missing="indicator")
        assert Schema.from_toml(one.to_toml()) == one
        assert Schema.from_dict(one.to_dict()) == one


@pytest.mark.parametrize("encoding", EXAMPLES, ids=repr)
def test_cells_that_are_missing_or_outside_are_treated_as_the_column_says(encoding):
    bounds = Bounds(0, 8)
    clipped = written(schema(encoding, bounds), [-1.0, 9.0, -math.inf, math.inf])
    assert np.array_equal(clipped, written(schema(encoding, bounds), [0.0, 8.0, 0.0, 8.0]))
    for cell in (-1.0, 9.0, math.inf):
        with pytest.raises(InvalidInput, match="outside its bounds"):
            written(schema(encoding, bounds, outside=None), [1.0, cell])
    with pytest.raises(InvalidInput, match="missing value"):
        written(schema(encoding, bounds), [1.0, math.nan])
    assert np.array_equal(written(schema(encoding, bounds, missing=3), [math.nan]), written(schema(encoding, bounds), [3.0]))
    own = written(schema(encoding, bounds, missing="indicator"), [math.nan, None, 3.0])
    assert np.array_equal(own[0], own[1])
    assert np.array_equal(own[0], np.eye(own.shape[1])[-1])
    assert own[2, -1] == 0


@pytest.mark.parametrize("encoding", EXAMPLES, ids=repr)
def test_encodings_side_by_side_share_the_norm(encoding):
    one = schema([encoding, Bins(count=3, cuts=None)], Bounds(0, 8))
    assert longest(written(one, cells_of(encoding, Bounds(0, 8)))) <= one.norm_bound * (1 + 1e-12) == pytest.approx(1.0)
    assert len(set(one.feature_names)) == one.features


@pytest.mark.parametrize("encoding", EXAMPLES, ids=repr)
def test_a_table_that_is_one_percent_too_long_is_found(encoding, monkeypatch):
    honest = type(encoding).table
    monkeypatch.setattr(type(encoding), "table", lambda self, bounds: 1.01 * honest(self, bounds))
    clear()
    try:
        assert longest(written(schema(encoding, Bounds(0, 8)), cells_of(encoding, Bounds(0, 8)))) > 1.005 or encoding == Linear()
    finally:
        clear()
