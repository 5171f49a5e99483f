"""Gaussian objective perturbation over a set (proof note objective_set.md; Talwar, Thakurta and Zhang 2014, Algorithm 2).

    b ~ N(0, sigma^2 I),   theta = argmin_C F + (lambda / 2) |theta|^2 + <b, .>,   released on a grid with discrete Gaussian noise, projected onto C

    delta(epsilon + epsilon_2) <= delta_T1(epsilon) + delta_2(epsilon_2)

delta_T1 is that of the problem without the set (../learning/objective_perturbation.md, theorem T1; the limit of Kifer, Smith and Thakurta 2012): for
the logistic loss with lambda >= R^2 / epsilon one Gaussian mechanism, where the printed constants take sigma^2 = L^2 (8 log(2 / delta) + 4 epsilon) /
epsilon^2 and lambda = 2 c R^2 / epsilon. Losses of the margin only: their slopes keep one sign. delta_2 pays for the solver's distance and for the
rounding of the drawn noise.
"""

import math
from dataclasses import dataclass
from typing import Self

from discreet.accounting import ApproximateDP
from discreet.bounds.geometry import objective_perturbation
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.data import Domain
from discreet.losses.predictions import OfMargin
from discreet.mechanisms.base import at_epsilon
from discreet.mechanisms.constrained.base import NOMINAL, ConstrainedMechanism, check_gaussian_target
from discreet.mechanisms.constrained.objective_set_solver import certified_minimiser, curvature_of, gradient_error, has_certified_projection
from discreet.mechanisms.learning.grid import GaussianGrid
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.learning.perturbation import gaussian_plan
from discreet.noise import Noise, gaussian_error
from discreet.problems import ConstrainedRisk, PredictionSum, RegularisedRisk
from discreet.statements.constrained import OBJECTIVE_SET

