"""Private empirical risk minimisation over any convex set, with any loss of a prediction.

minimise  sum_i l(<w, x_i> + t v; y_i)   over (w, v) in C, privately;   proof notes mechanisms/constrained/mirror_descent.md and frank_wolfe.md
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import positive
from discreet.estimators.base import measured
from discreet.estimators.constrained_model import ByComparison, WithIntercept
from discreet.estimators.inputs import positive_or_none
from discreet.losses.predictions import PredictionLoss, prediction_loss_named
from discreet.matrices import answers_per_record
from discreet.sets import Constraint, L2Ball


def _named(loss: object) -> PredictionLoss:
    """A loss or the one of this name. Raises InvalidInput."""
    if isinstance(loss, str):
        return prediction_loss_named(loss)
    if isinstance(loss, PredictionLoss):
        return loss
    raise InvalidInput(f"loss must be a name or one of the losses of discreet.losses.predictions; an object of type {type(loss).__name__} was given.")


def _takes_classes(loss: object) -> bool:
    """Whether the loss is one of classes; False for a loss that fit will refuse."""
    try:
        return _named(loss).signed_targets
    except InvalidInput:
        return False


def _has_decisions(estimator: "ConstrainedERM") -> bool:
    """Whether there are decisions between classes; AttributeError, as scikit-learn asks of methods that are not available."""
    if not _takes_classes(estimator.loss):
        raise AttributeError("the loss is one of real targets, so there are no decisions. Use predict.")
    return True


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class ConstrainedERM(ByComparison, WithIntercept):
    """A linear model over a convex set under differential privacy: a regression, or a classifier of two classes, as the loss is.

    Parameters
    ----------
    loss : a loss of `discreet.losses.predictions`, or its name: "squared", "huber", "log-cosh", "absolute", "pinball" and
        "smooth-pinball" (quantiles) for real targets; "hinge", "logistic", "huber-hinge", "smoothed-hinge", "softplus-hinge" for two classes.
    constraint : a set of `discreet.sets` in as many dimensions as there are features, one more with an intercept; None is the unit l2 ball.
    epsilon : privacy loss, > 0; `inf` is the ordinary fit without privacy (smooth losses), and its certificate says so.
    delta : probability that the loss is exceeded, well below 1 / n. With 0 only sets with a list of vertices are left.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    data_bound, data_norm : bounds on every entry and on the Euclidean norm of a row; one of them may be None. Never learnt from the data.
    target_bound : bound on |y| of real targets; larger targets are clipped to it.
    classes : [negative, positive] for losses of classes. None takes them from y, with a PrivacyWarning: nothing then hides which labels occur.
    max_slope : bound that slopes of the loss are clipped to, record by record; None takes the largest that the set allows.
    fit_intercept, intercept_scale : an intercept is a constant feature whose coefficient is the last coordinate of the set.
    mechanism : "auto" (the best bound of risk, from public numbers), "mirror-descent", "frank-wolfe-gaussian" or "frank-wolfe-polytope".
    n_iter : number of steps, chosen without the records; None takes it from public numbers.
    public_records : under add-remove, a number of records that you declare public, for the number and the length of the steps.
    ledger : an Account(path, name) to spend on; None spends on the ledger in use (`discreet.ledger.using`), if any.
    n_jobs : threads that work on one fit, as in scikit-learn: None is 1, -1 all processors. Results are the same for any number.
    random_state : None draws noise from the operating system. A seed makes results reproducible and the certificate invalid.

    Attributes
    ----------
    coef_ : coefficients, (d,); intercept_ : a number.
    weights_ : the released point of the set, (d,) or (d + 1,).
    classes_ : [negative, positive], for losses of classes.
    certificate_ : what the release promises and why; `certificate_.verify(weights_)` checks it.
    """

    loss: str | PredictionLoss = "squared"
    constraint: Constraint | None = None
    target_bound: float = 1.0
    classes: Any = None
    max_slope: float | None = None
    fit_intercept: bool = False

    @available_if(_has_decisions)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,), with rows brought within the declared bounds."""
        return self._predictions(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predictions (n,): numbers, or the likelier class where the loss is one of classes."""
        found = self._predictions(X)
        return self.classes_[(found > 0).astype(np.intp)] if self._of_classes() else found

    def score(self, X: Any, y: Any) -> float:
        """R^2 of real targets, accuracy of classes; not private where the records are not public."""
        measure = accuracy_score if self._of_classes() else r2_score
        return measured(measure, y, self.predict(X))

    def __sklearn_tags__(self) -> Any:
        """A classifier of two classes or a regression, as the loss is; with noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if _takes_classes(self.loss):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags(poor_score=True, multi_class=False)
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags(poor_score=True)
        return tags

    def _constraint(self, dimension: int) -> Constraint:
        if self.constraint is None:
            return L2Ball(dimension=dimension)
        if not isinstance(self.constraint, Constraint):
            raise InvalidInput(f"constraint must be a set of discreet.sets; an object of type {type(self.constraint).__name__} was given.")
        return self.constraint

    def _loss(self) -> PredictionLoss:
        return _named(self.loss)

    def _target_bound(self) -> float:
        return 1.0 if self._of_classes() else positive(self.target_bound, "target_bound")

    def _max_slope(self) -> float | None:
        return positive_or_none(self.max_slope, "max_slope")
