"""What the calendar says of a day: its month, its weekday; of a moment, its hour. Values are days since 1970-01-01, a Thursday.

One-hot, a feature each: a year, a week and a day begin anew, whatever the trend.
"""

from abc import abstractmethod
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import SchemaError
from discreet.data.encodings.base import Bounds, Encoding

_EPOCH = date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH + 1


class Calendar(Encoding):
    """One feature for each of its `named` parts of a cycle."""

    __slots__ = ()
    named: ClassVar[tuple[str, ...]]

    @abstractmethod
    def part(self, days: Floats) -> Floats:
        """The number of the part, (n,), from 0, of `days` (n,)."""

    def check(self, bounds: Bounds) -> None:
        """See Encoding: days that the calendar has, so that no number is beyond those that can be counted."""
        if not FIRST_DAY <= bounds.lower < bounds.upper <= LAST_DAY:
            raise SchemaError(
                f"{self.name}: bounds are days since 1970-01-01, from {FIRST_DAY} to {LAST_DAY} (years 1 to 9999). If the column holds no "
                "dates, use another encoding."
            )

    def positions(self, values: Floats, bounds: Bounds) -> Floats:  # noqa: ARG002 - the same everywhere
        """See Encoding."""
        return self.part(values)

    def table(self, bounds: Bounds) -> Floats:  # noqa: ARG002 - as above
        """See Encoding."""
        return np.eye(len(self.named))

    def labels(self, bounds: Bounds) -> tuple[str, ...]:  # noqa: ARG002 - as above
        """See Encoding."""
        return tuple(f" in {one}" for one in self.named)

    def points(self, bounds: Bounds) -> Floats:  # noqa: ARG002 - drawn as bars
        """See Encoding: none, since it is no function along the column."""
        return np.zeros(0)

    @property
    def stepped(self) -> bool:
        """See Encoding."""
        return True

    @property
    def one_hot(self) -> bool:
        """See Encoding."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Month(Calendar):
    """January to December."""

    name: ClassVar[str] = "month"
    named: ClassVar[tuple[str, ...]] = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

    def part(self, days: Floats) -> Floats:
        """See Calendar."""
        months = np.floor(days).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        return (months % 12).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weekday(Calendar):
    """Monday to Sunday."""

    name: ClassVar[str] = "weekday"
    named: ClassVar[tuple[str, ...]] = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

    def part(self, days: Floats) -> Floats:
        """See Calendar."""
        return np.mod(np.floor(days) + 3.0, 7.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hour(Calendar):
    """0 to 23."""

    name: ClassVar[str] = "hour"
    named: ClassVar[tuple[str, ...]] = tuple(f"hour {number}" for number in range(24))

    def part(self, days: Floats) -> Floats:
        """See Calendar: microseconds are whole, so that 10:00 is no rounding error before it."""
        return np.floor_divide(np.mod(np.rint(days * 86_400e6), 86_400e6), 3_600e6)
