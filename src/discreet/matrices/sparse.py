"""A sparse table in compressed rows (CSR), never copied when it comes as canonical float64 CSR.

Many models at once are the columns of a row-major (d, k) array: each non-zero then updates k contiguous numbers, and a product costs two to three
times less a model than k single ones. Measured on 45k x 105 with 14 non-zeros a row, it also beats a dense product once fewer than about 30 % of
the entries are non-zero; the Gram matrix, quadratic in the non-zeros, is formed from dense blocks unless the rows are very sparse.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
from scipy import sparse

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records_of_a_block
from discreet.matrices.base import BLOCK_ROWS, Column, Columns, Matrix, Numbers, cuts, gram_rows, weighted_gram

CSR: TypeAlias = "sparse.csr_array[np.float64, tuple[int, int]]"
CSC: TypeAlias = "sparse.csc_array[np.float64]"
AnySparse: TypeAlias = Any
"""A SciPy sparse matrix or array of any format; SciPy publishes no common type with a shape."""

_SPARSE_PRODUCT_COST = 200.0
"""Time of one multiply-add of a sparse matrix product over one of a dense symmetric update, roughly."""
_SHARED: "WeakValueDictionary[int, Floats]" = WeakValueDictionary()
"""Ones that are in use, by how many they are."""
_LONG = 1 << 23
"""As many as blocks of files have, about: up to here there are a power of two."""


def shared_ones(count: int) -> Floats:
    """So many ones, read-only: entries of rows that are places alone. Blocks of about one length have parts of the same, while there is one of them.

    Of an array of twice as many or more SciPy would make a copy.
    """
    for found in _shared():
        if count <= len(found) <= 2 * count:
            return found[:count]
    made = np.ones(count if count > _LONG else 1 << (count - 1).bit_length())
    made.flags.writeable = False
    return _SHARED.setdefault(len(made), made)[:count]


def _shared() -> list[Floats]:
    return [found for one in _SHARED.valuerefs() if (found := one()) is not None]


@holds_records_of_a_block
class SparseMatrix(Matrix):
    """Rows of a SciPy sparse matrix. Other formats than canonical float64 CSR are converted, which copies.

    The caller guarantees finite entries and leaves the matrix unchanged. Raises InvalidInput when it is not two-dimensional.
    """

    __slots__ = ("_blocks", "_norms", "_rows", "_transposed")

    def __init__(self, rows: AnySparse) -> None:
        """Hold `rows` (n, d)."""
        if rows.ndim != 2:
            raise InvalidInput("a sparse matrix is a two-dimensional matrix.")
        fits: bool = isinstance(rows, sparse.csr_array) and rows.dtype == np.float64
        converted: AnySparse = rows if fits else sparse.csr_array(rows, dtype=np.float64)
        matrix: CSR = converted
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        self._rows = matrix
        self._transposed: CSC = matrix.T
        self._transposed.data, self._transposed.indices = matrix.data, matrix.indices  # SciPy may have copied
        self._norms: Floats | None = None
        self._blocks: tuple[tuple[slice, SparseMatrix], ...] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self._rows.shape[0], self._rows.shape[1]

    @property
    def width(self) -> int:
        """Most stored entries of a row."""
        return int(np.diff(self._rows.indptr).max(initial=0))

    def matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        return _product(self._rows, weights)

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        return _product(self._transposed, coefficients)

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """See Matrix; `single_precision` has no effect on very sparse rows."""
        count, columns = self.shape
        entries = self._rows.nnz / max(1, count)
        if _SPARSE_PRODUCT_COST * entries * entries < columns * columns:
            scaled = self._rows.copy()
            scaled.data *= np.repeat(weights, np.diff(self._rows.indptr))
            return np.asarray((self._transposed @ scaled).toarray())
        blocks = (_rows_of(self._rows, rows).toarray() for rows in cuts(count, gram_rows(columns)))
        return weighted_gram(blocks, columns, weights, single_precision=single_precision)

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Matrix."""
        return np.asarray(self._squares().T @ weights)

    def row_norms(self) -> Floats:
        """See Matrix; remembered, and not to be written to."""
        if self._norms is None:
            self._norms = np.sqrt(np.asarray(self._squares() @ np.ones(self.shape[1])))
            self._norms.flags.writeable = False
        return self._norms

    def ordered_matvec(self, weights: Floats) -> Floats:
        """See Matrix: SciPy's loop is one over the stored entries of a row."""
        return self.matvec(weights)

    def ordered_row_norms(self) -> Floats:
        """See Matrix."""
        return self.row_norms()

    def blocks(self) -> Iterator[tuple[slice, "SparseMatrix"]]:
        """See Matrix; views, made once."""
        if self._blocks is None:
            self._blocks = tuple((rows, self.rows(rows)) for rows in cuts(self.shape[0], BLOCK_ROWS))
        return iter(self._blocks)

    def content(self) -> Iterator[bytes]:
        """See Matrix: the three arrays of the compressed rows."""
        if self.shape[0] == 0:
            return
        yield repr(("compressed rows", self.shape)).encode()
        yield np.asarray(self._rows.indptr, dtype=np.int64).tobytes()
        yield np.asarray(self._rows.indices, dtype=np.int64).tobytes()
        yield np.asarray(self._rows.data, dtype=np.float64).tobytes()

    def rows(self, rows: slice) -> "SparseMatrix":
        """See Matrix."""
        return SparseMatrix(_rows_of(self._rows, rows))

    def chosen(self, numbers: Numbers) -> "SparseMatrix":
        """See Matrix."""
        return SparseMatrix(self._rows[numbers])

    def entries(self, rows: slice) -> Floats:
        """See Matrix."""
        return np.asarray(self._rows[rows].toarray(), dtype=np.float64)

    def columns(self) -> Columns:
        """See Matrix; compressed columns are made once, a second copy of the stored numbers."""
        compressed: CSC = self._rows.tocsc()

        def column(index: int) -> Column:
            entries = slice(int(compressed.indptr[index]), int(compressed.indptr[index + 1]))
            return Column(compressed.indices[entries], compressed.data[entries])

        return column

    def plain(self) -> CSR:
        """See Matrix."""
        return self._rows

    def with_numbers(self, numbers: Floats) -> "SparseMatrix":
        """Other stored numbers in the same places."""
        made: CSR = sparse.csr_array((numbers, self._rows.indices, self._rows.indptr), shape=self.shape)
        made.has_canonical_format = True
        return SparseMatrix(made)

    @property
    def held_bytes(self) -> int:
        """See Matrix; without entries that are shared."""
        data = self._rows.data
        own = 0 if any(data.base is one for one in _shared()) else data.nbytes
        return int(own + self._rows.indices.nbytes + self._rows.indptr.nbytes) + 8 * self.shape[0]

    def _squares(self) -> CSR:
        squares: CSR = sparse.csr_array((np.square(self._rows.data), self._rows.indices, self._rows.indptr), shape=self.shape)
        return squares


def _product(matrix: "CSR | CSC", vectors: Floats) -> Floats:
    """matrix @ vectors; one column goes the (faster) way of a vector, many go row-major."""
    if vectors.ndim == 2 and vectors.shape[1] == 1:
        return np.asarray(matrix @ vectors[:, 0])[:, np.newaxis]
    return np.asarray(matrix @ np.ascontiguousarray(vectors))


def _rows_of(matrix: CSR, rows: slice) -> CSR:
    bounds = matrix.indptr[rows.start : rows.stop + 1]
    entries = slice(int(bounds[0]), int(bounds[-1]))
    part: CSR = sparse.csr_array((matrix.data[entries], matrix.indices[entries], bounds - bounds[0]), shape=(rows.stop - rows.start, matrix.shape[1]))
    part.data, part.indices = matrix.data[entries], matrix.indices[entries]  # SciPy copies small parts of large arrays
    part.has_canonical_format = True
    return part
