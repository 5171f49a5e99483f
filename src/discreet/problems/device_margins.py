"""The objective of module `objective` for rows on a device: the same function, formulas and certificate, without vectors that leave the device.

    G(w) = sum_i c_i l(y_i <x_i, w>) + (ridge / 2) |w|^2 + <linear, w>

Margins, slopes and curvatures are (n,) arrays there; points (d, k), gradients (d, k), Hessians (d, d) and sums travel: O(d^2 + d k) numbers a pass.
Signs, weights and norms (24 bytes a record) stay there between passes. Losses are written for any library (`discreet.core.arrays.namespace`). Items 1
to 6 of module `objective` hold as they stand, with plain sums over 32 blocks of 1024 rows and compensated ones of those (module `device_sums`,
which says what is assumed of the device; the exponential of a loss is asked for 16 u L, as there).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.core.arrays import Floats
from discreet.losses import MarginLoss
from discreet.matrices import DeviceMatrix, travel
from discreet.matrices.device_rows import Array, DeviceRows
from discreet.problems.certified_sums import CertifiedSums, Certifying
from discreet.problems.device_sums import DeviceSum, Radii, product_errors, rows_together, sampled, together
from discreet.problems.rounding import TINY, UNIT, gamma, norms_above

_FINE = 8192
"""As in module `objective`."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DeviceMargins(Certifying):
    """G for records on a device: `signs` (n,) and `weights` (n,) or None are there; `ridge` > 0; `linear` (d,) or None is here.

    Methods are those of MarginObjective; `margins` and `curvatures` are arrays on the device.
    """

    matrix: DeviceMatrix
    signs: Array
    weights: Array | None
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

    def sample(self) -> "DeviceMargins | None":
        """See Objective; for long tables only."""
        pieces = sampled(self.matrix.shape[0])
        if pieces is None:
            return None
        rows = rows_together(self._rows, pieces)
        share = rows.shape[0] / self.matrix.shape[0]
        weights = None if self.weights is None else together(self.weights, pieces, rows.xp)
        linear = None if self.linear is None else share * self.linear
        return DeviceMargins(
            matrix=self.matrix.of(rows),
            signs=together(self.signs, pieces, rows.xp),
            weights=weights,
            loss=self.loss,
            ridge=share * self.ridge,
            linear=linear,
        )

    def with_linear(self, linear: Floats | None) -> "DeviceMargins":
        """The same function with another linear term (d,)."""
        other = replace(self, linear=linear)
        if "_radii" in self.__dict__:
            other.__dict__["_radii"] = self.__dict__["_radii"]
        return other

    def margins(self, point: Floats) -> Array:
        """m_i = y_i <x_i, w>, (n,), on the device."""
        return self._rows.matvec(self._there(point)) * self.signs

    def value(self, point: Floats, margins: Array) -> float:
        """G(w)."""
        values = self.loss.value(margins)
        total = travel.number_here(self._rows.xp.sum(values if self.weights is None else values * self.weights))
        return total + 0.5 * self.ridge * float(point @ point) + (float(self.linear @ point) if self.linear is not None else 0.0)

    def gradient(self, point: Floats, margins: Array) -> Floats:
        """grad G(w), (d,)."""
        gradient = travel.here(self._rows.rmatvec(self._slopes(margins, slice(None)) * self.signs)) + self.ridge * point
        return gradient if self.linear is None else gradient + self.linear

    def curvatures(self, margins: Array) -> Array:
        """c_i l''(m_i), (n,), on the device."""
        curvatures = self.loss.curvature(margins)
        return curvatures if self.weights is None else curvatures * self.weights

    def hessian(self, curvatures: Array, *, single_precision: bool = False) -> Floats:
        """sum_i curvatures_i x_i x_i^T + ridge I, (d, d)."""
        hessian = travel.here(self._rows.gram(curvatures, single_precision=single_precision and self.matrix.coarse))
        hessian[np.diag_indices_from(hessian)] += self.ridge
        return hessian

    def hessian_product(self, curvatures: Array, direction: Floats) -> Floats:
        """Hessian times `direction` (d,)."""
        moved = curvatures * self._rows.matvec(self._there(direction))
        return travel.here(self._rows.rmatvec(moved)) + self.ridge * direction

    def hessian_diagonal(self, curvatures: Array) -> Floats:
        """Diagonal of the Hessian, (d,)."""
        return travel.here(self._rows.gram_diagonal(curvatures)) + self.ridge

    def preconditioner(self, curvatures: Array) -> Callable[[Floats], Floats]:
        """The inverse of the Hessian's diagonal, applied to (d,)."""
        inverse = 1.0 / self.hessian_diagonal(curvatures)
        return lambda vector: inverse * vector

    def slope_along(self, step: float, margins: Array, change: Array, base: float, bend: float) -> float:
        """d/dt G(w + t v) at t = `step`; one number travels."""
        return travel.number_here(self._rows.xp.sum(self._slopes(margins + step * change, slice(None)) * change)) + base + step * bend

    def certified_sums(self, points: Floats) -> CertifiedSums:
        """The sum over the records at the columns of `points` (d, k), with items 1 to 4 of module `objective`; no ridge, no linear term."""
        dimension, models = points.shape
        rows, radii = self._rows, self._radii
        lipschitz, smoothness = self.loss.lipschitz, self.loss.smoothness
        margin_error = (gamma(dimension + 4) + 12 * UNIT) * norms_above(points) + dimension * TINY  # a unit of R_i; 12 u more below
        coarse = smoothness * (margin_error * radii.twice + 12 * UNIT * radii.once)
        fine = bool(np.any(coarse > _FINE * UNIT * lipschitz * radii.once))
        columns, reach = self._there(points), self._there(margin_error)
        tails: Array = 0.0
        total = DeviceSum(rows)
        for piece in rows.chunks(rows.sums_numbers(models)):
            signs = self.signs[piece, None]
            margins = rows.matvec(columns, piece) * signs
            if fine:
                radius = radii.each[piece, None]
                delta = radius * reach + 12 * UNIT
                jump = self._slopes(margins + delta, piece) - self._slopes(margins - delta, piece)
                tails = tails + rows.xp.sum(jump * radius, axis=0)
            total.add(self._slopes(margins, piece) * signs, piece)
        high, low, sizes = total.found()
        errors = coarse
        if fine:
            errors = np.minimum(coarse, travel.here(tails) * (1 + radii.slack) + 48 * UNIT * lipschitz * radii.once)
        errors = errors + product_errors(rows, radii, relative=40 * UNIT, size=lipschitz)
        return CertifiedSums(high=high, low=low, sizes=sizes, errors=errors, additions=total.additions)

    def _slopes(self, margins: Array, rows: slice) -> Array:
        """c_i l'(m_i) for `rows` of margins (b,) or (b, k)."""
        slopes = self.loss.slope(margins)
        if self.weights is None:
            return slopes
        return slopes * (self.weights[rows] if margins.ndim == 1 else self.weights[rows, None])

    def _there(self, values: Floats) -> Array:
        return travel.there(values, self._rows.table)

    @property
    def _rows(self) -> DeviceRows:
        return self.matrix.there

    @cached_property
    def _radii(self) -> Radii:
        return Radii(self.matrix.there, self.matrix.norms_there, self.weights)
