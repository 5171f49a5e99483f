"""Where the rows of an objective are, and with them all that is as long as the table: here, in NumPy's arrays, or in those of another library.

An objective is written once, for arrays of any library. What differs is said here: how long vectors are worked on (a few thousand numbers at a time,
which stay in the processor's caches; whole on a device, where starting an operation is what costs), how sums are taken, and what travels. Points
(d, k), gradients (d, k), Hessians (d, d) and sums are here in both places: O(d^2 + d k) numbers a pass. Signs, weights and norms stay where the rows
are.

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
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from discreet.core.arrays import Floats, two_sum
from discreet.matrices import DeviceMatrix, Matrix, transfer
from discreet.matrices.base import BLOCK_ROWS
from discreet.matrices.device import Array, Library
from discreet.problems.certified_sums import CHUNK, BandedSum, Summed, chunks, gamma

WHOLE_RECORDS = 1 << 16
"""Of up to so many records on a device no sample is taken."""
_SHARE = 16
"""One record in so many is in the sample, about."""
_RUNS = 16
GROUP = 32
"""Blocks whose sums are added up plainly on a device."""

Slopes: TypeAlias = Callable[[slice, Array], Array]
"""From the products of some rows with points, (b, m), to what these rows are summed with."""


class Sample(NamedTuple):
    """Some of the rows, and the same of any column."""

    matrix: Matrix
    of: Callable[[Array], Array]


class Here:
    """Rows in memory, or wherever a Matrix has them."""

    __slots__ = ("_matrix",)

    xp: Library = np

    def __init__(self, matrix: Matrix) -> None:
        """Hold the rows."""
        self._matrix = matrix

    def column(self, values: Array) -> Array:
        """A column (n,) of numbers of the records, where the rows are."""
        return values

    def there(self, values: Floats) -> Array:
        """Numbers of a point, where the rows are."""
        return values

    def here(self, values: Array) -> Floats:
        """And back."""
        return np.asarray(values)

    def norms(self) -> Array:
        """R_i >= |x_i|, (n,)."""
        return self._matrix.reach()

    def matvec(self, point: Floats) -> Array:
        """<x_i, w>, (n,) or (n, k), an array of its own."""
        return self._matrix.matvec(point)

    def rmatvec(self, coefficients: Array) -> Floats:
        """sum_i s_i x_i, (d,) or (d, k), an array of its own."""
        return self._matrix.rmatvec(coefficients)

    def gram(self, weights: Array, *, single_precision: bool = False) -> Floats:
        """sum_i h_i x_i x_i^T, (d, d), an array of its own."""
        return np.array(self._matrix.gram(weights, single_precision=single_precision), dtype=np.float64)

    def gram_diagonal(self, weights: Array) -> Floats:
        """Its diagonal, (d,)."""
        return self._matrix.gram_diagonal(weights)

    def pieces(self, count: int, width: int = 1) -> Iterator[slice]:
        """Rows that are worked on at once, where each has `width` numbers."""
        return chunks(count, width)

    def each(self, function: Callable[[Array], Array], values: Array) -> Array:
        """An elementwise function of `values` (n,), or one of every row of (n, k)."""
        if values.size <= CHUNK:
            return function(values)
        result = np.empty_like(values)
        for rows in chunks(len(values), values.shape[1] if values.ndim == 2 else 1):
            result[rows] = function(values[rows])
        return result

    def total(self, values: Array, weights: Array | None = None) -> float:
        """sum_i h_i v_i over all entries."""
        return float(values.sum() if weights is None else np.vdot(values, weights))

    def inner(self, left: Array, right: Array) -> Array:
        """<l_i, r_i> of rows (n, k): (n,)."""
        return np.einsum("ik,ik->i", left, right)

    def at(self, values: Array, codes: Array) -> Array:
        """values_(i, codes_i), (n,)."""
        return values[np.arange(len(values)), codes]

    def less_one_at(self, values: Array, codes: Array) -> Array:
        """`values` (n, k), an array of its own, less 1 at codes_i."""
        values[np.arange(len(values)), codes] -= 1.0
        return values

    def summed(self, points: Floats, slopes: Slopes) -> Summed:
        """The rows times what `slopes` makes of their products with `points` (d, m), band by band."""
        total = BandedSum(points.shape)
        for rows, band in self._matrix.bands(points.shape[1]):
            total.add(band.banded(slopes(rows, band.matvec(points))), rows.stop - rows.start)
        return total.found()

    def sample(self) -> Sample | None:
        """None: every pass is cheap."""
        return None


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


Place: TypeAlias = Here | There


def place_of(matrix: Matrix) -> Place:
    """Where these rows are."""
    return There(matrix) if isinstance(matrix, DeviceMatrix) else Here(matrix)


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
