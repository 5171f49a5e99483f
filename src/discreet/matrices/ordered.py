"""Inner products and norms in a fixed order: what comes out for a row depends on this row alone, to the last bit.

    ordered_matvec(design, w)_i = (..((x_i1 w_1) + x_i2 w_2) + ..) + x_id w_d        each operation rounded once; terms with w_j = 0 left out

A library for matrix products may add up in another order when a table has one row more, and change the last bits of every row. That is harmless
where a bound of the error will do. It is not where a number is compared with a threshold: neighbouring tables could then disagree on records that
they share. So dense rows go column by column, by NumPy's elementwise multiplication and addition, which IEEE 754 defines; sparse rows go through
the loop over the stored entries of one row that SciPy's compressed rows have. Rows on a device go column by column there, one operation at a time.
"""

from functools import singledispatch

import numpy as np

from discreet.core.arrays import Floats
from discreet.matrices import travel
from discreet.matrices.augmented import AugmentedDesign
from discreet.matrices.base import Design
from discreet.matrices.clipped import entry_chunks
from discreet.matrices.device import DeviceDesign
from discreet.matrices.sparse import SparseDesign
from discreet.matrices.tabular import TabularDesign


@singledispatch
def ordered_matvec(design: Design, weights: Floats) -> Floats:
    """<x_i, weights> for every row, (n,), in the order of the columns; errors as for Design.matvec. Slower than matvec for dense tables."""
    result = np.zeros(design.shape[0])
    used = np.flatnonzero(weights)
    for rows, entries in entry_chunks(design):
        total = result[rows]
        for column in used:
            total += entries[:, column] * weights[column]
    return result


@ordered_matvec.register
def _sparse(design: SparseDesign, weights: Floats) -> Floats:
    return design.matvec(weights)


@ordered_matvec.register
def _augmented(design: AugmentedDesign, weights: Floats) -> Floats:
    columns = design._base.shape[1]
    result = ordered_matvec(design._base, weights[:columns])
    if design._scale is not None:
        result = design._scale * result
    return result + design._constant * weights[columns] if design._constant > 0 else result


@ordered_matvec.register
def _tabular(design: TabularDesign, weights: Floats) -> Floats:
    numbers = design._numeric.shape[1]
    levels = design._indicators.matvec(weights[numbers:])
    return levels + ordered_matvec(design._numeric, weights[:numbers]) if numbers else levels


@ordered_matvec.register
def _device(design: DeviceDesign, weights: Floats) -> Floats:
    return travel.here(design.there.ordered_matvec(weights.tolist()))


@singledispatch
def ordered_row_norms(design: Design) -> Floats:
    """|x_i|_2 for every row, (n,), squares added up in the order of the columns."""
    result = np.zeros(design.shape[0])
    for rows, entries in entry_chunks(design):
        total = result[rows]
        for column in range(entries.shape[1]):
            total += np.square(entries[:, column])
    norms: Floats = np.sqrt(result)
    return norms


@ordered_row_norms.register
def _sparse_norms(design: SparseDesign) -> Floats:
    return design.row_norms()


@ordered_row_norms.register
def _tabular_norms(design: TabularDesign) -> Floats:
    return np.sqrt(np.square(ordered_row_norms(design._numeric)) + float(len(design._codes)))


@ordered_row_norms.register
def _device_norms(design: DeviceDesign) -> Floats:
    norms: Floats = np.sqrt(travel.here(design.there.ordered_squares()))
    return norms
