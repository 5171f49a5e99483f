"""The minimiser of a sum of losses of residuals, a ridge and a linear term, to a certified gradient norm.

    G(w) = sum_i l(<x_i, w> - y_i) + (lambda / 2) |w|^2 + <b, w>,     |w - argmin G| <= |grad G(w)| / lambda

Newton's method. Near the minimum gradients are computed so that their errors do not grow with |w|, and what is returned has a computed gradient whose
norm plus the bound of its error is at most the tolerance, fixed from public numbers; otherwise SolverFailure is raised. With u = 2^-53, gamma_k =
k u / (1 - k u), n records, |x| <= R, |y| <= B, slopes at most a and d + 1 terms in <x, w> - y:

    residual     Dot2 (Ogita, Rump, Oishi 2005, proposition 5.5): off by u |r| + gamma_(d+1)^2 (R |w| + B)
    slope        16 u a of the loss itself; l'' |r| <= a, so u |r| is worth at most 1.01 u a, and l'' <= 1 for the rest
    block sums   of 128 rows, any order: gamma_132 times the sum of |s_i| R
    sum          of blocks and of the two other terms: each correctly rounded (fsum), 8 u times their size
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from discreet.arrays import Floats, two_sum
from discreet.data import RealDataset
from discreet.designs.clipped import entry_chunks
from discreet.errors import SolverFailure
from discreet.losses.predictions import PredictionLoss
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.problems.rounding import UNIT, chunks, gamma

_MOST = 300
_HALVINGS = 40
_BLOCK = 128
_SPLITTER = 2.0**27 + 1.0
_NEAR = 1e-7
"""Of n a R: a gradient that short is computed again, accurately."""


def gradient_error(problem: LeastSquares, *, records: int, width: float, ridge: float, length: float, linear: float) -> float:
    """Bound of the error of `accurate_gradient` over `records` records at |w| <= `length`, the terms ridge w and |b| <= `linear` included."""
    domain = problem.domain
    slope = 17.1 * UNIT * width + gamma(domain.dimension + 1) ** 2 * (domain.radius * length + domain.target_bound) * 1.01
    of_records = records * domain.radius * (slope + gamma(_BLOCK + 4) * width)
    size = records * width * domain.radius + ridge * length + linear
    return (of_records + 8.0 * UNIT * size) * (1.0 + 2.0**-20)


def longest(problem: LeastSquares, *, records: int, width: float, ridge: float, linear: float) -> float:
    """A bound of |argmin G| for |b| <= `linear`: G there is at most G(0), and l(r) <= a |r|."""
    return (math.sqrt(2.0 * records * width * problem.domain.target_bound / ridge) + 2.0 * linear / ridge) * (1.0 + 2.0**-40)


def certified_minimiser(
    problem: LeastSquares,
    data: RealDataset,
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
    design, targets, records = data.design, data.targets, len(data.targets)
    near, pull = _NEAR * max(records, 1) * width * problem.domain.radius, float(np.linalg.norm(linear)) * (1.0 + 1e-12)

    def height(at: Floats, predicted: Floats) -> float:
        parts = (float(loss.value(predicted[rows], targets[rows]).sum()) for rows in chunks(records))
        return math.fsum(parts) + 0.5 * ridge * float(at @ at) + float(linear @ at)

    def gradient(at: Floats, predicted: Floats) -> Floats:
        return design.rmatvec(loss.slope(predicted, targets)) + ridge * at + linear

    point = np.zeros(problem.domain.dimension)
    predictions = design.matvec(point)
    slope, value = gradient(point, predictions), height(point, predictions)
    for _ in range(_MOST):
        if float(np.linalg.norm(slope)) <= max(near, tolerance):
            slope = accurate_gradient(data, point, loss=loss) + ridge * point + linear
            length = float(np.linalg.norm(point)) * (1.0 + 1e-12)
            error = gradient_error(problem, records=records, width=width, ridge=ridge, length=length, linear=pull)
            if float(np.linalg.norm(slope)) * (1.0 + 1e-12) + error <= tolerance:
                return point
        hessian = np.array(design.gram(curvature(loss.slope(predictions, targets))), dtype=np.float64)
        hessian[np.diag_indices_from(hessian)] += ridge
        direction = cho_solve(cho_factor(hessian), slope)
        fall, step, size = float(slope @ direction), 1.0, float(np.linalg.norm(slope))
        for _ in range(_HALVINGS):
            following = point - step * direction
            predicted = design.matvec(following)
            reached, found = height(following, predicted), gradient(following, predicted)
            # Near the minimum values differ by rounding errors only, and so may gradients.
            if reached <= value - 0.1 * step * fall or (reached <= value + 1e-9 * abs(value) and float(np.linalg.norm(found)) <= max(size, near)):
                break
            step *= 0.5
        else:
            break
        point, predictions, slope, value = following, predicted, found, reached
    raise SolverFailure(
        f"the minimiser could not be certified to a gradient norm of {tolerance:.3g}. The budget counts as spent; take mechanism='refined'."
    )


def accurate_gradient(data: RealDataset, point: Floats, *, loss: PredictionLoss) -> Floats:
    """sum_i l'(<x_i, w> - y_i) x_i, (d,)."""
    parts = [np.zeros((1, len(point)))]
    for rows, entries in entry_chunks(data.design):
        residual = accurate_residuals(entries, data.targets[rows], point)
        slopes = loss.slope(residual, np.zeros_like(residual))
        padding = -len(slopes) % _BLOCK
        blocks = np.concatenate((entries, np.zeros((padding, entries.shape[1])))).reshape(-1, _BLOCK, entries.shape[1])
        parts.append((np.concatenate((slopes, np.zeros(padding))).reshape(-1, 1, _BLOCK) @ blocks)[:, 0])
    return np.array([math.fsum(column) for column in np.concatenate(parts).T])


def accurate_residuals(rows: Floats, targets: Floats, point: Floats) -> Floats:
    """<x_i, w> - y_i (n,) for `rows` (n, d), by the compensated product Dot2."""
    high = -targets
    low = np.zeros_like(high)
    for column, weight in zip(rows.T, point.tolist(), strict=True):
        product, rest = _two_product(column, weight)
        high, error = two_sum(high, product)
        low += rest + error
    total: Floats = high + low
    return total


def _two_product(column: Floats, weight: float) -> tuple[Floats, Floats]:
    """Products and their rounding errors (Veltkamp, Dekker)."""
    product = column * weight
    first, second = _split(column), _split(np.full(1, weight))
    rest = first[1] * second[1] - (((product - first[0] * second[0]) - first[1] * second[0]) - first[0] * second[1])
    return product, rest


def _split(numbers: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLITTER * numbers
    high = scaled - (scaled - numbers)
    return high, numbers - high
