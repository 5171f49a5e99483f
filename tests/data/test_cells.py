import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

from discreet.core.errors import InvalidInput
from discreet.data import CategoricalColumn, Dialect, NumericColumn, Target
from discreet.data.cells import encode_labels, encode_numbers

AGE = NumericColumn(name="age", lower=0, upper=10)
KIND = CategoricalColumn(name="work class", categories=("a", 1, True))


@pytest.mark.parametrize(
    "series",
    [
        pl.Series([0, 5, 10]),
        pl.Series([0, 5, 10], dtype=pl.UInt8),
        pl.Series([0.0, 5.0, 10.0], dtype=pl.Float32),
        pl.Series([Decimal("0.00"), Decimal("5.00"), Decimal("10.00")]),
        pl.Series([" 0 ", "5e0", "+10.0"]),
        pl.Series(["0", "5", "10"], dtype=pl.Categorical),
    ],
)
def test_numbers_of_every_type_read_alike(series):
    assert encode_numbers(series, AGE, dialect=Dialect()).tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("series", [pl.Series(["1", None, "", "  ", "nan", "NA", "-9"]), pl.Series([1.0, None, math.nan, -9.0, -9, None, -9])])
def test_missing_numbers_count_as_declared(series):
    column = NumericColumn(name="age", lower=0, upper=10, missing=5)
    assert encode_numbers(series, column, dialect=Dialect(missing=("NA", "-9"))).tolist() == [0.1] + [0.5] * 6


def test_a_column_of_nothing_is_missing_throughout():
    column = NumericColumn(name="age", lower=0, upper=10, missing=5)
    assert encode_numbers(pl.Series([None, None]), column, dialect=Dialect()).tolist() == [0.5, 0.5]


def test_the_table_itself_is_not_changed():
    series = pl.Series([1.0, 20.0])
    encode_numbers(series, NumericColumn(name="age", lower=0, upper=10, outside="clip"), dialect=Dialect())
    assert series.to_list() == [1.0, 20.0]


def test_values_outside_count_as_the_nearer_bound_where_the_schema_says_so():
    column = NumericColumn(name="age", lower=0, upper=10, outside="clip", scale="symmetric")
    assert encode_numbers(pl.Series(["-1", "11", "inf", "-inf", "5"]), column, dialect=Dialect()).tolist() == [-1.0, 1.0, 1.0, -1.0, 0.0]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1.0, None], r"'age' has a missing value. Add missing = NUMBER \(between the bounds\) under \[numeric.age\]"),
        ([1.0, 11.0], r"'age' has a value outside its bounds \[0.0, 10.0\]. Add outside = \"clip\" under \[numeric.age\]"),
        ([1.0, math.inf], "outside its bounds"),
        (["1", "one"], r"'age' must hold numbers; .* missing_values, .* or declare the column under \[categorical.age\]"),
        (["1", "1,5"], "must hold numbers"),
        ([True, False], "must hold numbers"),
        ([date(2020, 1, 1)], "must hold numbers"),
        ([[1.0]], "must hold numbers"),
    ],
)
def test_numbers_that_the_schema_does_not_cover_are_refused_with_the_remedy(cells, message):
    with pytest.raises(InvalidInput, match=message):
        encode_numbers(pl.Series(cells), AGE, dialect=Dialect())


@pytest.mark.parametrize(
    ("series", "codes"),
    [
        (pl.Series([" a\t", "1", "1.0", "true", "True", "TRUE"]), [0, 1, 1, 2, 2, 2]),
        (pl.Series([1, 1]), [1, 1]),
        (pl.Series([1.0, 1.0]), [1, 1]),
        (pl.Series([Decimal("1.00")]), [1]),
        (pl.Series([True]), [2]),
        (pl.Series(["a", "1"], dtype=pl.Categorical), [0, 1]),
        (pl.Series(["a", "1"], dtype=pl.Enum(["1", "a"])), [0, 1]),
        (pl.Series(["a", 1, 1.0, True], dtype=pl.Object), [0, 1, 1, 2]),
    ],
)
def test_labels_are_compared_as_text(series, codes):
    found = encode_labels(series, KIND, dialect=Dialect())
    assert found.tolist() == codes
    assert found.dtype == np.int32


@pytest.mark.parametrize(
    "cells",
    [
        ["2020-01-01", "2020-01-01T03:00:00"],
        pl.Series([date(2020, 1, 1), datetime(2020, 1, 1, 3, tzinfo=UTC)], dtype=pl.Object),
        pl.Series([datetime(2020, 1, 1), datetime(2020, 1, 1, 3)]),  # noqa: DTZ001
        pl.Series([datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, 3, tzinfo=UTC)]).cast(pl.Datetime("ns", "UTC")),
    ],
    ids=["texts", "objects", "moments", "zoned"],
)
def test_labels_that_are_dates_are_iso_texts(cells):
    column = CategoricalColumn(name="term", categories=("2020-01-01T03:00:00", "2020-01-01"))
    assert encode_labels(pl.Series(cells), column, dialect=Dialect()).tolist() == [1, 0]


def test_missing_and_undeclared_labels_count_as_declared():
    column = CategoricalColumn(name="c", categories=("a", "b", "none"), other="b", missing="none")
    assert encode_labels(pl.Series(["a", None, " ", "?", "z"]), column, dialect=Dialect(missing=("?",))).tolist() == [0, 2, 2, 2, 1]
    assert encode_labels(pl.Series([None, None]), column, dialect=Dialect()).tolist() == [2, 2]
    assert encode_labels(pl.Series([math.nan, 3.5]), column, dialect=Dialect()).tolist() == [2, 1]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", None], r"has a missing value. Add missing = CATEGORY under \[categorical.\"work class\"\]"),
        (["a", "z"], r"not one of its declared categories. Add other = CATEGORY under \[categorical.\"work class\"\]"),
        ([date(2020, 1, 1)], "has a value that is not one of its declared"),
        ([timedelta(days=1)], "must contain text, integers or booleans"),
        ([["a"]], "must contain text, integers or booleans"),
    ],
)
def test_labels_that_the_schema_does_not_cover_are_refused_with_the_remedy(cells, message):
    with pytest.raises(InvalidInput, match=message):
        encode_labels(pl.Series(cells), KIND, dialect=Dialect())


def test_a_target_is_refused_in_its_own_words():
    target = Target(column="y", classes=(0, 1))
    with pytest.raises(InvalidInput, match="has a value that is not one of its declared"):
        encode_labels(pl.Series([0, 2]), target, dialect=Dialect())
