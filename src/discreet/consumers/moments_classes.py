"""Classifiers from released second moments: linear discriminants, and naive Bayes with normal features.

A column of classes splits the sums: for a target of -1 and +1 the number of records of a class is (n -+ sum y) / 2 and the sum of a feature over them
(sum x -+ sum x y) / 2; for a category, whose numbers are 0 and 1, they are sum c and sum c x. So class means m_k and the spread within classes

    W = sum x x' - sum_k n_k m_k m_k'

are functions of the release. P(k | x) is proportional to n_k exp((n - K) (<W^{-1} m_k, x> - m_k'W^{-1} m_k / 2)): the linear discriminant for W as it
is (Fisher 1936), naive Bayes with one variance a feature for its diagonal. Eigenvalues of W, or variances, that noise could have made are raised,
numbers of records in a class are at least the deviation of their noise, and means are kept within the public bound.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from discreet.consumers.base import ByScores
from discreet.consumers.moments import FLOOR, ReleasedMoments, one_hot, raised
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.matrices import answers_per_record, as_matrix
from discreet.releases import PublishedRelease


class _Classes(NamedTuple):
    """What a column of classes makes of the sums."""

    labels: npt.NDArray[Any]
    counts: Floats
    """(K,)."""
    sums: Floats
    """(K, d)."""
    deviations: Floats
    """Of the noise on the counts, (K,)."""


@dataclass(kw_only=True, eq=False, repr=False)
class _MomentsClassifier(ByScores, ABC):
    """What both share. Parameters and attributes as documented below."""

    classes_: npt.NDArray[Any] = field(init=False)
    coef_: Floats = field(init=False)
    intercept_: Floats = field(init=False)
    priors_: Floats = field(init=False)
    means_: Floats = field(init=False)
    drowned_: int = field(init=False)
    columns_: tuple[str, ...] = field(init=False)

    target: str | None = None
    features: Sequence[str] | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """From rows X (n, d) and labels y (n,) that are public themselves: the same classifier without noise. Names of columns are not used."""
        rows = self._learnt_from(X)
        labels, codes = self._labels(y, len(rows))
        of_classes = one_hot(labels[codes], labels)
        moments = ReleasedMoments.of_rows(rows)
        found = _Classes(labels, of_classes.sum(axis=0), of_classes.T @ rows, np.zeros(len(labels)))
        return self._fit(moments, moments.names, np.ones(rows.shape[1], dtype=bool), found)

    def fit_release(self, release: PublishedRelease | ReleasedMoments | str | Path) -> Self:
        """From a released folder. Raises InvalidInput for another kind of release, and for a column that holds no classes."""
        moments = release if isinstance(release, ReleasedMoments) else ReleasedMoments.of_release(release)
        wanted = moments.target if self.target is None else self.target
        categories = dict(moments.categories)
        group = [f"{wanted}={one}" for one in categories.get(str(wanted), ())]
        names = moments.chosen(self.features, without=[*group, *([] if wanted is None else [wanted])])
        kept = np.array([self.features is not None or name not in moments.references for name in names])
        return self._fit(moments, names, kept, _classes(moments, wanted, group, categories, [moments.place(name) for name in names]))

    def decision_function(self, X: Any) -> Floats:
        """(n,) for two classes, positive for the second; (n, K) for more."""
        scores = as_matrix(self._asked_about(X)).ordered_matvec(self.coef_.T) + self.intercept_
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @abstractmethod
    def _inverse(self, within: Floats, noise: Floats) -> tuple[Floats, int]:
        """W^{-1} as it is used, and how many of its directions, or variances, were raised; `noise` the diagonal of N."""

    def _fit(self, moments: ReleasedMoments, names: tuple[str, ...], kept: npt.NDArray[np.bool_], found: _Classes) -> Self:
        places = np.array([moments.place(name) for name in names])[kept]
        counts = np.maximum(found.counts, np.maximum(found.deviations, 1.0))
        means = np.clip(found.sums / counts[:, np.newaxis], -moments.largest, moments.largest)[:, kept]
        within = moments.matrix[np.ix_(places, places)] - (means.T * counts) @ means
        inverse, self.drowned_ = self._inverse(within, moments.noise[places])
        inverse *= max(1.0, counts.sum() - len(counts))
        directions = means @ inverse
        self.coef_ = np.zeros((len(counts), len(names)))
        self.coef_[:, kept] = directions
        self.priors_ = counts / counts.sum()
        self.intercept_ = np.log(self.priors_) - 0.5 * np.einsum("kj,kj->k", directions, means)
        self.means_ = np.full((len(counts), len(names)), np.nan)
        self.means_[:, kept] = means
        self.classes_, self.columns_, self.n_features_in_ = found.labels, names, len(names)
        return self


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class MomentsDiscriminant(_MomentsClassifier):
    """Linear discriminant analysis from released second moments.

    Parameters
    ----------
    target : the column of classes: a categorical column (if rows are not normalised), or None for the release's target, which has two classes.
    features : names of the columns to predict from; None for all others, with each categorical column relative to its first category.

    Attributes
    ----------
    classes_ : (K,).
    coef_, intercept_ : (K, d) and (K,), for the log probabilities of the classes, up to a common constant; in encoded units.
    priors_, means_ : (K,) and (K, d); NaN for the first category of a column.
    drowned_ : the number of directions of within-class spread that were raised to the noise floor.
    columns_ : names of the features, d of them, in the order of `predict`.
    n_features_in_ : d.

    Examples
    --------
    From public rows, without noise; `fit_release` uses a release of moments.

    >>> from discreet.consumers import MomentsDiscriminant
    >>> rows = [[0.0, 0.1], [0.1, 0.0], [1.0, 0.9], [0.9, 1.0]]
    >>> MomentsDiscriminant().fit(rows, ["no", "no", "yes", "yes"]).predict([[1.0, 1.0]])
    array(['yes'], dtype='<U3')
    """

    def _inverse(self, within: Floats, noise: Floats) -> tuple[Floats, int]:
        found = raised(within, noise)
        return np.asarray(np.linalg.inv(found.used), dtype=np.float64), found.raised


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class MomentsNaiveBayes(_MomentsClassifier):
    """Naive Bayes with normal features, one variance per feature, from released second moments. Parameters and attributes as for MomentsDiscriminant.

    Examples
    --------
    From public rows, without noise; `fit_release` uses a release of moments.

    >>> from discreet.consumers import MomentsNaiveBayes
    >>> rows = [[0.0, 0.1], [0.1, 0.0], [1.0, 0.9], [0.9, 1.0]]
    >>> MomentsNaiveBayes().fit(rows, ["no", "no", "yes", "yes"]).predict([[1.0, 1.0]])
    array(['yes'], dtype='<U3')
    """

    def _inverse(self, within: Floats, noise: Floats) -> tuple[Floats, int]:
        variances, noisy = np.diag(within), bool(np.any(noise > 0))
        floor = FLOOR * noise if noisy else np.full(len(noise), 1e-12 * max(float(np.max(np.abs(variances))), 1e-300))
        return np.diag(1.0 / np.maximum(variances, floor)), int(np.sum(variances < floor)) if noisy else 0


def _classes(moments: ReleasedMoments, wanted: str | None, group: list[str], categories: dict[str, tuple[str, ...]], places: list[int]) -> _Classes:
    """The sums of a column of classes over the columns at `places`."""
    if wanted is None:
        raise InvalidInput("this release has no target. Name a categorical column: target='...'.")
    if group:
        own = [moments.place(name) for name in group]
        noise = np.sqrt(moments.noise[own] * moments.noise[0])
        return _Classes(np.array(categories[wanted]), moments.matrix[0, own], moments.matrix[np.ix_(own, places)], noise)
    if wanted != moments.target or moments.numeric_target:
        raise InvalidInput(f"{wanted!r} has no classes. Name a categorical column (of rows that are not normalised), or a target of two classes.")
    place, signs = moments.place(wanted), np.array([-1.0, 1.0])
    counts = 0.5 * (moments.matrix[0, 0] + signs * moments.matrix[0, place])
    sums = 0.5 * (moments.matrix[0, places] + signs[:, np.newaxis] * moments.matrix[place, places])
    noise = 0.5 * np.sqrt(2.0 * (not moments.exact_count) * moments.noise[0] ** 2 + moments.noise[0] * moments.noise[place])
    return _Classes(np.array(moments.labels), counts, sums, np.full(2, noise))
