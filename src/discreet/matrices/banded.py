"""X^T s with an error that does not grow with the number of rows: products of at most B = BLOCK_ROWS rows, then their plain sum.

    banded(X, s) = sum_k X_k^T s_k,   X_k the k-th B rows, K of them:   |banded - X^T s|_2 <= gamma_(B + K + 3) sum_i |s_i| |x_i|

One product of n rows in any order may be off by gamma_(n+3) of the same (module `base`). A coordinate of X_k^T s_k is off by gamma_(B+3) times the
sum of |s_i x_ij| over its rows, and K - 1 additions of such numbers bring gamma_(K-1) more: (1 + gamma_a)(1 + gamma_b) - 1 <= gamma_(a+b). Matrices
without such a product are summed over their own blocks, however short, with the errors of the additions (TwoSum) added in the end: less than two
more terms. With bands of a few thousand rows this is as good as gamma_(B+3), and it takes one call instead of K: threads would have to wait for what
Python does between the calls.
"""

from collections.abc import Iterator
from functools import singledispatch

import numpy as np

from discreet.core.arrays import Floats, two_sum
from discreet.matrices import travel
from discreet.matrices.augmented import AugmentedMatrix
from discreet.matrices.base import BLOCK_ROWS, Matrix
from discreet.matrices.cut import cache_rows, cuts, rows_of
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.device import DeviceMatrix

_NUMBERS = 1 << 16
"""Margins of all models in a band, at most, unless a block alone has more."""


def bands(matrix: Matrix, models: int) -> Iterator[tuple[slice, Matrix]]:
    """Consecutive rows that suit the processor's caches, for products with `models` columns: (slice of row numbers, matrix of them), views."""
    count = matrix.shape[0]
    size = max(BLOCK_ROWS, min(cache_rows(matrix), _NUMBERS // max(1, models) // BLOCK_ROWS * BLOCK_ROWS))
    if count <= size:
        yield slice(0, count), matrix
        return
    if size <= BLOCK_ROWS:
        yield from matrix.blocks()  # which matrices may have made already
        return
    for rows in cuts(count, size):
        yield rows, rows_of(matrix, rows)


@singledispatch
def banded(matrix: Matrix, coefficients: Floats) -> Floats:
    """X^T s, (d, k), for `coefficients` (n, k)."""
    if matrix.shape[0] <= BLOCK_ROWS:
        return matrix.rmatvec(coefficients)
    high = np.zeros((matrix.shape[1], coefficients.shape[1]))
    low = np.zeros_like(high)
    for rows, block in matrix.blocks():
        high, error = two_sum(high, block.rmatvec(coefficients[rows]))
        low += error
    return high + low


@banded.register
def _dense(matrix: DenseMatrix, coefficients: Floats) -> Floats:
    rows = matrix._rows
    if rows.dtype != np.float64:
        return banded.dispatch(object)(matrix, coefficients)
    count, columns = rows.shape
    whole = count // BLOCK_ROWS
    split = whole * BLOCK_ROWS
    turned = rows[:split].reshape(whole, BLOCK_ROWS, columns).transpose(0, 2, 1)  # a view, in any layout
    total: Floats = np.add.reduce(np.matmul(turned, coefficients[:split].reshape(whole, BLOCK_ROWS, coefficients.shape[1])), axis=0)
    return total if split == count else total + rows[split:].T @ coefficients[split:]


@banded.register
def _augmented(matrix: AugmentedMatrix, coefficients: Floats) -> Floats:
    inner = banded(matrix._base, matrix._scaled(coefficients))
    if matrix._constant == 0:
        return inner
    return np.concatenate((inner, matrix._constant * _sums(coefficients)[np.newaxis]))


@banded.register
def _device(matrix: DeviceMatrix, coefficients: Floats) -> Floats:
    rows = matrix.there
    parts = rows.blocks(travel.there(coefficients, rows.table), slice(0, rows.shape[0]))
    return travel.here(rows.xp.sum(parts, axis=0))


def _sums(coefficients: Floats) -> Floats:
    """Column sums, (k,), of blocks and then of their sums."""
    split = len(coefficients) // BLOCK_ROWS * BLOCK_ROWS
    total: Floats = coefficients[:split].reshape(-1, BLOCK_ROWS, coefficients.shape[1]).sum(axis=1).sum(axis=0)
    return total + coefficients[split:].sum(axis=0)
