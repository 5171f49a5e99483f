"""Classifiers of projected rows  v = x P + e, e of covariance s^2 I on k columns, P public, labels in clear.

A line on v, fitted as on any rows of known noise (module `noisy_classifiers`), is the line P t on x: `coef_` is for the records' columns. Among such
coefficients alone it is found, so a boundary w is seen through P. With independent N(0, 1/k) entries of P

    <x P, w P> = <x, w> + error,      E error = 0,   E error^2 = (|x|^2 |w|^2 + <x, w>^2) / k

(moments of a Wishart matrix): a score of size |x| |w| is off by (2/k)^{1/2} of itself at most, whatever the number of columns.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from discreet.consumers.base import open_release
from discreet.consumers.noisy_classifiers import NoisyLinearSVC, NoisyLogisticRegression
from discreet.consumers.projected import ProjectedRows
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.matrices import answers_per_record
from discreet.queries import Target
from discreet.releases import Kind, PublishedRelease


@dataclass(kw_only=True, eq=False, repr=False)
class _Lifted:
    """A classifier of projected rows whose coefficients are for the records' own columns."""

    coef_: Floats = field(init=False)

    projection: Any = None

    def fit_release(self, release: PublishedRelease | str | Path) -> Self:
        """From a released folder of projected rows with labels in clear: projection and noise are read from it."""
        found = open_release(release, Kind.PROJECTED_ROWS)
        targets = found.targets()
        if found.target is not Target.CLEAR or targets is None:
            raise InvalidInput(
                "this classifier needs labels without noise. For noisy labels, use ProjectedNearestMeans, or the sign of ProjectedRidge."
            )
        made = ProjectedRows.from_release(found)
        self._learnt_from(made.values)  # type: ignore[attr-defined]
        return self._lifted(made, targets, made.noise_variance * np.eye(made.values.shape[1]))

    def _fit(self, rows: Floats, labels: npt.NDArray[Any], noise: Floats, *, normal: bool) -> Self:  # noqa: ARG002 - projected noise is normal
        projection = np.eye(rows.shape[1]) if self.projection is None else self.projection
        return self._lifted(ProjectedRows(values=rows, projection=projection, noise_variance=0.0), labels, noise)

    def _lifted(self, made: ProjectedRows, labels: npt.NDArray[Any], noise: Floats) -> Self:
        super()._fit(made.values, labels, noise, normal=True)  # type: ignore[misc]
        self.coef_ = (made.projection @ self.coef_[0])[np.newaxis]
        if self.projection is not None or made.values.shape[1] != len(made.projection):
            self._learnt_from(np.zeros((2, len(made.projection))))  # type: ignore[attr-defined]
        return self


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class ProjectedLogisticRegression(_Lifted, NoisyLogisticRegression):
    """Logistic regression from projected rows, with coefficients P t for the original columns; the module explains what is lost.

    Parameters and attributes as in NoisyLogisticRegression: `feature_noise` is that of the projected columns, and

    projection : P, (d, k); None for rows without projection.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import ProjectedLogisticRegression
    >>> draw = np.random.default_rng(0)
    >>> projection = np.array([[0.6], [0.8]])
    >>> rows = draw.standard_normal((20_000, 2))
    >>> released = rows @ projection + 0.5 * draw.standard_normal((20_000, 1))
    >>> y = np.where(rows @ [0.6, 0.8] > 0, "yes", "no")
    >>> ProjectedLogisticRegression(projection=projection, feature_noise=0.25).fit(released, y).predict([[1.0, 1.0], [-1.0, -1.0]])
    array(['yes', 'no'], dtype='<U3')
    """


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class ProjectedLinearSVC(_Lifted, NoisyLinearSVC):
    """A support vector machine from projected rows, with coefficients P t for the original columns; the module explains what is lost.

    Parameters and attributes as in NoisyLinearSVC: `feature_noise` is that of the projected columns, and

    projection : P, (d, k); None for rows without projection.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import ProjectedLinearSVC
    >>> draw = np.random.default_rng(0)
    >>> projection = np.array([[0.6], [0.8]])
    >>> rows = draw.standard_normal((20_000, 2))
    >>> released = rows @ projection + 0.5 * draw.standard_normal((20_000, 1))
    >>> y = np.where(rows @ [0.6, 0.8] > 0, "yes", "no")
    >>> ProjectedLinearSVC(projection=projection, feature_noise=0.25).fit(released, y).predict([[1.0, 1.0], [-1.0, -1.0]])
    array(['yes', 'no'], dtype='<U3')
    """
