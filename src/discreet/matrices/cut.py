"""Consecutive rows of a design, as a design: views, not copies.

    rows_of(X, a:b) = the design of x_a, ..., x_(b-1)

and the size of blocks that suits the processor's caches: a block is read from memory once, and used several times while it is near.
"""

from functools import singledispatch

import numpy as np

from discreet.matrices.augmented import AugmentedDesign
from discreet.matrices.base import BLOCK_ROWS, Design
from discreet.matrices.clipped import ClippedDesign
from discreet.matrices.dense import DenseDesign
from discreet.matrices.device import DeviceDesign
from discreet.matrices.entries import entries_of
from discreet.matrices.sparse import SparseDesign
from discreet.matrices.tabular import TabularDesign

_CACHED_BYTES = 1 << 21
_DEVICE_BYTES = 1 << 30
_FEWEST, _MOST = 1 << 12, 1 << 16
_WHOLE = 1 << 16
"""Up to so many held rows are worked on by one thread at once."""
_RUN = 8
"""Blocks of a longer design that a thread takes at a time, as far as they have no more rows than that."""


@singledispatch
def rows_of(design: Design, rows: slice) -> Design:
    """Rows rows.start .. rows.stop - 1 of `design`, for 0 <= start <= stop <= n; written out where a kind of design has no better way."""
    parts = []
    for place, block in design.blocks():
        start, stop = max(rows.start, place.start), min(rows.stop, place.stop)
        if start < stop:
            parts.append(entries_of(block, slice(start - place.start, stop - place.start)))
    return DenseDesign(np.concatenate(parts) if parts else np.empty((0, design.shape[1])))


@rows_of.register
def _dense(design: DenseDesign, rows: slice) -> Design:
    return DenseDesign(design._rows[rows])


@rows_of.register
def _sparse(design: SparseDesign, rows: slice) -> Design:
    return design.rows(rows)


@rows_of.register
def _tabular(design: TabularDesign, rows: slice) -> Design:
    part = TabularDesign.__new__(TabularDesign)
    table = design._table[rows]
    part._hold(table, DenseDesign(table), design._indicators.rows(rows), [code[rows] for code in design._codes], design._sizes)
    return part


@rows_of.register
def _augmented(design: AugmentedDesign, rows: slice) -> Design:
    scale = None if design._scale is None else design._scale[rows]
    norms = None if design._norms is None else design._norms[rows]
    return AugmentedDesign(rows_of(design._base, rows), scale=scale, constant=design._constant, norms=norms)


@rows_of.register
def _device(design: DeviceDesign, rows: slice) -> Design:
    return design.rows(rows)


@rows_of.register
def _clipped(design: ClippedDesign, rows: slice) -> Design:
    return design.part(rows_of(design._base, rows), rows)


def cache_rows(design: Design) -> int:
    """Rows of a block of two megabytes, by the width of the rows alone: a multiple of 1024, between 4096 and 65536; on a device, of a gigabyte."""
    bytes_in_block, most = (_DEVICE_BYTES, 1 << 22) if _is_on_device(design) else (_CACHED_BYTES, _MOST)
    return int(min(max(bytes_in_block // (8 * (design.width + 1)) // BLOCK_ROWS * BLOCK_ROWS, _FEWEST), most))


def cache_cuts(design: Design) -> list[slice]:
    """Slices of rows that fit the caches; one at least."""
    return cuts(design.shape[0], cache_rows(design)) or [slice(0, 0)]


def thread_cuts(design: Design) -> list[slice]:
    """Slices of rows that a thread takes at a time, one at least: by the shape alone, never by the number of threads."""
    if design.shape[0] <= _WHOLE:
        return [slice(0, design.shape[0])]
    size = cache_rows(design)
    return cuts(design.shape[0], max(size, min(_RUN * size, _WHOLE)))


def _is_on_device(design: Design) -> bool:
    inner = design._base if isinstance(design, AugmentedDesign | ClippedDesign) else design
    return isinstance(inner, DeviceDesign) or (inner is not design and _is_on_device(inner))


def cuts(count: int, size: int) -> list[slice]:
    """Consecutive slices of at most `size` rows, `count` together."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]