_ROOM = 8.0
"""Times the rounding errors that the solver's distance must exceed, so that it is always reached."""
_COARSER = 5e-5
"""The recheck takes e^(A + B) where lemma 2 of the residual stage has e^A: the stated delta leaves room for it."""
_LARGEST_SHARE = 0.05
"""Of the budget, for the last stage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectivePerturbationOverSet(ConstrainedMechanism):
    """Objective perturbation with Gaussian noise over a set: (epsilon, delta)-private."""

    name = "objective-perturbation-set"
    scale: float
    """sigma."""
    epsilon: float
    """epsilon at which delta_T1 is evaluated."""
    ridge: float
    """lambda."""
    tolerance: float
    """tau: the computed minimiser is within tau / lambda of the exact one."""
    noise_error: float
    """e, the largest distance of the drawn noise from its ideal."""
    grid: GaussianGrid
    neighbours: Neighbours

    @classmethod
    def calibrate(cls, problem: ConstrainedRisk, *, epsilon: float, delta: float, neighbours: Neighbours, ridge: float | None = None) -> Self:
        """The least noise for (epsilon, delta). `ridge` None takes the least lambda without slack.

        Raises InvalidInput for losses that are none of the margin, clipped slopes, sets without a certified projection and numbers out of range,
        InfeasibleTarget where lambda is too small for any noise.
        """
        check_gaussian_target(epsilon, delta)
        require_margin_loss(problem)
        if ridge is None:
            ridge = MARGIN.comfortable_ridge(
                without_set(problem, 1.0), epsilon=epsilon * (1.0 - 2.0 * _LARGEST_SHARE), delta=delta, neighbours=neighbours
            )
        if not (is_finite(ridge) and ridge > 0):
            raise InvalidInput(f"ridge must be a positive finite number or None; {ridge!r} was given.")
        twin = without_set(problem, ridge)
        if ridge <= MARGIN.least_ridge(twin, epsilon * (1.0 - _LARGEST_SHARE)):
            raise MARGIN.refusal(twin, epsilon=epsilon, delta=delta, neighbours=neighbours)
        plan = gaussian_plan(
            epsilon=epsilon,
            delta=delta,
            dimension=problem.dimension,
            scale=lambda part, least: MARGIN.scale(twin, epsilon=part, delta=least, neighbours=neighbours),
            tolerance=lambda scale: _tolerance(problem, ridge, scale),
            radius=lambda tolerance, error: (tolerance + error) / ridge,
            share=lambda last, scale: _share(problem, last, scale),
            spare=2.0 * _COARSER,
        )
        return cls(**plan._asdict(), ridge=ridge, neighbours=neighbours)

    def guarantee(self, problem: ConstrainedRisk) -> ApproximateDP:
        """See module docstring."""
        require_margin_loss(problem)
        twin = without_set(problem, self.ridge)
        first = MARGIN.delta(twin, scale=self.scale, epsilon=self.epsilon, neighbours=self.neighbours)
        error = max(self.noise_error, gaussian_error(scale=self.scale, dimension=problem.dimension))
        second = self.grid.delta(radius=(self.tolerance + error) / self.ridge, dimension=problem.dimension)
        return at_epsilon(self.epsilon + self.grid.epsilon, first + second * (1.0 + _COARSER), self.neighbours, OBJECTIVE_SET)

    def risk_bound(self, problem: ConstrainedRisk) -> float:
        """Bound of the expected excess of the mean loss (theorem 4.1, and what the last stage adds); for NOMINAL records where n is private."""
        set_ = problem.constraint
        excess = objective_perturbation(
            noise=self.scale,
            width=set_.gaussian_width,
            ridge=self.ridge,
            spread=set_.l2_radius,
            strong_convexity=self.ridge,
            dual_width=math.sqrt(problem.dimension),
        )
        last = self.grid.step * self.grid.scale * math.sqrt(problem.dimension) + (self.tolerance + self.noise_error) / self.ridge
        return excess / (problem.domain.records or NOMINAL) + problem.gradient_bound * 1.01 * last

    def point(self, problem: ConstrainedRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """See ConstrainedMechanism."""
        linear = noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=1)[:, 0]
        found = certified_minimiser(problem, objective, ridge=self.ridge, linear=linear, distance=self.tolerance / self.ridge)
        return problem.constraint.project(self.grid.release(found[:, None], noise)[:, 0])


def require_margin_loss(problem: ConstrainedRisk) -> None:
    """Raise InvalidInput for problems that theorem T1 does not cover, or whose minimiser cannot be certified."""
    reason = why_not(problem)
    if reason:
        raise InvalidInput(f"objective perturbation over a set {reason}; the loss is {problem.loss.name!r}, the set {problem.constraint.name!r}.")


def why_not(problem: ConstrainedRisk) -> str:
    """Why this mechanism is not for this problem; empty if it is."""
    if not isinstance(problem.loss, OfMargin):
        return "needs a loss of the margin, whose slopes keep one sign"
    if problem.slope_bound < problem.loss.lipschitz(problem.reach, problem.domain.target_bound):
        return "takes no clipped slopes, which make another loss (leave max_slope out)"
    if not has_certified_projection(problem.constraint):
        return "needs a set whose projection is certified (balls of l1, l2, l-infinity, boxes, simplices)"
    return ""


def without_set(problem: ConstrainedRisk, ridge: float) -> RegularisedRisk:
    """The problem without its set: theorem T1 is about this one, and the limit keeps its curve."""
    if not isinstance(problem.loss, OfMargin):
        raise InvalidInput("objective perturbation needs a loss of the margin (OfMargin).")
    domain = problem.domain
    rows = Domain(features=domain.dimension, norm_bound=domain.radius * domain.target_bound, records=domain.records, classes=2)
    return RegularisedRisk(loss=problem.loss.loss, ridge=ridge, domain=rows)


def _share(problem: ConstrainedRisk, last: float, scale: float) -> float:
    """The share x of the budget for the last stage: (1 + x) scale G_C is paid for it, and n B R_2 sqrt(d) last / x by it."""
    records = problem.domain.records or NOMINAL
    ratio = records * problem.gradient_bound * math.sqrt(problem.dimension) * last / (scale * problem.constraint.gaussian_width)
    return min(max(math.sqrt(ratio), 1e-3), _LARGEST_SHARE)


def _tolerance(problem: ConstrainedRisk, ridge: float, scale: float) -> float:
    """tau from public numbers: above the rounding errors for this many records, or a million where their number is private."""
    records = problem.domain.records or 1_000_000
    linear = scale * (math.sqrt(problem.dimension) + 12.0)
    length = curvature_of(problem, records, ridge)
    error = gradient_error(problem, records, ridge=ridge, linear_norm=linear)
    size = problem.constraint.l2_radius + (records * problem.gradient_bound + linear) / length
    slip = 16.0 * 2.0**-53 * (problem.dimension + 8.0) * size
    return _ROOM * (error + 2.0 * length * slip)
