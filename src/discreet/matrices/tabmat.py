"""Matrices of the library tabmat as ours: what they hold is what ours hold, so that nothing is written out.

    DenseMatrix -> DenseMatrix        SparseMatrix -> SparseMatrix       CategoricalMatrix -> TabularMatrix
    SplitMatrix -> TabularMatrix      where its columns are numbers first, then whole categories; SparseMatrix where they are in another order

Whoever has such a matrix has imported tabmat, which is not imported here. A matrix that was standardised is refused: means and deviations of the
records are learnt from them, outside any mechanism.
"""

import sys
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from discreet.core.errors import InvalidType
from discreet.matrices.base import Matrix
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.sparse import SparseMatrix
from discreet.matrices.tabular import TabularMatrix

OfTabmat: TypeAlias = Any
"""tabmat publishes no types."""


def is_tabmat(rows: Any) -> bool:  # noqa: ANN401 - whatever a caller has
    """Whether `rows` is a matrix of tabmat."""
    return type(rows).__module__.partition(".")[0] == "tabmat" and "tabmat" in sys.modules


def tabmat_matrix(matrix: OfTabmat) -> Matrix:
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
        f"a {type(matrix).__name__} of tabmat cannot be used: pass a DenseMatrix, SparseMatrix, CategoricalMatrix or SplitMatrix. "
        "Means and deviations of private records must not be learnt outside a mechanism; scale columns by public bounds."
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
