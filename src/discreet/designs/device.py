"""Rows in an array of another library, on a GPU perhaps: products are taken where the rows are, and only vectors and (d, d) matrices travel.

    X a (n, d) array of the array API standard (torch, CuPy, ..):   X w, X^T s in float64;   gram(h) in float64, or in the arithmetic of its float32

Everything else (losses, solvers, noise, certificates) is the same code as for rows in memory, on the processor, in float64.

Rounding. The bounds of `Design` hold for a sum of products in any order, with or without fused multiply-adds, and so for reductions of a GPU in
float64, whose operations IEEE 754 defines. They do not hold for arithmetic that imitates float64 by shorter numbers, which is refused where it is
asked for by name (CUBLAS_EMULATE_DOUBLE_PRECISION). float32 rows are widened a few at a time. A Gram matrix only gives a Newton direction, so it
may be as coarse as TF32: with torch, `torch.set_float32_matmul_precision("high")` allows that.
"""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from discreet.arrays import Floats, Matrix
from discreet.designs.base import BLOCK_ROWS, Design
from discreet.errors import InvalidInput, InvalidType

_CHUNK_BYTES = 1 << 28
"""Bytes of a scaled or widened copy of rows at a time."""
_EMULATION = "CUBLAS_EMULATE_DOUBLE_PRECISION"


class DeviceDesign:
    """Rows of a two-dimensional float64 or float32 array of the array API standard, held by reference, wherever it is.

    Raises InvalidInput for another number of dimensions, another type, a device without float64, or where float64 is imitated. The caller guarantees
    finite entries and leaves the array unchanged. Needs array-api-compat (pip install discreet[gpu]).
    """

    __slots__ = ("_rows", "_xp")

    def __init__(self, rows: Any) -> None:  # noqa: ANN401 - an array of any library
        """Hold `rows` (n, d)."""
        from array_api_compat import array_namespace  # noqa: PLC0415 - an optional dependency

        xp = array_namespace(rows)
        if rows.ndim != 2:
            raise InvalidInput(f"a design is a two-dimensional array; one with {rows.ndim} dimensions was given.")
        if rows.dtype not in (xp.float64, xp.float32):
            raise InvalidInput("an array on a device holds float64 or float32 numbers; convert it first.")
        if os.environ.get(_EMULATION, "0") not in ("", "0"):
            raise InvalidInput(f"{_EMULATION} asks for float64 that is made of shorter numbers, whose error is not bounded here. Unset it.")
        self._rows = rows
        self._xp = xp

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        return int(self._rows.shape[0]), int(self._rows.shape[1])

    @property
    def width(self) -> int:
        """d."""
        return self.shape[1]

    def matvec(self, weights: Floats) -> Floats:
        """See Design."""
        there = self._there(weights)
        return np.concatenate([self._here(block @ there) for _, block in self._wide()]) if self.shape[0] else np.zeros((0, *weights.shape[1:]))

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Design."""
        total = np.zeros((self.shape[1], *coefficients.shape[1:]))
        for rows, block in self._wide():
            total += self._here(block.T @ self._there(coefficients[rows]))
        return total

    def gram(self, weights: Floats, *, single_precision: bool = False) -> Matrix:
        """See Design."""
        xp = self._xp
        kind = xp.float32 if single_precision else xp.float64
        total = np.zeros((self.shape[1], self.shape[1]))
        for rows, block in self._cut():
            scaled = xp.astype(block, kind, copy=False) * xp.astype(self._there(np.sqrt(weights[rows])), kind)[:, None]
            total += self._here(scaled.T @ scaled)
        return total

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Design."""
        total = np.zeros(self.shape[1])
        for rows, block in self._wide():
            total += self._here(self._there(weights[rows]) @ (block * block))
        return total

    def row_norms(self) -> Floats:
        """See Design."""
        xp = self._xp
        norms = [self._here(xp.sqrt(xp.sum(block * block, axis=1))) for _, block in self._wide()]
        return np.concatenate(norms) if norms else np.zeros(0)

    def blocks(self) -> Iterator[tuple[slice, Design]]:
        """See Design; views, not copies."""
        for start in range(0, self.shape[0], BLOCK_ROWS):
            rows = slice(start, min(start + BLOCK_ROWS, self.shape[0]))
            yield rows, self.rows(rows)

    def rows(self, rows: slice) -> "DeviceDesign":
        """The design of consecutive `rows`, a view."""
        part = DeviceDesign.__new__(DeviceDesign)
        part._rows, part._xp = self._rows[rows, :], self._xp
        return part

    def entries(self, rows: slice) -> Floats:
        """Some rows as a NumPy array of float64, (rows, d)."""
        return self._here(self._xp.astype(self._rows[rows, :], self._xp.float64, copy=False))

    def content(self) -> Iterator[bytes]:
        """See Design: those of the same rows in memory."""
        yield repr(("rows", self.shape)).encode()
        for rows, _ in self._cut():
            yield np.ascontiguousarray(self.entries(rows)).tobytes()

    def _cut(self) -> Iterator[tuple[slice, Any]]:
        count, columns = self.shape
        size = max(1, _CHUNK_BYTES // (8 * max(1, columns)))
        for start in range(0, count, size):
            rows = slice(start, min(start + size, count))
            yield rows, self._rows[rows, :]

    def _wide(self) -> Iterator[tuple[slice, Any]]:
        for rows, block in self._cut():
            yield rows, self._xp.astype(block, self._xp.float64, copy=False)

    def _there(self, values: Floats) -> Any:  # noqa: ANN401 - an array of the rows' library
        from array_api_compat import device  # noqa: PLC0415 - an optional dependency

        return self._xp.asarray(np.array(values, dtype=np.float64, order="C"), device=device(self._rows))

    def _here(self, values: Any) -> Floats:  # noqa: ANN401 - an array of the rows' library
        from array_api_compat import is_cupy_array, is_torch_array, to_device  # noqa: PLC0415 - an optional dependency

        near = to_device(values, "cpu") if is_torch_array(values) or is_cupy_array(values) else values
        return np.array(np.from_dlpack(near), dtype=np.float64)


def is_device_array(rows: Any) -> bool:  # noqa: ANN401 - whatever a caller has
    """Whether `rows` is an array of torch, CuPy or another library of the array API standard, and not of NumPy.

    Raises InvalidType for one of torch or CuPy where array-api-compat is not installed.
    """
    library = type(rows).__module__.partition(".")[0]
    if library in {"numpy", "builtins", "pandas", "polars", "scipy", "discreet"}:
        return False
    try:
        from array_api_compat import is_array_api_obj, is_numpy_array  # noqa: PLC0415 - an optional dependency
    except ImportError:
        if library in {"torch", "cupy"}:
            raise InvalidType(f"arrays of {library} need array-api-compat: pip install discreet[gpu].") from None
        return False
    return bool(is_array_api_obj(rows)) and not is_numpy_array(rows)
