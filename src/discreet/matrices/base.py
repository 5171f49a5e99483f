"""The matrix: all that the library ever asks of the rows x_1, ..., x_n in R^d.

    matvec(w)   = (<x_i, w>)_i          rmatvec(s) = sum_i s_i x_i
    gram(h)     = sum_i h_i x_i x_i^T   row_norms  = (|x_i|_2)_i         blocks = the same rows, a few at a time

and gram_diagonal(h), the diagonal of gram(h), for tables too wide for a (d, d) matrix. Every algorithm is a sum over row blocks. A layout says its
shape, its width, its content, and how to get at some rows, as a matrix and as numbers; whatever it does no better follows from these.

Accuracy that certificates rely on (u = 2^-53): matvec and rmatvec compute in float64, whatever the storage, as sums of products in any order
without cancellation tricks, so that |fl(<x, w>) - <x, w>| <= gamma_(width+3) |x| |w| and |fl(X^T s) - X^T s| <= gamma_(n+3) sum_i |s_i| |x_i|,
gamma_k = k u / (1 - k u).

X^T s with an error that does not grow with the number of rows: products of at most B = BLOCK_ROWS rows, then their plain sum.

    banded(X, s) = sum_k X_k^T s_k,   X_k the k-th B rows, K of them:   |banded - X^T s|_2 <= gamma_(B + K + 3) sum_i |s_i| |x_i|

A coordinate of X_k^T s_k is off by gamma_(B+3) times the sum of |s_i x_ij| over its rows, and K - 1 additions of such numbers bring gamma_(K-1) more:
(1 + gamma_a)(1 + gamma_b) - 1 <= gamma_(a+b). Matrices without such a product are summed over their own blocks, however short, with the errors of
the additions (TwoSum) added in the end: less than two more terms. With bands of a few thousand rows this is as good as gamma_(B+3), and it takes one
call instead of K: threads would have to wait for what Python does between the calls.

In a fixed order, what comes out for a row depends on this row alone, to the last bit:

    ordered_matvec(w)_i = (..((x_i1 w_1) + x_i2 w_2) + ..) + x_id w_d

A library for matrix products may add up in another order when a table has one row more, and change the last bits of every row. That is harmless
where a bound of the error will do. It is not where a number is compared with a threshold: neighbouring tables could then disagree on records that
they share. Module `in_order` says how. Sparse rows go through the loop over the stored entries of one row that SciPy's compressed rows have, rows on
a device column by column there, one operation at a time.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.linalg import blas

from discreet.core.arrays import AnyFloats, Floats, two_sum
from discreet.core.private import holds_records
from discreet.matrices.in_order import products, squares

BLOCK_ROWS = 1024
"""Most rows in one of the blocks of a Matrix: the rounding error of a block's sum grows with it."""
BLOCK_BYTES = 512 * 1024
"""Of numbers that stay in cache while they are worked on."""
_CHUNK_NUMBERS = 1 << 20
"""Entries that are written out at a time."""
_BAND_NUMBERS = 1 << 16
"""Margins of all models in a band, at most, unless a block alone has more."""
_CACHED_BYTES = 1 << 21
_DEVICE_BYTES = 1 << 30
_FEWEST, _MOST = 1 << 12, 1 << 16
_WHOLE = 1 << 16
"""Up to so many held rows are worked on by one thread at once."""
_RUN = 8
"""Blocks of a longer matrix that a thread takes at a time, as far as they have no more rows than that."""

Array: TypeAlias = Any
"""An array of the rows' library, where the rows are."""
Library: TypeAlias = Any
"""The module of its functions."""
Numbers: TypeAlias = npt.NDArray[np.integer]
"""Of rows."""


@holds_records
class Column(NamedTuple):
    """Entries of one column."""

    rows: Numbers | None
    """Row numbers of `values`, each once; None for all rows in order."""
    values: Floats


Columns: TypeAlias = Callable[[int], Column]


