"""Empirical risk of predictions without a set, as an un-normalised sum over a public domain.

    F(w) = sum_i l(<x_i, w>; y_i),        |x_i| <= R,  |y_i| <= b

With a loss whose slopes are bounded for every prediction, |l'| <= L and 0 <= l'' <= c, one record moves the gradient by at most L R and the Hessian
by at most c R^2, wherever w is. A prior, which its ridge pulls towards, is no part of either (module `prior`).
"""

import math
from dataclasses import dataclass

from discreet.accounting import Json
from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising
from discreet.core.short import short_repr
from discreet.data.domain import Domain, Held, OverDomain
from discreet.losses.predictions import PredictionLoss
from discreet.problems.prior import Prior
from discreet.problems.set_risk import as_json

_UP = raising(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionRisk(OverDomain):
    """The public problem: holds no data. Raises InvalidInput for losses of classes, and for slopes that nothing bounds."""

    loss: PredictionLoss
    domain: Domain
    prior: Prior | None = None

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        self.domain.require("number")
        if self.loss.signed_targets:
            raise InvalidInput(f"the loss {self.loss.name!r} is for classes. Use LogisticRegression or LinearSVC, or a loss for numeric targets.")
        if not math.isfinite(self.slope_bound):
            raise InvalidInput(
                f"the slopes of the loss {self.loss.name!r} have no bound without a constraint set. Use 'huber' or 'log-cosh', or ConstrainedERM."
            )
        if self.prior is not None:
            self.prior.require(self.dimension)

    @property
    def slope_bound(self) -> float:
        """L, over all predictions."""
        return self.loss.lipschitz(math.inf, self.domain.target_bound) * _UP

    @property
    def smoothness(self) -> float:
        """c, infinity for a loss with a kink."""
        return self.loss.smoothness(self.domain.target_bound) * _UP

    @property
    def most_records(self) -> int:
        """Rows that a mechanism may plan for, at most."""
        return 1 << 40

    def to_dict(self) -> dict[str, Json]:
        """For certificates: everything that a recheck needs to know of the problem."""
        domain = self.domain
        return {
            "loss": self.loss.name,
            "loss_parameters": as_json(self.loss.parameters),
            **domain.record(),
            "intercept_scale": domain.intercept_scale,
            "records": domain.records,
            **({} if self.prior is None else {"prior": self.prior.to_dict()}),
        }

    def require(self, data: Held) -> None:
        """Raise InvalidInput for a data set of another domain."""
        if data.domain != self.domain:
            raise InvalidInput("the data set and the problem declare different domains.")
