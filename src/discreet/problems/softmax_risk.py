"""Empirical risk of K classes together over a constraint set: the logistic loss of K linear functions, as an un-normalised sum.

    minimise F(W) = sum_i (ln sum_k e^{<w_k, x_i>} - <w_{y_i}, x_i>)   over W = (w_1, .., w_K) in C,  a set of R^{K d}

A point is the K vectors one after the other; |W| is the norm of that point, so C is any set of `discreet.sets` in K d dimensions. The gradient of one
record is (p - e_y) (x) x, its Hessian S(p) (x) x x'. With q and B of `losses/softmax.py`, R_2 and R_inf the bounds of rows:

    margins               |z|_2 <= r = min(R_2 max_C |W|_2, R_inf max_C |W|_1);   z_j - z_k = <w_j - w_k, x>, |w_j - w_k|_2 <= sqrt 2 |W|_2, so
    spread of margins     s = min(sqrt 2 R_2 max_C |W|_2, R_inf max_C |W|_1),     and of W - W':  s' = min(2 s, sqrt 2 R_2 diameter)
    gradient of a record  l2: B(s) R_2      l-infinity: q(s) R_inf      along points of C: q(s) s      between two of them: q(s) s'
    dual norm             sup_{|V| <= 1} <V, g> <= min(B R_2 |Q|_2, q R_inf |Q|_1) where the unit ball Q of the norm has these radii
    curvature             V'HV = Var_p(Vx) <= (spread of Vx)^2 / 4: s'^2 / 4 between points of C, min(sqrt 2 R_2 |Q|_2, R_inf |Q|_1)^2 / 4 along Q

Over C the slopes p - e_y keep these bounds by themselves. They are nevertheless shortened to them, record by record: privacy then holds at whatever
point a mechanism asks. Outside of C shortened slopes are no gradient of a convex function: `OfRecords.unclipped` has them as they are, |p - e_y|_2 <=
sqrt 2, for solvers whose proof (proof note mechanisms/constrained/objective_set.md, theorem 3) asks for nothing else.

Rounding errors of a gradient, n records, u = 2^-53: computed margins are within gamma_(d+8) r of the exact ones in l2, subtracting the largest rounds
by at most 2 (1 + sqrt K) u r, and the softmax is 1/2-Lipschitz; exponentials, their sum, division and subtraction: (K + 40) u of a vector of norm at
most sqrt 2. Shortening, g -> g min(1, q / |g_y|, B / |g|), has the Lipschitz constant 4 where q >= 2/3: it is the projection onto a ball after
g q / |g_y|, whose derivative is at most 1 + |g| / |g_y| <= 1 + sqrt 2 / q. So a slope is within

    e = 4 (r (gamma_(d+8) + 2 (1 + sqrt K) u) / 2 + (K + 40) u sqrt 2)

of a function of this record and the point that keeps the bounds. In units of q <= B: n e / q, and the products and sums of `prediction_sum.py`, for
vectors of norm at most B within C and sqrt 2 beyond. Targets are the numbers 0 .. K - 1 of the classes.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import UNIT, gamma, raising
from discreet.core.short import short_repr
from discreet.losses.softmax import Softmax
from discreet.problems.set_risk import SINGLE_PRODUCT, SetRisk, summing_share

_UP, _BEYOND = raising(16), raising(4_096)
_ROOT_TWO = math.sqrt(2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftmaxRisk(SetRisk):
    """The public problem: holds no data. Raises InvalidInput where the set is not one of K d dimensions, or targets are not bounded by K - 1."""

    loss: Softmax

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        self.domain.require("number")
        if self.constraint.dimension != self.dimension:
            raise InvalidInput(
                f"the set has dimension {self.constraint.dimension}; {self.loss.classes} classes of {self.domain.dimension} features, with the "
                f"constant column of the intercept, have {self.dimension} coefficients. They must agree."
            )
        if self.domain.target_bound != self.loss.classes - 1.0:
            raise InvalidInput(f"targets are the numbers of {self.loss.classes} classes: target_bound must be {self.loss.classes - 1}.")

    @property
    def dimension(self) -> int:
        """K d."""
        return self.loss.classes * self.domain.dimension

    @property
    def one_signed(self) -> bool:
        """See SetRisk: slopes are vectors."""
        return False

    @property
    def smoothness(self) -> float:
        """See SetRisk: S(p) <= I / 2."""
        return 0.5

    @property
    def reach(self) -> float:
        """r: the most that a row's product with the weights of a class can be."""
        return min(self.domain.largest_entry * self.constraint.l1_radius, self.domain.radius * self.constraint.l2_radius) * _UP

    @property
    def margin_spread(self) -> float:
        """s."""
        return self._spread(self.constraint.l2_radius, self.constraint.l1_radius)

    @property
    def slope_bound(self) -> float:
        """B(s)."""
        return self.loss.largest(self.margin_spread)[1]

    def slope_share(self, point: Floats) -> float:
        """See SetRisk: of B and of q, the larger share."""
        spread = self._spread(float(np.linalg.norm(point)), float(np.abs(point).sum())) * _BEYOND
        here, anywhere = self.loss.largest(spread), self.loss.largest(self.margin_spread)
        return min(1.0, max(one / other for one, other in zip(here, anywhere, strict=True)) * _BEYOND)

    @property
    def coordinate_bound(self) -> float:
        """q R_inf."""
        return self._wrong * self.domain.largest_entry * _UP

    @property
    def score_bound(self) -> float:
        """q s."""
        return self._wrong * self.margin_spread * _UP

    @property
    def score_spread(self) -> float:
        """q s'."""
        return self._wrong * self._apart * _UP

    @property
    def curvature(self) -> float:
        """s'^2 / 4."""
        return 0.25 * self._apart**2 * _UP

    def steepest(self, l2: float, l1: float) -> float:
        """See SetRisk."""
        return min(self.gradient_bound * l2, self.coordinate_bound * l1)

    def curved(self, l2: float, l1: float) -> float:
        """See SetRisk."""
        return 0.25 * self._spread(l2, l1) ** 2 * _UP

    def error_share(self, records: int, *, single: int | None = None, beyond: bool = False) -> float:
        """See SetRisk."""
        classes, reach = self.loss.classes, self.reach * (3.0 * _BEYOND if beyond else 1.0)
        margins = 0.5 * reach * (gamma(self.domain.dimension + 8) + 2.0 * (1.0 + math.sqrt(classes)) * UNIT)
        each = 4.0 * (margins + (classes + 40.0) * UNIT * _ROOT_TWO) / self._wrong
        longest = _ROOT_TWO / self._wrong if beyond else 1.0
        return records * (each + longest * summing_share(records, SINGLE_PRODUCT if single is None else single)) * (1.0 + 2.0**-10)

    @property
    def _wrong(self) -> float:
        """q(s)."""
        return self.loss.largest(self.margin_spread)[0]

    @property
    def _apart(self) -> float:
        """s'."""
        return min(2.0 * self.margin_spread, _ROOT_TWO * self.domain.radius * self.constraint.diameter * _UP)

    def _spread(self, l2: float, l1: float) -> float:
        return min(_ROOT_TWO * self.domain.radius * l2, self.domain.largest_entry * l1) * _UP
