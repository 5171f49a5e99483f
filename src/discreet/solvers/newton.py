"""Newton's method, one fit: which directions, by shape alone, and a globally convergent descent along them that stops only at a certified minimiser.

A full step is taken when it leaves a fixed part at most of the smallest gradient norm met so far (which can happen only so often), or when its end
lies in the window of the line search; otherwise the line search shortens or lengthens it, and then G decreases by at least a fixed part of
|grad G|^2, since all matrices used have eigenvalues between the ridge and ridge + c sum_i c_i |x_i|^2. So |grad G| -> 0 for every margin loss, twice
differentiable or not; near the minimum full steps take over. Stopping asks `certified_gradients`, never the computed norm alone: that one is summed
in plain floating-point numbers, and on long tables its rounding error alone can exceed the tolerance, when the certified one, a compensated sum,
does not. So the certificate is also asked for where the computed norm has stopped falling near the tolerance, and the last steps follow the
compensated sum.

Where directions come from is in module `directions`: whatever they are made of (float32, a sample of the records, what was at an earlier point), the
gradient is always float64, and of all records.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats, length
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.workers import single_threaded_algebra
from discreet.solvers.directions import COSTLY, MATRIX_LIMIT, CholeskyDirections, ConjugateDirections, Directions
from discreet.solvers.objective import Objective, Solution, Status, failure

_ENOUGH, _ENOUGH_WHERE_COSTLY = 0.5, 0.75
"""Of the smallest gradient norm met so far: what a full step may leave; the second where a line search costs more than the step after it."""
SIGMA = 0.3
"""Part of the initial slope that a line search may leave."""
_ROUNDS = 100
_ROUGH = 1e-4
"""Tolerance for a sample, over its gradient's norm at zero: less than its minimiser differs from that of all records."""
_POINTS, _TRIED = 500, 64
"""Gradients of a fit at most, and of one that begins at the minimiser of a sample, which seldom takes 30 where that is near."""
_REFINEMENTS = 6
_NEAR = 16.0
"""How many tolerances the rounding error of the computed norm may be, beyond which no certificate is worth its pass."""
_LONG = 1e-3
"""Of a point's length: what is looked along."""
_LIKELY = 0.5
"""A step that shrinks the gradient as the last one did, to this many tolerances or less, is likely the last: its certificate is computed at once."""


def solve(objective: Objective, *, tolerance: float, start: Floats | None = None, by_products: bool = False) -> Solution:
    """The minimiser of `objective` up to a certified gradient norm of `tolerance`, from `start` (d,), or about that of a sample, or zero.

    Newton's method with kept Cholesky factors up to d = MATRIX_LIMIT, with preconditioned conjugate gradients above it, or wherever `by_products`
    says that products with the Hessian are all that is cheap. The linear algebra library is held to one thread: deterministic for one BLAS.
    Raises SolverFailure when the tolerance cannot be certified, InvalidInput for a tolerance or ridge that is not positive.
    """
    check(objective, tolerance)
    with single_threaded_algebra():
        directions = directions_for(objective, by_products=by_products, tolerance=tolerance)
        origin = _near(objective, directions, by_products=by_products) if start is None else start
        if start is None and origin.any():
            with suppress(SolverFailure):
                return minimise(objective, directions, tolerance=tolerance, start=origin, points=_TRIED)
            directions, origin = directions_for(objective, by_products=by_products, tolerance=tolerance), np.zeros_like(origin)
        return minimise(objective, directions, tolerance=tolerance, start=origin)


def _near(objective: Objective, directions: Directions, *, by_products: bool) -> Floats:
    """Where to begin: the minimiser of a sample of the records where there is one, about; else zero. Only the number of passes depends on it.

    A sample may be unlike the rest, and its minimiser further from that of all than zero is: `solve` looks from zero for what is not found from there
    soon, so that a sample never decides whether a table is refused.

    The `directions` learn the curvature there: a Hessian of all records then costs a pass only if that of the sample does not serve.
    """
    origin = np.zeros(objective.dimension)
    sample = objective.sample()
    if sample is None:
        return origin
    inner = directions_for(sample, by_products=by_products)
    start = _near(sample, inner, by_products=by_products)
    steepest = length(sample.gradient(origin, sample.margins(origin)))
    if not 0 < steepest < math.inf:
        return origin
    try:
        point = minimise(sample, inner, tolerance=_ROUGH * steepest, start=start, points=_TRIED).weights
    except SolverFailure:
        return origin
    directions.learn(sample, point, sample.ridge / objective.ridge)
    return point


