"""Single columns of a matrix, for methods that move along one coordinate at a time.

    column(j) = (x_1j, ..., x_nj),    as numbers for all rows, or for the rows where it may be non-zero

A sparse table is turned into compressed columns once, which takes a second copy of its stored numbers. Entries are exact; a factor of the row is
multiplied in, rounded once, so that an entry depends on its row alone.
"""

from collections.abc import Callable
from functools import singledispatch
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.private import holds_records
from discreet.matrices.augmented import AugmentedMatrix
from discreet.matrices.base import Matrix
from discreet.matrices.clipped import ClippedMatrix
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.sparse import CSC, SparseMatrix
from discreet.matrices.tabular import TabularMatrix


@holds_records
class Column(NamedTuple):
    """Entries of one column."""

    rows: npt.NDArray[np.integer] | None
    """Row numbers of `values`, each once; None for all rows in order."""
    values: Floats


Columns: TypeAlias = Callable[[int], Column]


@singledispatch
def columns_of(matrix: Matrix) -> Columns:
    """A function from the number of a column to its entries."""
    dimension = matrix.shape[1]

    def column(index: int) -> Column:
        unit = np.zeros(dimension)
        unit[index] = 1.0
        return Column(None, matrix.matvec(unit))  # every other product is zero, so the sum is exact

    return column


@columns_of.register
def _dense(matrix: DenseMatrix) -> Columns:
    return lambda index: Column(None, matrix._rows[:, index].astype(np.float64))


@columns_of.register
def _sparse(matrix: SparseMatrix) -> Columns:
    compressed: CSC = matrix._rows.tocsc()

    def column(index: int) -> Column:
        entries = slice(int(compressed.indptr[index]), int(compressed.indptr[index + 1]))
        return Column(compressed.indices[entries], compressed.data[entries])

    return column


@columns_of.register
def _tabular(matrix: TabularMatrix) -> Columns:
    numbers, offsets = matrix._numeric.shape[1], np.asarray(matrix._offsets)
    numeric = columns_of(matrix._numeric)

    def column(index: int) -> Column:
        if index < numbers:
            return numeric(index)
        category = int(np.searchsorted(offsets, index - numbers, side="right")) - 1
        rows = np.flatnonzero(matrix._codes[category] == index - numbers - offsets[category])
        return Column(rows, np.ones(len(rows)))

    return column


@columns_of.register
def _clipped(matrix: ClippedMatrix) -> Columns:
    inner = columns_of(matrix._base)

    def column(index: int) -> Column:
        rows, values = inner(index)
        return Column(rows, matrix.changed(values, slice(None) if rows is None else rows))

    return column


@columns_of.register
def _augmented(matrix: AugmentedMatrix) -> Columns:
    inner, features, count = columns_of(matrix._base), matrix._base.shape[1], matrix.shape[0]

    def column(index: int) -> Column:
        if index == features:
            return Column(None, np.full(count, matrix._constant))
        rows, values = inner(index)
        if matrix._scale is None:
            return Column(rows, values)
        return Column(rows, values * (matrix._scale if rows is None else matrix._scale[rows]))

    return column
