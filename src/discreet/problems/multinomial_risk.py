"""Regularised multinomial logistic risk of K classes over a public domain, as an un-normalised sum.

    G(W) = sum_i c_i (ln sum_k e^{<w_k, x_i>} - <w_{y_i}, x_i>) + (lambda / 2) |W|_F^2,    0 <= c_i <= c_max, c_max public,  |x_i| <= R

With p the softmax of W^T x and S(p) = diag(p) - p p^T, one record has gradient c x (p - e_y)^T and Hessian c S(p) (x) x x^T:

    gradient of one record    <= sqrt(2) c_max R       (Frobenius norm: |p - e_y| <= sqrt 2)
    curvature of one record   <= c_max R^2 / 2         (spectral norm: S <= I / 2)
    Jacobian term             <= ln det(I + a S(p)),   a = c_max R^2 / lambda
"""

import math
from dataclasses import dataclass

from discreet.accounting import Json
from discreet.data import Domain, Records
from discreet.data.domain import check_scale
from discreet.losses.regularisers import L2
from discreet.problems.parts import objective_of
from discreet.problems.regularised_risk import public_record, require_domain
from discreet.problems.softmax_objective import SoftmaxObjective
from discreet.problems.summed_objective import SummedObjective


@dataclass(frozen=True, slots=True, kw_only=True)
class MultinomialRisk:
    """The public problem of multinomial logistic regression: holds no data. Its weights are the K columns of W one after the other."""

    regulariser: L2
    domain: Domain
    max_weight: float = 1.0
    """c_max, the largest weight a record may have."""

    def __post_init__(self) -> None:
        """Refuse a weight bound that bounds nothing."""
        self.domain.require("sign", "code")
        check_scale(self.max_weight, "the largest weight of a record")

    @property
    def classes(self) -> int:
        """K."""
        return self.domain.classes

    @property
    def dimension(self) -> int:
        """Number of weights, K (d + 1) with an intercept."""
        return self.classes * self.domain.dimension

    @property
    def gradient_bound(self) -> float:
        """sqrt(2) c_max R: the most one record moves the gradient."""
        return math.sqrt(2.0) * self.max_weight * self.domain.radius

    @property
    def curvature_bound(self) -> float:
        """c_max R^2 / 2: the most one record adds to the Hessian in one direction."""
        return 0.5 * self.max_weight * self.domain.radius**2

    @property
    def value_at_zero(self) -> float:
        """c_max ln K: the most one record adds to G(0)."""
        return self.max_weight * math.log(self.classes)

    @property
    def strong_convexity(self) -> float:
        """lambda, on all coordinates."""
        return self.regulariser.strong_convexity

    @property
    def jacobian_ratio(self) -> float:
        """a = c_max R^2 / lambda."""
        return self.max_weight * self.domain.radius**2 / self.strong_convexity

    def to_dict(self) -> dict[str, Json]:
        """For certificates: everything that a recheck needs to know of the problem."""
        record = public_record(self.domain, "multinomial-logistic", {}, ridge=self.strong_convexity, max_weight=self.max_weight)
        return {**record, "classes": self.classes, "scheme": "multinomial"}

    def require(self, data: Records) -> None:
        """Raise InvalidInput for records of another domain."""
        require_domain(self.domain, data)

    def objective(self, data: Records) -> SoftmaxObjective | SummedObjective:
        """G on these records, for a solver."""
        self.require(data)
        return objective_of(data, self._part, dimension=self.dimension, ridge=self.strong_convexity, hessians=False)

    def _part(self, data: Records, ridge: float) -> SoftmaxObjective:
        return SoftmaxObjective(matrix=data.matrix, codes=data.codes, classes=self.classes, weights=data.weights, ridge=ridge)
