"""Sparse private linear models: the LASSO, of numbers and of two classes, by private Frank-Wolfe.

    minimise  sum_i l(<w, x_i> + t v; y_i)   over |w|_1 + |v| <= radius, privately;   proof note mechanisms/constrained/frank_wolfe.md

The price of privacy grows with the logarithm of the number of features (Talwar, Thakurta and Zhang 2014, corollary 5.7).
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import measure
from discreet.data import Domain
from discreet.estimators.door.private_estimator import ScoredClassifier, ScoredRegressor
from discreet.estimators.models.set_model import FrankWolfeMixin, InterceptMixin, NumericTargetMixin
from discreet.estimators.prediction_rules import codes_above, log_probabilities, probabilities
from discreet.losses import Logistic
from discreet.losses.predictions import HuberLoss, LogCosh, OfMargin, PredictionLoss, Squared
from discreet.matrices import answers_per_record
from discreet.sets import L1Ball

_LOSSES = {loss.name: loss for loss in (Squared(), HuberLoss(), LogCosh())}


@dataclass(kw_only=True, eq=False, repr=False)
class _OverL1Ball(FrankWolfeMixin, InterceptMixin):
    radius: Annotated[float, "Largest sum of absolute coefficients, chosen without the records."] = 1.0
    data_bound: float | None = 1.0
    data_norm: float | None = None

    def _constraint(self, dimension: int) -> L1Ball:
        return L1Ball(dimension=dimension, radius=measure(self.radius, "radius"))


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class Lasso(ScoredRegressor, _OverL1Ball, NumericTargetMixin):
    """Sparse linear regression under differential privacy.

    Parameters
    ----------
    epsilon : privacy loss, > 0; `inf` is the ordinary fit without privacy, and the certificate says so.
    delta : probability that the loss is exceeded, well below 1 / n; 0 for pure differential privacy, which is expensive with this method.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    radius : of the l1 ball: the largest sum of absolute coefficients. Choose it without looking at the records.
    data_bound : bound on every entry of X; larger entries are clipped to it, in fit and in predict. Never learnt from the data. None if only
        data_norm bounds the rows.
    data_norm : bound on the Euclidean norm of a row, or None.
    target_bound : bound on |y|, which you know without the records; larger targets are clipped to it. None for tables that a schema encodes.
    loss : "squared", "huber" or "log-cosh" (of width 1), or a loss of `discreet.losses.predictions`.
    max_slope : slopes of the loss are clipped to this, record by record: less noise, but less weight for outlying targets. None is the largest
        possible slope, 2 (radius data_bound + target_bound) for the squared loss.
    fit_intercept : whether there is an intercept.
    intercept_scale : the intercept is a constant feature of this size whose coefficient lies in the ball with the others; None is the
        bound of the entries, which adds no noise.
    mechanism : "auto" (the better one, from public numbers), "frank-wolfe-polytope" or "frank-wolfe-gaussian".
    n_iter : number of steps, chosen without looking at the records; None chooses it from public numbers.
    public_records : under add-remove, a number of records that you declare public; it sets the number of steps.
    ledger, n_jobs, random_state, rows_per_person, person_weight : as in LinearRegression.

    Attributes
    ----------
    coef_ : coefficients, (d,); intercept_ : a number.
    weights_ : the released vector, (d,) or (d + 1,); the last entry times the constant feature is the intercept.
    n_features_in_, feature_names_in_ : d, and the column names if X has them.
    certificate_ : what the release guarantees and why; `certificate_.verify(weights_)` checks it.

    Examples
    --------
    >>> from discreet import Lasso
    >>> model = Lasso(epsilon=1.0, delta=1e-6, data_bound=1.0, target_bound=1.0, fit_intercept=False)
    >>> rows = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] * 5000
    >>> model.fit(rows, [row[0] for row in rows]).coef_.round().astype(int)
    array([1, 0])
    """

    saved_as = "lasso"
    targets = ("numbers",)

    def _loss(self) -> PredictionLoss:
        if isinstance(self.loss, str) and self.loss in _LOSSES:
            return _LOSSES[self.loss]
        if not isinstance(self.loss, str) and isinstance(self.loss, PredictionLoss) and not self.loss.signed_targets:
            return self.loss
        shown = repr(self.loss) if isinstance(self.loss, str) else f"an object of type {type(self.loss).__name__}"
        raise InvalidInput(f"loss must be one of {sorted(_LOSSES)} or a loss of real targets in discreet.losses.predictions; {shown} was given.")


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class LassoClassifier(ScoredClassifier, _OverL1Ball):
    """Sparse logistic regression with two classes under differential privacy, for tables with many features.

    Parameters and attributes are those of Lasso, but for

    radius : 10 by default.
    classes : [negative, positive]. None takes them from y, with a PrivacyWarning, because this reveals which labels occur.
    loss, max_slope, target_bound : none of them; the loss is the logistic one.
    coef_ : coefficients, (1, d); intercept_ : (1,); classes_ : [negative, positive].

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import LassoClassifier
    >>> X = np.tile(np.eye(3), (7_000, 1))
    >>> model = LassoClassifier(epsilon=1.0, delta=1e-6, data_bound=1.0, classes=[0, 1])
    >>> model.fit(X, X[:, 0].astype(int)).predict([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    array([1, 0])
    """

    saved_as = "lasso-classifier"
    targets = ("two classes",)

    radius: float = 10.0
    classes: Any = None

    def decision_function(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,); rows are clipped to the declared bounds."""
        return self._predictions(X)

    def predict(self, X: Any, *, threshold: float | None = None) -> npt.NDArray[Any]:
        """The most likely class for every row, (n,); with a `threshold` in (0, 1), the second where its probability is above it."""
        return super().predict(X) if threshold is None else np.asarray(self.classes_[codes_above(self.predict_proba(X), threshold)])

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the two classes, (n, 2)."""
        return probabilities(Logistic(), self.decision_function(X), multinomial=False)

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of `predict_proba`, (n, 2)."""
        return log_probabilities(Logistic(), self.decision_function(X), multinomial=False)

    def __sklearn_tags__(self) -> Any:
        """Two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _loss(self) -> OfMargin:
        return OfMargin(loss=Logistic())

    def _coefficients(self, release: Release, domain: Domain) -> tuple[Floats, Any]:
        coef, intercept = super()._coefficients(release, domain)
        return coef[np.newaxis, :], np.array([intercept])
