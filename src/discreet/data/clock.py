"""Dates, moments and times of typed columns, each cell by itself, whatever number it is stored as.

A date is a number of days since 1970-01-01 and a moment one of milliseconds, microseconds or nanoseconds, any that 32 or 64 bits hold. polars panics
or wraps around at those of no calendar, and with it the table is refused for one cell. So it is given the years 1 to 9999 to write as text, and as
many as it has to change to the clock of a time zone; cells beyond are computed here, and what it still cannot do concerns its cell (`piecewise`).

    text of a moment      1990-01-31T12:30:00.500000, without the time where that is midnight, in another year +12345-01-31 or -0005-01-31
    text of a time        12:30:00.500000; without the fraction where that is 0
"""

from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.lazily import lazily
from discreet.data.frames import MIDNIGHT
from discreet.data.labels import UNREADABLE
from discreet.data.piecewise import piecewise

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

_Numbers = npt.NDArray[np.int64]
_DAY = 86_400_000_000
"""Microseconds."""
_A_DAY = {"ms": _DAY // 1_000, "us": _DAY, "ns": _DAY * 1_000}
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _LAST = date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH
"""Days of the years 1 to 9999."""
_FAR = 90_000_000
"""Days whose clocks are known to whoever knows time zones."""
_MOST = 2**63
"""Beyond what is stored: the clock of a time zone is within two days of it."""


def is_moment(series: "pl.Series") -> bool:
    """Whether the column's type is one of dates or moments."""
    return series.dtype == pl.Date or isinstance(series.dtype, pl.Datetime)


def moment_days(series: "pl.Series") -> Floats:
    """Days since 1970-01-01 of dates, or of moments by their own clock, (n,), an array of our own; NaN for missing ones."""
    days, rest = _parts(series)
    values = days.astype(np.float64) if series.dtype == pl.Date else (np.clip(days, -_FAR, _FAR) * _DAY + rest) / float(_DAY)
    values[series.is_null().to_numpy()] = np.nan
    return values


def moment_texts(series: "pl.Series") -> "pl.Series":
    """The text of every date or moment, by its own clock; null for missing ones."""
    days, rest = _parts(series)
    within = (days >= _FIRST) & (days <= _LAST)
    written = _written(np.where(within, days * _DAY + rest, 0), "%Y-%m-%dT%H:%M:%S%.6f")
    beyond = np.flatnonzero(~within)
    if len(beyond):
        clocks = _written(rest[beyond], "T%H:%M:%S%.6f")
        written = written.scatter(beyond, [_far_date(int(days[at])) + clock for at, clock in zip(beyond, clocks, strict=True)])
    return written.str.replace(MIDNIGHT.pattern, "").set(series.is_null(), None).alias(series.name)


def time_texts(series: "pl.Series") -> "pl.Series":
    """The text of every time of a day; null for missing ones."""
    stored = series.to_physical().fill_null(0).to_numpy() // 1_000
    none = (stored < 0) | (stored >= _DAY)
    texts = _written(np.where(none, 0, stored), "%H:%M:%S%.6f").str.replace(MIDNIGHT.pattern, "")
    return texts.set(pl.Series(none), UNREADABLE).set(series.is_null(), None).alias(series.name)


def _written(moments: _Numbers, form: str) -> "pl.Series":
    texts = piecewise(lambda part: part.cast(pl.Datetime("us")).dt.to_string(form), pl.Series(moments), pl.String)
    return texts.fill_null(UNREADABLE)


def _parts(series: "pl.Series") -> tuple[_Numbers, _Numbers]:
    """Days since 1970-01-01 and microseconds of the day, (n,) each; 0 for missing ones."""
    stored = series.to_physical().fill_null(0).to_numpy().astype(np.int64)
    if not isinstance(series.dtype, pl.Datetime):
        return stored, np.zeros_like(stored)
    a_day = _A_DAY[series.dtype.time_unit]
    if series.dtype.time_zone is not None:
        near = np.abs(stored // a_day) <= min(_FAR, _MOST // a_day - 2)
        there = pl.Series(stored[near])
        here = piecewise(lambda part: part.cast(series.dtype).dt.replace_time_zone(None).to_physical(), there, pl.Int64)
        stored[near] = here.fill_null(there).to_numpy()
    days = stored // a_day
    return days, (stored - days * a_day) * _DAY // a_day if a_day < _DAY else (stored - days * a_day) // (a_day // _DAY)


def _far_date(days: int) -> str:
    """A date of any year, with its sign: the Gregorian calendar in cycles of 400 years, each from a 1st of March."""
    cycle, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5
    year += 400 * cycle + (month > 9)
    return f"{year:+05}-{(month + 2) % 12 + 1:02}-{day + 1:02}"
