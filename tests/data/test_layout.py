"""Columns of every kind together: places and tables make the rows that are written down by hand."""

import gc
import json
from datetime import date, datetime
from fractions import Fraction
from weakref import WeakValueDictionary
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest

from discreet.core.errors import InvalidInput, SchemaError
from discreet.core.private import packed, unpacked
from discreet.data import Block, CategoricalColumn, Cross, DateColumn, Domain, NumericColumn, Records, Schema, Target
from discreet.data.encodings import Bins, Curve, Cyclic, Linear, Log, Month, Weekday
from discreet.data.encodings.base import Bounds
from discreet.data.encodings.calendar import FIRST_DAY, LAST_DAY
from discreet.data.encodings.grids import nodes
from discreet.data.places import parts_of
from discreet.data.table_file import read_table
from discreet.estimators import LinearSVC
from discreet.matrices import MappedMatrix, TabularMatrix

KINDS = '[categorical.c]\ncategories = ["u", "v"]\n[categorical.k]\ncategories = ["u", "v"]\n'
TARGET = Target(column="y", classes=("no", "yes"))
STRAIGHT = DateColumn(name="straight", lower="2020-01-01", upper="2020-12-31", encoding="linear")
DAY = DateColumn(name="day", lower="2020-01-01", upper="2020-12-31", encoding=("linear", "month", "weekday"), missing="indicator")


def written(schema, table):
    rows = schema.encode(table, target=False).rows
    return rows.entries(slice(0, rows.shape[0]))


def of(**columns):
    return Schema(name="t", target=TARGET, rows="bound", **columns)


def test_a_schema_without_encodings_is_a_table_of_numbers_and_codes_as_before():
    plain = of(numeric=(NumericColumn(name="a", lower=0, upper=2),), categorical=(CategoricalColumn(name="c", categories=("u", "v")),))
    encoded = plain.encode({"a": [0, 1], "c": ["u", "v"]}, target=False).rows
    assert isinstance(encoded, TabularMatrix)
    curved = of(numeric=(NumericColumn(name="a", lower=0, upper=2, encoding="curve"),))
    assert isinstance(curved.encode({"a": [0, 1]}, target=False).rows, MappedMatrix)
    assert "encoding" not in plain.to_toml()


@pytest.mark.parametrize(("curves", "rest"), [(12, 1.0), (13, 0.92), (24, 0.5), (60, 0.3)])
def test_the_more_curves_a_schema_has_the_shorter_each_is_at_rest_and_a_file_keeps_what_it_says(curves, rest):
    columns = tuple(NumericColumn(name=f"a{place}", lower=0, upper=8, encoding="curve") for place in range(curves))
    own = NumericColumn(name="own", lower=0, upper=8, encoding=Curve(rest=0.5))
    schema = of(numeric=(*columns[:-1], own))
    assert {column.encoding[0].rest for column in schema.numeric[:-1]} == {rest}
    assert schema.numeric[-1].encoding[0].rest == 0.5
    assert f"rest = {rest:g}" in schema.to_toml()
    table = schema.numeric[0].encoding[0].table(Bounds(lower=0.0, upper=8.0))
    norms = np.linalg.norm(table, axis=1)
    assert norms.max() <= 1.0
    assert norms[0] == pytest.approx(rest, rel=0.002)  # of the resting value, 0


def test_bins_and_hats_are_what_is_written_down_by_hand():
    bins = NumericColumn(name="a", lower=0, upper=4, encoding=Bins(cuts=(1, 3), values=(2,)))
    hats = NumericColumn(name="b", lower=0, upper=4, encoding=Curve(knots=(1,), resolutions=0, rest=1.0))
    line = NumericColumn(name="c", lower=0, upper=4)
    schema = of(numeric=(bins, hats, line))
    assert schema.feature_names == ("a from 0", "a from 1", "a = 2", "a above 2", "a from 3", "b at 0", "b at 1", "b at 4", "c")
    rows = written(schema, {"a": [0.5, 1.0, 2.0, 2.5, 4.0], "b": [0, 0.25, 1, 2.5, 4], "c": [0, 1, 2, 3, 4]})
    expected = [
        [1, 0, 0, 0, 0, 1, 0, 0, 0],
        [0, 1, 0, 0, 0, 0.75, 0.25, 0, 0.25],
        [0, 0, 1, 0, 0, 0, 1, 0, 0.5],
        [0, 0, 0, 1, 0, 0, 0.5, 0.5, 0.75],
        [0, 0, 0, 0, 1, 0, 0, 1, 1],
    ]
    np.testing.assert_allclose(rows, expected, atol=1e-12)
    assert schema.norm_bound == pytest.approx(np.sqrt(3))


