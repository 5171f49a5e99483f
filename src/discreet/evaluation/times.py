"""What is asked about a model of times, whose records are not all seen to the end.

    T periods with public ends;  S_t(x) the predicted probability to live through period t, S_0 = 1;  C and the number of bins B are public

    what is known of a record    seen through s periods, and no longer:  likelihood S_s        the event in period s + 1:  S_s - S_{s+1}
    log loss                     sum over records of x and of x^2,  x = min(-log of the likelihood, C) / C      one query (`counting.moments`)
    concordance                  histogram of what is known (2 T + 1 values) x bin of the predicted mean time   one query, and post-processing

The likelihood of a record is that of its yes-or-no rows, one a period (Allison 1982): minus its logarithm is the sum of their log losses, a proper
score which needs no guess of what happened later. The mean time up to the last end is sum over t of (S_{t-1} + S_t) / 2 times the length of period t;
its bins are equal parts of the range from 0 to the last end.

A record's integers must not depend on other records, not even by rounding: survival is what the model says of this record alone (module `outcomes`);
differences, and sums over periods one after the other, are of single numbers; logarithms are not taken, levels are compared with public numbers
(module `survey`). A record that a foreign model fails on has S = 0: the largest loss, and the shortest time that there is.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput, did_you_mean, quoted
from discreet.core.short import short_repr
from discreet.data.targets import ends_of, likelihood
from discreet.evaluation.asked import Asked
from discreet.evaluation.outcomes import SURVIVAL, Outcomes
from discreet.mechanisms.counting import Histogram, IntegerQuery, Moments, Queries
from discreet.mechanisms.counting.losses import LEVELS, loss_levels
from discreet.mechanisms.counting.queries import LARGEST
from discreet.noise import Integers

TIME_METRICS = ("log_loss", "concordance")
"""What can be measured of predicted times, by name."""
_BITS = 20
"""A loss has LEVELS levels, each so many of 2^20 parts that the noise is wide (mechanisms/counting/counting.md, lemma 3)."""


@dataclass(frozen=True, kw_only=True)
class TimeSurvey(Asked):
    """A plan of queries about a model of times; public."""

    ends: tuple[float, ...]
    """Of the periods."""
    bins: int = 20
    """B, of the predicted mean time."""
    log_loss_bound: float = 5.0
    """C, in nats."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Raise InvalidInput for what cannot be measured."""
        if not self.metrics or any(metric not in TIME_METRICS for metric in self.metrics):
            unknown = next((metric for metric in self.metrics if metric not in TIME_METRICS), None)
            hint = did_you_mean(unknown, TIME_METRICS) if isinstance(unknown, str) else ""
            raise InvalidInput(f"metrics of a model of times are some of {quoted(TIME_METRICS)}; {list(self.metrics)!r} was given.{hint}")
        object.__setattr__(self, "ends", ends_of(self.ends))
        if self.shared:
            raise InvalidInput("a model of times needs one record per person, without ids. If each person has one row, rows_per_person=1 says so.")
        most = LARGEST // self.known
        if isinstance(self.bins, bool) or not isinstance(self.bins, int) or not 2 <= self.bins <= most:
            raise InvalidInput(f"the predicted mean times of {len(self.ends)} periods are counted in 2 to {most} bins; {self.bins!r} was given.")
        if not (is_finite(self.log_loss_bound) and self.log_loss_bound > 0):
            raise InvalidInput(f"log_loss_bound must be a positive finite number of nats; {self.log_loss_bound!r} was given.")

    @property
    def known(self) -> int:
        """How many values there are of what is known of a record."""
        return 2 * len(self.ends) + 1

    @property
    def moments(self) -> Moments:
        """Of losses; it counts the records where their number is secret."""
        return Moments(errors=("absolute", "square"), counted=self.secret, bits=_BITS)

    def queries(self) -> Queries:
        """At most one histogram, and sums of losses."""
        asked: list[IntegerQuery] = [Histogram(cells=self.known * self.bins)] if "concordance" in self.metrics else []
        return Queries([*asked, self.moments] if "log_loss" in self.metrics else asked, self.persons)

    @property
    def wanted(self) -> frozenset[str]:
        """The predictions that the model must provide."""
        return frozenset({SURVIVAL})

    def nothing(self) -> list[Integers]:
        """The result of `read` for an empty table."""
        counts = [np.zeros(0, dtype=np.int64)] if "concordance" in self.metrics else []
        return [*counts, np.zeros((0, Moments.columns), dtype=np.int64)] if "log_loss" in self.metrics else counts

    def read(self, outcomes: Outcomes) -> list[Integers]:
        """One integer of every record for the histogram, two for the sums; private, a function of this record alone (see the module docstring)."""
        through, periods = outcomes.survival, len(self.ends)
        if through is None or through.shape[1] != periods:
            raise InvalidInput(f"the model must give the probability of surviving each of its {periods} periods.")
        codes, found = outcomes.codes, []
        if "concordance" in self.metrics:
            survival = np.column_stack((np.ones(len(codes)), through))
            shares = np.zeros(len(codes))
            for period, width in enumerate(np.diff(self.ends, prepend=0.0) / self.ends[-1]):
                shares += 0.5 * width * (survival[:, period] + survival[:, period + 1])
            inner = np.arange(1, self.bins) / self.bins
            found.append(codes * self.bins + np.searchsorted(inner, shares, side="left"))
        if "log_loss" in self.metrics:
            levels = loss_levels(likelihood(through, codes), self.log_loss_bound) * ((1 << _BITS) // LEVELS)
            found.append(np.stack((levels, np.zeros_like(levels)), axis=1))
        return found

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {"metrics": list(self.metrics), "ends": list(self.ends), "bins": self.bins, "log_loss_bound": self.log_loss_bound}
