"""Second moments of integers, exactly:  sum_i t_i t_i^T,   t_i = trunc(z_i / unit),   z_i = x_i, or (x_i, y_i) with a last number of one's own.

For |t_ij| <= 2^20 products of 1024 rows are sums of integers below 2^50, so that float64 takes them exactly in any order, and integers of 64
bits add them up for up to 2^22 rows of such numbers (fewer bits for more rows; `discreet.queries.SecondMoments` sees to it). On a device the same:
blocks of 1024 rows there, and one (m, m) matrix of integers travels.
"""

from functools import singledispatch

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.matrices import travel
from discreet.matrices.base import BLOCK_ROWS, Matrix
from discreet.matrices.clipped import entry_chunks
from discreet.matrices.device import DeviceMatrix
from discreet.matrices.device_rows import whole_blocks


@singledispatch
def integer_gram(matrix: Matrix, last: Floats | None, *, unit: float) -> npt.NDArray[np.int64]:
    """The sum, (m, m), over the rows of `matrix` with `last` (n,) for a last number of each, or None. The caller bounds all numbers."""
    columns = matrix.shape[1] + (last is not None)
    total = np.zeros((columns, columns), dtype=np.int64)
    for rows, entries in entry_chunks(matrix):
        integers = np.trunc((entries if last is None else np.column_stack((entries, last[rows]))) / unit)
        total += (integers.T @ integers).astype(np.int64)
    return total


@integer_gram.register
def _device(matrix: DeviceMatrix, last: Floats | None, *, unit: float) -> npt.NDArray[np.int64]:
    from array_api_compat import device  # noqa: PLC0415 - an optional dependency

    rows, xp = matrix.there, matrix.there.xp
    columns = matrix.shape[1] + (last is not None)
    total = xp.zeros((columns, columns), dtype=xp.int64, device=device(rows.table))
    column = None if last is None else travel.there(last[:, np.newaxis], rows.table)
    for piece in rows.chunks(3 * columns + 2 * columns * columns // BLOCK_ROWS):
        numbers = rows.entries(piece) if column is None else xp.concat([rows.entries(piece), column[piece, :]], axis=1)
        for block in whole_blocks(xp.trunc(numbers / unit), xp):
            products = xp.matrix_transpose(block) @ block
            total = total + xp.sum(xp.astype(products, xp.int64), axis=0, dtype=xp.int64)
    return travel.here(total)