def directions_for(objective: Objective, *, by_products: bool = False, tolerance: float | None = None) -> Directions:
    """The source of directions that suits the shape; with the `tolerance` that is wanted, of the least cost until then."""
    return ConjugateDirections() if by_products or objective.dimension > MATRIX_LIMIT else CholeskyDirections(tolerance=tolerance)


def check(objective: Objective, tolerance: float) -> None:
    """Refuse what no solver can do."""
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise InvalidInput(f"the tolerance on the gradient norm must be a positive finite number; {tolerance!r} was given.")
    if not (math.isfinite(objective.ridge) and objective.ridge > 0):
        raise InvalidInput(f"solvers need a ridge > 0; {objective.ridge!r} was given.")


def minimise(objective: Objective, directions: Directions, *, tolerance: float, start: Floats, points: int = _POINTS) -> Solution:
    """A Solution with gradient norm certified <= `tolerance`, from `start` (d,), in so many `points`. Raises SolverFailure."""
    point = start
    margins = objective.margins(point)
    gradient = objective.gradient(point, margins)
    norm = best = length(gradient)
    contraction, target, stalled = 1.0, tolerance, False
    enough = _ENOUGH_WHERE_COSTLY if directions.status is Status.NEWTON and objective.hessian_passes[1] > COSTLY else _ENOUGH
    for iteration in range(1, points):
        if not math.isfinite(norm):
            break
        near = norm <= target or (stalled and norm <= _NEAR * tolerance)
        if near:
            finished, certified = _finish(objective, directions, point, margins, tolerance=tolerance)
            if finished is not None:
                return Solution(weights=finished, gradient_norm=certified, iterations=iteration, status=directions.status)
            # Rounding alone is more than the tolerance, so that no point near this one can be certified: further steps would not help.
            if norm <= target and certified - norm > tolerance:
                break
            # Asked too early. A certificate is a pass, so it is asked for again only where the norm leaves room for the rounding that was just seen.
            target = min(0.1 * norm, max(tolerance - (certified - norm), 0.0))
        direction = directions.propose(objective, point, margins, gradient, contraction)
        # Where this step is likely the last, its gradient is computed with its certificate: one pass instead of two.
        move = _move_certified if contraction * norm <= _LIKELY * tolerance else _move
        moved = move(objective, point, margins, gradient, direction, enough=enough * best)
        if moved is None:
            # Rounding hides every step from plain sums: what is left is what compensated ones see, unless they were asked above.
            finished, certified = (None, norm) if near else _finish(objective, directions, point, margins, tolerance=tolerance)
            if finished is not None:
                return Solution(weights=finished, gradient_norm=certified, iterations=iteration, status=directions.status)
            break
        point, moved_margins, gradient, whole, certified = moved
        if certified <= tolerance:
            return Solution(weights=point, gradient_norm=certified, iterations=iteration + 1, status=directions.status)
        margins = objective.margins(point) if moved_margins is None else moved_margins
        previous, norm = norm, length(gradient)
        stalled = norm > 0.5 * best
        # A step that was shortened says nothing of the factor: it counts as one that did badly.
        best, contraction = min(best, norm), norm / previous if whole else 1.0
    raise failure(solver=directions.status.name.lower().replace("_", "-"), tolerance=tolerance, dimension=objective.dimension)


def _finish(objective: Objective, directions: Directions, point: Floats, margins: Floats, *, tolerance: float) -> tuple[Floats | None, float]:
    """A certified point, or None, and its certified gradient norm, or that of `point`: full steps along the compensated gradient."""
    linears = None if objective.linear is None else objective.linear[:, np.newaxis]
    first, last = math.nan, math.inf
    for _ in range(_REFINEMENTS):
        gradients, norms = objective.certified_gradients(point[:, np.newaxis], linears)
        certified = float(norms[0])
        first = certified if math.isnan(first) else first
        if certified <= tolerance:
            return point, certified
        # Also where it is no number.
        if not certified <= 0.9 * last:
            break
        last = certified
        point = point + directions.propose(objective, point, margins, gradients[:, 0], 0.0)
        margins = objective.margins(point)
    return None, first


class _Moved(NamedTuple):
    """The next point."""

    point: Floats
    margins: Floats | None
    gradient: Floats
    whole: bool
    """Whether it is the full step."""
    certified: float = math.inf
    """The certified gradient norm, where it was asked for."""