def test_several_resolutions_have_the_covariance_that_the_note_says():
    part = parts_of(NumericColumn(name="a", lower=0, upper=8, encoding=Curve(count=8, steps="equal", resolutions=3, rest=1.0)))[0]
    apart = np.abs(np.subtract.outer(np.arange(9), np.arange(9)))
    np.testing.assert_allclose(part.table @ part.table.T, np.mean([np.exp(-apart / 2.0**level) for level in range(3)], axis=0), atol=1e-10)


@pytest.mark.parametrize(
    "cells",
    [
        ["2020-01-01", "2020-07-01", "2020-12-31", None],
        ["2020-01-01T00:00:00", "2020-07-01T00:00", " 2020-12-31 00:00:00.000", ""],
        pl.Series([date(2020, 1, 1), date(2020, 7, 1), date(2020, 12, 31), None]),
        pl.Series([datetime(2020, 1, 1), datetime(2020, 7, 1), datetime(2020, 12, 31), None]),  # noqa: DTZ001
        pl.Series([datetime(2020, 1, 1), datetime(2020, 7, 1), datetime(2020, 12, 31), None]).dt.replace_time_zone("UTC"),  # noqa: DTZ001
        np.array(["2020-01-01", "2020-07-01", "2020-12-31", "NaT"], dtype="datetime64[ns]"),
    ],
    ids=["texts", "moments", "dates", "datetimes", "zoned", "numpy"],
)
def test_dates_are_days_months_and_weekdays(cells):
    schema = of(date=(DAY,))
    rows = written(schema, {"day": cells}) * np.array([np.sqrt(3.0)] * 20 + [1.0])
    expected = np.zeros((4, 21))
    expected[0, [1, 15]] = 1  # a Wednesday
    expected[1, [0, 7, 15]] = 182 / 365, 1, 1
    expected[2, [0, 12, 16]] = 1
    expected[3, 20] = 1
    np.testing.assert_allclose(rows, expected, atol=1e-12)


ATHENS = ZoneInfo("Europe/Athens")
CLOCKS = ["1960-02-29T03:30:00", "2020-07-01T23:59:59.123456", None, "2030-01-01T00:00:00"]
"""A date before 1970, one in summer time, a missing cell, and one that a marker says is missing."""
MOMENTS = [clock and datetime.fromisoformat(clock) for clock in CLOCKS]
ZONED = [moment and moment.replace(tzinfo=ATHENS) for moment in MOMENTS]
SAME = {
    "texts": CLOCKS,
    "texts with zones": [clock and clock.replace("T", " ") + zone for clock, zone in zip(CLOCKS, ("+02:00", "Z", "", "-0330"), strict=True)],
    "categories": pl.Series(CLOCKS, dtype=pl.Categorical),
    "enumeration": pl.Series(CLOCKS, dtype=pl.Enum([clock for clock in CLOCKS if clock])),
    "polars": pl.Series(MOMENTS),
    "polars, nanoseconds": pl.Series(MOMENTS).cast(pl.Datetime("ns")),
    "polars zoned": pl.Series(MOMENTS).dt.replace_time_zone("Europe/Athens"),
    "polars objects": pl.Series(ZONED, dtype=pl.Object),
    "numpy": np.array(MOMENTS, dtype="datetime64[ns]"),
    "numpy objects": np.array([*np.array(MOMENTS[:2], dtype="datetime64[ns]"), np.datetime64("NaT"), MOMENTS[3]], dtype=object),
    "masked": np.ma.masked_array(np.array(MOMENTS, dtype="datetime64[ns]"), mask=[False, False, True, False]),
    "pandas": pd.Series(MOMENTS, dtype="datetime64[ns]"),
    "pandas zoned": pd.Series(MOMENTS, dtype="datetime64[ns]").dt.tz_localize("Europe/Athens"),
    "pandas objects": pd.Series(ZONED, dtype=object),
    "pandas categories": pd.Series(MOMENTS, dtype="datetime64[ns]").dt.tz_localize("Europe/Athens").astype("category"),
    "pandas texts": pd.Series(CLOCKS, dtype="string"),
    "list": ZONED,
    "list of times of pandas": [pd.Timestamp(MOMENTS[0]), MOMENTS[1], pd.NaT, CLOCKS[3]],
}


