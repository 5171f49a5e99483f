"""Rows of another matrix times a public matrix:  x_i = A^T z_i, never written out.

    X w = Z (A w)        X^T s = A^T (Z^T s)        X^T H X = A^T (Z^T H Z) A

Z is narrow, a few numbers a row (where a record stands along each column), and A says what these places become: dense where places share strength.

Rounding. Column by column of the table, a row of X is a combination of rows of A: x_i = (.., sum_j z_ij A_j, ..). With k = `width`, X w is within
gamma_(k+4) S_i |w| of the exact one, S_i^2 the sum over columns of (sum_j |z_ij| |A_j|)^2 >= |x_i|^2, and X^T s, with B rows added up at a time and
t entries in a column of A, within gamma_(B+t+4) sum_i |s_i| S_i. So bounds of rounding errors take for |x_i| the `reach` of the row, at least
(1 + t / BLOCK_ROWS) S_i: in x_i itself terms may cancel. It is one number a row, so that a row that is short, and is scaled up, has a small one.
"""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.private import holds_records_of_a_block
from discreet.matrices.base import BLOCK_ROWS, Matrix, Numbers
from discreet.matrices.bounded import RowsOf
from discreet.matrices.sparse import CSR

csgraph = lazily("scipy.sparse.csgraph")


@holds_records_of_a_block
class MappedMatrix(RowsOf):
    """`base` (n, m) times the public `table` (m, d); `norms` (n,) are those of the rows and `reach` (n,) is S_i or more, each from its row alone.

    Raises InvalidInput when shapes disagree.
    """

    __slots__ = ("_norms", "_reach", "_table", "_turned")

    def __init__(self, base: Matrix, table: CSR, *, norms: Floats, reach: Floats) -> None:
        """Hold the parts."""
        if base.shape[1] != table.shape[0] or not norms.shape == reach.shape == base.shape[:1]:
            raise InvalidInput(f"a table of {base.shape[1]} rows is needed, and a norm and a reach for every row of the matrix.")
        self._base, self._table, self._norms = base, table, norms
        self._turned: CSR = sparse.csr_array(table.T)
        self._reach = reach * (1.0 + int(np.diff(self._turned.indptr).max(initial=0)) / BLOCK_ROWS)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self._base.shape[0], self._table.shape[1]

    @property
    def width(self) -> int:
        """Most roundings of an entry of a product, or stored entries of a row, if these are more."""
        below, longest = self._base.width, int(np.diff(self._table.indptr).max(initial=0))
        return max(below + longest, min(below * longest, self.shape[1]))

    @property
    def held_bytes(self) -> int:
        """See Matrix."""
        return self._base.held_bytes + 16 * self.shape[0]

    def part(self, base: Matrix, rows: slice | Numbers) -> Matrix:
        """See RowsOf."""
        return self._of(base, self._norms[rows], self._reach[rows])

    def chosen(self, numbers: Numbers) -> Matrix:
        """See Matrix."""
        return self._of(self._base.chosen(numbers), self._norms[numbers], self._reach[numbers])

    def entries(self, rows: slice) -> Floats:
        """See Matrix: products of compressed rows, each in the order of its entries."""
        return np.asarray((sparse.csr_array(self._base.entries(rows)) @ self._table).toarray())

    def matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        return self._base.matvec(self._table @ weights)

    def ordered_matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        return self._base.ordered_matvec(self._table @ weights)

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        return np.asarray(self._turned @ self._base.rmatvec(coefficients))

    def banded(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        return np.asarray(self._turned @ self._base.banded(coefficients))

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """See Matrix."""
        inner = self._turned @ self._base.gram(weights, single_precision=single_precision)
        full = self._turned @ inner.T
        return np.asarray((full + full.T) / 2.0)

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Matrix: sums over pairs of places in one part of the table, since no other pair has an influence on the diagonal."""
        parts, part = csgraph.connected_components(abs(self._table) @ abs(self._turned), directed=False)
        together = np.count_nonzero(np.diff(part)) < parts  # then those of a row that are in one part stand side by side
        none = sparse.csr_array(2 * self._table.shape[:1])
        pairs = sum((_pairs(block, weights[rows], part, none, together=together) for rows, block in self._base.bands(1)), start=none)
        return np.asarray(self._table.multiply(pairs @ self._table).sum(axis=0))

    def row_norms(self) -> Floats:
        """See Matrix."""
        return self._norms

    def ordered_row_norms(self) -> Floats:
        """See Matrix."""
        return self._norms

    def reach(self, norms: Floats | None = None) -> Floats:  # noqa: ARG002 - more than these
        """See Matrix."""
        return self._reach

    def _of(self, base: Matrix, norms: Floats, reach: Floats) -> "MappedMatrix":
        other = MappedMatrix.__new__(MappedMatrix)
        other._base, other._table, other._turned, other._norms, other._reach = base, self._table, self._turned, norms, reach
        return other


def _pairs(block: Matrix, weights: Floats, part: npt.NDArray[np.integer], none: CSR, *, together: bool) -> CSR:
    """sum_i weights_i z_ij z_ik over the rows of `block`, (m, m), for j <= k in one part of the table, twice where j < k; `none` is no pair."""
    places = sparse.csr_array(block.plain())  # in the order of the columns
    row, column = np.repeat(np.arange(places.shape[0]), np.diff(places.indptr)), places.indices
    total = none
    for apart in range(int(np.diff(places.indptr).max(initial=0))):
        first = np.flatnonzero((row[: len(row) - apart] == row[apart:]) & (part[column[: len(row) - apart]] == part[column[apart:]]))
        if together and not len(first):
            break
        last = first + apart
        products = (1.0 + (apart > 0)) * weights[row[first]] * places.data[first] * places.data[last]
        total = total + sparse.csr_array((products, (column[first], column[last])), shape=total.shape)
    return total
