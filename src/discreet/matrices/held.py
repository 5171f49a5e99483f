"""How many bytes a matrix holds, for whoever decides what to keep in memory."""

from functools import singledispatch

from discreet.matrices.augmented import AugmentedMatrix
from discreet.matrices.base import Matrix
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.sparse import SparseMatrix
from discreet.matrices.tabular import TabularMatrix


@singledispatch
def held_bytes(matrix: Matrix) -> int:
    """About the memory of the rows, norms that are remembered counted; of an unknown matrix, that of its rows written out."""
    return 8 * matrix.shape[0] * (matrix.shape[1] + 1)


@held_bytes.register
def _dense(matrix: DenseMatrix) -> int:
    return int(matrix._rows.nbytes) + 8 * matrix.shape[0]


@held_bytes.register
def _sparse(matrix: SparseMatrix) -> int:
    return int(matrix._rows.data.nbytes + matrix._rows.indices.nbytes + matrix._rows.indptr.nbytes)


@held_bytes.register
def _tabular(matrix: TabularMatrix) -> int:
    return held_bytes(matrix._numeric) + held_bytes(matrix._indicators) + sum(column.nbytes for column in matrix._codes)


@held_bytes.register
def _augmented(matrix: AugmentedMatrix) -> int:
    return held_bytes(matrix._base) + 16 * matrix.shape[0]
