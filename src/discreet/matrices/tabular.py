"""A table of numbers and categories, without ever writing out the indicator columns.

    x_i = (numeric_i1, ..., numeric_ip, e(code_i1), ..., e(code_iC)),   e(a) the a-th unit vector of the category's size

The Gram matrix falls into blocks: numbers by numbers (dense), category by numbers (sums by level), category by category (weighted contingency tables,
one counting pass a pair: O(n) whatever the sizes). Products use the indicators as sparse rows.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records_of_a_block
from discreet.matrices.base import Column, Columns, Matrix, Numbers, cuts
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.sparse import CSR, SparseMatrix

_SUM_ROWS = 32768
"""Rows whose weighted numbers are held at a time while they are summed by level."""


@holds_records_of_a_block
class TabularMatrix(Matrix):
    """Columns: the numbers first, then the levels of each category in order; no level is dropped.

    Parameters: `numeric` (n, p) floats, held by reference, or None; `codes`, one (n,) integer array a category with 0 <= code < size; `sizes`, the
    public number of levels of each. Raises InvalidInput when shapes disagree or a code is out of range (a missing value needs a level of its own).
    """

    __slots__ = ("_codes", "_indicators", "_numeric", "_offsets", "_sizes")

    def __init__(self, numeric: npt.NDArray[Any] | None, codes: Sequence[npt.NDArray[np.integer]], sizes: Sequence[int]) -> None:
        """Check the codes and lay out the indicators."""
        if len(codes) != len(sizes):
            raise InvalidInput(f"a tabular matrix needs one size per category; {len(codes)} categories and {len(sizes)} sizes were given.")
        lengths = {len(column) for column in codes} | ({len(numeric)} if numeric is not None else set())
        if len(lengths) != 1:
            raise InvalidInput("a tabular matrix needs at least one column, and columns of equal length.")
        for column, size in zip(codes, sizes, strict=True):
            if column.ndim != 1 or not np.issubdtype(column.dtype, np.integer):
                raise InvalidInput("codes are one-dimensional integer arrays.")
            if len(column) and not (column.min() >= 0 and column.max() < size):
                raise InvalidInput(f"codes must lie in 0..{size - 1}; give missing values a level of their own.")
        count = lengths.pop()
        table = numeric if numeric is not None else np.empty((count, 0))
        counted = [np.asarray(column, dtype=np.intp) for column in codes]  # the type that np.bincount counts without converting
        indicators = SparseMatrix(_indicator_rows(counted, sizes, count))
        self._hold(DenseMatrix(table), indicators, counted, [int(size) for size in sizes])

    def _hold(self, numeric: DenseMatrix, indicators: SparseMatrix, codes: list[npt.NDArray[np.intp]], sizes: list[int]) -> None:
        self._numeric, self._indicators, self._codes, self._sizes = numeric, indicators, codes, sizes
        self._offsets = [int(start) for start in np.cumsum([0, *sizes])]

    def _part(self, numeric: DenseMatrix, indicators: SparseMatrix, rows: slice) -> "TabularMatrix":
        part = TabularMatrix.__new__(TabularMatrix)
        part._hold(numeric, indicators, [code[rows] for code in self._codes], self._sizes)
        return part

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self._numeric.shape[0], self._numeric.shape[1] + self._offsets[-1]

    @property
    def width(self) -> int:
        """The numbers, and one level a category."""
        return self._numeric.width + len(self._codes)

    def matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        numbers = self._numeric.shape[1]
        result = self._indicators.matvec(weights[numbers:])
        if numbers:
            result += self._numeric.matvec(weights[:numbers])
        return result

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        return np.concatenate((self._numeric.rmatvec(coefficients), self._indicators.rmatvec(coefficients)))

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:  # noqa: ARG002 - allowed, not asked
        """See Matrix; always float64, since counting gains nothing from float32."""
        numbers, columns = self._numeric.shape[1], self.shape[1]
        gram = np.zeros((columns, columns))
        gram[:numbers, :numbers] = self._numeric.gram(weights)
        gram[numbers:, :numbers] = self._level_sums(weights)
        starts = [numbers + start for start in self._offsets]
        for i, (code, size) in enumerate(zip(self._codes, self._sizes, strict=True)):
            levels = np.arange(starts[i], starts[i + 1])
            gram[levels, levels] = np.bincount(code, weights=weights, minlength=size)
            for j in range(i):
                cells = np.bincount(code * self._sizes[j] + self._codes[j], weights=weights, minlength=size * self._sizes[j])
                gram[starts[i] : starts[i + 1], starts[j] : starts[j + 1]] = cells.reshape(size, self._sizes[j])
        lower = np.tril(gram, -1)
        return np.asarray(lower + lower.T + np.diag(np.diag(gram)))

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Matrix."""
        levels = [np.bincount(code, weights=weights, minlength=size) for code, size in zip(self._codes, self._sizes, strict=True)]
        return np.concatenate([self._numeric.gram_diagonal(weights), *levels])

    def row_norms(self) -> Floats:
        """See Matrix: every category adds 1 to the square."""
        return np.sqrt(np.square(self._numeric.row_norms()) + float(len(self._codes)))

    def ordered_matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        numbers = self._numeric.shape[1]
        levels = self._indicators.matvec(weights[numbers:])
        return levels + self._numeric.ordered_matvec(weights[:numbers]) if numbers else levels

    def ordered_row_norms(self) -> Floats:
        """See Matrix."""
        return np.sqrt(np.square(self._numeric.ordered_row_norms()) + float(len(self._codes)))

    def content(self) -> Iterator[bytes]:
        """See Matrix: the numbers, then the codes."""
        if self.shape[0] == 0:
            return
        yield from self._numeric.content()
        yield repr(("codes", self._sizes)).encode()
        for column in self._codes:
            yield np.asarray(column, dtype=np.int64).tobytes()

    def rows(self, rows: slice) -> "TabularMatrix":
        """See Matrix."""
        return self._part(self._numeric.rows(rows), self._indicators.rows(rows), rows)

    def chosen(self, numbers: Numbers) -> "TabularMatrix":
        """See Matrix."""
        return TabularMatrix(self._numeric._rows[numbers], [code[numbers] for code in self._codes], self._sizes)

    def blocks(self) -> Iterator[tuple[slice, Matrix]]:
        """See Matrix; of indicators that are made once."""
        for rows, indicators in self._indicators.blocks():
            yield rows, self._part(self._numeric.rows(rows), indicators, rows)

    def entries(self, rows: slice) -> Floats:
        """See Matrix."""
        return np.hstack((self._numeric.entries(rows), self._indicators.entries(rows)))

    def columns(self) -> Columns:
        """See Matrix."""
        numbers, offsets = self._numeric.shape[1], np.asarray(self._offsets)
        numeric = self._numeric.columns()

        def column(index: int) -> Column:
            if index < numbers:
                return numeric(index)
            category = int(np.searchsorted(offsets, index - numbers, side="right")) - 1
            rows = np.flatnonzero(self._codes[category] == index - numbers - offsets[category])
            return Column(rows, np.ones(len(rows)))

        return column

    @property
    def held_bytes(self) -> int:
        """See Matrix."""
        return self._numeric.held_bytes + self._indicators.held_bytes + sum(column.nbytes for column in self._codes)

    def _level_sums(self, weights: Floats) -> Floats:
        """sum_i weights_i e(codes_i) numeric_i^T, shape (levels, p)."""
        result = np.zeros((self._offsets[-1], self._numeric.shape[1]))
        if not result.size:
            return result
        for rows in cuts(self.shape[0], _SUM_ROWS):
            result += self._indicators.rows(rows).rmatvec(weights[rows, np.newaxis] * self._numeric.entries(rows))
        return result


def _indicator_rows(codes: Sequence[npt.NDArray[np.intp]], sizes: Sequence[int], count: int) -> CSR:
    width, total = len(codes), int(sum(sizes))
    kind = np.int32 if max(count * width, total) < 2**31 else np.int64
    columns = np.empty((count, width), dtype=kind)
    offset = 0
    for place, (code, size) in enumerate(zip(codes, sizes, strict=True)):
        columns[:, place] = code + offset
        offset += int(size)
    starts = np.arange(count + 1, dtype=kind) * width
    return sparse.csr_array((np.ones(count * width), columns.ravel(), starts), shape=(count, total))
