"""No privacy: the minimiser without noise, as epsilon = infinity asks.

Kept as a mechanism so that it carries a certificate, which says that there is no guarantee.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import NoGuarantee
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours
from discreet.data import Records
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.minimise import default_tolerance, minimisers
from discreet.mechanisms.learning.sensitivity import one_minimiser
from discreet.noise import Noise
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk
from discreet.statements.learning import NON_PRIVATE


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivate(LearningMechanism[RegularisedRisk]):
    """The minimiser without noise."""

    tolerance: float
    """tau, the largest gradient norm of the minimiser."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "non-private"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, neighbours: Neighbours) -> Self:
        """A tolerance near the rounding error."""
        return cls(tolerance=default_tolerance(problem, 0.0), neighbours=neighbours)

    def guarantee(self, problem: RegularisedRisk) -> NoGuarantee:  # noqa: ARG002 - there is none for any problem
        """None."""
        return NoGuarantee(neighbours=self.neighbours, theorem=NON_PRIVATE)

    def weight_noise(self, problem: RegularisedRisk) -> float:  # noqa: ARG002 - the same for any problem
        """None."""
        return 0.0

    def columns(self, problem: RegularisedRisk, data: Records, noise: Noise, count: int) -> Floats:  # noqa: ARG002 - no noise is drawn
        """The same weights `count` times."""
        return one_minimiser(problem, data, self.tolerance).repeat(count, axis=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivateClasses(LearningMechanism[MultinomialRisk | OneVsRestRisk]):
    """The minimisers of K classes without noise."""

    tolerance: float
    """tau, the largest gradient norm of the minimiser."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "non-private"

    @classmethod
    def calibrate(cls, problem: MultinomialRisk | OneVsRestRisk, *, neighbours: Neighbours) -> Self:
        """A tolerance near the rounding error."""
        return cls(tolerance=default_tolerance(problem, 0.0), neighbours=neighbours)

    def guarantee(self, problem: MultinomialRisk | OneVsRestRisk) -> NoGuarantee:  # noqa: ARG002 - there is none for any problem
        """None."""
        return NoGuarantee(neighbours=self.neighbours, theorem=NON_PRIVATE)

    def weight_noise(self, problem: MultinomialRisk | OneVsRestRisk) -> float:  # noqa: ARG002 - the same for any problem
        """None."""
        return 0.0

    def columns(self, problem: MultinomialRisk | OneVsRestRisk, data: Records, noise: Noise, count: int) -> Floats:  # noqa: ARG002 - no noise
        """The same weights `count` times."""
        return minimisers(problem, data, np.zeros((problem.dimension, 1)), self.tolerance).repeat(count, axis=1)
