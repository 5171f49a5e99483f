"""Principal components from released second moments.

The covariance S / n has symmetric noise of variance h = (N_jj / n)^2 off its diagonal and 2 h on it (all columns have the same N_jj), up
to that of the means. Noise pushes eigenvalues apart, and what it pushes on average is taken out (module `solvers.noisy_equations`). Noise alone makes
eigenvalues of up to 2 sqrt(d h): components below that are counted in `drowned_`, and mean nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from discreet.consumers.base import Consumer
from discreet.consumers.moments import ReleasedMoments
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import whole
from discreet.matrices import as_matrix
from discreet.releases import PublishedRelease
from discreet.solvers import NoisyMatrix


@dataclass(kw_only=True, eq=False, repr=False)
class MomentsPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Consumer):  # type: ignore[misc]
    """Principal components from released second moments.

    Parameters
    ----------
    n_components : the number of components to keep; None for all.
    features : names of the columns; None for all except the release's target.

    Attributes
    ----------
    components_ : (k, d), of length 1, by decreasing variance.
    explained_variance_, explained_variance_ratio_ : (k,), with the noise subtracted; at least 0.
    noise_deviation_ : standard deviation of each variance due to noise.
    mean_ : (d,).
    drowned_ : how many of the k components could be noise alone.
    columns_ : names of the features, d of them, in the order of `transform`.
    n_features_in_ : d.

    Examples
    --------
    From public rows, without noise; `fit_release` uses a release of moments.

    >>> from discreet.consumers import MomentsPCA
    >>> axes = MomentsPCA(n_components=1).fit([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> axes.explained_variance_ratio_.round(3)
    array([0.8])
    >>> axes.transform([[3.0, 1.0]]).round(3)
    array([[3.]])
    """

    components_: Floats = field(init=False)
    explained_variance_: Floats = field(init=False)
    explained_variance_ratio_: Floats = field(init=False)
    noise_deviation_: float = field(init=False)
    mean_: Floats = field(init=False)
    drowned_: int = field(init=False)
    columns_: tuple[str, ...] = field(init=False)

    n_components: int | None = None
    features: Sequence[str] | None = None

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Fit from public rows X (n, d): the same components, without noise. Column names are not used."""
        moments = ReleasedMoments.of_rows(self._learnt_from(X))
        return self._fit(moments, moments.names)

    def fit_release(self, release: PublishedRelease | ReleasedMoments | str | Path) -> Self:
        """Fit from a released folder. Raises InvalidInput for another kind of release, and for unknown columns."""
        moments = release if isinstance(release, ReleasedMoments) else ReleasedMoments.of_release(release)
        return self._fit(moments, moments.chosen(self.features))

    def transform(self, X: Any) -> Floats:
        """The coordinates of rows (n, d) along the components, (n, k)."""
        return as_matrix(self._asked_about(X)).ordered_matvec(self.components_.T) - self.components_ @ self.mean_

    def _fit(self, moments: ReleasedMoments, names: tuple[str, ...]) -> Self:
        places = np.array([moments.place(name) for name in names])
        kept = len(names) if self.n_components is None else whole(self.n_components, "n_components")
        if kept > len(names):
            raise InvalidInput(f"n_components must be at most the number of columns, {len(names)}; {kept} was given.")
        covariance = moments.centred()[np.ix_(places - 1, places - 1)] / moments.count
        deviation = float(np.max(moments.noise[places])) / moments.count
        values, vectors = NoisyMatrix(matrix=covariance, variance=deviation**2).cleared()
        order = np.argsort(-values, kind="stable")[:kept]
        axes = np.asarray(vectors[:, order].T, dtype=np.float64)
        axes *= np.where(axes[np.arange(kept), np.argmax(np.abs(axes), axis=1)] < 0, -1.0, 1.0)[:, np.newaxis]
        self.components_, self.explained_variance_ = axes, np.maximum(values[order], 0.0)
        total = float(np.maximum(np.trace(covariance), self.explained_variance_.sum()))
        self.explained_variance_ratio_ = self.explained_variance_ / total if total > 0 else np.zeros(kept)
        self.noise_deviation_ = float(np.sqrt(2.0)) * deviation
        self.drowned_ = int(np.sum(self.explained_variance_ < 2.0 * np.sqrt(len(names)) * deviation))
        self.mean_ = moments.means()[places - 1]
        self.columns_, self.n_features_in_ = names, len(names)
        return self

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