def test_the_same_moments_are_the_same_features_in_whatever_they_are_given(tmp_path):
    column = DateColumn(name="day", lower="1950-01-01", upper="2040-01-01", encoding=("linear", "hour", "weekday"), missing="1990-01-01")
    schema = of(date=(column,), missing_values=["2030-01-01", "NA"])
    expected = written(schema, {"day": ["1960-02-29 03:30", "2020-07-01T23:59:59.123456", "1990-01-01", "1990-01-01"]})
    assert len({tuple(row) for row in expected}) == 3
    for name, cells in SAME.items():
        assert np.array_equal(written(schema, {"day": cells}), expected), name
    for name in ("polars", "polars zoned", "texts", "categories"):
        table = pl.DataFrame({"day": SAME[name], "beside": [1, 2, 3, 4]})
        table.write_csv(tmp_path / "table.csv")
        table.write_parquet(tmp_path / "table.parquet")
        for file in ("table.csv", "table.parquet"):
            assert np.array_equal(written(schema, read_table(tmp_path / file, ["day"])), expected), (name, file)
        assert np.array_equal(written(schema, table.to_arrow()), expected), name


def test_the_same_dates_are_the_same_features_in_whatever_they_are_given():
    days = [date(1960, 2, 29), None, date(2030, 1, 1)]
    schema = of(date=(DateColumn(name="day", lower="1950-01-01", upper="2040-01-01", missing="1990-01-01"),), missing_values=["2030-01-01T00:00"])
    expected = written(schema, {"day": ["1960-02-29", "1990-01-01", "1990-01-01"]})
    for cells in (days, pl.Series(days), pl.Series(days, dtype=pl.Object), pd.Series(days), np.array(days, dtype="datetime64[D]")):
        assert np.array_equal(written(schema, {"day": cells}), expected)


@pytest.mark.parametrize("wrong", ["soon", 3, 2.5, True, "2020-02-30", "25:00+02:00"])
def test_one_cell_that_is_no_date_is_refused_in_the_same_words(wrong):
    schema = of(date=(DAY,))
    good = ["2020-01-01", date(2020, 1, 1), datetime(2020, 1, 1, tzinfo=ATHENS), pd.Timestamp("2020-01-01"), np.datetime64("2020-01-01")]
    tables = [[*good, wrong], pd.Series([*good, wrong], dtype=object), pl.Series([*good, wrong], dtype=pl.Object), [str(wrong)], [wrong]]
    tables += [pl.Series([str(wrong)], dtype=pl.Categorical), pl.Series([wrong]), pl.Series(["2020-01-01", str(wrong)])]
    words = set()
    for cells in tables:
        with pytest.raises(InvalidInput) as caught:
            schema.encode({"day": cells}, target=False)
        words.add(str(caught.value))
        assert caught.value.__context__ is None
    assert words == {
        (
            "date column 'day' must contain dates, or texts such as 1990-01-31; something else was found. List texts that mean \"missing\" in "
            'missing_values, or add unreadable = "missing" under [file] to count every such cell as missing.'
        )
    }


def test_dates_outside_missing_or_unreadable_are_treated_as_the_column_says():
    strict = of(date=(DateColumn(name="day", lower="2020-01-01", upper="2020-12-31", encoding="linear"),))
    for cells, words in (
        (["2019-12-31"], "outside its bounds"),
        ([None], "missing value"),
        (["1.1.2020"], "must contain dates, or texts such as 1990-01-31"),
        ([3], "must contain dates, or texts such as 1990-01-31"),
    ):
        with pytest.raises(InvalidInput, match=words):
            strict.encode({"day": cells}, target=False)
    soft = of(date=(DateColumn(name="day", lower="2020-01-01", upper="2021-01-01", encoding="linear", outside="clip", missing="2020-07-02"),))
    np.testing.assert_allclose(written(soft, {"day": ["1999-01-01", "2999-01-01", None]}), [[0], [1], [183 / 366]])


