"""Rows within bounds, lazily and where they are: clipped entries, shortened rows, and the constant column of the intercept.

    ClippedMatrix     x'_ij = 2^k_i min(max(x_ij, -bound), bound)
    AugmentedMatrix   x'_i = (scale_i x_i, constant)      and, for constant = 0, x'_i = scale_i x_i

`shortened` has scale_i = min(1, bound / |x_i|), rounded down, so that no exact norm exceeds the bound; computed as bound / max(|x_i|, bound), which
never divides by a small norm: an overflow there would be a warning, and would tell of one record. For the same reason `brought_near` brings rows
that are far longer than a bound near it by powers of two first:

    k_i = 0 unless |x_i| > 2^32 bound, and then bound <= max_j |x'_ij| < 4 bound

A row that is shortened to the bound afterwards keeps its direction, so it is shortened to the same: before, squares of its entries, their products
with weights and their forms in single precision would be infinite, and what follows from that, a warning or a failure, would tell of one record.
k_i is a function of row i alone. Multiplying by a power of two is exact, but for entries that underflow: below 2^-1000 of the largest.

A dense table is changed a few rows at a time wherever it is used, so nothing is copied; of a sparse one the stored numbers are, and their places
are not. A table without larger entries is its own clipped form, and one without very long rows is near as it is.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator
from functools import singledispatch
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import AnyFloats, Floats, is_finite, namespace
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records_of_a_block
from discreet.core.workers import map_in_order
from discreet.matrices.base import BLOCK_ROWS, Column, Columns, Matrix, Numbers, cuts
from discreet.matrices.sparse import SparseMatrix

Powers: TypeAlias = npt.NDArray[np.int32]

_FAR = 2.0**32
_NOT_FINITE = "rows must be finite: they contain NaN or inf. Decide how to treat missing values first (a schema can do that, column by column)."


class RowsOf(Matrix):
    """Rows made of those of another matrix, one by one, when they are asked for."""

    __slots__ = ("_base",)
    _base: Matrix

    @abstractmethod
    def part(self, base: Matrix, rows: slice | Numbers) -> Matrix:
        """Those `rows` of it, of which `base` are the same ones below."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self._base.shape

    @property
    def width(self) -> int:
        """That of the base."""
        return self._base.width

    @property
    def on_device(self) -> bool:
        """As the base is."""
        return self._base.on_device

    @property
    def gram_passes(self) -> float:
        """That of the base."""
        return self._base.gram_passes

    def rows(self, rows: slice) -> Matrix:
        """See Matrix."""
        return self.part(self._base.rows(rows), rows)

    def blocks(self) -> Iterator[tuple[slice, Matrix]]:
        """See Matrix."""
        for rows, block in self._base.blocks():
            yield rows, self.part(block, rows)

    def chosen(self, numbers: Numbers) -> Matrix:
        """See Matrix."""
        return self.part(self._base.chosen(numbers), numbers)

    def content(self) -> Iterator[bytes]:
        """See Matrix: that of the rows below, so that a table is known again whatever became of it."""
        yield from self._base.content()


@holds_records_of_a_block
class ClippedMatrix(RowsOf):
    """`base` with entries clipped to [-bound, bound], and row i multiplied by 2^powers_i."""

    __slots__ = ("_bound", "_powers")

    def __init__(self, base: Matrix, *, bound: float = math.inf, powers: Powers | None = None) -> None:
        """Hold the parts; bound > 0, `powers` (n,) integers or None for zeros."""
        self._base = base
        self._bound = bound
        self._powers = powers

    def part(self, base: Matrix, rows: slice | Numbers) -> Matrix:
        """See RowsOf."""
        return ClippedMatrix(base, bound=self._bound, powers=None if self._powers is None else self._powers[rows])

    def entries(self, rows: slice) -> Floats:
        """See Matrix."""
        return self._changed(self._base.entries(rows), rows)

    def columns(self) -> Columns:
        """See Matrix."""
        inner = self._base.columns()

        def column(index: int) -> Column:
            rows, values = inner(index)
            return Column(rows, self._changed(values, slice(None) if rows is None else rows))

        return column

    def _changed(self, entries: Floats, rows: Any) -> Floats:  # noqa: ANN401 - whatever NumPy takes for places
        """Some `entries` of these rows, each row along the first axis, as they are here."""
        clipped: Floats = np.clip(entries, -self._bound, self._bound)
        if self._powers is None:
            return clipped
        powers = self._powers[rows]
        return np.ldexp(clipped, powers if clipped.ndim == 1 else powers[:, np.newaxis])


