"""Laws of curves: whatever the columns and their encodings, a decision is the sum of the contributions that are drawn, and a constant."""

from dataclasses import replace
from itertools import product
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from discreet import LogisticRegression
from discreet.data import CategoricalColumn, NumericColumn, Schema, Target
from discreet.data.columns import Cross, DateColumn
from discreet.data.encodings import Bins, Hour, Linear, Log, Month
from discreet.estimators import Model
from tests.properties.test_encodings import EXAMPLES, fits

KINDS = {"number": NumericColumn(name="x", lower=0, upper=40, outside="clip")}
KINDS["date"] = DateColumn(name="x", lower="2015-01-31", upper="2017-06-30T12:00", outside="clip")
TOWNS = ("A", "B", "C")
CASES = [
    pytest.param(
        KINDS[kind], encodings, missing, id=f"{kind}-{place}-{missing}", marks=() if (place % 2 == 0) == (missing is None) else pytest.mark.more
    )
    for kind, (place, encodings), missing in product(
        KINDS,
        enumerate([*((one,) for one in EXAMPLES), (Bins(), Month(), Linear(), Hour()), (*EXAMPLES[6:9:2], Month(), Month())]),
        (None, "indicator"),
    )
    if all(fits(one, KINDS[kind].bounds) for one in encodings)
]


def model_of(schema, cells):
    """With weights of every size, whatever the records say."""
    count = len(cells)
    table = {"x": cells, "town": np.resize(TOWNS, count), "y": np.resize(["a", "b"], count)}
    fit = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=schema.norm_bound, random_state=0).fit(schema.encode(table, target=True))
    model = Model.from_estimator(fit, schema)
    return replace(model, weights=np.random.default_rng(1).normal(size=model.weights.size))


def as_cells(column, values):
    """Numbers as they are, days as moments to a microsecond; and the numbers that these are."""
    if isinstance(column, NumericColumn):
        return values, values
    micros = np.where(np.isnan(values), 0.0, np.floor(values * 86_400e6)).astype(np.int64)
    cells = np.where(np.isnan(values), np.datetime64("NaT"), micros.astype("M8[us]"))
    return cells, np.where(np.isnan(values), np.nan, micros / 86_400e6)


def drawn(one, values, column):
    """What a contribution of the column says of `values` (n,), 0 where it says nothing of missing ones."""
    gaps = np.isnan(values)
    if one.column == "x missing":
        return one.contribution[gaps.astype(int)]
    inside = np.clip(np.where(gaps, column.bounds.lower, values), column.bounds.lower, column.bounds.upper)
    if one.categories:
        encoding = next(encoding for encoding in column.encoding if one.column.startswith(f"x: {encoding.name}"))
        found = one.contribution[encoding.positions(inside, column.bounds).astype(int)]
    elif one.stepped:
        found = one.contribution[np.searchsorted(one.values, inside, side="right") - 1]
    else:
        if ":" in one.column:
            inside = one.values[0] + np.mod(inside - one.values[0], one.values[-1] - one.values[0])
        found = np.interp(inside, one.values, one.contribution)
    return np.where(gaps, 0.0, found)


@pytest.mark.at_most(12)
@pytest.mark.parametrize(("column", "encodings", "missing"), CASES)
def test_a_decision_is_the_sum_of_its_contributions(column, encodings, missing):
    column = replace(column, encoding=encodings, missing=missing)
    kinds = {"numeric" if isinstance(column, NumericColumn) else "date": (column,)}
    town, cross = CategoricalColumn(name="town", categories=TOWNS), Cross(name="both", columns=("town", "x"), encoding=(Bins(count=4),))
    schema = Schema(name="s", target=Target(column="y", classes=("a", "b")), categorical=(town,), cross=(cross,), rows="bound", **kinds)
    rng = np.random.default_rng(0)
    values = np.concatenate((rng.uniform(column.bounds.lower, column.bounds.upper, 200), [column.bounds.lower, column.bounds.upper]))
    model = model_of(schema, as_cells(column, values)[0])
    curves = model.curves()
    own = [one for one in curves.contributions if one.column.startswith("x")]
    points = np.concatenate([one.values for one in own if not one.categories] or [values])
    values = np.concatenate((points, points if Log in map(type, encodings) else values, [np.nan] * 5 if missing else []))
    cells, values = as_cells(column, values)
    which = rng.integers(0, 3, len(values))
    decisions = model.decision({"x": cells, "town": np.array(TOWNS)[which]})
    sides = schema.layout.sides(cross)
    pairs = which * len(sides[1].labels) + sides[1].codes(values)
    both = curves["both"]
    assert all(both.values[pair].startswith(f"{TOWNS[place]}, ") for pair, place in zip(pairs, which, strict=True))
    assert both.values[pairs[-1]].endswith(both.sides[1].labels[pairs[-1] % len(sides[1].labels)])
    told = sum(drawn(one, values, column) for one in own) + curves["town"].contribution[which] + both.contribution[pairs]
    rest = decisions - told
    if isinstance(column, DateColumn) and Log in map(type, encodings):
        assert np.ptp(rest) < 1e-3 * np.ptp(decisions)
    else:
        assert np.ptp(rest) < 1e-6 * max(1.0, np.ptp(decisions))
    assert all(abs(one.contribution.mean()) < 1e-9 and len(one.values) == len(one.contribution) for one in curves.contributions)
    assert len({one.column for one in curves.contributions}) == len(curves.contributions)


@pytest.mark.at_most(12)
@pytest.mark.parametrize(("column", "encodings", "missing"), CASES)
@pytest.mark.parametrize("alone", [True, False])
def test_every_picture_is_sound(column, encodings, missing, alone):
    column = replace(column, encoding=encodings, missing=missing)
    kinds = {"numeric" if isinstance(column, NumericColumn) else "date": (column,)}
    if not alone:
        kinds |= {"categorical": (CategoricalColumn(name="town", categories=TOWNS),), "cross": (Cross(name="both", columns=("x", "town")),)}
    schema = Schema(name="s", target=Target(column="y", classes=("a", "b")), **kinds)
    cells, _ = as_cells(column, np.linspace(column.bounds.lower, column.bounds.upper, 30))
    curves = model_of(schema, cells).curves()
    picture = curves.plot(most=99)
    ET.fromstring(picture)  # noqa: S314 - ours
    assert "nan" not in picture
    assert "inf" not in picture
