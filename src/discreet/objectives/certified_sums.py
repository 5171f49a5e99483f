"""A gradient summed over blocks, with a bound of its rounding error that adds up as the gradient does.

    gradient = sum_k p_k + ridge w + linear,       k = 1..K blocks of rows, p_k computed

    |computed - exact|_2 <= sum_k e_k + gamma_J^2 sum_k |p_k| + 4 u (|sum| + ridge |w| + |linear|)

e_k bounds the error of p_k itself (module `objective`, items 1 to 3; `softmax_objective`). The sum of the p_k is kept as `high + low`: every addition
of two parts is a TwoSum, whose error is exact and goes into `low`. Whatever the order and the nesting of J additions, the exact sum is high + (sum of
the J errors), each error is at most u times a partial sum, so that they come to at most gamma_J sum |p_k|, and adding them up loses at most gamma_J
of that: the bound of Sum2 (Ogita, Rump, Oishi 2005, prop. 4.5) for any tree of additions. So tables may be cut anywhere, and worked on anywhere.
Everywhere u = 2^-53 and gamma_k = k u / (1 - k u).

An objective is written once, for arrays of any library. What differs is said by the place of its rows, `Here` or `There` (module `places`): how long
vectors are worked on (a few thousand numbers at a time, which stay in the processor's caches; whole on a device, where starting an operation is what
costs), how sums are taken, and what travels. Points (d, k), gradients (d, k), Hessians (d, d) and sums are here in both places: O(d^2 + d k) numbers
a pass. Signs, weights and norms stay where the rows are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from discreet.core.arrays import Floats, two_sum
from discreet.core.rounding import UNIT, gamma
from discreet.matrices import Matrix
from discreet.matrices.base import BLOCK_ROWS, Array, Library

TINY = 2.0**-1022
CHUNK = 8192
"""Elementwise work is done on this many numbers at a time: fast in cache, and no temporary array as long as the table."""
SHARE = 16
"""One row of so many is sampled."""
GROUP = 64
"""Blocks that are added plainly: a sixteenth of the rows in one, so that the bound hardly grows, and the additions with errors hardly count."""


def chunks(count: int, width: int = 1) -> Iterator[slice]:
    """Consecutive slices of `count` rows, about CHUNK numbers each when a row has `width`."""
    size = max(1, CHUNK // width)
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def norms_above(columns: Floats) -> Floats:
    """Upper bounds of the Euclidean norms of the columns (d, k): shape (k,)."""
    count = len(columns)
    norms: Floats = np.sqrt(np.einsum("ij,ij->j", columns, columns)) * (1 + 2 * gamma(count + 8)) + np.sqrt(count * TINY)
    return norms


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CertifiedSums:
    """Sums over some blocks for several points, one a column. Functions of the records, every field."""

    high: Floats
    """(d, k): the rounded sum of the blocks' gradients."""
    low: Floats
    """(d, k): the errors of its additions."""
    sizes: Floats
    """(d, k): the sum of absolute values."""
    errors: Floats
    """(k,): an upper bound of sum_k e_k."""
    additions: int
    """J: how often parts were added."""

    def __add__(self, other: "CertifiedSums") -> "CertifiedSums":
        """The sums over both."""
        high, error = two_sum(self.high, other.high)
        return CertifiedSums(
            high=high,
            low=self.low + other.low + error,
            sizes=self.sizes + other.sizes,
            errors=(self.errors + other.errors) * (1 + 4 * UNIT),
            additions=self.additions + other.additions + 1,
        )

    def gradients(self, points: Floats, linears: Floats | None, ridge: float) -> tuple[Floats, Floats]:
        """Gradients (d, k) with ridge and linear terms at the `points` (d, k), and upper bounds (k,) of the norms of the exact ones."""
        total = self.high + self.low
        shrink = ridge * points
        gradients = total + shrink if linears is None else total + (shrink + linears)
        # `low` has the errors of additions but for those of its own additions: that is the square.
        rounding = self.errors + gamma(self.additions) ** 2 * norms_above(self.sizes)
        rounding += 4 * UNIT * (norms_above(total) + norms_above(shrink) + (0.0 if linears is None else norms_above(linears)))
        return gradients, (norms_above(gradients) + rounding) * (1 + 8 * UNIT)


def side_by_side(sums: Sequence[CertifiedSums]) -> CertifiedSums:
    """Sums over the same blocks for one point each, as sums for all these points."""
    return CertifiedSums(
        high=np.column_stack([one.high for one in sums]),
        low=np.column_stack([one.low for one in sums]),
        sizes=np.column_stack([one.sizes for one in sums]),
        errors=np.concatenate([one.errors for one in sums]),
        additions=sums[0].additions,
    )


class Summed(NamedTuple):
    """sum_i x_i s_i^T over the rows of one table."""

    high: Floats
    low: Floats
    sizes: Floats
    additions: int
    longest: int
    """Rows in a block and blocks in a p_k, at most."""


class BandedSum:
    """Gradients of bands of rows (`Matrix.banded`): up to GROUP blocks of them added plainly make one p_k, off by gamma_(longest + 3) in item 3."""

    __slots__ = ("_additions", "_blocks", "_high", "_longest", "_low", "_rows", "_sizes", "_waiting")

    def __init__(self, shape: tuple[int, int]) -> None:
        """Begin with zero, of `shape` (d, k)."""
        self._high, self._low, self._sizes = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._waiting: Floats | None = None
        self._additions = self._blocks = self._rows = self._longest = 0

    def add(self, part: Floats, rows: int) -> None:
        """Add the gradient (d, k) of a band of so many rows."""
        self._waiting = part if self._waiting is None else self._waiting + part
        # Within a band the products are summed block by block: both counts are terms of one rounded sum (`longest`).
        self._blocks += -(-rows // BLOCK_ROWS)
        self._rows = max(self._rows, min(rows, BLOCK_ROWS))
        if self._blocks >= GROUP:
            self._close()

    def found(self) -> Summed:
        """The sum of all bands that were added."""
        self._close()
        return Summed(self._high, self._low, self._sizes, self._additions, self._longest)

    def _close(self) -> None:
        if self._waiting is None:
            return
        self._high, error = two_sum(self._high, self._waiting)
        self._low += error
        self._sizes += np.abs(self._waiting)
        self._additions += 1
        self._longest = max(self._longest, self._rows + self._blocks)
        self._waiting, self._blocks = None, 0


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
        """Numbers of the rows' place as NumPy arrays."""
        return np.asarray(values)

    def norms(self) -> Array:
        """R_i >= |x_i|, (n,)."""
        return self._matrix.reach()

    def matvec(self, point: Floats) -> Array:
        """<x_i, w>, (n,) or (n, k), an array of its own."""
        if not point.any():  # where most fits begin: no pass
            return np.zeros((self._matrix.shape[0], *point.shape[1:]))
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
        """Every sixteenth row, copied."""
        numbers = np.arange(0, self._matrix.shape[0], SHARE)
        return Sample(self._matrix.chosen(numbers), lambda column: column[numbers])
