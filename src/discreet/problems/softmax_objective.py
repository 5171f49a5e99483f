"""The multinomial logistic objective, and a proof of how small its gradient is.

    G(W) = sum_i c_i (ln sum_k e^{z_ik} - z_{i y_i}) + (ridge / 2) |W|_F^2 + <linear, W>,      z_i = W^T x_i,   W (d, K)

    gradient  sum_i c_i x_i (p_i - e_{y_i})^T + ridge W + linear,     p_i = softmax(z_i)
    Hessian   sum_i c_i S(p_i) (x) x_i x_i^T + ridge I,               S(p) = diag(p) - p p^T

A point is the vector of the K columns of W one after the other, (K d,). Hessians are used by products only, and preconditioned by the Kronecker
product of the mean S(p_i) with the Gram matrix of the rows, whose spectrum is computed once.

Certified gradient norm
-----------------------
As in `MarginObjective` (u = 2^-53, gamma_k = k u / (1 - k u), R_i >= |x_i|), with vectors for numbers:

1. |fl(z_i) - z_i|_2 <= gamma_(w+4) R_i |W|_F, w the most entries of a row; subtracting the largest z_ik rounds by at most (1 + sqrt K) u R_i |W|_F
more.
   The softmax is 1/2-Lipschitz (S <= I / 2), so both together move p_i by at most (gamma_(w+4) + 2 (1 + sqrt K) u) R_i |W|_F / 2.
2. Exponentials (a few ulp, 16 u allowed), their sum and the division, the subtraction of e_y and the weight: relative errors of (K + 24) u of numbers
   whose Euclidean norm is at most sqrt 2.
3. Block sums, sums over blocks (compensated), ridge and linear term, the norm itself: as there, with |p_i - e_y|_2 <= sqrt 2 for L.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.matrices import Matrix
from discreet.matrices.banded import banded, bands
from discreet.problems.certified_sums import BandedSum, CertifiedSums, Certifying, side_by_side
from discreet.problems.kronecker import KRONECKER_LIMIT, kronecker_inverse, spectrum
from discreet.problems.rounding import TINY, UNIT, chunks, gamma, norms_above

_ROOT_TWO = 2.0**0.5


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SoftmaxObjective(Certifying):
    """G for fixed records: `matrix` (n, d), `codes` (n,) in 0..classes-1, `weights` (n,) or None, `ridge` > 0, `linear` (K d,) or None for 0.

    `margins` are the (n, K) array of the z_ik of the same point.
    """

    matrix: Matrix
    codes: npt.NDArray[np.integer]
    classes: int
    weights: Floats | None
    ridge: float
    linear: Floats | None = None

    @property
    def dimension(self) -> int:
        """K d."""
        return self.classes * self.matrix.shape[1]

    @property
    def hessian_at_hand(self) -> bool:
        """See Objective: no."""
        return False

    def sample(self) -> None:
        """See Objective: none, every pass is cheap."""

    def with_linear(self, linear: Floats | None) -> "SoftmaxObjective":
        """The same function with another linear term (K d,)."""
        other = replace(self, linear=linear)
        for name in ("_row_sums", "_spectrum"):  # functions of the rows alone
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    def margins(self, point: Floats) -> Floats:
        """z_ik = <x_i, w_k>, shape (n, K)."""
        return self.matrix.matvec(self._columns(point))

    def value(self, point: Floats, margins: Floats) -> float:
        """G(W)."""
        top = margins.max(axis=1)
        losses = top + np.log(np.exp(margins - top[:, np.newaxis]).sum(axis=1)) - margins[np.arange(len(margins)), self.codes]
        total = float(losses.sum() if self.weights is None else losses @ self.weights)
        return total + 0.5 * self.ridge * float(point @ point) + (float(self.linear @ point) if self.linear is not None else 0.0)

    def gradient(self, point: Floats, margins: Floats) -> Floats:
        """grad G(W), shape (K d,)."""
        gradient = self._flat(self.matrix.rmatvec(self._slopes(margins, slice(0, len(margins))))) + self.ridge * point
        return gradient if self.linear is None else gradient + self.linear

    def curvatures(self, margins: Floats) -> Floats:
        """p_i as rows, (n, K): they make the Hessian."""
        return softmax(margins)

    def hessian(self, curvatures: Floats, *, single_precision: bool = False) -> Floats:  # noqa: ARG002 - allowed, not asked
        """(K d, K d), one Gram matrix a pair of classes: for small problems."""
        blocks = [[self._block(curvatures, j, k) for k in range(self.classes)] for j in range(self.classes)]
        return np.block(blocks) + self.ridge * np.eye(self.dimension)

    def hessian_product(self, curvatures: Floats, direction: Floats) -> Floats:
        """Hessian times `direction` (K d,)."""
        moved = self.matrix.matvec(self._columns(direction))
        moved -= np.einsum("ik,ik->i", curvatures, moved)[:, np.newaxis]
        moved *= curvatures
        if self.weights is not None:
            moved *= self.weights[:, np.newaxis]
        return self._flat(self.matrix.rmatvec(moved)) + self.ridge * direction

    def hessian_diagonal(self, curvatures: Floats) -> Floats:
        """Diagonal of the Hessian, (K d,)."""
        spread = curvatures * (1.0 - curvatures)
        if self.weights is not None:
            spread *= self.weights[:, np.newaxis]
        return np.concatenate([self.matrix.gram_diagonal(spread[:, k]) for k in range(self.classes)]) + self.ridge

    def preconditioner(self, curvatures: Floats) -> Callable[[Floats], Floats]:
        """The inverse of (mean of S(p_i)) (x) (Gram matrix) + ridge I or, for wide tables, of the diagonal."""
        if self.matrix.shape[1] > KRONECKER_LIMIT:
            inverse = 1.0 / self.hessian_diagonal(curvatures)
            return lambda vector: inverse * vector
        spread = (np.diag(curvatures.sum(axis=0)) - curvatures.T @ curvatures) / max(1, len(curvatures))
        return kronecker_inverse(spread, self._spectrum, self.ridge)

    def slope_along(self, step: float, margins: Floats, change: Floats, base: float, bend: float) -> float:
        """d/dt G(W + t V) at t = `step`; `change` holds V's margins, base = <ridge W + linear, V>, bend = ridge |V|^2."""
        total = 0.0
        for rows in chunks(len(margins), self.classes):
            total += float(np.vdot(self._slopes(margins[rows] + step * change[rows], rows), change[rows]))
        return total + base + step * bend

    def certified_sums(self, points: Floats) -> CertifiedSums:
        """The sum over the records at the columns of `points` (K d, m), with items 1 to 3 of the module docstring; no ridge, no linear term."""
        return side_by_side([self._certified(point) for point in points.T])

    def _certified(self, point: Floats) -> CertifiedSums:
        columns = self._columns(point)
        bands_sum = BandedSum((columns.shape[0], columns.shape[1]))
        for rows, band in bands(self.matrix, self.classes):
            bands_sum.add(banded(band, self._slopes(band.matvec(columns), rows)), rows.stop - rows.start)
        total = bands_sum.total()
        once, twice, largest = self._row_sums
        size = float(norms_above(point[:, np.newaxis])[0])
        turned = 0.5 * (gamma(self.matrix.width + 4) + 2.0 * (1.0 + self.classes**0.5) * UNIT) * size + self.dimension * TINY
        rounding = turned * twice + _ROOT_TWO * once * ((self.classes + 24) * UNIT + gamma(bands_sum.longest + 4))
        rounding += (self.matrix.shape[0] + self.dimension) * (1.0 + largest) * TINY
        high, low, sizes = (self._flat(part)[:, np.newaxis] for part in (total.high, total.low, total.sizes))
        return CertifiedSums(high=high, low=low, sizes=sizes, errors=np.array([rounding]), additions=total.additions)

    def _slopes(self, margins: Floats, rows: slice) -> Floats:
        """c_i (p_i - e_y) for `rows`, from their margins (rows, K)."""
        slopes = softmax(margins)
        slopes[np.arange(len(slopes)), self.codes[rows]] -= 1.0
        if self.weights is not None:
            slopes *= self.weights[rows, np.newaxis]
        return slopes

    def _block(self, curvatures: Floats, j: int, k: int) -> Floats:
        coupling = curvatures[:, j] * ((j == k) - curvatures[:, k])
        if self.weights is not None:
            coupling = coupling * self.weights
        gram = self.matrix.gram(np.abs(coupling))
        return np.array(gram if j == k else -gram, dtype=np.float64)

    def _columns(self, point: Floats) -> Floats:
        return point.reshape(self.classes, -1).T

    def _flat(self, columns: Floats) -> Floats:
        flat: Floats = columns.T.ravel()
        return flat

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats]:
        """Eigenvalues (d,) and eigenvectors (d, d) of sum_i c_i x_i x_i^T."""
        weights = np.ones(self.matrix.shape[0]) if self.weights is None else self.weights
        return spectrum(np.asarray(self.matrix.gram(weights, single_precision=True), dtype=np.float64))

    @cached_property
    def _row_sums(self) -> tuple[float, float, float]:
        """Upper bounds of sum_i c_i R_i, sum_i c_i R_i^2 and max_i c_i R_i."""
        inflate = 1 + 2 * gamma(sum(self.matrix.shape) + 16)
        radii = self.matrix.row_norms() * inflate + np.sqrt(self.dimension * TINY)
        weighted = radii if self.weights is None else radii * self.weights
        return float(weighted.sum()) * inflate, float(weighted @ radii) * inflate, float(weighted.max(initial=0.0)) * inflate


def softmax(margins: Floats) -> Floats:
    """e^{z_k} / sum_j e^{z_j} in every row, (n, K); the largest margin is subtracted first, so nothing overflows."""
    result = np.empty(margins.shape)
    for rows in chunks(len(margins), margins.shape[1]):
        part = np.exp(margins[rows] - margins[rows].max(axis=1, keepdims=True))
        np.divide(part, part.sum(axis=1, keepdims=True), out=result[rows])
    return result
