"""Products of a table in bands: the same sums for every kind of matrix, with the error that the certificates count on."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from discreet.matrices import AugmentedMatrix, DenseMatrix, SparseMatrix
from discreet.matrices.banded import banded, bands
from discreet.matrices.base import BLOCK_ROWS
from discreet.matrices.clipped import ClippedMatrix
from discreet.problems.certified_sums import gamma

MATRICES = {
    "rows": DenseMatrix,
    "columns": lambda rows: DenseMatrix(np.asfortranarray(rows)),
    "every other row": lambda rows: DenseMatrix(np.repeat(rows, 2, axis=0)[::2]),
    "single": lambda rows: DenseMatrix(rows.astype(np.float32)),
    "sparse": lambda rows: SparseMatrix(sparse.csr_array(rows)),
    "clipped": lambda rows: ClippedMatrix(DenseMatrix(rows), bound=1.0),
    "augmented": lambda rows: AugmentedMatrix(DenseMatrix(rows), scale=np.linspace(0.1, 1.0, len(rows)), constant=0.5),
    "no constant": lambda rows: AugmentedMatrix(DenseMatrix(np.asfortranarray(rows)), scale=None, constant=0.0),
}


@pytest.mark.parametrize("models", [1, 3])
@pytest.mark.parametrize("count", [0, 5, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS + 77])
@pytest.mark.parametrize("kind", MATRICES)
def test_a_banded_product_is_the_product(kind, count, models):
    rng = np.random.default_rng(count)
    matrix = MATRICES[kind](rng.standard_normal((count, 4)))
    coefficients = rng.standard_normal((count, models))
    expected = matrix.rmatvec(coefficients)
    np.testing.assert_allclose(banded(matrix, coefficients), expected, rtol=0, atol=1e-11 * (1 + count))
    assert banded(matrix, coefficients).shape == expected.shape == (matrix.shape[1], models)


@pytest.mark.parametrize("kind", ["rows", "columns", "augmented"])
def test_the_error_is_within_the_bound_in_exact_arithmetic(kind):
    """Sizes that differ by many powers of ten and cancel: the error is a good part of its bound, and not above it."""
    rng = np.random.default_rng(4)
    count = 2 * BLOCK_ROWS + 100
    matrix = MATRICES[kind](rng.choice([-1.0, 1.0], (count, 1)) * rng.uniform(0.5, 1.0, (count, 1)))
    coefficients = rng.choice([-1.0, 1.0], (count, 1)) * rng.uniform(0.5, 1.0, (count, 1))
    written = matrix.matvec(np.eye(matrix.shape[1])) if kind != "augmented" else None
    base = matrix if kind != "augmented" else matrix._base
    scale = None if kind != "augmented" else matrix._scale
    entries = base.matvec(np.ones((1, 1)))[:, 0] if written is None else written[:, 0]
    factors = np.ones(count) if scale is None else scale
    terms = [Fraction(float(x)) * Fraction(float(f)) * Fraction(float(c)) for x, f, c in zip(entries, factors, coefficients[:, 0], strict=True)]
    off = abs(Fraction(float(banded(matrix, coefficients)[0, 0])) - sum(terms, Fraction(0)))
    assert off <= Fraction(gamma(BLOCK_ROWS + 3 + 3)) * sum(map(abs, terms), Fraction(0))


@pytest.mark.parametrize("models", [1, 64])
def test_bands_are_all_rows_in_order(models):
    rows = np.random.default_rng(0).standard_normal((70_001, 3))
    matrix = DenseMatrix(rows)
    seen = list(bands(matrix, models))
    assert [place.start for place, _ in seen] == [0, *(place.stop for place, _ in seen[:-1])]
    assert seen[-1][0].stop == len(rows)
    assert all(place.start % BLOCK_ROWS == 0 for place, _ in seen)
    np.testing.assert_array_equal(np.concatenate([band.matvec(np.eye(3)) for _, band in seen]), rows)
