"""Targets of a schema that are more than one column of labels or numbers: several numbers, and a time until something happens.

    [[target]]                [[target]]           numbers between public bounds of their own; a model learns all of them under one guarantee.
    column = "rent"           column = "heating"   Each is encoded as a target alone is, so that every one of them counts alike: -1 is its lower
    lower = 0                 lower = 0            bound and 1 its upper.
    upper = 3000              upper = 400

    [target]
    column = "months"               a number from 0 on; what happens after the last end is not seen any longer there
    outside = "clip"                a time below 0 counts as 0; without it, such a table is refused
    event = "died"                  1 or true where it happened then, 0 or false where the record was not seen any longer; left out: it always did
    ends = [6, 12, 24, 36]          of the periods that are told apart, increasing, chosen without the records

Where the column of the event has other values, `happened` says which of them means that it happened; every other one means that it did not.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SchemaError, quietly, quoted
from discreet.core.short import short_repr
from discreet.data.columns import NumberTarget, Outside, check_outside
from discreet.data.labels import Label, checked_labels, checked_text

MOST_PERIODS = 500
_TIMES = "y must give, for each row of X, a time of at least 0, shape (n,), or a time and 1 or 0 for whether the event happened then, shape (n, 2)."


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberTargets:
    """Several numeric targets of the same records. Raises SchemaError for fewer than two, a column listed twice, and counts = true."""

    parts: tuple[NumberTarget, ...]

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        if len(self.parts) < 2:
            raise SchemaError("several targets need two or more [[target]] tables; write a single target as [target].")
        if len(set(self.columns)) < len(self.parts):
            raise SchemaError("two [[target]] tables name the same column. Keep one of them.")
        if any(part.counts for part in self.parts):
            raise SchemaError("counts = true is for a single [target]: models of counts learn one. Leave it out of [[target]] tables.")

    @property
    def columns(self) -> tuple[str, ...]:
        """Of all of them, in the order of the answers."""
        return tuple(part.column for part in self.parts)

    @property
    def where(self) -> str:
        """How messages name these columns."""
        return f"targets {quoted(self.columns)}"

    def place_of(self, column: str) -> int:
        """The number of a target. Raises SchemaError for a column that is none."""
        if column not in self.columns:
            raise SchemaError(f"{column!r} is not one of the {self.where}.")
        return self.columns.index(column)


def counted_or_not(target: object) -> str:
    """What is answered for a target without classes, in words."""
    return "a count" if isinstance(target, NumberTarget) and target.counts else "a number"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTarget:
    """The time until an event, in periods that end at `ends`. Raises SchemaError for what are no periods, and for a rule that is about no column."""

    column: str
    ends: tuple[float, ...]
    event: str | None = None
    """The column that says whether it happened."""
    happened: Label | None = None
    """The value of that column that says so, where it has others than 1 and 0, or true and false."""
    outside: Outside | None = None
    """"clip": a time below 0 counts as 0. None: it is refused."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Keep every end as a float."""
        checked_text(self.column, what="target: column")
        object.__setattr__(self, "ends", ends_of(self.ends, SchemaError))
        check_outside(self.outside, self.where)
        if self.event is not None and checked_text(self.event, what="target: event") == self.column:
            raise SchemaError(
                f"target: event names {self.event!r}, the column of the time itself. Name the column that says whether the event happened."
            )
        if self.happened is not None:
            if self.event is None:
                raise SchemaError("target: happened needs event, the column whose value it explains. Add event, or leave happened out.")
            checked_labels([self.happened], what="target: happened", at_least=1)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that the target is read from."""
        return (self.column,) if self.event is None else (self.column, self.event)

    @property
    def where(self) -> str:
        """The name of this column in messages."""
        return f"target column {self.column!r}"

    @property
    def classes(self) -> NoReturn:
        """None: what needs classes refuses such a schema here. Raises SchemaError."""
        raise SchemaError(
            f"{self.where} is a time until an event; classes are needed here. Declare classes under [target] instead of ends, or use a "
            "model of times."
        )


def ends_of(given: object, refused: type[InvalidInput] = InvalidInput) -> tuple[float, ...]:
    """The ends of periods. Raises `refused` for what are none."""
    refusal = refused(f"ends must be up to {MOST_PERIODS} increasing positive numbers, the ends of the periods; something else was given.")
    ends = quietly(lambda: np.asarray(given, dtype=np.float64), refusal)
    if ends.ndim != 1 or not 1 <= len(ends) <= MOST_PERIODS or not np.all(np.isfinite(ends)) or np.any(np.diff(ends, prepend=0.0) <= 0):
        raise refusal
    return tuple(ends.tolist())


def likelihood(survival: Floats, codes: npt.NDArray[np.integer]) -> Floats:
    """How probable what is known of each record was, (n,): its number by `period_numbers`, and a model's survival (n, T) through each period."""
    whole, each = np.column_stack((np.ones(len(codes)), survival)), np.arange(len(codes))
    seen, happened = np.divmod(codes, 2)
    following = whole[each, np.minimum(seen + 1, survival.shape[1])]
    return np.asarray(whole[each, seen] - np.where(happened == 1, following, 0.0))


def period_numbers(y: Any, *, ends: tuple[float, ...]) -> npt.NDArray[np.intp]:  # noqa: ANN401 - whatever the caller has
    """2 s for who was seen through s periods, 2 s + 1 for whom the event then happened in the next one; a time below 0 counts as 0.

    Raises InvalidInput for what are no times.
    """
    given: Floats = quietly(lambda: np.asarray(y, dtype=np.float64), InvalidInput(_TIMES))
    if given.ndim not in (1, 2) or (given.ndim == 2 and given.shape[1] not in (1, 2)) or not np.all(np.isfinite(given)):
        raise InvalidInput(_TIMES)
    times, happened = (given.ravel(), np.ones(len(given))) if given.ndim == 1 or given.shape[1] == 1 else given.T
    # A period that ends with the event is one that it happened in; one that ends when a person was last seen was lived through.
    during, through = np.searchsorted(ends, times, side="left"), np.searchsorted(ends, times, side="right")
    return np.where((happened > 0.5) & (during < len(ends)), 2 * during + 1, 2 * through)
