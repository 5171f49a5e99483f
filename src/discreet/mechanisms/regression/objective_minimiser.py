"""The minimiser of a sum of losses of residuals, a ridge and a linear term, to a certified gradient norm.

    G(w) = sum_i l(<x_i, w> - y_i) + (lambda / 2) |w|^2 + <b, w>,     |w - argmin G| <= |grad G(w)| / lambda

Newton's method, on sums over the blocks of a table (module `residual_sums`), wherever they are. Near the minimum gradients are computed so that their
errors do not grow with |w|, and what is returned has a computed gradient whose norm plus the bound of its error is at most the tolerance, fixed from
public numbers; otherwise SolverFailure is raised. With u = 2^-53, gamma_k = k u / (1 - k u), n records, |x| <= R, |y| <= B, slopes at most a and
d + 1 terms in <x, w> - y:

    residual     Dot2 (Ogita, Rump, Oishi 2005, proposition 5.5): off by u |r| + gamma_(d+1)^2 (R |w| + B)
    slope        16 u a of the loss itself; l'' |r| <= a, so u |r| is worth at most 1.01 u a, and l'' <= 1 for the rest
    products     of 128 rows, any order: gamma_132 times the sum of |s_i| R
    sums         of products in a block, of blocks, and of the two other terms: each correctly rounded (fsum), 8 u times their size, of which they
                 take 6
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure
from discreet.core.rounding import raising
from discreet.data import Records
from discreet.losses.predictions import PredictionLoss
from discreet.mechanisms.regression.residual_sums import BLOCK, Evaluated, accurate_gradient, evaluated
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.problems.rounding import UNIT, gamma

_MOST = 300
_HALVINGS = 40
_NEAR = 1e-7
"""Of n a R: a gradient that short is computed again, accurately."""


def gradient_error(problem: LeastSquares, *, records: int, width: float, ridge: float, length: float, linear: float) -> float:
    """Bound of the error of `accurate_gradient` over `records` records at |w| <= `length`, the terms ridge w and |b| <= `linear` included."""
    domain = problem.domain
    slope = 17.1 * UNIT * width + gamma(domain.dimension + 1) ** 2 * (domain.radius * length + domain.target_bound) * 1.01
    of_records = records * domain.radius * (slope + gamma(BLOCK + 4) * width)
    size = records * width * domain.radius + ridge * length + linear
    return (of_records + 8.0 * UNIT * size) * (1.0 + 2.0**-20)


def longest(problem: LeastSquares, *, records: int, width: float, ridge: float, linear: float) -> float:
    """A bound of |argmin G| for |b| <= `linear`: G there is at most G(0), and l(r) <= a |r|."""
    return (math.sqrt(2.0 * records * width * problem.domain.target_bound / ridge) + 2.0 * linear / ridge) * raising(4_096)


def certified_minimiser(
    problem: LeastSquares,
    data: Records,
    *,
    loss: PredictionLoss,
    curvature: Callable[[Floats], Floats],
    width: float,
    ridge: float,
    linear: Floats,
    tolerance: float,
) -> Floats:
    """A point (d,) with |grad G| <= tolerance, rounding errors included; `curvature` maps slopes, of at most `width`, to second derivatives.

    Raises SolverFailure where that cannot be certified.
    """
    records = data.records
    near, pull = _NEAR * max(records, 1) * width * problem.domain.radius, float(np.linalg.norm(linear)) * raising(4_096)

    def reach(at: Floats, *, hessian: bool) -> Evaluated:
        """G, its gradient, and its Hessian where it is asked for: one pass."""
        found = evaluated(data, at, loss=loss, curvature=curvature, hessian=hessian)
        value = found.value + 0.5 * ridge * float(at @ at) + float(linear @ at)
        matrix = None if found.hessian is None else found.hessian + ridge * np.eye(len(at))
        return Evaluated(value, found.gradient + ridge * at + linear, matrix)

    point = np.zeros(problem.domain.dimension)
    here, before = reach(point, hessian=True), math.inf
    for _ in range(_MOST):
        value, slope, hessian = here
        if float(np.linalg.norm(slope)) <= max(near, tolerance):
            slope = accurate_gradient(data, point, loss=loss) + ridge * point + linear
            length = float(np.linalg.norm(point)) * raising(4_096)
            error = gradient_error(problem, records=records, width=width, ridge=ridge, length=length, linear=pull)
            if float(np.linalg.norm(slope)) * raising(4_096) + error <= tolerance:
                return point
        if hessian is None:
            hessian = reach(point, hessian=True).hessian
        direction = cho_solve(cho_factor(np.asarray(hessian)), slope)
        fall, step, size = float(slope @ direction), 1.0, float(np.linalg.norm(slope))
        # Errors of Newton's method square: what the next gradient should be decides whether a Hessian will be wanted there.
        wanted = before == math.inf or size**3 > 0.1 * near * before**2
        for _ in range(_HALVINGS):
            following = point - step * direction
            found = reach(following, hessian=wanted)
            # Near the minimum values differ by rounding errors only, and so may gradients.
            if found.value <= value - 0.1 * step * fall or (
                found.value <= value + 1e-9 * abs(value) and float(np.linalg.norm(found.gradient)) <= max(size, near)
            ):
                break
            step *= 0.5
        else:
            break
        point, here, before = following, found, size
    raise SolverFailure(
        f"the minimiser could not be certified to a gradient norm of {tolerance:.3g}. The budget counts as spent; take mechanism='refined'."
    )
