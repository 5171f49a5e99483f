"""Matrices of tabmat against the same numbers in a dense array."""

import numpy as np
import pytest
from scipy import sparse

from discreet import LogisticRegression
from discreet.core.errors import InvalidInput, InvalidType
from discreet.matrices import DenseMatrix, Matrix, SparseMatrix, TabularMatrix, as_matrix

tabmat = pytest.importorskip("tabmat")

COUNT = 300
RNG = np.random.default_rng(0)
NUMBERS = RNG.uniform(-1.0, 1.0, (COUNT, 2))
CODES = [RNG.integers(0, 3, COUNT), RNG.integers(0, 4, COUNT)]
ENTRIES = sparse.random(COUNT, 5, density=0.2, random_state=1, format="csc")


def category(codes, size, **options):
    return tabmat.CategoricalMatrix(codes, categories=np.array([f"level {j}" for j in range(size)]), **options)


def numbers_and_categories():
    return [tabmat.DenseMatrix(NUMBERS), category(CODES[0], 3), category(CODES[1], 4)]


KINDS = {
    "dense": (lambda: tabmat.DenseMatrix(NUMBERS), DenseMatrix),
    "single": (lambda: tabmat.DenseMatrix(NUMBERS.astype(np.float32)), DenseMatrix),
    "integers": (lambda: tabmat.DenseMatrix(np.round(9 * NUMBERS).astype(np.int64)), DenseMatrix),
    "sparse": (lambda: tabmat.SparseMatrix(ENTRIES), SparseMatrix),
    "category": (lambda: category(CODES[0], 3), TabularMatrix),
    "first level dropped": (lambda: category(CODES[0], 3, drop_first=True), SparseMatrix),
    "missing": (lambda: category(np.where(CODES[0] == 2, -1, CODES[0]), 3, cat_missing_method="zero"), SparseMatrix),
    "numbers and categories": (lambda: tabmat.SplitMatrix(numbers_and_categories()), TabularMatrix),
    "categories": (lambda: tabmat.SplitMatrix(numbers_and_categories()[1:]), TabularMatrix),
    "categories first": (lambda: tabmat.SplitMatrix(numbers_and_categories()[::-1]), SparseMatrix),
    "another order": (lambda: tabmat.SplitMatrix(numbers_and_categories(), indices=[[0, 8], [1, 2, 3], [4, 5, 6, 7]]), SparseMatrix),
    "with entries": (lambda: tabmat.SplitMatrix([*numbers_and_categories(), tabmat.SparseMatrix(ENTRIES)]), SparseMatrix),
    "a level dropped": (lambda: tabmat.SplitMatrix([*numbers_and_categories(), category(CODES[0], 3, drop_first=True)]), SparseMatrix),
}


@pytest.mark.parametrize("kind", KINDS)
def test_products_are_those_of_the_dense_array(kind):
    make, expected = KINDS[kind]
    held_rows = make()
    whole = np.asarray(held_rows.toarray(), dtype=np.float64)
    matrix = as_matrix(held_rows)
    assert isinstance(matrix, expected)
    assert isinstance(matrix, Matrix)
    assert matrix.shape == whole.shape
    left, right, weights = RNG.standard_normal(COUNT), RNG.standard_normal(whole.shape[1]), RNG.random(COUNT)
    np.testing.assert_allclose(matrix.matvec(right), whole @ right, atol=1e-12)
    np.testing.assert_allclose(matrix.rmatvec(left), whole.T @ left, atol=1e-12)
    np.testing.assert_allclose(matrix.gram(weights), (whole.T * weights) @ whole, atol=1e-10)
    np.testing.assert_allclose(matrix.row_norms(), np.linalg.norm(whole, axis=1), atol=1e-12)


def test_dense_numbers_and_entries_are_not_copied():
    numbers = np.asfortranarray(NUMBERS)
    assert np.shares_memory(as_matrix(tabmat.DenseMatrix(numbers))._rows, numbers)
    assert np.shares_memory(as_matrix(tabmat.SplitMatrix([tabmat.DenseMatrix(numbers), category(CODES[0], 3)]))._numeric._rows, numbers)


def test_an_estimator_gives_the_same_weights():
    matrix = tabmat.SplitMatrix(numbers_and_categories())
    labels = np.where(NUMBERS[:, 0] > 0, "yes", "no")
    found = []
    for rows in (matrix, np.asarray(matrix.toarray())):
        model = LogisticRegression(epsilon=1.0, delta=1e-6, classes=["no", "yes"], data_norm=2.0, random_state=1).fit(rows, labels)
        found.append((model.coef_, model.predict(rows)))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-8)
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_standardised_matrices_and_missing_numbers_are_refused():
    standard, _, _ = tabmat.DenseMatrix(NUMBERS).standardize(np.full(COUNT, 1 / COUNT), center_predictors=True, scale_predictors=True)
    with pytest.raises(InvalidType, match="Standardized"):
        as_matrix(standard)
    broken = NUMBERS.copy()
    broken[3, 1] = np.nan
    with pytest.raises(InvalidInput, match="must be finite"):
        LogisticRegression(epsilon=1.0, delta=1e-6, classes=[0, 1]).fit(tabmat.DenseMatrix(broken), CODES[0] > 0)
