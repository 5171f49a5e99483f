"""Sums of powers of a record's error and of its target: what the mean errors of a regression and its R^2 are computed from, with their intervals.

A record is two integers, a in [0, L] and b in [-L, L], L = 2^bits: how far off a prediction is, over a public bound that cuts it, and the target,
over half the range of targets, around its middle. It adds the vector of those of these terms that are asked for, in whole numbers, rounded down:

    counted     L / 2
    absolute    a               square     a^2 / L                  fourth    (a^2 / L)^2 / (2 L)
    targets     b / 2,  b^2 / L,  (b^2 / L) b / (4 L),  (b^2 / L)^2 / (2 L)

One record moves all of them together, and what it moves in l1 and l2 norm is found for the vector, not term by term. With x = a / L, t = b / L:

    errors      every term rises with x, so the farthest move is from x = 0 to 1: 1 or 1/2 in each term, exactly
    targets     of t and s, with d = t - s, m = t + s, |d| + |m| <= 2:   d/2,  d m,  d (d^2 + 3 m^2) / 16,  d m (d^2 + m^2) / 4
                all rise with |m|, so |m| = 2 - |d|, and the maximum over |d| is that of a polynomial of one number in [0, 2]
    added       a record at x = 1, t = +-1 has the largest of every term at once, up to signs

Targets that move from one end to the other (d = 2) move the odd terms alone, and the even ones most where d is near 1: the squares of all four are at
most 1.60 together, where term by term they would count 2.50. Proof note: counting.md.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from discreet.accounting import Json
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.counting.queries import Sensitivity
from discreet.noise import Integers
from discreet.words.counting import ERRORS, LEAST_BITS, MOST_BITS

TARGETS = 4
"""Terms of the target."""
_WEIGHTS = {"absolute": 1.0, "square": 1.0, "fourth": 0.5}
_CELLS = 1 << 16
_UP = raising(4096)
_BEND = 20.0
"""More than the second derivative of either polynomial on [0, 2], which is largest at an end: 19.2 for the squares, 9.5 for the absolute values."""
_ROUNDED = (1, 1, 2, 2)
"""By how much the differences of the rounded terms of a target may exceed those of the exact ones, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Some of the sums of the module docstring, as one query. Raises InvalidInput for none, or terms in another order."""

    errors: tuple[str, ...] = ("absolute", "square", "fourth")
    """Some of ERRORS, in their order."""
    targets: bool = False
    """Whether the four terms of targets are asked for too."""
    counted: bool = False
    """Whether how many records there are is."""
    bits: int = 20
    """L = 2^bits."""

    columns: ClassVar[int] = 2
    """Integers of a record."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.errors != tuple(name for name in ERRORS if name in self.errors) or not (self.errors or self.targets):
            raise InvalidInput(f"sums of errors are some of {list(ERRORS)}, in this order; {list(self.errors)!r} was given.")
        if isinstance(self.bits, bool) or not isinstance(self.bits, int) or not LEAST_BITS <= self.bits <= MOST_BITS:
            raise InvalidInput(f"errors and targets have 2^{LEAST_BITS} to 2^{MOST_BITS} levels; 2^{self.bits!r} was given.")

    @property
    def size(self) -> int:
        """See IntegerQuery."""
        return self.counted + len(self.errors) + TARGETS * self.targets

    @property
    def levels(self) -> int:
        """L = 2^bits, the steps in which values are counted."""
        return 1 << self.bits

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of the answers, in their order."""
        return (
            *(("records",) if self.counted else ()),
            *self.errors,
            *(("target", "target-square", "target-cube", "target-fourth") if self.targets else ()),
        )

    def unit(self, term: str) -> float:
        """What the answer is divided by, for a sum over records of 1, x, x^2, x^4, t, t^2, t^3 or t^4."""
        return self.levels * (0.25 if term == "target-cube" else 0.5 if term in ("records", "fourth", "target", "target-fourth") else 1.0)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """See IntegerQuery: in `step` the l2, in `total` the l1 norm of the farthest move, rounded up."""
        weights = [*([0.5] if self.counted else []), *(_WEIGHTS[name] for name in self.errors)]
        ends = [*weights, *([0.5, 1.0, 0.25, 0.5] if self.targets else [])]
        length, total = math.sqrt(sum(weight * weight for weight in ends)) * self.levels, sum(ends) * self.levels
        if neighbours is not ADD_REMOVE:
            # What rows of one person weigh together may be less than a record, so that replacing them reaches as far as adding them, or farther.
            moved = weights[self.counted :]
            squares, manhattan = _farthest() if self.targets else (0.0, 0.0)
            replaced = math.sqrt(sum(weight * weight for weight in moved) + squares) * self.levels
            length, total = max(length, replaced), max(total, (sum(moved) + manhattan) * self.levels)
        slack = sum(_ROUNDED) if self.targets else 0
        return Sensitivity(1, math.ceil(length * _UP) + slack, spread=self.size, total=math.ceil(total * _UP) + slack)

    def answer(self, records: Integers, shares: Integers | None = None) -> Integers:
        """See IntegerQuery; `records` (n, 2). Raises InvalidInput for integers out of range."""
        if records.ndim != 2 or records.shape[1] != self.columns or records.dtype.kind not in "iu":
            raise InvalidInput("sums of errors need two integers for every record; something else was given.")
        error, target = (column.astype(np.int64) for column in records.T)
        if np.any((error < 0) | (error > self.levels) | (np.abs(target) > self.levels)):
            raise InvalidInput(f"an error has levels from 0 to {self.levels}, a target from {-self.levels} to {self.levels}; others were given.")
        found = [np.sum(term) if shares is None else np.dot(term, shares) for term in self._of_records(error, target)]
        return np.array(found, dtype=np.int64)

    def _of_records(self, error: Integers, target: Integers) -> list[Integers]:
        """What each record adds to each answer, (n,)."""
        square, other = (error * error) >> self.bits, (target * target) >> self.bits
        powers = {"absolute": error, "square": square, "fourth": (square * square) >> (self.bits + 1)}
        odd = [target >> 1, (other * target) >> (self.bits + 2)]
        of_targets = [odd[0], other, odd[1], (other * other) >> (self.bits + 1)] if self.targets else []
        return [*([np.full_like(error, self.levels // 2)] if self.counted else []), *(powers[name] for name in self.errors), *of_targets]

    def to_dict(self) -> dict[str, Json]:
        """See IntegerQuery."""
        return {"kind": "moments", "errors": list(self.errors), "targets": self.targets, "counted": self.counted, "bits": self.bits}


@lru_cache(maxsize=1)
def _farthest() -> tuple[float, float]:
    """How far a target moves its three terms: the square of the l2 norm, and the l1 norm, from above.

    Between two points of a grid a function exceeds both by an eighth of the squared step times its largest second derivative, at most.
    """
    d = np.linspace(0.0, 2.0, _CELLS + 1)
    m = 2.0 - d
    cube, last = d * (d * d + 3.0 * m * m) / 16.0, d * m * (d * d + m * m) / 4.0
    room = _BEND * (2.0 / _CELLS) ** 2 / 8.0
    return float(np.max(0.25 * d * d + (d * m) ** 2 + cube**2 + last**2)) + room, float(np.max(0.5 * d + d * m + cube + last)) + room
