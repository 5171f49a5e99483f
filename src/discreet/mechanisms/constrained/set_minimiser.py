"""The minimiser of a strongly convex smooth sum over a set, to a certified distance (proof note objective_set.md, lemmas 2 to 5).

    H(theta) = F(theta) + (lambda / 2) sum_j w_j theta_j^2 + <b, theta>   over C,  w_j >= 1;    p -> p+ = P_C(p - g(p) / L)

If g(p) is within E of grad H(p), L >= the Lipschitz constant of grad H, and the computed p+ is within kappa of the exact projection of the exact
p - g(p) / L, then with v = |p - p+| + kappa the minimiser theta* satisfies

    |p+ - theta*| <= kappa + (2 L v + E) / lambda                                                    (lemma 2)

Sets whose projection has a forward error that can be stated, or measured: balls of l2, l-infinity, l1, group l2 and nuclear norms, boxes, simplices,
and these scaled or moved. Over the hull of given points nothing linear can be stated; there the gap is certified, at the price of a square root:

    |p+ - theta*|^2 <= max_i <grad H(p+), p+ - v_i> / lambda                                         (lemma 5)

Others raise. Slopes of a prediction are those of `PredictionSum`: clipped, so that F has bounded slopes outside of C too, where momentum leads.
Those of a softmax are bounded everywhere, and taken as they are.
"""

import math
from dataclasses import replace

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.rounding import gamma, raising
from discreet.matrices import BLOCK_ROWS
from discreet.objectives import PredictionSum
from discreet.problems import SetRisk
from discreet.sets import Box, Constraint, ConvexHull, GroupL2Ball, L1Ball, L2Ball, LInfinityBall, NuclearBall, Scaled, Simplex, Translated
from discreet.sets.group_balls import block_norms, spread

_ROOM, _GAP_ROOM = 8.0, 64.0
"""Times the rounding errors that the distance (its square, over a hull) must exceed, so that it is always reached."""
_SINGLE = 4 * BLOCK_ROWS
"""Most records whose gradient is one matrix product: fewer than planned for must not have more than _ROOM / 2 times the error."""
_UNIT = 2.0**-53
_UP = raising(4_096)
_MOST = 100_000
_SETS = (L2Ball, LInfinityBall, Box, L1Ball, Simplex, GroupL2Ball, NuclearBall)


def has_certified_projection(constraint: Constraint) -> bool:
    """Whether `certified_minimiser` takes this set."""
    if isinstance(constraint, Scaled | Translated):
        return not isinstance(constraint.base, ConvexHull) and has_certified_projection(constraint.base)
    return isinstance(constraint, (*_SETS, ConvexHull))


def curvature_of(problem: SetRisk, records: float, ridge: float) -> float:
    """L, for so many records, or rows whose weights add up to that; `ridge` of the coefficient that is pulled most."""
    return records * problem.smoothness * problem.domain.radius**2 * _UP + ridge


def largest_factor(factors: tuple[float, ...]) -> float:
    """The most that a coefficient is pulled, in units of lambda."""
    return max(factors, default=1.0)


def gradient_error(problem: SetRisk, records: int, *, ridge: float, linear_norm: float) -> float:
    """E: of the sum over the records, and of the two terms that are added to it (three operations each, on numbers that are no larger).

    `ridge` is that of the coefficient that is pulled most.

    At points of C + (C - C), where momentum may lead: predictions and norms up to three times those of C. Slopes there are off by a share of what
    they would be if they were not clipped.
    """
    share = problem.error_share(records, single=_SINGLE, beyond=True)
    size = records * problem.gradient_bound + 4.0 * ridge * problem.constraint.l2_radius + linear_norm
    return share * problem.gradient_bound + 16.0 * _UNIT * size


