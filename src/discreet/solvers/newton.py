"""Newton's method, one fit: which directions, by shape alone, and a globally convergent descent along them that stops only at a certified minimiser.

A full step is taken when it at least halves the smallest gradient norm met so far (which can happen only so often), or when its end lies in the
window of the line search; otherwise the line search shortens or lengthens it, and then G decreases by at least a fixed part of |grad G|^2, since
all matrices used have eigenvalues between the ridge and ridge + c sum_i c_i |x_i|^2. So |grad G| -> 0 for every margin loss, twice differentiable
or not; near the minimum full steps take over. Stopping asks `certified_gradients`, never the computed norm alone: that one is summed in plain
floating-point numbers, and on long tables its rounding error alone can exceed the tolerance, when the certified one, a compensated sum, does not.
So the certificate is also asked for where the computed norm has stopped falling near the tolerance, and the last steps follow the compensated sum.

Directions come from Cholesky factors that are kept while they serve, or by conjugate gradients. A gradient costs O(n d), a Hessian O(n d^2): the
factor H_0 is kept until the gradient shrinks by less than `KEEP` a step, and what its steps tell of the Hessian here is added to it by limited-memory
BFGS, which costs O(d). Since v = -B^{-1} grad G only has to be a good direction, H_0 may be summed in float32, or from a sample of the records,
whatever precision the minimiser needs: the gradient is always float64, and of all records.
"""

import math
from collections.abc import Callable
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.workers import single_threaded_algebra
from discreet.solvers.objective import Objective, Solution, Status, failure

MATRIX_LIMIT = 3000
"""Largest dimension for which (d, d) Hessians are formed."""
SIGMA = 0.3
"""Part of the initial slope that a line search may leave."""
_ROUNDS = 100
_ROUGH = 1e-4
"""Tolerance for a sample, over its gradient's norm at zero: less than its minimiser differs from that of all records."""
_POINTS = 500
_REFINEMENTS = 6
_NEAR = 16.0
"""How many tolerances the rounding error of the computed norm may be, beyond which no certificate is worth its pass."""
_LIKELY = 0.5
"""A step that shrinks the gradient as the last one did, to this many tolerances or less, is likely the last: its certificate is computed at once."""
KEEP = 0.5
"""Keep the factor while a step multiplies the gradient norm by at most this."""
_POOR = 0.7
"""A fresh factor in float32 that does no better than this is not trusted again."""
_LEVELS = 16
_MEMORY = 12
_PRODUCTS = 1000


class Directions(Protocol):
    """A source of descent directions v with <v, gradient> < 0, typically near minus the inverse Hessian times the gradient."""

    status: ClassVar[Status]
    """What a solution found this way is called."""

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """Take the curvature from a sample of the records, `share` of all, at a point (d,) near its minimiser and theirs; may do nothing."""

    def propose(self, objective: Objective, point: Floats, margins: Floats, gradient: Floats, contraction: float) -> Floats:
        """A direction (d,) at `point`. `contraction` is the last ratio of gradient norms: near 0 if the last step was good, near 1 if not."""


