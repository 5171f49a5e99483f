"""One-vs-rest: K private problems of two classes on the same records, each with fresh noise (theorem O1 of the proof note one_vs_rest.md).

    Gaussian   b_k ~ N(0, sigma^2 I), f_k = argmin G_k + <b_k, .>,  k = 1..K:    delta by `one_vs_rest_profile`, far below K-fold sums
    pure       each problem by theorem T2 at epsilon / K:                        epsilons add

and a last stage on one grid for all K vectors: they are within sqrt(K) tau / lambda + e / lambda of their ideals together (module `grid`), e the
distance of all drawn noise from its ideal.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, PureDP
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import Neighbours
from discreet.core.quiet import quietly
from discreet.core.rounding import lowering, raising
from discreet.data import Records
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.class_ridge import infeasible_one_vs_rest, least_one_vs_rest_ridge
from discreet.mechanisms.learning.gaussian_plan import gaussian_plan
from discreet.mechanisms.learning.grid import GaussianGrid, LaplaceGrid
from discreet.mechanisms.learning.minimise import default_tolerance, minimisers, weight_reach
from discreet.mechanisms.learning.objective_pure import PureObjectivePerturbation, objective_epsilon
from discreet.mechanisms.learning.one_vs_rest_profile import one_vs_rest_delta, one_vs_rest_scale
from discreet.noise import Noise, gaussian_error, spherical_error
from discreet.problems import OneVsRestRisk
from discreet.statements.learning import one_vs_rest


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianOneVsRest(LearningMechanism[OneVsRestRisk]):
    """K problems perturbed by Gaussian noise, (epsilon, delta)-private together."""

    scale: float
    """sigma, the standard deviation of each coordinate of each linear term."""
    epsilon: float
    """epsilon at which the delta of the K minimisers is evaluated."""
    tolerance: float
    """tau, the largest gradient norm of each minimiser."""
    noise_error: float
    """e, the largest distance of all drawn noise from its ideal."""
    grid: GaussianGrid
    """The last stage, for all weights together."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "one-vs-rest-gaussian"

    @classmethod
    def calibrate(cls, problem: OneVsRestRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise for a total of (epsilon, delta). Raises InfeasibleTarget when lambda is too small for any noise."""
        refusal = infeasible_one_vs_rest(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        if problem.strong_convexity <= least_one_vs_rest_ridge(problem, epsilon):
            raise refusal
        plan = partial(
            gaussian_plan,
            epsilon=epsilon,
            delta=delta,
            dimension=problem.dimension,
            scale=lambda part, least: one_vs_rest_scale(problem, epsilon=part, delta=least, neighbours=neighbours),
            tolerance=lambda scale: default_tolerance(problem.each, scale * problem.domain.dimension**0.5),
            radius=lambda tolerance, error: _gaussian_radius(problem, tolerance, error),
            reach=weight_reach(problem),
        )
        return cls(**quietly(plan, refusal, InfeasibleTarget)._asdict(), neighbours=neighbours)

    def guarantee(self, problem: OneVsRestRisk) -> ApproximateDP:
        """See module docstring."""
        first = one_vs_rest_delta(problem, scale=self.scale, epsilon=self.epsilon, neighbours=self.neighbours)
        error = max(self.noise_error, gaussian_error(scale=self.scale, dimension=problem.dimension))
        second = self.grid.delta(radius=_gaussian_radius(problem, self.tolerance, error), dimension=problem.dimension)
        return ApproximateDP(
            epsilon=self.epsilon + self.grid.epsilon,
            delta_at_epsilon=min(first + second, 1.0 - 2.0**-53),
            neighbours=self.neighbours,
            theorem=one_vs_rest(problem.classes, pure=False),
        )

    def weight_noise(self, problem: OneVsRestRisk) -> float:
        """See Mechanism: sigma sqrt(K d) in all K problems together."""
        return self.scale * problem.dimension**0.5 / problem.strong_convexity

    def columns(self, problem: OneVsRestRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See Mechanism; classes one after the other."""
        linears = noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=count)
        return self.grid.release(minimisers(problem, data, linears, self.tolerance), noise)


@dataclass(frozen=True, slots=True, kw_only=True)
class PureOneVsRest(LearningMechanism[OneVsRestRisk]):
    """K problems perturbed by spherical noise, epsilon-private together."""

    rate: float
    """beta of each problem: its noise has norm about (d + 1) / beta."""
    tolerance: float
    """tau, the largest gradient norm of each minimiser."""
    noise_error: float
    """e, the largest distance of one problem's drawn noise from its ideal."""
    grid: LaplaceGrid
    """The last stage of each problem."""
    neighbours: Neighbours

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "one-vs-rest-pure"

    @classmethod
    def calibrate(cls, problem: OneVsRestRisk, *, epsilon: float, neighbours: Neighbours) -> Self:
        """The least noise for epsilon / K in each problem. Raises InfeasibleTarget when lambda is too small for any noise."""
        refusal = infeasible_one_vs_rest(problem, epsilon=epsilon, delta=0.0, neighbours=neighbours)
        each = epsilon / problem.classes * lowering(450)
        one = quietly(lambda: PureObjectivePerturbation.calibrate(problem.each, epsilon=each, neighbours=neighbours), refusal, InfeasibleTarget)
        return cls(rate=one.rate, tolerance=one.tolerance, noise_error=one.noise_error, grid=one.grid, neighbours=neighbours)

    def guarantee(self, problem: OneVsRestRisk) -> PureDP:
        """K times that of one problem."""
        width = problem.domain.dimension
        first = objective_epsilon(problem.each, rate=self.rate, neighbours=self.neighbours)
        radius = (self.tolerance + max(self.noise_error, spherical_error(rate=self.rate, dimension=width))) / problem.strong_convexity
        second = self.grid.epsilon(radius=radius, dimension=width)
        return PureDP(
            epsilon=problem.classes * (first + second) * raising(5),
            neighbours=self.neighbours,
            theorem=one_vs_rest(problem.classes, pure=True),
        )

    def weight_noise(self, problem: OneVsRestRisk) -> float:
        """See Mechanism: d / beta in each of the K problems, so sqrt(K) times that in all."""
        return math.sqrt(problem.classes) * problem.each.dimension / self.rate / problem.strong_convexity

    def columns(self, problem: OneVsRestRisk, data: Records, noise: Noise, count: int) -> Floats:
        """See Mechanism; classes one after the other."""
        width = problem.domain.dimension
        linears = np.concatenate([noise.spherical(rate=self.rate, dimension=width, draws=count) for _ in range(problem.classes)])
        points = minimisers(problem, data, linears, self.tolerance)
        return np.concatenate([self.grid.release(part, noise) for part in np.split(points, problem.classes)])


def _gaussian_radius(problem: OneVsRestRisk, tolerance: float, noise_error: float) -> float:
    return (math.sqrt(problem.classes) * tolerance + noise_error) / problem.strong_convexity * raising(45)