@holds_records_of_a_block
class AugmentedMatrix(RowsOf):
    """`base` with rows multiplied by `scale` (n,) (None for ones) and, if `constant` > 0, a last column equal to it.

    Nothing is copied: X' w = scale * (X w) + constant w_last, and the Gram matrix with weights h is the base's with weights scale^2 h, bordered.
    Raises InvalidInput when the lengths differ or the constant is negative or not finite.
    """

    __slots__ = ("_constant", "_given", "_norms", "_scale")

    def __init__(self, base: Matrix, *, scale: Floats | None, constant: float, norms: Floats | None = None, given: Matrix | None = None) -> None:
        """Hold the parts; `norms` (n,) are those of the base's rows, where they are known, and `given` is what `base` was made of, if anything."""
        if scale is not None and scale.shape != (base.shape[0],):
            raise InvalidInput("the scale of an augmented matrix needs one factor per row.")
        if not (is_finite(constant) and constant >= 0):
            raise InvalidInput(f"the constant column must be a finite number >= 0; {constant!r} was given.")
        self._base = base
        self._given = base if given is None else given
        self._norms = norms
        self._scale = scale
        self._constant = float(constant)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d), the constant column counted."""
        count, columns = self._base.shape
        return count, columns + (self._constant > 0)

    @property
    def width(self) -> int:
        """That of the base, the constant column counted."""
        return self._base.width + (self._constant > 0)

    @property
    def computed(self) -> bool:
        """As the base is."""
        return self._base.computed

    @property
    def held_bytes(self) -> int:
        """See Matrix."""
        return self._base.held_bytes + 16 * self.shape[0]

    def part(self, base: Matrix, rows: slice | Numbers) -> Matrix:
        """See RowsOf."""
        scale, norms = (None if column is None else column[rows] for column in (self._scale, self._norms))
        return AugmentedMatrix(base, scale=scale, constant=self._constant, norms=norms)

    def entries(self, rows: slice) -> Floats:
        """See Matrix."""
        inner = self._base.entries(rows)
        scaled = inner if self._scale is None else inner * self._scale[rows, np.newaxis]
        return np.hstack((scaled, np.full((len(scaled), 1), self._constant))) if self._constant > 0 else scaled

    def matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        columns = self._base.shape[1]
        result = self._scaled(self._base.matvec(weights[:columns]), own=True)
        return result + self._constant * weights[columns] if self._constant > 0 else result

    def ordered_matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        columns = self._base.shape[1]
        result = self._scaled(self._base.ordered_matvec(weights[:columns]))
        return result + self._constant * weights[columns] if self._constant > 0 else result

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        result = self._base.rmatvec(self._scaled(coefficients))
        if self._constant > 0:
            return np.concatenate((result, self._constant * coefficients.sum(axis=0, keepdims=True)))
        return result

    def banded(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        inner = self._base.banded(self._scaled(coefficients))
        return inner if self._constant == 0 else np.concatenate((inner, self._constant * _sums(coefficients)[np.newaxis]))

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """See Matrix."""
        once = self._scaled(weights)
        inner = self._base.gram(self._scaled(once), single_precision=single_precision)
        if self._constant == 0:
            return inner
        border = self._constant * self._base.rmatvec(once)
        corner = self._constant**2 * weights.sum()
        return np.block([[inner, border[:, np.newaxis]], [border, corner]]).astype(inner.dtype)

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Matrix."""
        inner = self._base.gram_diagonal(self._scaled(self._scaled(weights)))
        return np.append(inner, self._constant**2 * weights.sum()) if self._constant > 0 else inner

    def row_norms(self) -> Floats:
        """See Matrix."""
        return self._lengthened(self._base.row_norms() if self._norms is None else self._norms)

    def reach(self, norms: Floats | None = None) -> Floats:  # noqa: ARG002 - those of the base are known
        """See Matrix."""
        return self._lengthened(self._base.reach(self._norms))

    def columns(self) -> Columns:
        """See Matrix."""
        inner, features, count = self._base.columns(), self._base.shape[1], self.shape[0]

        def column(index: int) -> Column:
            if index == features:
                return Column(None, np.full(count, self._constant))
            rows, values = inner(index)
            return Column(rows, values if self._scale is None else values * (self._scale if rows is None else self._scale[rows]))

        return column

    def content(self) -> Iterator[bytes]:
        """See Matrix: that of the rows that were given, whatever they were scaled by."""
        yield from self._given.content()

    def _lengthened(self, norms: Floats) -> Floats:
        scaled = self._scaled(norms)
        return np.hypot(scaled, self._constant) if self._constant > 0 else scaled

    def _scaled(self, values: Floats, *, own: bool = False) -> Floats:
        """scale_i values_i, for values (n,) or (n, k); in their place where they are nobody else's."""
        if self._scale is None:
            return values
        return np.multiply(self._scale[:, np.newaxis] if values.ndim == 2 else self._scale, values, out=values if own else None)


