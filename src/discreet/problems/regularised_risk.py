"""Regularised empirical risk over a public domain, as an un-normalised sum.

    G(w) = sum_i c_i l(y_i <x_i, w>) + (lambda / 2) |w|^2,    0 <= c_i <= c_max, c_max public,  |x_i| <= R

The one place where the constants of a loss meet the bounds of the data:

    gradient of one record    <= c_max L R            (L Lipschitz constant of l)
    curvature of one record   <= c_max c R^2          (c smoothness of l)
    Jacobian term at slopes q <= ln(1 + c_max kappa(q) R^2 / lambda)

A sum, not a mean: adding a record must change G by that record's loss and nothing else (Chaudhuri, Monteleoni, Sarwate 2011 write lambda = n Lambda).
For c_i <= c_max the bounds with c_max hold because kappa is concave: c kappa(u / c) does not decrease in c.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.data import Domain, Records
from discreet.data.domain import check_scale
from discreet.losses import MarginLoss
from discreet.losses.regularisers import L2
from discreet.problems.objective import MarginObjective
from discreet.problems.parts import objective_of
from discreet.problems.summed_objective import SummedObjective


@dataclass(frozen=True, slots=True, kw_only=True)
class RegularisedRisk:
    """The public problem: holds no data, and is known in full before any record is read."""

    loss: MarginLoss
    regulariser: L2
    domain: Domain
    max_weight: float = 1.0
    """c_max, the largest weight a record may have."""

    def __post_init__(self) -> None:
        """Refuse a weight bound that bounds nothing."""
        self.domain.require("sign", "code")
        check_scale(self.max_weight, "the largest weight of a record")

    @property
    def dimension(self) -> int:
        """Number of weights."""
        return self.domain.dimension

    @property
    def gradient_bound(self) -> float:
        """c_max L R: the most one record moves the gradient."""
        return self.max_weight * self.loss.lipschitz * self.domain.radius

    @property
    def curvature_bound(self) -> float:
        """c_max c R^2: the most one record adds to the Hessian."""
        return self.max_weight * self.loss.smoothness * self.domain.radius**2

    @property
    def value_at_zero(self) -> float:
        """c_max l(0): the most one record adds to G(0)."""
        return self.max_weight * float(self.loss.value(np.zeros(1))[0])

    @property
    def strong_convexity(self) -> float:
        """lambda, on all coordinates."""
        return self.regulariser.strong_convexity

    @property
    def slack_free_ratio(self) -> float:
        """a = c_max M R^2 / lambda, such that the Jacobian term is at most a t (1 - t), t = q / L; infinity for losses without such an M."""
        return self.max_weight * self.loss.lipschitz * self.loss.slope_curvature_ratio * self.domain.radius**2 / self.strong_convexity

    def jacobian_term(self, low: Floats, high: Floats) -> Floats:
        """Upper bound of ln(1 + c_max kappa(q) R^2 / lambda) for low <= q / L <= high, elementwise."""
        scale = self.loss.lipschitz
        kappa = self.loss.curvature_on_slopes(np.asarray(low) * scale, np.asarray(high) * scale)
        return np.log1p(self.max_weight * kappa * self.domain.radius**2 / self.strong_convexity)

    def to_dict(self) -> dict[str, Json]:
        """For certificates: everything that a recheck needs to know of the problem."""
        return public_record(self.domain, self.loss.name, self.loss.parameters, ridge=self.strong_convexity, max_weight=self.max_weight)

    def require(self, data: Records) -> None:
        """Raise InvalidInput for records of another domain."""
        require_domain(self.domain, data)

    def objective(self, data: Records) -> MarginObjective | SummedObjective:
        """G on these records, for a solver: plain optimisation that has never heard of privacy."""
        self.require(data)
        return objective_of(data, self._part, dimension=self.dimension, ridge=self.strong_convexity)

    def _part(self, data: Records, ridge: float) -> MarginObjective:
        return MarginObjective(matrix=data.matrix, signs=data.signs, weights=data.weights, loss=self.loss, ridge=ridge)


def public_record(domain: Domain, loss: str, parameters: Mapping[str, float], *, ridge: float, max_weight: float) -> dict[str, Json]:
    """What certificates say of a problem, whatever its classes."""
    return {
        "loss": loss,
        "loss_parameters": dict(parameters),
        "ridge": ridge,
        "features": domain.features,
        "data_norm": domain.norm_bound,
        "intercept_scale": domain.intercept_scale,
        "records": domain.records,
        "max_weight": max_weight,
    }


def require_domain(domain: Domain, data: Records) -> None:
    """Raise InvalidInput for records of another domain."""
    if data.domain != domain:
        raise InvalidInput("the data set and the problem declare different domains.")
