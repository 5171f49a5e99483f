"""Base of the regressions whose weights are any vector: numbers within a declared bound, and an intercept.

predictions <w, x> + t v over all (w, v);   intercept = t v,   t a constant feature of every row
"""

from dataclasses import dataclass
from typing import Annotated

from discreet.core.validate import positive
from discreet.data import Domain
from discreet.estimators.base import ScoredRegressor
from discreet.estimators.bounded_model import BoundedModel
from discreet.estimators.inputs import constant_feature


@dataclass(kw_only=True, eq=False, repr=False)
class RegressionModel(ScoredRegressor, BoundedModel):
    """See `LinearRegression` for these parameters; subclasses say which loss and which mechanisms."""

    targets = ("numbers",)

    target_bound: float | None = 1.0
    fit_intercept: Annotated[bool, "Whether there is an intercept."] = True
    intercept_scale: Annotated[float | None, "Size of the intercept's constant feature; 0.3 times the bound of rows if left out."] = None

    def _of_classes(self) -> bool:
        return False

    def _target_bound(self) -> float:
        return positive(self.target_bound, "target_bound")

    def _constant(self, domain: Domain) -> float:
        return constant_feature(domain.radius, self.intercept_scale, wanted=self.fit_intercept)
