"""From what users hold to a Design."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from discreet.core.errors import InvalidType
from discreet.matrices.base import Design
from discreet.matrices.dense import DenseDesign
from discreet.matrices.device import DeviceDesign
from discreet.matrices.sparse import AnySparse, SparseDesign
from discreet.matrices.tabmat import is_tabmat, tabmat_design
from discreet.matrices.travel import is_device_array


def as_design(rows: npt.NDArray[Any] | Design | AnySparse) -> Design:
    """The design of an (n, d) array, a SciPy sparse matrix, a matrix of tabmat, an array of torch or CuPy (see DeviceDesign), or a Design itself.

    float64 and float32 arrays and float64 CSR matrices are held by reference; integer and boolean ones are converted. Raises InvalidType for anything
    else, InvalidInput when it is not two-dimensional.
    """
    if isinstance(rows, np.ndarray):
        if rows.dtype in (np.float64, np.float32):
            return DenseDesign(rows)
        if rows.dtype.kind in "biuf":
            return DenseDesign(rows.astype(np.float64))
        raise InvalidType("a design holds real numbers; encode text and dates first.")
    if sparse.issparse(rows):
        matrix: AnySparse = rows
        if matrix.dtype.kind not in "biuf":
            raise InvalidType("a design holds real numbers.")
        return SparseDesign(matrix)
    if isinstance(rows, Design):
        return rows
    if is_tabmat(rows):
        return tabmat_design(rows)
    if is_device_array(rows):
        return DeviceDesign(rows)
    raise InvalidType(f"rows must be a NumPy array, a SciPy sparse matrix or a Design; {type(rows).__name__} was given.")
