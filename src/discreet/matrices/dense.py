"""A dense table, row-major or column-major, float64 or float32, never copied.

float32 storage is widened a block at a time wherever the result must be accurate.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records_of_a_block
from discreet.matrices.base import BLOCK_BYTES, BLOCK_ROWS, Column, Columns, Matrix, Numbers, cuts, gram_rows, weighted_gram

_COLUMNS_A_PASS = 24.0
"""Of a Gram matrix: 4 (100 columns) to 90 passes (2,000) were measured."""
_CACHES, _LONG_ROWS = 1 << 25, range(64, 1025)
"""Bytes beyond which rows are read from memory, and columns for which adding up row by row takes .7 to .9 of a product of BLAS, as measured."""


@holds_records_of_a_block
class DenseMatrix(Matrix):
    """Rows of a two-dimensional float64 or float32 array, held by reference.

    Raises InvalidInput for another number of dimensions or another type. The caller guarantees finite entries and leaves the array unchanged.
    """

    __slots__ = ("_norms", "_rows")

    def __init__(self, rows: npt.NDArray[np.float64] | npt.NDArray[np.float32]) -> None:
        """Hold `rows` (n, d)."""
        if rows.ndim != 2:
            raise InvalidInput(f"a dense matrix is a two-dimensional array; one with {rows.ndim} dimensions was given.")
        if rows.dtype not in (np.float64, np.float32):
            raise InvalidInput("a dense matrix holds float64 or float32 numbers; convert the array with .astype(float).")
        self._rows: npt.NDArray[Any] = rows
        self._norms: Floats | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self._rows.shape[0], self._rows.shape[1]

    @property
    def width(self) -> int:
        """d."""
        return self.shape[1]

    def rows(self, rows: slice) -> "DenseMatrix":
        """See Matrix."""
        return DenseMatrix(self._rows[rows])

    def chosen(self, numbers: Numbers) -> "DenseMatrix":
        """See Matrix."""
        return DenseMatrix(self._rows[numbers])

    def entries(self, rows: slice) -> Floats:
        """See Matrix."""
        return np.asarray(self._rows[rows], dtype=np.float64)

    def content(self) -> Iterator[bytes]:
        """See Matrix: rows of float64, whatever the layout in memory."""
        if self.shape[0] == 0:
            return
        yield repr(("rows", self.shape)).encode()
        for _, block in self._parts():
            yield np.ascontiguousarray(block).tobytes()

    def matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        return np.asarray(self._rows @ weights) if self._is_wide else super().matvec(weights)

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Matrix: long rows beyond the caches are added one after the other, which reads memory faster than BLAS does, four rows at a time."""
        if not self._is_wide:
            return super().rmatvec(coefficients)
        rows = self._rows
        if coefficients.ndim == 1 and rows.flags.c_contiguous and rows.nbytes > _CACHES and rows.shape[1] in _LONG_ROWS:
            return np.asarray(np.einsum("ij,i->j", rows, coefficients))
        return np.asarray(rows.T @ coefficients)

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """See Matrix."""
        columns = self.shape[1]
        blocks = (self._rows[rows] for rows in cuts(self.shape[0], gram_rows(columns)))
        return weighted_gram(blocks, columns, weights, single_precision=single_precision)

    @property
    def gram_passes(self) -> float:
        """See Matrix: a pass waits for memory, a Gram matrix in float32 for the processor."""
        return self.shape[1] / _COLUMNS_A_PASS

    def row_norms(self) -> Floats:
        """See Matrix; remembered, and not to be written to."""
        if self._norms is None:
            # Nothing is copied of float64 numbers, and long columns are faster in one go.
            norms = np.sqrt(np.einsum("ij,ij->i", self._rows, self._rows)) if self._is_wide else super().row_norms()
            norms.flags.writeable = False
            self._norms = norms
        return self._norms

    def banded(self, coefficients: Floats) -> Floats:
        """See Matrix: all blocks in one batched product."""
        if not self._is_wide:
            return super().banded(coefficients)
        count, columns = self.shape
        whole = count // BLOCK_ROWS
        split = whole * BLOCK_ROWS
        turned = self._rows[:split].reshape(whole, BLOCK_ROWS, columns).transpose(0, 2, 1)  # a view, in any layout
        total: Floats = np.add.reduce(np.matmul(turned, coefficients[:split].reshape(whole, BLOCK_ROWS, coefficients.shape[1])), axis=0)
        return total if split == count else total + self._rows[split:].T @ coefficients[split:]

    def columns(self) -> Columns:
        """See Matrix."""
        return lambda index: Column(None, self._rows[:, index].astype(np.float64))

    def plain(self) -> Floats:
        """See Matrix."""
        return self.entries(slice(None))

    @property
    def held_bytes(self) -> int:
        """See Matrix."""
        return int(self._rows.nbytes) + 8 * self.shape[0]

    @property
    def _is_wide(self) -> bool:
        return bool(self._rows.dtype == np.float64)

    def _parts(self) -> Iterator[tuple[slice, Floats]]:
        for rows in cuts(self.shape[0], max(1, BLOCK_BYTES // (8 * max(1, self.shape[1])))):
            yield rows, self.entries(rows)