class Matrix(ABC):
    """n rows in R^d. Implementations never copy or change the caller's data."""

    __slots__ = ()

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(n, d)."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Most entries of one row that may be non-zero, at most d: the terms of an inner product, which its rounding error grows with."""

    @abstractmethod
    def rows(self, rows: slice) -> "Matrix":
        """The matrix of the rows rows.start .. rows.stop - 1, for 0 <= start <= stop <= n: a view, not a copy."""

    @abstractmethod
    def chosen(self, numbers: Numbers) -> "Matrix":
        """The matrix of the rows `numbers`, in their order."""

    @abstractmethod
    def entries(self, rows: slice) -> Floats:
        """Some consecutive rows as a float64 array (rows, d), exactly; perhaps the caller's own memory, so only to be read.

        A few at a time: written out, a block of a sparse or a tabular matrix is as wide as the table.
        """

    @abstractmethod
    def content(self) -> Iterator[bytes]:
        """The entries as bytes, a few rows at a time, for the keyed digest by which a ledger knows a table again; scaling and constants left out.

        Of no rows, no bytes: a ledger neither remembers nor knows again a table without records.
        """

    @property
    def known(self) -> npt.NDArray[Any] | None:
        """Of rows that are made of records: what is known of each record, the targets that a ledger's digest sees. None of rows that are records."""
        return None

    def blocks(self) -> Iterator[tuple[slice, "Matrix"]]:
        """The rows in order as (slice of row numbers, matrix of these rows), at most BLOCK_ROWS rows a block."""
        for rows in cuts(self.shape[0], BLOCK_ROWS):
            yield rows, self.rows(rows)

    def chunks(self) -> Iterator[tuple[slice, Floats]]:
        """The rows written out, at most about a million numbers at a time: (slice of row numbers, entries), only to be read."""
        size = max(1, min(BLOCK_ROWS, _CHUNK_NUMBERS // max(1, self.shape[1])))
        for rows, block in self.blocks():
            for part in cuts(rows.stop - rows.start, size):
                yield slice(rows.start + part.start, rows.start + part.stop), block.entries(part)

    def _parts(self) -> Iterator[tuple[slice, Floats]]:
        """What sums over written rows are taken of."""
        return self.chunks()

    def matvec(self, weights: Floats) -> Floats:
        """Inner products of every row with `weights` (d,) or, one column a model, (d, k): shape (n,) or (n, k), an array of its own."""
        result = np.empty((self.shape[0], *weights.shape[1:]))
        for rows, entries in self._parts():
            result[rows] = entries @ weights
        return result

    def rmatvec(self, coefficients: Floats) -> Floats:
        """sum_i coefficients_i x_i for `coefficients` (n,) or (n, k): shape (d,) or (d, k)."""
        result = np.zeros((self.shape[1], *coefficients.shape[1:]))
        for rows, entries in self._parts():
            result += entries.T @ coefficients[rows]
        return result

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """sum_i weights_i x_i x_i^T, shape (d, d), for non-negative `weights` (n,).

        `single_precision` allows (does not force) float32 arithmetic: enough for a Newton matrix, never for a gradient.
        """
        return weighted_gram((entries for _, entries in self._parts()), self.shape[1], weights, single_precision=single_precision)

    @property
    def gram_passes(self) -> float:
        """About how many passes take as long as a Gram matrix, where that is many; 0 where it is few, or not known."""
        return 0.0

    def gram_diagonal(self, weights: Floats) -> Floats:
        """sum_i weights_i x_ij^2 for every column j, shape (d,), for non-negative `weights` (n,)."""
        result = np.zeros(self.shape[1])
        for rows, entries in self._parts():
            result += weights[rows] @ np.square(entries)
        return result

    def row_norms(self) -> Floats:
        """Euclidean norms of the rows, (n,)."""
        norms = np.empty(self.shape[0])
        for rows, entries in self._parts():
            norms[rows] = np.sqrt(np.einsum("ij,ij->i", entries, entries))
        return norms

    def reach(self, norms: Floats | None = None) -> Floats:
        """What bounds of rounding errors take for |x_i|, (n,): `norms`, those of the rows, or more where products go through numbers that cancel."""
        return self.row_norms() if norms is None else norms

    def banded(self, coefficients: Floats) -> Floats:
        """X^T s, (d, k), for `coefficients` (n, k), with the error that the module docstring says."""
        if self.shape[0] <= BLOCK_ROWS:
            return self.rmatvec(coefficients)
        high = np.zeros((self.shape[1], coefficients.shape[1]))
        low = np.zeros_like(high)
        for rows, block in self.blocks():
            high, error = two_sum(high, block.rmatvec(coefficients[rows]))
            low += error
        return high + low

    def ordered_matvec(self, weights: Floats) -> Floats:
        """<x_i, weights> for every row, (n,), in the order of the columns, or (n, k) for `weights` (d, k); errors as for `matvec`."""
        result = np.empty((self.shape[0], *weights.shape[1:]))
        for rows in self._ordered_parts():
            result[rows] = products(self.entries(rows), weights)
        return result

    def ordered_row_norms(self) -> Floats:
        """|x_i|_2 for every row, (n,), squares added up in the order of the columns."""
        result = np.empty(self.shape[0])
        for rows in self._ordered_parts():
            result[rows] = squares(self.entries(rows))
        return np.sqrt(result)

    def _ordered_parts(self) -> list[slice]:
        """Rows that are written out at a time."""
        return cuts(self.shape[0], max(1, _CHUNK_NUMBERS // max(1, self.shape[1])))

    def integer_gram(self, last: Floats | None, *, unit: float, factors: Floats | None = None) -> npt.NDArray[np.int64]:
        """Second moments of integers, exactly: sum_i t_i t_i^T, t_i = trunc(z_i / unit), z_i = x_i, or (x_i, last_i) with `last` (n,) or (n, k).

        With `factors` (n,) t_i = trunc(f_i z_i / unit), where f_i z_i is rounded once, so that t_i is a function of its row and factor alone.
        For |t_ij| <= 2^20 products of 1024 rows are sums of integers below 2^50, so that float64 takes them exactly in any order, and integers of 64
        bits add them up for up to 2^22 rows of such numbers (fewer bits for more rows). The caller bounds all numbers (`queries.SecondMoments`).
        """
        columns = self.shape[1] + (0 if last is None else 1 if last.ndim == 1 else last.shape[1])
        total = np.zeros((columns, columns), dtype=np.int64)
        for rows, entries in self.chunks():
            numbers = entries if last is None else np.column_stack((entries, last[rows]))
            integers = np.trunc((numbers if factors is None else numbers * factors[rows, np.newaxis]) / unit)
            total += (integers.T @ integers).astype(np.int64)
        return total

    def columns(self) -> Columns:
        """A function from the number of a column to its entries, for methods that move along one coordinate at a time.

        Entries are exact; a factor of the row is multiplied in, rounded once, so that an entry depends on its row alone.
        """
        dimension = self.shape[1]

        def column(index: int) -> Column:
            unit = np.zeros(dimension)
            unit[index] = 1.0
            return Column(None, self.matvec(unit))  # every other product is zero, so the sum is exact

        return column

    def plain(self) -> Any:  # noqa: ANN401 - SciPy publishes no common type with arrays
        """A float64 array (n, d), or a SciPy array in compressed rows; perhaps the caller's own memory, so only to be read."""
        parts = [block.entries(slice(None)) for _, block in self.blocks()]
        return np.concatenate(parts) if parts else np.empty(self.shape)

    def bands(self, models: int) -> Iterator[tuple[slice, "Matrix"]]:
        """Consecutive rows that suit the processor's caches, for products with `models` columns: (slice of row numbers, matrix of them), views."""
        count = self.shape[0]
        size = max(BLOCK_ROWS, min(self.cache_rows, _BAND_NUMBERS // max(1, models) // BLOCK_ROWS * BLOCK_ROWS))
        if count <= size:
            yield slice(0, count), self
        elif size <= BLOCK_ROWS:
            yield from self.blocks()  # which may have been made already
        else:
            for rows in cuts(count, size):
                yield rows, self.rows(rows)

    @property
    def cache_rows(self) -> int:
        """Rows of a block of two megabytes, by the width of the rows alone: a multiple of 1024, from 4096 to 65536; on a device, of a gigabyte."""
        bytes_in_block, most = (_DEVICE_BYTES, 1 << 22) if self.on_device else (_CACHED_BYTES, _MOST)
        return int(min(max(bytes_in_block // (8 * (self.width + 1)) // BLOCK_ROWS * BLOCK_ROWS, _FEWEST), most))

    def thread_cuts(self) -> list[slice]:
        """Slices of rows that a thread takes at a time, one at least: by the shape alone, never by the number of threads."""
        if self.shape[0] <= _WHOLE:
            return [slice(0, self.shape[0])]
        return cuts(self.shape[0], max(self.cache_rows, min(_RUN * self.cache_rows, _WHOLE)))

    @property
    def on_device(self) -> bool:
        """Whether the rows are in an array of another library."""
        return False

    @property
    def own_arrays(self) -> bool:
        """Whether products may be asked with arrays of the rows' own library, which are answered in kind."""
        return False

    @property
    def computed(self) -> bool:
        """Whether getting at a row takes about as long as its share of a Gram matrix."""
        return False

    @property
    def held_bytes(self) -> int:
        """About the memory of the rows, norms that are remembered counted; of an unknown layout, that of its rows written out."""
        return 8 * self.shape[0] * (self.shape[1] + 1)

    def all_within(self, most: float) -> bool:
        """Whether no norm is larger, or not a number; where squares overflow it is infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.all(self.row_norms() <= most))


def cuts(count: int, size: int) -> list[slice]:
    """Consecutive slices of at most `size` rows, `count` together."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def gram_rows(columns: int) -> int:
    """Of a block whose scaled copy stays in cache while a Gram matrix is updated."""
    return max(64, BLOCK_BYTES // (8 * max(1, columns)))


def weighted_gram(blocks: Iterator[npt.NDArray[Any]], columns: int, weights: Floats, *, single_precision: bool) -> AnyFloats:
    """sum_i weights_i x_i x_i^T over consecutive row `blocks` (rows, columns), in float32 if `single_precision`: shape (columns, columns).

    As sum over row blocks B of (sqrt(h_B) X_B)^T (sqrt(h_B) X_B): scaling by sqrt(h) makes each term a symmetric rank-k update (half the work of a
    general product), and blocks of about half a megabyte keep the scaled copy in cache: 1.5 to 2 times faster than (h X)^T X, without its copy.
    """
    kind = np.float32 if single_precision else np.float64
    update = blas.ssyrk if single_precision else blas.dsyrk
    roots = np.sqrt(weights).astype(kind, copy=False)
    gram = np.zeros((columns, columns), dtype=kind, order="F")
    start = 0
    for block in blocks if columns else ():
        scaled = np.multiply(block, roots[start : start + len(block), np.newaxis], dtype=kind, casting="same_kind")
        start += len(block)
        by_rows = scaled.flags.c_contiguous  # either way BLAS sees a column-major array, so nothing is copied
        gram = update(1.0, scaled.T if by_rows else scaled, beta=1.0, c=gram, overwrite_c=1, trans=0 if by_rows else 1)
    upper = np.triu(gram)
    return np.asarray(upper + np.triu(gram, 1).T)
