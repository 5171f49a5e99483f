"""Parts of matrices against the same rows of the explicit matrix."""

import numpy as np
import pytest

from discreet.matrices import BLOCK_ROWS, ClippedMatrix, DenseMatrix
from discreet.matrices.cut import cache_rows, cuts, rows_of
from tests.matrices.test_matrices import KINDS, _make


@pytest.mark.parametrize("kind", KINDS)
def test_consecutive_rows_are_a_matrix_of_these_rows(kind):
    rng = np.random.default_rng(1)
    count = 2 * BLOCK_ROWS + 5
    matrix, explicit = _make(kind, rng, count)
    for rows in (slice(0, count), slice(0, 0), slice(3, 4), slice(BLOCK_ROWS - 2, BLOCK_ROWS + 3), slice(7, count)):
        part = rows_of(matrix, rows)
        wanted = explicit[rows]
        assert part.shape == wanted.shape
        np.testing.assert_allclose(part.matvec(np.eye(explicit.shape[1])), wanted, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(part.row_norms(), np.linalg.norm(wanted, axis=1), rtol=1e-12, atol=1e-14)
        weights = rng.random(len(wanted))
        np.testing.assert_allclose(part.gram(weights), wanted.T @ (weights[:, np.newaxis] * wanted), rtol=1e-9, atol=1e-9)


def test_clipped_rows_stay_clipped():
    rows = np.arange(40.0).reshape(20, 2)
    part = rows_of(ClippedMatrix(DenseMatrix(rows), bound=5.0), slice(1, 9))
    np.testing.assert_array_equal(part.matvec(np.eye(2)), np.clip(rows[1:9], -5.0, 5.0))


class _Foreign:
    """A matrix of another package: nothing is known of it but the protocol."""

    def __init__(self, rows):
        self._inner = DenseMatrix(rows)
        self.shape, self.width = self._inner.shape, self._inner.width
        for name in ("matvec", "rmatvec", "gram", "gram_diagonal", "row_norms", "blocks", "content"):
            setattr(self, name, getattr(self._inner, name))


def test_rows_of_an_unknown_matrix_are_written_out():
    rows = np.random.default_rng(0).standard_normal((BLOCK_ROWS + 30, 3))
    for part in (slice(0, 5), slice(BLOCK_ROWS - 3, BLOCK_ROWS + 9), slice(4, 4)):
        np.testing.assert_array_equal(rows_of(_Foreign(rows), part).matvec(np.eye(3)), rows[part])


def test_known_norms_are_the_norms():
    rng = np.random.default_rng(2)
    for kind in KINDS:
        matrix, explicit = _make(kind, rng, 50)
        np.testing.assert_allclose(rows_of(matrix, slice(10, 30)).row_norms(), np.linalg.norm(explicit[10:30], axis=1), rtol=1e-12)


def test_cuts_cover_every_row_once():
    for count, size in ((0, 3), (1, 3), (9, 3), (10, 3)):
        assert [row for part in cuts(count, size) for row in range(part.start, part.stop)] == list(range(count))
        assert all(part.stop - part.start <= size for part in cuts(count, size))


def test_the_size_of_a_part_depends_on_the_width_alone():
    sizes = [cache_rows(DenseMatrix(np.zeros((3, width)))) for width in (1, 50, 5000)]
    assert sizes == sorted(sizes, reverse=True)
    assert all(1 << 12 <= size <= 1 << 16 for size in sizes)
    assert cache_rows(DenseMatrix(np.zeros((9, 50)))) == sizes[1]
