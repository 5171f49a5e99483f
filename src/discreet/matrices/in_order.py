"""Sums over the numbers of a row in the order of the columns: the same bits wherever a row stands, and whatever rows stand beside it.

    products(X, w)_i = (..((0 + x_i1 w_1) + x_i2 w_2) + ..) + x_id w_d        each operation rounded once
    squares(X)_i     = (..((0 + x_i1^2) + x_i2^2) + ..) + x_id^2

A library for matrix products may add up in another order when a table has one row more. SciPy's loop for sparse rows of blocks does not: each row of
a row-major table is one block, without a copy, and the loop over a block is one over its numbers, whose order a compiler may not change. It takes a
pass at the speed of memory. Of squares the row is the vector too: row i meets the i-th d of all n d numbers, the row itself.

Of column-major rows that loop would jump, so NumPy multiplies and adds columns. IEEE 754 says what comes of each operation, so the bits are the same,
unless SciPy was compiled to round a product and its sum once together; then (`rounds_together`, found by numbers of which that is seen) rows are
copied, since a table of a single row does not tell which of the two layouts it has.
"""

from functools import cache

import numpy as np
from scipy import sparse

from discreet.core.arrays import Floats


def products(entries: Floats, weights: Floats) -> Floats:
    """<x_i, weights>, (n,), for `entries` (n, d); (n, k) for `weights` (d, k), each column as by itself."""
    count, columns = entries.shape
    if weights.ndim == 2:
        result = np.empty((count, weights.shape[1]))
        rows = entries if _by_columns(entries) else np.ascontiguousarray(entries)
        for model in range(weights.shape[1]):
            result[:, model] = products(rows, weights[:, model])
        return result
    if not count or not columns:
        return np.zeros(count)
    if not _by_columns(entries):
        return np.asarray(_row_blocks(entries, np.zeros(count, dtype=np.int32), columns) @ np.ascontiguousarray(weights))
    total, term = np.zeros(count), np.empty(count)
    for column in np.flatnonzero(weights):  # 0 adds nothing
        total += np.multiply(entries[:, column], weights[column], out=term)
    return total


def squares(entries: Floats) -> Floats:
    """|x_i|^2, (n,), for `entries` (n, d)."""
    count, columns = entries.shape
    if not count or not columns:
        return np.zeros(count)
    if not _by_columns(entries):
        rows = np.ascontiguousarray(entries)
        return np.asarray(_row_blocks(rows, np.arange(count), count * columns) @ rows.reshape(-1))
    total, term = np.zeros(count), np.empty(count)
    for column in range(columns):
        total += np.square(entries[:, column], out=term)
    return total


def _row_blocks(entries: Floats, places: "np.typing.NDArray[np.integer]", columns: int) -> "sparse.bsr_array":
    """The rows as blocks of a sparse matrix, each at one of its `places`."""
    count = len(entries)
    blocks = np.ascontiguousarray(entries).reshape(count, 1, -1)
    return sparse.bsr_array((blocks, places, np.arange(count + 1)), shape=(count, columns))


def _by_columns(entries: Floats) -> bool:
    """Whether columns are multiplied: they lie together in memory, and nothing else would come out."""
    return entries.strides[0] == entries.itemsize and entries.shape[1] > 1 and not rounds_together()


@cache
def rounds_together() -> bool:
    """Whether products here and their sums are rounded once together: then 2^-60 is left of (1 + 2^-30)^2 - (1 + 2^-29), and else nothing."""
    row = np.tile([-(1.0 + 2.0**-29), 1.0 + 2.0**-30], 17)[np.newaxis]
    blocks = _row_blocks(row, np.zeros(1, dtype=np.int32), row.size)
    return bool((blocks @ np.tile([1.0, 1.0 + 2.0**-30], 17)).any())
