"""Each row of another matrix several times, at levels:  (x_i, a, c e_t)  for pairs (i, t), and a row of zeros where there is no t.

    X w = (x_i w' + a w_d + c w_(d+1+t))_(i, t)        X^T s = (sum_i s_i x_i, a sum s, c (s^t)_t),   s_i, s^t sums over the pairs of i, of t

So a product costs one pass over the rows x_i, however many levels each has. Pairs are in the order of i. Rounding: sums over the pairs of one i, or
one t, come before products, with at most as many additions as there are pairs, so the bounds of module `base` hold with width + 2 for the two numbers
beside x_i.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.private import holds_records_of_a_block
from discreet.matrices.base import Matrix, Numbers


@holds_records_of_a_block
class LevelMatrix(Matrix):
    """`base` (n, d) at `levels` (m,), from 0, or -1 for zeros, of `count`; row k is made of the base's row `owners`_k, which do not decrease."""

    __slots__ = ("_base", "_constant", "_count", "_known", "_levels", "_owners", "_step")

    def __init__(
        self, base: Matrix, owners: Numbers, levels: Numbers, *, count: int, constant: float, step: float, known: npt.NDArray[Any] | None = None
    ) -> None:
        """Hold the parts; `constant` is a, `step` is c, `known` what the rows of each record of the base were made from."""
        self._known = known
        self._base, self._owners, self._levels = base, owners, levels
        self._count, self._constant, self._step = count, constant, step

    @property
    def shape(self) -> tuple[int, int]:
        """(m, d + 1 + count)."""
        return len(self._owners), self._base.shape[1] + 1 + self._count

    @property
    def width(self) -> int:
        """That of the base, and two numbers."""
        return self._base.width + 2

    @property
    def computed(self) -> bool:
        """As the base is."""
        return self._base.computed

    @property
    def known(self) -> npt.NDArray[Any] | None:
        """See Matrix."""
        return self._known

    @property
    def held_bytes(self) -> int:
        """See Matrix."""
        return self._base.held_bytes + 16 * len(self._owners)

    def rows(self, rows: slice) -> Matrix:
        """See Matrix."""
        owners = self._owners[rows]
        first, last = (int(owners[0]), int(owners[-1]) + 1) if len(owners) else (0, 0)
        return self._of(self._base.rows(slice(first, last)), owners - first, self._levels[rows])

    def chosen(self, numbers: Numbers) -> Matrix:
        """See Matrix."""
        return self._of(self._base.chosen(self._owners[numbers]), np.arange(len(numbers)), self._levels[numbers])

    def entries(self, rows: slice) -> Floats:
        """See Matrix."""
        owners, levels = self._owners[rows], self._levels[rows]
        table = np.zeros((len(owners), self.shape[1]))
        if len(owners):
            features, there = self._base.shape[1], np.flatnonzero(levels >= 0)
            first = int(owners[0])
            table[there, :features] = self._base.entries(slice(first, int(owners[-1]) + 1))[owners[there] - first]
            table[there, features] = self._constant
            table[there, features + 1 + levels[there]] = self._step
        return table

    def content(self) -> Iterator[bytes]:
        """See Matrix: the rows below, and at which levels they are, which `known` says too."""
        if self._base.shape[0] == 0:
            return
        yield from self._base.content()
        if self._known is not None:
            return
        yield repr(("levels", self._count, self._constant, self._step)).encode()
        for part in (self._owners, self._levels):
            yield np.asarray(part, dtype=np.int64).tobytes()

    def matvec(self, weights: Floats) -> Floats:
        """See Matrix."""
        features = self._base.shape[1]
        below = self._base.matvec(weights[:features]) + self._constant * weights[features]
        levels = np.concatenate((self._step * weights[features + 1 :], np.zeros((1, *weights.shape[1:]))))  # the last one is that of no level
        products: Floats = below[self._owners] + levels[self._levels]
        products[self._levels < 0] = 0.0
        return products

    def rmatvec(self, coefficients: Floats) -> Floats:
        """See Matrix."""
        if coefficients.ndim == 2:
            return np.column_stack([self.rmatvec(np.ascontiguousarray(column)) for column in coefficients.T])
        owned, levelled = self._sums(coefficients)
        return np.concatenate((self._base.rmatvec(owned), [self._constant * levelled.sum()], self._step * levelled))

    def gram(self, weights: Floats, *, single_precision: bool = False) -> AnyFloats:
        """See Matrix."""
        owned, levelled = self._sums(weights)
        inner = self._base.gram(owned, single_precision=single_precision)
        there = self._levels >= 0
        cells = self._owners[there] * self._count + self._levels[there]
        pairs = np.bincount(cells, weights=weights[there], minlength=self._base.shape[0] * self._count).reshape(-1, self._count)
        beside = self._base.rmatvec(np.column_stack((owned, pairs)))
        beside[:, 0] *= self._constant
        beside[:, 1:] *= self._step
        corner = np.diag(np.append(self._constant**2 * levelled.sum(), self._step**2 * levelled))
        corner[0, 1:] = corner[1:, 0] = self._constant * self._step * levelled
        return np.block([[inner, beside], [beside.T, corner]]).astype(inner.dtype)

    def gram_diagonal(self, weights: Floats) -> Floats:
        """See Matrix."""
        owned, levelled = self._sums(weights)
        return np.concatenate((self._base.gram_diagonal(owned), [self._constant**2 * levelled.sum()], self._step**2 * levelled))

    def row_norms(self) -> Floats:
        """See Matrix."""
        return self._lengthened(self._base.row_norms())

    def reach(self, norms: Floats | None = None) -> Floats:  # noqa: ARG002 - those of the base are known
        """See Matrix."""
        return self._lengthened(self._base.reach())

    def _of(self, base: Matrix, owners: Numbers, levels: Numbers) -> "LevelMatrix":
        return LevelMatrix(base, owners, levels, count=self._count, constant=self._constant, step=self._step)

    def _sums(self, values: Floats) -> tuple[Floats, Floats]:
        """Over the pairs of every row below, (n,), and of every level, (count,)."""
        there = self._levels >= 0
        kept = values[there]
        owned: Floats = np.bincount(self._owners[there], weights=kept, minlength=self._base.shape[0]).astype(np.float64)
        return owned, np.bincount(self._levels[there], weights=kept, minlength=self._count).astype(np.float64)

    def _lengthened(self, norms: Floats) -> Floats:
        lengths = np.hypot(norms, np.hypot(self._constant, self._step))[self._owners]
        return np.where(self._levels >= 0, lengths, 0.0)
