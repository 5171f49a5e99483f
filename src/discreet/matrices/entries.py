"""What is asked of every kind of rows beside products: their entries, as an array or as other libraries take them, and what getting at them costs.

    X = (X^T I)^T where nothing better is known:  sum_i e_ij x_i = x_j exactly, since every other product is zero

A few rows at a time: written out, a block of a sparse or a tabular matrix is as wide as the table.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from discreet.core.arrays import Floats
from discreet.matrices.augmented import AugmentedMatrix
from discreet.matrices.base import Matrix
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.device import DeviceMatrix
from discreet.matrices.sparse import SparseMatrix
from discreet.matrices.tabular import TabularMatrix


@singledispatch
def entries_of(block: Matrix, rows: slice) -> Floats:
    """The entries of some consecutive `rows` of `block` as a float64 array (rows, d), exactly; perhaps the caller's own memory, so only to be read.

    Time O(rows d) for the matrices of this package, and one product with columns of the identity for any other.
    """
    unit = np.eye(block.shape[0])[:, rows]
    return np.ascontiguousarray(block.rmatvec(unit).T)


@entries_of.register
def _dense(block: DenseMatrix, rows: slice) -> Floats:
    return np.asarray(block._rows[rows], dtype=np.float64)


@entries_of.register
def _device(block: DeviceMatrix, rows: slice) -> Floats:
    return block.entries(rows)


@entries_of.register
def _sparse(block: SparseMatrix, rows: slice) -> Floats:
    return np.asarray(block._rows[rows].toarray(), dtype=np.float64)


@entries_of.register
def _tabular(block: TabularMatrix, rows: slice) -> Floats:
    return np.hstack((block._table[rows], entries_of(block._indicators, rows)))


@entries_of.register
def _augmented(block: AugmentedMatrix, rows: slice) -> Floats:
    inner = entries_of(block._base, rows)
    scaled = inner if block._scale is None else inner * block._scale[rows, np.newaxis]
    return np.hstack((scaled, np.full((len(scaled), 1), block._constant))) if block._constant > 0 else scaled


@singledispatch
def plain_rows(matrix: Matrix) -> Any:  # noqa: ANN401 - SciPy publishes no common type with arrays
    """A float64 array (n, d), or a SciPy array in compressed rows; perhaps the caller's own memory, so only to be read."""
    parts = [entries_of(block, slice(None)) for _, block in matrix.blocks()]
    return np.concatenate(parts) if parts else np.empty(matrix.shape)


@plain_rows.register
def _plain_dense(matrix: DenseMatrix) -> Any:  # noqa: ANN401 - as above
    return entries_of(matrix, slice(None))


@plain_rows.register
def _plain_sparse(matrix: SparseMatrix) -> Any:  # noqa: ANN401 - as above
    return matrix._rows


@singledispatch
def held_bytes(matrix: Matrix) -> int:
    """About the memory of the rows, norms that are remembered counted; of an unknown matrix, that of its rows written out."""
    return 8 * matrix.shape[0] * (matrix.shape[1] + 1)


@held_bytes.register
def _held_dense(matrix: DenseMatrix) -> int:
    return int(matrix._rows.nbytes) + 8 * matrix.shape[0]


@held_bytes.register
def _held_sparse(matrix: SparseMatrix) -> int:
    return int(matrix._rows.data.nbytes + matrix._rows.indices.nbytes + matrix._rows.indptr.nbytes)


@held_bytes.register
def _held_tabular(matrix: TabularMatrix) -> int:
    return held_bytes(matrix._numeric) + held_bytes(matrix._indicators) + sum(column.nbytes for column in matrix._codes)


@held_bytes.register
def _held_augmented(matrix: AugmentedMatrix) -> int:
    return held_bytes(matrix._base) + 16 * matrix.shape[0]


@singledispatch
def computed_rows(matrix: Matrix) -> bool:  # noqa: ARG001 - of every other kind
    """Whether getting at a row takes about as long as its share of a Gram matrix."""
    return False


@computed_rows.register
def _computed_augmented(matrix: AugmentedMatrix) -> bool:
    return computed_rows(matrix._base)
