"""Some rows of a design, not only consecutive ones, as a design: copies.

chosen_rows(X, (i_1, .., i_m)) = the design of x_(i_1), ..., x_(i_m)
"""

from functools import singledispatch

import numpy as np
import numpy.typing as npt

from discreet.matrices.base import Design
from discreet.matrices.cut import rows_of
from discreet.matrices.dense import DenseDesign
from discreet.matrices.entries import entries_of
from discreet.matrices.sparse import SparseDesign
from discreet.matrices.tabular import TabularDesign


@singledispatch
def chosen_rows(design: Design, numbers: npt.NDArray[np.integer]) -> Design:
    """Rows `numbers` of `design`, in their order; written out where a kind of design has no better way."""
    whole = rows_of(design, slice(0, design.shape[0]))
    return DenseDesign(entries_of(whole, slice(0, design.shape[0]))[numbers])


@chosen_rows.register
def _dense(design: DenseDesign, numbers: npt.NDArray[np.integer]) -> Design:
    return DenseDesign(design._rows[numbers])


@chosen_rows.register
def _sparse(design: SparseDesign, numbers: npt.NDArray[np.integer]) -> Design:
    return SparseDesign(design._rows[numbers])


@chosen_rows.register
def _tabular(design: TabularDesign, numbers: npt.NDArray[np.integer]) -> Design:
    return TabularDesign(design._table[numbers], [code[numbers] for code in design._codes], design._sizes)