def test_a_cross_has_a_feature_for_every_pair():
    age = NumericColumn(name="age", lower=0, upper=80, missing="indicator", outside="clip")
    sex = CategoricalColumn(name="sex", categories=("f", "m"))
    schema = of(numeric=(age,), categorical=(sex,), cross=(Cross(name="both", columns=("age", "sex"), encoding=Bins(cuts=(40,))),))
    assert schema.feature_names[4:] == (
        "both: from 0, f",
        "both: from 0, m",
        "both: from 40, f",
        "both: from 40, m",
        "both: missing, f",
        "both: missing, m",
    )
    rows = written(schema, {"age": [10, 50, np.nan], "sex": ["m", "f", "m"]})
    assert np.array_equal(rows[:, 4:], np.eye(6)[[1, 2, 5]])
    assert schema.norm_bound == pytest.approx(np.sqrt(3))
    dates = of(date=(DAY,), categorical=(sex,), cross=(Cross(name="when", columns=("sex", "day"), encoding=("month",)),))
    assert dates.features == 21 + 2 + 2 * 13


def test_every_kind_of_column_comes_back_from_a_file():
    schema = of(
        numeric=(NumericColumn(name="a b", lower=0, upper=4, encoding=["linear", {"name": "bins", "count": 3}], missing="indicator"),),
        date=(DAY, DateColumn(name="then", lower=date(1990, 1, 1), upper="2000-01-01T12:30", missing="1995-01-01"), STRAIGHT),
        categorical=(CategoricalColumn(name="c", categories=("u", "v")),),
        cross=(Cross(name="x", columns=("a b", "c")), Cross(name="z", columns=("day", "a b"), encoding=("weekday", "bins"))),
    )
    assert Schema.from_toml(schema.to_toml()) == schema == Schema.from_dict(schema.to_dict())
    spelled = '{name = "bins", values = [], count = 3, steps = "equal", resolutions = 0}'
    assert f'encoding = ["linear", {spelled}]' in schema.to_toml(), "a file means the same whatever later standards are"
    assert schema.to_toml().count('{name = "curve", ') == 1


@pytest.mark.parametrize("encoding", [Curve(rest=1), Cyclic(period=24), Log(unit=2), Bins(cuts=np.array([0.5])), Curve(knots=np.array([1, 2]))])
def test_numbers_of_encodings_are_the_same_from_a_file_whatever_they_were_given_as(encoding):
    schema = of(numeric=(NumericColumn(name="a", lower=0, upper=4, encoding=encoding),))
    again = Schema.from_toml(schema.to_toml())
    assert again == schema
    assert json.dumps(again.to_dict()) == json.dumps(schema.to_dict())


@pytest.mark.parametrize("encoding", ["curve", {"name": "bins", "count": 400}, Bins(values=(1e9 + 2.0**-23, 1e9 + 2.0**-22), count=8)])
@pytest.mark.parametrize("lower", [0.0, 1e9])
def test_no_two_features_have_one_name(encoding, lower):
    names = NumericColumn(name="a", lower=lower, upper=lower + 1, encoding=encoding).names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("count", [8, 16, 40])
@pytest.mark.parametrize("bounds", [(16436, 20818), (51.28, 51.70), (1990, 2030), (273.15, 373.15), (1.6e9, 1.7e9), (1e9, 1e9 + 1)])
def test_mixed_steps_far_from_zero_make_no_pairs_of_nearly_equal_knots(bounds, count):
    found = nodes(Bounds(*bounds), count=count, steps="mixed")
    width = bounds[1] - bounds[0]
    assert len(found) in (count, count + 1)
    assert np.min(np.diff(found)) > 0.25 * width / count or width == 40


