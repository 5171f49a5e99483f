"""Rows written out, exactly, from every kind of matrix."""

import numpy as np
import pytest
from scipy import sparse

from discreet.matrices import AugmentedMatrix, DenseMatrix, SparseMatrix, TabularMatrix, entries_of


@pytest.mark.parametrize("rows", [slice(0, 5), slice(2, 4), slice(None), slice(3, 3)], ids=str)
def test_entries_are_exact(rows):
    explicit = np.array([[1e300, 0.1], [0.0, -1e-300], [3.0, 1 / 3], [0.0, 0.0], [-0.7, 5e-324]])
    code = np.array([0, 2, 1, 1, 0])
    scale = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    for matrix, expected in (
        (DenseMatrix(explicit), explicit),
        (DenseMatrix(np.asfortranarray(explicit)), explicit),
        (DenseMatrix(np.float32([[0.1, 0.2]] * 5)), np.float32([[0.1, 0.2]] * 5).astype(float)),
        (SparseMatrix(sparse.csr_array(explicit)), explicit),
        (TabularMatrix(explicit, [code], [3]), np.hstack((explicit, np.eye(3)[code]))),
        (TabularMatrix(None, [code], [3]), np.eye(3)[code]),
        (AugmentedMatrix(SparseMatrix(sparse.csr_array(explicit)), scale=None, constant=0.0), explicit),
        (AugmentedMatrix(DenseMatrix(explicit), scale=scale, constant=0.3), np.hstack((explicit * scale[:, np.newaxis], np.full((5, 1), 0.3)))),
    ):
        found = entries_of(matrix, rows)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, expected[rows])


def test_the_protocol_alone_gives_the_same_entries():
    explicit = np.random.default_rng(0).standard_normal((7, 3)) * 1e200
    general = entries_of.dispatch(object)
    np.testing.assert_array_equal(general(DenseMatrix(explicit), slice(2, 5)), explicit[2:5])
    scaled = AugmentedMatrix(DenseMatrix(explicit), scale=np.full(7, 0.3), constant=0.1)
    np.testing.assert_array_equal(general(scaled, slice(None)), entries_of(scaled, slice(None)))
