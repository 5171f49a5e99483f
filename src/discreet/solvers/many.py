"""Many fits of the same records, one for each linear term: G_j(w) = G(w) + <b_j, w>.

The models are columns. One sweep over the row blocks gives all gradients, certified, while a block stays in cache; one Cholesky factor, of the
Hessian H_0 at the minimiser w_0 of G without linear term, gives all first guesses w_0 - H_0^{-1} b_j. Each column then follows its own
limited-memory BFGS directions, with H_0^{-1} as the initial matrix: the `SecantPairs` repair what H_0 misses of the column's own Hessian. A column
whose gradient norm stops shrinking leaves for Newton's method from where it stands, so every column is solved as surely as by `solve`, or
SolverFailure is raised.

Chunks of columns are independent, so `jobs` threads may take them. Where they are cut depends on their number alone, and the linear algebra library
is held to one thread: results are the same, to the last bit, for any number of jobs.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_solve

from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure, quietly
from discreet.core.workers import map_in_order, single_threaded_algebra
from discreet.solvers.directions import MATRIX_LIMIT, SecantPairs, positive_factor
from discreet.solvers.newton import check, directions_for, minimise, solve
from discreet.solvers.objective import Objective, Status, failure

COLUMNS = 64
"""Columns in a chunk: enough for efficient products, few enough that a row block of margins stays in cache."""
_SWEEPS = 24
"""Most sweeps before the columns left over go to Newton's method: by then their sweeps have cost as much as it would."""
_STALLED = 0.5
"""A column that shrinks its gradient norm by less than this factor over `_PATIENCE` sweeps goes to Newton's method."""
_PATIENCE = 3

Solver = Callable[[Floats], Floats]
Part = Callable[[Floats], tuple[Floats, Floats]]
"""Linear terms (d, k) to weights (d, k) and certified gradient norms (k,)."""


def solve_many(objective: Objective, linears: Floats, *, tolerance: float, jobs: int = 1) -> tuple[Floats, Floats]:
    """Minimisers of `objective` + <b_j, w> for the columns b_j of `linears` (d, k).

    Returns weights (d, k) and certified gradient norms (k,), all <= `tolerance`.
    A linear term of `objective` itself is added to every column. `jobs` threads take a chunk each: for objectives of one part, since those of many
    parts spread these over threads. Deterministic. Raises SolverFailure when a column cannot be certified, InvalidInput as `solve` does.
    """
    check(objective, tolerance)
    columns = linears if objective.linear is None else linears + objective.linear[:, np.newaxis]
    plain = objective.with_linear(None)
    weights, norms = np.empty(columns.shape), np.empty(columns.shape[1])
    total = columns.shape[1]
    with single_threaded_algebra():
        solve_part = _alone(plain, tolerance) if objective.dimension > MATRIX_LIMIT else _together(plain, tolerance)
        width = 1 if objective.dimension > MATRIX_LIMIT else COLUMNS
        parts = [slice(first, min(first + width, total)) for first in range(0, total, width)]
        for part, found in zip(parts, map_in_order(lambda part: solve_part(columns[:, part]), parts, jobs), strict=True):
            weights[:, part], norms[part] = found
    return weights, norms


def _alone(plain: Objective, tolerance: float) -> Part:
    """Columns one by one."""

    def solved(linears: Floats) -> tuple[Floats, Floats]:
        found = [solve(plain.with_linear(linear), tolerance=tolerance) for linear in linears.T]
        return np.stack([one.weights for one in found], axis=1), np.array([one.gradient_norm for one in found])

    return solved


def _together(plain: Objective, tolerance: float) -> Part:
    """Columns of a chunk in the same sweeps, from the common minimiser."""
    # the tolerance that a failure there names was chosen from the records: name the caller's
    refusal = failure(solver=Status.NEWTON.name.lower(), tolerance=tolerance, dimension=plain.dimension)
    common, inverse = quietly(lambda: _common(plain, tolerance), refusal, SolverFailure)
    return lambda linears: _solve_chunk(plain, linears, common, inverse, tolerance)


def _common(plain: Objective, tolerance: float) -> tuple[Floats, Solver]:
    """The minimiser without linear term, to three digits or to `tolerance`, whichever is less, and the inverse of the Hessian there."""
    origin = np.zeros(plain.dimension)
    scale = float(np.linalg.norm(plain.gradient(origin, plain.margins(origin))))
    common = minimise(plain, directions_for(plain), tolerance=max(1e-3 * scale, tolerance), start=origin).weights
    factor = positive_factor(plain.hessian(plain.curvatures(plain.margins(common)), single_precision=True))
    return common, lambda vectors: cho_solve(factor, vectors, check_finite=False)


def _solve_chunk(plain: Objective, linears: Floats, common: Floats, inverse: Solver, tolerance: float) -> tuple[Floats, Floats]:
    models = linears.shape[1]
    weights, norms = np.empty_like(linears), np.empty(models)
    active = np.arange(models)
    gradient = plain.gradient(common, plain.margins(common))
    points = common[:, np.newaxis] - inverse(linears + gradient[:, np.newaxis])
    gradients, certified = plain.certified_gradients(points, linears)
    pairs = SecantPairs(inverse)
    history = [certified]
    for sweep in range(_SWEEPS + 1):
        done = certified <= tolerance
        before = history[max(0, sweep - _PATIENCE)] if sweep >= _PATIENCE else np.inf
        stalled = ~done & (~(certified < _STALLED * before) | (sweep == _SWEEPS))
        for index in np.flatnonzero(stalled):
            begin = points[:, index] if np.all(np.isfinite(points[:, index])) else common
            alone = plain.with_linear(linears[:, active[index]])
            solution = minimise(alone, directions_for(alone), tolerance=tolerance, start=begin)
            points[:, index], certified[index] = solution.weights, solution.gradient_norm
        leave, stay = done | stalled, ~(done | stalled)
        if leave.any():
            weights[:, active[leave]], norms[active[leave]] = points[:, leave], certified[leave]
            active, points, gradients = active[stay], points[:, stay], gradients[:, stay]
            history = [past[stay] for past in history]
            pairs.keep(stay)
        if not len(active):
            break
        moved = points + pairs.directions(gradients)
        moved_gradients, certified = plain.certified_gradients(moved, linears[:, active])
        pairs.add(moved - points, moved_gradients - gradients)
        points, gradients = moved, moved_gradients
        history.append(certified)
    return weights, norms
