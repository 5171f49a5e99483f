"""Pure objective perturbation (theorem T2 of the proof note objective_perturbation.md; Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 2, corrected).

    b of density proportional to exp(-beta |b|_2),   f = argmin G + <b, .>,   release a point near f on a grid, with discrete Laplace noise

    epsilon = max_t { beta G t + J(t) } (+ beta G under replace-one)  +  epsilon_2,     G = c_max L R, J the Jacobian term

epsilon_2 hides a distance of (tau + e) / lambda from f: the solver stops at gradient norm tau, the drawn b is within e of its ideal (module `grid`).

For losses with J(t) <= a t (1 - t) and a <= beta G the first part is exactly beta G (2 beta G under replace-one): no slack (corollary 2).
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from discreet.accounting import PureDP
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import lowering, raising
from discreet.data import Records
from discreet.losses.regularisers import L2
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.grid import LaplaceGrid
from discreet.mechanisms.learning.jacobian import jacobian_corners
from discreet.mechanisms.learning.minimise import default_tolerance, last_share, minimisers, weight_reach
from discreet.mechanisms.learning.ridge import infeasible
from discreet.noise import Noise, spherical_error
from discreet.problems import RegularisedRisk
from discreet.statements.learning import OBJECTIVE_PURE

_DOWN = lowering(450)
"""Factor that outweighs the rounding of a handful of operations, and what `_UP` adds."""
_UP = raising(45)
"""Factor that outweighs the rounding of c_max L R, of its product with the rate, and of two sums: seven operations,
with R = hypot(.). A ratio a above beta G by its own rounding costs the square of that only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PureObjectivePerturbation(LearningMechanism[RegularisedRisk]):
    """Objective perturbation with spherical noise, epsilon-private."""

    rate: float
    """beta: the noise has norm about dimension / beta."""
    tolerance: float
    """tau, the largest gradient norm of the minimiser."""
    noise_error: float
    """e, the largest distance of the drawn noise from its ideal."""
    grid: LaplaceGrid
    """The last stage: step of the grid, and scale of the exact discrete noise in steps."""
    neighbours: Neighbours
    extra_ridge: float = 0.0
    """Added to lambda before the objective is formed (CMS's n Delta); 0 except under the published calibration."""

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "objective-perturbation-pure"

    @classmethod
    def calibrate(cls, problem: RegularisedRisk, *, epsilon: float, neighbours: Neighbours) -> Self:
        """The least noise for a total of `epsilon`. Raises InfeasibleTarget when lambda is too small for any noise."""
        refusal = infeasible(problem, epsilon=epsilon, delta=0.0, neighbours=neighbours)
        rough = objective_rate(problem, epsilon=epsilon * (1.0 - 1e-3), neighbours=neighbours)
        if rough <= 0:
            raise refusal
        noise_size = problem.dimension / rough
        tolerance = default_tolerance(problem, noise_size)
        radius = (tolerance + spherical_error(rate=rough, dimension=problem.dimension)) / problem.strong_convexity
        share = last_share(3.0 * problem.dimension * radius / epsilon * weight_reach(problem) / noise_size)
        rate = objective_rate(problem, epsilon=epsilon * (1.0 - share), neighbours=neighbours)
        if rate <= 0:
            raise refusal
        return cls.with_rate(problem, rate=rate, tolerance=tolerance, last_epsilon=epsilon * share * _DOWN, neighbours=neighbours)

    @classmethod
    def with_rate(
        cls,
        problem: RegularisedRisk,
        *,
        rate: float,
        tolerance: float,
        last_epsilon: float,
        neighbours: Neighbours,
        extra_ridge: float = 0.0,
    ) -> Self:
        """The mechanism with this noise, whose last stage spends `last_epsilon`."""
        noise_error = spherical_error(rate=rate, dimension=problem.dimension)
        radius = (tolerance + noise_error) / (problem.strong_convexity + extra_ridge)
        grid = LaplaceGrid.calibrate(radius=radius, dimension=problem.dimension, epsilon=last_epsilon)
        return cls(
            rate=rate,
            tolerance=tolerance,
            noise_error=noise_error,
            grid=grid,
            neighbours=neighbours,
            extra_ridge=extra_ridge,
        )

    def guarantee(self, problem: RegularisedRisk) -> PureDP:
        """See module docstring."""
        effective = self._effective(problem)
        first = objective_epsilon(effective, rate=self.rate, neighbours=self.neighbours)
        radius = (self.tolerance + max(self.noise_error, spherical_error(rate=self.rate, dimension=problem.dimension))) / effective.strong_convexity
        second = self.grid.epsilon(radius=radius, dimension=problem.dimension)
        return PureDP(epsilon=first + second, neighbours=self.neighbours, theorem=OBJECTIVE_PURE)

    def weight_noise(self, problem: RegularisedRisk) -> float:
        """See Mechanism: |b| is about d / beta, and reaches the weights through the inverse of a Hessian of at least lambda."""
        return problem.dimension / self.rate / self._effective(problem).strong_convexity

    def columns(self, problem: RegularisedRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        linears = noise.spherical(rate=self.rate, dimension=problem.dimension, draws=count)
        return self.grid.release(minimisers(self._effective(problem), data, linears, self.tolerance), noise)

    def _effective(self, problem: RegularisedRisk) -> RegularisedRisk:
        return replace(problem, regulariser=L2(strength=problem.strong_convexity + self.extra_ridge))


def objective_epsilon(problem: RegularisedRisk, *, rate: float, neighbours: Neighbours) -> float:
    """epsilon of the exact minimiser under spherical noise of this rate, rounded up."""
    shift = rate * problem.gradient_bound
    other_record = 0.0 if neighbours is ADD_REMOVE else shift
    if problem.slack_free_ratio <= shift:
        return (shift + other_record) * _UP
    t, corners = jacobian_corners(problem)
    return (float(np.max(shift * t + corners)) + other_record) * _UP


def objective_rate(problem: RegularisedRisk, *, epsilon: float, neighbours: Neighbours) -> float:
    """The largest beta with `objective_epsilon` <= epsilon, to rounding; 0 when there is none."""
    other_record = 0.0 if neighbours is ADD_REMOVE else 1.0
    slack_free = epsilon / (1.0 + other_record) * _DOWN
    if problem.slack_free_ratio <= slack_free:
        return slack_free / problem.gradient_bound
    t, corners = jacobian_corners(problem)
    room = epsilon * _DOWN - corners
    if np.min(room) <= 0:
        return 0.0
    shifts = t + other_record
    return float(np.min(room[shifts > 0] / shifts[shifts > 0])) / problem.gradient_bound * _DOWN
