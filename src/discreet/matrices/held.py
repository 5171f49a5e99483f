"""How many bytes a design holds, for whoever decides what to keep in memory."""

from functools import singledispatch

from discreet.matrices.augmented import AugmentedDesign
from discreet.matrices.base import Design
from discreet.matrices.dense import DenseDesign
from discreet.matrices.sparse import SparseDesign
from discreet.matrices.tabular import TabularDesign


@singledispatch
def held_bytes(design: Design) -> int:
    """About the memory of the rows, norms that are remembered counted; of an unknown design, that of its rows written out."""
    return 8 * design.shape[0] * (design.shape[1] + 1)


@held_bytes.register
def _dense(design: DenseDesign) -> int:
    return int(design._rows.nbytes) + 8 * design.shape[0]


@held_bytes.register
def _sparse(design: SparseDesign) -> int:
    return int(design._rows.data.nbytes + design._rows.indices.nbytes + design._rows.indptr.nbytes)


@held_bytes.register
def _tabular(design: TabularDesign) -> int:
    return held_bytes(design._numeric) + held_bytes(design._indicators) + sum(column.nbytes for column in design._codes)


@held_bytes.register
def _augmented(design: AugmentedDesign) -> int:
    return held_bytes(design._base) + 16 * design.shape[0]
