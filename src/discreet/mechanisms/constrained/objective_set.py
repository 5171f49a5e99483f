"""Gaussian objective perturbation over a set (proof note objective_set.md; Talwar, Thakurta and Zhang 2014, Algorithm 2).

    b ~ N(0, sigma^2 I),   theta = argmin_C F + (lambda / 2) |theta|^2 + <b, .>,   released on a grid with discrete Gaussian noise, projected onto C

    delta(epsilon + epsilon_2) <= delta_1(epsilon) + delta_2(epsilon_2)

|theta|^2 may be sum_j w_j theta_j^2 with public w_j >= 1: what is above lambda |theta|^2 / 2 is convex, and free (theorem 4).

delta_1 is that of the problem without the set, whose curve the limit of Kifer, Smith and Thakurta (2012) keeps (theorem 1):

    losses of the margin      T1 (../learning/objective_perturbation.md): for the logistic loss with lambda >= R^2 / epsilon one Gaussian mechanism,
                              where sigma^2 = L^2 (8 log(2 / delta) + 4 epsilon) / epsilon^2 and lambda = 2 c R^2 / epsilon are printed
    many classes              M1 (../learning/multinomial_perturbation.md), for the softmax of K linear functions
    any other smooth loss     both signs of slopes up to B, the bound over C or the one they are clipped to (../regression/prediction.md)

delta_2 pays for the solver's distance (module set_minimiser) and for the rounding of the drawn noise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from discreet.accounting import Json
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import raising
from discreet.data import Domain
from discreet.losses.predictions import LogCosh, OfMargin
from discreet.mechanisms.constrained.base import NOMINAL, ConstrainedMechanism, check_gaussian_target
from discreet.mechanisms.constrained.excess import objective_perturbation
from discreet.mechanisms.constrained.set_minimiser import certified_minimiser, has_certified_projection, largest_factor, planned_tolerance
from discreet.mechanisms.learning.base import MOST_OF_LAST
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.learning.multinomial import Multinomial
from discreet.mechanisms.learning.perturbation import Head, TwoStages, gaussian_plan
from discreet.mechanisms.learning.two_signed import half_problem, two_signed_profile, two_signed_scale
from discreet.noise import Noise
from discreet.objectives import PredictionSum
from discreet.problems import MultinomialRisk, RegularisedRisk, SetRisk
from discreet.problems.softmax_risk import SoftmaxRisk
from discreet.words.constrained import MOST_FACTOR, objective_theorem

_COARSER = 5e-5
"""The recheck takes e^(A + B) where lemma 2 of the residual stage has e^A: the stated delta leaves room for it."""
_LARGEST_SHARE = 0.05
"""Of the budget, for the last stage."""
_RIDGES = (1.5, 2.5, 5.0, 10.0)
"""lambda epsilon / (c R^2) that are compared where nobody chooses, for losses that pay for the Jacobian term whatever lambda is."""
_NEARLY = 0.9
"""Of the width of log-cosh: with slopes up to there its curvature, which dies as they grow, is worth more than a smaller bound of slopes."""
_UP = raising(64)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectivePerturbationOverSet(TwoStages[SetRisk], ConstrainedMechanism):
    """Objective perturbation with Gaussian noise over a set: (epsilon, delta)-private."""

    name = "objective-perturbation-set"
    coarser = _COARSER
    ridge: float
    """lambda: the computed minimiser is within tau / lambda of the exact one."""
    factors: tuple[float, ...] = ()
    """w (dimension,), of each coefficient; empty where all are 1."""

    @classmethod
    def calibrate(
        cls,
        problem: SetRisk,
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        ridge: float | None = None,
        factors: tuple[float, ...] = (),
    ) -> Self:
        """The least noise for (epsilon, delta). `ridge` None takes the least lambda without slack, or the one with the least bound of risk.

        `factors` (dimension,) are what the ridge of each coefficient is multiplied by, at least 1 each; none for 1.
        Raises InvalidInput for losses with a kink, sets without a certified projection and numbers out of range, InfeasibleTarget where lambda is
        too small for any noise.
        """
        check_gaussian_target(epsilon, delta)
        require_certified(problem)
        if problem.constraint.diameter == 0:
            raise InvalidInput("the constraint set is a single point, so there is nothing to learn.")
        require_factors(factors, problem.dimension)
        top = largest_factor(factors)
        chosen_ridge = default_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, top=top) if ridge is None else ridge
        if not (is_finite(chosen_ridge) and chosen_ridge > 0):
            raise InvalidInput(f"ridge must be a positive finite number or None; {ridge!r} was given.")
        if chosen_ridge <= least_ridge(problem, epsilon * (1.0 - _LARGEST_SHARE)):
            raise _refusal(problem, chosen_ridge, epsilon=epsilon, delta=delta, neighbours=neighbours)
        return cls.planned_for(
            problem,
            epsilon=epsilon,
            delta=delta,
            neighbours=neighbours,
            ridge=chosen_ridge,
            factors=factors,
            checked=True,
            scale=lambda part, least: _scale(problem, chosen_ridge, epsilon=part, delta=least, neighbours=neighbours),
        )

    @classmethod
    def planned_for(
        cls,
        problem: SetRisk,
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        ridge: float,
        factors: tuple[float, ...] = (),
        scale: Callable[[float, float], float],
        checked: bool = False,
    ) -> Self:
        """With the noise `scale(epsilon, delta)`, which may be more or less than (epsilon, delta) needs: `promise` says what it is worth."""
        plan = gaussian_plan(
            epsilon=epsilon,
            delta=delta * (1.0 - 2.0 * _COARSER),
            dimension=problem.dimension,
            scale=scale,
            curve=partial(partial, _profile(problem, ridge, neighbours)) if checked else None,
            tolerance=lambda found: planned_tolerance(problem, ridge, found, factors=factors),
            radius=lambda tolerance, error: (tolerance + error) / ridge,
            part=lambda last, found: _part(problem, last, found),
        )
        return cls(**plan._asdict(), ridge=ridge, factors=factors, neighbours=neighbours)

    def parameters(self) -> dict[str, Json]:
        """See Mechanism; the factors where there are any."""
        named = ConstrainedMechanism.parameters(self)
        return named if self.factors else {name: value for name, value in named.items() if name != "factors"}

    def ideal_curve(self, problem: SetRisk) -> Callable[[float], float]:
        """See TwoStages: delta_1."""
        require_certified(problem)
        require_factors(self.factors, problem.dimension)
        return partial(_profile(problem, self.ridge, self.neighbours), self.scale)

    def distance(self, problem: SetRisk, tolerance: float, error: float) -> float:  # noqa: ARG002 - the same for any problem
        """See TwoStages."""
        return (tolerance + error) / self.ridge

    def theorem(self, problem: SetRisk) -> str:
        """See TwoStages."""
        return objective_theorem(problem)

    def risk_bound(self, problem: SetRisk) -> float:
        """Bound of the expected excess of the mean loss (theorem 4.1, and what the last stage adds); for NOMINAL records where n is private."""
        excess = _excess(problem, noise=self.scale, ridge=self.ridge, top=largest_factor(self.factors))
        last = self.grid.step * self.grid.scale * math.sqrt(problem.dimension) + (self.tolerance + self.noise_error) / self.ridge
        return excess / (problem.domain.records or NOMINAL) + problem.gradient_bound * 1.01 * last

    def point(self, problem: SetRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """See ConstrainedMechanism."""
        linear = noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=1)[:, 0]
        distance = self.tolerance / self.ridge
        found = certified_minimiser(problem, objective, ridge=self.ridge, factors=self.factors, linear=linear, distance=distance)
        return problem.constraint.project(self.grid.release(found[:, None], noise)[:, 0])


def require_certified(problem: SetRisk) -> None:
    """Raise InvalidInput for problems that the theorem does not cover, or whose minimiser cannot be certified."""
    reason = why_not(problem)
    if reason:
        raise InvalidInput(f"objective perturbation over a set {reason}; the loss is {problem.loss.name!r}, the set {problem.constraint.name!r}.")


def require_factors(factors: tuple[float, ...], dimension: int) -> None:
    """Raise InvalidInput for factors of a ridge that are not a number from 1 on for each coefficient, or none."""
    if factors and len(factors) != dimension:
        raise InvalidInput(f"penalty_factor needs a number for each of {dimension} coefficients; {len(factors)} were given.")
    if not all(1 <= factor <= MOST_FACTOR for factor in factors):
        raise InvalidInput(
            f"each penalty_factor must lie between 1 and {MOST_FACTOR:g}: 1 is the ridge itself. Divide all by the least, and multiply alpha by it."
        )


def why_not(problem: SetRisk) -> str:
    """Why this mechanism is not for this problem; empty if it is."""
    if not math.isfinite(problem.smoothness):
        return "needs a smooth loss"
    if not has_certified_projection(problem.constraint):
        return "needs a set whose minimiser is certified: an l1, l2, l-infinity, group l2 or nuclear ball, a box, a simplex, a hull of points"
    return ""


def without_set(problem: SetRisk, ridge: float) -> tuple[Head[Any], RegularisedRisk | MultinomialRisk] | None:
    """The problem whose curve is that of this one, without its set, which the limit allows; None where slopes of a prediction have both signs."""
    domain = problem.domain
    rows = Domain(features=domain.dimension, norm_bound=domain.radius, records=domain.records, classes=2, persons=domain.persons)
    if isinstance(problem, SoftmaxRisk):
        return Multinomial(others=True), MultinomialRisk(ridge=ridge, domain=replace(rows, classes=problem.loss.classes))
    if problem.one_signed and isinstance(problem.loss, OfMargin):
        longest = domain.radius * domain.target_bound
        return MARGIN, RegularisedRisk(loss=problem.loss.loss, ridge=ridge, domain=replace(rows, norm_bound=longest))
    return None


def _half(problem: SetRisk, ridge: float) -> RegularisedRisk:
    """The problem without its set the double of whose curve is that of this one, where slopes have both signs."""
    domain, loss, slope = problem.domain, problem.loss, problem.slope_bound
    if isinstance(loss, LogCosh) and slope >= _NEARLY * loss.width:
        kind, width, half_ridge = "log-cosh", max(slope, loss.width), ridge
    else:
        kind, width, half_ridge = "huber", slope, ridge / (problem.smoothness * _UP)
    return half_problem(loss=kind, width=width, radius=domain.radius, ridge=half_ridge, dimension=domain.dimension, persons=domain.persons)


def least_ridge(problem: SetRisk, epsilon: float) -> float:
    """lambda at which the Jacobian term alone uses up epsilon: every feasible one is larger."""
    plain = without_set(problem, 1.0)
    if plain is not None:
        return plain[0].least_ridge(plain[1], epsilon)
    several = problem.persons is not None and problem.persons.rows > 1
    return problem.domain.radius**2 * problem.smoothness / (epsilon if several else math.expm1(min(epsilon, 700.0)))


def default_ridge(problem: SetRisk, *, epsilon: float, delta: float, neighbours: Neighbours, top: float = 1.0) -> float:
    """lambda where nobody chooses one, from public numbers: without slack, or of few the one with the least bound of risk; `top` factor."""
    plain = without_set(problem, 1.0)
    if plain is not None:
        least = epsilon * (1.0 - 2.0 * _LARGEST_SHARE)
        return plain[0].comfortable_ridge(plain[1], epsilon=least, delta=delta, neighbours=neighbours)
    unit = problem.smoothness * problem.domain.radius**2 / epsilon

    def risk(ridge: float) -> float:
        noise = _scale(problem, ridge, epsilon=epsilon * (1.0 - _LARGEST_SHARE), delta=delta * (1.0 - _LARGEST_SHARE), neighbours=neighbours)
        return _excess(problem, noise=noise, ridge=ridge, top=top)

    return min((ridge * unit for ridge in _RIDGES), key=risk)


def _scale(problem: SetRisk, ridge: float, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    plain = without_set(problem, ridge)
    if plain is None:
        return two_signed_scale(_half(problem, ridge), epsilon=epsilon, delta=delta, neighbours=neighbours)
    return plain[0].scale(plain[1], epsilon=epsilon, delta=delta, neighbours=neighbours)


def _profile(problem: SetRisk, ridge: float, neighbours: Neighbours) -> Callable[[float, float], float]:
    """delta_1 of (scale, epsilon)."""
    plain = without_set(problem, ridge)
    return two_signed_profile(_half(problem, ridge), neighbours) if plain is None else plain[0].profile(plain[1], neighbours)


def _excess(problem: SetRisk, *, noise: float, ridge: float, top: float) -> float:
    """Theorem 4.1, on the sum; no coefficient is pulled more than `top` times lambda."""
    constraint = problem.constraint
    return objective_perturbation(
        noise=noise,
        width=constraint.gaussian_width,
        ridge=ridge,
        spread=constraint.l2_radius * math.sqrt(top),
        strong_convexity=ridge,
        dual_width=math.sqrt(problem.dimension),
    )


def _refusal(problem: SetRisk, ridge: float, *, epsilon: float, delta: float, neighbours: Neighbours) -> InfeasibleTarget:
    """The error where the Jacobian term leaves no budget for noise, with what would do."""
    plain = without_set(problem, ridge)
    if plain is not None:
        return plain[0].refusal(plain[1], epsilon=epsilon, delta=delta, neighbours=neighbours)
    records = problem.domain.records
    name, divisor = ("lambda", 1.0) if records is None else ("alpha", float(records))
    least = least_ridge(problem, epsilon) / divisor
    comfortable = default_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours) / divisor
    return InfeasibleTarget(
        f"objective perturbation of {problem.loss.name} over a set needs {name} > {least:.3g} at epsilon={epsilon:g} ({neighbours}); "
        f"{name}={ridge / divisor:.3g} was given. Raise {name} ({comfortable:.3g} is comfortable), raise epsilon, or use mechanism='mirror-descent'."
    )


def _part(problem: SetRisk, last: float, scale: float) -> float:
    """The last stage's share x of mu^2: scale G_C / sqrt(1 - x) is paid for it, and n B R_2 sqrt(d) last / sqrt(x) by it."""
    records = problem.domain.records or NOMINAL
    ratio = records * problem.gradient_bound * math.sqrt(problem.dimension) * last / (scale * problem.constraint.gaussian_width)
    return min(max(ratio ** (2.0 / 3.0), 1e-4), MOST_OF_LAST)
