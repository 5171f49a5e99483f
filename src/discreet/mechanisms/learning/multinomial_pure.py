"""Pure objective perturbation of multinomial logistic regression (theorem M3 of the proof note multinomial_perturbation.md).

    B of density proportional to exp(-beta |B|_F) on R^{K d},   W = argmin G + <B, .>,   release a point near W on a grid, with discrete Laplace noise

    epsilon = max_t { beta c_max R sqrt(2 - t) + (K - 1) ln(1 + a t / (K - 1)) } (+ sqrt(2) beta c_max R under replace-one) + epsilon_2,   0 <= t <=
    1 - 1/K

t stands for 1 - |p|^2: |p - e_y|^2 <= 2 - t, and the Jacobian term is at most its second summand. For a <= beta c_max R / (2 sqrt 2) the maximum is
at t = 0: epsilon = sqrt(2) beta c_max R, no slack. epsilon_2 as for two classes (module `objective_pure`).
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import PureDP
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import lowering, raising
from discreet.data import Records
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.class_ridge import infeasible_multinomial
from discreet.mechanisms.learning.grid import LaplaceGrid
from discreet.mechanisms.learning.minimise import default_tolerance, last_share, minimisers, weight_reach
from discreet.noise import Noise, spherical_error
from discreet.problems import MultinomialRisk
from discreet.statements.learning import MULTINOMIAL_PURE

_DOWN = lowering(450)
_CELLS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class PureMultinomialPerturbation(LearningMechanism[MultinomialRisk]):
    """Objective perturbation of K classes with spherical noise, epsilon-private."""

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
        return "multinomial-perturbation-pure"

    @classmethod
    def calibrate(cls, problem: MultinomialRisk, *, epsilon: float, neighbours: Neighbours) -> Self:
        """The least noise for a total of `epsilon`. Raises InfeasibleTarget when lambda is too small for any noise."""
        refusal = infeasible_multinomial(problem, epsilon=epsilon, delta=0.0, neighbours=neighbours)
        rough = multinomial_rate(problem, epsilon=epsilon * (1.0 - 1e-3), neighbours=neighbours)
        if rough <= 0:
            raise refusal
        noise_size = problem.dimension / rough
        tolerance = default_tolerance(problem, noise_size)
        radius = (tolerance + spherical_error(rate=rough, dimension=problem.dimension)) / problem.strong_convexity
        share = last_share(3.0 * problem.dimension * radius / epsilon * weight_reach(problem) / noise_size)
        rate = multinomial_rate(problem, epsilon=epsilon * (1.0 - share), neighbours=neighbours)
        if rate <= 0:
            raise refusal
        noise_error = spherical_error(rate=rate, dimension=problem.dimension)
        radius = (tolerance + noise_error) / problem.strong_convexity
        grid = LaplaceGrid.calibrate(radius=radius, dimension=problem.dimension, epsilon=epsilon * share * _DOWN)
        return cls(rate=rate, tolerance=tolerance, noise_error=noise_error, grid=grid, neighbours=neighbours)

    def guarantee(self, problem: MultinomialRisk) -> PureDP:
        """See module docstring."""
        first = multinomial_epsilon(problem, rate=self.rate, neighbours=self.neighbours)
        error = max(self.noise_error, spherical_error(rate=self.rate, dimension=problem.dimension))
        radius = (self.tolerance + error) / problem.strong_convexity
        second = self.grid.epsilon(radius=radius, dimension=problem.dimension)
        return PureDP(
            epsilon=first + second,
            neighbours=self.neighbours,
            theorem=MULTINOMIAL_PURE,
        )

    def weight_noise(self, problem: MultinomialRisk) -> float:
        """See Mechanism: |B| is about K d / beta, and reaches the weights through the inverse of a Hessian of at least lambda."""
        return problem.dimension / self.rate / problem.strong_convexity

    def columns(self, problem: MultinomialRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See Mechanism; classes one after the other."""
        linears = noise.spherical(rate=self.rate, dimension=problem.dimension, draws=count)
        return self.grid.release(minimisers(problem, data, linears, self.tolerance), noise)


def multinomial_epsilon(problem: MultinomialRisk, *, rate: float, neighbours: Neighbours) -> float:
    """epsilon of the exact minimiser under spherical noise of this rate, rounded up."""
    unit = rate * problem.max_weight * problem.domain.radius
    other_record = 0.0 if neighbours is ADD_REMOVE else math.sqrt(2.0) * unit
    if problem.jacobian_ratio <= unit / (2.0 * math.sqrt(2.0)) * _DOWN:
        return (math.sqrt(2.0) * unit + other_record) * raising(45)
    edges = np.linspace(0.0, 1.0 - 1.0 / problem.classes, _CELLS + 1)
    rank = problem.classes - 1.0
    largest = unit * np.sqrt(2.0 - edges[:-1]) + rank * np.log1p(problem.jacobian_ratio * edges[1:] / rank)
    return (float(np.max(largest)) + other_record) * raising(450)


def multinomial_rate(problem: MultinomialRisk, *, epsilon: float, neighbours: Neighbours) -> float:
    """The largest beta (to 1e-9) with `multinomial_epsilon` <= epsilon; 0 when there is none."""
    high = epsilon / (problem.gradient_bound * (1.0 if neighbours is ADD_REMOVE else 2.0)) * _DOWN
    if multinomial_epsilon(problem, rate=high, neighbours=neighbours) <= epsilon:
        return high
    low = 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if multinomial_epsilon(problem, rate=middle, neighbours=neighbours) <= epsilon:
            low = middle
        else:
            high = middle
    return low
