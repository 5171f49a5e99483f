"""Rows of another matrix with every entry clipped, and rows multiplied by powers of two:  x'_ij = 2^k_i min(max(x_ij, -bound), bound).

A dense table is changed a few rows at a time wherever it is used, so nothing is copied; of a sparse one the stored numbers are, and their places
are not. A table without larger entries is its own clipped form, and one without very long rows is near as it is.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import singledispatch
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.private import holds_records_of_a_block
from discreet.matrices.base import BLOCK_ROWS, Matrix
from discreet.matrices.dense import weighted_gram
from discreet.matrices.device import DeviceMatrix
from discreet.matrices.entries import entries_of
from discreet.matrices.sparse import CSR, SparseMatrix

Powers: TypeAlias = npt.NDArray[np.int32]

_CHUNK_NUMBERS = 1 << 20
"""Entries that are written out at a time."""


@holds_records_of_a_block
class ClippedMatrix:
    """`base` with entries clipped to [-bound, bound], and row i multiplied by 2^powers_i."""

    __slots__ = ("_base", "_bound", "_powers")

    def __init__(self, base: Matrix, *, bound: float = math.inf, powers: Powers | None = None) -> None:
        """Hold the parts; bound > 0, `powers` (n,) integers or None for zeros."""
        self._base = base
        self._bound = bound
        self._powers = powers

    def part(self, base: Matrix, rows: slice) -> "ClippedMatrix":
        """Those `rows` of it, of which `base` are the same ones below."""
        return ClippedMatrix(base, bound=self._bound, powers=None if self._powers is None else self._powers[rows])

    def changed(self, entries: Floats, rows: Any = slice(None)) -> Floats:  # noqa: ANN401 - whatever NumPy takes for places
        """Some `entries` of these rows, each row along the first axis, as they are here."""
        clipped: Floats = np.clip(entries, -self._bound, self._bound)
        if self._powers is None:
            return clipped
        powers = self._powers[rows]
        return np.ldexp(clipped, powers if clipped.ndim == 1 else powers[:, np.newaxis])

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self._base.shape

    @property
    def width(self) -> int:
        """That of the base."""
        return self._base.width

    def matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        result = np.empty((self.shape[0], *weights.shape[1:]))
        for rows, entries in entry_chunks(self):
            result[rows] = entries @ weights
        return result

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        result = np.zeros((self.shape[1], *coefficients.shape[1:]))
        for rows, entries in entry_chunks(self):
            result += entries.T @ coefficients[rows]
        return result

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """See Matrix."""
        return weighted_gram((entries for _, entries in entry_chunks(self)), self.shape[1], weights, single_precision=single_precision)

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Matrix."""
        result = np.zeros(self.shape[1])
        for rows, entries in entry_chunks(self):
            result += weights[rows] @ np.square(entries)
        return result

    def row_norms(self) -> Floats:
        """See Matrix."""
        norms = np.empty(self.shape[0])
        for rows, entries in entry_chunks(self):
            norms[rows] = np.sqrt(np.einsum("ij,ij->i", entries, entries))
        return norms

    def blocks(self) -> Iterator[tuple[slice, Matrix]]:
        """See Matrix."""
        for rows, block in self._base.blocks():
            yield rows, self.part(block, rows)

    def content(self) -> Iterator[bytes]:
        """See Matrix: that of the rows below, so that a table is known again whatever it was clipped to."""
        yield from self._base.content()


@entries_of.register
def _clipped_entries(block: ClippedMatrix, rows: slice) -> Floats:
    return block.changed(entries_of(block._base, rows), rows)


def entry_chunks(matrix: Matrix) -> Iterator[tuple[slice, Floats]]:
    """The rows of any matrix written out, at most about a million numbers at a time: (slice of row numbers, entries), only to be read."""
    size = max(1, min(BLOCK_ROWS, _CHUNK_NUMBERS // max(1, matrix.shape[1])))
    for rows, block in matrix.blocks():
        for start in range(0, rows.stop - rows.start, size):
            stop = min(start + size, rows.stop - rows.start)
            yield slice(rows.start + start, rows.start + stop), entries_of(block, slice(start, stop))


@singledispatch
def clip_entries(matrix: Matrix, bound: float) -> Matrix:
    """A matrix of the clipped rows; `matrix` itself when no entry exceeds the bound."""
    if all(not np.any(np.abs(entries) > bound) for _, entries in entry_chunks(matrix)):
        return matrix
    return ClippedMatrix(matrix, bound=bound)


@clip_entries.register
def _device(matrix: DeviceMatrix, bound: float) -> Matrix:
    rows = matrix.there
    if not rows.plain or rows.clip is not None:
        return clip_entries.dispatch(object)(matrix, bound)
    larger = (rows.xp.any(rows.xp.abs(rows.wide(piece)) > bound) for piece in rows.chunks(2 * rows.shape[1]))
    return matrix.of(replace(rows, clip=bound)) if any(bool(one) for one in larger) else matrix


@clip_entries.register
def _sparse(matrix: SparseMatrix, bound: float) -> Matrix:
    held_rows: CSR = matrix._rows
    if not np.any(np.abs(held_rows.data) > bound):
        return matrix
    return _same_places(held_rows, np.clip(held_rows.data, -bound, bound))


@singledispatch
def times_powers(matrix: Matrix, powers: Powers) -> Matrix:
    """A matrix of the rows times 2^powers_i (n,): exactly, but for entries that underflow."""
    return ClippedMatrix(matrix, powers=powers)


@times_powers.register
def _sparse_times(matrix: SparseMatrix, powers: Powers) -> Matrix:
    held_rows: CSR = matrix._rows
    return _same_places(held_rows, np.ldexp(held_rows.data, np.repeat(powers, np.diff(held_rows.indptr))))


def _same_places(matrix: CSR, numbers: Floats) -> Matrix:
    """The numbers of compressed rows replaced."""
    made: CSR = sparse.csr_array((numbers, matrix.indices, matrix.indptr), shape=matrix.shape)
    made.has_canonical_format = True
    return SparseMatrix(made)
