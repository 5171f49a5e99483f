"""Rows in an array of another library, on a GPU perhaps, as a Matrix: products where the rows are.

    x'_i = (scale_i clip(x_i), constant)       X' w,   X'^T s = sum_k X'_k^T s_k,   sum_i h_i x'_i x'_i^T,       X'_k the k-th BLOCK_ROWS rows

Few and long operations, since each one takes about ten microseconds to start: products of all blocks are one batched product (K, 1024, d)^T
(K, 1024, m), which keeps a device busy even where d and m are small. Copies of rows (widened, clipped, scaled) and what is as long as a chunk are
bounded by CHUNK_BYTES.

Rounding. Operations run one at a time in IEEE 754 float64, products and sums in any order, with or without fused multiply-adds: the bounds of
`Matrix` hold. They do not hold for float64 that is imitated by shorter numbers, which is refused where it is asked for by name. A Gram matrix only
gives a Newton direction, so it may be taken in float32, and in TF32 where the library is told so (torch.set_float32_matmul_precision("high")).

Whoever knows matrices only gives NumPy's arrays and gets them, vectors as long as the table included. Whoever is to be fast on a device gives arrays
of the rows' library to the same methods, and keeps such vectors where they are (`discreet.device.places`).
"""

import os
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats, namespace
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.device import transfer
from discreet.matrices.base import BLOCK_ROWS, Array, Library, Matrix, Numbers, cuts
from discreet.matrices.bounded import brought_near, clip_entries, safe_shortening, shortened, shortened_in_order

CHUNK_BYTES = 1 << 30
"""Bytes on the device of what is made of some rows at a time."""
_EMULATION = "CUBLAS_EMULATE_DOUBLE_PRECISION"

Precision: TypeAlias = Literal["float32", "float64"]


def _where_asked(product: Callable[..., Array]) -> Callable[..., Array]:
    """A method for arrays of the rows' library that takes NumPy's too, and answers in kind."""

    @wraps(product)
    def asked(self: "DeviceMatrix", values: Array, *places: slice, **options: bool) -> Array:
        if isinstance(values, np.ndarray):
            return transfer.to_host(product(self, transfer.to_device(values, self.table), *places, **options))
        return product(self, values, *places, **options)

    return asked