def _sums(coefficients: Floats) -> Floats:
    """Column sums, (k,), of blocks and then of their sums."""
    split = len(coefficients) // BLOCK_ROWS * BLOCK_ROWS
    total: Floats = coefficients[:split].reshape(-1, BLOCK_ROWS, coefficients.shape[1]).sum(axis=1).sum(axis=0)
    return total + coefficients[split:].sum(axis=0)


@singledispatch
def clip_entries(matrix: Matrix, bound: float) -> Matrix:
    """A matrix of the clipped rows; `matrix` itself when no entry exceeds the bound."""
    if all(not np.any(np.abs(entries) > bound) for _, entries in matrix.chunks()):
        return matrix
    return ClippedMatrix(matrix, bound=bound)


@clip_entries.register
def _(matrix: SparseMatrix, bound: float) -> Matrix:
    stored = matrix.plain().data
    return matrix.with_numbers(np.clip(stored, -bound, bound)) if np.any(np.abs(stored) > bound) else matrix


def times_powers(matrix: Matrix, powers: Powers) -> Matrix:
    """A matrix of the rows times 2^powers_i (n,): exactly, but for entries that underflow."""
    if isinstance(matrix, SparseMatrix):
        held = matrix.plain()
        return matrix.with_numbers(np.ldexp(held.data, np.repeat(powers, np.diff(held.indptr))))
    return ClippedMatrix(matrix, powers=powers)


def brought_near(rows: Matrix, bound: float) -> Matrix:
    """The rows times 2^k_i; `rows` themselves where none is far. Raises InvalidInput for entries that are not finite."""
    if rows.all_within(_FAR * float(bound)):
        return rows
    norms = _norms(rows)
    far = ~(norms <= _FAR * bound)
    powers: Powers = np.zeros(len(norms), dtype=np.int32)
    for place, entries in _written_out(rows, far):
        largest = np.max(np.abs(entries), axis=1)
        if not np.all(np.isfinite(largest)):
            raise InvalidInput(_NOT_FINITE)
        # The largest entry ends between one and four bounds: squares no longer overflow, and the row is still shortened, in its direction.
        powers[place] = np.where(far[place], np.frexp(bound)[1] + 1 - np.frexp(largest)[1], 0)
    return times_powers(rows, powers)