class SecantPairs:
    """Limited-memory BFGS directions for many columns at once, each with its own pairs, all with one initial inverse Hessian; arrays are (d, k).

    With steps s_i and gradient changes y_i = grad(w + s_i) - grad(w), rho_i = 1 / <s_i, y_i>, the two-loop recursion (Nocedal 1980) applies

        B^{-1}_{i+1} = (I - rho_i s_i y_i^T) B^{-1}_i (I - rho_i y_i s_i^T) + rho_i s_i s_i^T,    B^{-1}_0 = H_0^{-1}

    to minus the gradient. <s, y> > 0 for strongly convex functions; a pair that rounding has spoilt is skipped (rho = 0).
    """

    __slots__ = ("_inverse", "_pairs")

    def __init__(self, inverse: Callable[[Floats], Floats]) -> None:
        """`inverse` applies H_0^{-1} to (d, k)."""
        self._inverse = inverse
        self._pairs: list[tuple[Floats, Floats, Floats]] = []

    def directions(self, gradients: Floats) -> Floats:
        """-B^{-1} gradients, shape (d, k)."""
        residual = -gradients
        parts = []
        for step, change, rho in reversed(self._pairs):
            part = rho * _dots(step, residual)
            residual = residual - part * change
            parts.append(part)
        result = self._inverse(residual)
        for (step, change, rho), part in zip(self._pairs, reversed(parts), strict=True):
            result = result + (part - rho * _dots(change, result)) * step
        return result

    def add(self, steps: Floats, changes: Floats) -> None:
        """Remember a step and its change of gradient for every column; forget the oldest beyond the memory."""
        products = _dots(steps, changes)
        sound = products > 1e-14 * np.sqrt(_dots(steps, steps) * _dots(changes, changes))
        rho = np.where(sound, 1.0 / np.where(sound, products, 1.0), 0.0)
        self._pairs = [*self._pairs[-_MEMORY + 1 :], (steps, changes, rho)]

    def keep(self, columns: npt.NDArray[np.bool_]) -> None:
        """Forget all columns but these."""
        self._pairs = [(step[:, columns], change[:, columns], rho[columns]) for step, change, rho in self._pairs]


def _dots(left: Floats, right: Floats) -> Floats:
    return np.einsum("ij,ij->j", left, right)


class CholeskyDirections:
    """Directions -B^{-1} gradient, B the Hessian at an earlier point with the changes of gradient since."""

    __slots__ = ("_fresh", "_last", "_learnt", "_pairs", "_single")
    status: ClassVar[Status] = Status.NEWTON

    def __init__(self, *, single_precision: bool = True) -> None:
        """Start without a factor; `single_precision` allows float32 sums until they disappoint."""
        self._pairs: SecantPairs | None = None
        self._last: tuple[Floats, Floats] | None = None
        self._fresh = self._learnt = False
        self._single = single_precision

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """See Directions: the sample's Hessian over its share, for m records of a well-behaved table within about sqrt(d / m) of that of all."""
        factor, lower = self._factorise(sample, sample.margins(point))
        self._begin((factor / share**0.5, lower))
        self._single, self._learnt = True, True

    def propose(self, objective: Objective, point: Floats, margins: Floats, gradient: Floats, contraction: float) -> Floats:
        """See Directions."""
        stale = contraction > KEEP and not self._learnt  # nothing is known yet of the first step with what was learnt
        self._learnt = False
        if self._pairs is not None and (stale or objective.hessian_at_hand):
            self._single = self._single and not (self._fresh and contraction > _POOR)
            self._pairs = None
        self._fresh = self._pairs is None
        pairs = self._begin(self._factorise(objective, margins)) if self._pairs is None else self._pairs
        if self._last is not None:
            before, slope = self._last
            pairs.add((point - before)[:, np.newaxis], (gradient - slope)[:, np.newaxis])
        self._last = point, gradient
        direction = pairs.directions(gradient[:, np.newaxis])[:, 0]
        if (self._single or not self._fresh) and not (np.all(np.isfinite(direction)) and direction @ gradient < 0):
            self._single, self._pairs = False, None
            return self.propose(objective, point, margins, gradient, contraction)
        return direction

    def _begin(self, factor: tuple[Floats, bool]) -> SecantPairs:
        self._pairs, self._last = SecantPairs(lambda vectors: cho_solve(factor, vectors, check_finite=False)), None
        return self._pairs

    def _factorise(self, objective: Objective, margins: Floats) -> tuple[Floats, bool]:
        curvatures = objective.curvatures(margins)
        if self._single:
            try:
                return cho_factor(objective.hessian(curvatures, single_precision=True), lower=True, overwrite_a=True, check_finite=False)
            except LinAlgError:
                self._single = False
        return positive_factor(objective.hessian(curvatures))


