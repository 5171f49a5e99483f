"""The multinomial logistic objective, and a proof of how small its gradient is.

    G(W) = sum_i c_i (ln sum_k e^{z_ik} - z_{i y_i}) + (ridge / 2) |W|_F^2 + <linear, W>,      z_i = W^T x_i,   W (d, K)

    gradient  sum_i c_i x_i (p_i - e_{y_i})^T + ridge W + linear,     p_i = softmax(z_i)
    Hessian   sum_i c_i S(p_i) (x) x_i x_i^T + ridge I,               S(p) = diag(p) - p p^T

A point is the vector of the K columns of W one after the other, (K d,). Of narrow tables with few classes Hessians are formed and factors of them
kept (`has_cheap_hessian`); elsewhere they are used by products only, and preconditioned by the Kronecker product of the mean S(p_i) with the Gram
matrix of the rows, whose spectrum is computed once.

Certified gradient norm
-----------------------
As in `MarginObjective` (u = 2^-53, gamma_k = k u / (1 - k u), R_i >= |x_i|), with vectors for numbers:

1. |fl(z_i) - z_i|_2 <= gamma_(2w+8) R_i |W|_F, w the most entries of a row, and factors of shortened rows counted (item 0 there); subtracting the
   largest z_ik rounds by at most (1 + sqrt K) u R_i |W|_F more.
   The softmax is 1/2-Lipschitz (S <= I / 2), so both together move p_i by at most (gamma_(2w+8) + 2 (1 + sqrt K) u) R_i |W|_F / 2.
2. Exponentials (a few ulp, 16 u allowed), their sum and the division, the subtraction of e_y and the weight: relative errors of (K + 24) u of numbers
   whose Euclidean norm is at most sqrt 2.
3. Block sums, sums over blocks (compensated), ridge and linear term, the norm itself: as there, with |p_i - e_y|_2 <= sqrt 2 for L.

The stand-in for the inverse Hessian
------------------------------------
    (A (x) M + ridge I)^{-1},    A = the mean of S(p_i) (K, K),   M = sum_i c_i x_i x_i^T (d, d)

Both are diagonalised, M once for all points, so that it is applied by products with matrices of eigenvectors.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import ClassVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.rounding import UNIT, gamma
from discreet.matrices.base import Array, Library
from discreet.objectives.certified_sums import TINY, CertifiedSums, chunks, norms_above, side_by_side
from discreet.objectives.objective import RowObjective

KRONECKER_LIMIT = 1500
"""Widest table whose Gram matrix is formed and diagonalised."""
_PASSES, _FACTOR = 10.0, 0.04
"""Most passes of a Hessian that is formed, with its factor, and passes of a factor as in `objective`."""
_PAIRS, _NARROW = 4.0, 600
"""Most pairs a class, and dimension, of such a Hessian where the passes of a Gram matrix are not known."""
_SMALL = 1 << 14
"""Numbers in a table below which steps cost more than passes."""
_COLUMNWISE = 7
"""Most classes of which a whole column is taken at a time, which is quicker than short rows, and adds up to the same bits."""
_ROOT_TWO = 2.0**0.5


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SoftmaxObjective(RowObjective):
    """The head of all classes: `codes` (n,) in 0..classes-1, and margins z_ik = <x_i, w_k>, (n, K). Curvatures are the p_i as rows."""

    codes: Array
    classes: int

    targets: ClassVar[str] = "codes"

    @property
    def dimension(self) -> int:
        """K d."""
        return self.classes * self.matrix.shape[1]

    def margins(self, point: Floats) -> Array:
        """z_ik = <x_i, w_k>, shape (n, K)."""
        return self._place.matvec(self._columns(point))

    def value(self, point: Floats, margins: Array) -> float:
        """G(W)."""
        xp = self._place.xp
        top = xp.max(margins, axis=1)
        losses = top + xp.log(xp.sum(xp.exp(margins - top[:, None]), axis=1)) - self._place.at(margins, self._targets)
        return self._place.total(losses, self._weights) + self._penalty(point)

    def curvatures(self, margins: Array) -> Array:
        """p_i as rows, (n, K): they make the Hessian."""
        return self._place.each(self._probabilities, margins)

    @property
    def has_cheap_hessian(self) -> bool:
        """Whether a Hessian of all records is worth few passes; of tables of a few thousand numbers, for which neither costs anything, it is not."""
        count, columns = self.matrix.shape
        if self.matrix.on_device or count * columns < _SMALL:
            return False
        pairs, each = (self.classes + 1) / 2.0, self.matrix.gram_passes
        if each == 0.0:  # not dense: not known
            return pairs <= _PAIRS and self.dimension <= _NARROW
        return pairs * each + _FACTOR * self.dimension**2 / (count * self.classes) <= _PASSES

    def hessian(self, curvatures: Array, *, single_precision: bool = False) -> Floats:
        """(K d, K d), one Gram matrix a pair of classes: for narrow tables and few classes."""
        size = self.matrix.shape[1]
        result = np.empty((self.dimension, self.dimension))
        for j in range(self.classes):
            for k in range(j + 1):
                block = self._block(curvatures, j, k, single_precision=single_precision)
                result[j * size : (j + 1) * size, k * size : (k + 1) * size] = block
                result[k * size : (k + 1) * size, j * size : (j + 1) * size] = block
        result[np.diag_indices_from(result)] += self.ridge
        return result

    def hessian_diagonal(self, curvatures: Array) -> Floats:
        """Diagonal of the Hessian, (K d,)."""
        spread = self._weighted(curvatures * (1.0 - curvatures), slice(0, curvatures.shape[0]))
        return np.concatenate([self._place.gram_diagonal(spread[:, k]) for k in range(self.classes)]) + self.ridge

    def preconditioner(self, curvatures: Array) -> Callable[[Floats], Floats]:
        """The inverse of (mean of S(p_i)) (x) (Gram matrix) + ridge I or, for wide tables, of the diagonal; K^2 numbers travel."""
        if self.matrix.shape[1] > KRONECKER_LIMIT:
            return super().preconditioner(curvatures)
        sums, products = (self._place.here(one) for one in (self._place.xp.sum(curvatures, axis=0), curvatures.T @ curvatures))
        return _kronecker_inverse((np.diag(sums) - products) / max(1, self.matrix.shape[0]), self._spectrum, self.ridge)

    def certified_sums(self, points: Floats) -> CertifiedSums:
        """The sum over the records at the columns of `points` (K d, m), with items 1 to 3 of the module docstring; no ridge, no linear term."""
        return side_by_side([self._certified(point) for point in points.T])

    def _certified(self, point: Floats) -> CertifiedSums:
        summed, radii = self._place.summed(self._columns(point), lambda rows, margins: self._slopes(margins, rows)), self._radii
        size = float(norms_above(point[:, np.newaxis])[0])
        turned = 0.5 * (gamma(2 * self.matrix.width + 8) + 2.0 * (1.0 + self.classes**0.5) * UNIT) * size + self.dimension * TINY
        rounding = turned * radii.twice + _ROOT_TWO * radii.once * ((self.classes + 24) * UNIT + gamma(summed.longest + self.matrix.width + 8))
        rounding += (self.matrix.shape[0] + self.dimension) * (1.0 + radii.largest) * TINY
        high, low, sizes = (self._flat(part)[:, np.newaxis] for part in (summed.high, summed.low, summed.sizes))
        return CertifiedSums(high=high, low=low, sizes=sizes, errors=np.array([rounding]), additions=summed.additions)

    def _slopes(self, margins: Array, rows: slice) -> Array:
        """c_i (p_i - e_y) for `rows`, from their margins (b, K)."""
        return self._weighted(self._place.less_one_at(self._place.each(self._probabilities, margins), self._targets[rows]), rows)

    def _bent(self, curvatures: Array, moved: Array) -> Array:
        moved -= self._place.inner(curvatures, moved)[:, None]
        moved *= curvatures
        return self._weighted(moved, slice(0, moved.shape[0]))

    def _probabilities(self, margins: Array) -> Array:
        return _softmax(margins, self._place.xp)

    def _block(self, curvatures: Array, j: int, k: int, *, single_precision: bool) -> Floats:
        others = curvatures[:, k] if j != k else 1.0 - curvatures[:, k]
        gram = self._place.gram(self._weighted(curvatures[:, j] * others, slice(0, curvatures.shape[0])), single_precision=single_precision)
        return gram if j == k else -gram

    def _columns(self, point: Floats) -> Floats:
        return point.reshape(self.classes, -1).T

    def _flat(self, columns: Floats) -> Floats:
        flat: Floats = columns.T.ravel()
        return flat

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats]:
        """Eigenvalues (d,), those below 0 by rounding raised to it, and eigenvectors (d, d) of sum_i c_i x_i x_i^T."""
        ones = self._place.xp.ones_like(self._radii.each) if self._weights is None else self._weights
        values, vectors = np.linalg.eigh(self._place.gram(ones, single_precision=True))
        return np.maximum(values, 0.0), vectors


def softmax(margins: Floats) -> Floats:
    """e^{z_k} / sum_j e^{z_j} in every row, (n, K); the largest margin is subtracted first, so nothing overflows."""
    result = np.empty(margins.shape)
    for rows in chunks(len(margins), margins.shape[1]):
        result[rows] = _softmax(margins[rows], np)
    return result


def _softmax(margins: Array, xp: Library) -> Array:
    if margins.shape[1] > _COLUMNWISE:
        parts = xp.exp(margins - xp.max(margins, axis=1, keepdims=True))
        parts /= xp.sum(parts, axis=1, keepdims=True)
        return parts
    parts = xp.exp(margins - reduce(xp.maximum, _columns_of(margins))[:, None])
    parts /= reduce(add, _columns_of(parts))[:, None]
    return parts


def _columns_of(rows: Array) -> Iterator[Array]:
    return (rows[:, place] for place in range(rows.shape[1]))


def _kronecker_inverse(spread: Floats, moments: tuple[Floats, Floats], ridge: float) -> Callable[[Floats], Floats]:
    """(A (x) M + ridge I)^{-1} applied to vectors (K d,), for A = `spread` and the spectrum of M."""
    across, turn = np.linalg.eigh(spread)
    along, axes = moments
    scale = 1.0 / (np.outer(np.maximum(across, 0.0), along) + ridge)

    def apply(vector: Floats) -> Floats:
        turned = turn.T @ vector.reshape(len(spread), -1) @ axes
        result: Floats = (turn @ (turned * scale) @ axes.T).ravel()
        return result

    return apply
