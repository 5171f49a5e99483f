"""Inner products and norms in a fixed order: what comes out for a row depends on this row alone, to the last bit.

    ordered_matvec(matrix, w)_i = (..((x_i1 w_1) + x_i2 w_2) + ..) + x_id w_d        each operation rounded once; terms with w_j = 0 left out

A library for matrix products may add up in another order when a table has one row more, and change the last bits of every row. That is harmless
where a bound of the error will do. It is not where a number is compared with a threshold: neighbouring tables could then disagree on records that
they share. So dense rows go column by column, by NumPy's elementwise multiplication and addition, which IEEE 754 defines; sparse rows go through
the loop over the stored entries of one row that SciPy's compressed rows have. Rows on a device go column by column there, one operation at a time.
"""

from functools import singledispatch

import numpy as np

from discreet.core.arrays import Floats
from discreet.matrices import travel
from discreet.matrices.augmented import AugmentedMatrix
from discreet.matrices.base import Matrix
from discreet.matrices.clipped import entry_chunks
from discreet.matrices.device import DeviceMatrix
from discreet.matrices.sparse import SparseMatrix
from discreet.matrices.tabular import TabularMatrix


@singledispatch
def ordered_matvec(matrix: Matrix, weights: Floats) -> Floats:
    """<x_i, weights> for every row, (n,), in the order of the columns; errors as for Matrix.matvec. Slower than matvec for dense tables."""
    result = np.zeros(matrix.shape[0])
    used = np.flatnonzero(weights)
    for rows, entries in entry_chunks(matrix):
        total = result[rows]
        for column in used:
            total += entries[:, column] * weights[column]
    return result


@ordered_matvec.register
def _sparse(matrix: SparseMatrix, weights: Floats) -> Floats:
    return matrix.matvec(weights)


@ordered_matvec.register
def _augmented(matrix: AugmentedMatrix, weights: Floats) -> Floats:
    columns = matrix._base.shape[1]
    result = ordered_matvec(matrix._base, weights[:columns])
    if matrix._scale is not None:
        result = matrix._scale * result
    return result + matrix._constant * weights[columns] if matrix._constant > 0 else result


@ordered_matvec.register
def _tabular(matrix: TabularMatrix, weights: Floats) -> Floats:
    numbers = matrix._numeric.shape[1]
    levels = matrix._indicators.matvec(weights[numbers:])
    return levels + ordered_matvec(matrix._numeric, weights[:numbers]) if numbers else levels


@ordered_matvec.register
def _device(matrix: DeviceMatrix, weights: Floats) -> Floats:
    return travel.here(matrix.there.ordered_matvec(weights.tolist()))


@singledispatch
def ordered_row_norms(matrix: Matrix) -> Floats:
    """|x_i|_2 for every row, (n,), squares added up in the order of the columns."""
    result = np.zeros(matrix.shape[0])
    for rows, entries in entry_chunks(matrix):
        total = result[rows]
        for column in range(entries.shape[1]):
            total += np.square(entries[:, column])
    norms: Floats = np.sqrt(result)
    return norms


@ordered_row_norms.register
def _sparse_norms(matrix: SparseMatrix) -> Floats:
    return matrix.row_norms()


@ordered_row_norms.register
def _tabular_norms(matrix: TabularMatrix) -> Floats:
    return np.sqrt(np.square(ordered_row_norms(matrix._numeric)) + float(len(matrix._codes)))


@ordered_row_norms.register
def _device_norms(matrix: DeviceMatrix) -> Floats:
    norms: Floats = np.sqrt(travel.here(matrix.there.ordered_squares()))
    return norms
