"""Logistic regression from labels that were randomised by a known channel, and features that were not.

With d_i the unbiased numbers of the label that was reported (module `randomised_classes`, rows that add up to 1) and z_i = W'x_i,

    (1/n) sum_i (ln sum_k e^{z_ik} - <d_i, z_i>) + (ridge / 2) |W|^2,       E[<d_i, z_i> | own label] = z_{i, own}

which is the logistic loss of the own labels on average over the channel, whatever the records are (the method of unbiased estimators: Natarajan,
Dhillon, Ravikumar, Tewari 2013). For a general loss that method is not convex. Here it is, for any number of classes and any channel, since the
label enters the multinomial loss in a linear term alone: labels change that term and not the Hessian, and one Newton solve is certified to have found
the only minimiser. Its limit is that of a fit on the own labels, also where no logistic model is true.

The other way, the likelihood of what was reported, -ln sum_k M_{k, report} softmax(z_i)_k (forward correction: Patrini et al. 2017), is not convex,
and where no logistic model is true its limit depends on the channel. Where one is true it has the smaller error: docs/consumers.md has the figures.

Ridge. `None` stands for v / n, v the mean of |d_i|^2, which is 1 for labels without noise: the mode for a normal prior of deviation 1 on standardised
coefficients, where each report tells about 1 / v of what a label does. It vanishes with n.

Errors. Sum the gradients g_i = x_i (softmax(z_i) - d_i)': with H the Hessian without the ridge, W + ridge H^-1 W has the covariance
H^-1 (sum g_i g_i') H^-1 / n^2 to first order, noise and sampling together; intervals stand around it, and so are about the population's coefficients.
"""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, softmax
from sklearn.utils.validation import check_is_fitted

