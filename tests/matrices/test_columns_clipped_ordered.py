"""Single columns, clipped entries, and sums in a fixed order, for every kind of matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from discreet.matrices import AugmentedMatrix, ClippedMatrix, TabularMatrix, as_matrix, clip_entries, columns_of, entries_of, ordered_matvec
from discreet.matrices.ordered import ordered_row_norms


def table(records=3000, features=6):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(records, features))
    X[draw.random(X.shape) < 0.4] = 0.0
    return X


def matrices():
    X = table()
    codes = [np.arange(len(X)) % 3, np.arange(len(X)) % 2]
    return {
        "dense": as_matrix(X),
        "columns first": as_matrix(np.asfortranarray(X)),
        "single precision": as_matrix(X.astype(np.float32)),
        "sparse": as_matrix(sp.csr_array(X)),
        "tabular": TabularMatrix(X, codes, [3, 2]),
        "augmented": AugmentedMatrix(as_matrix(X), scale=np.linspace(0.1, 1.0, len(X)), constant=0.5),
        "augmented sparse": AugmentedMatrix(as_matrix(sp.csr_array(X)), scale=np.linspace(0.1, 1.0, len(X)), constant=0.5),
        "clipped": ClippedMatrix(as_matrix(X), bound=0.7),
        "clipped tabular": ClippedMatrix(TabularMatrix(X, codes, [3, 2]), bound=0.7),
    }


each_matrix = pytest.mark.parametrize("kind", matrices())


def written_out(matrix):
    return np.concatenate([entries_of(block, slice(None)) for _, block in matrix.blocks()])


@each_matrix
def test_a_column_holds_the_entries_of_the_table(kind):
    matrix = matrices()[kind]
    expected, column = written_out(matrix), columns_of(matrix)
    for index in range(matrix.shape[1]):
        rows, values = column(index)
        found = np.zeros(matrix.shape[0])
        found[slice(None) if rows is None else rows] = values
        assert np.allclose(found, expected[:, index], rtol=1e-15, atol=0.0)


@each_matrix
def test_an_ordered_product_is_the_product(kind):
    matrix = matrices()[kind]
    weights = np.random.default_rng(1).normal(size=matrix.shape[1])
    assert np.allclose(ordered_matvec(matrix, weights), matrix.matvec(weights), rtol=0.0, atol=1e-13)
    assert np.allclose(ordered_row_norms(matrix), matrix.row_norms(), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("kind", ["dense", "columns first", "single precision", "sparse"])
@pytest.mark.parametrize("left_out", [0, 1, 1023, 1024, 2000, 2999])
def test_an_ordered_product_of_a_row_does_not_depend_on_the_other_rows(kind, left_out):
    X = table()
    change = {"dense": np.asarray, "columns first": np.asfortranarray, "single precision": lambda A: A.astype(np.float32), "sparse": sp.csr_array}[
        kind
    ]
    weights = np.random.default_rng(2).normal(size=X.shape[1])
    kept = np.delete(np.arange(len(X)), left_out)
    for function in (lambda matrix: ordered_matvec(matrix, weights), ordered_row_norms):
        whole, part = function(as_matrix(change(X))), function(as_matrix(change(X[kept])))
        assert np.array_equal(whole[kept], part)


@each_matrix
def test_clipping_clips_every_entry_and_nothing_else(kind):
    matrix = matrices()[kind]
    clipped = clip_entries(matrix, 0.6)
    expected = np.clip(written_out(matrix), -0.6, 0.6)
    weights, coefficients = np.linspace(-1.0, 1.0, matrix.shape[1]), np.linspace(-1.0, 1.0, matrix.shape[0])
    assert np.allclose(clipped.matvec(weights), expected @ weights, atol=1e-12)
    assert np.allclose(clipped.rmatvec(coefficients), coefficients @ expected, atol=1e-10)
    assert np.allclose(clipped.row_norms(), np.linalg.norm(expected, axis=1))
    assert np.allclose(clipped.gram(coefficients**2), (expected.T * coefficients**2) @ expected, atol=1e-9)
    assert np.allclose(clipped.gram_diagonal(coefficients**2), coefficients**2 @ expected**2)
    assert clipped.shape == matrix.shape


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_table_without_larger_entries_is_its_own_clipped_form(kind):
    matrix = matrices()[kind]
    assert clip_entries(matrix, 100.0) is matrix
