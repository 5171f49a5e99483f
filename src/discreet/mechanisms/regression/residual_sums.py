"""Sums of losses of residuals over the blocks of a table, wherever they are: what a minimiser asks for, one pass each.

    F(w) = sum_i l(r_i),   grad F = sum_i l'(r_i) x_i,   hess F = sum_i l''(r_i) x_i x_i',      r_i = <x_i, w> - y_i

`evaluated` brings the first two, and the third where it is wanted, from rows that are in the processor's caches; it gives directions and no proof.
`accurate_gradient` is what is certified: its errors do not grow with |w|, since residuals are compensated products (Dot2) and sums are correctly
rounded (module `objective_minimiser` adds the errors up). In Dot2 the errors of products and additions are summed apart. Additions are nested in
pairs here, D = ceil(log2 n) deep for n = d + 1 terms: every error is at most u times a partial sum, and all of them together are rounded by at most
(2 n - 3 + D (D + 1) / 2) u^2 times the sum of absolute values, below the n^2 u^2 of additions in the order of the columns: the bound stays.

What is done to a block is a function of the block and of public numbers, so that it may travel to where the block is; sums are added up in the order
of the blocks, and are the same for any number of threads.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats, two_sum
from discreet.data import Records
from discreet.losses.predictions import PredictionLoss
from discreet.matrices.clipped import entry_chunks

BLOCK = 128
"""Rows of one product in an accurate gradient."""
_SPLITTER = 2.0**27 + 1.0
_NUMBERS = 1 << 14
"""Of a table, whose products are compensated at a time: what is written on the way stays in the processor's caches."""


class Evaluated(NamedTuple):
    """At one point."""

    value: float
    gradient: Floats
    """(d,)."""
    hessian: Floats | None
    """(d, d), where it was wanted."""


def evaluated(data: Records, point: Floats, *, loss: PredictionLoss, curvature: Callable[[Floats], Floats], hessian: bool) -> Evaluated:
    """F, its gradient and perhaps its Hessian at `point` (d,); `curvature` maps slopes to second derivatives."""
    work = partial(_evaluated, point=point, loss=loss, curvature=curvature, hessian=hessian)
    total = Evaluated(0.0, np.zeros(len(point)), None)
    for block in data.map(work):
        matrix = block.hessian if total.hessian is None or block.hessian is None else total.hessian + block.hessian
        total = Evaluated(total.value + block.value, total.gradient + block.gradient, matrix)
    return total


def accurate_gradient(data: Records, point: Floats, *, loss: PredictionLoss) -> Floats:
    """grad F at `point`, (d,)."""
    return _rounded_sum(np.array(list(data.map(partial(_accurate, point=point, loss=loss)))))


def accurate_residuals(rows: Floats, targets: Floats, point: Floats) -> Floats:
    """<x_i, w> - y_i (n,) for `rows` (n, d), by the compensated product Dot2."""
    found, size = np.empty(len(rows)), max(1, _NUMBERS // (len(point) + 1))
    for start in range(0, len(rows), size):
        part = slice(start, min(start + size, len(rows)))
        found[part] = _dot2(np.ascontiguousarray(rows[part].T), targets[part], point[:, np.newaxis])
    return found


def _dot2(columns: Floats, targets: Floats, weights: Floats) -> Floats:
    products, rest = _two_product(columns, weights)
    high = np.concatenate((products, -targets[np.newaxis]))
    low = rest.sum(axis=0)
    while len(high) > 1:
        half = len(high) // 2
        total, error = two_sum(high[:half], high[half : 2 * half])
        low += error.sum(axis=0)
        high = total if len(high) == 2 * half else np.concatenate((total, high[-1:]))
    found: Floats = high[0] + low
    return found


def _evaluated(_: int, block: Records, *, point: Floats, loss: PredictionLoss, curvature: Callable[[Floats], Floats], hessian: bool) -> Evaluated:
    size = len(point)
    values, gradient, matrix = [], np.zeros(size), np.zeros((size, size)) if hessian else None
    for part in block.parts():
        predicted = part.matrix.matvec(point)
        slopes = loss.slope(predicted, part.targets)
        values.append(float(loss.value(predicted, part.targets).sum()))
        gradient += part.matrix.rmatvec(slopes)
        if matrix is not None:
            matrix += part.matrix.gram(curvature(slopes))
    return Evaluated(math.fsum(values), gradient, matrix)


def _accurate(_: int, block: Records, *, point: Floats, loss: PredictionLoss) -> Floats:
    parts = [np.zeros((1, len(point)))]
    for rows, entries in entry_chunks(block.matrix):
        residual = accurate_residuals(entries, block.targets[rows], point)
        slopes = loss.slope(residual, np.zeros_like(residual))
        padding = -len(slopes) % BLOCK
        blocks = np.concatenate((entries, np.zeros((padding, entries.shape[1])))).reshape(-1, BLOCK, entries.shape[1])
        parts.append((np.concatenate((slopes, np.zeros(padding))).reshape(-1, 1, BLOCK) @ blocks)[:, 0])
    return _rounded_sum(np.concatenate(parts))


def _rounded_sum(rows: Floats) -> Floats:
    """The sum of the `rows` (n, d), correctly rounded: (d,)."""
    return np.array([math.fsum(column) for column in rows.T.tolist()])


def _two_product(columns: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Products of (d, n) and (d, 1) and their rounding errors (Veltkamp, Dekker)."""
    product = columns * weights
    high, low = _split(columns)
    first, second = _split(weights)
    rest = low * second - (((product - high * first) - low * first) - high * second)
    return product, rest


def _split(numbers: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLITTER * numbers
    high = scaled - (scaled - numbers)
    return high, numbers - high
