"""From what users hold to a Matrix: arrays of NumPy, torch and CuPy, sparse matrices of SciPy, and the matrices of tabmat, nothing written out.

    tabmat's DenseMatrix -> DenseMatrix        SparseMatrix -> SparseMatrix       CategoricalMatrix -> TabularMatrix
             SplitMatrix -> TabularMatrix      where its columns are numbers first, then whole categories; SparseMatrix in another order

Whoever has such a matrix has imported tabmat, which is not imported here. One that was standardised is refused: means and deviations of the
records are learnt from them, outside any mechanism.
"""

import sys
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from discreet.core.errors import InvalidType
from discreet.core.parts import module_of
from discreet.matrices.base import Matrix
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.sparse import AnySparse, SparseMatrix
from discreet.matrices.tabular import TabularMatrix

OfTabmat: TypeAlias = Any
"""tabmat publishes no types."""
_LIBRARIES = ("torch", "cupy")
_PLAIN = {"numpy", "builtins", "pandas", "polars", "scipy", "discreet"}


def as_matrix(rows: npt.NDArray[Any] | Matrix | AnySparse, device: object = None) -> Matrix:
    """The matrix of an (n, d) array, a SciPy sparse matrix, a matrix of tabmat, an array of torch or CuPy (`discreet.device`), or a Matrix itself.

    float64 and float32 arrays and float64 CSR matrices are held by reference; integer and boolean ones are converted. With a `device` its rows are
    there (`device.on_device`). Raises InvalidType for anything else, InvalidInput when it is not two-dimensional, and as `on_device` does.
    """
    if device is None:
        return _held(rows)
    moved: Matrix = module_of("device").on_device(_held(rows), device)
    return moved


def _held(rows: npt.NDArray[Any] | Matrix | AnySparse) -> Matrix:
    if isinstance(rows, np.ndarray):
        if rows.dtype in (np.float64, np.float32):
            return DenseMatrix(rows)
        if rows.dtype.kind in "biuf":
            return DenseMatrix(rows.astype(np.float64))
        raise InvalidType("a matrix holds real numbers; encode text and dates first.")
    if sparse.issparse(rows):
        matrix: AnySparse = rows
        if matrix.dtype.kind not in "biuf":
            raise InvalidType("a matrix holds real numbers.")
        return SparseMatrix(matrix)
    if isinstance(rows, Matrix):
        return rows
    if is_tabmat(rows):
        return _of_tabmat(rows)
    if is_device_array(rows):
        there: Matrix = module_of("device").DeviceMatrix(rows)
        return there
    raise InvalidType(f"rows must be a NumPy array, a SciPy sparse matrix or a Matrix; {type(rows).__name__} was given.")


def is_tabmat(rows: Any) -> bool:  # noqa: ANN401 - whatever a caller has
    """Whether `rows` is a matrix of tabmat."""
    return type(rows).__module__.partition(".")[0] == "tabmat" and "tabmat" in sys.modules


def _of_tabmat(matrix: OfTabmat) -> Matrix:
    """A matrix of tabmat as one of ours, with its columns in their order. Raises InvalidType for a standardised one and for unknown kinds.

    Dense numbers, categories' codes and compressed entries are held by reference where their types allow.
    """
    tabmat: Any = sys.modules["tabmat"]
    if isinstance(matrix, tabmat.DenseMatrix):
        return _dense(matrix)
    if isinstance(matrix, tabmat.SparseMatrix):
        return SparseMatrix(matrix.unpack())
    if isinstance(matrix, tabmat.CategoricalMatrix):
        return TabularMatrix(None, [matrix.indices], [len(matrix.categories)]) if _is_whole(matrix) else SparseMatrix(matrix.tocsr())
    if isinstance(matrix, tabmat.SplitMatrix):
        return _split(matrix, tabmat)
    raise InvalidType(
        f"tabmat's {type(matrix).__name__} cannot be used: it holds means and deviations of private records, which a mechanism must "
        "protect. Pass a DenseMatrix, SparseMatrix, CategoricalMatrix or SplitMatrix, and scale columns by public bounds."
    )


def _dense(matrix: OfTabmat) -> DenseMatrix:
    numbers = matrix.unpack()
    return DenseMatrix(numbers if numbers.dtype in (np.float64, np.float32) else numbers.astype(np.float64))


def _split(matrix: OfTabmat, tabmat: OfTabmat) -> Matrix:
    """Numbers and categories, if that is what it holds and in which order; else the entries of all its parts."""
    numbers = [part for part in matrix.matrices if isinstance(part, tabmat.DenseMatrix)]
    categories = [part for part in matrix.matrices if isinstance(part, tabmat.CategoricalMatrix) and _is_whole(part)]
    ordered = [*numbers, *categories]
    in_order = len(ordered) == len(matrix.matrices) and all(one is other for one, other in zip(ordered, matrix.matrices, strict=True))
    places = np.concatenate([np.asarray(columns) for columns in matrix.indices])
    if in_order and len(numbers) <= 1 and categories and np.array_equal(places, np.arange(matrix.shape[1])):
        table = _dense(numbers[0])._rows if numbers else None
        return TabularMatrix(table, [part.indices for part in categories], [len(part.categories) for part in categories])
    parts = [part.unpack() if isinstance(part, tabmat.DenseMatrix | tabmat.SparseMatrix) else part.tocsr() for part in matrix.matrices]
    entries = sparse.hstack([sparse.csc_array(part, dtype=np.float64) for part in parts], format="csc")
    return SparseMatrix(entries[:, np.argsort(places)])


def _is_whole(category: OfTabmat) -> bool:
    """Whether every record has one of its columns: no level is dropped and none is missing."""
    return not category.drop_first and bool(np.all(category.indices >= 0))


def is_device_array(rows: Any) -> bool:  # noqa: ANN401 - whatever a caller has
    """Whether `rows` is an array of torch, CuPy or another library of the array API standard, and not of NumPy.

    Raises InvalidType for one of torch or CuPy where array-api-compat is not installed.
    """
    library = type(rows).__module__.partition(".")[0]
    if library in _PLAIN:
        return False
    try:
        from array_api_compat import is_array_api_obj, is_numpy_array  # noqa: PLC0415 - an optional dependency
    except ImportError:
        if library in _LIBRARIES:
            raise InvalidType(f"arrays of {library} need array-api-compat: pip install 'discreet[gpu]'.") from None
        return False
    return bool(is_array_api_obj(rows)) and not is_numpy_array(rows)


def to_host(values: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - an array of another library
    """A NumPy array of the numbers of an array for which `is_device_array` holds."""
    found: npt.NDArray[Any] = module_of("device.transfer").to_host(values)
    return found
