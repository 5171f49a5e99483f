"""The function a solver minimises, and a proof of how small its gradient is.

    G(w) = sum_i c_i l(y_i <x_i, w>) + (ridge / 2) |w|^2 + <linear, w>

Certified gradient norm
-----------------------
`certified_gradient_norm(w)` is at least |grad G(w)|_2 in exact arithmetic, at the float vector w, for the x_i, c_i, y_i and the linear term that
the floats stand for (constant columns included), and rows that were shortened by their exact factors. With u = 2^-53, gamma_k = k u / (1 - k u),
R_i >= |x_i|, L and c the Lipschitz and smoothness constants of l, d the dimension, p the most entries of a row that may be non-zero, the gradient is
summed band by band, and the errors are:

0. Factors. A theorem is about rows that are functions of one record, as x_i min(1, bound / |x_i|) is in exact arithmetic. A computed norm may change
   in its last bits with other rows (`matrices.base`), so a computed factor need not be one: it is within gamma_(p+4) of the exact one, relative, and
   the row within gamma_(p+4) R_i. That is counted below: gamma_(p+4) R_i |w| more in 1, gamma_(p+4) more in 3.
1. Margins. Any order of summation, with or without fused multiply-adds: |fl(m_i) - m_i| <= gamma_(2p+8) R_i |w|.
2. Slopes. The loss is asked to return at m a number within 16 u L of l'(m'), for some m' with |m' - m| <= 4 u (1 + |m|): a few ulp with every
   operation of its formula counted. Together with 1, and l' being c-Lipschitz, each slope is off by at most 16 u L + c delta_i, delta_i =
   gamma_(2p+8) R_i |w| + 12 u (1 + R_i |w|). As l' is non-decreasing, it is also off by at most l'(m_i + delta_i) - l'(m_i - delta_i) (+ 48 u L, as
   computed): this is much smaller for margins far in the tail, so it is used when the first bound would dominate.
3. Sums over some bands of rows. fl(X^T s), summed in K blocks of at most B rows, is off by gamma_(B+K+p+8) sum_i |s_i| R_i in norm (`Matrix.banded`).
   |s_i| <= c_i L (1 + 20 u).
4. Sums of these: compensated, off by u |sum| + gamma_J^2 sum of absolute values for J additions in any order (module `certified_sums`). Items 1 to
   3 are bounds of sums over records, so that they add up over parts of a table.
5. The ridge and linear terms: three more operations on numbers of norm |sum|, ridge |w|, |linear|: 4 u times their sum.
6. The norm itself, the row norms and the sums in these bounds: relative errors of gamma_(d+8) or gamma_(n+8), by which every factor is inflated.

In all about (B + K + p + 2 p |w| c R / L + 50) u sum_i c_i L R_i, hence linear in n. Underflow moves a product by at most 2^-1022, which is added
where squares or products are taken. An overflow gives infinity or not-a-number, which no tolerance accepts.

Every objective is a head times rows: a head makes slopes and curvatures of margins, `Here` or `There` says where the rows are. Formulas and
certificates are those of one class, wherever they are.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.parts import module_of
from discreet.core.rounding import UNIT, gamma
from discreet.losses import MarginLoss
from discreet.matrices import Matrix
from discreet.matrices.base import Array
from discreet.objectives.certified_sums import TINY, CertifiedSums, Here, norms_above
from discreet.objectives.kept import COSTLY

_FINE = 8192
"""The finer bound of item 2, two more slopes a record, is worth it when the coarse one exceeds this many u sum_i c_i L R_i: eight blocks' worth."""

_FACTOR = 0.04
"""Passes of a Cholesky factor, times n / d^2."""
_SAMPLED_ROWS, _SAMPLED_COLUMNS = 1 << 14, 64
"""Rows from which a fit begins at the minimiser of a sixteenth, and rows a column."""
_SAMPLED, _FEW = 8, 2048
"""Records a column of a sampled Hessian, and records of a sampled diagonal."""


class Spaced(NamedTuple):
    """Some records, evenly spaced, and what each of them stands for."""

    rows: slice
    records: int
    weight: float


