"""Columns of numbers side by side, as one array whose columns are contiguous: every column is copied once, at the speed of memory.

NumPy makes the array, since it asks the system for large pages: with small ones, touching fresh memory takes longer than the copy.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl


def number_columns(frame: pl.DataFrame, names: Sequence[str], *, single: bool) -> npt.NDArray[np.float64] | npt.NDArray[np.float32]:
    """The columns `names` (n, d) in Fortran order, as float32 if `single`; a missing number is not-a-number. Raises what polars does for others."""
    columns = np.empty((len(names), frame.height), dtype=np.float32 if single else np.float64)
    kind = pl.Float32 if single else pl.Float64
    for place, name in enumerate(names):
        start = 0
        for chunk in frame.get_column(name).cast(kind).get_chunks():
            columns[place, start : start + len(chunk)] = chunk.to_numpy()
            start += len(chunk)
    return columns.T
