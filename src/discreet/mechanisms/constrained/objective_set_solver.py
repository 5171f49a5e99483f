"""The minimiser of a strongly convex smooth sum over a set, to a certified distance (proof note objective_set.md, lemma 2).

    H(theta) = F(theta) + (lambda / 2) |theta|^2 + <b, theta>   over C;    p -> p+ = P_C(p - g(p) / L)

If g(p) is within E of grad H(p), L >= the Lipschitz constant of grad H, and the computed p+ is within kappa of the exact projection of the exact
p - g(p) / L, then with v = |p - p+| + kappa the minimiser theta* satisfies

    |p+ - theta*| <= kappa + (2 L v + E) / lambda

Sets whose projection is a formula with a forward error that can be stated: balls of l2, l-infinity and l1, boxes and simplices. Others raise.
"""

import math

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.rounding import raising
from discreet.problems import ConstrainedRisk, PredictionSum
from discreet.problems.prediction_sum import rounding_share
from discreet.sets import Box, Constraint, L1Ball, L2Ball, LInfinityBall, Simplex

_UNIT = 2.0**-53
_MOST = 100_000
_SETS = (L2Ball, LInfinityBall, Box, L1Ball, Simplex)


def has_certified_projection(constraint: Constraint) -> bool:
    """Whether `certified_minimiser` takes this set."""
    return isinstance(constraint, _SETS)


def curvature_of(problem: ConstrainedRisk, records: int, ridge: float) -> float:
    """L."""
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
    records = objective.records
    length = curvature_of(problem, records, ridge)
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
