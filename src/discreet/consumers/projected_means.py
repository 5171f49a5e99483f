"""Nearest means and clusters of projected rows  v = x P + e, e of covariance s^2 I on k columns, P public.

    |x P - m|^2                     who is nearest to public rows x, m the mean of n_c noisy rows: |m|^2 has k s^2 / n_c too much, taken out
    sum |v - m|^2                   of clusters: has (n - clusters) k s^2 of noise, which is taken out (of more noise than spread the
                                    result may be negative: the clusters are then of noise)

Distances in projected coordinates are those of records to a relative error of (2/k)^{1/2}, where P has independent N(0, 1/k) entries. Of noisy
targets t = y + f, y of +1 and -1 and f of mean zero and independent of e, the sums over a class are those of half of v (1 + t) and v (1 - t), on
average; rows of zeros among the released ones change none of them.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.utils.multiclass import check_classification_targets

from discreet.consumers.base import Consumer, open_release
from discreet.consumers.projected import ProjectedRows, projected_targets
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.core.validate import whole
from discreet.matrices import answers_per_record
from discreet.matrices.in_order import products
from discreet.queries import Target
from discreet.releases import Kind, PublishedRelease


@dataclass(kw_only=True, eq=False, repr=False)
class _Means(Consumer):
    """Means in projected coordinates, and the nearest one."""

    projection: Any = None
    noise_variance: float = 0.0
    _lengths: Floats = field(init=False)
    """Of the means, squared, without noise, (means,)."""
    _means: Floats = field(init=False)
    """(means, k)."""
    _projection: Floats = field(init=False)

    def _made(self, X: Any) -> ProjectedRows:
        rows = self._learnt_from(X)
        return ProjectedRows(
            values=rows, projection=np.eye(rows.shape[1]) if self.projection is None else self.projection, noise_variance=self.noise_variance
        )

    def _keep(self, made: ProjectedRows, means: Floats, counts: Floats) -> None:
        self._means, self._projection = means, made.projection
        self._lengths = np.square(means).sum(axis=1) - made.values.shape[1] * made.noise_variance / counts
        if self.projection is not None or made.values.shape[1] != len(made.projection):
            self._learnt_from(np.zeros((2, len(made.projection))))

    def _nearest(self, X: Any) -> npt.NDArray[np.intp]:
        # Added up in one order whatever else is asked about: a row's answer is its own.
        scores = products(products(self._asked_about(X), self._projection), self._means.T)
        found: npt.NDArray[np.intp] = np.argmax(scores - 0.5 * self._lengths, axis=1)
        return found

    @abstractmethod
    def fit(self, X: Any, y: Any) -> Self:
        """Fit from released rows with labels."""


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class ProjectedNearestMeans(ClassifierMixin, _Means):  # type: ignore[misc]
    """Nearest-mean classification from projected rows; with two classes, targets may be noisy.

    Parameters: `projection` (d, k), None for rows without projection, `noise_variance` s^2, `records` the number of records, for noisy targets, if
    it is public and differs from the number of released rows (under add-remove). Attributes: `classes_`, `means_` (classes, k) in projected
    coordinates,
    `n_features_in_` d.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import ProjectedNearestMeans
    >>> draw = np.random.default_rng(0)
    >>> projection = np.array([[0.6], [0.8]])
    >>> rows = draw.standard_normal((20_000, 2))
    >>> released = rows @ projection + 0.5 * draw.standard_normal((20_000, 1))
    >>> y = np.where(rows @ [0.6, 0.8] > 0, "yes", "no")
    >>> ProjectedNearestMeans(projection=projection, noise_variance=0.25).fit(released, y).predict([[1.0, 1.0], [-1.0, -1.0]])
    array(['yes', 'no'], dtype='<U3')
    """

    records: int | None = None
    classes_: npt.NDArray[Any] = field(init=False)
    means_: Floats = field(init=False)

    def fit(self, X: Any, y: Any) -> Self:
        """Fit from released projected rows X (n, k) and exact labels y (n,). Raises InvalidInput for invalid arguments."""
        made = self._made(X)
        return self._of_labels(made, self._targets(y, len(made.values)))

    def fit_release(self, release: PublishedRelease | str | Path) -> Self:
        """Fit from a released folder of projected rows with exact labels, or with noisy labels beside them, whose classes are +1 and -1.

        Raises InvalidInput if a class is smaller than its noise, and if the number of records is needed.
        """
        found = open_release(release, Kind.PROJECTED_ROWS)
        rows, targets, _ = projected_targets(found)
        self._learnt_from(rows)
        made = ProjectedRows.from_release(found)
        if found.target is Target.CLEAR:
            return self._of_labels(made, targets)
        records = found.records if self.records is None else whole(self.records, "records")
        if records is None:
            raise InvalidInput("some released rows are padding (zeros with noise). Pass records, the number of real ones, if it is public.")
        signs = np.array([-1.0, 1.0])
        counts = 0.5 * (records + signs * targets.sum())
        if not np.all(counts > 1.0):
            raise InvalidInput("one of the two classes cannot be distinguished from noise. More records, or a larger epsilon, are needed.")
        sums = 0.5 * (rows.sum(axis=0) + signs[:, np.newaxis] * (targets @ rows))
        return self._of_means(made, signs, sums / counts[:, np.newaxis], counts)

    def predict(self, X: Any) -> Any:
        """Classes (n,), for rows WITHOUT noise."""
        nearest = self._nearest(X)
        return self.classes_[nearest]

    def _of_labels(self, made: ProjectedRows, labels: npt.NDArray[Any]) -> Self:
        quietly(lambda: check_classification_targets(labels), InvalidInput("Unknown label type: y must hold the labels of classes."), ValueError)
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise InvalidInput("two classes or more are needed; y holds labels of one class.")
        counts = np.bincount(codes).astype(np.float64)
        means = np.stack([made.values[codes == code].mean(axis=0) for code in range(len(classes))])
        return self._of_means(made, classes, means, counts)

    def _of_means(self, made: ProjectedRows, classes: npt.NDArray[Any], means: Floats, counts: Floats) -> Self:
        self.classes_, self.means_ = classes, means
        self._keep(made, means, counts)
        return self


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class ProjectedKMeans(ClusterMixin, _Means):  # type: ignore[misc]
    """Clusters of projected rows, by scikit-learn's k-means: on average, noise with one scale adds the same to every distance.

    Parameters: `n_clusters`, `n_init`, `random_state` as in scikit-learn, `projection` (d, k), None for rows without projection, `noise_variance`
    s^2. Attributes: `cluster_centers_` (clusters, k) in projected coordinates, `labels_` of the released rows, `inertia_` with the noise subtracted,
    `n_features_in_` d.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import ProjectedKMeans
    >>> draw = np.random.default_rng(0)
    >>> projection = np.array([[0.6], [0.8]])
    >>> rows = np.repeat([[0.0, 0.0], [10.0, 0.0]], 500, axis=0)
    >>> released = rows @ projection + 0.5 * draw.standard_normal((1_000, 1))
    >>> clusters = ProjectedKMeans(n_clusters=2, projection=projection, noise_variance=0.25, random_state=0).fit(released)
    >>> here, there, beside = clusters.predict([[0.0, 0.0], [10.0, 0.0], [9.0, 0.0]])
    >>> bool(here != there and there == beside)
    True
    """

    n_clusters: int = 8
    n_init: int = 10
    random_state: Any = None
    cluster_centers_: Floats = field(init=False)
    labels_: npt.NDArray[Any] = field(init=False)
    inertia_: float = field(init=False)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's manners
        """From released projected rows X (n, k). Raises InvalidInput for invalid arguments."""
        return self._of(self._made(X))

    def fit_release(self, release: PublishedRelease | str | Path) -> Self:
        """Fit from a released folder of projected rows; projection and noise are read from it. Rows of zeros, under add-remove, count as rows."""
        found = open_release(release, Kind.PROJECTED_ROWS)
        made = ProjectedRows.from_release(found)
        self._learnt_from(made.values)
        return self._of(made)

    def predict(self, X: Any) -> npt.NDArray[np.intp]:
        """The nearest cluster, (n,), of rows WITHOUT noise."""
        return self._nearest(X)

    def _of(self, made: ProjectedRows) -> Self:
        rows, clusters = made.values, whole(self.n_clusters, "n_clusters")
        if clusters > len(rows):
            raise InvalidInput(f"n_clusters must be at most the number of released rows, {len(rows)}; {clusters} was given.")
        inner = KMeans(n_clusters=clusters, n_init=self.n_init, random_state=self.random_state).fit(rows)
        self.labels_, self.cluster_centers_ = inner.labels_, inner.cluster_centers_
        self.inertia_ = float(inner.inertia_) - (len(rows) - clusters) * rows.shape[1] * made.noise_variance
        counts = np.maximum(np.bincount(inner.labels_, minlength=clusters), 1).astype(np.float64)
        self._keep(made, inner.cluster_centers_, counts)
        return self