def planned_tolerance(problem: SetRisk, ridge: float, scale: float, *, factors: tuple[float, ...] = ()) -> float:
    """tau from public numbers: above the rounding errors for this many records, or a million where their number is private.

    Of noise whose norm exceeds sigma (sqrt(d) + 12) with a probability below e^-72.
    """
    records = problem.domain.records or 1_000_000
    linear = scale * (math.sqrt(problem.dimension) + 12.0)
    most = ridge * largest_factor(factors)
    length = curvature_of(problem, records, most)
    rows = records * (1 if problem.persons is None else problem.persons.rows)
    error = gradient_error(problem, rows, ridge=most, linear_norm=linear)
    constraint = problem.constraint
    if isinstance(constraint, ConvexHull):
        steepest = records * problem.gradient_bound + most * constraint.l2_radius + linear
        gap = _gap_error(constraint, steepest=steepest, error=error, length=length)
        return math.sqrt(_GAP_ROOM * gap * ridge) + _ROOM * ridge * _mixed(constraint)
    size = constraint.l2_radius + (records * problem.gradient_bound + linear) / length
    slip = 16.0 * _UNIT * (problem.dimension + 8.0) * size
    return _ROOM * (error + 2.0 * length * slip)


def certified_minimiser(
    problem: SetRisk, objective: PredictionSum, *, ridge: float, factors: tuple[float, ...] = (), linear: Floats, distance: float
) -> Floats:
    """A point (d,) within `distance` of argmin_C F + ridge |theta|^2 / 2 + <linear, theta>, surely.

    With `factors` (d,), numbers >= 1, theta_j^2 counts so many times. Raises SolverFailure where that is not reached, InvalidInput for other sets.
    """
    constraint = problem.constraint
    if not has_certified_projection(constraint):
        raise InvalidInput(f"objective perturbation over a set needs one whose projection is certified; {constraint.name!r} was given.")
    records, objective = objective.records, replace(objective, each=objective.each.unclipped, single=_SINGLE)
    # Rounded products of a factor that is at least 1 are at least lambda.
    ridges: Floats = ridge * np.array(factors or (1.0,))
    most = float(ridges.max())
    length = curvature_of(problem, objective.total_weight, most)
    error = gradient_error(problem, records, ridge=most, linear_norm=float(np.linalg.norm(linear)) * _UP)
    root = math.sqrt(length / ridge)
    momentum = (root - 1.0) / (root + 1.0)

    def slope(at: Floats) -> Floats:
        found: Floats = objective.gradient(at) + ridges * at + linear
        return found

    point = ahead = projection(constraint, np.zeros(problem.dimension))[0]
    for _ in range(_MOST):
        gradient = slope(ahead)
        target = ahead - gradient / length
        following, slip = projection(constraint, target)
        # The target is rounded: three operations on numbers of these sizes.
        slip += 4.0 * _UNIT * (float(np.linalg.norm(ahead)) + float(np.linalg.norm(gradient)) / length)
        moved = float(np.linalg.norm(ahead - following)) * _UP + slip
        if isinstance(constraint, ConvexHull):
            near = length * moved * constraint.diameter <= ridge * distance**2  # else the gap need not be looked at
            reached = _by_gap(constraint, following, slope(following), error=error, length=length, ridge=ridge) if near else math.inf
        else:
            reached = (slip + (2.0 * length * moved + error) / ridge) * _UP
        if reached <= distance:
            return following
        ahead = following + momentum * (following - point)
        point = following
    raise SolverFailure(
        f"the solver could not certify a solution within {distance:.3g} of the minimiser over the set (dimension {problem.dimension}). Use "
        "a larger ridge."
    )


def _mixed(constraint: ConvexHull) -> float:
    """How far a computed mixture of the vertices is from one whose weights add up to 1 exactly."""
    return 2.0 * (constraint.vertex_count + 8.0) * _UNIT * constraint.l2_radius


def _gap_error(constraint: ConvexHull, *, steepest: float, error: float, length: float) -> float:
    """By how much a gap may be larger than it is computed; gradients of norm at most `steepest`."""
    mixed, products = _mixed(constraint), 2.0 * gamma(constraint.dimension + 4) * constraint.l2_radius
    return ((error + length * mixed) * (constraint.diameter + mixed) + steepest * (mixed + products)) * _UP


