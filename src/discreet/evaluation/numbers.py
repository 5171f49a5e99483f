"""Which sums tell how far off a model is that predicts numbers.

    e = |y - f(x)|, cut at a public bound B;    t = (y - middle) / half, y within the public range of targets, [middle - half, middle + half]

    mse    sum e^2, and sum e^4, which tells its sampling error
    mae    sum e, and sum e^2 likewise
    r2     sum e^2 and e^4; sums of t, t^2, t^3, t^4: the variance of targets, and the sampling error of that

One vector of exact integers, of which one record moves everything together (module `mechanisms.counting.moments`). B is half the range of targets
where the caller does not choose: who always answers the middle is never farther off, so that errors are cut of records alone about which a model does
worse than that. A smaller one means less noise, which falls with its square on a mean square, and more errors that are cut.

A record's two integers are functions of this record, the model and public numbers: one subtraction, one division, one rounding, each of them exact to
the last bit whatever stands beside it. A prediction that is not finite is off by B.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.errors import InvalidInput, did_you_mean, quoted
from discreet.core.short import short_repr
from discreet.core.validate import measure
from discreet.evaluation.asked import Asked
from discreet.evaluation.outcomes import PREDICTED, Outcomes
from discreet.mechanisms.counting import Moments, Queries
from discreet.noise import Integers

NUMBER_METRICS = ("mse", "mae", "r2")
"""What can be measured of predicted numbers, by name."""
_POWERS = {"mse": {"square", "fourth"}, "mae": {"absolute", "square"}, "r2": {"square", "fourth"}}
_BITS, _SHARED_BITS = 20, 18
"""Levels of an error are 2 to this power; fewer where rows of persons are counted in parts besides, so that sums of 2^25 persons fit 64 bits."""


@dataclass(frozen=True, kw_only=True)
class NumberSurvey(Asked):
    """A plan of queries about a model that predicts numbers; public."""

    lower: float
    upper: float
    """Bounds of the targets, in the unit of predictions."""
    error_bound: float | None = None
    """B, in that unit; None is (upper - lower) / 2."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Raise InvalidInput for what cannot be measured."""
        if not self.metrics or any(metric not in NUMBER_METRICS for metric in self.metrics):
            unknown = next((metric for metric in self.metrics if metric not in NUMBER_METRICS), None)
            hint = did_you_mean(unknown, NUMBER_METRICS) if isinstance(unknown, str) else ""
            raise InvalidInput(
                f"metrics of a model that predicts numbers are some of {quoted(NUMBER_METRICS)}; {list(self.metrics)!r} was given.{hint}"
            )
        measure(self.half, "half the range of targets")
        if self.error_bound is None:
            object.__setattr__(self, "error_bound", self.half)
        measure(self.error_bound, "error_bound")

    @property
    def bound(self) -> float:
        """B, at which errors are cut."""
        return self.half if self.error_bound is None else self.error_bound

    @property
    def half(self) -> float:
        """Half the range of targets."""
        return 0.5 * (self.upper - self.lower)

    @property
    def moments(self) -> Moments:
        """The one query."""
        powers: set[str] = set().union(*(_POWERS[metric] for metric in self.metrics))
        return Moments(
            errors=tuple(name for name in ("absolute", "square", "fourth") if name in powers),
            targets="r2" in self.metrics,
            counted=self.secret,
            bits=_SHARED_BITS if self.shared else _BITS,
        )

    def queries(self) -> Queries:
        """The one query, of whose rows are whose."""
        return Queries((self.moments,), self.persons)

    @property
    def wanted(self) -> frozenset[str]:
        """The predictions that the model must provide."""
        return frozenset({PREDICTED})

    def nothing(self) -> list[Integers]:
        """The result of `read` for an empty table."""
        return [np.zeros((0, Moments.columns), dtype=np.int64)]

    def read(self, outcomes: Outcomes) -> list[Integers]:
        """Two integers of every record, (n, 2); private, and a function of this record alone (see the module docstring)."""
        if outcomes.predicted is None:
            raise InvalidInput("the model gives no predictions for these records.")
        levels = self.moments.levels
        actual = np.clip(np.asarray(outcomes.actual, dtype=np.float64), self.lower, self.upper)
        with np.errstate(all="ignore"):
            off = np.abs(actual - outcomes.predicted) / self.bound
            off = np.where(off <= 1.0, off, 1.0)  # NaN too
            around = np.clip((actual - (self.lower + self.half)) / self.half, -1.0, 1.0)
        return [np.stack((np.rint(levels * off), np.rint(levels * around)), axis=1).astype(np.int64)]

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {"metrics": list(self.metrics), "target": {"lower": self.lower, "upper": self.upper}, "error_bound": self.bound}
