"""Rows of an objective that are on a device, and with them all that is as long as the table (see `Here` of module `certified_sums`).

Sums of block products on a device
----------------------------------
X_k^T s_k of blocks of B = 1024 rows, one batched product;   p_j = the plain sum of 32 of them;   added by a tree of TwoSums, all (d, m) at once:

    (p_1 .. p_J) -> (p_1 + p_(J/2+1), ..) -> ..  log2 J levels, the errors of the additions added up beside them

p_j is off by gamma_(B + 32 + 3) sum_i |s_i| |x_i| (`Matrix.banded`): 3 % more than that of one block, for a smaller tree. Module `certified_sums`
bounds the rest for any tree of J additions: the exact sum is high + (J errors), each at most u times a partial sum. A padded zero counts as an
addition here, though it is exact.

What is assumed of the device: float64 operations as IEEE 754 defines them, one at a time (no rewriting of `two_sum`), and an exponential within 8
units in the last place, of which the bounds of the objectives have room for (NVIDIA documents 1 for the double-precision exp).
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from discreet.core.arrays import Floats, two_sum
from discreet.core.rounding import gamma
from discreet.device import transfer
from discreet.device.matrix import DeviceMatrix
from discreet.matrices.base import BLOCK_ROWS, Array, Library
from discreet.objectives.certified_sums import Sample, Slopes, Summed

WHOLE_RECORDS = 1 << 16
"""Of up to so many records on a device no sample is taken."""
_SHARE = 16
"""One record in so many is in the sample, about."""
_RUNS = 16
GROUP = 32
"""Blocks whose sums are added up plainly on a device."""


class There:
    """Rows on a device: as Here, with arrays of the rows' library for whatever is as long as the table."""

    __slots__ = ("_rows", "xp")

    def __init__(self, matrix: DeviceMatrix) -> None:
        """Hold the rows."""
        self._rows, self.xp = matrix, matrix.xp

    def column(self, values: Array) -> Array:
        """See Here; integers as they are."""
        return transfer.to_device(values, self._rows.table) if isinstance(values, np.ndarray) else values

    def there(self, values: Floats) -> Array:
        """See Here."""
        return transfer.to_device(values, self._rows.table)

    def here(self, values: Array) -> Floats:
        """See Here."""
        return transfer.to_host(values)

    def norms(self) -> Array:
        """See Here."""
        return self._rows.norms_there

    def matvec(self, point: Floats) -> Array:
        """See Here."""
        return self._rows.matvec(self.there(point))

    def rmatvec(self, coefficients: Array) -> Floats:
        """See Here."""
        return transfer.to_host(self._rows.rmatvec(coefficients))

    def gram(self, weights: Array, *, single_precision: bool = False) -> Floats:
        """See Here."""
        return transfer.to_host(self._rows.gram(weights, single_precision=single_precision))

    def gram_diagonal(self, weights: Array) -> Floats:
        """See Here."""
        return transfer.to_host(self._rows.gram_diagonal(weights))

    def pieces(self, count: int, width: int = 1) -> Iterator[slice]:  # noqa: ARG002 - all at once
        """See Here."""
        return iter((slice(0, count),))

    def each(self, function: Callable[[Array], Array], values: Array) -> Array:
        """See Here."""
        return function(values)

    def total(self, values: Array, weights: Array | None = None) -> float:
        """See Here; one number travels."""
        return transfer.number_on_host(self.xp.sum(values if weights is None else values * weights))

    def inner(self, left: Array, right: Array) -> Array:
        """See Here."""
        return self.xp.sum(left * right, axis=1)

    def at(self, values: Array, codes: Array) -> Array:
        """See Here."""
        return self.xp.sum(values * self._chosen(values, codes), axis=1)

    def less_one_at(self, values: Array, codes: Array) -> Array:
        """See Here."""
        return values - self._chosen(values, codes)

    def summed(self, points: Floats, slopes: Slopes) -> Summed:
        """See Here, and the module docstring."""
        total, columns = DeviceSum(self._rows), self.there(points)
        for rows in self._rows.pieces(self._rows.sums_numbers(points.shape[1])):
            total.add(slopes(rows, self._rows.matvec(columns, rows)), rows)
        return total.found()

    def sample(self) -> Sample | None:
        """Evenly spaced runs of rows, one in 16, copied: the minimiser of a sample is where a fit begins. None for short tables."""
        rows, count = self._rows, self._rows.shape[0]
        if count <= WHOLE_RECORDS:
            return None
        run, apart = count // (_SHARE * _RUNS), count // _RUNS

        def of(column: Array) -> Array:
            return self.xp.concat([column[apart * place : apart * place + run, ...] for place in range(_RUNS)], axis=0)

        return Sample(rows.changed(table=of(rows.table), scale=None if rows.scale is None else of(rows.scale)), of)

    def _chosen(self, values: Array, codes: Array) -> Array:
        """1.0 at codes_i and else 0.0, (n, k)."""
        from array_api_compat import device  # noqa: PLC0415 - an optional dependency

        classes = self.xp.arange(values.shape[1], dtype=codes.dtype, device=device(codes))
        return self.xp.astype(codes[:, None] == classes[None, :], self.xp.float64)


