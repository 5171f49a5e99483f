"""Rows in an array of another library, on a GPU perhaps, as a Matrix: NumPy arrays in and out, products where the rows are.

    X a (n, d) array of the array API standard (torch, CuPy, ..);  see module `device_rows` for what is computed and how it is rounded

Those that know matrices only get their vectors here, as long as the table. Those that are to be fast on a device take `there`, the rows, and keep
such vectors where they are (`discreet.problems.places`).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.matrices import travel
from discreet.matrices.base import BLOCK_ROWS, Matrix, Numbers
from discreet.matrices.dense import DenseMatrix
from discreet.matrices.device_rows import DeviceRows, whole_blocks

Precision: TypeAlias = Literal["float32", "float64"]


@holds_records
class DeviceMatrix(Matrix):
    """Rows of a two-dimensional float64 or float32 array of the array API standard, held by reference, wherever it is.

    `gram` is the arithmetic of Gram matrices that may be coarse: "float32" (TF32 where torch.set_float32_matmul_precision says so) or "float64".
    Raises InvalidInput for another number of dimensions, another type, or where float64 is imitated. Needs array-api-compat
    (pip install discreet[gpu]).
    """

    __slots__ = ("_coarse", "_norms", "_there")

    def __init__(self, rows: Any, *, gram: Precision = "float32") -> None:  # noqa: ANN401 - an array of any library
        """Hold `rows` (n, d)."""
        if gram not in ("float32", "float64"):
            raise InvalidInput(f"gram must be 'float32' or 'float64'; {gram!r} was given.")
        self._hold(DeviceRows.of(rows), coarse=gram == "float32", norms=None)

    def _hold(self, rows: DeviceRows, *, coarse: bool, norms: Any) -> None:  # noqa: ANN401 - an array of the rows' library
        self._there, self._coarse, self._norms = rows, coarse, norms

    def of(self, rows: DeviceRows) -> "DeviceMatrix":
        """Other rows, with the same arithmetic."""
        made = DeviceMatrix.__new__(DeviceMatrix)
        made._hold(rows, coarse=self._coarse, norms=None)
        return made

    def scaled(self, scale: Any, constant: float) -> "DeviceMatrix":  # noqa: ANN401 - an array of the rows' library
        """These rows, plain so far, times `scale` (n,) or None, with a constant column where `constant` is not 0; norms are not computed again."""
        xp, norms = self._there.xp, self.norms_there
        made = self.of(replace(self._there, scale=scale, constant=constant))
        lengths = norms if scale is None else norms * scale
        made._norms = lengths if constant == 0 else xp.hypot(lengths, xp.full_like(lengths, constant))
        return made

    @property
    def there(self) -> DeviceRows:
        """The rows, where they are."""
        return self._there

    @property
    def coarse(self) -> bool:
        """Whether Gram matrices may be taken in less than float64."""
        return self._coarse

    @property
    def norms_there(self) -> Any:  # noqa: ANN401 - an array of the rows' library
        """|x_i|_2, (n,), on the device; remembered."""
        if self._norms is None:
            self._norms = self._there.norms()
        return self._norms

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return self._there.shape

    @property
    def width(self) -> int:
        """d."""
        return self.shape[1]

    def matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        return travel.here(self._there.matvec(travel.there(weights, self._there.table)))

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        return travel.here(self._there.rmatvec(travel.there(coefficients, self._there.table)))

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """See Matrix."""
        return travel.here(self._there.gram(travel.there(weights, self._there.table), single_precision=single_precision and self._coarse))

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Matrix."""
        return travel.here(self._there.gram_diagonal(travel.there(weights, self._there.table)))

    def row_norms(self) -> Floats:
        """See Matrix."""
        return travel.here(self.norms_there)

    def rows(self, rows: slice) -> "DeviceMatrix":
        """See Matrix."""
        part = self.of(self._there.part(rows))
        part._norms = None if self._norms is None else self._norms[rows]
        return part

    def entries(self, rows: slice) -> Floats:
        """See Matrix: a copy."""
        return travel.here(self._there.entries(rows))

    def chosen(self, numbers: Numbers) -> Matrix:
        """See Matrix: written out in memory."""
        return DenseMatrix(self.entries(slice(0, self.shape[0]))[numbers])

    def banded(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        parts = self._there.blocks(travel.there(coefficients, self._there.table), slice(0, self.shape[0]))
        return travel.here(self._there.xp.sum(parts, axis=0))

    def ordered_matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        return travel.here(self._there.ordered_matvec(weights.tolist()))

    def ordered_row_norms(self) -> Floats:
        """See Matrix."""
        norms: Floats = np.sqrt(travel.here(self._there.ordered_squares()))
        return norms

    def integer_gram(self, last: Floats | None, *, unit: float) -> npt.NDArray[np.int64]:
        """See Matrix: blocks of 1024 rows where they are, and one (m, m) matrix of integers travels."""
        from array_api_compat import device  # noqa: PLC0415 - an optional dependency

        rows, xp = self._there, self._there.xp
        columns = self.shape[1] + (last is not None)
        total = xp.zeros((columns, columns), dtype=xp.int64, device=device(rows.table))
        column = None if last is None else travel.there(last[:, np.newaxis], rows.table)
        for piece in rows.chunks(3 * columns + 2 * columns * columns // BLOCK_ROWS):
            numbers = rows.entries(piece) if column is None else xp.concat([rows.entries(piece), column[piece, :]], axis=1)
            for block in whole_blocks(xp.trunc(numbers / unit), xp):
                products = xp.matrix_transpose(block) @ block
                total = total + xp.sum(xp.astype(products, xp.int64), axis=0, dtype=xp.int64)
        return travel.here(total)

    @property
    def on_device(self) -> bool:
        """Whether the rows are in an array of another library: yes."""
        return True

    def all_within(self, most: float) -> bool:
        """See Matrix."""
        with np.errstate(over="ignore", invalid="ignore"):  # some libraries compute by NumPy
            return bool(self._there.xp.all(self.norms_there <= most))

    def content(self) -> Iterator[bytes]:
        """See Matrix: those of the same rows in memory, before they were clipped, scaled or given a constant."""
        plain = DeviceRows(table=self._there.table)
        yield repr(("rows", plain.shape)).encode()
        for rows in plain.chunks(plain.shape[1]):
            yield np.ascontiguousarray(travel.here(plain.wide(rows))).tobytes()
