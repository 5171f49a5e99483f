"""Rows in an array of another library, and their products where they are: everything here takes and gives arrays of that library, on its device.

    x'_i = (scale_i clip(x_i), constant)       X' w,   X'^T s = sum_k X'_k^T s_k,   sum_i h_i x'_i x'_i^T,       X'_k the k-th BLOCK_ROWS rows

Few and long operations, since each one takes about ten microseconds to start: products of all blocks are one batched product (K, 1024, d)^T
(K, 1024, m), which keeps a device busy even where d and m are small. Copies of rows (widened, clipped, scaled) and what is as long as a chunk are
bounded by CHUNK_BYTES.

Rounding. Operations run one at a time in IEEE 754 float64, products and sums in any order, with or without fused multiply-adds: the bounds of
`Matrix` hold. They do not hold for float64 that is imitated by shorter numbers, which is refused where it is asked for by name. A Gram matrix only
gives a Newton direction, so it may be taken in float32, and in TF32 where the library is told so (torch.set_float32_matmul_precision("high")).
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from discreet.core.arrays import namespace
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.matrices import travel
from discreet.matrices.base import BLOCK_ROWS

CHUNK_BYTES = 1 << 30
"""Bytes on the device of what is made of some rows at a time."""
_EMULATION = "CUBLAS_EMULATE_DOUBLE_PRECISION"

Array = Any
"""An array of the rows' library, on their device."""
Library = Any
"""The module of its functions."""


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DeviceRows:
    """x'_1, .., x'_n; see module docstring. The caller guarantees finite entries and leaves the array unchanged."""

    table: Array
    """(n, columns), float64 or float32, held by reference."""
    clip: float | None = None
    """Entries are clipped to [-clip, clip]."""
    scale: Array | None = None
    """(n,), or None for ones."""
    constant: float = 0.0
    """The last column, where it is not 0."""

    @classmethod
    def of(cls, table: Array) -> "DeviceRows":
        """Those of an array. Raises InvalidInput for another number of dimensions, another type, or where float64 is imitated."""
        xp = namespace(table)
        if table.ndim != 2:
            raise InvalidInput(f"a matrix is a two-dimensional array; one with {table.ndim} dimensions was given.")
        if table.dtype not in (xp.float64, xp.float32):
            raise InvalidInput("an array on a device holds float64 or float32 numbers; convert it first.")
        if os.environ.get(_EMULATION, "0") not in ("", "0"):
            raise InvalidInput(f"{_EMULATION} asks for float64 that is made of shorter numbers, whose error is not bounded here. Unset it.")
        return cls(table=travel.detached(table))

    @property
    def xp(self) -> Library:
        """The library."""
        return namespace(self.table)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d), the constant column counted."""
        return int(self.table.shape[0]), int(self.table.shape[1]) + (self.constant != 0)

    @property
    def plain(self) -> bool:
        """Whether rows are neither scaled nor have a constant."""
        return self.scale is None and self.constant == 0

    @property
    def as_they_are(self) -> bool:
        """Whether rows are multiplied without a copy."""
        return self.clip is None and bool(self.table.dtype == self.xp.float64)

    def part(self, rows: slice) -> "DeviceRows":
        """Consecutive rows, a view."""
        return replace(self, table=self.table[rows, :], scale=None if self.scale is None else self.scale[rows])

    def chunks(self, numbers: int) -> list[slice]:
        """Consecutive rows, whole blocks of them, for work that makes about so many float64 numbers a row."""
        count = self.shape[0]
        size = max(1, CHUNK_BYTES // (8 * BLOCK_ROWS * max(1, numbers))) * BLOCK_ROWS
        return [slice(start, min(start + size, count)) for start in range(0, max(count, 1), size)]

    def wide(self, rows: slice) -> Array:
        """Some rows of the table in float64, clipped, neither scaled nor with the constant; perhaps a view."""
        part = self.table[rows, :] if rows.stop - rows.start < self.shape[0] else self.table
        part = self.xp.astype(part, self.xp.float64, copy=False)
        return part if self.clip is None else self.xp.clip(part, -self.clip, self.clip)

    def entries(self, rows: slice) -> Array:
        """Some rows written out in float64, (b, d): each entry rounded once where it is scaled."""
        xp, part = self.xp, self.wide(rows)
        if self.scale is not None:
            part = part * self.scale[rows, None]
        return part if self.constant == 0 else xp.concat([part, xp.full_like(part[:, :1], self.constant)], axis=1)

    def matvec(self, weights: Array, rows: slice | None = None) -> Array:
        """X' w of all or of some rows, (b,) or (b, m), for `weights` (d,) or (d, m)."""
        rows = slice(0, self.shape[0]) if rows is None else rows
        columns = self.table.shape[1]
        first = weights[:columns] if weights.ndim == 1 else weights[:columns, :]
        products = [self.wide(piece) @ first for piece in self._copied(rows)]
        result = products[0] if len(products) == 1 else self.xp.concat(products, axis=0)
        if self.scale is not None:
            result = result * _along(self.scale[rows], result)
        return result if self.constant == 0 else result + self.constant * weights[columns, ...]

    def blocks(self, coefficients: Array, rows: slice) -> Array:
        """X'_k^T s_k of the blocks of `rows`, which begin and end with a block: (K, d, m) for `coefficients` (b, m)."""
        xp = self.xp
        scaled = coefficients if self.scale is None else coefficients * self.scale[rows, None]
        inner = [self._inner(self.wide(piece), scaled[piece.start - rows.start : piece.stop - rows.start, :]) for piece in self._copied(rows)]
        sums = inner[0] if len(inner) == 1 else xp.concat(inner, axis=0)
        if self.constant == 0:
            return sums
        ones = xp.full_like(coefficients[:, :1], self.constant)
        return xp.concat([sums, self._inner(ones, coefficients)], axis=1)

    def rmatvec(self, coefficients: Array) -> Array:
        """X'^T s, (d,) or (d, m), for `coefficients` (n,) or (n, m)."""
        columns = coefficients if coefficients.ndim == 2 else coefficients[:, None]
        total = sum(self.xp.sum(self.blocks(columns[rows, :], rows), axis=0) for rows in self.chunks(self.sums_numbers(columns.shape[1])))
        return total if coefficients.ndim == 2 else total[:, 0]

    def gram(self, weights: Array, *, single_precision: bool) -> Array:
        """sum_i h_i x'_i x'_i^T, (d, d) in float64, for `weights` (n,) >= 0; products in float32, or coarser, if `single_precision`."""
        xp = self.xp
        kind = xp.float32 if single_precision else xp.float64
        roots = xp.sqrt(weights)
        factors = xp.astype(roots if self.scale is None else roots * self.scale, kind)
        inner: Array = 0.0
        for rows in self.chunks(2 * self.shape[1]):
            part = self.table[rows, :] if self.clip is None else self.wide(rows)
            scaled = xp.astype(part, kind, copy=False) * factors[rows, None]
            inner = inner + xp.astype(xp.matrix_transpose(scaled) @ scaled, xp.float64)
        if self.constant == 0:
            return inner
        border = self.constant * replace(self, constant=0.0).rmatvec(weights)
        corner = xp.reshape(self.constant**2 * xp.sum(weights), (1, 1))
        return xp.concat([xp.concat([inner, border[:, None]], axis=1), xp.concat([border[None, :], corner], axis=1)], axis=0)

    def gram_diagonal(self, weights: Array) -> Array:
        """sum_i h_i x'_ij^2, (d,)."""
        xp = self.xp
        total: Array = 0.0
        for rows in self.chunks(2 * self.shape[1]):
            part = self.wide(rows)
            if self.scale is not None:
                part = part * self.scale[rows, None]
            total = total + weights[rows] @ (part * part)
        return total if self.constant == 0 else xp.concat([total, xp.reshape(self.constant**2 * xp.sum(weights), (1,))])

    def norms(self) -> Array:
        """|x'_i|_2, (n,)."""
        xp = self.xp
        squares = [xp.sum(part * part, axis=1) for part in map(self.wide, self.chunks(2 * self.shape[1]))]
        norms = xp.sqrt(squares[0] if len(squares) == 1 else xp.concat(squares))
        if self.scale is not None:
            norms = norms * self.scale
        return norms if self.constant == 0 else xp.hypot(norms, xp.full_like(norms, self.constant))

    def ordered_squares(self) -> Array:
        """|x'_i|^2, (n,), added up in the order of the columns: of each row a function of this row alone, to the last bit (module `base`).

        Multiplications and additions are rounded as IEEE 754 says everywhere. Roots are not (torch on a processor), so nobody takes them there.
        """
        xp = self.xp
        total = xp.zeros_like(self._numbers())
        for column in range(self.shape[1]):
            entries = self._column(column)
            total = total + entries * entries
        return total

    def ordered_matvec(self, weights: list[float]) -> Array:
        """X' w in the order of the columns, terms with w_j = 0 left out (module `base`)."""
        columns = self.table.shape[1]
        total = self.xp.zeros_like(self._numbers())
        plain = replace(self, scale=None, constant=0.0)
        for column, weight in enumerate(weights[:columns]):
            if weight != 0:
                total = total + plain._column(column) * weight
        if self.scale is not None:
            total = total * self.scale
        return total if self.constant == 0 else total + self.constant * weights[columns]

    def sums_numbers(self, models: int) -> int:
        """About the numbers a row that `blocks` and its margins make, for `models` columns."""
        return 8 * models + models * self.shape[1] // BLOCK_ROWS + 1

    def _copied(self, rows: slice) -> Iterator[slice]:
        """`rows` in pieces, whole blocks, that may be copied; in one where no copy is made."""
        if self.as_they_are:
            yield rows
            return
        for piece in self.part(rows).chunks(2 * self.shape[1]):
            yield slice(rows.start + piece.start, rows.start + piece.stop)

    def _inner(self, part: Array, coefficients: Array) -> Array:
        """part_k^T s_k, (K, columns, m), for `part` (b, columns) and `coefficients` (b, m)."""
        xp = self.xp
        pairs = zip(whole_blocks(part, xp), whole_blocks(coefficients, xp), strict=True)
        found = [xp.matrix_transpose(left) @ right for left, right in pairs]
        return found[0] if len(found) == 1 else xp.concat(found, axis=0)

    def _column(self, column: int) -> Array:
        """One column in float64, (n,), clipped and scaled."""
        if column == self.table.shape[1]:
            return self.xp.full_like(self._numbers(), self.constant)
        entries = self.xp.astype(self.table[:, column], self.xp.float64)
        if self.clip is not None:
            entries = self.xp.clip(entries, -self.clip, self.clip)
        return entries if self.scale is None else entries * self.scale

    def _numbers(self) -> Array:
        """Some array (n,) of float64."""
        return self.xp.astype(self.table[:, 0], self.xp.float64)


def whole_blocks(part: Array, xp: Library) -> list[Array]:
    """`part` (b, m) as views (K, BLOCK_ROWS, m), where there is a whole block, and (1, rest, m), where there is a rest or nothing at all."""
    count, columns = part.shape
    whole = count // BLOCK_ROWS
    split = whole * BLOCK_ROWS
    found = [xp.reshape(part[:split, :], (whole, BLOCK_ROWS, columns))] if whole else []
    return found if whole and split == count else [*found, part[split:, :][None, ...]]


def _along(values: Array, like: Array) -> Array:
    return values if like.ndim == 1 else values[:, None]
