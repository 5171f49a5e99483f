"""A streamed table of features against the matrix that it never writes out."""

import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from discreet.core.errors import InvalidInput
from discreet.kernels import Gaussian, draw_frequencies
from discreet.kernels.feature_map import FeatureMap
from discreet.kernels.matrix import FeatureMapMatrix, RecentFeatures
from discreet.matrices import BLOCK_ROWS, AugmentedMatrix, DenseMatrix, Matrix, SparseMatrix, TabularMatrix

COLUMNS = 6


def base(kind, rows):
    """A matrix with its explicit matrix."""
    draw = np.random.default_rng(0)
    explicit = draw.standard_normal((rows, COLUMNS))
    if kind == "dense":
        return DenseMatrix(explicit), explicit
    if kind == "float32":
        return DenseMatrix(explicit.astype(np.float32)), explicit.astype(np.float32).astype(float)
    if kind == "sparse":
        explicit[draw.random(explicit.shape) < 0.7] = 0.0
        return SparseMatrix(sparse.csr_array(explicit)), explicit
    if kind == "tabular":
        code = draw.integers(0, 4, rows)
        return TabularMatrix(explicit[:, :2], [code], [4]), np.hstack((explicit[:, :2], np.eye(4)[code]))
    scale = draw.random(rows)
    return AugmentedMatrix(DenseMatrix(explicit[:, :-1]), scale=scale, constant=0.5), np.hstack(
        (explicit[:, :-1] * scale[:, np.newaxis], np.full((rows, 1), 0.5))
    )


def feature_map(count=5):
    return FeatureMap(frequencies=draw_frequencies(Gaussian(), seed=0, features=COLUMNS, count=count))


@pytest.mark.parametrize("held", [0, 2**28], ids=["streamed", "held"])
@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "tabular", "augmented"])
@pytest.mark.parametrize("rows", [1, 40, 2 * BLOCK_ROWS + 3])
def test_every_method_agrees_with_the_explicit_features(kind, rows, held):
    below, explicit = base(kind, rows)
    features = feature_map().features(explicit)
    matrix = FeatureMapMatrix(below, feature_map(), held_bytes=held)
    assert isinstance(matrix, Matrix)
    assert matrix.shape == features.shape
    assert matrix.width == features.shape[1]
    draw = np.random.default_rng(1)
    for width in ((), (1,), (3,)):
        weights, coefficients = draw.standard_normal((features.shape[1], *width)), draw.standard_normal((rows, *width))
        np.testing.assert_allclose(matrix.matvec(weights), features @ weights, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(matrix.rmatvec(coefficients), features.T @ coefficients, rtol=1e-12, atol=1e-11)
    curvatures = draw.random(rows)
    gram = features.T @ (curvatures[:, np.newaxis] * features)
    np.testing.assert_allclose(matrix.gram(curvatures), gram, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(matrix.gram(curvatures, single_precision=True), gram, rtol=1e-3, atol=1e-3 * rows)
    np.testing.assert_allclose(matrix.gram_diagonal(curvatures), np.diag(gram), rtol=1e-11)
    np.testing.assert_allclose(matrix.row_norms(), 1.0, rtol=1e-14)
    assert list(matrix.content()) == list(below.content())
    seen = np.concatenate([block.matvec(np.eye(features.shape[1])) for _, block in matrix.blocks()])
    np.testing.assert_array_equal(seen, features)


def test_blocks_are_short_and_in_order():
    stops = [0]
    for rows, block in FeatureMapMatrix(base("sparse", 3000)[0], feature_map(), held_bytes=0).blocks():
        assert rows.start == stops[-1]
        assert block.shape[0] == rows.stop - rows.start <= BLOCK_ROWS
        stops.append(rows.stop)
    assert stops[-1] == 3000


def peak(action):
    tracemalloc.start()
    action()
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return used


def test_memory_does_not_grow_with_the_table_of_features():
    """32 million bytes of features, never more than two blocks of them at a time; held, they are all there."""
    rows, count = 32_000, 64
    below = DenseMatrix(np.random.default_rng(0).standard_normal((rows, COLUMNS)))
    whole = rows * 2 * count * 8
    streamed = FeatureMapMatrix(below, feature_map(count), held_bytes=0)
    weights, coefficients = np.ones(2 * count), np.ones(rows)
    for action in (lambda: streamed.matvec(weights), lambda: streamed.rmatvec(coefficients), lambda: streamed.gram(coefficients), streamed.row_norms):
        assert peak(action) < 0.15 * whole
    assert peak(lambda: FeatureMapMatrix(below, feature_map(count), held_bytes=whole)) > 0.9 * whole


def test_a_map_of_another_width_is_refused():
    with pytest.raises(InvalidInput, match="6 columns; a table with 2"):
        FeatureMapMatrix(DenseMatrix(np.ones((3, 2))), feature_map())


@pytest.mark.parametrize("held_bytes", [0, 2**20])
@pytest.mark.parametrize("kind", ["dense", "sparse", "augmented"])
def test_some_rows_of_features_are_the_features_of_some_rows(kind, held_bytes):
    matrix = FeatureMapMatrix(base(kind, 2 * BLOCK_ROWS + 9)[0], feature_map(), held_bytes=held_bytes)
    whole = matrix.matvec(np.eye(matrix.shape[1]))
    for rows in (slice(0, 4), slice(BLOCK_ROWS - 1, BLOCK_ROWS + 7)):
        part = matrix.rows(rows)
        np.testing.assert_allclose(part.matvec(np.eye(matrix.shape[1])), whole[rows], rtol=1e-12, atol=1e-14)


def test_a_thread_keeps_the_features_of_the_part_that_it_asked_about_last(monkeypatch):
    """A part is computed once however much is asked of it, and again after another one; another thread computes its own."""
    computed = []
    original = FeatureMapMatrix._computed
    monkeypatch.setattr(FeatureMapMatrix, "_computed", lambda self, block: computed.append(block.shape[0]) or original(self, block))
    below, _ = base("dense", 2000)
    whole = FeatureMapMatrix(below, feature_map(), held_bytes=0)
    first, second = whole.rows(slice(0, 900)), whole.rows(slice(900, 2000))
    for _ in range(3):
        first.matvec(np.ones(10))
        first.gram(np.ones(900))
    assert computed == [900]
    second.row_norms()
    assert computed == [900, 1024, 76]
    inner = second.rows(slice(0, 100))
    np.testing.assert_array_equal(inner.rmatvec(np.ones(100)), whole.rows(slice(900, 1000)).rmatvec(np.ones(100)))
    assert computed == [900, 1024, 76, 100]
    with ThreadPoolExecutor(1) as pool:
        np.testing.assert_array_equal(pool.submit(second.row_norms).result(), second.row_norms())
    assert computed == [900, 1024, 76, 100, 1024, 76, 1024, 76]


def test_kept_features_do_not_travel():
    recent = RecentFeatures()
    recent.keep(recent, np.ones(3))
    assert recent.of(recent) is not None
    assert pickle.loads(pickle.dumps(recent)).of(recent) is None  # noqa: S301 - our own


def test_a_long_part_is_not_kept(monkeypatch):
    monkeypatch.setattr("discreet.kernels.matrix.RECENT_BYTES", 1000)
    below, _ = base("dense", 2000)
    part = FeatureMapMatrix(below, feature_map(), held_bytes=0).rows(slice(0, 900))
    expected = FeatureMapMatrix(below, feature_map()).rows(slice(0, 900))
    np.testing.assert_allclose(part.matvec(np.ones(10)), expected.matvec(np.ones(10)), rtol=1e-12)
    assert part._at_hand() is None
