"""Sparse private classification of two classes: logistic loss over an l1 ball, by private Frank-Wolfe.

minimise  sum_i log(1 + exp(-y_i (<w, x_i> + t v)))   over |w|_1 + |v| <= radius;   proof note discreet/mechanisms/constrained/frank_wolfe.md
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.validate import positive
from discreet.estimators.constrained_model import ConstrainedModel
from discreet.estimators.declared import signs_and_classes
from discreet.estimators.link import log_probabilities, probabilities
from discreet.estimators.scores import ScoredClassifier
from discreet.ledger import Account
from discreet.losses import Logistic
from discreet.losses.predictions import OfMargin
from discreet.matrices import answers_per_record
from discreet.sets import L1Ball


@answers_per_record
class LassoClassifier(ScoredClassifier, ConstrainedModel):
    """Sparse logistic regression of two classes under differential privacy, for tables with many features.

    Parameters
    ----------
    epsilon : privacy loss, > 0; `inf` is the ordinary fit without privacy, and its certificate says so.
    delta : probability that the loss is exceeded, well below 1 / n; 0 for pure differential privacy, which costs this method much.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    radius : of the l1 ball: the largest sum of absolute coefficients. Chosen without the records.
    data_bound : bound on every entry of X; larger ones are clipped to it. None where data_norm bounds the rows alone.
    data_norm : bound on the Euclidean norm of a row, or None; longer rows are shortened to it.
    classes : [negative, positive]. None takes them from y, with a PrivacyWarning: nothing then hides which labels occur.
    fit_intercept, intercept_scale : an intercept is a constant feature of this size whose coefficient lies in the ball with the others; None takes
        the bound of the entries, which costs no noise.
    mechanism : "auto" (the better one, from public numbers), "frank-wolfe-polytope" or "frank-wolfe-gaussian".
    n_iter : number of steps, chosen without the records; None takes it from public numbers.
    public_records : under add-remove, a number of records that you declare public, for the number of steps.
    ledger : an Account(path, name) to spend on; None spends on the ledger in use (`discreet.ledger.using`), if any.
    n_jobs : threads that work on one fit, as in scikit-learn: None is 1, -1 all processors. Results are the same for any number.
    random_state : None draws noise from the operating system. A seed makes results reproducible and the certificate invalid.

    Attributes
    ----------
    coef_ : coefficients, (1, d); intercept_ : (1,).
    weights_ : the released vector, (d,) or (d + 1,); the last entry times the constant feature is the intercept.
    classes_ : [negative, positive].
    n_features_in_, feature_names_in_ : d, and the names of the columns where X has them.
    certificate_ : what the release promises and why; `certificate_.verify(weights_)` checks it.
    """

    classes_: npt.NDArray[Any]
    coef_: Floats
    intercept_: Floats

    def __init__(
        self,
        *,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        neighbours: str = "replace-one",
        radius: float = 10.0,
        data_bound: float | None = 1.0,
        data_norm: float | None = None,
        classes: Any = None,
        fit_intercept: bool = True,
        intercept_scale: float | None = None,
        mechanism: str = "auto",
        n_iter: int | None = None,
        public_records: int | None = None,
        ledger: Account | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.neighbours = neighbours
        self.radius = radius
        self.data_bound = data_bound
        self.data_norm = data_norm
        self.classes = classes
        self.fit_intercept = fit_intercept
        self.intercept_scale = intercept_scale
        self.mechanism = mechanism
        self.n_iter = n_iter
        self.public_records = public_records
        self.ledger = ledger
        self.n_jobs = n_jobs
        self.random_state = random_state

    def decision_function(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,), with rows brought within the declared bounds."""
        return self._predictions(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The likelier class of every row, (n,)."""
        chosen = (self.decision_function(X) > 0).astype(np.intp)
        found: npt.NDArray[Any] = self.classes_[chosen]
        return found

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the two classes, (n, 2)."""
        return probabilities(Logistic(), self.decision_function(X), multinomial=False)

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of `predict_proba`, (n, 2)."""
        return log_probabilities(Logistic(), self.decision_function(X), multinomial=False)

    def __sklearn_tags__(self) -> Any:
        """Two classes; with noise, small data sets score poorly."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.classifier_tags.multi_class = False
        return tags

    def _constraint(self, dimension: int) -> L1Ball:
        return L1Ball(dimension=dimension, radius=positive(self.radius, "radius"))

    def _loss(self) -> OfMargin:
        return OfMargin(loss=Logistic())

    def _aims(self, y: Any, records: int) -> tuple[Floats, float, tuple[str, ...]]:
        signs, self.classes_, declared = signs_and_classes(y, classes=self.classes, name=type(self).__name__, records=records)
        return signs, 1.0, declared

    def _publish(self, weights: Floats, intercept: float) -> None:
        self.coef_, self.intercept_ = weights[np.newaxis, :], np.array([intercept])
