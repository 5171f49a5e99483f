"""Gaussian objective perturbation over a set (proof note objective_set.md; Talwar, Thakurta and Zhang 2014, Algorithm 2).

    b ~ N(0, sigma^2 I),   theta = argmin_C F + (lambda / 2) |theta|^2 + <b, .>,   released on a grid with discrete Gaussian noise, projected onto C

    delta(epsilon + epsilon_2) <= delta_T1(epsilon) + delta_2(epsilon_2)

delta_T1 is that of the problem without the set (../learning/objective_perturbation.md, theorem T1; the limit of Kifer, Smith and Thakurta 2012): for
the logistic loss with lambda >= R^2 / epsilon one Gaussian mechanism, where the printed constants take sigma^2 = L^2 (8 log(2 / delta) + 4 epsilon) /
epsilon^2 and lambda = 2 c R^2 / epsilon. Losses of the margin only: their slopes keep one sign. delta_2 pays for the solver's distance and for the
rounding of the drawn noise.

The minimiser of a strongly convex smooth sum over a set, to a certified distance (lemma 2):

    H(theta) = F(theta) + (lambda / 2) |theta|^2 + <b, theta>   over C;    p -> p+ = P_C(p - g(p) / L)

If g(p) is within E of grad H(p), L >= the Lipschitz constant of grad H, and the computed p+ is within kappa of the exact projection of the exact
p - g(p) / L, then with v = |p - p+| + kappa the minimiser theta* satisfies

    |p+ - theta*| <= kappa + (2 L v + E) / lambda

Sets whose projection is a formula with a forward error that can be stated: balls of l2, l-infinity and l1, boxes and simplices. Others raise.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from discreet.bounds.geometry import objective_perturbation
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import raising
from discreet.data import Domain
from discreet.losses.predictions import OfMargin
from discreet.matrices import BLOCK_ROWS
from discreet.mechanisms.constrained.base import NOMINAL, ConstrainedMechanism, check_gaussian_target
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.learning.perturbation import TwoStages, gaussian_plan
from discreet.noise import Noise
from discreet.problems import ConstrainedRisk, PredictionSum, RegularisedRisk
from discreet.problems.prediction_sum import rounding_share
from discreet.sets import Box, Constraint, L1Ball, L2Ball, LInfinityBall, Simplex
from discreet.statements.constrained import OBJECTIVE_SET

_ROOM = 8.0
"""Times the rounding errors that the solver's distance must exceed, so that it is always reached."""
_COARSER = 5e-5
"""The recheck takes e^(A + B) where lemma 2 of the residual stage has e^A: the stated delta leaves room for it."""
_SINGLE = 4 * BLOCK_ROWS
"""Most records whose gradient is one matrix product: fewer than planned for must not have more than _ROOM / 2 times the error."""
_LARGEST_SHARE = 0.05
"""Of the budget, for the last stage."""
_UNIT = 2.0**-53
_MOST = 100_000
_SETS = (L2Ball, LInfinityBall, Box, L1Ball, Simplex)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectivePerturbationOverSet(TwoStages[ConstrainedRisk], ConstrainedMechanism):
    """Objective perturbation with Gaussian noise over a set: (epsilon, delta)-private."""

    name = "objective-perturbation-set"
    coarser = _COARSER
    ridge: float
    """lambda: the computed minimiser is within tau / lambda of the exact one."""

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

    def ideal_delta(self, problem: ConstrainedRisk, epsilon: float) -> float:
        """See TwoStages: delta_T1."""
        require_margin_loss(problem)
        return MARGIN.delta(without_set(problem, self.ridge), scale=self.scale, epsilon=epsilon, neighbours=self.neighbours)

    def distance(self, problem: ConstrainedRisk, tolerance: float, error: float) -> float:  # noqa: ARG002 - the same for any problem
        """See TwoStages."""
        return (tolerance + error) / self.ridge

    def theorem(self, problem: ConstrainedRisk) -> str:  # noqa: ARG002 - the same for any problem
        """See TwoStages."""
        return OBJECTIVE_SET

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
    bound = domain.radius * domain.target_bound
    rows = Domain(features=domain.dimension, norm_bound=bound, records=domain.records, classes=2, persons=domain.persons)
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
    rows = records * (1 if problem.persons is None else problem.persons.rows)
    error = gradient_error(problem, rows, ridge=ridge, linear_norm=linear)
    size = problem.constraint.l2_radius + (records * problem.gradient_bound + linear) / length
    slip = 16.0 * 2.0**-53 * (problem.dimension + 8.0) * size
    return _ROOM * (error + 2.0 * length * slip)


def has_certified_projection(constraint: Constraint) -> bool:
    """Whether `certified_minimiser` takes this set."""
    return isinstance(constraint, _SETS)


