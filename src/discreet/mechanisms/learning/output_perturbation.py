"""Output perturbation (proof note output_perturbation.md; Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 1), and the minimiser without any noise.

    f = argmin G,      release a point near f + N on a grid, with discrete Gaussian or Laplace noise (modules `perturbation`, `base`)

    Gaussian    N ~ N(0, sigma^2 I)                           delta(epsilon + epsilon_2) = delta_G(epsilon; k G / (lambda sigma)) + delta_2(epsilon_2)
    spherical   density of N proportional to exp(-beta |N|)   epsilon = beta k G / lambda + epsilon_2

with G = c_max L R, and k = 1 record's gradient under add-remove, 2 under replace-one; Gaussian noise is calibrated by the analytic Gaussian
mechanism. The last stage hides a distance of tau / lambda + e from f + N: the solver stops at gradient norm tau, the drawn N is within e of its
ideal. No lower bound on lambda, no smoothness of the loss is needed; the noise is larger than that of objective perturbation, which the curvature of
the data shrinks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from discreet.accounting import NoGuarantee, PureDP, gaussian_delta, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import lowering, raising
from discreet.data import Records
from discreet.mechanisms.learning.base import (
    LaplaceGrid,
    LearningMechanism,
    SphericalPerturbation,
    default_tolerance,
    last_part,
    last_share,
    minimisers,
)
from discreet.mechanisms.learning.perturbation import GaussianPerturbation, gaussian_plan
from discreet.noise import Noise, spherical_error
from discreet.problems import AnyRisk, RegularisedRisk
from discreet.words import learning as words

_DOWN, _UP = lowering(450), raising(45)
"""Factors that outweigh the rounding of a handful of operations."""


def minimiser_sensitivity(problem: RegularisedRisk, *, neighbours: Neighbours) -> float:
    """k G / lambda, rounded up: how far one record moves the minimiser (Chaudhuri, Monteleoni, Sarwate 2011, lemma 7 and corollary 8).

    G_D and G_D' differ by the losses of k records, whose gradients are at most G each, and G_D is lambda-strongly convex.
    """
    changed = 1.0 if neighbours is ADD_REMOVE else 2.0
    return changed * problem.gradient_bound / problem.ridge * _UP


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianOutputPerturbation(GaussianPerturbation[RegularisedRisk]):
    """Gaussian noise on the minimiser, calibrated by the analytic Gaussian mechanism; always feasible."""

    name = "output-perturbation-gaussian"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise for (epsilon, delta)."""
        sensitivity = minimiser_sensitivity(problem, neighbours=neighbours)
        plan = gaussian_plan(
            epsilon=epsilon,
            delta=delta,
            dimension=problem.dimension,
            scale=lambda part, least: sensitivity / gaussian_mu(part, least),
            curve=lambda scale: partial(gaussian_delta, mu=sensitivity / scale),
            tolerance=lambda _scale: default_tolerance(problem, 0.0),
            radius=lambda tolerance, error: tolerance / problem.ridge + error,
            part=lambda last, scale: last_part(last / scale),
        )
        return cls(**plan._asdict(), neighbours=neighbours)

    def ideal_curve(self, problem: RegularisedRisk) -> Callable[[float], float]:
        """See TwoStages."""
        return partial(gaussian_delta, mu=minimiser_sensitivity(problem, neighbours=self.neighbours) / self.scale)

    def distance(self, problem: RegularisedRisk, tolerance: float, error: float) -> float:
        """See TwoStages."""
        return tolerance / problem.ridge + error

    def theorem(self, problem: RegularisedRisk) -> str:  # noqa: ARG002 - the same for any problem
        """See TwoStages."""
        return words.OUTPUT_GAUSSIAN

    def weight_noise(self, problem: RegularisedRisk) -> float:
        """See LearningMechanism: sigma sqrt(d)."""
        return self.scale * problem.dimension**0.5

    def columns(self, problem: RegularisedRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        return self.grid.release(one_minimiser(problem, data, self.tolerance), noise, added=self._noise(problem, noise, count))


@dataclass(frozen=True, slots=True, kw_only=True)
class PureOutputPerturbation(SphericalPerturbation[RegularisedRisk]):
    """Spherical noise on the minimiser; always feasible."""

    name = "output-perturbation-pure"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, epsilon: float, neighbours: Neighbours) -> Self:
        """The least noise for epsilon."""
        full = epsilon / minimiser_sensitivity(problem, neighbours=neighbours) * _DOWN
        radius = default_tolerance(problem, 0.0) / problem.ridge + spherical_error(rate=full, dimension=problem.dimension)
        share = last_share(3.0 * problem.dimension * radius / epsilon / (problem.dimension / full))
        return cls.with_rate(problem, rate=full * (1.0 - share), last_epsilon=epsilon * share, neighbours=neighbours)

    @classmethod
    def with_rate(cls, problem: RegularisedRisk, *, rate: float, last_epsilon: float, neighbours: Neighbours) -> Self:
        """The mechanism with this noise, whose last stage spends `last_epsilon`."""
        tolerance, error = default_tolerance(problem, 0.0), spherical_error(rate=rate, dimension=problem.dimension)
        grid = LaplaceGrid.calibrate(radius=tolerance / problem.ridge + error, dimension=problem.dimension, epsilon=last_epsilon)
        return cls(rate=rate, tolerance=tolerance, noise_error=error, grid=grid, neighbours=neighbours)

    def promise(self, problem: RegularisedRisk) -> PureDP:
        """See the module docstring."""
        first = self.rate * minimiser_sensitivity(problem, neighbours=self.neighbours)
        second = self._last(problem, lambda tolerance, error: tolerance / problem.ridge + error)
        return PureDP(epsilon=first + second, neighbours=self.neighbours, theorem=words.OUTPUT_PURE)

    def weight_noise(self, problem: RegularisedRisk) -> float:
        """See LearningMechanism: d / beta."""
        return problem.dimension / self.rate

    def columns(self, problem: RegularisedRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        return self.grid.release(one_minimiser(problem, data, self.tolerance), noise, added=self._noise(problem, noise, count))


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivate(LearningMechanism[Any]):
    """The minimiser without noise, as epsilon = infinity asks: a mechanism, so that a certificate says that there is no guarantee."""

    name = "non-private"
    tolerance: float
    """tau, the largest gradient norm of each minimiser."""
    neighbours: Neighbours

    @classmethod
    def calibrate(cls, problem: AnyRisk, *, neighbours: Neighbours) -> Self:
        """A tolerance near the rounding error."""
        return cls(tolerance=default_tolerance(problem, 0.0), neighbours=neighbours)

    def promise(self, problem: AnyRisk) -> NoGuarantee:  # noqa: ARG002 - there is none for any problem
        """NoGuarantee: it draws no noise."""
        return NoGuarantee(neighbours=self.neighbours, theorem=words.NON_PRIVATE)

    def several(self, problem: AnyRisk, count: int) -> NoGuarantee:  # noqa: ARG002 - as above
        """NoGuarantee, however many there are."""
        return self.promise(problem)

    def weight_noise(self, problem: AnyRisk) -> float:  # noqa: ARG002 - the same for any problem
        """0: it draws no noise."""
        return 0.0

    def columns(self, problem: AnyRisk, data: Records, noise: Noise, count: int) -> Floats:  # noqa: ARG002 - no noise is drawn
        """The same weights `count` times."""
        return one_minimiser(problem, data, self.tolerance).repeat(count, axis=1)


def one_minimiser(problem: AnyRisk, data: Records, tolerance: float) -> Floats:
    """The minimiser of G to gradient norm `tolerance`, as a column (dimension, 1); raises SolverFailure."""
    return minimisers(problem, data, np.zeros((problem.dimension, 1)), tolerance)
