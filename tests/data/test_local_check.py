"""Every cell that a schema does not cover is found at once, and none that it covers."""

import copy

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput, PrivateDataError
from discreet.data import CategoricalColumn, DateColumn, Dialect, NumberTarget, NumericColumn, PersonColumn, Schema, Target, TimeTarget
from discreet.data.local_check import SHOWN, troubles

FILE = Dialect(decimal=",", dates="day.month.year", ignore_case=True)
COLUMNS = {
    "numeric": (NumericColumn(name="n", lower=0, upper=10), NumericColumn(name="m", lower=0, upper=10, outside="clip", missing=3)),
    "date": (DateColumn(name="d", lower="2000-01-01", upper="2010-01-01"),),
    "categorical": (
        CategoricalColumn(name="c", categories=("a", "b"), aliases={"x": "a"}),
        CategoricalColumn(name="o", categories=("a", "b"), other="b", missing="a"),
    ),
    "missing_values": ("?", "-9", "2005-01-01"),
    "file": FILE,
}
TARGETS = {
    "classes": Target(column="y", classes=("no", "yes")),
    "a number": NumberTarget(column="y", lower=0, upper=10),
    "a time": TimeTarget(column="y", ends=(1.0, 5.0), event="e"),
}
TEXTS = ("", "?", " 3 ", "3,5", "3.5", "11", "-1", "a", "A", "x", "yes", "No", "z", "1", "0", "true", "1.2.2003", "2003-02-01", "1.2.1999")
SPELLED = ("\0", "nan", "inf", "1e400", "-9", "-9.0", "-9,0", "2005-01-01", "2005-01-01 00:00", "1.1.2005")
PLAIN = {"n": "3", "m": "-1", "d": "2003-02-01", "c": "x", "o": "z", "e": "1", "p": "7"}
COVERED = {kind: {**PLAIN, "y": "yes" if kind == "classes" else "3"} for kind in TARGETS}
CELLS = st.sampled_from([*TEXTS, *SPELLED, None])


@pytest.mark.at_most(1)
@pytest.mark.parametrize("kind", TARGETS)
@given(st.data())
def test_a_table_without_troubles_is_one_that_is_encoded(kind, data):
    row = {**COVERED[kind], **data.draw(st.dictionaries(st.sampled_from(list(COVERED[kind])), CELLS, max_size=2))}
    check(kind, data.draw(st.sampled_from([FILE, Dialect(), Dialect(unreadable="missing")])), row)


@pytest.mark.parametrize("cell", SPELLED)
def test_numbers_and_days_are_missing_in_whatever_spelling(cell):
    for column in ("n", "d", "y"):
        check("a time", Dialect(dates="day.month.year"), COVERED["a time"] | {column: cell})


@pytest.mark.parametrize("cell", SPELLED)
def test_ids_are_missing_in_whatever_spelling(cell):
    check("classes", FILE, COVERED["classes"] | {"p": cell})


def check(kind, file, row):
    """Troubles are found where a schema refuses the table, and only there, and in the column that it names."""
    schema = Schema(name="s", target=TARGETS[kind], person=PersonColumn(column="p", rows=2), **COLUMNS | {"file": file})
    frame = pl.DataFrame({name: pl.Series([cell, COVERED[kind][name]], dtype=pl.String) for name, cell in row.items()})
    found = troubles(frame, schema)
    refusal = ""
    try:
        schema.encode(frame, target=True)
    except InvalidInput as error:
        refusal = str(error)
    refused = [one for one in found if one.refused]
    assert bool(refused) is bool(refusal)
    assert not refused or any(repr(one.column) in refusal or one.what == "missing ids" for one in refused)


def test_all_columns_and_the_most_frequent_cells_are_shown_at_once():
    schema = Schema(name="s", target=TARGETS["classes"], **COLUMNS)
    cells = [f"bad {number}" for number in range(8) for _ in range(number + 1)]
    many = dict.fromkeys(("n", "m", "d", "c", "o", "y"), cells)
    found = {one.column: one for one in troubles(many, schema)}
    assert list(found) == ["n", "m", "d", "c", "y"]
    assert found["c"].rows == 36
    assert found["c"].cells == tuple(f"bad {number}" for number in range(7, 7 - SHOWN, -1))
    with pytest.raises(PrivateDataError):
        copy.copy(found["c"])
