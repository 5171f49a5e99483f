"""Some rows of a matrix, not only consecutive ones, as a matrix: copies.

chosen_rows(X, (i_1, .., i_m)) = the matrix of x_(i_1), ..., x_(i_m)
"""

from functools import singledispatch

import numpy as np
import numpy.typing as npt

from discreet.matrices.base import Matrix
from discreet.matrices.cut import rows_of
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.entries import entries_of
from discreet.matrices.sparse import SparseMatrix
from discreet.matrices.tabular import TabularMatrix


@singledispatch
def chosen_rows(matrix: Matrix, numbers: npt.NDArray[np.integer]) -> Matrix:
    """Rows `numbers` of `matrix`, in their order; written out where a kind of matrix has no better way."""
    whole = rows_of(matrix, slice(0, matrix.shape[0]))
    return DenseMatrix(entries_of(whole, slice(0, matrix.shape[0]))[numbers])


@chosen_rows.register
def _dense(matrix: DenseMatrix, numbers: npt.NDArray[np.integer]) -> Matrix:
    return DenseMatrix(matrix._rows[numbers])


@chosen_rows.register
def _sparse(matrix: SparseMatrix, numbers: npt.NDArray[np.integer]) -> Matrix:
    return SparseMatrix(matrix._rows[numbers])


@chosen_rows.register
def _tabular(matrix: TabularMatrix, numbers: npt.NDArray[np.integer]) -> Matrix:
    return TabularMatrix(matrix._table[numbers], [code[numbers] for code in matrix._codes], matrix._sizes)
