"""The rows of a matrix written out as an array, for maps that look at single entries.

    X = (X^T I)^T where nothing better is known:  sum_i e_ij x_i = x_j exactly, since every other product is zero

A few rows at a time: written out, a block of a sparse or a tabular matrix is as wide as the table.
"""

from functools import singledispatch

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
