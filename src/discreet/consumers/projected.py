"""Projected rows  v_i = z_i P + e_i,  e_i of covariance s^2 I on k columns, P public: inner products and distances without the noise's share.

    <v_i, v_j> is unbiased for <z_i P, z_j P>, i != j;        |v_i|^2 - k s^2         for |z_i P|^2
    |v_i - v_j|^2 - 2 k s^2                                   for |(z_i - z_j) P|^2, with variance 8 s^2 |(z_i - z_j) P|^2 + 8 k s^4
    |v_i - z P|^2 - k s^2                                     for a public row z,    with variance 4 s^2 |(z_i - z) P|^2 + 2 k s^4

If P was drawn with independent N(0, 1/k) entries, these estimate lengths of z itself, to a relative error of (2/k)^{1/2}. Debiased squared distances
may be negative: that says that the noise is larger than the distance. Subtracting a constant does not change who is nearest, so neighbours are found
by the noisy distances; `distance_errors` tells how far to trust them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from discreet.consumers.base import Line, new_rows, numbers_of, open_release, row_noise, rows_of, with_targets
from discreet.consumers.ridge import NoisyRidge
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.frameless import Frameless
from discreet.core.short import short_repr
from discreet.core.validate import not_negative
from discreet.queries import Projection, Target
from discreet.releases import Kind, PublishedRelease

_BLOCK = 1024


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProjectedRows(metaclass=Frameless):
    """Released projected rows with their public description."""

    values: Floats
    """(n, k)."""
    projection: Floats
    """P, (d, k)."""
    noise_variance: float
    """s^2."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Refuse shapes that do not go together."""
        object.__setattr__(self, "values", rows_of(self.values))
        object.__setattr__(self, "projection", rows_of(self.projection))
        object.__setattr__(self, "noise_variance", not_negative(self.noise_variance, "noise_variance"))
        if self.values.shape[1] != self.projection.shape[1]:
            raise InvalidInput(f"rows of {self.values.shape[1]} numbers do not come from a projection to {self.projection.shape[1]}.")

    @classmethod
    def from_release(cls, release: PublishedRelease | str | Path) -> Self:
        """From a released folder: projected rows, or rows whose noise has one scale (P is then the identity). Exact targets are left out."""
        found = open_release(release, Kind.PROJECTED_ROWS, Kind.ROWS)
        if found.noise_variance is None:
            raise InvalidInput("distances between rows need noise of one public size in all columns, which this release does not have.")
        values = found.features()
        projection = np.eye(values.shape[1]) if found.projection is None else np.asarray(found.projection)
        return cls(values=values, projection=projection, noise_variance=found.noise_variance)

    def project(self, X: Any) -> Floats:
        """Public rows (m, d) in the coordinates of the release, (m, k), without noise."""
        return new_rows(X, len(self.projection)) @ self.projection

    def inner_products(self) -> Floats:
        """Inner products (n, n), unbiased for those of the projected rows, including the diagonal."""
        products = self.values @ self.values.T
        products[np.diag_indices_from(products)] -= self._share
        return products

    def squared_norms(self) -> Floats:
        """Squared norms (n,), unbiased."""
        return np.square(self.values).sum(axis=1) - self._share

    def squared_distances(self) -> Floats:
        """Squared distances (n, n), unbiased; zero on the diagonal."""
        lengths = np.square(self.values).sum(axis=1)
        distances = lengths[:, np.newaxis] + lengths - 2.0 * (self.values @ self.values.T) - 2.0 * self._share
        np.fill_diagonal(distances, 0.0)
        return distances

    def squared_distances_to(self, X: Any) -> Floats:
        """Squared distances (m, n) from public rows (m, d) to the records, unbiased."""
        rows = self.project(X)
        lengths = np.square(rows).sum(axis=1)[:, np.newaxis] + np.square(self.values).sum(axis=1)
        return lengths - 2.0 * (rows @ self.values.T) - self._share

    def distance_errors(self, squared: Floats, *, public: bool = False) -> Floats:
        """Standard deviations of estimated squared distances near `squared`; set `public` if one row of the pair has no noise."""
        factor, width = (1.0, self.values.shape[1]) if public else (2.0, self.values.shape[1])
        noise = factor * self.noise_variance
        return np.sqrt(4.0 * noise * np.maximum(squared, 0.0) + 2.0 * width * noise**2)

    def nearest(self, X: Any, *, neighbours: int = 1) -> npt.NDArray[np.int64]:
        """Indices (m, neighbours) of the released rows nearest to public rows (m, d), nearest first."""
        rows = self.project(X)
        if isinstance(neighbours, bool) or not 1 <= neighbours <= len(self.values):
            raise InvalidInput(f"neighbours must be from 1 to the {len(self.values)} released rows; {neighbours!r} was given.")
        half = 0.5 * np.square(self.values).sum(axis=1)
        found = [
            np.argsort(half - part @ self.values.T, axis=1, kind="stable")[:, :neighbours] for part in np.array_split(rows, -(-len(rows) // _BLOCK))
        ]
        return np.concatenate(found)

    @property
    def _share(self) -> float:
        return self.values.shape[1] * self.noise_variance


def projected_targets(release: PublishedRelease) -> tuple[Floats, Floats, float]:
    """Projected rows (n, k), targets (n,) in the domain's units, and the variance of the noise on them.

    Raises InvalidInput where the release has no targets, or has them mixed into its columns.
    """
    rows, targets = with_targets(release)
    weight = release.query.weight if isinstance(release.query, Projection) else 1.0
    noise = 0.0 if release.target is Target.CLEAR else float(release.noise_covariance[-1, -1])
    return rows, targets / weight, noise / weight**2


@dataclass(kw_only=True, eq=False, repr=False)
class ProjectedRidge(Line):
    """Linear regression in projected coordinates: NoisyRidge of the targets on v, whose noise is s^2 I.

    The best linear predictor of y from x P differs from that from x: it is least squares among coefficients P t. `coef_` = P t is for the original
    columns. Targets are exact, or have their own noise beside the projection.

    Parameters: `projection` (d, k), None for rows without projection, `noise_variance` s^2, `target_noise`, `ridge`,
    `fit_intercept`, `records` as in NoisyRidge.
    Attributes: `coef_` (d,), `intercept_`, `inner_` the fitted NoisyRidge, `n_features_in_`.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import ProjectedRidge
    >>> draw = np.random.default_rng(0)
    >>> projection = np.array([[0.6], [0.8]])
    >>> rows = draw.standard_normal((20_000, 2))
    >>> released = rows @ projection + 0.5 * draw.standard_normal((20_000, 1))
    >>> y = rows @ [1.2, 1.6]
    >>> ProjectedRidge(projection=projection, noise_variance=0.25).fit(released, y).coef_.round(1)
    array([1.2, 1.6])
    """

    projection: Any = None
    noise_variance: float = 0.0
    target_noise: float = 0.0
    ridge: float = 0.0
    fit_intercept: bool = True
    records: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """From released projected rows X (n, k) and targets (n,). Raises InvalidInput for invalid arguments."""
        rows = self._learnt_from(X)
        made = ProjectedRows(values=rows, projection=self._projection(rows.shape[1]), noise_variance=self.noise_variance)
        return self._fit(made, numbers_of(self._targets(y, len(rows)), "y"), self.target_noise, len(rows))

    def fit_release(self, release: PublishedRelease | str | Path) -> Self:
        """Fit from a released folder of projected rows with exact or noisy targets; projection and noise are read from it."""
        found = open_release(release, Kind.PROJECTED_ROWS)
        rows, targets, target_noise = projected_targets(found)
        self._learnt_from(rows)
        return self._fit(ProjectedRows.from_release(found), targets, target_noise, found.records)

    def _projection(self, columns: int) -> Any:
        return np.eye(columns) if self.projection is None else self.projection

    def _fit(self, made: ProjectedRows, targets: Floats, target_noise: float, records: int | None) -> Self:
        inner = NoisyRidge(
            feature_noise=made.noise_variance, target_noise=target_noise, ridge=self.ridge, fit_intercept=self.fit_intercept, records=self.records
        )
        noise = row_noise(made.noise_variance, target_noise, None, made.values.shape[1])
        # Not `fit`, which takes every row for a record: with slots some are zeros.
        self.inner_ = inner._fit(inner._learnt_from(made.values), targets, noise, records)  # noqa: SLF001 - of this package
        self.coef_, self.intercept_ = made.projection @ inner.coef_, inner.intercept_
        if len(made.projection) != self.n_features_in_:  # rows to predict for have the records' columns, whose names nobody told
            self._learnt_from(np.zeros((2, len(made.projection))))
        return self