def positive_factor(hessian: Floats) -> tuple[Floats, bool]:
    """Cholesky factor (for cho_solve) of `hessian` (d, d), its diagonal raised a little if rounding has made it indefinite."""
    lift = 0.0
    unit = np.finfo(np.float64).eps * float(np.max(np.diag(hessian)))
    for _ in range(_LEVELS):
        try:
            return cho_factor(hessian + lift * np.eye(len(hessian)) if lift else hessian, lower=True, check_finite=False)
        except LinAlgError:
            lift = max(16.0 * lift, unit * len(hessian))
    return np.diag(np.sqrt(np.diag(hessian))), True


class ConjugateDirections:
    """Directions that solve the Newton equations roughly, by conjugate gradients, for tables too wide for a (d, d) matrix.

    H v = -grad G is solved with products X^T (h * (X v)) + ridge v, preconditioned as the objective proposes, to a residual of
    min(0.1, sqrt(|grad G| / |grad G at the start|)) |grad G| (Dembo, Eisenstat, Steihaug 1982: superlinear convergence). Every iterate of conjugate
    gradients from zero is a descent direction, so stopping early is safe.
    """

    __slots__ = ("_first",)
    status: ClassVar[Status] = Status.CONJUGATE_GRADIENTS

    def __init__(self) -> None:
        """Remember nothing but the norm of the first gradient."""
        self._first: float | None = None

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """See Directions: nothing, the curvature is asked for anew in every step."""

    def propose(self, objective: Objective, point: Floats, margins: Floats, gradient: Floats, contraction: float) -> Floats:  # noqa: ARG002
        """See Directions."""
        norm = float(np.linalg.norm(gradient))
        self._first = norm if self._first is None else max(norm, self._first)
        target = min(0.1, float(np.sqrt(norm / self._first))) * norm
        curvatures = objective.curvatures(margins)
        precondition = objective.preconditioner(curvatures)
        solution = np.zeros_like(gradient)
        residual = -gradient
        scaled = precondition(residual)
        search = scaled.copy()
        energy = float(residual @ scaled)
        for _ in range(_PRODUCTS):
            product = objective.hessian_product(curvatures, search)
            bend = float(search @ product)
            if not bend > 0:
                break
            solution += (energy / bend) * search
            residual -= (energy / bend) * product
            if np.linalg.norm(residual) <= target:
                break
            scaled = precondition(residual)
            energy, previous = float(residual @ scaled), energy
            search = scaled + (energy / previous) * search
        return solution if solution @ gradient < 0 else -precondition(gradient)


def solve(objective: Objective, *, tolerance: float, start: Floats | None = None, by_products: bool = False) -> Solution:
    """The minimiser of `objective` up to a certified gradient norm of `tolerance`, from `start` (d,), or about that of a sample, or zero.

    Newton's method with kept Cholesky factors up to d = MATRIX_LIMIT, with preconditioned conjugate gradients above it, or wherever `by_products`
    says that products with the Hessian are all that is cheap. The linear algebra library is held to one thread: deterministic for one BLAS.
    Raises SolverFailure when the tolerance cannot be certified, InvalidInput for a tolerance or ridge that is not positive.
    """
    check(objective, tolerance)
    with single_threaded_algebra():
        directions = directions_for(objective, by_products=by_products)
        origin = _near(objective, directions, by_products=by_products) if start is None else start
        return minimise(objective, directions, tolerance=tolerance, start=origin)


def _near(objective: Objective, directions: Directions, *, by_products: bool) -> Floats:
    """Where to begin: the minimiser of a sample of the records where there is one, about; else zero. Only the number of passes depends on it.

    The `directions` learn the curvature there: a Hessian of all records then costs a pass only if that of the sample does not serve.
    """
    origin = np.zeros(objective.dimension)
    sample = objective.sample()
    if sample is None:
        return origin
    inner = directions_for(sample, by_products=by_products)
    start = _near(sample, inner, by_products=by_products)
    steepest = float(np.linalg.norm(sample.gradient(origin, sample.margins(origin))))
    if not 0 < steepest < math.inf:
        return origin
    try:
        point = minimise(sample, inner, tolerance=_ROUGH * steepest, start=start).weights
    except SolverFailure:
        return origin
    directions.learn(sample, point, sample.ridge / objective.ridge)
    return point


