"""One fit: which solver, by shape alone."""

import math

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.solvers.cholesky import CholeskyDirections
from discreet.solvers.conjugate import ConjugateDirections
from discreet.solvers.descent import minimise
from discreet.solvers.objective import Directions, Objective, Solution

_ROUGH = 1e-4
"""Tolerance for a sample, over its gradient's norm at zero: less than its minimiser differs from that of all records."""
MATRIX_LIMIT = 3000
"""Largest dimension for which (d, d) Hessians are formed."""


def solve(objective: Objective, *, tolerance: float, start: Floats | None = None, by_products: bool = False) -> Solution:
    """The minimiser of `objective` up to a certified gradient norm of `tolerance`, from `start` (d,), or about that of a sample, or zero.

    Newton's method with kept Cholesky factors up to d = MATRIX_LIMIT, with preconditioned conjugate gradients above it, or wherever `by_products`
    says that products with the Hessian are all that is cheap. Deterministic for one BLAS and
    number of threads. Raises SolverFailure when the tolerance cannot be certified, InvalidInput for a tolerance or ridge that is not positive.
    """
    check(objective, tolerance)
    directions = _directions(objective, by_products=by_products)
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
    inner = _directions(sample, by_products=by_products)
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


def _directions(objective: Objective, *, by_products: bool) -> Directions:
    return ConjugateDirections() if by_products else directions_for(objective)


def directions_for(objective: Objective) -> Directions:
    """The source of directions that suits the shape."""
    return CholeskyDirections() if objective.dimension <= MATRIX_LIMIT else ConjugateDirections()


def check(objective: Objective, tolerance: float) -> None:
    """Refuse what no solver can do."""
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise InvalidInput(f"the tolerance on the gradient norm must be a positive finite number; {tolerance!r} was given.")
    if not (math.isfinite(objective.ridge) and objective.ridge > 0):
        raise InvalidInput(f"solvers need a ridge > 0; {objective.ridge!r} was given.")
