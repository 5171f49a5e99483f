"""Pure output perturbation (proof note output_perturbation.md; Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 1).

    f = argmin G,   N of density proportional to exp(-beta |N|_2),   release a point near f + N on a grid, with discrete Laplace noise

    epsilon = beta k G / lambda + epsilon_2

with G = c_max L R, and k = 1 record's gradient under add-remove, 2 under replace-one. epsilon_2 hides a distance of tau / lambda + e from f
+ N: the solver stops at gradient norm tau, the drawn N is within e of its ideal (module `grid`). No lower bound on lambda, no smoothness of
the loss is needed; the noise is larger than that of objective perturbation, which the curvature of the data shrinks.
"""

from dataclasses import dataclass
from typing import Self

from discreet.accounting import PureDP
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import lowering
from discreet.data import Records
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.grid import LaplaceGrid
from discreet.mechanisms.learning.minimise import default_tolerance, last_share
from discreet.mechanisms.learning.sensitivity import minimiser_sensitivity, one_minimiser
from discreet.noise import Noise, spherical_error
from discreet.problems import RegularisedRisk
from discreet.statements.learning import OUTPUT_PURE


@dataclass(frozen=True, slots=True, kw_only=True)
class PureOutputPerturbation(LearningMechanism[RegularisedRisk]):
    """Output perturbation with spherical noise, epsilon-private."""

    rate: float
    """beta: the noise has norm about dimension / beta."""
    tolerance: float
    """tau, the largest gradient norm of the minimiser."""
    noise_error: float
    """e, the largest distance of the drawn noise from its ideal."""
    grid: LaplaceGrid
    """The last stage: step of the grid, and scale of the exact discrete noise in steps."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "output-perturbation-pure"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, epsilon: float, neighbours: Neighbours) -> Self:
        """The least noise for epsilon; always feasible."""
        full = epsilon / minimiser_sensitivity(problem, neighbours=neighbours) * lowering(450)
        radius = default_tolerance(problem, 0.0) / problem.strong_convexity + spherical_error(rate=full, dimension=problem.dimension)
        share = last_share(3.0 * problem.dimension * radius / epsilon / (problem.dimension / full))
        return cls.with_rate(problem, rate=full * (1.0 - share), last_epsilon=epsilon * share, neighbours=neighbours)

    @classmethod
    def with_rate(cls, problem: RegularisedRisk, *, rate: float, last_epsilon: float, neighbours: Neighbours) -> Self:
        """The mechanism with this noise, whose last stage spends `last_epsilon`."""
        tolerance = default_tolerance(problem, 0.0)
        noise_error = spherical_error(rate=rate, dimension=problem.dimension)
        radius = tolerance / problem.strong_convexity + noise_error
        grid = LaplaceGrid.calibrate(radius=radius, dimension=problem.dimension, epsilon=last_epsilon)
        return cls(rate=rate, tolerance=tolerance, noise_error=noise_error, grid=grid, neighbours=neighbours)

    def guarantee(self, problem: RegularisedRisk) -> PureDP:
        """See module docstring."""
        first = self.rate * minimiser_sensitivity(problem, neighbours=self.neighbours)
        radius = self.tolerance / problem.strong_convexity + max(self.noise_error, spherical_error(rate=self.rate, dimension=problem.dimension))
        second = self.grid.epsilon(radius=radius, dimension=problem.dimension)
        return PureDP(epsilon=first + second, neighbours=self.neighbours, theorem=OUTPUT_PURE)

    def weight_noise(self, problem: RegularisedRisk) -> float:
        """See Mechanism: d / beta."""
        return problem.dimension / self.rate

    def columns(self, problem: RegularisedRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        weights = one_minimiser(problem, data, self.tolerance)
        return self.grid.release(weights, noise, added=noise.spherical(rate=self.rate, dimension=problem.dimension, draws=count))
