"""Several yes-or-no rows that are made of one record, as a problem states them:  (x, a, c e_t),  t = 1 .. M.

    times              a = R,   is c > 0;   row t: did the event happen in period t?          a person has those of the periods up to the last seen
    ordered classes    a = -R,  is c < 0;   row t: is the answer above threshold t?           every person has all of them

R bounds |x|, so that a row is at most sqrt(2 R^2 + c^2) long. The log odds of row t are <w, x> + a v + c u_t, of weights (w, v, u), and everything
that a model of times, or of ordered classes, says of a record follows from these and is public:

    times              hazards h_t = s(log odds), survival S_t = prod (1 - h_r) over r <= t;  of who does not live to the last end the event is, on
                       average, in the middle of its period
    ordered classes    chances to lie above the thresholds, s(<w, x> - b_t), b the running maximum of the -(a v + c u_t): chances fall with t
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.fields import Json, finite, positive, text, whole
from discreet.core.lazily import lazily
from discreet.core.rounding import raising
from discreet.core.short import short_repr

if TYPE_CHECKING:
    from discreet.matrices import in_order
else:
    in_order = lazily("discreet.matrices.in_order")

ORDERED: Literal["ordered classes"] = "ordered classes"
TIMES: Literal["times"] = "times"
special = lazily("scipy.special")
_SLACK = raising(4_096)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeRows:
    """See the module docstring."""

    of: Literal["times", "ordered classes"]
    rows: int
    """M."""
    bound: float
    """R."""
    step: float
    """|c|."""
    ends: tuple[float, ...] = ()
    """Of the periods, increasing, M of them, where it is of times."""

    __repr__ = short_repr

    @property
    def constant(self) -> float:
        """a."""
        return self.bound if self.of == TIMES else -self.bound

    @property
    def signed_step(self) -> float:
        """c."""
        return self.step if self.of == TIMES else -self.step

    @property
    def norm(self) -> float:
        """Bound on a made row, rounded up."""
        return math.hypot(math.sqrt(2.0) * self.bound, self.step) * _SLACK

    def levels(self, weights: Floats) -> Floats:
        """a v + c u_t, (M,), of the weights (.., v, u)."""
        level, steps = weights[-1 - self.rows], weights[-self.rows :]
        return np.asarray(self.constant * level + self.signed_step * steps)

    def log_odds(self, along: Floats, weights: Floats) -> Floats:
        """Of the M rows of each record, (n, M), where <w, x> is `along` (n,); of ordered classes with thresholds that are levelled."""
        levels = self.levels(weights)
        return along[:, np.newaxis] + (levels if self.of == TIMES else np.minimum.accumulate(levels))

    def hazards(self, log_odds: Floats) -> Floats:
        """(n, T), that the event happens in a period, of whom it has not happened to before."""
        return np.asarray(special.expit(log_odds))

    def survival(self, log_odds: Floats) -> Floats:
        """(n, T), that the event has not happened by the end of each period."""
        return np.asarray(np.cumprod(special.expit(-log_odds), axis=1))

    def mean_time(self, log_odds: Floats) -> Floats:
        """Up to the last end, (n,)."""
        survival = self.survival(log_odds)
        before = np.column_stack((np.ones(len(survival)), survival[:, :-1]))
        return np.asarray(in_order.products(0.5 * (before + survival), np.diff(self.ends, prepend=0.0)))

    def median_time(self, log_odds: Floats) -> Floats:
        """When half of such persons have had the event, (n,), by a straight line within a period; infinity where that is beyond the last end."""
        survival = self.survival(log_odds)
        places, chances = np.concatenate(([0.0], self.ends)), np.column_stack((np.ones(len(survival)), survival))
        reached = chances <= 0.5
        first = np.maximum(reached.argmax(axis=1), 1)
        each = np.arange(len(survival))
        above, below = chances[each, first - 1], chances[each, first]
        share = (above - 0.5) / np.maximum(above - below, np.finfo(float).tiny)
        found = places[first - 1] + share * (places[first] - places[first - 1])
        return np.where(reached.any(axis=1), found, np.inf)

    def chosen(self, log_odds: Floats) -> npt.NDArray[np.intp]:
        """The number of the median class, (n,): the lowest that half of such records, at least, do not lie above."""
        return np.asarray((log_odds > 0.0).sum(axis=1), dtype=np.intp)

    def chances(self, log_odds: Floats) -> Floats:
        """Of the K = M + 1 classes, (n, K)."""
        above, ends = special.expit(log_odds), np.ones((len(log_odds), 1))
        return np.asarray(np.hstack((ends, above)) - np.hstack((above, 0.0 * ends)))

    def log_chances(self, log_odds: Floats) -> Floats:
        """Logarithms of `chances`, accurate where these are tiny: s(a) - s(b) = s(a) s(-b) (1 - e^(b - a))."""
        above, below = (np.full((len(log_odds), 1), end) for end in (np.inf, -np.inf))
        first, second = np.hstack((above, log_odds)), np.hstack((log_odds, below))
        with np.errstate(divide="ignore"):
            return np.asarray(special.log_expit(first) + special.log_expit(-second) + np.log(-np.expm1(np.minimum(second - first, 0.0))))

    def questions(self, labels: Sequence[str]) -> list[str]:
        """What each row asks, of classes with these names."""
        return [f"(by {end:g})" for end in self.ends] if self.of == TIMES else [f"(above {label})" for label in labels[:-1]]

    def level_directions(self, at: Floats) -> Floats:
        """The combinations (M, m) of the weights that are the log odds of the rows of a record whose own part is <at, weights>, `at` (m,)."""
        rows = np.tile(at, (self.rows, 1))
        rows[:, -1 - self.rows] += self.constant
        rows[:, -self.rows :] += self.signed_step * np.eye(self.rows)
        return rows

    def to_dict(self) -> dict[str, Json]:
        """For certificates; `stated` reads it back."""
        record: dict[str, Json] = {"of": self.of, "rows": self.rows, "bound": self.bound, "step": self.step}
        return record | ({"ends": list(self.ends)} if self.of == TIMES else {})

    @classmethod
    def stated(cls, record: Json) -> Self:
        """What `to_dict` wrote. Raises TypeError, ValueError or KeyError for anything else."""
        if not isinstance(record, Mapping):
            raise TypeError
        of, ends = text(record["of"]), record.get("ends", [])
        if of not in (ORDERED, TIMES) or not isinstance(ends, list):
            raise ValueError
        made = cls(
            of=of,
            rows=whole(record["rows"]),
            bound=positive(record["bound"]),
            step=positive(record["step"]),
            ends=tuple(map(finite, ends)),
        )
        if len(made.ends) != (made.rows if of == TIMES else 0) or np.any(np.diff(made.ends, prepend=0.0) <= 0) or made.to_dict() != dict(record):
            raise ValueError
        return made
