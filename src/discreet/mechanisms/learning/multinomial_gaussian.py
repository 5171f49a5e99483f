"""Gaussian objective perturbation of multinomial logistic regression (theorems M1 and M2 of the proof note multinomial_perturbation.md).

    B ~ N(0, sigma^2 I) on R^{K d},   W = argmin G + <B, .>,   release a point near W on a grid, with discrete Gaussian noise

    delta(epsilon + epsilon_2) <= delta_M(epsilon) + delta_2(epsilon_2)

delta_M is computed in module `multinomial_profile`; delta_2 hides a distance of (tau + e) / lambda from W (module `grid`). With enough
regularisation K classes cost about what one Gaussian mechanism of sensitivity sqrt(2) R costs at delta / (K - 1): only the logarithm of K is paid.
"""

from dataclasses import dataclass
from typing import Self

from discreet.accounting import ApproximateDP
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import Neighbours
from discreet.core.quiet import quietly
from discreet.data import Records
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.class_ridge import infeasible_multinomial, least_multinomial_ridge
from discreet.mechanisms.learning.gaussian_plan import gaussian_plan
from discreet.mechanisms.learning.grid import GaussianGrid
from discreet.mechanisms.learning.minimise import default_tolerance, minimisers, weight_reach
from discreet.mechanisms.learning.multinomial_profile import multinomial_delta, multinomial_scale
from discreet.noise import Noise, gaussian_error
from discreet.problems import MultinomialRisk
from discreet.statements.learning import MULTINOMIAL_GAUSSIAN


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianMultinomialPerturbation(LearningMechanism[MultinomialRisk]):
    """Objective perturbation of K classes with Gaussian noise, (epsilon, delta)-private."""

    scale: float
    """sigma, the standard deviation of each coordinate of the linear term."""
    epsilon: float
    """epsilon at which delta_M is evaluated."""
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
        return "multinomial-perturbation-gaussian"

    @classmethod
    def calibrate(cls, problem: MultinomialRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise for a total of (epsilon, delta). Raises InfeasibleTarget when lambda is too small for any noise."""
        refusal = infeasible_multinomial(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        plan = gaussian_plan(
            epsilon=epsilon,
            delta=delta,
            dimension=problem.dimension,
            scale=lambda part, least: _scale(problem, part, least, neighbours, refusal),
            tolerance=lambda scale: default_tolerance(problem, scale * problem.dimension**0.5),
            radius=lambda tolerance, error: (tolerance + error) / problem.strong_convexity,
            reach=weight_reach(problem),
        )
        return cls(**plan._asdict(), neighbours=neighbours)

    def guarantee(self, problem: MultinomialRisk) -> ApproximateDP:
        """See module docstring."""
        first = multinomial_delta(problem, scale=self.scale, epsilon=self.epsilon, neighbours=self.neighbours)
        radius = (self.tolerance + max(self.noise_error, gaussian_error(scale=self.scale, dimension=problem.dimension))) / problem.strong_convexity
        second = self.grid.delta(radius=radius, dimension=problem.dimension)
        return ApproximateDP(
            epsilon=self.epsilon + self.grid.epsilon,
            delta_at_epsilon=min(first + second, 1.0 - 2.0**-53),
            neighbours=self.neighbours,
            theorem=MULTINOMIAL_GAUSSIAN,
        )

    def weight_noise(self, problem: MultinomialRisk) -> float:
        """See Mechanism: |B| is about sigma sqrt(K d), and reaches the weights through the inverse of a Hessian of at least lambda."""
        return self.scale * problem.dimension**0.5 / problem.strong_convexity

    def columns(self, problem: MultinomialRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See Mechanism; classes one after the other."""
        linears = noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=count)
        return self.grid.release(minimisers(problem, data, linears, self.tolerance), noise)


def _scale(problem: MultinomialRisk, epsilon: float, delta: float, neighbours: Neighbours, refusal: InfeasibleTarget) -> float:
    if problem.strong_convexity > least_multinomial_ridge(problem, epsilon):
        return quietly(lambda: multinomial_scale(problem, epsilon=epsilon, delta=delta, neighbours=neighbours), refusal, InfeasibleTarget)
    raise refusal
