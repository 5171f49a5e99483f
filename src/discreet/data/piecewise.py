"""Where a library panics at one cell, the others are read without it.

polars converts a column at a time, and what it throws at one cell, a panic of its Rust too, is thrown for all of them: whether a table is refused
would depend on one record. So a column that cannot be converted is converted in halves, down to single cells, and one that still cannot be is null.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from discreet.core.errors import quietly
from discreet.core.lazily import lazily
from discreet.data.parquet_file import silent

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")


class _Failed(Exception):
    """Some cell is the reason, or none is left."""


def piecewise(read: "Callable[[pl.Series], pl.Series]", series: "pl.Series", dtype: "type[pl.DataType]") -> "pl.Series":
    """The column that `read` makes of `series`, cell by cell where it throws: of type `dtype`, null for cells at which it does.

    A panic prints to standard error before Python hears of it, which leads nowhere meanwhile.
    """
    try:
        with silent():
            return quietly(lambda: read(series), _Failed())
    except _Failed:
        pass
    if len(series) < 2:
        return pl.Series(series.name, [None] * len(series), dtype=dtype)
    half = len(series) // 2
    return pl.concat([piecewise(read, series[:half], dtype), piecewise(read, series[half:], dtype)])