from discreet.consumers.base import ByScores, interval
from discreet.consumers.randomised_classes import adding_up, unbiased_codes
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.intervals import Intervals
from discreet.core.validate import not_negative, probability
from discreet.matrices import answers_per_record, as_matrix
from discreet.objectives.softmax_objective import SoftmaxObjective
from discreet.releases import Reports
from discreet.solvers import solve


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class NoisyLabelRegression(ByScores):
    """Logistic regression with two or more classes from randomised labels.

    Parameters
    ----------
    label_noise : the probability that a different label was reported, all others being equally likely: (K - 1) / (K - 1 + e^epsilon) for k-ary
        response; or the (K, K) probabilities of each report (column) given each true label (row), classes in sorted order. Not used by `fit_reports`.
    ridge : on the mean loss, for standardised features, > 0; None chooses one from the noise, which vanishes as n grows.

    Attributes
    ----------
    coef_, intercept_ : (1, d) and (1,) for two classes, (K, d) and (K,) for more, summing to 0 over the classes.
    classes_ : (K,); n_features_in_ : d; ridge_ : the ridge used.

    Examples
    --------
    A fifth of the labels were reported as the other one; the coefficient is that of the own labels, 2:

    >>> import numpy as np
    >>> from discreet.consumers import NoisyLabelRegression
    >>> draw = np.random.default_rng(0)
    >>> own = draw.choice([-1, 1], 20_000)
    >>> X = own.reshape(-1, 1) + draw.standard_normal((20_000, 1))
    >>> reported = np.where(draw.random(20_000) < 0.2, -own, own)
    >>> NoisyLabelRegression(label_noise=0.2).fit(X, reported).coef_.round()
    array([[2.]])
    """

    label_noise: Any = 0.0
    ridge: float | None = None
    classes_: npt.NDArray[Any] = field(init=False)
    coef_: Floats = field(init=False)
    intercept_: Floats = field(init=False)
    ridge_: float = field(init=False)
    n_features_in_: int = field(init=False)
    _centre: Floats = field(init=False)
    """Coefficients without the ridge's part, to first order, and intercepts last: as coef_ with one column more."""
    _deviations: Floats = field(init=False)

    def fit(self, X: Any, y: Any) -> Self:
        """Fit from rows X (n, d) without noise and reported labels y (n,). Raises InvalidInput for invalid arguments."""
        rows = self._learnt_from(X)
        labels, codes = self._labels(y, len(rows))
        return self._fit(rows, labels, unbiased_codes(codes, len(labels), self.label_noise, "label_noise"))

    def fit_reports(self, X: Any, reports: Reports) -> Self:
        """Fit from rows X (n, d) without noise and reports of the target, one per row in order; the noise is read from the reports."""
        rows, target = self._learnt_from(X), reports.target
        if target is None:
            raise InvalidInput("the lines do not contain the target. Randomise it with the record (target='noisy').")
        if len(reports) != len(rows):
            raise InvalidInput(f"one report for each of the {len(rows)} rows of X is needed, in the same order; there are {len(reports)}.")
        return self._fit(rows, np.array(target.labels), adding_up(target.unbiased))

    def decision_function(self, X: Any) -> Floats:
        """Decisions (n,) for two classes, positive for the second; (n, K) for more."""
        rows = as_matrix(self._asked_about(X))
        scores = [rows.ordered_matvec(weights) + start for weights, start in zip(self.coef_, self.intercept_, strict=True)]
        return scores[0] if len(self.classes_) == 2 else np.column_stack(scores)

    def coef_interval(self, *, level: float = 0.95) -> Intervals:
        """Intervals (d,) for two classes, (K, d) for more, for each coefficient of the population's best fit separately, to first order."""
        check_is_fitted(self)
        quantile = float(ndtri(0.5 + 0.5 * probability(level, "level")))
        found = np.array([interval(row[:-1], errors[:-1], quantile) for row, errors in zip(self._centre, self._deviations, strict=True)])
        middle, place = np.array([row[:-1] for row in self._centre]), 0 if len(self.classes_) == 2 else slice(None)
        return Intervals(low=found[place, ..., 0], estimate=middle[place], high=found[place, ..., 1], level=level)

    def _fit(self, rows: Floats, labels: npt.NDArray[Any], wanted: Floats) -> Self:
        count, kinds = wanted.shape
        mean, deviation = rows.mean(axis=0), rows.std(axis=0)
        deviation[deviation == 0] = 1.0
        matrix = as_matrix(np.column_stack(((rows - mean) / deviation, np.ones(count))))
        noisier = max(1.0, float(np.mean(np.sum(np.square(wanted), axis=1))))
        self.ridge_ = noisier / count if self.ridge is None else not_negative(self.ridge, "ridge")
        if self.ridge_ == 0:
            raise InvalidInput("ridge must be positive: with separable classes there is no minimiser otherwise.")
        codes = np.zeros(count, dtype=np.intp)  # the first class for all, and a linear term for what was reported instead
        standard = matrix.entries(slice(0, count))
        first = np.eye(kinds)[codes] - wanted
        ridge = self.ridge_ * count * (2.0 if kinds == 2 else 1.0)  # |w|^2 of the one difference is twice that of both halves
        objective = SoftmaxObjective(matrix=matrix, weights=None, codes=codes, classes=kinds, ridge=ridge, linear=(standard.T @ first).T.ravel())
        weights = solve(objective, tolerance=1e-9 * count).weights
        margins = objective.margins(weights)
        rest = softmax(margins, axis=1) - wanted
        slopes = (rest[:, :, np.newaxis] * standard[:, np.newaxis]).reshape(count, -1)
        bent = objective.hessian(objective.curvatures(margins)) - ridge * np.eye(len(weights))
        inverse = np.linalg.pinv(bent, hermitian=True)
        # From columns of one class after the other, in standardised features, to the released ones; of two classes their difference.
        back = np.zeros((len(deviation) + 1, len(deviation) + 1))
        back[:-1, :-1], back[-1, -1], back[-1, :-1] = np.diag(1.0 / deviation), 1.0, -mean / deviation
        contrast = np.array([[-1.0, 1.0]]) if kinds == 2 else np.eye(kinds) - 1.0 / kinds
        onto = np.kron(contrast, back)
        errors = onto @ inverse @ slopes.T
        found = (onto @ weights).reshape(len(contrast), -1)
        self._centre = found + (onto @ (ridge * inverse @ weights)).reshape(found.shape)
        self._deviations = np.sqrt(np.sum(np.square(errors), axis=1)).reshape(found.shape)
        self.classes_, self.coef_, self.intercept_ = labels, found[:, :-1], found[:, -1]
        return self
