"""Rows in arrays of another library, here on the processor: the same results as NumPy's, through the same code, and certificates that hold."""

import sys

import numpy as np
import pytest
from mpmath import mp

from discreet import LassoClassifier, LogisticRegression
from discreet.designs import BLOCK_ROWS, AugmentedDesign, ClippedDesign, DenseDesign, Design, DeviceDesign, as_design, entries_of
from discreet.designs.cut import cache_rows, rows_of
from discreet.designs.travel import is_device_array
from discreet.errors import InvalidInput, InvalidType
from discreet.losses import Logistic
from discreet.problems.objective import MarginObjective

pytest.importorskip("array_api_compat")
RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((3000, 6))
LABELS = (ROWS @ np.arange(6) + RNG.standard_normal(3000) > 0).astype(int)


def there(library, rows):
    xp = pytest.importorskip(library)
    return xp.asarray(np.array(rows))


LIBRARIES = ["array_api_strict", "torch"]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("count", [1, 7, BLOCK_ROWS + 1])
def test_every_method_agrees_with_the_rows_in_memory(library, kind, count):
    explicit = ROWS[:count].astype(kind)
    design, dense = as_design(there(library, explicit)), DenseDesign(explicit)
    assert isinstance(design, DeviceDesign)
    assert isinstance(design, Design)
    assert (design.shape, design.width) == (dense.shape, dense.width)
    for width in ((), (1,), (3,)):
        weights, coefficients = RNG.standard_normal((6, *width)), RNG.standard_normal((count, *width))
        np.testing.assert_allclose(design.matvec(weights), dense.matvec(weights), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(design.rmatvec(coefficients), dense.rmatvec(coefficients), rtol=1e-12, atol=1e-11)
    curvatures = RNG.random(count)
    np.testing.assert_allclose(design.gram(curvatures), dense.gram(curvatures), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(design.gram(curvatures, single_precision=True), dense.gram(curvatures), rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(design.gram_diagonal(curvatures), dense.gram_diagonal(curvatures), rtol=1e-12)
    np.testing.assert_allclose(design.row_norms(), dense.row_norms(), rtol=1e-14)
    assert b"".join(design.content()) == b"".join(dense.content())
    np.testing.assert_array_equal(entries_of(design, slice(0, min(3, count))), explicit[:3])
    np.testing.assert_array_equal(entries_of(rows_of(design, slice(count // 2, count)), slice(0, 1)), explicit[count // 2 :][:1])
    assert sum(block.shape[0] for _, block in design.blocks()) == count


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "make", [lambda: LogisticRegression(random_state=1, classes=[0, 1]), lambda: LassoClassifier(random_state=1, classes=[0, 1])]
)
def test_estimators_take_them_and_find_the_same(library, make):
    found, expected = make().fit(there(library, ROWS), LABELS), make().fit(ROWS, LABELS)
    np.testing.assert_allclose(found.weights_, expected.weights_, atol=1e-6)
    np.testing.assert_allclose(found.decision_function(there(library, ROWS)), expected.decision_function(ROWS), atol=1e-5)


@pytest.mark.parametrize("library", LIBRARIES)
def test_many_seeds_at_once_are_columns(library):
    found, expected = (LogisticRegression(random_state=1).fit_many(rows, LABELS, count=5) for rows in (there(library, ROWS), ROWS))
    np.testing.assert_allclose(found.coef, expected.coef, atol=1e-6)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("scale", [1.0, 1e-4])
def test_certified_norms_are_above_the_exact_ones(library, scale):
    """Against sixty digits, at points where the gradient is almost all rounding error."""
    rows, signs = scale * ROWS[:60], np.where(LABELS[:60] > 0, 1.0, -1.0)
    objective = MarginObjective(design=as_design(there(library, rows)), signs=signs, weights=None, loss=Logistic(), ridge=1e-3)
    point = RNG.standard_normal(6)
    balanced = objective.with_linear(-objective.gradient(point, objective.margins(point)))
    with mp.workdps(60):
        exact = [mp.mpf(objective.ridge) * mp.mpf(float(point[j])) + mp.mpf(float(balanced.linear[j])) for j in range(6)]
        for row, sign in zip(rows, signs, strict=True):
            margin = mp.mpf(float(sign)) * mp.fsum(mp.mpf(float(x)) * mp.mpf(float(w)) for x, w in zip(row, point, strict=True))
            slope = -mp.mpf(float(sign)) / (1 + mp.exp(margin))
            exact = [total + slope * mp.mpf(float(x)) for total, x in zip(exact, row, strict=True)]
        norm = mp.sqrt(mp.fsum(one**2 for one in exact))
        assert norm <= mp.mpf(balanced.certified_gradient_norm(point))
    assert balanced.certified_gradient_norm(point) < 1e-10


def test_blocks_on_a_device_are_long():
    design = as_design(there("array_api_strict", ROWS))
    wrapped = AugmentedDesign(ClippedDesign(design, bound=1.0), scale=None, constant=1.0)
    assert cache_rows(wrapped) == cache_rows(design) == 1 << 22
    assert cache_rows(DenseDesign(ROWS)) <= 1 << 16


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows[0], "dimension"),
        (lambda rows: rows[:0], "minimum of 1"),
        (lambda rows: rows[:, :0], "minimum of 1"),
        (lambda rows: (100 * rows).astype(int), "float64 or float32"),
        (lambda rows: np.where(rows > 0, rows, np.nan), "must be finite"),
    ],
)
def test_what_is_no_table_of_finite_floats_is_refused(change, words):
    with pytest.raises(InvalidInput, match=words):
        LogisticRegression().fit(there("array_api_strict", change(ROWS)), LABELS)


def test_imitated_float64_is_refused(monkeypatch):
    monkeypatch.setenv("CUBLAS_EMULATE_DOUBLE_PRECISION", "1")
    with pytest.raises(InvalidInput, match="not bounded"):
        as_design(there("array_api_strict", ROWS))


def test_without_array_api_compat_the_message_says_what_to_install(monkeypatch):
    tensor = type("Tensor", (), {"__module__": "torch"})()
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(InvalidType, match="array-api-compat"):
        is_device_array(tensor)
    assert not is_device_array(ROWS)
    assert not is_device_array([1.0])