def _spaced(count: int, most: int) -> Spaced:
    step = max(1, -(-count // max(most, 1)))
    records = -(-count // step)
    return Spaced(slice(None, None, step), records, count / max(records, 1))


class Radii(NamedTuple):
    """R_i >= |x_i|, (n,), and upper bounds of sum_i c_i R_i, sum_i c_i R_i^2 and max_i c_i R_i."""

    each: Array
    once: float
    twice: float
    largest: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RowObjective(ABC):
    """G for fixed records: rows `matrix` (n, d), `weights` (n,) or None for ones, `ridge` > 0, `linear` (dimension,) or None for 0.

    Methods that take `margins` want those of the same point, from `margins(w)`: one pass over the table serves the gradient, the curvature and
    a line search. Margins, curvatures and columns of records are arrays where the rows are; all else is here.
    """

    matrix: Matrix
    weights: Array | None
    ridge: float
    linear: Floats | None = None

    targets: ClassVar[str]
    """The field that holds a number of every record, beside weights."""

    def __post_init__(self) -> None:
        """Bring the columns to where the rows are, once."""
        _ = self._targets, self._weights

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Length of a point."""

    @abstractmethod
    def margins(self, point: Floats) -> Array:
        """What the loss of every record is a function of, linear in the point."""

    @abstractmethod
    def value(self, point: Floats, margins: Array) -> float:
        """G(w)."""

    @abstractmethod
    def curvatures(self, margins: Array) -> Array:
        """What makes the Hessian of margins."""

    @abstractmethod
    def hessian(self, curvatures: Array, *, single_precision: bool = False) -> Floats:
        """(dimension, dimension), float64; the sum is perhaps in float32 if `single_precision`."""

    @abstractmethod
    def hessian_diagonal(self, curvatures: Array) -> Floats:
        """Diagonal of the Hessian, (dimension,)."""

    @abstractmethod
    def _slopes(self, margins: Array, rows: slice) -> Array:
        """c_i times the derivative of the loss in the margins of `rows`: an array of its own."""

    @abstractmethod
    def certified_sums(self, points: Floats) -> CertifiedSums:
        """The sum over the records at the columns of `points` (d, k), with bounds of its errors; no ridge, no linear term."""

    def certified_gradient_norm(self, point: Floats) -> float:
        """A number >= |grad G(w)|_2 in exact arithmetic."""
        linear = None if self.linear is None else self.linear[:, np.newaxis]
        return float(self.certified_gradients(point[:, np.newaxis], linear)[1][0])

    def certified_gradients(self, points: Floats, linears: Floats | None) -> tuple[Floats, Floats]:
        """Gradients (d, k) and certified norms (k,) at the columns of `points` (d, k), with the columns of `linears` for the linear term."""
        return self.certified_sums(points).gradients(points, linears, self.ridge)

    @property
    def hessian_at_hand(self) -> bool:
        """See Objective: no."""
        return False

    @cached_property
    def hessian_passes(self) -> tuple[float, float]:
        """See Objective: the Gram matrix, and d^3 / 3 operations of its factor."""
        count, passes = self.matrix.shape[0], self.matrix.gram_passes
        if passes == 0.0 or self.matrix.on_device:
            return (0.0, 0.0)
        factor = _FACTOR * self.dimension**2 / max(count, 1)
        return (passes * _spaced(count, _SAMPLED * self.dimension).records / max(count, 1) + factor, passes + factor)

    @property
    def has_cheap_hessian(self) -> bool:
        """Whether steps with a Hessian's factor, which is kept, cost less than products with Hessians do, up to the solvers' limit; by the shape."""
        return True

    def sampled_hessian(self, curvatures: Array, *, single_precision: bool = False) -> Floats:
        """See Objective: of `_SAMPLED` records a column, evenly spaced."""
        some = _spaced(self.matrix.shape[0], _SAMPLED * self.dimension)
        return self._of(some).hessian(curvatures[some.rows] * some.weight, single_precision=single_precision)

    def sampled_inverse_diagonal(self, curvatures: Array) -> Callable[[Floats], Floats]:
        """See Objective: of `_FEW` records."""
        some = _spaced(self.matrix.shape[0], _FEW)
        diagonal = self._of(some).hessian_diagonal(curvatures[some.rows] * some.weight)
        return lambda vectors: vectors / diagonal[:, np.newaxis]

    def _of(self, some: Spaced) -> Self:
        """The objective of these records, with the ridge of all."""
        weights = None if self._weights is None else self._weights[some.rows]
        columns: dict[str, Any] = {self.targets: self._targets[some.rows]}
        return replace(self, matrix=self.matrix.rows(some.rows), weights=weights, **columns)

    def sample(self) -> Self | None:
        """See Objective; where passes are many, and Hessians of a share of the records far from singular."""
        short = self.matrix.shape[0] < max(_SAMPLED_ROWS, _SAMPLED_COLUMNS * self.dimension) or self.hessian_passes[1] > COSTLY
        some = None if short and not self.matrix.on_device else self._place.sample()
        if some is None:
            return None
        # All terms shrink alike, so that the sample's minimiser estimates that of all.
        share = some.matrix.shape[0] / self.matrix.shape[0]
        columns: dict[str, Any] = {self.targets: some.of(self._targets)}
        weights = None if self._weights is None else some.of(self._weights)
        linear = None if self.linear is None else share * self.linear
        return replace(self, matrix=some.matrix, weights=weights, ridge=share * self.ridge, linear=linear, **columns)

    def with_linear(self, linear: Floats | None) -> Self:
        """The same function with another linear term (dimension,)."""
        other = copy(self)  # with what is a function of the rows alone
        object.__setattr__(other, "linear", linear)
        return other

    def gradient(self, point: Floats, margins: Array) -> Floats:
        """grad G(w), (dimension,)."""
        gradient = self._flat(self._place.rmatvec(self._pulls(margins)))
        gradient += self.ridge * point
        return gradient if self.linear is None else gradient + self.linear

    def hessian_product(self, curvatures: Array, direction: Floats) -> Floats:
        """Hessian times `direction` (dimension,)."""
        moved = self._bent(curvatures, self._place.matvec(self._columns(direction)))
        return self._flat(self._place.rmatvec(moved)) + self.ridge * direction

    def preconditioner(self, curvatures: Array) -> Callable[[Floats], Floats]:
        """The inverse of the Hessian's diagonal, applied to (dimension,)."""
        inverse = 1.0 / self.hessian_diagonal(curvatures)
        return lambda vector: inverse * vector

    def slope_along(self, step: float, margins: Array, change: Array, base: float, bend: float) -> float:
        """d/dt G(w + t v) at t = `step`, in O(n) without a pass over the table.

        `change` holds v's margins, base = <ridge w + linear, v>, bend = ridge |v|^2.
        """
        total = 0.0
        for rows in self._place.pieces(margins.shape[0], margins.shape[1] if margins.ndim == 2 else 1):
            total += self._place.total(self._slopes(margins[rows, ...] + step * change[rows, ...], rows), change[rows, ...])
        return total + base + step * bend

    def margins_at(self, point: Floats, margins: Array, change: Array, step: float) -> Array:  # noqa: ARG002 - see Objective
        """See Objective."""
        return margins + step * change

    def _pulls(self, margins: Array) -> Array:
        """What the rows are summed with for the gradient."""
        return self._slopes(margins, slice(0, margins.shape[0]))

    @abstractmethod
    def _bent(self, curvatures: Array, moved: Array) -> Array:
        """What the rows are summed with for a Hessian product, from their products with a direction, which may be overwritten."""

    def _columns(self, point: Floats) -> Floats:
        """The point as rows are multiplied with it."""
        return point

    def _flat(self, columns: Floats) -> Floats:
        """Columns as one vector again (see `_columns`)."""
        return columns

    def _weighted(self, values: Array, rows: slice) -> Array:
        """c_i times the values of `rows`, (b,) or (b, k), which are overwritten."""
        if self._weights is not None:
            values *= self._weights[rows] if values.ndim == 1 else self._weights[rows, None]
        return values

    def _penalty(self, point: Floats) -> float:
        """The terms of ridge and linear term."""
        return 0.5 * self.ridge * float(point @ point) + (float(self.linear @ point) if self.linear is not None else 0.0)

    @cached_property
    def _place(self) -> Here:
        found: Here = module_of("device").There(self.matrix) if self.matrix.own_arrays else Here(self.matrix)
        return found

    @cached_property
    def _targets(self) -> Array:
        """Those of the records, where the rows are."""
        return self._place.column(getattr(self, self.targets))

    @cached_property
    def _weights(self) -> Array | None:
        """Weights where the rows are."""
        return None if self.weights is None else self._place.column(self.weights)

    @property
    def _slack(self) -> float:
        """Relative inflation that covers the rounding of sums over rows and columns."""
        return 2 * gamma(sum(self.matrix.shape) + 16)

    @cached_property
    def _radii(self) -> Radii:
        place, inflate = self._place, 1 + self._slack
        each = place.norms() * inflate + float(np.sqrt(self.dimension * TINY))
        weighted = each if self._weights is None else each * self._weights
        largest = place.total(place.xp.max(weighted)) if self.matrix.shape[0] else 0.0
        return Radii(each, place.total(weighted) * inflate, place.total(weighted, each) * inflate, largest * inflate)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MarginObjective(RowObjective):
    """The head of a margin loss: `signs` (n,) of +1.0 and -1.0, and margins m_i = y_i <x_i, w>, (n,)."""

    signs: Array
    loss: MarginLoss

    targets: ClassVar[str] = "signs"

    @property
    def dimension(self) -> int:
        """d."""
        return self.matrix.shape[1]

    def margins(self, point: Floats) -> Array:
        """m_i = y_i <x_i, w>, shape (n,)."""
        margins = self._place.matvec(point)
        margins *= self._targets
        return margins

    def value(self, point: Floats, margins: Array) -> float:
        """G(w)."""
        total = 0.0
        for rows in self._place.pieces(margins.shape[0]):
            total += self._place.total(self.loss.value(margins[rows]), None if self._weights is None else self._weights[rows])
        return total + self._penalty(point)

    def curvatures(self, margins: Array) -> Array:
        """c_i l''(m_i), shape (n,): the weights of the Hessian."""
        return self._weighted(self._place.each(self.loss.curvature, margins), slice(0, margins.shape[0]))

    def hessian(self, curvatures: Array, *, single_precision: bool = False) -> Floats:
        """sum_i curvatures_i x_i x_i^T + ridge I, shape (d, d), float64; the sum is perhaps in float32 if `single_precision`."""
        hessian = self._place.gram(curvatures, single_precision=single_precision)
        hessian.flat[:: len(hessian) + 1] += self.ridge
        return hessian

    def hessian_diagonal(self, curvatures: Array) -> Floats:
        """Diagonal of the Hessian, (d,)."""
        return self._place.gram_diagonal(curvatures) + self.ridge

    def certified_sums(self, points: Floats) -> CertifiedSums:
        """The sum over the records at the columns of `points` (d, k), with items 1 to 4 of the module docstring; no ridge, no linear term."""
        place, radii, dimension = self._place, self._radii, self.dimension
        lipschitz, smoothness = self.loss.lipschitz, self.loss.smoothness
        margin_error = (gamma(2 * self.matrix.width + 8) + 12 * UNIT) * norms_above(points) + dimension * TINY  # a unit of R_i; 12 u more below
        # Two bounds of what wrong margins do to slopes: the largest curvature times the error, one number for all, or, where that is too coarse,
        # how far the slope of each record moves between both ends of its margin's error (slopes rise), which costs twice as many slopes.
        coarse = smoothness * (margin_error * radii.twice + 12 * UNIT * radii.once)
        fine = bool(np.any(coarse > _FINE * UNIT * lipschitz * radii.once))
        reach = place.there(margin_error)
        tails: list[Array] = []

        def slopes(rows: slice, products: Array) -> Array:
            signs = self._targets[rows, None]
            products *= signs
            found = self._slopes(products, rows)
            if fine:
                radius = radii.each[rows, None]
                delta = radius * reach + 12 * UNIT
                jump = self._slopes(products + delta, rows) - self._slopes(products - delta, rows)
                tail = place.xp.sum(jump * radius, axis=0)
                tails[:] = [tails[0] + tail if tails else tail]
            found *= signs
            return found

        summed = place.summed(points, slopes)
        errors = coarse
        if tails:
            errors = np.minimum(coarse, place.here(tails[0]) * (1 + self._slack) + 48 * UNIT * lipschitz * radii.once)
        errors = errors + lipschitz * radii.once * (40 * UNIT + gamma(summed.longest + self.matrix.width + 8))
        errors += (self.matrix.shape[0] + dimension) * (1.0 + radii.largest) * TINY
        return CertifiedSums(high=summed.high, low=summed.low, sizes=summed.sizes, errors=errors, additions=summed.additions)

    def _slopes(self, margins: Array, rows: slice) -> Array:
        return self._weighted(self._place.each(self.loss.slope, margins), rows)

    def _pulls(self, margins: Array) -> Array:
        slopes = super()._pulls(margins)
        slopes *= self._targets
        return slopes

    def _bent(self, curvatures: Array, moved: Array) -> Array:
        moved *= curvatures
        return moved
