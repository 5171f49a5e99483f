"""Base of the regressions whose weights are any vector: numbers within a declared bound, and an intercept.

predictions <w, x> + t v over all (w, v);   intercept = t v,   t a constant feature of every row
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours, Privacy
from discreet.core.validate import positive
from discreet.data import Domain
from discreet.estimators.advice import names_checked
from discreet.estimators.door.fit_input import FitInput
from discreet.estimators.door.private_estimator import ScoredRegressor
from discreet.estimators.inputs import Weighting, constant_feature, positive_or_none
from discreet.estimators.model_kinds import TargetKind
from discreet.estimators.models.bounded_model import BoundedModel
from discreet.estimators.prior import declared_prior, prior_of
from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.regression import calibrate_targets
from discreet.problems import PredictionRisk, SeveralTargets
from discreet.problems.prior import Prior


@dataclass(kw_only=True, eq=False, repr=False)
class RegressionModel(ScoredRegressor, BoundedModel):
    """See `LinearRegression` for these parameters; subclasses say which loss and which mechanisms."""

    targets: ClassVar[tuple[TargetKind, ...]] = ("numbers", "several numbers")
    _several: ClassVar[bool] = True

    target_bound: Any = None
    fit_intercept: Annotated[bool, "Whether there is an intercept."] = True
    intercept_scale: Annotated[float | None, "Size of the intercept's constant feature; 0.3 times the bound of rows if left out."] = None

    max_sample_weight: float | None = None
    prior: Any = None

    @names_checked
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, persons: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records.

        Parameters: X (n, d) array, data frame or sparse matrix of finite numbers, or a BlockTable, which brings its own targets; y (n,) targets,
        or (n, m) for several of them, that are learnt under the one guarantee (docs/linear-regression.md);
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

    def __sklearn_tags__(self) -> Any:
        """Several targets where the parameters allow them."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._takes_several()
        return tags

    def _takes_several(self) -> bool:
        """Whether the parameters allow several columns of y."""
        return self.prior is None

    @property
    def intercept_level(self) -> float:
        """`intercept_` where the weights are 0."""
        return 0.0

    def _point(self, domain: Domain) -> Prior | None:
        """What the ridge pulls towards."""
        return None if self.prior is None else prior_of(self.prior, domain, self.data_norm, level=self.intercept_level)

    def _declared(self, given: FitInput, neighbours: Neighbours) -> tuple[str, ...]:
        own = () if self.prior is None else declared_prior(self.prior, given.classes)
        return super()._declared(replace(given, declared=(*given.declared, *own)), neighbours)

    @abstractmethod
    def _each(self, domain: Domain, privacy: Privacy, targets: int) -> tuple[PredictionRisk, float | None]:
        """The problem of each of several targets, in its unit, and lambda where it was chosen. Raises InvalidInput for settings that take one."""

    def _prepared_targets(self, domain: Domain, privacy: Privacy, units: tuple[float, ...]) -> tuple[SeveralTargets, Mechanism[Any, Any]]:
        each, ridge = self._each(domain, privacy, len(units))
        problem = SeveralTargets(each=each, units=units)
        return problem, calibrate_targets(problem, ridge=ridge, **privacy.target)

    def units_for(self, targets: int) -> tuple[float, ...]:
        """See LinearEstimator: each target has the unit of its own bound, where it has one."""
        own = _bounds(self.target_bound)
        if own is None:
            return (1.0,) * targets if targets > 1 else ()
        if len(own) != targets or targets == 1:
            raise InvalidInput(
                f"target_bound has {len(own)} numbers for {targets} column(s) of y: pass one number for all, or one for each of several columns."
            )
        return own

    def _target_bound(self) -> float:
        """Of a target in its unit, which is its own bound where each has one."""
        one = self.target_bound is not None and _bounds(self.target_bound) is None
        return positive(self.target_bound, "target_bound") if one else 1.0

    def _constant(self, domain: Domain) -> float:
        return constant_feature(domain.radius, self.intercept_scale, wanted=self.fit_intercept)


def _bounds(given: Any) -> tuple[float, ...] | None:
    """One for each target; None for one for all. Raises InvalidInput for what are no positive numbers."""
    if not isinstance(given, list | tuple | np.ndarray):
        return None
    return tuple(positive(bound, "target_bound") for bound in np.asarray(given).tolist())