def _by_gap(constraint: ConvexHull, point: Floats, gradient: Floats, *, error: float, length: float, ridge: float) -> float:
    """Lemma 5: a bound of the distance of `point` from the minimiser; `gradient` is computed there."""
    gap = max(0.0, float(gradient @ point) - float(constraint.vertex_scores(gradient).min()))
    steepest = float(np.linalg.norm(gradient)) * _UP
    return (_mixed(constraint) + math.sqrt((gap + _gap_error(constraint, steepest=steepest, error=error, length=length)) / ridge)) * _UP


def projection(constraint: Constraint, point: Floats) -> tuple[Floats, float]:
    """A float vector and a bound of its distance from the exact projection of `point` (d,) onto the set; over a hull 0, as lemma 5 asks for none."""
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
            found, slip = _shrunk(np.abs(point), radius)
            return np.copysign(found, point), slip
        case Simplex(radius=radius):
            return _thresholded(point, radius)
        case _:
            return _other_projection(constraint, point)


def _other_projection(constraint: Constraint, point: Floats) -> tuple[Floats, float]:
    match constraint:
        case GroupL2Ball():
            return _of_groups(constraint, point)
        case NuclearBall():
            return _of_singular_values(constraint, point)
        case Scaled(base=base, factor=factor):
            found, slip = projection(base, point / factor)
            rounded = 2.0 * _UNIT * (float(np.linalg.norm(point)) + constraint.l2_radius)
            return found * factor, (slip * factor + rounded) * _UP
        case Translated(base=base, centre=centre):
            found, slip = projection(base, point - centre)
            rounded = 2.0 * _UNIT * (float(np.linalg.norm(point)) + float(np.linalg.norm(centre)) + constraint.l2_radius)
            return found + centre, (slip + rounded) * _UP
        case ConvexHull():
            return constraint.project(point), 0.0
        case _:
            raise InvalidInput(f"there is no certified projection onto {constraint.name!r}.")


def _of_groups(ball: GroupL2Ball, point: Floats) -> tuple[Floats, float]:
    """Lemma 3: block norms and shares of them are off by a share of themselves."""
    norms, relative = block_norms(point, ball.sizes), (max(ball.sizes) + 8) * _UNIT
    lengths, slip = _shrunk(norms, ball.radius)
    shares: Floats = np.divide(lengths, norms, out=np.zeros_like(norms), where=norms > 0.0)
    return point * spread(shares, ball.sizes), (slip + relative * (float(np.linalg.norm(norms)) + 2.0 * ball.radius)) * _UP


def _of_singular_values(ball: NuclearBall, point: Floats) -> tuple[Floats, float]:
    """Lemma 4: what is computed is no singular value decomposition of the matrix, but one of a matrix near it; how near is measured."""
    matrix = ball.matrix(point)
    try:
        left, values, right = np.linalg.svd(matrix, full_matrices=False)
    except np.linalg.LinAlgError:  # as far as anybody knows nothing was found
        return np.zeros_like(point), math.inf
    count, size, total = len(values), float(np.linalg.norm(values)), float(values.sum())
    defects = [float(np.linalg.norm(vectors.T @ vectors - np.eye(count))) + gamma(max(matrix.shape) + 4) * 2.0 * count for vectors in (left, right.T)]
    askew = 2.0 * (defects[0] + defects[1]) * _UP
    if askew > 0.5:
        return np.zeros_like(point), math.inf
    rest = matrix - (left * values) @ right
    backward = float(np.linalg.norm(rest)) + gamma(count + 4) * 2.0 * (total + float(np.linalg.norm(matrix))) + askew * size
    lengths, slip = _shrunk(values, ball.radius)
    forward = (askew + gamma(count + 4) * 2.0) * ball.radius * 2.0
    return ((left * lengths) @ right).ravel(), (backward + slip + forward) * _UP


def _shrunk(magnitudes: Floats, radius: float) -> tuple[Floats, float]:
    """The nearest magnitudes with sum at most `radius`, and their error in l2; `magnitudes` (m,) >= 0."""
    if math.fsum(magnitudes) <= radius:
        return magnitudes, 2.0 * _UNIT * radius
    return _thresholded(magnitudes, radius)


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
    return found, math.sqrt(len(values)) * off * _UP + 2.0 * rounded
