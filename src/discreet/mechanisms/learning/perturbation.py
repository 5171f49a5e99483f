"""The two laws of noise in learning mechanisms: Gaussian, for (epsilon, delta), and spherical, for pure epsilon; and how a budget is cut in two.

    N(0, sigma^2 I),        density proportional to exp(-beta |b|_2)

The first part of the budget pays for this noise, in the objective or on its minimiser, by a theorem; the second for the last stage, on the grid,
whose noise hides how far solver and noise are from real numbers: a distance of the weights that is a function of tau, the solver's tolerance, and e,
the error of the drawn noise. The share is chosen so that both noises together are least (module `minimise`).
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.accounting import ApproximateDP, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import lowering
from discreet.mechanisms.base import at_epsilon
from discreet.mechanisms.learning.base import AnyRisk, LearningMechanism, R
from discreet.mechanisms.learning.grid import GaussianGrid, LaplaceGrid
from discreet.noise import Noise, gaussian_error, spherical_error
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk


def one_of(problem: AnyRisk) -> RegularisedRisk | MultinomialRisk:
    """The problem that one solver solves: of one-vs-rest, that of one class."""
    return problem.each if isinstance(problem, OneVsRestRisk) else problem


def solved_apart(problem: AnyRisk) -> int:
    """How many of them there are."""
    return problem.classes if isinstance(problem, OneVsRestRisk) else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianPerturbation(LearningMechanism[R]):
    """Gaussian noise, (epsilon, delta)-private."""

    scale: float
    """sigma, the standard deviation of each coordinate."""
    epsilon: float
    """epsilon at which the delta of the ideal output is evaluated."""
    tolerance: float
    """tau, the largest gradient norm of each minimiser."""
    noise_error: float
    """e, the largest distance of all drawn noise from its ideal."""
    grid: GaussianGrid
    """The last stage: step of the grid, and scale of the exact discrete noise in steps."""
    neighbours: Neighbours

    @abstractmethod
    def ideal_delta(self, problem: R, epsilon: float) -> float:
        """Upper bound of delta(epsilon) of the ideal output, which no computer has."""

    @abstractmethod
    def distance(self, problem: R, tolerance: float, error: float) -> float:
        """How far a computed output may be from the ideal one, for tau and e."""

    @abstractmethod
    def theorem(self, problem: R) -> str:
        """What says so, in certificates."""

    def guarantee(self, problem: R) -> ApproximateDP:
        """That of the ideal output, and of the last stage, which hides the distance from it."""
        error = max(self.noise_error, gaussian_error(scale=self.scale, dimension=problem.dimension))
        second = self.grid.delta(radius=self.distance(problem, self.tolerance, error), dimension=problem.dimension)
        total = self.ideal_delta(problem, self.epsilon) + second
        return at_epsilon(self.epsilon + self.grid.epsilon, total, self.neighbours, self.theorem(problem))

    def _noise(self, problem: R, noise: Noise, count: int) -> Floats:
        return noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=count)


@dataclass(frozen=True, slots=True, kw_only=True)
class SphericalPerturbation(LearningMechanism[R]):
    """Spherical noise, epsilon-private."""

    rate: float
    """beta of each noise vector: its norm is about its dimension / beta."""
    tolerance: float
    """tau, the largest gradient norm of each minimiser."""
    noise_error: float
    """e, the largest distance of one drawn noise vector from its ideal."""
    grid: LaplaceGrid
    """The last stage of each: step of the grid, and scale of the exact discrete noise in steps."""
    neighbours: Neighbours

    def _noise(self, problem: R, noise: Noise, count: int) -> Floats:
        width = one_of(problem).dimension
        return np.concatenate([noise.spherical(rate=self.rate, dimension=width, draws=count) for _ in range(solved_apart(problem))])

    def _last(self, problem: R, radius: Callable[[float, float], float]) -> float:
        """epsilon_2 of one noise vector."""
        width = one_of(problem).dimension
        error = max(self.noise_error, spherical_error(rate=self.rate, dimension=width))
        return self.grid.epsilon(radius=radius(self.tolerance, error), dimension=width)


class GaussianPlan(NamedTuple):
    """The numbers of a mechanism; its fields but for the relation."""

    scale: float
    epsilon: float
    tolerance: float
    noise_error: float
    grid: GaussianGrid


def gaussian_plan(
    *,
    epsilon: float,
    delta: float,
    dimension: int,
    scale: Callable[[float, float], float],
    tolerance: Callable[[float], float],
    radius: Callable[[float, float], float],
    share: Callable[[float, float], float],
    spare: float = 1e-6,
) -> GaussianPlan:
    """The least noise for a total of (epsilon, delta).

    `scale(epsilon, delta)` may raise InfeasibleTarget; `tolerance(sigma)` is the solver's; `share(last, sigma)` is the last stage's part of the
    budget where its noise with the whole of it would have size `last`; `spare` is the share of its delta that stays unspent.
    """
    rough = scale(epsilon * (1.0 - 1e-3), delta * (1.0 - 1e-3))
    solved = tolerance(rough)
    distance = radius(solved, gaussian_error(scale=rough, dimension=dimension))
    part = share(2.0 * distance / gaussian_mu(epsilon, delta), rough)
    found = scale(epsilon * (1.0 - part), delta * (1.0 - part))
    error = gaussian_error(scale=found, dimension=dimension)
    grid = GaussianGrid.calibrate(
        radius=radius(solved, error),
        dimension=dimension,
        epsilon=epsilon * part * lowering(450),
        delta=delta * part * (1.0 - spare),
    )
    return GaussianPlan(scale=found, epsilon=epsilon * (1.0 - part), tolerance=solved, noise_error=error, grid=grid)


def least_scale(delta: Callable[[float], float], *, above: float, target: float, step: float, precision: float) -> float:
    """The least scale (to `precision` of itself, rounded up) with delta(scale) <= target; it has been evaluated there, and is not below `above`.

    Raises InfeasibleTarget where no scale up to e^40 times `above` does: the Jacobian term alone exceeds epsilon.
    """
    low = math.log(above) - 1e-6
    high = low
    while delta(math.exp(high)) > target:
        low, high, step = high, high + step, 2.0 * step
        if high - math.log(above) > 40.0:
            raise InfeasibleTarget("no noise scale reaches this target: the regularisation is too weak.")
    while high - low > precision:
        middle = 0.5 * (low + high)
        if delta(math.exp(middle)) <= target:
            high = middle
        else:
            low = middle
    return math.exp(high)
