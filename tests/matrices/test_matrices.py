"""Every matrix against the explicit matrix it stands for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from discreet.core.errors import InvalidInput, InvalidType
from discreet.matrices import BLOCK_ROWS, AugmentedMatrix, DenseMatrix, Matrix, SparseMatrix, TabularMatrix, as_matrix

SIZES = (3, 1, 5)


def _tabular(rng, count, numbers):
    numeric = rng.standard_normal((count, numbers)) if numbers else None
    codes = [rng.integers(0, size, count) for size in SIZES]
    explicit = np.hstack([numeric if numbers else np.empty((count, 0)), *(np.eye(size)[code] for code, size in zip(codes, SIZES, strict=True))])
    return TabularMatrix(numeric, codes, SIZES), explicit


def _make(kind, rng, count):
    if kind == "tabular":
        return _tabular(rng, count, 2)
    if kind == "tabular-no-numbers":
        return _tabular(rng, count, 0)
    explicit = rng.standard_normal((count, 7))
    if kind == "dense":
        return DenseMatrix(explicit), explicit
    if kind == "dense-columns":
        return DenseMatrix(np.asfortranarray(explicit)), explicit
    if kind == "dense-view":
        return DenseMatrix(explicit[:, ::2]), explicit[:, ::2]
    if kind == "dense-float32":
        narrow = explicit.astype(np.float32)
        return DenseMatrix(narrow), narrow.astype(np.float64)
    if kind == "sparse":
        explicit[rng.random(explicit.shape) < 0.6] = 0.0
        return SparseMatrix(sparse.csr_array(explicit)), explicit
    if kind == "sparse-wide":
        explicit = np.where(rng.random((count, 200)) < 0.01, 1.5, 0.0)
        return SparseMatrix(sparse.csr_array(explicit)), explicit
    scale = rng.random(count)
    if kind == "augmented":
        return AugmentedMatrix(DenseMatrix(explicit), scale=scale, constant=0.7), np.hstack([scale[:, None] * explicit, np.full((count, 1), 0.7)])
    if kind == "augmented-scale":
        base, inner = _tabular(rng, count, 2)
        return AugmentedMatrix(base, scale=scale, constant=0.0), scale[:, None] * inner
    return AugmentedMatrix(SparseMatrix(sparse.csr_array(explicit)), scale=None, constant=2.0), np.hstack([explicit, np.full((count, 1), 2.0)])


KINDS = [
    "dense", "dense-columns", "dense-view", "dense-float32", "sparse", "sparse-wide", "tabular", "tabular-no-numbers",
    "augmented", "augmented-scale", "augmented-constant",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.sampled_from([1, 2, 7, 40, BLOCK_ROWS + 1]))
def test_every_method_agrees_with_the_explicit_matrix(kind, seed, count):
    rng = np.random.default_rng(seed)
    matrix, explicit = _make(kind, rng, count)
    assert isinstance(matrix, Matrix)
    assert matrix.shape == explicit.shape
    assert np.count_nonzero(explicit, axis=1).max() <= matrix.width <= explicit.shape[1]
    for width in ((), (1,), (3,)):
        weights, coefficients = rng.standard_normal((explicit.shape[1], *width)), rng.standard_normal((count, *width))
        np.testing.assert_allclose(matrix.matvec(weights), explicit @ weights, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(matrix.rmatvec(coefficients), explicit.T @ coefficients, rtol=1e-10, atol=1e-10)
    curvatures = rng.random(count)
    gram = explicit.T @ (curvatures[:, None] * explicit)
    np.testing.assert_allclose(matrix.gram(curvatures), gram, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(matrix.gram(curvatures, single_precision=True), gram, rtol=1e-4, atol=1e-4 * max(1.0, np.abs(gram).max()))
    np.testing.assert_allclose(matrix.gram_diagonal(curvatures), np.diag(gram), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(matrix.row_norms(), np.linalg.norm(explicit, axis=1), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_adjoint_identity_holds(kind):
    rng = np.random.default_rng(3)
    matrix, explicit = _make(kind, rng, 50)
    weights, coefficients = rng.standard_normal(explicit.shape[1]), rng.standard_normal(50)
    assert coefficients @ matrix.matvec(weights) == pytest.approx(weights @ matrix.rmatvec(coefficients), rel=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_are_the_rows_in_order_and_short(kind):
    rng = np.random.default_rng(5)
    count = 2 * BLOCK_ROWS + 3
    matrix, explicit = _make(kind, rng, count)
    weights = rng.standard_normal(explicit.shape[1])
    seen = np.full(count, np.nan)
    for rows, block in matrix.blocks():
        assert block.shape == (rows.stop - rows.start, explicit.shape[1])
        assert rows.stop - rows.start <= BLOCK_ROWS
        assert np.isnan(seen[rows]).all()
        seen[rows] = block.matvec(weights)
        np.testing.assert_allclose(block.rmatvec(seen[rows]), explicit[rows].T @ seen[rows], rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(seen, explicit @ weights, rtol=1e-10, atol=1e-10)


def test_float32_storage_is_multiplied_in_float64():
    rng = np.random.default_rng(0)
    narrow = rng.standard_normal((300, 40)).astype(np.float32)
    weights = rng.standard_normal(40)
    np.testing.assert_allclose(DenseMatrix(narrow).matvec(weights), narrow.astype(np.float64) @ weights, rtol=1e-12, atol=1e-13)


def test_arrays_and_csr_matrices_are_held_by_reference():
    array = np.ones((4, 3))
    matrix = as_matrix(array)
    array[0, 0] = 5.0  # only to see that it is the same memory
    assert matrix.matvec(np.ones(3))[0] == 7.0
    held_rows = sparse.csr_array(np.eye(3))
    held = as_matrix(held_rows)
    held_rows.data[0] = 4.0
    assert held.matvec(np.ones(3))[0] == 4.0
    assert next(held.blocks())[1].rmatvec(np.ones(3))[0] == 4.0


def test_repeated_sparse_entries_are_added_without_touching_the_callers_matrix():
    matrix = sparse.csr_matrix((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    assert SparseMatrix(matrix).row_norms()[0] == 3.0
    assert matrix.nnz == 2


def test_as_matrix_takes_what_users_hold():
    assert as_matrix(np.eye(2, dtype=bool)).matvec(np.ones(2)).tolist() == [1.0, 1.0]
    assert isinstance(as_matrix(sparse.coo_matrix(np.eye(2, dtype=int))), SparseMatrix)
    matrix = DenseMatrix(np.eye(2))
    assert as_matrix(matrix) is matrix
    for wrong in (np.array([["a"]]), [[1.0]], sparse.csr_array(np.eye(2) * 1j)):
        with pytest.raises(InvalidType):
            as_matrix(wrong)
    with pytest.raises(InvalidInput):
        as_matrix(np.ones(3))


def test_impossible_tables_are_refused():
    good = np.array([0, 1])
    for codes, sizes in (([np.array([0, -1])], [2]), ([good], [1]), ([good], [2, 2]), ([good, good[:1]], [2, 2]), ([good * 0.5], [2]), ([], [])):
        with pytest.raises(InvalidInput):
            TabularMatrix(None, codes, sizes)
    base = DenseMatrix(np.eye(2))
    for scale, constant in ((np.ones(3), 0.0), (None, -1.0), (None, np.inf), (None, np.nan)):
        with pytest.raises(InvalidInput):
            AugmentedMatrix(base, scale=scale, constant=constant)
    with pytest.raises(InvalidInput):
        DenseMatrix(np.eye(2, dtype=int))
