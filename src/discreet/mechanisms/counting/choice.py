"""Which noise counts get, on their own or beside other parts of a release; and counts that something is chosen from (`Choice` of then_fit.py)."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from discreet.accounting import Guarantee, gaussian_mu
from discreet.core.neighbours import Neighbours, Persons
from discreet.core.short import short_repr
from discreet.core.validate import small_delta
from discreet.mechanisms.counting.base import CountingMechanism
from discreet.mechanisms.counting.gaussian import LARGEST_EPSILON, LEAST_DELTA, GaussianCounting
from discreet.mechanisms.counting.laplace import LaplaceCounting
from discreet.mechanisms.counting.queries import Queries


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsPlan(ABC):
    """Counts that are settled before a record is read: public; a `Choice`."""

    mechanism: CountingMechanism
    persons: Persons | None = None
    """Whose rows are whose; None where the unit of privacy is a row."""

    __repr__ = short_repr

    @property
    @abstractmethod
    def problem(self) -> Queries:
        """The public query that says what is counted."""

    @property
    def deviation(self) -> float:
        """About the standard deviation of the noise in a count, in records."""
        return deviation_of(self.mechanism) / self.problem.parts

    @property
    def curve(self) -> Guarantee:
        """All that is known of the privacy loss of the counts."""
        made = self.mechanism
        return made.curve(self.problem) if isinstance(made, GaussianCounting) else made.guarantee(self.problem)


def deviation_of(made: CountingMechanism) -> float:
    """About the standard deviation of the noise on an answer to its one query."""
    (scale,) = made.scales
    return made.law_of(scale).largest_deviation


def noise_to_compose(problem: Queries, *, epsilon: float, delta: float, neighbours: Neighbours) -> CountingMechanism:
    """Gaussian noise, whose curve adds up best with those of other parts, or Laplace for delta = 0, calibrated. Raises as these do."""
    if delta == 0:
        return LaplaceCounting.calibrate(problem, epsilon=epsilon, neighbours=neighbours)
    return GaussianCounting.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)


def least_noise(problem: Queries, *, epsilon: float, delta: float, neighbours: Neighbours) -> CountingMechanism:
    """For a release of its own: Laplace noise, which has delta 0, or Gaussian where its variances have the lesser product. Raises as these do."""
    pure = LaplaceCounting.calibrate(problem, epsilon=epsilon, neighbours=neighbours)
    if small_delta(delta) < LEAST_DELTA or epsilon > LARGEST_EPSILON:
        return pure
    mu, parts = gaussian_mu(epsilon, delta), len(pure.scales)
    ratios = (move.squared * parts / (mu * scale) ** 2 for move, scale in zip(problem.sensitivities(neighbours), pure.scales, strict=True))
    if math.prod(ratios) >= 2.0**parts:
        return pure
    return GaussianCounting.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
