"""The rows of a matrix as other libraries take them: an array, or compressed rows where they are sparse."""

from functools import singledispatch
from typing import Any

import numpy as np

from discreet.matrices.base import Matrix
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.entries import entries_of
from discreet.matrices.sparse import SparseMatrix


@singledispatch
def plain_rows(matrix: Matrix) -> Any:  # noqa: ANN401 - SciPy publishes no common type with arrays
    """A float64 array (n, d), or a SciPy array in compressed rows; perhaps the caller's own memory, so only to be read."""
    parts = [entries_of(block, slice(None)) for _, block in matrix.blocks()]
    return np.concatenate(parts) if parts else np.empty(matrix.shape)


@plain_rows.register
def _dense(matrix: DenseMatrix) -> Any:  # noqa: ANN401 - as above
    return entries_of(matrix, slice(None))


@plain_rows.register
def _sparse(matrix: SparseMatrix) -> Any:  # noqa: ANN401 - as above
    return matrix._rows
