"""Logistic regression and a support vector machine on rows whose features have known noise and whose labels have none.

Rows are moved by moment reconstruction (module `corrected`), standardised, and the usual loss is minimised:

    (1/n) sum_i l(y_i (<w, x^_i> + b)) + (ridge / 2) (|w|^2 + b^2)        in standardised features; coefficients are returned in the released ones

l logistic, or the smoothed hinge; for the former the conditional score follows where noise is weak (there too). Trained on noisy
rows as they are, coefficients shrink by about the share of noise in each direction, probabilities with them, and where noise or spread differ between
directions the boundary turns.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import type_of_target

from discreet.consumers.base import Consumer, feature_covariance, noise_on_rows, open_release, with_targets
from discreet.consumers.corrected import reconstructed_rows, refined
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import not_negative
from discreet.losses import Logistic, MarginLoss, SmoothedHinge
from discreet.matrices import answers_per_record, as_matrix
from discreet.objectives.objective import MarginObjective
from discreet.queries import Target
from discreet.releases import Kind, PublishedRelease
from discreet.solvers import solve


@dataclass(kw_only=True, eq=False, repr=False)
class _NoisyClassifier(ClassifierMixin, Consumer, ABC):  # type: ignore[misc]
    """What both share. Parameters and attributes as documented below."""

    _scored: ClassVar[bool] = False
    """Whether the conditional score is that of this model."""
    feature_noise: Any = 0.0
    ridge: float = 1e-4
    classes_: npt.NDArray[Any] = field(init=False)
    coef_: Floats = field(init=False)
    intercept_: Floats = field(init=False)

    def fit(self, X: Any, y: Any) -> Self:
        """From released rows X (n, d) and labels y (n,) of two classes. Raises InvalidInput for invalid arguments."""
        rows = self._learnt_from(X)
        return self._fit(rows, self._targets(y, len(rows)), feature_covariance(self.feature_noise, rows.shape[1]), normal=True)

    def fit_release(self, release: PublishedRelease | str | Path) -> Self:
        """From a released folder of rows with labels in clear: the noise is read from it, and feature_noise is not used."""
        found = open_release(release, Kind.ROWS)
        if found.target is not Target.CLEAR:
            raise InvalidInput(
                "this classifier needs labels without noise. For noisy targets +1 and -1, use NoisyRidge and the sign of its predictions."
            )
        rows, targets = with_targets(found)
        return self._fit(self._learnt_from(rows), targets, noise_on_rows(found).features, normal=found.made_by.has_normal_noise(found.mechanism))

    def decision_function(self, X: Any) -> Floats:
        """<coef_, x> + intercept_, (n,), for rows WITHOUT noise; positive for the second class."""
        rows = self._asked_about(X)
        return as_matrix(rows).ordered_matvec(self.coef_[0]) + self.intercept_[0]

    def predict(self, X: Any) -> Any:
        """Classes (n,)."""
        codes = (self.decision_function(X) > 0).astype(np.intp)
        return self.classes_[codes]

    def __sklearn_tags__(self) -> Any:
        """Two classes only."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @abstractmethod
    def _loss(self) -> MarginLoss:
        """The loss of rows with noise that is minimised."""

    def _fit(self, rows: Floats, labels: npt.NDArray[Any], noise: Floats, *, normal: bool) -> Self:
        if (kind := type_of_target(labels)) not in {"binary", "multiclass"}:
            raise InvalidInput(f"Unknown label type: {kind}. {type(self).__name__} is a classifier: y must hold the labels of two classes.")
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) != 2:
            raise InvalidInput(f"Only binary classification is supported: the labels must be of two classes; there are {len(classes)}.")
        ridge = not_negative(self.ridge, "ridge")
        if ridge == 0:
            raise InvalidInput("ridge must be positive: with separable classes there is no minimiser otherwise.")
        moved, self.drowned_ = reconstructed_rows(rows, codes, noise)
        mean, deviation = moved.mean(axis=0), moved.std(axis=0)
        deviation[deviation == 0] = 1.0
        matrix = as_matrix(np.column_stack(((moved - mean) / deviation, np.ones(len(rows)))))
        signs = np.where(codes == 1, 1.0, -1.0)
        objective = MarginObjective(matrix=matrix, signs=signs, weights=None, loss=self._loss(), ridge=ridge * len(rows))
        weights = solve(objective, tolerance=1e-7 * len(rows)).weights
        slopes = weights[:-1] / deviation
        constant = float(weights[-1] - mean @ slopes)
        if normal and self._scored:
            slopes, constant = refined(rows, 0.5 * (signs + 1.0), noise, slopes, constant)
        self.classes_, self.coef_, self.intercept_ = classes, slopes[np.newaxis], np.array([constant])
        return self


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class NoisyLogisticRegression(_NoisyClassifier):
    """Logistic regression from released rows with known noise.

    Parameters
    ----------
    feature_noise : variance of the normal noise on every feature, (d,) variances, or its (d, d) covariance.
    ridge : on the mean loss, for standardised features, > 0.

    Attributes
    ----------
    coef_, intercept_ : (1, d) and (1,); classes_ : the two classes.
    drowned_ : the number of class directions that were raised to the noise floor.
    n_features_in_ : d.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import NoisyLogisticRegression
    >>> draw = np.random.default_rng(0)
    >>> y = draw.choice(["no", "yes"], 20_000)
    >>> x = np.where(y == "yes", 1.0, -1.0).reshape(-1, 1)
    >>> released = x + draw.standard_normal((20_000, 1))
    >>> NoisyLogisticRegression(feature_noise=1.0).fit(released, y).predict([[1.0], [-1.0]])
    array(['yes', 'no'], dtype='<U3')
    """

    _scored = True

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, 2), for rows without noise."""
        decision = self.decision_function(X)
        return np.column_stack((expit(-decision), expit(decision)))

    def _loss(self) -> MarginLoss:
        return Logistic()


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class NoisyLinearSVC(_NoisyClassifier):
    """A support vector machine, with the smoothed hinge, from released rows with known noise. Parameters as in NoisyLogisticRegression, and

    half_width : half-width of the bend of the hinge, > 0.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import NoisyLinearSVC
    >>> draw = np.random.default_rng(0)
    >>> y = draw.choice(["no", "yes"], 20_000)
    >>> x = np.where(y == "yes", 1.0, -1.0).reshape(-1, 1)
    >>> released = x + draw.standard_normal((20_000, 1))
    >>> NoisyLinearSVC(feature_noise=1.0).fit(released, y).predict([[1.0], [-1.0]])
    array(['yes', 'no'], dtype='<U3')
    """

    half_width: float = 0.5

    def _loss(self) -> MarginLoss:
        return SmoothedHinge(half_width=float(self.half_width))