def directions_for(objective: Objective, *, by_products: bool = False) -> Directions:
    """The source of directions that suits the shape."""
    return ConjugateDirections() if by_products or objective.dimension > MATRIX_LIMIT else CholeskyDirections()


def check(objective: Objective, tolerance: float) -> None:
    """Refuse what no solver can do."""
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise InvalidInput(f"the tolerance on the gradient norm must be a positive finite number; {tolerance!r} was given.")
    if not (math.isfinite(objective.ridge) and objective.ridge > 0):
        raise InvalidInput(f"solvers need a ridge > 0; {objective.ridge!r} was given.")


def minimise(objective: Objective, directions: Directions, *, tolerance: float, start: Floats) -> Solution:
    """A Solution with gradient norm certified <= `tolerance`, from `start` (d,). Raises SolverFailure."""
    point = start
    margins = objective.margins(point)
    gradient = objective.gradient(point, margins)
    norm = best = float(np.linalg.norm(gradient))
    contraction, target, stalled = 1.0, tolerance, False
    for iteration in range(1, _POINTS):
        if not np.isfinite(norm):
            break
        near = norm <= target or (stalled and norm <= _NEAR * tolerance)
        if near:
            finished, certified = _finish(objective, directions, point, margins, tolerance=tolerance)
            if finished is not None:
                return Solution(weights=finished, gradient_norm=certified, iterations=iteration, status=directions.status)
            if norm <= target and certified - norm > tolerance:
                break
            target = min(0.1 * norm, max(tolerance - (certified - norm), 0.0))
        direction = directions.propose(objective, point, margins, gradient, contraction)
        move = _move_certified if contraction * norm <= _LIKELY * tolerance else _move
        moved = move(objective, point, margins, gradient, direction, enough=0.5 * best)
        if moved is None:
            finished, certified = (None, norm) if near else _finish(objective, directions, point, margins, tolerance=tolerance)
            if finished is not None:
                return Solution(weights=finished, gradient_norm=certified, iterations=iteration, status=directions.status)
            break
        point, moved_margins, gradient, whole, certified = moved
        if certified <= tolerance:
            return Solution(weights=point, gradient_norm=certified, iterations=iteration + 1, status=directions.status)
        margins = objective.margins(point) if moved_margins is None else moved_margins
        previous, norm = norm, float(np.linalg.norm(gradient))
        stalled = norm > 0.5 * best
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
    if np.linalg.norm(gradients) <= enough:
        return _Moved(moved, None, gradients[:, 0], whole=True, certified=float(norms[0]))
    return _move(objective, point, margins, gradient, direction, enough=enough)


def _move(objective: Objective, point: Floats, margins: Floats, gradient: Floats, direction: Floats, *, enough: float) -> _Moved | None:
    """The next point with its margins and gradient; None when rounding hides every step."""
    initial = float(direction @ gradient)
    if not initial < 0:
        return None
    moved = point + direction
    moved_margins = objective.margins(moved)
    moved_gradient = objective.gradient(moved, moved_margins)
    full = float(direction @ moved_gradient)
    if np.linalg.norm(moved_gradient) <= enough or SIGMA * initial <= full <= 0:
        return _Moved(moved, moved_margins, moved_gradient, whole=True)
    change = objective.margins(direction)  # not moved_margins - margins, which loses the digits of a short direction
    steady = objective.ridge * point if objective.linear is None else objective.ridge * point + objective.linear
    base, bend = float(steady @ direction), objective.ridge * float(direction @ direction)
    step = descend(lambda t: objective.slope_along(t, margins, change, base, bend), initial, full)
    moved = point + step * direction
    if np.array_equal(moved, point):
        return None
    moved_margins = objective.margins(moved)
    return _Moved(moved, moved_margins, objective.gradient(moved, moved_margins), whole=False)


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
