"""Every layout of rows against the explicit matrix it stands for."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.rounding import gamma
from discreet.data import Domain, Records
from discreet.kernels.feature_map import FeatureMap
from discreet.kernels.matrix import FeatureMapMatrix
from discreet.matrices import (
    BLOCK_ROWS,
    AugmentedMatrix,
    ClippedMatrix,
    DenseMatrix,
    MappedMatrix,
    Matrix,
    SparseMatrix,
    TabularMatrix,
    as_matrix,
    dense,
)
from discreet.matrices.base import cuts
from discreet.matrices.levels import LevelMatrix

SIZES = (3, 1, 5)


class Least(Matrix):
    """A layout of another package, which says what it must and nothing else."""

    def __init__(self, rows):
        self._rows = rows

    @property
    def shape(self):
        return self._rows.shape

    @property
    def width(self):
        return self._rows.shape[1]

    def rows(self, rows):
        return Least(self._rows[rows])

    def chosen(self, numbers):
        return Least(self._rows[numbers])

    def entries(self, rows):
        return self._rows[rows]

    def content(self):
        yield self._rows.tobytes()


def _tabular(rng, explicit):
    codes = [rng.integers(0, size, len(explicit)) for size in SIZES]
    numeric = explicit if explicit.shape[1] else None
    return TabularMatrix(numeric, codes, SIZES), np.hstack([explicit, *(np.eye(size)[code] for code, size in zip(codes, SIZES, strict=True))])


def _augmented(base, explicit, scale, constant):
    inner = explicit if scale is None else explicit * scale[:, np.newaxis]
    whole = np.hstack([inner, np.full((len(inner), 1), constant)]) if constant else inner
    return AugmentedMatrix(base, scale=scale, constant=constant), whole


def make(kind, rng, count):
    """The matrix and its entries."""
    explicit = rng.standard_normal((count, 7))
    explicit[rng.random(explicit.shape) < 0.4] = 0.0
    scale, held = rng.random(count), DenseMatrix(explicit)
    match kind:
        case "dense":
            return held, explicit
        case "dense-columns":
            return DenseMatrix(np.asfortranarray(explicit)), explicit
        case "dense-view":
            return DenseMatrix(explicit[:, ::2]), explicit[:, ::2]
        case "dense-float32":
            narrow = explicit.astype(np.float32)
            return DenseMatrix(narrow), narrow.astype(np.float64)
        case "sparse":
            return SparseMatrix(sparse.csr_array(explicit)), explicit
        case "sparse-wide":
            explicit = np.where(rng.random((count, 200)) < 0.01, 1.5, 0.0)
            return SparseMatrix(sparse.csr_array(explicit)), explicit
        case "tabular":
            return _tabular(rng, explicit[:, :2])
        case "tabular-no-numbers":
            return _tabular(rng, explicit[:, :0])
        case "clipped":
            return ClippedMatrix(held, bound=0.7), np.clip(explicit, -0.7, 0.7)
        case "clipped-tabular":
            base, inner = _tabular(rng, explicit[:, :2])
            return ClippedMatrix(base, bound=0.7, powers=np.arange(count, dtype=np.int32) % 3), np.clip(inner, -0.7, 0.7) * 2.0 ** (
                np.arange(count)[:, np.newaxis] % 3
            )
        case "augmented":
            return _augmented(held, explicit, scale, 0.7)
        case "augmented-scale":
            return _augmented(*_tabular(rng, explicit[:, :2]), scale, 0.0)
        case "augmented-constant":
            return _augmented(SparseMatrix(sparse.csr_array(explicit)), explicit, None, 2.0)
        case "mapped":
            base, inner = _tabular(rng, np.round(explicit[:, :2] * 64) / 64)
            table = rng.integers(-3, 4, (inner.shape[1], 20)).astype(float)  # so that sums are exact
            norms, reach = np.linalg.norm(inner @ table, axis=1), np.full(count, 1e3)
            return MappedMatrix(base, sparse.csr_array(table), norms=norms, reach=reach), inner @ table
        case "levels":
            owners, levels = np.sort(rng.integers(0, 1 + count // 2, count)), rng.integers(-1, 4, count)
            made = np.hstack((explicit[owners], np.full((count, 1), 0.7), 0.3 * np.eye(4)[levels])) * (levels >= 0)[:, np.newaxis]
            return LevelMatrix(held, owners, levels, count=4, constant=0.7, step=0.3), made
        case "least":
            return Least(explicit), explicit


KINDS = [
    "dense", "dense-columns", "dense-view", "dense-float32", "sparse", "sparse-wide", "tabular", "tabular-no-numbers", "clipped", "clipped-tabular",
    "augmented", "augmented-scale", "augmented-constant", "mapped", "levels",
    "least",
]  # fmt: skip
each_kind = pytest.mark.parametrize("kind", KINDS)
COUNT = 2 * BLOCK_ROWS + 5


@each_kind
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.sampled_from([1, 2, 7, 40, BLOCK_ROWS + 1]))
def test_every_product_is_that_of_the_explicit_matrix(kind, seed, count):
    rng = np.random.default_rng(seed)
    matrix, explicit = make(kind, rng, count)
    assert isinstance(matrix, Matrix)
    assert matrix.shape == explicit.shape
    assert np.count_nonzero(explicit, axis=1).max() <= matrix.width <= explicit.shape[1] + (5 if kind == "mapped" else 0)
    close = {"rtol": 1e-10, "atol": 1e-10}
    for width in ((), (1,), (3,)):
        weights, coefficients = rng.standard_normal((explicit.shape[1], *width)), rng.standard_normal((count, *width))
        np.testing.assert_allclose(matrix.matvec(weights), explicit @ weights, **close)
        np.testing.assert_allclose(matrix.rmatvec(coefficients), explicit.T @ coefficients, **close)
    np.testing.assert_allclose(matrix.banded(coefficients), explicit.T @ coefficients, **close)
    np.testing.assert_allclose(matrix.ordered_matvec(weights[:, 0]), explicit @ weights[:, 0], **close)
    curvatures = rng.random(count)
    gram = explicit.T @ (curvatures[:, None] * explicit)
    np.testing.assert_allclose(matrix.gram(curvatures), gram, **close)
    np.testing.assert_allclose(matrix.gram(curvatures, single_precision=True), gram, rtol=1e-4, atol=1e-4 * max(1.0, np.abs(gram).max()))
    np.testing.assert_allclose(matrix.gram_diagonal(curvatures), np.diag(gram), **close)
    for norms in (matrix.row_norms(), matrix.ordered_row_norms()):
        np.testing.assert_allclose(norms, np.linalg.norm(explicit, axis=1), rtol=1e-12)


@each_kind
@pytest.mark.parametrize("models", [1, 3])
def test_a_banded_product_is_the_product_for_any_number_of_blocks(kind, models):
    for count in (0, BLOCK_ROWS, 3 * BLOCK_ROWS + 77):
        matrix, explicit = make(kind, np.random.default_rng(count), count)
        coefficients = np.random.default_rng(1).standard_normal((count, models))
        np.testing.assert_allclose(matrix.banded(coefficients), explicit.T @ coefficients, rtol=0, atol=1e-11 * (1 + count))


@each_kind
def test_entries_columns_and_plain_rows_are_exact(kind):
    matrix, explicit = make(kind, np.random.default_rng(0), COUNT)
    for rows in (slice(0, 5), slice(BLOCK_ROWS - 1, BLOCK_ROWS + 4), slice(None), slice(3, 3)):
        found = matrix.entries(rows)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, explicit[rows])
    plain = matrix.plain()
    assert sparse.issparse(plain) is isinstance(matrix, SparseMatrix)
    np.testing.assert_array_equal(plain.toarray() if sparse.issparse(plain) else plain, explicit)
    column = matrix.columns()
    for index in range(0, explicit.shape[1], 1 + explicit.shape[1] // 20):
        rows, values = column(index)
        found = np.zeros(COUNT)
        found[slice(None) if rows is None else rows] = values
        np.testing.assert_array_equal(found, explicit[:, index])


@each_kind
def test_some_rows_are_a_matrix_of_these_rows(kind):
    rng = np.random.default_rng(1)
    matrix, explicit = make(kind, rng, COUNT)
    taken = [(matrix.rows(rows), explicit[rows]) for rows in (slice(0, COUNT), slice(0, 0), slice(BLOCK_ROWS - 2, BLOCK_ROWS + 3), slice(7, COUNT))]
    taken += [(matrix.chosen(numbers), explicit[numbers]) for numbers in (np.array([3, 1, 1030, 3]), np.array([], dtype=np.intp))]
    for part, wanted in taken:
        assert part.shape == wanted.shape
        np.testing.assert_array_equal(part.entries(slice(0, len(wanted))), wanted)
        np.testing.assert_allclose(part.row_norms(), np.linalg.norm(wanted, axis=1), rtol=1e-12, atol=1e-14)
        weights = rng.random(len(wanted))
        np.testing.assert_allclose(part.gram(weights), wanted.T @ (weights[:, np.newaxis] * wanted), rtol=1e-9, atol=1e-9)


@each_kind
def test_blocks_are_the_rows_in_order_and_short(kind):
    matrix, explicit = make(kind, np.random.default_rng(5), COUNT)
    places, found = zip(*((rows, block.entries(slice(None))) for rows, block in matrix.blocks()), strict=True)
    assert [place.start for place in places] == [0, *(place.stop for place in places[:-1])]
    assert all(len(block) == place.stop - place.start <= BLOCK_ROWS for place, block in zip(places, found, strict=True))
    np.testing.assert_array_equal(np.concatenate(found), explicit)


@pytest.mark.parametrize("models", [1, 64])
def test_bands_are_all_rows_in_order(models):
    rows = np.random.default_rng(0).standard_normal((70_001, 3))
    seen = list(DenseMatrix(rows).bands(models))
    assert [place.start for place, _ in seen] == [0, *(place.stop for place, _ in seen[:-1])]
    assert all(place.start % BLOCK_ROWS == 0 for place, _ in seen)
    np.testing.assert_array_equal(np.concatenate([band.entries(slice(None)) for _, band in seen]), rows)


@pytest.mark.parametrize("kind", ["dense", "dense-columns", "augmented"])
def test_the_error_of_a_banded_product_is_within_its_bound_in_exact_arithmetic(kind):
    """Sizes that differ and cancel: the error is a good part of its bound, and not above it."""
    rng = np.random.default_rng(4)
    entries, coefficients, scale = (rng.choice([-1.0, 1.0], (COUNT, 1)) * rng.uniform(0.5, 1.0, (COUNT, 1)) for _ in range(3))
    base = DenseMatrix(np.asfortranarray(entries) if kind == "dense-columns" else entries)
    factors = np.abs(scale[:, 0]) if kind == "augmented" else np.ones(COUNT)
    matrix = AugmentedMatrix(base, scale=factors, constant=0.5) if kind == "augmented" else base
    terms = [Fraction(float(x)) * Fraction(float(f)) * Fraction(float(c)) for x, f, c in zip(entries[:, 0], factors, coefficients[:, 0], strict=True)]
    off = abs(Fraction(float(matrix.banded(coefficients)[0, 0])) - sum(terms, Fraction(0)))
    assert off <= Fraction(gamma(BLOCK_ROWS + 3 + 3)) * sum(map(abs, terms), Fraction(0))


def test_features_that_are_not_held_are_computed():
    rows, features = DenseMatrix(np.random.default_rng(0).standard_normal((10, 3))), FeatureMap(frequencies=np.ones((2, 3)))
    streamed, held = FeatureMapMatrix(rows, features, held_bytes=0), FeatureMapMatrix(rows, features)
    for matrix, expected in ((rows, False), (held, False), (streamed, True)):
        assert matrix.computed is AugmentedMatrix(matrix, scale=None, constant=0.5).computed is expected
        data = Records(rows=matrix, targets=np.ones(10), domain=Domain(features=matrix.shape[1], norm_bound=1.0, classes=2))
        assert data.slow is expected


def test_cuts_cover_every_row_once():
    for count, size in ((0, 3), (1, 3), (9, 3), (10, 3)):
        assert [row for part in cuts(count, size) for row in range(part.start, part.stop)] == list(range(count))
        assert all(part.stop - part.start <= size for part in cuts(count, size))


def test_the_size_of_a_part_depends_on_the_width_alone():
    sizes = [DenseMatrix(np.zeros((3, width))).cache_rows for width in (1, 50, 5000)]
    assert sizes == sorted(sizes, reverse=True)
    assert all(1 << 12 <= size <= 1 << 16 for size in sizes)
    assert DenseMatrix(np.zeros((9, 50))).cache_rows == sizes[1]


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


@each_kind
def test_the_content_of_no_rows_is_no_byte(kind):
    """So that a ledger cannot tell that a table has no records by knowing it again; one row has some."""
    rng = np.random.default_rng(0)
    assert not b"".join(make(kind, rng, 0)[0].content())
    assert b"".join(make(kind, rng, 1)[0].content())


@pytest.mark.parametrize("order", ["C", "F"])
def test_sums_over_rows_beyond_the_caches_are_off_by_no_more_than_any_order_of_them(monkeypatch, order):
    monkeypatch.setattr(dense, "_CACHES", 0)
    rng = np.random.default_rng(3)
    rows, coefficients = np.asarray(rng.standard_normal((500, 70)), order=order), rng.standard_normal(500) * 10.0 ** rng.integers(-8, 8, 500)
    terms = rows * coefficients[:, np.newaxis]
    exact = np.array([math.fsum(column) for column in terms.T])
    assert np.all(np.abs(DenseMatrix(rows).rmatvec(coefficients) - exact) <= 1.01 * gamma(501) * np.abs(terms).sum(axis=0))
    by_rows = DenseMatrix(rows).rmatvec(coefficients)
    monkeypatch.setattr(dense, "_CACHES", rows.nbytes)
    assert (order == "F") == np.array_equal(by_rows, DenseMatrix(rows).rmatvec(coefficients))  # another way, for rows in one piece
