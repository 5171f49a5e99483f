from datetime import timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.core.errors import InvalidInput, InvalidType, SchemaError
from discreet.data.cells import cell_texts
from discreet.data.frames import as_frame, cell_text
from discreet.data.labels import UNREADABLE

TABLE = {"text": ["a", None, "c"], "whole": [1, 2, 3], "real": [0.5, None, 2.0], "flag": [True, False, True]}
COLUMNS = ("real", "text", "flag", "whole")

FRAMES = {
    "mapping": TABLE,
    "arrays": {
        "text": np.array(["a", None, "c"], dtype=object),
        "whole": np.arange(1, 4),
        "real": np.array([0.5, np.nan, 2]),
        "flag": np.array(TABLE["flag"]),
    },
    "series": {name: pl.Series(cells) for name, cells in TABLE.items()},
    "polars": pl.DataFrame(TABLE),
    "lazy": pl.LazyFrame(TABLE),
    "pandas": pd.DataFrame(TABLE),
    "pandas nullable": pd.DataFrame(TABLE).convert_dtypes(),
    "pandas category": pd.DataFrame(TABLE).astype({"text": "category", "whole": "category"}),
    "pandas object": pd.DataFrame(TABLE, dtype=object),
    "pyarrow": pa.table(TABLE),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_every_kind_of_table_gives_the_needed_columns_in_order(frame):
    found = as_frame(frame, COLUMNS)
    assert found.columns == list(COLUMNS)
    texts = [[cell_text(cell) for cell in found.get_column(name).to_list()] for name in COLUMNS]
    assert texts == [["0.5", None, "2"], ["a", None, "c"], ["true", "false", "true"], ["1", "2", "3"]]


def test_masked_cells_stay_missing():
    found = as_frame({"x": np.ma.masked_array([1.0, 2.0], mask=[False, True])}, ["x"])
    assert found.get_column("x").to_list() == ["1", None]


@pytest.mark.parametrize("frame", [None, [[1, 2]], np.eye(2), "table.csv", pd.Series([1])])
def test_other_kinds_are_refused_by_their_type(frame):
    with pytest.raises(InvalidType, match=f"{type(frame).__name__} was given"):
        as_frame(frame, ["x"])


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_absent_columns_are_named(frame):
    with pytest.raises(SchemaError, match="which the schema or an option names"):
        as_frame(frame, ["age", "real", "sex"])


def test_repeated_columns_are_refused():
    for frame in (pd.DataFrame([[1, 2]], columns=["x", "x"]), pa.table([[1], [2]], names=["x", "x"])):
        with pytest.raises(SchemaError, match="has more than one column named"):
            as_frame(frame, ["x"])


@pytest.mark.parametrize(
    "cells",
    [
        np.eye(2),
        np.array([3], dtype="timedelta64[D]"),
        np.array([b"x"]),
        "text",
        3,
    ],
    ids=str,
)
def test_cells_that_are_neither_numbers_nor_text_are_refused(cells):
    with pytest.raises(InvalidInput, match="column 'x' must hold numbers, text, booleans or dates") as caught:
        as_frame({"x": cells}, ["x"])
    assert caught.value.__context__ is None


@pytest.mark.parametrize("cell", [pd.Period("2020-01-01"), timedelta(days=1), [1], b"x", 1j, "\ud800", Decimal("sNaN"), 10**5000], ids=type)
def test_a_cell_of_another_kind_cannot_be_read_and_the_others_can(cell):
    assert as_frame({"x": ["a", cell, 1]}, ["x"])["x"].to_list() == ["a", UNREADABLE, "1"]


@pytest.mark.parametrize("unit", ["Y", "D", "s"])
def test_a_moment_beyond_64_bits_cannot_be_read_and_is_never_another_one(unit):
    """NumPy wraps around without a word."""
    moments = np.array([f"{year}-05-17" for year in (2020, 300_000)], dtype="datetime64[D]").astype(f"datetime64[{unit}]")
    usual = str(moments[:1].astype("datetime64[D]")[0])
    for cells in (moments, pd.Series(moments) if unit == "s" else moments, list(moments)):
        assert cell_texts(as_frame({"x": cells}, ["x"])["x"]).to_list() == [usual, UNREADABLE]


def test_the_clock_of_a_time_zone_is_read_beside_a_moment_that_has_none():
    moments = pd.Series(np.array(["2020-05-17", "200000-01-01", "NaT"], dtype="datetime64[s]")).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    assert cell_texts(as_frame({"x": moments}, ["x"])["x"]).to_list() == ["2020-05-17T09:00:00", "+200000-01-01", None]


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(InvalidInput, match="the same length"):
        as_frame({"x": [1], "y": [1, 2]}, ["x", "y"])
