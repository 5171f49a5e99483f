"""Single columns of a design, for methods that move along one coordinate at a time.

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
from discreet.matrices.augmented import AugmentedDesign
from discreet.matrices.base import Design
from discreet.matrices.clipped import ClippedDesign
from discreet.matrices.dense import DenseDesign
from discreet.matrices.sparse import CSC, SparseDesign
from discreet.matrices.tabular import TabularDesign


@holds_records
class Column(NamedTuple):
    """Entries of one column."""

    rows: npt.NDArray[np.integer] | None
    """Row numbers of `values`, each once; None for all rows in order."""
    values: Floats


Columns: TypeAlias = Callable[[int], Column]


@singledispatch
def columns_of(design: Design) -> Columns:
    """A function from the number of a column to its entries."""
    dimension = design.shape[1]

    def column(index: int) -> Column:
        unit = np.zeros(dimension)
        unit[index] = 1.0
        return Column(None, design.matvec(unit))  # every other product is zero, so the sum is exact

    return column


@columns_of.register
def _dense(design: DenseDesign) -> Columns:
    return lambda index: Column(None, design._rows[:, index].astype(np.float64))


@columns_of.register
def _sparse(design: SparseDesign) -> Columns:
    compressed: CSC = design._rows.tocsc()

    def column(index: int) -> Column:
        entries = slice(int(compressed.indptr[index]), int(compressed.indptr[index + 1]))
        return Column(compressed.indices[entries], compressed.data[entries])

    return column


@columns_of.register
def _tabular(design: TabularDesign) -> Columns:
    numbers, offsets = design._numeric.shape[1], np.asarray(design._offsets)
    numeric = columns_of(design._numeric)

    def column(index: int) -> Column:
        if index < numbers:
            return numeric(index)
        category = int(np.searchsorted(offsets, index - numbers, side="right")) - 1
        rows = np.flatnonzero(design._codes[category] == index - numbers - offsets[category])
        return Column(rows, np.ones(len(rows)))

    return column


@columns_of.register
def _clipped(design: ClippedDesign) -> Columns:
    inner = columns_of(design._base)

    def column(index: int) -> Column:
        rows, values = inner(index)
        return Column(rows, design.changed(values, slice(None) if rows is None else rows))

    return column


@columns_of.register
def _augmented(design: AugmentedDesign) -> Columns:
    inner, features, count = columns_of(design._base), design._base.shape[1], design.shape[0]

    def column(index: int) -> Column:
        if index == features:
            return Column(None, np.full(count, design._constant))
        rows, values = inner(index)
        if design._scale is None:
            return Column(rows, values)
        return Column(rows, values * (design._scale if rows is None else design._scale[rows]))

    return column