@pytest.mark.parametrize("bounds", [(17, 90), (18, 90), (100, 1000), (12285, 1490400), (0.25, 0.5), (0, 1), (0, 1e6), (-1e6, 1e6), (-1, 1), (0, 3)])
def test_mixed_steps_are_fine_near_zero_and_nowhere_coarse(bounds):
    whole = bounds[1] - bounds[0] in (2, 3)
    found = nodes(Bounds(*bounds), count=16, steps="mixed")
    shares = np.diff(found) / (bounds[1] - bounds[0])
    assert len(found) >= (3 if whole else 14)
    assert np.all(np.diff(found) > 0)
    assert whole or np.max(shares) < 0.15
    if bounds in ((0, 1), (0, 1e6)):
        assert shares[0] < 0.002


def test_shares_are_cut_for_a_cross_as_other_numbers_are():
    share, kind = NumericColumn(name="s", lower=0, upper=1), CategoricalColumn(name="c", categories=("u", "v"))
    schema = of(numeric=(share,), categorical=(kind,), cross=(Cross(name="x", columns=("s", "c")),))
    assert schema.features == 1 + 2 + 2 * 7


def test_every_day_of_the_calendar_has_its_month_weekday_and_hour():
    column = NumericColumn(name="a", lower=FIRST_DAY, upper=LAST_DAY, encoding=["month", "weekday", "hour"])
    days = np.array([FIRST_DAY, -1.0, 0.0, LAST_DAY - 0.5, LAST_DAY])
    rows = written(of(numeric=(column,)), {"a": days})
    assert np.array_equal(np.count_nonzero(rows, axis=1), [3] * 5)


def test_the_diagonal_of_a_gram_matrix_is_that_of_the_whole():
    columns = (NumericColumn(name=name, lower=0, upper=4, encoding=["curve", "linear", "bins"], missing="indicator") for name in "ab")
    schema = of(numeric=tuple(columns), categorical=(CategoricalColumn(name="c", categories=("u", "v")),))
    rng = np.random.default_rng(0)
    cells = [[None if draw > 3.5 else draw for draw in rng.uniform(0, 4, 3000)] for _ in range(2)]
    rows = schema.encode({"a": cells[0], "b": cells[1], "c": rng.choice(["u", "v"], 3000)}, target=False).rows
    weights = rng.random(3000)
    np.testing.assert_allclose(rows.gram_diagonal(weights), np.diag(rows.gram(weights)), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(rows.gram_diagonal(weights), weights @ rows.entries(slice(0, 3000)) ** 2, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ('[numeric.a]\nlower = 0\nupper = 1\nencoding = "curves"', "Did you mean 'curve'"),
        ('[numeric.a]\nlower = 0\nupper = 1\nencoding = {name = "bins", counts = 3}', "unknown key 'counts'. Did you mean 'count'"),
        ('[numeric.a]\nlower = 0\nupper = 1\nencoding = {name = "bins", cuts = [3, 2]}', "increasing"),
        ('[numeric.a]\nlower = 0\nupper = 1\nencoding = {name = "bins", cuts = [5, 6]}', "2 and 1024 bins"),
        ('[numeric.a]\nlower = 0\nupper = 1\nencoding = {name = "cyclic"}', "'period' is missing"),
        ('[numeric.a]\nlower = 0\nupper = 1\nencoding = {name = "curve", steps = "log"}', "'logarithmic'"),
        ("[numeric.a]\nlower = 0\nupper = 1\nencoding = 3", "must be a name"),
        ("[numeric.a]\nlower = 0\nupper = 1\nencoding = []", "empty list"),
        ('[numeric.a]\nlower = 0\nupper = 1\nmissing = "indicate"', "number"),
        ('[date.d]\nlower = "2020-01-01"\nupper = "2019-01-01"', "must be before"),
        ('[date.d]\nlower = "1.1.2020"\nupper = "2021-01-01"', "must be a date"),
        ('[date.d]\nlower = "2020-01-01"\nupper = "2021-01-01"\nmissing = "2022-01-01"', "between"),
        ('[numeric.a]\nlower = 0\nupper = 1\n[cross.x]\ncolumns = ["a", "bb"]', "no column 'bb'"),
        ('[numeric.a]\nlower = 0\nupper = 1\n[cross.x]\ncolumns = ["a"]', "two columns"),
        ('[numeric.a]\nlower = 0\nupper = 1\n[cross.x]\ncolumns = ["a", "c"]\nencoding = "curve"', "sort values into bins"),
        ('[numeric.a]\nlower = 0\nupper = 1\nencoding = {name = "curve", knots = [1' + "0" * 400 + "]}", "finite and increasing"),
        ('[numeric.a]\nlower = 0\nupper = 1\nencoding = {name = "curve", knots = [nan]}', "finite and increasing"),
        ('[numeric.a]\nlower = -1e300\nupper = 1e300\nencoding = "month"', "If the column holds no dates, use another encoding"),
        ('[numeric.a]\nlower = 0\nupper = 1e7\nencoding = ["linear", "hour"]', "If the column holds no dates, use another encoding"),
        (f'[numeric.a]\nlower = 0\nupper = 1\n{KINDS}[cross.x]\ncolumns = ["a", "c"]\nencoding = ["bins", "bins"]', "1 of its columns"),
        (f'{KINDS}[cross.x]\ncolumns = ["c", "k"]\nencoding = "month"', "0 of its columns"),
        ('[date.d]\nlower = "2020-01-01"\nupper = "2021-01-01"\nencoding = {name = "bins", cuts = "private"}', "date column 'd': bins: cuts can be"),
    ],
)  # fmt: skip
def test_mistakes_are_refused_with_what_to_do(columns, words):
    head = 'format = "discreet-schema/1"\nname = "t"\n[target]\ncolumn = "y"\nclasses = ["no", "yes"]\n'
    with pytest.raises(SchemaError, match=words.replace("[", r"\[")):
        Schema.from_toml(head + columns)


