"""Noisy counts of two classes by a model's score, beside its fit, under one guarantee (proof note scores.md).

    share = min(1/5, max(1/50, 1 / (50 mu)))        of mu^2, where nobody says otherwise;  of epsilon with mu = epsilon / 5 for delta = 0

What counts have to tell is the same at every budget, whether a score says too much: so where there is more budget a smaller share does.
"""

from dataclasses import dataclass

from discreet.accounting import gaussian_mu
from discreet.core.neighbours import Neighbours, Persons
from discreet.mechanisms.counting import CountsPlan, Queries, ScoredClasses, noise_to_compose
from discreet.mechanisms.scores.shrink import EDGES

_LEAST, _MOST, _AT = 0.02, 0.2, 0.02
_PURE = 5.0
"""About epsilon over mu, where delta is small."""


def standard_share(epsilon: float, delta: float) -> float:
    """See the module docstring: from public numbers."""
    mu = gaussian_mu(epsilon, delta) if delta > 0 else epsilon / _PURE
    return min(_MOST, max(_LEAST, _AT / mu))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresPlan(CountsPlan):
    """Counts of both classes by a score."""

    @classmethod
    def calibrate(cls, *, epsilon: float, delta: float, neighbours: Neighbours, persons: Persons | None = None) -> "ScoresPlan":
        """The least noise for (epsilon, delta). Raises InvalidInput and InfeasibleTarget as the counting mechanisms do."""
        query = Queries([ScoredClasses(bins=len(EDGES) + 1)], persons)
        return cls(mechanism=noise_to_compose(query, epsilon=epsilon, delta=delta, neighbours=neighbours), persons=persons)

    @property
    def problem(self) -> Queries:
        """The problem of the mechanism."""
        return Queries([ScoredClasses(bins=len(EDGES) + 1)], self.persons)
