"""The rows of a design as other libraries take them: an array, or compressed rows where they are sparse."""

from functools import singledispatch
from typing import Any

import numpy as np

from discreet.matrices.base import Design
from discreet.matrices.dense import DenseDesign
from discreet.matrices.entries import entries_of
from discreet.matrices.sparse import SparseDesign


@singledispatch
def plain_rows(design: Design) -> Any:  # noqa: ANN401 - SciPy publishes no common type with arrays
    """A float64 array (n, d), or a SciPy array in compressed rows; perhaps the caller's own memory, so only to be read."""
    parts = [entries_of(block, slice(None)) for _, block in design.blocks()]
    return np.concatenate(parts) if parts else np.empty(design.shape)


@plain_rows.register
def _dense(design: DenseDesign) -> Any:  # noqa: ANN401 - as above
    return entries_of(design, slice(None))


@plain_rows.register
def _sparse(design: SparseDesign) -> Any:  # noqa: ANN401 - as above
    return design._rows
