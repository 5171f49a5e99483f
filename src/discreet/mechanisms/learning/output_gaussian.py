"""Gaussian output perturbation (proof note output_perturbation.md).

    f = argmin G,   release a point near f + N(0, sigma^2 I) on a grid, with discrete Gaussian noise

    delta(epsilon + epsilon_2) = delta_G(epsilon; k G / (lambda sigma)) + delta_2(epsilon_2)

with G = c_max L R, and k = 1 under add-remove, 2 under replace-one; calibrated by the analytic Gaussian mechanism. delta_2 hides a distance of
tau / lambda + e: the solver stops at gradient norm tau, the drawn noise is within e of its ideal (module `grid`).
"""

from dataclasses import dataclass
from typing import Self

from discreet.accounting import ApproximateDP, gaussian_delta, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import lowering
from discreet.data import Records
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.grid import GaussianGrid
from discreet.mechanisms.learning.minimise import default_tolerance, last_share
from discreet.mechanisms.learning.sensitivity import minimiser_sensitivity, one_minimiser
from discreet.noise import Noise, gaussian_error
from discreet.problems import RegularisedRisk
from discreet.statements.learning import OUTPUT_GAUSSIAN


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianOutputPerturbation(LearningMechanism[RegularisedRisk]):
    """Output perturbation with Gaussian noise, (epsilon, delta)-private."""

    scale: float
    """sigma, the standard deviation of each coordinate."""
    epsilon: float
    """epsilon at which delta is stated."""
    tolerance: float
    """tau, the largest gradient norm of the minimiser."""
    noise_error: float
    """e, the largest distance of the drawn noise from its ideal."""
    grid: GaussianGrid
    """The last stage: step of the grid, and scale of the exact discrete noise in steps."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "output-perturbation-gaussian"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise for (epsilon, delta); always feasible."""
        tolerance = default_tolerance(problem, 0.0)
        sensitivity = minimiser_sensitivity(problem, neighbours=neighbours)
        full = sensitivity / gaussian_mu(epsilon, delta)
        radius = tolerance / problem.strong_convexity + gaussian_error(scale=full, dimension=problem.dimension)
        share = last_share(2.0 * radius / gaussian_mu(epsilon, delta) / full)
        scale = sensitivity / gaussian_mu(epsilon * (1.0 - share), delta * (1.0 - share) * (1.0 - 1e-6))
        noise_error = gaussian_error(scale=scale, dimension=problem.dimension)
        last_epsilon = epsilon * share * lowering(450)
        grid = GaussianGrid.calibrate(
            radius=tolerance / problem.strong_convexity + noise_error,
            dimension=problem.dimension,
            epsilon=last_epsilon,
            delta=delta * share * (1.0 - 1e-6),
        )
        return cls(
            scale=scale,
            epsilon=epsilon * (1.0 - share),
            tolerance=tolerance,
            noise_error=noise_error,
            grid=grid,
            neighbours=neighbours,
        )

    def guarantee(self, problem: RegularisedRisk) -> ApproximateDP:
        """See module docstring."""
        first = gaussian_delta(self.epsilon, minimiser_sensitivity(problem, neighbours=self.neighbours) / self.scale)
        radius = self.tolerance / problem.strong_convexity + max(self.noise_error, gaussian_error(scale=self.scale, dimension=problem.dimension))
        second = self.grid.delta(radius=radius, dimension=problem.dimension)
        return ApproximateDP(
            epsilon=self.epsilon + self.grid.epsilon,
            delta_at_epsilon=min(first + second, 1.0 - 2.0**-53),
            neighbours=self.neighbours,
            theorem=OUTPUT_GAUSSIAN,
        )

    def weight_noise(self, problem: RegularisedRisk) -> float:
        """See Mechanism: sigma sqrt(d)."""
        return self.scale * problem.dimension**0.5

    def columns(self, problem: RegularisedRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        weights = one_minimiser(problem, data, self.tolerance)
        return self.grid.release(weights, noise, added=noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=count))
