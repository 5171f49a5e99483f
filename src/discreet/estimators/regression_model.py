"""Base of the regressions whose weights are any vector: numbers within a declared bound, and an intercept.

predictions <w, x> + t v over all (w, v);   intercept = t v,   t a constant feature of every row
"""

from dataclasses import dataclass
from typing import Annotated, Any, Self

from discreet.core.validate import positive
from discreet.data import Domain
from discreet.estimators.base import ScoredRegressor
from discreet.estimators.bounded_model import BoundedModel
from discreet.estimators.inputs import Weighting, constant_feature, positive_or_none


@dataclass(kw_only=True, eq=False, repr=False)
class RegressionModel(ScoredRegressor, BoundedModel):
    """See `LinearRegression` for these parameters; subclasses say which loss and which mechanisms."""

    targets = ("numbers",)

    target_bound: float | None = 1.0
    fit_intercept: Annotated[bool, "Whether there is an intercept."] = True
    intercept_scale: Annotated[float | None, "Size of the intercept's constant feature; 0.3 times the bound of rows if left out."] = None

    max_sample_weight: float | None = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, persons: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records.

        Parameters: X (n, d) array, data frame or sparse matrix of finite numbers, or a BlockTable, which brings its own targets; y (n,) targets;
        sample_weight (n,) weights, which may be private and are brought within [0, max_sample_weight], or None; persons (n,) ids that say whose row
        each is, or None.
        Raises InvalidInput for input that breaks the caller's side (NaN, shapes), for parameters out of range, and for weights with a mechanism
        that takes none; InfeasibleTarget where no noise fits the target. No message holds a value of X or y.
        """
        return self._fit(X, y, sample_weight, persons)

    @property
    def _weighting(self) -> Weighting:
        return Weighting(by_class=None, most=positive_or_none(self.max_sample_weight, "max_sample_weight"))

    def _of_classes(self) -> bool:
        return False

    def _target_bound(self) -> float:
        return positive(self.target_bound, "target_bound")

    def _constant(self, domain: Domain) -> float:
        return constant_feature(domain.radius, self.intercept_scale, wanted=self.fit_intercept)
