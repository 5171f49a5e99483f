"""Some rows of every kind of matrix, as a matrix."""

import numpy as np
import pytest
from scipy import sparse

from discreet.matrices import AugmentedMatrix, DenseMatrix, SparseMatrix, TabularMatrix
from discreet.matrices.cut import chosen_rows

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((50, 4)) * (RNG.random((50, 4)) < 0.6)
CODES = [RNG.integers(0, size, 50) for size in (3, 2)]
MATRICES = {
    "dense": DenseMatrix(ROWS),
    "single precision": DenseMatrix(ROWS.astype(np.float32)),
    "columns first": DenseMatrix(np.asfortranarray(ROWS)),
    "sparse": SparseMatrix(sparse.csr_array(ROWS)),
    "tabular": TabularMatrix(ROWS, CODES, (3, 2)),
    "augmented": AugmentedMatrix(DenseMatrix(ROWS), scale=RNG.random(50), constant=0.3),
}


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES)
@pytest.mark.parametrize("numbers", [[3, 1, 49, 3], [7], []], ids=str)
def test_they_are_the_rows_in_the_order_asked_for(matrix, numbers):
    found = chosen_rows(matrix, np.array(numbers, dtype=np.intp))
    assert found.shape == (len(numbers), matrix.shape[1])
    unit = np.eye(matrix.shape[1])
    np.testing.assert_array_equal(found.matvec(unit), matrix.matvec(unit)[numbers])
