"""Noisy counts of classes by a model's score, beside its fit, under one guarantee (proof note scores.md).

    share = min(m, max(1/50, 1 / (50 mu)))        of mu^2, where nobody says otherwise;  of epsilon with mu = epsilon / 5 for delta = 0
                                                  m = 1/5 for two classes, 2/5 for more, of which each share has to be known

What counts have to tell is the same at every budget, whether a score says too much: so where there is more budget a smaller share does.
"""

from dataclasses import dataclass

from discreet.accounting import gaussian_mu
from discreet.core.neighbours import Neighbours, Persons
from discreet.mechanisms.counting import CountsPlan, Queries, ScoredClasses, noise_to_compose
from discreet.mechanisms.scores.many import TOLD_EDGES
from discreet.mechanisms.scores.shrink import EDGES

_LEAST, _MOST, _MOST_OF_MANY, _AT = 0.02, 0.2, 0.4, 0.02
_PURE = 5.0
"""About epsilon over mu, where delta is small."""


def standard_share(epsilon: float, delta: float, *, classes: int = 2) -> float:
    """See the module docstring: from public numbers."""
    mu = gaussian_mu(epsilon, delta) if delta > 0 else epsilon / _PURE
    return min(_MOST if classes == 2 else _MOST_OF_MANY, max(_LEAST, _AT / mu))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresPlan(CountsPlan):
    """Counts of classes by a score."""

    classes: int = 2

    @classmethod
    def calibrate(cls, *, epsilon: float, delta: float, neighbours: Neighbours, persons: Persons | None = None, classes: int = 2) -> "ScoresPlan":
        """The least noise for (epsilon, delta). Raises InvalidInput and InfeasibleTarget as the counting mechanisms do."""
        noise = noise_to_compose(_asked(classes, persons), epsilon=epsilon, delta=delta, neighbours=neighbours)
        return cls(mechanism=noise, persons=persons, classes=classes)

    @property
    def problem(self) -> Queries:
        """The problem of the mechanism."""
        return _asked(self.classes, self.persons)


def _asked(classes: int, persons: Persons | None) -> Queries:
    return Queries([ScoredClasses(bins=len(EDGES if classes == 2 else TOLD_EDGES) + 1, classes=classes)], persons)
