"""Naive Bayes from categories and classes that were both randomised by known channels.

With u (n, k) and d (n, K) the unbiased numbers of what was reported of a feature and of the class (module `randomised_classes`), the channels being
independent given the record,

    E mean(d_l u_i) = P(class l, category i),       c_il = mean(d_l u_i) / mean(d_l) for P(category i | class l)

with variance tau_il^2 = mean(d_l^2 (u_i - c_il)^2) / (n mean(d_l)^2) to first order, noise and sampling together. Without noise that is
c (1 - c) / n_l, n_l = n mean(d_l) the records of the class; so m_l = sum_i s_i (1 - s_i) / sum_i tau_il^2, but at most n_l, is the number of clean
records that would tell as much, s_i the share of the category in all. What noise can have made is left out: c_l becomes
s + (1 - sum_i tau_il^2 / |c_l - s|^2)_+ (c_l - s) (James and Stein 1961; s is drawn to 1 / k in the same way). Numbers below 0 are mended by the
nearest shares that are not, and then each share is drawn to s_i, and s_i to 1 / k, with the weight of `smoothing` records beside m_l:

    P(l | x) proportional to P(l) prod_j P(x_j | l)

A class or a feature of which reports tell little then says little. Counting the reports as they are makes classes alike, and their shares too even.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, softmax
from sklearn.utils.validation import check_is_fitted

from discreet.consumers.base import OfClasses
from discreet.consumers.randomised_classes import adding_up, unbiased_codes
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import not_negative, probability
from discreet.matrices import answers_per_record
from discreet.releases import Reports
from discreet.sets import Simplex


class _Conditional(NamedTuple):
    """What unbiased numbers say of a feature in each class, (K, k) each."""

    shares: Floats
    """c; may be below 0 or above 1."""
    deviations: Floats
    """tau; infinite where noise drowns the class."""
    records: Floats
    """n_l, (K,)."""


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class RandomisedNaiveBayes(OfClasses):
    """Naive Bayes from randomised categories and labels. A category that was never reported is ignored in a new record.

    Parameters
    ----------
    feature_noise : the probability that a different category was reported, all others being equally likely; or a list with one probability, or one
        matrix as in `label_noise`, per feature. Not used by `fit_reports`.
    label_noise : the same for labels; or the (K, K) probabilities of each report (column) given each true label (row), classes in sorted order.
    smoothing : the weight of the prior shares, as a number of records without noise, > 0.

    Attributes
    ----------
    classes_ : (K,); priors_ : (K,), their shares.
    categories_ : for each feature, the numbers of its categories, (k,).
    shares_ : for each feature, the shares of its categories in each class, (K, k).
    n_features_in_ : d.

    Examples
    --------
    A quarter of the answers were reported as the other one:

    >>> import numpy as np
    >>> from discreet.consumers import RandomisedNaiveBayes
    >>> draw = np.random.default_rng(0)
    >>> y = draw.choice(["no", "yes"], 20_000)
    >>> own = (y == "yes").reshape(-1, 1)
    >>> reported = np.where(draw.random((20_000, 1)) < 0.25, ~own, own).astype(float)
    >>> RandomisedNaiveBayes(feature_noise=0.25).fit(reported, y).predict([[0.0], [1.0]])
    array(['no', 'yes'], dtype='<U3')
    """

    feature_noise: Any = 0.0
    label_noise: Any = 0.0
    smoothing: float = 1.0
    classes_: npt.NDArray[Any] = field(init=False)
    priors_: Floats = field(init=False)
    categories_: list[Floats] = field(init=False)
    shares_: list[Floats] = field(init=False)
    n_features_in_: int = field(init=False)
    _unbiased: list[_Conditional] = field(init=False)

    def fit(self, X: Any, y: Any) -> Self:
        """Fit from reported categories X (n, d), as numbers, and reported labels y (n,). Raises InvalidInput for invalid arguments."""
        rows = self._learnt_from(X)
        labels, codes = self._labels(y, len(rows))
        noises = self._noises(rows.shape[1])
        known = [np.unique(column, return_inverse=True) for column in rows.T]
        numbers = [unbiased_codes(at, len(values), one, "feature_noise") for (values, at), one in zip(known, noises, strict=True)]
        wanted = unbiased_codes(codes, len(labels), self.label_noise, "label_noise")
        return self._fit([values for values, _ in known], numbers, labels, wanted)

    def fit_reports(self, reports: Reports) -> Self:
        """Fit from the lines of many owners; noise, categories and classes are read from them. Predict for rows given by `reports.places(table)`."""
        if reports.target is None or not reports.features:
            raise InvalidInput("naive Bayes needs reports of the target and of another column: randomise both (target='noisy').")
        kinds = [np.arange(float(len(column.labels))) for column in reports.features]
        self._learnt_from(np.zeros((max(2, len(reports)), len(kinds))))
        numbers = [adding_up(column.unbiased) for column in reports.features]
        return self._fit(kinds, numbers, np.array(reports.target.labels), adding_up(reports.target.unbiased))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the probabilities of the classes, (n, K)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, K), for categories without noise."""
        return np.asarray(softmax(self._scores(X), axis=1))

    def predict(self, X: Any) -> Any:
        """Classes (n,)."""
        scores = self._scores(X)
        return self.classes_[np.argmax(scores, axis=1)]

    def share_interval(self, feature: int, *, level: float = 0.95) -> Floats:
        """Intervals (K, k, 2), in [0, 1], for the share of each category of a feature in each class of the population, separately and to first order.

        (0, 1) for a class whose share does not exceed the deviation of its noise. Raises InvalidInput for an unknown feature.
        """
        check_is_fitted(self)
        if not 0 <= feature < self.n_features_in_:
            raise InvalidInput(f"the features are 0 to {self.n_features_in_ - 1}; {feature!r} was given.")
        found, quantile = self._unbiased[feature], float(ndtri(0.5 + 0.5 * probability(level, "level")))
        ends = np.stack((found.shares - quantile * found.deviations, found.shares + quantile * found.deviations), axis=-1)
        return np.clip(ends, 0.0, 1.0)

    def __sklearn_tags__(self) -> Any:
        """Numbers are names of categories."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags

    def _scores(self, X: Any) -> Floats:
        rows = self._asked_about(X)
        scores = np.tile(np.log(self.priors_), (len(rows), 1))
        for column, values, shares in zip(rows.T, self.categories_, self.shares_, strict=True):
            at = np.minimum(np.searchsorted(values, column), len(values) - 1)
            scores += np.where((values[at] == column)[:, np.newaxis], np.log(shares.T[at]), 0.0)
        return scores

    def _noises(self, features: int) -> Sequence[Any]:
        """The noise of each feature."""
        if np.ndim(self.feature_noise) == 0 and not isinstance(self.feature_noise, list | tuple):
            return [self.feature_noise] * features
        if len(self.feature_noise) != features:
            given = len(self.feature_noise)
            raise InvalidInput(f"feature_noise must be a probability, or hold one for each of the {features} features; {given} were given.")
        return list(self.feature_noise)

    def _fit(self, categories: list[Floats], numbers: list[Floats], labels: npt.NDArray[Any], wanted: Floats) -> Self:
        weight = not_negative(self.smoothing, "smoothing")
        if weight == 0:
            raise InvalidInput("smoothing must be positive: otherwise a category never seen with a class would rule that class out.")
        every = np.ones((len(wanted), 1))
        self.priors_ = _drawn(_conditional(every, wanted), np.full(len(labels), 1.0 / len(labels)), weight)[0]
        self._unbiased, self.shares_ = [], []
        for one in numbers:
            own = _drawn(_conditional(every, one), np.full(one.shape[1], 1.0 / one.shape[1]), weight)[0]
            found = _conditional(wanted, one)
            self._unbiased.append(found)
            self.shares_.append(_drawn(found, own, weight))
        self.classes_, self.categories_, self.n_features_in_ = labels, categories, len(numbers)
        return self


def _conditional(of: Floats, numbers: Floats) -> _Conditional:
    """As in the module docstring, `of` (n, K) the classes' numbers."""
    count, shares, squares = len(of), of.mean(axis=0), np.square(of)
    drowned = shares <= np.sqrt(np.maximum(squares.mean(axis=0) - np.square(shares), 0.0) / count)
    below = np.where(drowned, 1.0, shares)[:, np.newaxis]
    found = of.T @ numbers / count / below
    second = squares.T @ np.square(numbers) - 2.0 * found * (squares.T @ numbers) + np.square(found) * squares.sum(axis=0)[:, np.newaxis]
    deviations = np.sqrt(np.maximum(second, 0.0)) / count / below
    lost = drowned[:, np.newaxis]
    return _Conditional(np.where(lost, numbers.mean(axis=0), found), np.where(lost, np.inf, deviations), np.where(drowned, 0.0, count * shares))


def _drawn(found: _Conditional, own: Floats, weight: float) -> Floats:
    """(K, k): positive shares, drawn to `own` (k,) with the weight of so many records."""
    simplex = Simplex(dimension=len(own))
    noise, away = np.sum(np.square(found.deviations), axis=1), found.shares - own
    kept = 1.0 - np.minimum(1.0, np.divide(noise, np.sum(np.square(away), axis=1), out=np.ones(len(noise)), where=np.any(away != 0, axis=1)))
    nearest = np.array([simplex.project(row) for row in own + kept[:, np.newaxis] * away])
    told = np.divide(own @ (1.0 - own), noise, out=np.full(len(noise), np.inf), where=noise > 0)
    records = np.minimum(found.records, told)[:, np.newaxis]
    return (records * nearest + weight * own) / (records + weight)