def _move_certified(objective: Objective, point: Floats, margins: Floats, gradient: Floats, direction: Floats, *, enough: float) -> _Moved | None:
    """As `_move`, for a step that is likely the last one: the gradient comes with its certificate, and no pass more is needed."""
    moved = point + direction
    linears = None if objective.linear is None else objective.linear[:, np.newaxis]
    gradients, norms = objective.certified_gradients(moved[:, np.newaxis], linears)
    if length(gradients[:, 0]) <= enough:
        return _Moved(moved, None, gradients[:, 0], whole=True, certified=float(norms[0]))
    return _move(objective, point, margins, gradient, direction, enough=enough)


def _move(objective: Objective, point: Floats, margins: Floats, gradient: Floats, direction: Floats, *, enough: float) -> _Moved | None:
    """The next point with its margins and gradient; None when rounding hides every step."""
    initial = float(direction @ gradient)
    if not initial < 0:
        return None
    moved, change = point + direction, objective.margins(direction) if _is_looked_along(objective, point, direction) else None
    # The slope at the full step costs no pass where the direction's margins are known, and says whether the gradient there is worth one.
    full = None if change is None else objective.slope_along(1.0, margins, change, *_steady(objective, point, direction))
    if full is None or full <= -SIGMA * initial:
        moved_margins = objective.margins(moved) if change is None else objective.margins_at(moved, margins, change, 1.0)
        moved_gradient = objective.gradient(moved, moved_margins)
        full = float(direction @ moved_gradient)
        if length(moved_gradient) <= enough or SIGMA * initial <= full <= 0:
            return _Moved(moved, moved_margins, moved_gradient, whole=True)
    along = objective.margins(direction) if change is None else change  # not moved_margins - margins, which loses the digits of a short direction
    base, bend = _steady(objective, point, direction)
    step = descend(lambda t: objective.slope_along(t, margins, along, base, bend), initial, full)
    moved = point + step * direction
    if np.array_equal(moved, point):
        return None
    moved_margins = objective.margins(moved) if change is None else objective.margins_at(moved, margins, change, step)
    return _Moved(moved, moved_margins, objective.gradient(moved, moved_margins), whole=False)


def _steady(objective: Objective, point: Floats, direction: Floats) -> tuple[float, float]:
    """(base, bend): the slope of ridge and linear term at t along the direction is base + t bend, without a pass over the records."""
    steady = objective.ridge * point if objective.linear is None else objective.ridge * point + objective.linear
    return float(steady @ direction), objective.ridge * float(direction @ direction)


def _is_looked_along(objective: Objective, point: Floats, direction: Floats) -> bool:
    """Whether slopes along a direction come before the gradient at its end.

    Where passes are what a fit costs, the margins of the direction and of where it starts are all that a line search and its end need, beside one
    product for the gradient there. Not of a short one: sums of margins would add up their errors where these begin to count.
    """
    return objective.hessian_passes[1] > COSTLY and length(direction) > _LONG * length(point)


def descend(slope: Callable[[float], float], initial: float, full: float) -> float:
    """A step t > 0 along a descent direction of a convex function, from one-dimensional slopes alone; 0.0 when rounding hides any.

    With phi(t) = G(w + t v), `slope` is phi', `initial` = phi'(0) < 0, `full` = phi'(1), and the step has -SIGMA |phi'(0)| <= phi'(t) <= 0. Values of
    G, which double precision cannot tell apart near the minimum, are never compared: as phi is convex with phi'' <= M, such a step decreases G by at
    least (1 - SIGMA^2) phi'(0)^2 / (2 M).
    """
    low, slope_low, high, slope_high = 0.0, initial, 1.0, full
    for _ in range(_ROUNDS):
        if slope_high > 0:
            break
        if slope_high >= SIGMA * initial:
            return high
        low, slope_low, high = high, slope_high, high * (4.0 if high >= 1 else 2.0)
        slope_high = slope(high)
    weight_low, weight_high = slope_low, slope_high
    for round_ in range(_ROUNDS):
        if slope_low >= SIGMA * initial:
            break
        part = weight_low / (weight_low - weight_high)
        # False position alone may creep from one side; every third step halves.
        if round_ % 3 == 2:
            part = 0.5
        middle = low + min(max(part, 0.01), 0.99) * (high - low)
        if not low < middle < high:
            break
        at_middle = slope(middle)
        if at_middle <= 0:  # Illinois: halve the slope of an end that stays, so that both ends move
            low, slope_low, weight_low, weight_high = middle, at_middle, at_middle, 0.5 * weight_high
        else:
            high, slope_high, weight_high, weight_low = middle, at_middle, at_middle, 0.5 * weight_low
    return low
