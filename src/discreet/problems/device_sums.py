"""Sums over records whose rows are on a device: the steps that the objectives there share. Nothing as long as the table leaves it.

    X_k^T s_k of blocks of B = 1024 rows, one batched product;   p_j = the plain sum of 32 of them;   added by a tree of TwoSums, all (d, m) at once:

    (p_1 .. p_J) -> (p_1 + p_(J/2+1), ..) -> ..  log2 J levels, the errors of the additions added up beside them

p_j is off by gamma_(B + 32 + 3) sum_i |s_i| |x_i| (module `banded`): 3 % more than that of one block, for a smaller tree. Module `certified_sums`
bounds the rest for any tree of J additions: the exact sum is high + (J errors), each at most u times a partial sum. A padded zero counts as an
addition here, though it is exact.

What is assumed of the device: float64 operations as IEEE 754 defines them, one at a time (no rewriting of `two_sum`), and an exponential within 8
units in the last place, of which the bounds of the objectives have room for (NVIDIA documents 1 for the double-precision exp).
"""

from dataclasses import replace

import numpy as np

from discreet.core.arrays import Floats, two_sum
from discreet.matrices import travel
from discreet.matrices.base import BLOCK_ROWS
from discreet.matrices.device_rows import Array, DeviceRows, Library
from discreet.problems.rounding import TINY, gamma

WHOLE_RECORDS = 1 << 16
"""Of up to so many records no sample is taken."""
_SHARE = 16
"""One record in so many is in the sample, about."""
_RUNS = 16
GROUP = 32
"""Blocks whose sums are added up plainly."""


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

    __slots__ = ("_low", "_rows", "_sizes", "_total", "additions")

    def __init__(self, rows: DeviceRows) -> None:
        """Begin with nothing."""
        self._rows = rows
        self._total: Array = 0.0
        self._low: Array = 0.0
        self._sizes: Array = 0.0
        self.additions = 0

    def add(self, coefficients: Array, rows: slice) -> None:
        """Add X_k^T s_k of the blocks of `rows`, for `coefficients` (b, m)."""
        parts = _grouped(self._rows.blocks(coefficients, rows), self._rows.xp)
        high, low, sizes = tree_sum(parts, self._rows.xp)
        self._total, error = (high, 0.0) if self.additions == 0 else two_sum(self._total, high)
        self._low, self._sizes = self._low + low + error, self._sizes + sizes
        self.additions += 2 * int(parts.shape[0])

    def found(self) -> tuple[Floats, Floats, Floats]:
        """high, low and sizes, (d, m), in NumPy's arrays."""
        return travel.here(self._total), travel.here(self._low), travel.here(self._sizes) * (1 + gamma(self.additions + 8))


class Radii:
    """R_i >= |x_i|, c_i, and what bounds need of them."""

    __slots__ = ("each", "largest", "once", "slack", "twice")

    def __init__(self, rows: DeviceRows, norms: Array, weights: Array | None) -> None:
        """From computed norms (n,) and weights (n,) or None for ones; sum_i c_i R_i, sum_i c_i R_i^2 and max_i c_i R_i travel, rounded up."""
        xp = rows.xp
        self.slack = 2 * gamma(sum(rows.shape) + 16)
        self.each: Array = norms * (1 + self.slack) + float(np.sqrt(rows.shape[1] * TINY))
        weighted = self.each if weights is None else self.each * weights
        inflate = 1 + self.slack
        empty = rows.shape[0] == 0
        self.once = travel.number_here(xp.sum(weighted)) * inflate
        self.twice = travel.number_here(xp.sum(weighted * self.each)) * inflate
        self.largest = 0.0 if empty else travel.number_here(xp.max(weighted)) * inflate


def product_errors(rows: DeviceRows, radii: Radii, *, relative: float, size: float) -> float:
    """What block sums of slopes of size at most c_i `size`, off by `relative` of that each, add to a bound: items 2 and 3 of module `objective`."""
    count, dimension = rows.shape
    return size * radii.once * (relative + gamma(BLOCK_ROWS + GROUP + 4)) + (count + dimension) * (1.0 + radii.largest) * TINY


def sampled(count: int) -> list[slice] | None:
    """Which rows are a sample, evenly spaced runs of them, one in 16: the minimiser of a sample is where a fit begins. None for short tables."""
    if count <= WHOLE_RECORDS:
        return None
    run, apart = count // (_SHARE * _RUNS), count // _RUNS
    return [slice(apart * place, apart * place + run) for place in range(_RUNS)]


def together(array: Array, pieces: list[slice], xp: Library) -> Array:
    """These rows of `array` (n, ..), copied."""
    return xp.concat([array[piece, ...] for piece in pieces], axis=0)


def rows_together(rows: DeviceRows, pieces: list[slice]) -> DeviceRows:
    """The same of rows: a copy of one in 16 of the table, for as long as its minimiser is looked for."""
    scale = None if rows.scale is None else together(rows.scale, pieces, rows.xp)
    return replace(rows, table=together(rows.table, pieces, rows.xp), scale=scale)