@pytest.mark.parametrize("encoding", ["linear", "log", "curve", ["linear", "log"], {"name": "curve", "resolutions": 0}])
def test_no_cell_near_the_middle_makes_a_row_that_is_longer_than_its_bound(encoding):
    """Where terms of opposite sign meet, a computed norm that is too small would leave a normalised row too long."""
    column = NumericColumn(name="a", lower=-1, upper=1, scale="symmetric", encoding=encoding, missing="indicator")
    schema = Schema(name="t", target=TARGET, numeric=(column,))
    beside = 10.0 ** np.arange(-300.0, 0.0, 3.0)
    cells = np.concatenate((beside, -beside, [0.0], np.random.default_rng(0).uniform(-1, 1, 300)))
    rows = schema.encode({"a": cells}, target=False).rows
    data = Records(rows=rows, targets=np.zeros(len(cells), dtype=np.intp), domain=Domain(features=schema.features, norm_bound=1.0, classes=2))
    for each in (rows, data.matrix):
        exact = [sum(Fraction(entry) ** 2 for entry in row) for row in each.entries(slice(0, len(cells))).tolist()]
        assert max(exact) <= 1 + Fraction(1, 10**12)
        assert np.all(np.isfinite(each.reach()))


@pytest.mark.parametrize("first", [(500.0, 200.0), (1e-3, 0.0), (1.0, 0.0), (0.0, 0.0)])
@pytest.mark.parametrize("encoding", ["linear", "log"])
def test_one_short_record_does_not_keep_a_fit_from_its_certificate(first, encoding):
    """A row that is scaled up brings the rounding errors of its own numbers, and not those of the longest that there could be."""
    amounts = np.random.default_rng(0).lognormal(6, 2, (3000, 2)).round().clip(0, 1e6)
    amounts[0] = first
    a = NumericColumn(name="a", lower=0, upper=1e6, encoding=encoding, missing="indicator")
    schema = Schema(name="t", target=TARGET, numeric=(a, NumericColumn(name="b", lower=0, upper=1e6, encoding=encoding)))
    table = {"a": amounts[:, 0], "b": amounts[:, 1], "y": np.where(amounts[:, 0] > amounts[:, 1], "yes", "no")}
    rows = schema.encode(table, target=False).rows
    assert np.max(rows.reach()) < 1.1
    LinearSVC(epsilon=1.0, delta=1e-6, data_norm=schema.norm_bound, random_state=0).fit(schema.encode(table, target=True))