def curvature_of(problem: ConstrainedRisk, records: float, ridge: float) -> float:
    """L, for so many records, or rows whose weights add up to that."""
    return records * problem.smoothness * problem.domain.radius**2 * raising(4_096) + ridge


def gradient_error(problem: ConstrainedRisk, records: int, *, ridge: float, linear_norm: float) -> float:
    """E: of the sum over the records, and of the two terms that are added to it (three operations each, on numbers that are no larger).

    At points of C + (C - C), where momentum may lead: predictions and norms up to three times those of C.
    """
    smoothness = problem.smoothness
    share = rounding_share(
        records,
        dimension=problem.dimension,
        reach=3.0 * problem.reach * raising(4_096),
        target_bound=problem.domain.target_bound,
        smoothness=smoothness,
        slope_bound=problem.slope_bound,
        single=_SINGLE,
    )
    size = records * problem.gradient_bound + 4.0 * ridge * problem.constraint.l2_radius + linear_norm
    return share * problem.gradient_bound + 16.0 * _UNIT * size


def certified_minimiser(problem: ConstrainedRisk, objective: PredictionSum, *, ridge: float, linear: Floats, distance: float) -> Floats:
    """A point (d,) within `distance` of argmin_C F + ridge |theta|^2 / 2 + <linear, theta>, surely.

    Raises SolverFailure where that is not reached, InvalidInput for other sets.
    """
    set_ = problem.constraint
    if not has_certified_projection(set_):
        raise InvalidInput(f"objective perturbation over a set needs one of {[each.__name__ for each in _SETS]}; {set_.name!r} was given.")
    records, objective = objective.records, replace(objective, single=_SINGLE)
    length = curvature_of(problem, objective.total_weight, ridge)
    error = gradient_error(problem, records, ridge=ridge, linear_norm=float(np.linalg.norm(linear)) * raising(4_096))
    root = math.sqrt(length / ridge)
    momentum = (root - 1.0) / (root + 1.0)
    point = ahead = projection(set_, np.zeros(problem.dimension))[0]
    for _ in range(_MOST):
        gradient = objective.gradient(ahead) + ridge * ahead + linear
        target = ahead - gradient / length
        following, slip = projection(set_, target)
        # The target is rounded: three operations on numbers of these sizes.
        slip += 4.0 * _UNIT * (float(np.linalg.norm(ahead)) + float(np.linalg.norm(gradient)) / length)
        moved = float(np.linalg.norm(ahead - following)) * raising(4_096) + slip
        if (slip + (2.0 * length * moved + error) / ridge) * raising(4_096) <= distance:
            return following
        ahead = following + momentum * (following - point)
        point = following
    raise SolverFailure(
        f"the solver could not certify a distance of {distance:.3g} from the minimiser over the set in dimension {problem.dimension}. "
        "Use a larger ridge."
    )


def projection(constraint: Constraint, point: Floats) -> tuple[Floats, float]:
    """A float vector and a bound of its distance from the exact projection of `point` (d,) onto the set."""
    terms = len(point) + 8
    match constraint:
        case Box():
            return np.clip(point, constraint.lower, constraint.upper), 0.0
        case LInfinityBall(radius=radius):
            return np.clip(point, -radius, radius), 0.0
        case L2Ball(radius=radius):
            norm = float(np.linalg.norm(point))
            inside = norm <= radius * (1.0 - terms * _UNIT)
            return (point.copy(), 0.0) if inside else (point * min(1.0, radius / norm), 4.0 * terms * _UNIT * radius)
        case L1Ball(radius=radius):
            inside = math.fsum(np.abs(point)) <= radius
            found, slip = (np.abs(point), 2.0 * _UNIT * radius) if inside else _thresholded(np.abs(point), radius)
            return np.copysign(found, point), slip
        case Simplex(radius=radius):
            return _thresholded(point, radius)
        case _:
            raise InvalidInput(f"there is no certified projection onto {constraint.name!r}.")


def _thresholded(values: Floats, total: float) -> tuple[Floats, float]:
    """max(values - t, 0) with sum `total`, and its error in l2.

    sum_j max(v_j - t, 0) falls with slope at least 1 in t while it is positive, so a threshold whose sum is off by e is off by at most e; each
    difference is rounded by 2^-53 of itself.
    """
    falling = np.sort(values)[::-1]
    sums = np.cumsum(falling)
    count = 1 + int(np.max(np.flatnonzero(falling * np.arange(1, len(values) + 1) > sums - total), initial=0))
    threshold = (math.fsum(falling[:count]) - total) / count
    found = np.maximum(values - threshold, 0.0)
    rounded = 2.0 * _UNIT * total
    off = abs(math.fsum(found) - total) + rounded + 2.0 * _UNIT * total
    if not found.any():  # the slope is not known then
        return found, math.inf
    return found, math.sqrt(len(values)) * off * raising(4_096) + 2.0 * rounded
