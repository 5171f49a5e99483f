"""Rows that are far longer than a bound, brought near it by powers of two, so that nothing that is computed with them overflows.

    x'_i = 2^k_i x_i,    k_i = 0 unless |x_i| > 2^32 bound, and then bound <= max_j |x'_ij| < 4 bound

A row that is shortened to the bound afterwards keeps its direction, so it is shortened to the same: before, squares of its entries, their products
with weights and their forms in single precision would be infinite, and what follows from that, a warning or a failure, would tell of one record.
k_i is a function of row i alone. Multiplying by a power of two is exact, but for entries that underflow: below 2^-1000 of the largest.
"""

from collections.abc import Iterator
from functools import singledispatch

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.matrices.base import Matrix
from discreet.matrices.clipped import Powers, entry_chunks, times_powers
from discreet.matrices.device import DeviceMatrix

_FAR = 2.0**32
_NOT_FINITE = "rows must be finite: they contain NaN or inf. Decide on missing values first (a schema can do that, column by column)."


def brought_near(rows: Matrix, bound: float) -> Matrix:
    """The matrix of the x'_i; `rows` themselves where none is far. Raises InvalidInput for entries that are not finite."""
    if _all_within(rows, _FAR * float(bound)):
        return rows
    norms = _norms(rows)
    far = ~(norms <= _FAR * bound)
    powers: Powers = np.zeros(len(norms), dtype=np.int32)
    for place, entries in _written_out(rows, far):
        largest = np.max(np.abs(entries), axis=1)
        if not np.all(np.isfinite(largest)):
            raise InvalidInput(_NOT_FINITE)
        powers[place] = np.where(far[place], np.frexp(bound)[1] + 1 - np.frexp(largest)[1], 0)
    return times_powers(rows, powers)


def check_finite(rows: Matrix) -> None:
    """Raise InvalidInput unless all entries are finite; their norms need not be."""
    if _all_within(rows, float(np.finfo(np.float64).max)):
        return
    for _, entries in _written_out(rows, ~np.isfinite(_norms(rows))):
        if not np.all(np.isfinite(entries)):
            raise InvalidInput(_NOT_FINITE)


@singledispatch
def _all_within(rows: Matrix, most: float) -> bool:
    """Whether no norm is larger, or not a number."""
    return bool(np.all(_norms(rows) <= most))


@_all_within.register
def _device(rows: DeviceMatrix, most: float) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):  # some libraries compute by NumPy
        return bool(rows.there.xp.all(rows.norms_there <= most))


def _norms(rows: Matrix) -> Floats:
    """|x_i|, (n,): infinite where squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return rows.row_norms()


def _written_out(rows: Matrix, wanted: npt.NDArray[np.bool_]) -> Iterator[tuple[slice, Floats]]:
    """The entries of blocks that hold some of the `wanted` rows (n,): (slice of row numbers, entries), only to be read."""
    for place, block in rows.blocks():
        if np.any(wanted[place]):
            for part, entries in entry_chunks(block):
                yield slice(place.start + part.start, place.start + part.stop), entries
