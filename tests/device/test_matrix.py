"""Rows in arrays of another library, here on the processor: what matrices compute is what they compute of rows in memory."""

import sys

import numpy as np
import pytest

import discreet
from discreet import LogisticRegression
from discreet.core.errors import InvalidInput, InvalidType
from discreet.device import DeviceMatrix
from discreet.device import matrix as device
from discreet.matrices import BLOCK_ROWS, AugmentedMatrix, ClippedMatrix, DenseMatrix, Matrix, as_matrix
from discreet.matrices.bounded import check_finite, clip_entries, shortened, shortened_in_order
from discreet.matrices.convert import is_device_array

pytest.importorskip("array_api_compat")
RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((3000, 6))
LABELS = (ROWS @ np.arange(6) + RNG.standard_normal(3000) > 0).astype(int)
LIBRARIES = ["array_api_strict", "torch"]
each_library = pytest.mark.parametrize("library", LIBRARIES)
each_kind = pytest.mark.parametrize("kind", [np.float64, np.float32])
COUNTS = [1, 7, BLOCK_ROWS, 2 * BLOCK_ROWS + 1]


def there(library, rows):
    xp = pytest.importorskip(library)
    return xp.asarray(np.array(rows))


def check_agrees(matrix, dense):
    """Every method of a Matrix, for vectors and for columns."""
    assert isinstance(matrix, Matrix)
    assert (matrix.shape, matrix.width) == (dense.shape, dense.width)
    count, columns = dense.shape
    for width in ((), (1,), (3,)):
        weights, coefficients = RNG.standard_normal((columns, *width)), RNG.standard_normal((count, *width))
        np.testing.assert_allclose(matrix.matvec(weights), dense.matvec(weights), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(matrix.rmatvec(coefficients), dense.rmatvec(coefficients), rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(matrix.banded(coefficients), dense.banded(coefficients), rtol=1e-12, atol=1e-11)
    curvatures = RNG.random(count)
    np.testing.assert_allclose(matrix.gram(curvatures), dense.gram(curvatures), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(matrix.gram(curvatures, single_precision=True), dense.gram(curvatures), rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(matrix.gram_diagonal(curvatures), dense.gram_diagonal(curvatures), rtol=1e-12)
    np.testing.assert_allclose(matrix.row_norms(), dense.row_norms(), rtol=1e-14)


@each_library
@each_kind
@pytest.mark.parametrize("count", COUNTS)
def test_every_method_agrees_with_the_rows_in_memory(library, kind, count):
    explicit = ROWS[:count].astype(kind)
    matrix, dense = as_matrix(there(library, explicit)), DenseMatrix(explicit)
    assert isinstance(matrix, DeviceMatrix)
    check_agrees(matrix, dense)
    assert b"".join(matrix.content()) == b"".join(dense.content())
    np.testing.assert_array_equal(matrix.entries(slice(0, min(3, count))), explicit[:3])
    np.testing.assert_array_equal(matrix.plain(), explicit)
    np.testing.assert_array_equal(matrix.rows(slice(count // 2, count)).entries(slice(0, 1)), explicit[count // 2 :][:1])
    assert sum(block.shape[0] for _, block in matrix.blocks()) == count


@each_library
@each_kind
@pytest.mark.parametrize("constant", [0.0, 0.3])
@pytest.mark.parametrize("bound", [1.5, 1e3])
def test_rows_within_a_bound_agree_with_those_in_memory(library, kind, constant, bound):
    explicit = ROWS.astype(kind)
    found, expected = (shortened(rows, bound=bound, constant=constant) for rows in (as_matrix(there(library, explicit)), DenseMatrix(explicit)))
    assert isinstance(found, DeviceMatrix)
    check_agrees(found, expected)
    check_agrees(found.rows(slice(100, 1500)), expected.rows(slice(100, 1500)))
    assert b"".join(found.content()) == b"".join(expected.content())


@each_library
@each_kind
@pytest.mark.parametrize("entry_bound", [0.8, 1e3])
@pytest.mark.parametrize("bound", [None, 1.5])
def test_clipped_and_ordered_rows_are_the_same_to_the_last_bit(library, kind, entry_bound, bound):
    """A proof about a loss with a kink needs rows that are functions of one record; here the same function wherever they are."""
    explicit = ROWS.astype(kind)
    there_and_here = (as_matrix(there(library, explicit)), DenseMatrix(explicit))
    found, expected = (shortened_in_order(clip_entries(rows, entry_bound), bound=bound, constant=0.3) for rows in there_and_here)
    assert isinstance(found, DeviceMatrix)
    check_agrees(found, expected)
    weights = RNG.standard_normal(7)
    weights[2] = 0.0
    for asked in (lambda rows: rows.entries(slice(0, 3000)), lambda rows: rows.ordered_row_norms(), lambda rows: rows.ordered_matvec(weights)):
        np.testing.assert_array_equal(asked(found), asked(expected))


@each_library
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("last", [False, True])
def test_sums_of_integers_are_exact(library, count, last):
    numbers = RNG.standard_normal(count) if last else None
    found, expected = (rows.integer_gram(numbers, unit=2.0**-16) for rows in (as_matrix(there(library, ROWS[:count])), DenseMatrix(ROWS[:count])))
    integers = np.trunc((ROWS[:count] if numbers is None else np.column_stack((ROWS[:count], numbers))) * 2.0**16).astype(object)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(found, (integers.T @ integers).astype(np.int64))


@each_kind
def test_chunks_change_nothing_but_rounding(monkeypatch, kind):
    explicit = ROWS.astype(kind)
    monkeypatch.setattr(device, "CHUNK_BYTES", 1)
    found = shortened(as_matrix(there("array_api_strict", explicit)), bound=1.5, constant=0.3)
    assert len(found.pieces(1)) == 3
    check_agrees(found, shortened(DenseMatrix(explicit), bound=1.5, constant=0.3))


def test_rows_that_are_bounded_already_are_bounded_again_around():
    first = shortened(as_matrix(there("array_api_strict", ROWS)), bound=1.5, constant=0.3)
    expected = shortened(shortened(DenseMatrix(ROWS), bound=1.5, constant=0.3), bound=1.0, constant=0.2)
    check_agrees(shortened(first, bound=1.0, constant=0.2), expected)
    again = shortened_in_order(clip_entries(first, 0.2), bound=1.0, constant=0.0)
    assert np.all(again.row_norms() <= 1.0)
    assert np.abs(clip_entries(first, 0.2).entries(slice(0, 3000))).max() == 0.2


@each_library
def test_a_gram_matrix_is_in_float64_where_that_is_asked_for(library):
    curvatures = RNG.random(3000)
    exact = DenseMatrix(ROWS).gram(curvatures)
    fine, coarse = (DeviceMatrix(there(library, ROWS), gram=kind).gram(curvatures, single_precision=True) for kind in ("float64", "float32"))
    np.testing.assert_allclose(fine, exact, rtol=1e-12, atol=1e-11)
    assert 1e-9 < np.abs(coarse - exact).max() < 1e-2
    with pytest.raises(InvalidInput, match="'float32' or 'float64'"):
        DeviceMatrix(there(library, ROWS), gram="tf32")


def test_blocks_on_a_device_are_long():
    matrix = as_matrix(there("array_api_strict", ROWS))
    wrapped = AugmentedMatrix(ClippedMatrix(matrix, bound=1.0), scale=None, constant=1.0)
    assert wrapped.cache_rows == matrix.cache_rows == 1 << 22
    assert DenseMatrix(ROWS).cache_rows <= 1 << 16


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows[0], "dimension"),
        (lambda rows: rows[:0], "same number of records"),
        (lambda rows: rows[:, :0], "minimum of 1"),
        (lambda rows: (100 * rows).astype(int), "float64 or float32"),
        (lambda rows: np.where(rows > 0, rows, np.nan), "must be finite"),
    ],
)
def test_what_is_no_table_of_finite_floats_is_refused(change, words):
    with pytest.raises(InvalidInput, match=words):
        LogisticRegression(classes=[0, 1]).fit(there("array_api_strict", change(ROWS)), LABELS)


@pytest.mark.parametrize("door", [check_finite, lambda rows: shortened(rows, bound=1.0, constant=0.0)])
def test_rows_that_are_not_finite_are_refused(door):
    with pytest.raises(InvalidInput, match="finite"):
        door(as_matrix(there("array_api_strict", np.where(ROWS > 3, np.inf, ROWS))))


def test_imitated_float64_is_refused(monkeypatch):
    monkeypatch.setenv("CUBLAS_EMULATE_DOUBLE_PRECISION", "1")
    with pytest.raises(InvalidInput, match="emulates float64 with shorter numbers, whose error"):
        as_matrix(there("array_api_strict", ROWS))


def test_without_array_api_compat_the_message_says_what_to_install(monkeypatch):
    tensor = type("Tensor", (), {"__module__": "torch"})()
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(InvalidType, match="array-api-compat"):
        is_device_array(tensor)
    assert not is_device_array(ROWS)
    assert not is_device_array([1.0])


def test_the_name_is_found_among_matrices_too():
    assert discreet.matrices.DeviceMatrix is DeviceMatrix
