"""K regularised risks of two classes, one for each class against all others, on the same records.

    G_k(w) = sum_i c_i l(y_ik <x_i, w>) + (lambda / 2) |w|^2,     y_ik = +1 where the class of record i is k, else -1

Every record is in every one of the K problems, so its K gradients add up in square: at most sqrt(K) c_max L R together.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from discreet.accounting import Json
from discreet.data import Domain, Records
from discreet.problems.objective import MarginObjective
from discreet.problems.parts import objective_of
from discreet.problems.regularised_risk import RegularisedRisk, require_domain
from discreet.problems.summed_objective import SummedObjective


@dataclass(frozen=True, slots=True, kw_only=True)
class OneVsRestRisk:
    """The public problem: holds no data. Its weights are those of the K problems one after the other."""

    each: RegularisedRisk
    """What the K problems share, their domain with its K classes included."""

    @property
    def domain(self) -> Domain:
        """That of the records."""
        return self.each.domain

    @property
    def classes(self) -> int:
        """K."""
        return self.domain.classes

    @property
    def dimension(self) -> int:
        """Number of weights, K (d + 1) with an intercept."""
        return self.classes * self.domain.dimension

    @property
    def max_weight(self) -> float:
        """c_max, the largest weight a record may have."""
        return self.each.max_weight

    @property
    def gradient_bound(self) -> float:
        """sqrt(K) c_max L R: the most one record moves all gradients together."""
        return math.sqrt(self.classes) * self.each.gradient_bound

    @property
    def curvature_bound(self) -> float:
        """c_max c R^2: the most one record adds to one Hessian."""
        return self.each.curvature_bound

    @property
    def value_at_zero(self) -> float:
        """c_max K l(0): the most one record adds to all values at zero."""
        return self.classes * self.each.value_at_zero

    @property
    def strong_convexity(self) -> float:
        """lambda, on all coordinates."""
        return self.each.strong_convexity

    def to_dict(self) -> dict[str, Json]:
        """For certificates: what the K problems share, and K."""
        return {**self.each.to_dict(), "classes": self.classes, "scheme": "one-vs-rest"}

    def require(self, data: Records) -> None:
        """Raise InvalidInput for records of another domain."""
        require_domain(self.domain, data)

    def objectives(self, data: Records) -> Iterator[MarginObjective | SummedObjective]:
        """G_0, ..., G_{K-1} on these records, for a solver."""
        self.require(data)
        for code in range(self.classes):
            yield objective_of(data, partial(self._part, code), dimension=self.each.dimension, ridge=self.strong_convexity)

    def _part(self, code: int, data: Records, ridge: float) -> MarginObjective:
        signs = np.where(data.codes == code, 1.0, -1.0)
        return MarginObjective(matrix=data.matrix, signs=signs, weights=data.weights, loss=self.each.loss, ridge=ridge)
