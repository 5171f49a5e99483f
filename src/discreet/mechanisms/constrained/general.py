"""Private Frank-Wolfe over any set with a linear minimiser (proof note frank_wolfe.md, theorem 2).

    y_t = grad F(theta_t) + noise on a grid,    s_t = argmin_{s in C} <s, y_t>,    t = 1 .. T

Talwar, Thakurta and Zhang (2014), Algorithm 5, with the noise of exact Gaussian composition (module `gaussian_steps`) in place of the printed
constants: T steps together are one Gaussian release of mu = Delta sqrt(T) / sigma, Delta = k B R_2 plus twice the bound of rounding errors, k = 1
under add-remove and 2 under replace-one. What follows from y_t is post-processing: the linear minimiser may be inexact.

    E F(theta) - min F <= Gamma (1 + ln T) / (2 T) + sigma G_C,    G_C the Gaussian width of C
"""

import math
from dataclasses import dataclass
from typing import Self

from discreet.accounting import ApproximateDP, Json, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.base import at_epsilon
from discreet.mechanisms.constrained.base import ConstrainedMechanism, checked_steps, default_steps, require_smooth
from discreet.mechanisms.constrained.gaussian_steps import GaussianSteps
from discreet.mechanisms.constrained.walk import Walk
from discreet.noise import Noise
from discreet.problems import ConstrainedRisk, PredictionSum
from discreet.statements.constrained import FRANK_WOLFE


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianFrankWolfe(ConstrainedMechanism):
    """Frank-Wolfe on gradients with Gaussian noise: (epsilon, delta)-private."""

    noise_steps: GaussianSteps
    """Number of steps, grid and scale."""
    epsilon: float
    """epsilon at which delta is stated."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "frank-wolfe-gaussian"

    @classmethod
    def calibrate(cls, problem: ConstrainedRisk, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None) -> Self:
        """The least noise for (epsilon, delta); `steps` None takes the number that suits public numbers (base.py).

        Raises InvalidInput for a loss with a kink, or numbers out of range.
        """
        if not (0 < epsilon < math.inf and 0 < delta < 1):
            raise InvalidInput(f"Gaussian noise needs 0 < epsilon < infinity and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
        require_smooth(problem)
        count = default_gaussian_steps(problem, epsilon, delta, neighbours) if steps is None else checked_steps(steps)
        distance = gradient_distance(problem, neighbours)
        found = GaussianSteps.calibrate(distance=distance, dimension=problem.dimension, epsilon=epsilon, delta=delta, count=count)
        return cls(noise_steps=found, epsilon=epsilon, neighbours=neighbours)

    def guarantee(self, problem: ConstrainedRisk) -> ApproximateDP:
        """See module docstring."""
        delta = self.noise_steps.delta(self.epsilon, distance=gradient_distance(problem, self.neighbours), dimension=problem.dimension)
        return at_epsilon(self.epsilon, delta, self.neighbours, FRANK_WOLFE)

    def parameters(self) -> dict[str, Json]:
        """See ConstrainedMechanism."""
        steps = self.noise_steps
        return {
            "steps": steps.count,
            "scale": steps.scale,
            "grid_step": steps.step,
            "epsilon": self.epsilon,
            "neighbours": str(self.neighbours),
        }

    def point(self, problem: ConstrainedRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """See ConstrainedMechanism."""
        walk = Walk.from_start(objective, problem.constraint)
        for _ in range(self.noise_steps.count):
            walk.towards(problem.constraint.linear_minimiser(self.noise_steps.release(walk.gradient(), noise)))
        return walk.point


def gradient_distance(problem: ConstrainedRisk, neighbours: Neighbours) -> float:
    """How far apart the computed gradients of neighbours can be: k B R_2, and the rounding errors of two gradients."""
    return (problem.gradient_bound * (1.0 if neighbours is ADD_REMOVE else 2.0) + 2.0 * problem.gradient_error) * raising(16)


def default_gaussian_steps(problem: ConstrainedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> int:
    """T of base.py: the expected regret of a noisy step is at most sigma G_C."""
    regret = gradient_distance(problem, neighbours) * problem.constraint.gaussian_width / gaussian_mu(epsilon, delta)
    return default_steps(problem, regret=regret, power=0.5)