def check_finite(rows: Matrix) -> None:
    """Raise InvalidInput unless all entries are finite; their norms need not be."""
    if rows.all_within(float(np.finfo(np.float64).max)):
        return
    for _, entries in _written_out(rows, ~np.isfinite(_norms(rows))):
        if not np.all(np.isfinite(entries)):
            raise InvalidInput(_NOT_FINITE)


def _norms(rows: Matrix) -> Floats:
    """|x_i|, (n,): infinite where squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return rows.row_norms()


def _written_out(rows: Matrix, wanted: npt.NDArray[np.bool_]) -> Iterator[tuple[slice, Floats]]:
    """The entries of blocks that hold some of the `wanted` rows (n,): (slice of row numbers, entries), only to be read."""
    for place, block in rows.blocks():
        if np.any(wanted[place]):
            for part, entries in block.chunks():
                yield slice(place.start + part.start, place.start + part.stop), entries


@singledispatch
def shortened(rows: Matrix, *, bound: float, constant: float) -> Matrix:
    """The matrix of the shortened rows, with the constant. Raises InvalidInput for rows that are not finite.

    Factors are those of each row, up to the rounding of its norm, which certificates of gradients count (`problems.objective`, item 0). How far below
    the bound they stay follows from the number of columns: the fullest row may be another record.
    """
    near = brought_near(rows, bound)
    norms = near.row_norms()
    return AugmentedMatrix(near, scale=safe_shortening(norms, bound, width=rows.shape[1]), constant=constant, norms=norms, given=rows)


@singledispatch
def shortened_in_order(rows: Matrix, *, bound: float | None, constant: float, jobs: int = 1) -> Matrix:
    """The same with norms in the order of the columns: every x'_i is a function of x_i alone, to the last bit. No `bound` shortens nothing."""
    if bound is None:
        return AugmentedMatrix(rows, scale=None, constant=constant)
    near, safe = brought_near(rows, bound), bound * (1.0 - 1e-12 - rows.shape[1] * 2.0**-52)  # as in `safe_shortening`
    return AugmentedMatrix(near, scale=factors_in_order(near, safe, jobs=jobs), constant=constant, given=rows)


def factors_in_order(rows: Matrix, bound: float, *, jobs: int = 1) -> Floats | None:
    """min(1, bound / |x_i|), (n,), with norms in the order of the columns: of x_i alone, to the last bit. None for ones.

    A row that is clearly shorter than the bound has 1, whatever order its squares are added up in. Each is of one row, wherever the table is cut.
    """
    long = np.flatnonzero(~(rows.row_norms() <= bound * (1.0 - 1e-9 - rows.width * 2.0**-50)))
    if not len(long):
        return None
    some = len(long) <= rows.shape[0] // 4
    cut = cuts(len(long), rows.cache_rows) if some else rows.thread_cuts() if jobs > 1 else [slice(0, rows.shape[0])]
    norms = map_in_order(lambda part: (rows.chosen(long[part]) if some else rows.rows(part)).ordered_row_norms(), cut, jobs)
    found = shortening(np.concatenate(list(norms)), bound)
    factors = np.ones(rows.shape[0])
    factors[long if some else slice(None)] = found
    return factors


def shortening(norms: Floats, bound: float) -> Floats:
    """Factors (n,) for rows of these norms (n,) and a bound > 0."""
    factors: Floats = bound / namespace(norms).clip(norms, bound, None)
    return factors


def safe_shortening(norms: Floats, bound: float, *, width: int) -> Floats | None:
    """The factors, rounded down so that no exact norm exceeds the bound; None when all are 1.

    A computed norm of at most `width` numbers is within a relative width 2^-53 of the exact one; the room left is twice that and 1e-12.
    """
    safe = bound * (1.0 - 1e-12 - width * 2.0**-52)
    return shortening(norms, safe) if bool(namespace(norms).any(norms > safe)) else None