@holds_records
class DeviceMatrix(Matrix):
    """Rows of a two-dimensional float64 or float32 array of the array API standard, held by reference, wherever it is.

    `gram` is the arithmetic of Gram matrices that may be coarse: "float32" (TF32 where torch.set_float32_matmul_precision says so) or "float64".
    Raises InvalidInput for another number of dimensions, another type, or where float64 is imitated. Needs array-api-compat
    (pip install 'discreet[gpu]'). The caller guarantees finite entries and leaves the array unchanged.
    """

    __slots__ = ("_coarse", "_norms", "clip", "constant", "scale", "table")
    table: Array
    """(n, columns), float64 or float32."""
    clip: float | None
    """Entries are clipped to [-clip, clip]."""
    scale: Array | None
    """(n,), or None for ones."""
    constant: float
    """The last column, where it is not 0."""

    def __init__(self, rows: Array, *, gram: Precision = "float32") -> None:
        """Hold `rows` (n, d)."""
        if gram not in ("float32", "float64"):
            raise InvalidInput(f"gram must be 'float32' or 'float64'; {gram!r} was given.")
        xp = namespace(rows)
        if rows.ndim != 2:
            raise InvalidInput(f"a matrix is a two-dimensional array; one with {rows.ndim} dimensions was given.")
        if rows.dtype not in (xp.float64, xp.float32):
            raise InvalidInput("an array on a device holds float64 or float32 numbers; convert it first.")
        if os.environ.get(_EMULATION, "0") not in ("", "0"):
            raise InvalidInput(f"{_EMULATION} emulates float64 with shorter numbers, whose error has no proven bound here. Unset it.")
        self.table, self._coarse, self._norms = transfer.detached(rows), gram == "float32", None
        self.clip, self.scale, self.constant = None, None, 0.0

    def changed(self, **parts: Any) -> "DeviceMatrix":  # noqa: ANN401 - table, clip, scale, constant
        """Other rows, with the same arithmetic."""
        made = DeviceMatrix.__new__(DeviceMatrix)
        made._coarse, made._norms = self._coarse, None
        for name in ("table", "clip", "scale", "constant"):
            setattr(made, name, parts.get(name, getattr(self, name)))
        return made

    def scaled(self, scale: Array | None, constant: float) -> "DeviceMatrix":
        """These rows, plain so far, times `scale` (n,) or None, with a constant column where `constant` is not 0; norms are not computed again."""
        made, norms = self.changed(scale=scale, constant=constant), self.norms_there
        lengths = norms if scale is None else norms * scale
        made._norms = lengths if constant == 0 else self.xp.hypot(lengths, self.xp.full_like(lengths, constant))
        return made

    @property
    def xp(self) -> Library:
        """The library."""
        return namespace(self.table)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d), the constant column counted."""
        return int(self.table.shape[0]), int(self.table.shape[1]) + (self.constant != 0)

    @property
    def width(self) -> int:
        """d."""
        return self.shape[1]

    @property
    def on_device(self) -> bool:
        """Whether the rows are in an array of another library: yes."""
        return True

    @property
    def own_arrays(self) -> bool:
        """See Matrix: yes."""
        return True

    @property
    def is_plain(self) -> bool:
        """Whether rows are neither scaled nor have a constant."""
        return self.scale is None and self.constant == 0

    @property
    def as_they_are(self) -> bool:
        """Whether rows are multiplied without a copy."""
        return self.clip is None and bool(self.table.dtype == self.xp.float64)

    def rows(self, rows: slice) -> "DeviceMatrix":
        """See Matrix."""
        part = self.changed(table=self.table[rows, :], scale=None if self.scale is None else self.scale[rows])
        part._norms = None if self._norms is None else self._norms[rows]
        return part

    def chosen(self, numbers: Numbers) -> Matrix:
        """See Matrix: a copy there."""
        places = transfer.to_device(np.asarray(numbers, dtype=np.int64), self.table)
        table, scale, norms = (None if column is None else self.xp.take(column, places, axis=0) for column in (self.table, self.scale, self._norms))
        part = self.changed(table=table, scale=scale)
        part._norms = norms
        return part

    def entries(self, rows: slice) -> Floats:
        """See Matrix: a copy."""
        start, stop, _ = rows.indices(self.shape[0])
        return transfer.to_host(self.entries_there(slice(start, stop)))

    def content(self) -> Iterator[bytes]:
        """See Matrix: those of the same rows in memory, before they were clipped, scaled or given a constant."""
        if self.shape[0] == 0:
            return
        plain = self.changed(clip=None, scale=None, constant=0.0)
        yield repr(("rows", plain.shape)).encode()
        for rows in plain.pieces(plain.shape[1]):
            yield np.ascontiguousarray(transfer.to_host(plain.wide(rows))).tobytes()

    def pieces(self, numbers: int) -> list[slice]:
        """Consecutive rows, whole blocks of them, for work that makes about so many float64 numbers a row."""
        count = self.shape[0]
        size = max(1, CHUNK_BYTES // (8 * BLOCK_ROWS * max(1, numbers))) * BLOCK_ROWS
        return cuts(count, size) or [slice(0, 0)]

    def wide(self, rows: slice) -> Array:
        """Some rows of the table in float64, clipped, neither scaled nor with the constant; perhaps a view."""
        part = self.table[rows, :] if rows.stop - rows.start < self.shape[0] else self.table
        part = self.xp.astype(part, self.xp.float64, copy=False)
        return part if self.clip is None else self.xp.clip(part, -self.clip, self.clip)

    def entries_there(self, rows: slice) -> Array:
        """Some rows written out in float64, (b, d): each entry rounded once where it is scaled."""
        xp, part = self.xp, self.wide(rows)
        if self.scale is not None:
            part = part * self.scale[rows, None]
        return part if self.constant == 0 else xp.concat([part, xp.full_like(part[:, :1], self.constant)], axis=1)

    @_where_asked
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

    def block_sums(self, coefficients: Array, rows: slice) -> Array:
        """X'_k^T s_k of the blocks of `rows`, which begin and end with a block: (K, d, m) for `coefficients` (b, m)."""
        xp = self.xp
        scaled = coefficients if self.scale is None else coefficients * self.scale[rows, None]
        inner = [self._inner(self.wide(piece), scaled[piece.start - rows.start : piece.stop - rows.start, :]) for piece in self._copied(rows)]
        sums = inner[0] if len(inner) == 1 else xp.concat(inner, axis=0)
        if self.constant == 0:
            return sums
        ones = xp.full_like(coefficients[:, :1], self.constant)
        return xp.concat([sums, self._inner(ones, coefficients)], axis=1)

    @_where_asked
    def rmatvec(self, coefficients: Array) -> Array:
        """X'^T s, (d,) or (d, m), for `coefficients` (n,) or (n, m)."""
        columns = coefficients if coefficients.ndim == 2 else coefficients[:, None]
        total = sum(self.xp.sum(self.block_sums(columns[rows, :], rows), axis=0) for rows in self.pieces(self.sums_numbers(columns.shape[1])))
        return total if coefficients.ndim == 2 else total[:, 0]

    @_where_asked
    def gram(self, weights: Array, *, single_precision: bool = False) -> Array:
        """sum_i h_i x'_i x'_i^T, (d, d) in float64, for `weights` (n,) >= 0; products in float32, or coarser, if `single_precision`."""
        xp = self.xp
        kind = xp.float32 if single_precision and self._coarse else xp.float64
        roots = xp.sqrt(weights)
        factors = xp.astype(roots if self.scale is None else roots * self.scale, kind)
        inner: Array = 0.0
        for rows in self.pieces(2 * self.shape[1]):
            part = self.table[rows, :] if self.clip is None else self.wide(rows)
            scaled = xp.astype(part, kind, copy=False) * factors[rows, None]
            inner = inner + xp.astype(xp.matrix_transpose(scaled) @ scaled, xp.float64)
        if self.constant == 0:
            return inner
        border = self.constant * self.changed(constant=0.0).rmatvec(weights)
        corner = xp.reshape(self.constant**2 * xp.sum(weights), (1, 1))
        return xp.concat([xp.concat([inner, border[:, None]], axis=1), xp.concat([border[None, :], corner], axis=1)], axis=0)

    @_where_asked
    def gram_diagonal(self, weights: Array) -> Array:
        """sum_i h_i x'_ij^2, (d,)."""
        xp = self.xp
        total: Array = 0.0
        for rows in self.pieces(2 * self.shape[1]):
            part = self.wide(rows)
            if self.scale is not None:
                part = part * self.scale[rows, None]
            total = total + weights[rows] @ (part * part)
        return total if self.constant == 0 else xp.concat([total, xp.reshape(self.constant**2 * xp.sum(weights), (1,))])

    @property
    def norms_there(self) -> Array:
        """|x'_i|_2, (n,), on the device; remembered."""
        if self._norms is None:
            self._norms = self._lengths()
        return self._norms

    def row_norms(self) -> Floats:
        """See Matrix."""
        return transfer.to_host(self.norms_there)

    def all_within(self, most: float) -> bool:
        """See Matrix."""
        with np.errstate(over="ignore", invalid="ignore"):  # some libraries compute by NumPy
            return bool(self.xp.all(self.norms_there <= most))

    def banded(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        return transfer.to_host(self.xp.sum(self.block_sums(transfer.to_device(coefficients, self.table), slice(0, self.shape[0])), axis=0))

    def integer_gram(self, last: Floats | None, *, unit: float, factors: Floats | None = None) -> npt.NDArray[np.int64]:
        """See Matrix: blocks of 1024 rows where they are, and one (m, m) matrix of integers travels."""
        from array_api_compat import device  # noqa: PLC0415 - an optional dependency

        beside = None if last is None else last.reshape(len(last), -1)
        xp, columns = self.xp, self.shape[1] + (0 if beside is None else beside.shape[1])
        total = xp.zeros((columns, columns), dtype=xp.int64, device=device(self.table))
        column = None if beside is None else transfer.to_device(beside, self.table)
        scale = None if factors is None else transfer.to_device(factors[:, np.newaxis], self.table)
        for piece in self.pieces(3 * columns + 2 * columns * columns // BLOCK_ROWS):
            entries = self.entries_there(piece)
            numbers = entries if column is None else xp.concat([entries, column[piece, :]], axis=1)
            numbers = numbers if scale is None else numbers * scale[piece, :]
            for block in whole_blocks(xp.trunc(numbers / unit), xp):
                products = xp.matrix_transpose(block) @ block
                total = total + xp.sum(xp.astype(products, xp.int64), axis=0, dtype=xp.int64)
        return transfer.to_host(total)

    def ordered_row_norms(self) -> Floats:
        """See Matrix. Multiplications and additions are rounded as IEEE 754 says everywhere; roots are not (torch on a processor), so not there."""
        total = self.xp.zeros_like(self._numbers())
        for column in range(self.shape[1]):
            entries = self._column(column)
            total = total + entries * entries
        norms: Floats = np.sqrt(transfer.to_host(total))
        return norms

    def ordered_matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        if weights.ndim == 2:
            return np.column_stack([self.ordered_matvec(column) for column in weights.T])
        columns = self.table.shape[1]
        total = self.xp.zeros_like(self._numbers())
        plain = self.changed(scale=None, constant=0.0)
        factors = weights.tolist()
        for column, weight in enumerate(factors[:columns]):
            if weight != 0:
                total = total + plain._column(column) * weight
        if self.scale is not None:
            total = total * self.scale
        return transfer.to_host(total if self.constant == 0 else total + self.constant * factors[columns])

    def _lengths(self) -> Array:
        """|x'_i|_2, (n,)."""
        xp = self.xp
        squares = [xp.sum(part * part, axis=1) for part in map(self.wide, self.pieces(2 * self.shape[1]))]
        norms = xp.sqrt(squares[0] if len(squares) == 1 else xp.concat(squares))
        if self.scale is not None:
            norms = norms * self.scale
        return norms if self.constant == 0 else xp.hypot(norms, xp.full_like(norms, self.constant))

    def sums_numbers(self, models: int) -> int:
        """About the numbers a row that `block_sums` and its margins make, for `models` columns."""
        return 8 * models + models * self.shape[1] // BLOCK_ROWS + 1

    def _copied(self, rows: slice) -> Iterator[slice]:
        """`rows` in pieces, whole blocks, that may be copied; in one where no copy is made."""
        if self.as_they_are:
            yield rows
            return
        for piece in self.rows(rows).pieces(2 * self.shape[1]):
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


@clip_entries.register
def _(matrix: DeviceMatrix, bound: float) -> Matrix:
    if not matrix.is_plain or matrix.clip is not None:
        return clip_entries.dispatch(object)(matrix, bound)
    larger = (matrix.xp.any(matrix.xp.abs(matrix.wide(piece)) > bound) for piece in matrix.pieces(2 * matrix.shape[1]))
    return matrix.changed(clip=bound) if any(bool(one) for one in larger) else matrix


@shortened.register
def _(rows: DeviceMatrix, *, bound: float, constant: float) -> Matrix:
    if not rows.is_plain or brought_near(rows, bound) is not rows:
        return shortened.dispatch(object)(rows, bound=bound, constant=constant)
    return rows.scaled(safe_shortening(rows.norms_there, bound, width=rows.shape[1]), constant)


@shortened_in_order.register
def _(rows: DeviceMatrix, *, bound: float | None, constant: float, jobs: int = 1) -> Matrix:
    if not rows.is_plain or (bound is not None and brought_near(rows, bound) is not rows):
        return shortened_in_order.dispatch(object)(rows, bound=bound, constant=constant, jobs=jobs)
    scale = None if bound is None else safe_shortening(rows.ordered_row_norms(), bound, width=rows.shape[1])
    return rows.changed(scale=None if scale is None else transfer.to_device(scale, rows.table), constant=constant)
