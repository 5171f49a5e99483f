"""Objective perturbation: one mechanism, composed of the law of its noise and the head of the model.

    f = argmin G + <b, .>,      release a point near f on a grid, with discrete Gaussian or Laplace noise (modules `perturbation`, `base`)

    law     Gaussian   b ~ N(0, sigma^2 I)                                  (epsilon, delta)
            spherical  density of b proportional to exp(-beta |b|_2)        pure epsilon
    head    margin     two classes        theorems T1 and T2, objective_perturbation.md (Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 2, corrected)
            multinomial                   theorems M1 to M3, multinomial_perturbation.md
            one-vs-rest                   K problems of two classes, each with noise of its own: theorem O1, one_vs_rest.md

    delta(epsilon) <= that of delta_head and the last stage composed,         epsilon_1 + epsilon_2 where noise is spherical

The last stage hides a distance of (tau + e) / lambda from f: the solver stops at gradient norm tau, the drawn b is within e of its ideal; all K
vectors of Gaussian one-vs-rest are within (sqrt(K) tau + e) / lambda of their ideals together. Curves of the exact minimiser are in modules `margin`,
`multinomial` and `one_vs_rest`; spherical one-vs-rest is K problems at epsilon / K, each with a last stage.

A prior changes none of the theorems (proof note prior.md), nor does a lambda that grows with a noisy number of records, counted beside the fit (T4).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, ClassVar, Generic, Self

import numpy as np

from discreet.accounting import Json, PureDP, gaussian_mu
from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.remembered import remembered
from discreet.core.rounding import lowering, raising
from discreet.data import Records
from discreet.ledger import Account
from discreet.mechanisms.base import Drawn
from discreet.mechanisms.learning.base import (
    LaplaceGrid,
    R,
    SphericalPerturbation,
    computed_radius,
    default_tolerance,
    last_part,
    last_share,
    minimisers,
    one_of,
    solved_apart,
    weight_reach,
)
from discreet.mechanisms.learning.counted import more_of_few, noisy_count, scale_of_count
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.learning.multinomial import MULTINOMIAL
from discreet.mechanisms.learning.one_vs_rest import ONE_VS_REST
from discreet.mechanisms.learning.perturbation import GaussianPerturbation, GaussianPlan, Head, gaussian_plan
from discreet.noise import Noise, spherical_error
from discreet.problems import AnyRisk, MultinomialRisk, OneVsRestRisk, RegularisedRisk
from discreet.words.learning import COUNTED_OBJECTIVE

_DOWN, _UP = lowering(450), raising(45)
"""Factors that outweigh the rounding of a handful of operations."""


class _OfHead:
    """Noise in the objective of one head."""

    __slots__ = ()

    head: ClassVar[Head[Any]]
    noise_law: ClassVar[str]

    @property
    def name(self) -> str:
        """Name in certificates."""
        return f"{self.head.name}-{self.noise_law}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianObjective(_OfHead, GaussianPerturbation[R], Generic[R]):
    """Gaussian noise in the objective."""

    noise_law = "gaussian"

    @classmethod
    def calibrate(cls, problem: R, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise for a total of (epsilon, delta). Raises InfeasibleTarget when lambda is too small for any noise."""
        return cls(**cls.least_noise(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)._asdict(), neighbours=neighbours)

    @classmethod
    def least_noise(cls, problem: R, *, epsilon: float, delta: float, neighbours: Neighbours, beside: float = 0.0) -> GaussianPlan:
        """See `calibrate`; a number that leaves `beside` has this mu. Raises InfeasibleTarget where no proof covers both, too."""
        head, one = cls.head, one_of(problem)
        refusal = partial(head.refusal, problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        if problem.ridge <= head.least_ridge(problem, epsilon):
            raise refusal()

        def scale(part: float, least: float) -> float:
            try:
                return _least_scale(head, problem, part, least, neighbours)
            except InfeasibleTarget:
                pass
            raise refusal()

        profile = _profile(head, problem, neighbours)
        return gaussian_plan(
            epsilon=epsilon,
            delta=delta,
            dimension=problem.dimension,
            scale=scale,
            curve=lambda scale: partial(profile, scale),
            tolerance=lambda scale: default_tolerance(one, scale * one.dimension**0.5),
            radius=lambda tolerance, error: _radius(problem, tolerance, error),
            part=lambda last, scale: last_part(last * weight_reach(problem) / scale),
            beside=beside,
        )

    def ideal_curve(self, problem: R) -> Callable[[float], float]:
        """See TwoStages."""
        return partial(_profile(self.head, problem, self.neighbours), self.scale)

    def ideal_deltas(self, problem: R) -> Callable[[Floats], Floats]:
        """See TwoStages."""
        return partial(self.head.deltas(problem, self.neighbours), self.scale)

    def distance(self, problem: R, tolerance: float, error: float) -> float:
        """See TwoStages."""
        return _radius(problem, tolerance, error)

    def theorem(self, problem: R) -> str:
        """See TwoStages."""
        return self.head.theorem(problem, pure=False)

    def weight_noise(self, problem: R) -> float:
        """See LearningMechanism: |b| is about sigma sqrt(d), and reaches the weights through the inverse of a Hessian of at least lambda."""
        return self.scale * problem.dimension**0.5 / problem.ridge

    def columns(self, problem: R, data: Records, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        return self.grid.release(minimisers(problem, data, self._noise(problem, noise, count), self.tolerance), noise)


@remembered
def _least_scale(head: Head[Any], problem: AnyRisk, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """Head.scale: a plan, the fit after it and the next fold ask for the same noise."""
    return head.scale(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)


@remembered
def _profile(head: Head[Any], problem: AnyRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
    """Head.profile, with its last values: what is promised is asked for where the calibration asked."""
    return lru_cache(maxsize=64)(head.profile(problem, neighbours))


def _radius(problem: AnyRisk, tolerance: float, error: float) -> float:
    if isinstance(problem, OneVsRestRisk):
        return computed_radius(problem.prior, gradient=math.sqrt(problem.classes) * tolerance, error=error, ridge=problem.ridge) * _UP
    return computed_radius(problem.prior, gradient=tolerance, error=error, ridge=problem.ridge)


@dataclass(frozen=True, slots=True, kw_only=True)
class SphericalObjective(_OfHead, SphericalPerturbation[R], Generic[R]):
    """Spherical noise in the objective: in that of each class, for one-vs-rest, with epsilon / K."""

    noise_law = "pure"

    @classmethod
    def calibrate(cls, problem: R, *, epsilon: float, neighbours: Neighbours) -> Self:
        """The least noise for a total of `epsilon`. Raises InfeasibleTarget when lambda is too small for any noise."""
        one, apart = one_of(problem), solved_apart(problem)
        each = epsilon if apart == 1 else epsilon / apart * _DOWN

        def rate(part: float) -> float:
            found = cls.head.rate(one, epsilon=part, neighbours=neighbours)
            if found <= 0:
                raise cls.head.refusal(problem, epsilon=epsilon, delta=0.0, neighbours=neighbours)
            return found

        rough = rate(each * (1.0 - 1e-3))
        noise_size = one.dimension / rough
        tolerance = default_tolerance(one, noise_size)
        radius = _radius(one, tolerance, spherical_error(rate=rough, dimension=one.dimension))
        share = last_share(3.0 * one.dimension * radius / each * weight_reach(one) / noise_size)
        return cls.with_rate(problem, rate=rate(each * (1.0 - share)), tolerance=tolerance, last_epsilon=each * share * _DOWN, neighbours=neighbours)

    @classmethod
    def with_rate(cls, problem: R, *, rate: float, tolerance: float, last_epsilon: float, neighbours: Neighbours) -> Self:
        """The mechanism with this noise, whose last stage (of each noise vector) spends `last_epsilon`."""
        width = one_of(problem).dimension
        error = spherical_error(rate=rate, dimension=width)
        grid = LaplaceGrid.calibrate(radius=_radius(one_of(problem), tolerance, error), dimension=width, epsilon=last_epsilon)
        return cls(rate=rate, tolerance=tolerance, noise_error=error, grid=grid, neighbours=neighbours)

    def promise(self, problem: R) -> PureDP:
        """See the module docstring."""
        effective, apart = self._effective(problem), solved_apart(problem)
        first = self.head.epsilon(one_of(effective), rate=self.rate, neighbours=self.neighbours)
        each = first + self._last(problem, lambda tolerance, error: _radius(one_of(effective), tolerance, error))
        epsilon = each if apart == 1 else apart * each * raising(5)
        return PureDP(epsilon=epsilon, neighbours=self.neighbours, theorem=self.head.theorem(problem, pure=True))

    def weight_noise(self, problem: R) -> float:
        """See LearningMechanism: |b| is about d / beta, and reaches the weights through the inverse of a Hessian of at least lambda."""
        return math.sqrt(solved_apart(problem)) * one_of(problem).dimension / self.rate / self._effective(problem).ridge

    def columns(self, problem: R, data: Records, noise: Noise, count: int) -> Floats:
        """See LearningMechanism."""
        points = minimisers(self._effective(problem), data, self._noise(problem, noise, count), self.tolerance)
        return np.concatenate([self.grid.release(part, noise) for part in np.split(points, solved_apart(problem))])

    def _effective(self, problem: R) -> R:
        """The problem whose objective is perturbed."""
        return problem


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianObjectivePerturbation(GaussianObjective[RegularisedRisk]):
    """Gaussian noise in the objective of two classes; for the logistic loss with lambda >= R^2 / epsilon at the price of one Gaussian mechanism.

    Where the number of records is secret it may be counted first (theorem T4): few records are fitted with more lambda.
    """

    head = MARGIN
    count_scale: float = 0.0
    """s, the scale of the noise of the number of records; 0 where it is not counted."""

    @classmethod
    def counting(cls, problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours, share: float) -> Self:
        """With a noisy number of records for `share` of mu^2; without where nothing follows from it or no proof covers both. Raises as `calibrate`.

        Nothing follows where the number is public or a replaced record keeps it, and where the ridge pulls towards a point.
        """
        target: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}
        secret = problem.domain.records is None and neighbours is ADD_REMOVE and problem.prior is None
        if secret and (scale := scale_of_count(gaussian_mu(epsilon, delta), share)):
            try:
                return cls(**cls.least_noise(problem, **target, beside=1.0 / scale)._asdict(), count_scale=scale, neighbours=neighbours)
            except InfeasibleTarget:
                pass  # what both together are beyond a proof for, one alone may do
        return cls.calibrate(problem, **target)

    @property
    def beside(self) -> float:
        """See TwoStages: of the number of records."""
        return 1.0 / self.count_scale if self.count_scale else 0.0

    def theorem(self, problem: RegularisedRisk) -> str:
        """See TwoStages."""
        return COUNTED_OBJECTIVE if self.count_scale else GaussianObjective.theorem(self, problem)

    def parameters(self) -> dict[str, Json]:
        """See Mechanism; without a scale where nothing is counted."""
        found = GaussianObjective.parameters(self)
        return found if self.count_scale else {name: value for name, value in found.items() if name != "count_scale"}

    def run_many(self, problem: RegularisedRisk, data: Records, noise: Noise, count: int, *, account: Account | None = None) -> Release:
        """See LearningMechanism: nothing is counted, as each of the releases would count the same records."""
        return GaussianObjective.run_many(replace(self, count_scale=0.0), problem, data, noise, count, account=account)

    def draw(self, problem: RegularisedRisk, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        if not self.count_scale:
            return GaussianObjective.draw(self, problem, data, noise)
        counted = noisy_count(data, self.count_scale, noise, largest=problem.max_weight)
        extra = (more_of_few(counted) - 1.0) * problem.ridge
        found = self.columns(replace(problem, ridge=problem.ridge + extra), data, noise, 1)[:, 0]
        return Drawn.of(found, chosen={"counted": counted, "extra_ridge": extra})


@dataclass(frozen=True, slots=True, kw_only=True)
class PureObjectivePerturbation(SphericalObjective[RegularisedRisk]):
    """Spherical noise in the objective of two classes."""

    head = MARGIN
    extra_ridge: float = 0.0
    """Added to lambda before the objective is formed (CMS's n Delta); 0 except under the published calibration."""

    def _effective(self, problem: RegularisedRisk) -> RegularisedRisk:
        return replace(problem, ridge=problem.ridge + self.extra_ridge)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianMultinomialPerturbation(GaussianObjective[MultinomialRisk]):
    """Gaussian noise in the multinomial objective; only the logarithm of K is paid."""

    head = MULTINOMIAL


@dataclass(frozen=True, slots=True, kw_only=True)
class PureMultinomialPerturbation(SphericalObjective[MultinomialRisk]):
    """Spherical noise in the multinomial objective."""

    head = MULTINOMIAL


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianOneVsRest(GaussianObjective[OneVsRestRisk]):
    """Gaussian noise in the objectives of K problems; one last stage for all weights."""

    head = ONE_VS_REST


@dataclass(frozen=True, slots=True, kw_only=True)
class PureOneVsRest(SphericalObjective[OneVsRestRisk]):
    """Spherical noise in the objectives of K problems."""

    head = ONE_VS_REST
