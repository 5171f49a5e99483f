"""Rows as other libraries take them, exactly, from every kind of matrix."""

import numpy as np
import pytest
from scipy import sparse

from discreet.matrices import AugmentedMatrix, DenseMatrix, SparseMatrix, TabularMatrix, plain_rows

ROWS = np.random.default_rng(0).standard_normal((2050, 3))
ROWS[ROWS < 0.3] = 0.0
CODE = np.arange(2050) % 4


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (DenseMatrix(ROWS), ROWS),
        (DenseMatrix(np.asfortranarray(ROWS)), ROWS),
        (DenseMatrix(ROWS.astype(np.float32)), ROWS.astype(np.float32).astype(float)),
        (SparseMatrix(sparse.csr_array(ROWS)), ROWS),
        (TabularMatrix(ROWS, [CODE], [4]), np.hstack((ROWS, np.eye(4)[CODE]))),
        (AugmentedMatrix(DenseMatrix(ROWS), scale=np.full(2050, 0.5), constant=0.0), 0.5 * ROWS),
        (AugmentedMatrix(DenseMatrix(ROWS[:0]), scale=None, constant=0.0), ROWS[:0]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_rows_are_exact_and_stay_sparse(matrix, expected):
    found = plain_rows(matrix)
    assert sparse.issparse(found) is isinstance(matrix, SparseMatrix)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found.toarray() if sparse.issparse(found) else found, expected)