def tree_sum(parts: Array, xp: Library) -> tuple[Array, Array, Array]:
    """The sum of `parts` (K, d, m) over the first axis as high + low, and that of absolute values: (d, m) each. K - 1 additions, and zeros."""
    sizes = xp.sum(xp.abs(parts), axis=0)
    high, low = parts, xp.zeros_like(parts)
    while high.shape[0] > 1:
        if high.shape[0] % 2:
            zero = xp.zeros_like(high[:1, ...])
            high, low = xp.concat([high, zero], axis=0), xp.concat([low, zero], axis=0)
        half = high.shape[0] // 2
        high, error = two_sum(high[:half, ...], high[half:, ...])
        low = (low[:half, ...] + low[half:, ...]) + error
    return high[0, ...], low[0, ...], sizes


def _grouped(parts: Array, xp: Library) -> Array:
    """Sums of GROUP consecutive parts (K, d, m), and of the rest: (J, d, m)."""
    count = int(parts.shape[0])
    whole = count // GROUP
    split = whole * GROUP
    found = [xp.sum(xp.reshape(parts[:split, ...], (whole, GROUP, *parts.shape[1:])), axis=1)] if whole else []
    if split < count:
        found.append(xp.sum(parts[split:, ...], axis=0)[None, ...])
    return found[0] if len(found) == 1 else xp.concat(found, axis=0)


class DeviceSum:
    """p_k of one table, added chunk after chunk."""

    __slots__ = ("_additions", "_low", "_rows", "_sizes", "_total")

    def __init__(self, rows: DeviceMatrix) -> None:
        """Begin with nothing."""
        self._rows = rows
        self._total: Any = 0.0
        self._low: Any = 0.0
        self._sizes: Any = 0.0
        self._additions = 0

    def add(self, coefficients: Array, rows: slice) -> None:
        """Add X_k^T s_k of the blocks of `rows`, for `coefficients` (b, m)."""
        parts = _grouped(self._rows.block_sums(coefficients, rows), self._rows.xp)
        high, low, sizes = tree_sum(parts, self._rows.xp)
        self._total, error = (high, 0.0) if self._additions == 0 else two_sum(self._total, high)
        self._low, self._sizes = self._low + low + error, self._sizes + sizes
        self._additions += 2 * int(parts.shape[0])

    def found(self) -> Summed:
        """All of it, in NumPy's arrays."""
        sizes = transfer.to_host(self._sizes) * (1 + gamma(self._additions + 8))
        return Summed(transfer.to_host(self._total), transfer.to_host(self._low), sizes, self._additions, BLOCK_ROWS + GROUP)
