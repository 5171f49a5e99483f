"""Gaussian objective perturbation (theorem T1 of the proof note objective_perturbation.md).

    b ~ N(0, sigma^2 I),   f = argmin G + <b, .>,   release a point near f on a grid, with discrete Gaussian noise

    delta(epsilon + epsilon_2) <= delta_T1(epsilon) + delta_2(epsilon_2)

delta_2 hides a distance of (tau + e) / lambda from f: the solver stops at gradient norm tau, the drawn b is within e of its ideal (module `grid`).

delta_T1 is computed in module `gaussian_profile`; for the logistic loss with lambda >= R^2 / epsilon it is the profile of one Gaussian
mechanism, with no slack at all.
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
from discreet.mechanisms.learning.gaussian_plan import gaussian_plan
from discreet.mechanisms.learning.gaussian_profile import objective_delta, objective_scale
from discreet.mechanisms.learning.grid import GaussianGrid
from discreet.mechanisms.learning.minimise import default_tolerance, minimisers, weight_reach
from discreet.mechanisms.learning.ridge import infeasible, least_ridge
from discreet.noise import Noise, gaussian_error
from discreet.problems import RegularisedRisk
from discreet.statements.learning import OBJECTIVE_GAUSSIAN


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianObjectivePerturbation(LearningMechanism[RegularisedRisk]):
    """Objective perturbation with Gaussian noise, (epsilon, delta)-private."""

    scale: float
    """sigma, the standard deviation of each coordinate of the linear term."""
    epsilon: float
    """epsilon at which delta_T1 is evaluated."""
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
        return "objective-perturbation-gaussian"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise for a total of (epsilon, delta). Raises InfeasibleTarget when lambda is too small for any noise."""
        refusal = infeasible(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
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

    def guarantee(self, problem: RegularisedRisk) -> ApproximateDP:
        """See module docstring."""
        first = objective_delta(problem, scale=self.scale, epsilon=self.epsilon, neighbours=self.neighbours)
        radius = (self.tolerance + max(self.noise_error, gaussian_error(scale=self.scale, dimension=problem.dimension))) / problem.strong_convexity
        second = self.grid.delta(radius=radius, dimension=problem.dimension)
        return ApproximateDP(
            epsilon=self.epsilon + self.grid.epsilon,
            delta_at_epsilon=min(first + second, 1.0 - 2.0**-53),
            neighbours=self.neighbours,
            theorem=OBJECTIVE_GAUSSIAN,
        )

    def weight_noise(self, problem: RegularisedRisk) -> float:
        """See Mechanism: |b| is about sigma sqrt(d), and reaches the weights through the inverse of a Hessian of at least lambda."""
        return self.scale * problem.dimension**0.5 / problem.strong_convexity

    def columns(self, problem: RegularisedRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        linears = noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=count)
        return self.grid.release(minimisers(problem, data, linears, self.tolerance), noise)


def _scale(problem: RegularisedRisk, epsilon: float, delta: float, neighbours: Neighbours, refusal: InfeasibleTarget) -> float:
    if problem.strong_convexity > least_ridge(problem, epsilon):
        return quietly(lambda: objective_scale(problem, epsilon=epsilon, delta=delta, neighbours=neighbours), refusal, InfeasibleTarget)
    raise refusal