def test_the_reach_of_a_row_is_the_sum_of_the_lengths_of_what_it_is_put_together_from():
    hats = NumericColumn(name="b", lower=0, upper=4, encoding=Curve(knots=(1,), resolutions=0, rest=1.0), missing="indicator")
    schema = of(numeric=(hats, NumericColumn(name="c", lower=0, upper=4)), categorical=(CategoricalColumn(name="k", categories=("u", "v")),))
    rows = schema.encode({"b": [0.25, 1, None], "c": [0, 2, 4], "k": ["u", "u", "v"]}, target=False).rows
    slack = 1.0 + 1.0 / 1024
    np.testing.assert_allclose(rows.reach() / slack, np.sqrt([2.0, 2.25, 3.0]), rtol=1e-8)
    assert np.all(rows.reach() >= rows.row_norms())


def test_a_block_of_encoded_rows_travels_between_workers():
    rows = of(numeric=(NumericColumn(name="a", lower=0, upper=4, encoding="curve"),)).encode({"a": [0.0, 1.5, 4.0]}, target=False).rows
    again = unpacked([bytes(frame) for frame in packed(Block(rows, None))]).rows
    assert np.array_equal(again.entries(slice(0, 3)), rows.entries(slice(0, 3)))
    assert np.array_equal(again.gram(np.ones(3)), rows.gram(np.ones(3)))


def test_the_standard_encodings():
    assert NumericColumn(name="a", lower=0, upper=1).encoding == (Linear(),)
    assert DateColumn(name="d", lower="2020-01-01", upper="2021-01-01").encoding == (Curve(), Month(), Weekday())


@pytest.mark.parametrize(
    ("cuts", "words"),
    [("[5]", "cross 'x': numeric column 'a': bins"), ('"private"', "cross 'x': bins: cuts can be chosen privately")],
)
def test_what_a_cross_cannot_have_is_refused_with_its_name(cuts, words):
    head = 'format = "discreet-schema/1"\nname = "t"\n[target]\ncolumn = "y"\nclasses = ["no", "yes"]\n'
    columns = "[numeric.a]\nlower = 0\nupper = 1\n[numeric.b]\nlower = 0\nupper = 1\n"
    with pytest.raises(SchemaError, match=words):
        Schema.from_toml(f'{head}{columns}[cross.x]\ncolumns = ["a", "b"]\nencoding = {{name = "bins", cuts = {cuts}}}')


@pytest.mark.parametrize("encoding", [Bins(count=4), [Bins(count=4), Bins(count=8)], "curve", ["linear", "month"]])
def test_rows_are_held_in_no_more_than_the_schema_says_and_places_alone_share_their_ones(encoding):
    count, dated = 5000, isinstance(encoding, list) and "month" in encoding
    kinds = {"date": (DateColumn(name="a", lower="2020-01-01", upper="2020-12-31", encoding=encoding),)}
    columns = kinds if dated else {"numeric": (NumericColumn(name="a", lower=0, upper=9, encoding=encoding),)}
    schema = of(**columns, categorical=(CategoricalColumn(name="c", categories=("u", "v")),))
    table = {"a": [date(2020, 5, 1)] * count if dated else np.arange(count) % 10, "c": ["u", "v"] * (count // 2)}
    held = [schema.encode(table, target=False).rows for _ in range(2)]
    assert held[0].held_bytes <= count * schema.row_bytes
    entries = [one._base.plain().data for one in held]
    alone = not dated and encoding != "curve"
    assert np.shares_memory(*entries) == alone
    if alone:
        assert held[0].held_bytes < count * schema.row_bytes - 8 * count
        with pytest.raises(ValueError, match="read-only"):
            entries[0][0] = 2.0


def test_blocks_of_about_one_length_share_their_ones_which_go_with_the_last_of_them(monkeypatch):
    in_use = WeakValueDictionary()
    monkeypatch.setattr("discreet.matrices.sparse._SHARED", in_use)
    schema = of(numeric=(NumericColumn(name="a", lower=0, upper=9, encoding=Bins(count=4)),))
    blocks = [schema.encode({"a": np.arange(count) % 10}, target=False).rows for count in (40_000, 33_000, 39_999, 65_536)]
    entries = [block._base.plain().data for block in blocks]
    assert all(np.shares_memory(entries[0], one) and np.all(one == 1.0) for one in entries)
    assert all(block.held_bytes <= len(one) * schema.row_bytes for block, one in zip(blocks, entries, strict=True))
    assert len(in_use) == 1
    del blocks, entries
    gc.collect()
    assert not len(in_use)
