"""The multinomial objective of module `softmax_objective` for rows on a device: the same function, formulas and certificate.

    G(W) = sum_i c_i (ln sum_k e^{z_ik} - z_{i y_i}) + (ridge / 2) |W|_F^2 + <linear, W>,      z_i = W^T x_i,   W (d, K)

Margins z and probabilities are (n, K) arrays on the device. Points, gradients (K d,), Gram matrices (d, d) and sums travel. What is assumed of the
device is in module `device_sums`; its exponential is asked for 16 u, as there.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.core.arrays import Floats
from discreet.matrices import DeviceMatrix, travel
from discreet.matrices.device_rows import Array, DeviceRows
from discreet.problems.certified_sums import CertifiedSums, Certifying, side_by_side
from discreet.problems.device_sums import DeviceSum, Radii, product_errors, rows_together, sampled, together
from discreet.problems.kronecker import KRONECKER_LIMIT, kronecker_inverse, spectrum
from discreet.problems.rounding import TINY, UNIT, gamma, norms_above

_ROOT_TWO = 2.0**0.5


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DeviceSoftmax(Certifying):
    """G for records on a device: `chosen` (n, K), 1.0 at the class of a record and else 0.0, and `weights` (n,) or None are there; `linear` is here.

    Methods are those of SoftmaxObjective; `margins` and `curvatures` are arrays on the device.
    """

    matrix: DeviceMatrix
    chosen: Array
    weights: Array | None
    ridge: float
    linear: Floats | None = None

    @property
    def classes(self) -> int:
        """K."""
        return int(self.chosen.shape[1])

    @property
    def dimension(self) -> int:
        """K d."""
        return self.classes * self.matrix.shape[1]

    @property
    def hessian_at_hand(self) -> bool:
        """See Objective: no."""
        return False

    def sample(self) -> "DeviceSoftmax | None":
        """See Objective; for long tables only."""
        pieces = sampled(self.matrix.shape[0])
        if pieces is None:
            return None
        rows = rows_together(self._rows, pieces)
        share = rows.shape[0] / self.matrix.shape[0]
        weights = None if self.weights is None else together(self.weights, pieces, rows.xp)
        linear = None if self.linear is None else share * self.linear
        chosen = together(self.chosen, pieces, rows.xp)
        return DeviceSoftmax(matrix=self.matrix.of(rows), chosen=chosen, weights=weights, ridge=share * self.ridge, linear=linear)

    def with_linear(self, linear: Floats | None) -> "DeviceSoftmax":
        """The same function with another linear term (K d,)."""
        other = replace(self, linear=linear)
        for name in ("_radii", "_spectrum"):  # functions of the rows alone
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    def margins(self, point: Floats) -> Array:
        """z_ik = <x_i, w_k>, (n, K), on the device."""
        return self._rows.matvec(self._there(point))

    def value(self, point: Floats, margins: Array) -> float:
        """G(W)."""
        xp = self._rows.xp
        top = xp.max(margins, axis=1)
        losses = top + xp.log(xp.sum(xp.exp(margins - top[:, None]), axis=1)) - xp.sum(margins * self.chosen, axis=1)
        total = travel.number_here(xp.sum(losses if self.weights is None else losses * self.weights))
        return total + 0.5 * self.ridge * float(point @ point) + (float(self.linear @ point) if self.linear is not None else 0.0)

    def gradient(self, point: Floats, margins: Array) -> Floats:
        """grad G(W), (K d,)."""
        gradient = self._here(self._rows.rmatvec(self._slopes(margins, slice(None)))) + self.ridge * point
        return gradient if self.linear is None else gradient + self.linear

    def curvatures(self, margins: Array) -> Array:
        """p_i as rows, (n, K), on the device."""
        return self._softmax(margins)

    def hessian(self, curvatures: Array, *, single_precision: bool = False) -> Floats:  # noqa: ARG002 - allowed, not asked
        """(K d, K d), one Gram matrix a pair of classes: for small problems."""
        blocks = [[self._block(curvatures, j, k) for k in range(self.classes)] for j in range(self.classes)]
        return np.block(blocks) + self.ridge * np.eye(self.dimension)

    def hessian_product(self, curvatures: Array, direction: Floats) -> Floats:
        """Hessian times `direction` (K d,)."""
        xp = self._rows.xp
        moved = self._rows.matvec(self._there(direction))
        moved = curvatures * (moved - xp.sum(curvatures * moved, axis=1)[:, None])
        if self.weights is not None:
            moved = moved * self.weights[:, None]
        return self._here(self._rows.rmatvec(moved)) + self.ridge * direction

    def hessian_diagonal(self, curvatures: Array) -> Floats:
        """Diagonal of the Hessian, (K d,)."""
        spread = curvatures * (1.0 - curvatures)
        if self.weights is not None:
            spread = spread * self.weights[:, None]
        return np.concatenate([travel.here(self._rows.gram_diagonal(spread[:, k])) for k in range(self.classes)]) + self.ridge

    def preconditioner(self, curvatures: Array) -> Callable[[Floats], Floats]:
        """As that of SoftmaxObjective: K^2 numbers travel."""
        if self.matrix.shape[1] > KRONECKER_LIMIT:
            inverse = 1.0 / self.hessian_diagonal(curvatures)
            return lambda vector: inverse * vector
        xp, count = self._rows.xp, max(1, self.matrix.shape[0])
        products = travel.here(xp.matrix_transpose(curvatures) @ curvatures)
        spread = (np.diag(travel.here(xp.sum(curvatures, axis=0))) - products) / count
        return kronecker_inverse(spread, self._spectrum, self.ridge)

    def slope_along(self, step: float, margins: Array, change: Array, base: float, bend: float) -> float:
        """d/dt G(W + t V) at t = `step`; one number travels."""
        return travel.number_here(self._rows.xp.sum(self._slopes(margins + step * change, slice(None)) * change)) + base + step * bend

    def certified_sums(self, points: Floats) -> CertifiedSums:
        """The sum over the records at the columns of `points` (K d, m), with items 1 to 3 of module `softmax_objective`; no ridge, no linear term."""
        return side_by_side([self._certified(point) for point in points.T])

    def _certified(self, point: Floats) -> CertifiedSums:
        rows, radii, columns = self._rows, self._radii, self._there(point)
        total = DeviceSum(rows)
        for piece in rows.chunks(rows.sums_numbers(self.classes)):
            total.add(self._slopes(rows.matvec(columns, piece), piece), piece)
        size = float(norms_above(point[:, np.newaxis])[0])
        turned = 0.5 * (gamma(self.matrix.width + 4) + 2.0 * (1.0 + self.classes**0.5) * UNIT) * size + self.dimension * TINY
        rounding = turned * radii.twice + product_errors(rows, radii, relative=(self.classes + 24) * UNIT, size=_ROOT_TWO)
        rounding += self.dimension * (1.0 + radii.largest) * TINY
        high, low, sizes = (part.T.ravel()[:, np.newaxis] for part in total.found())
        return CertifiedSums(high=high, low=low, sizes=sizes, errors=np.array([rounding]), additions=total.additions)

    def _slopes(self, margins: Array, rows: slice) -> Array:
        """c_i (p_i - e_y) for `rows`, from their margins (b, K)."""
        slopes = self._softmax(margins) - self.chosen[rows, :]
        return slopes if self.weights is None else slopes * self.weights[rows, None]

    def _softmax(self, margins: Array) -> Array:
        xp = self._rows.xp
        parts = xp.exp(margins - xp.max(margins, axis=1, keepdims=True))
        return parts / xp.sum(parts, axis=1, keepdims=True)

    def _block(self, curvatures: Array, j: int, k: int) -> Floats:
        coupling = curvatures[:, j] * (float(j == k) - curvatures[:, k])
        if self.weights is not None:
            coupling = coupling * self.weights
        gram = travel.here(self._rows.gram(self._rows.xp.abs(coupling), single_precision=False))
        return gram if j == k else -gram

    def _there(self, point: Floats) -> Array:
        """(K d,) as (d, K) on the device."""
        return travel.there(point.reshape(self.classes, -1).T, self._rows.table)

    def _here(self, columns: Array) -> Floats:
        """(d, K) on the device as (K d,)."""
        flat: Floats = travel.here(columns).T.ravel()
        return flat

    @property
    def _rows(self) -> DeviceRows:
        return self.matrix.there

    @cached_property
    def _radii(self) -> Radii:
        return Radii(self._rows, self.matrix.norms_there, self.weights)

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats]:
        ones = self._rows.xp.ones_like(self.chosen[:, 0]) if self.weights is None else self.weights
        return spectrum(travel.here(self._rows.gram(ones, single_precision=self.matrix.coarse)))
