"""The function a solver minimises, and a proof of how small its gradient is.

    G(w) = sum_i c_i l(y_i <x_i, w>) + (ridge / 2) |w|^2 + <linear, w>

Certified gradient norm
-----------------------
`certified_gradient_norm(w)` is at least |grad G(w)|_2 in exact arithmetic, at the float vector w, for the x_i, c_i, y_i and the linear term that
the floats stand for (scaled rows and constant columns included). With u = 2^-53, gamma_k = k u / (1 - k u), R_i >= |x_i|, L and c the Lipschitz and
smoothness constants of l, d the dimension, the gradient is summed band by band, and the errors are:

1. Margins. Any order of summation, with or without fused multiply-adds: |fl(m_i) - m_i| <= gamma_(p+4) R_i |w|, p the
   most entries of a row that may be non-zero.
2. Slopes. The loss is asked to return at m a number within 16 u L of l'(m'), for some m' with |m' - m| <= 4 u (1 + |m|): a few ulp with every
   operation of its formula counted. Together with 1, and l' being c-Lipschitz, each slope is off by at most 16 u L + c delta_i, delta_i =
   gamma_(p+4) R_i |w| + 12 u (1 + R_i |w|). As l' is non-decreasing, it is also off by at most l'(m_i + delta_i) - l'(m_i - delta_i) (+ 48 u L, as
   computed): this is much smaller for margins far in the tail, so it is used when the first bound would dominate.
3. Sums over some bands of rows. fl(X^T s), summed in K blocks of at most B rows, is off by gamma_(B+K+4) sum_i |s_i| R_i in norm (module `banded`).
   |s_i| <= c_i L (1 + 20 u).
4. Sums of these: compensated, off by u |sum| + gamma_J^2 sum of absolute values for J additions in any order (module `certified_sums`). Items 1 to
   3 are bounds of sums over records, so that they add up over parts of a table.
5. The ridge and linear terms: three more operations on numbers of norm |sum|, ridge |w|, |linear|: 4 u times their sum.
6. The norm itself, the row norms and the sums in these bounds: relative errors of gamma_(d+8) or gamma_(n+8), by which every factor is inflated.

In all about (B + K + p |w| c R / L + 40) u sum_i c_i L R_i, hence linear in n. Underflow moves a product by at most 2^-1022, which is added where
squares or products are taken. An overflow gives infinity or not-a-number, which no tolerance accepts.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.core.arrays import AnyFloats, Floats
from discreet.losses import MarginLoss
from discreet.matrices import Matrix
from discreet.matrices.banded import banded, bands
from discreet.problems.certified_sums import BandedSum, CertifiedSums, Certifying
from discreet.problems.rounding import CHUNK, TINY, UNIT, chunks, gamma, norms_above

_FINE = 8192
"""The finer bound of item 2, two more slopes a record, is worth it when the coarse one exceeds this many u sum_i c_i L R_i: eight blocks' worth."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MarginObjective(Certifying):
    """G for fixed records: `matrix` (n, d), `signs` (n,) of +1.0 and -1.0, `weights` (n,) or None for ones, `ridge` > 0, `linear` (d,) or None for 0.

    Methods that take `margins` want those of the same point, from `margins(w)`: one pass over the table serves the gradient, the curvature and
    a line search.
    """

    matrix: Matrix
    signs: Floats
    weights: Floats | None
    loss: MarginLoss
    ridge: float
    linear: Floats | None = None

    @property
    def dimension(self) -> int:
        """d."""
        return self.matrix.shape[1]

    @property
    def hessian_at_hand(self) -> bool:
        """See Objective: no."""
        return False

    def sample(self) -> None:
        """See Objective: none, every pass is cheap."""

    def with_linear(self, linear: Floats | None) -> "MarginObjective":
        """The same function with another linear term (d,)."""
        other = replace(self, linear=linear)
        for name in ("_radii", "_row_sums"):  # functions of the rows alone
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    def margins(self, point: Floats) -> Floats:
        """m_i = y_i <x_i, w>, shape (n,)."""
        margins = self.matrix.matvec(point)
        margins *= self.signs
        return margins

    def value(self, point: Floats, margins: Floats) -> float:
        """G(w)."""
        total = 0.0
        for rows in chunks(len(margins)):
            value = self.loss.value(margins[rows])
            total += float(value.sum() if self.weights is None else value @ self.weights[rows])
        return total + 0.5 * self.ridge * float(point @ point) + (float(self.linear @ point) if self.linear is not None else 0.0)

    def gradient(self, point: Floats, margins: Floats) -> Floats:
        """grad G(w), shape (d,)."""
        slopes = self._slopes(margins, slice(0, len(margins)))
        slopes *= self.signs
        gradient = self.matrix.rmatvec(slopes)
        gradient += self.ridge * point
        return gradient if self.linear is None else gradient + self.linear

    def curvatures(self, margins: Floats) -> Floats:
        """c_i l''(m_i), shape (n,): the weights of the Hessian."""
        curvatures = np.empty_like(margins)
        for rows in chunks(len(margins)):
            curvatures[rows] = self.loss.curvature(margins[rows])
        return curvatures if self.weights is None else curvatures * self.weights

    def hessian(self, curvatures: Floats, *, single_precision: bool = False) -> Floats:
        """sum_i curvatures_i x_i x_i^T + ridge I, shape (d, d), float64; the sum is perhaps in float32 if `single_precision`."""
        gram: AnyFloats = self.matrix.gram(curvatures, single_precision=single_precision)
        hessian = np.array(gram, dtype=np.float64)
        hessian[np.diag_indices_from(hessian)] += self.ridge
        return hessian

    def hessian_product(self, curvatures: Floats, direction: Floats) -> Floats:
        """Hessian times `direction` (d,)."""
        return self.matrix.rmatvec(curvatures * self.matrix.matvec(direction)) + self.ridge * direction

    def hessian_diagonal(self, curvatures: Floats) -> Floats:
        """Diagonal of the Hessian, (d,)."""
        return self.matrix.gram_diagonal(curvatures) + self.ridge

    def preconditioner(self, curvatures: Floats) -> Callable[[Floats], Floats]:
        """The inverse of the Hessian's diagonal, applied to (d,)."""
        inverse = 1.0 / self.hessian_diagonal(curvatures)
        return lambda vector: inverse * vector

    def slope_along(self, step: float, margins: Floats, change: Floats, base: float, bend: float) -> float:
        """d/dt G(w + t v) at t = `step`, in O(n) without a pass over the table.

        `change` holds v's margins, base = <ridge w + linear, v>, bend = ridge |v|^2.
        """
        total = 0.0
        for rows in chunks(len(margins)):
            total += float(self._slopes(margins[rows] + step * change[rows], rows) @ change[rows])
        return total + base + step * bend

    def certified_sums(self, points: Floats) -> CertifiedSums:
        """The sum over the records at the columns of `points` (d, k), with items 1 to 4 of the module docstring; no ridge, no linear term."""
        dimension, models = points.shape
        lipschitz, smoothness = self.loss.lipschitz, self.loss.smoothness
        norms = norms_above(points)
        once, twice, largest = self._row_sums
        margin_error = (gamma(self.matrix.width + 4) + 12 * UNIT) * norms + dimension * TINY  # a unit of R_i; 12 u more below
        coarse = smoothness * (margin_error * twice + 12 * UNIT * once)
        fine = np.any(coarse > _FINE * UNIT * lipschitz * once)
        tails = np.zeros(models)
        bands_sum = BandedSum(points.shape)
        for rows, band in bands(self.matrix, models):
            signs = self.signs[rows, np.newaxis]
            margins = band.matvec(points)
            margins *= signs
            slopes = self._slopes(margins, rows)
            if fine:
                reach = self._radii[rows, np.newaxis]
                delta = reach * margin_error + 12 * UNIT
                jump = self._slopes(margins + delta, rows) - self._slopes(margins - delta, rows)
                tails += (jump * reach).sum(axis=0)
            slopes *= signs
            bands_sum.add(banded(band, slopes), rows.stop - rows.start)
        total = bands_sum.total()
        margin_part = np.minimum(coarse, tails * (1 + self._slack) + 48 * UNIT * lipschitz * once) if fine else coarse
        errors = margin_part + lipschitz * once * (40 * UNIT + gamma(bands_sum.longest + 4))
        errors += (self.matrix.shape[0] + dimension) * (1.0 + largest) * TINY
        return CertifiedSums(high=total.high, low=total.low, sizes=total.sizes, errors=errors, additions=total.additions)

    def _slopes(self, margins: Floats, rows: slice) -> Floats:
        """c_i l'(m_i) for `rows` of margins (rows,) or (rows, k)."""
        if margins.size <= CHUNK:
            slopes = self.loss.slope(margins)
        else:
            slopes = np.empty_like(margins)
            for part in chunks(len(margins), margins.shape[1] if margins.ndim == 2 else 1):
                slopes[part] = self.loss.slope(margins[part])
        if self.weights is not None:
            slopes *= self.weights[rows] if margins.ndim == 1 else self.weights[rows, np.newaxis]
        return slopes

    @property
    def _slack(self) -> float:
        """Relative inflation that covers the rounding of sums over rows and columns."""
        return 2 * gamma(sum(self.matrix.shape) + 16)

    @cached_property
    def _radii(self) -> Floats:
        """R_i >= |x_i|."""
        radii: Floats = self.matrix.row_norms() * (1 + self._slack) + np.sqrt(self.dimension * TINY)
        return radii

    @cached_property
    def _row_sums(self) -> tuple[float, float, float]:
        """Upper bounds of sum_i c_i R_i, sum_i c_i R_i^2 and max_i c_i R_i."""
        radii = self._radii
        weighted = radii if self.weights is None else radii * self.weights
        inflate = 1 + self._slack
        return float(weighted.sum()) * inflate, float(weighted @ radii) * inflate, float(weighted.max(initial=0.0)) * inflate
