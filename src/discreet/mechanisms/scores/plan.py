"""Noisy counts of two classes by a model's score, beside its fit, under one guarantee (proof note scores.md).

    share = min(1/5, max(1/50, 1 / (50 mu)))        of mu^2, where nobody says otherwise;  of epsilon with mu = epsilon / 5 for delta = 0

What counts have to tell is the same at every budget, whether a score says too much: so where there is more budget a smaller share does.
"""

import math
from dataclasses import dataclass

from discreet.accounting import Guarantee, gaussian_mu
from discreet.core.neighbours import Neighbours, Persons
from discreet.core.short import short_repr
from discreet.mechanisms.counting import CountingMechanism, GaussianCounting, Queries, ScoredClasses, least_noise
from discreet.mechanisms.scores.shrink import EDGES

_LEAST, _MOST, _AT = 0.02, 0.2, 0.02
_PURE = 5.0
"""About epsilon over mu, where delta is small."""


def standard_share(epsilon: float, delta: float) -> float:
    """See the module docstring: from public numbers."""
    mu = gaussian_mu(epsilon, delta) if delta > 0 else epsilon / _PURE
    return min(_MOST, max(_LEAST, _AT / mu))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresPlan:
    """Settled before a record is read: public; a `Choice`."""

    mechanism: CountingMechanism
    persons: Persons | None = None
    """Whose rows are whose; None where the unit of privacy is a row."""

    __repr__ = short_repr

    @classmethod
    def calibrate(cls, *, epsilon: float, delta: float, neighbours: Neighbours, persons: Persons | None = None) -> "ScoresPlan":
        """The least noise for (epsilon, delta). Raises InvalidInput and InfeasibleTarget as the counting mechanisms do."""
        query = Queries([ScoredClasses(bins=len(EDGES) + 1)], persons)
        return cls(mechanism=least_noise(query, epsilon=epsilon, delta=delta, neighbours=neighbours), persons=persons)

    @property
    def problem(self) -> Queries:
        """The problem of the mechanism."""
        return Queries([ScoredClasses(bins=len(EDGES) + 1)], self.persons)

    @property
    def deviation(self) -> float:
        """About the standard deviation of the noise in a count, in records."""
        (scale,) = self.mechanism.scales
        return (scale if isinstance(self.mechanism, GaussianCounting) else math.sqrt(2.0) * scale) / self.problem.parts

    @property
    def curve(self) -> Guarantee:
        """All that is known of the privacy loss of the counts."""
        made = self.mechanism
        return made.curve(self.problem) if isinstance(made, GaussianCounting) else made.guarantee(self.problem)
