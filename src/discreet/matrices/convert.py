"""From what users hold to a Matrix."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from discreet.core.errors import InvalidType
from discreet.matrices.base import Matrix
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.device import DeviceMatrix
from discreet.matrices.sparse import AnySparse, SparseMatrix
from discreet.matrices.tabmat import is_tabmat, tabmat_matrix
from discreet.matrices.travel import is_device_array


def as_matrix(rows: npt.NDArray[Any] | Matrix | AnySparse) -> Matrix:
    """The matrix of an (n, d) array, a SciPy sparse matrix, a matrix of tabmat, an array of torch or CuPy (see DeviceMatrix), or a Matrix itself.

    float64 and float32 arrays and float64 CSR matrices are held by reference; integer and boolean ones are converted. Raises InvalidType for anything
    else, InvalidInput when it is not two-dimensional.
    """
    if isinstance(rows, np.ndarray):
        if rows.dtype in (np.float64, np.float32):
            return DenseMatrix(rows)
        if rows.dtype.kind in "biuf":
            return DenseMatrix(rows.astype(np.float64))
        raise InvalidType("a matrix holds real numbers; encode text and dates first.")
    if sparse.issparse(rows):
        matrix: AnySparse = rows
        if matrix.dtype.kind not in "biuf":
            raise InvalidType("a matrix holds real numbers.")
        return SparseMatrix(matrix)
    if isinstance(rows, Matrix):
        return rows
    if is_tabmat(rows):
        return tabmat_matrix(rows)
    if is_device_array(rows):
        return DeviceMatrix(rows)
    raise InvalidType(f"rows must be a NumPy array, a SciPy sparse matrix or a Matrix; {type(rows).__name__} was given.")
