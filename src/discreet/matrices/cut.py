"""Consecutive rows of a matrix, as a matrix: views, not copies.

    rows_of(X, a:b) = the matrix of x_a, ..., x_(b-1)

and the size of blocks that suits the processor's caches: a block is read from memory once, and used several times while it is near.
"""

from functools import singledispatch

import numpy as np
import numpy.typing as npt

from discreet.matrices.augmented import AugmentedMatrix
from discreet.matrices.base import BLOCK_ROWS, Matrix
from discreet.matrices.clipped import ClippedMatrix
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.device import DeviceMatrix
from discreet.matrices.entries import entries_of
from discreet.matrices.sparse import SparseMatrix
from discreet.matrices.tabular import TabularMatrix

_CACHED_BYTES = 1 << 21
_DEVICE_BYTES = 1 << 30
_FEWEST, _MOST = 1 << 12, 1 << 16
_WHOLE = 1 << 16
"""Up to so many held rows are worked on by one thread at once."""
_RUN = 8
"""Blocks of a longer matrix that a thread takes at a time, as far as they have no more rows than that."""


@singledispatch
def rows_of(matrix: Matrix, rows: slice) -> Matrix:
    """Rows rows.start .. rows.stop - 1 of `matrix`, for 0 <= start <= stop <= n; written out where a kind of matrix has no better way."""
    parts = []
    for place, block in matrix.blocks():
        start, stop = max(rows.start, place.start), min(rows.stop, place.stop)
        if start < stop:
            parts.append(entries_of(block, slice(start - place.start, stop - place.start)))
    return DenseMatrix(np.concatenate(parts) if parts else np.empty((0, matrix.shape[1])))


@rows_of.register
def _dense(matrix: DenseMatrix, rows: slice) -> Matrix:
    return DenseMatrix(matrix._rows[rows])


@rows_of.register
def _sparse(matrix: SparseMatrix, rows: slice) -> Matrix:
    return matrix.rows(rows)


@rows_of.register
def _tabular(matrix: TabularMatrix, rows: slice) -> Matrix:
    part = TabularMatrix.__new__(TabularMatrix)
    table = matrix._table[rows]
    part._hold(table, DenseMatrix(table), matrix._indicators.rows(rows), [code[rows] for code in matrix._codes], matrix._sizes)
    return part


@rows_of.register
def _augmented(matrix: AugmentedMatrix, rows: slice) -> Matrix:
    scale = None if matrix._scale is None else matrix._scale[rows]
    norms = None if matrix._norms is None else matrix._norms[rows]
    return AugmentedMatrix(rows_of(matrix._base, rows), scale=scale, constant=matrix._constant, norms=norms)


@rows_of.register
def _device(matrix: DeviceMatrix, rows: slice) -> Matrix:
    return matrix.rows(rows)


@rows_of.register
def _clipped(matrix: ClippedMatrix, rows: slice) -> Matrix:
    return matrix.part(rows_of(matrix._base, rows), rows)


def cache_rows(matrix: Matrix) -> int:
    """Rows of a block of two megabytes, by the width of the rows alone: a multiple of 1024, between 4096 and 65536; on a device, of a gigabyte."""
    bytes_in_block, most = (_DEVICE_BYTES, 1 << 22) if _is_on_device(matrix) else (_CACHED_BYTES, _MOST)
    return int(min(max(bytes_in_block // (8 * (matrix.width + 1)) // BLOCK_ROWS * BLOCK_ROWS, _FEWEST), most))


def thread_cuts(matrix: Matrix) -> list[slice]:
    """Slices of rows that a thread takes at a time, one at least: by the shape alone, never by the number of threads."""
    if matrix.shape[0] <= _WHOLE:
        return [slice(0, matrix.shape[0])]
    size = cache_rows(matrix)
    return cuts(matrix.shape[0], max(size, min(_RUN * size, _WHOLE)))


def _is_on_device(matrix: Matrix) -> bool:
    inner = matrix._base if isinstance(matrix, AugmentedMatrix | ClippedMatrix) else matrix
    return isinstance(inner, DeviceMatrix) or (inner is not matrix and _is_on_device(inner))


def cuts(count: int, size: int) -> list[slice]:
    """Consecutive slices of at most `size` rows, `count` together."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


@singledispatch
def chosen_rows(matrix: Matrix, numbers: npt.NDArray[np.integer]) -> Matrix:
    """Rows `numbers` of `matrix`, in their order; written out where a kind of matrix has no better way."""
    whole = rows_of(matrix, slice(0, matrix.shape[0]))
    return DenseMatrix(entries_of(whole, slice(0, matrix.shape[0]))[numbers])


@chosen_rows.register
def _chosen_dense(matrix: DenseMatrix, numbers: npt.NDArray[np.integer]) -> Matrix:
    return DenseMatrix(matrix._rows[numbers])


@chosen_rows.register
def _chosen_sparse(matrix: SparseMatrix, numbers: npt.NDArray[np.integer]) -> Matrix:
    return SparseMatrix(matrix._rows[numbers])


@chosen_rows.register
def _chosen_tabular(matrix: TabularMatrix, numbers: npt.NDArray[np.integer]) -> Matrix:
    return TabularMatrix(matrix._table[numbers], [code[numbers] for code in matrix._codes], matrix._sizes)
