"""Least squares and ridge from released second moments: any column on any others (modules `moments` and `solvers.noisy_equations`).

    theta = (A~ + ridge I)^{-1} b~        A~ and b~ the blocks of M~ for (1, features) and the target; the constant is not penalised

b~ - A~ theta = E a + what the records leave, a = -theta on (1, features) and 1 on the target, so its covariance by noise is (a'N a) N + N a a'N, by
the sampling of records with residuals of one variance v, v A. Where the number of records is exact, E_11 = 0, the constant's variance is less by
2 (N_11 a_1)^2. Noise on A~ is counted in intervals. Eigenvalues that noise could have made are raised (`drowned_`): what a coefficient is along such
a direction no release tells, and intervals are then the whole line.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from discreet.consumers.base import UncertainLine, deviations, numbers_of
from discreet.consumers.moments import ReleasedMoments, raised
from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import not_negative
from discreet.releases import PublishedRelease
from discreet.solvers import NoisyMatrix


@dataclass(kw_only=True, eq=False, repr=False)
class MomentsRidge(UncertainLine):
    """Linear regression from released second moments.

    Parameters
    ----------
    target : the column to predict; None for the release's target.
    features : names of the columns to predict it from; None for all except the target, with each categorical column relative to its first category.
    ridge : added to the diagonal of the features' second moments, >= 0; 0 is least squares.
    fit_intercept : whether to fit an intercept.

    Attributes
    ----------
    coef_, intercept_ : (d,) and a number, in encoded units; 0 for a first category.
    standard_errors_, noise_standard_errors_ : (d,), for the population (with constant variance around the line) and for these records; infinite if
        `drowned_` is positive.
    residual_variance_ : variance of targets around the line.
    drowned_ : the number of feature directions that were raised to the noise floor.
    columns_ : names of the features, d of them, in the order of `predict`.
    n_features_in_ : d.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import MomentsRidge
    >>> x = np.linspace(-1, 1, 100).reshape(-1, 1)
    >>> MomentsRidge().fit(x, 2.0 * x[:, 0]).coef_.round(6)  # public rows, without noise
    array([2.])
    """

    residual_variance_: float = field(init=False)
    noise_standard_errors_: Floats = field(init=False)
    standard_errors_: Floats = field(init=False)
    drowned_: int = field(init=False)
    columns_: tuple[str, ...] = field(init=False)

    target: str | None = None
    features: Sequence[str] | None = None
    ridge: float = 0.0
    fit_intercept: bool = True

    def fit(self, X: Any, y: Any) -> Self:
        """Fit from public rows X (n, d) and targets y (n,): the same line, without noise. Column names are not used."""
        rows = self._learnt_from(X)
        return self._fit(ReleasedMoments.of_rows(rows, numbers_of(self._targets(y, len(rows)), "y")), None, None)

    def fit_release(self, release: PublishedRelease | ReleasedMoments | str | Path) -> Self:
        """Fit from a released folder. Raises InvalidInput for another kind of release, and for unknown columns."""
        moments = release if isinstance(release, ReleasedMoments) else ReleasedMoments.of_release(release)
        return self._fit(moments, self.target, self.features)

    def _fit(self, moments: ReleasedMoments, target: str | None, features: Sequence[str] | None) -> Self:
        wanted = moments.target if target is None else target
        if wanted is None:
            raise InvalidInput("this release has no target. Name the column to predict: target='...'.")
        names = moments.chosen(features, without=[wanted])
        kept = np.array([features is not None or name not in moments.references for name in names])
        head, ridge = int(bool(self.fit_intercept)), not_negative(self.ridge, "ridge")
        used = [0] * head + [moments.place(name) for name, one in zip(names, kept, strict=True) if one]
        place, noise = moments.place(wanted), moments.noise[used]
        penalty = np.diag([0.0] * head + [ridge] * (len(used) - head))
        system = raised(moments.matrix[np.ix_(used, used)], noise)
        right = moments.matrix[used, place]
        theta = np.asarray(np.linalg.solve(system.used + penalty, right), dtype=np.float64)
        count = moments.count
        left = float(moments.matrix[place, place] - 2.0 * theta @ right + theta @ system.matrix @ theta)
        spread = max(0.0, left) / max(1.0, count - len(used))
        known = _known(system.used + penalty, noise)
        by_noise = known.met(theta) + np.diag(noise) * moments.noise[place]
        if head and moments.exact_count:
            by_noise[0, 0] -= 2.0 * (noise[0] * theta[0]) ** 2
        errors = _Errors(known=None if system.raised else known, remainder=by_noise + spread * system.used, kept=kept, head=head)
        self.coef_ = np.zeros(len(names))
        self.coef_[kept] = theta[head:]
        self.intercept_ = float(theta[0]) if head else 0.0
        self.n_features_in_, self.columns_, self.degrees_ = len(names), names, np.inf
        self._errors, self._target_variance, self.residual_variance_ = errors, spread, spread
        self._centre, self._centre_variance = errors.turning_point()
        self.standard_errors_, self.noise_standard_errors_ = errors.of_each(), replace(errors, remainder=by_noise).of_each()
        self.drowned_ = system.raised
        return self


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Errors:
    """How far coefficients may be off."""

    known: NoisyMatrix | None
    """The equations' matrix and its noise; None where noise drowns a direction."""
    remainder: AnyFloats
    """See NoisyMatrix; of the constant, where there is one, and of the coefficients that were fitted."""
    kept: npt.NDArray[np.bool_]
    """(d,), which these are."""
    head: int
    """1 where there is a constant, else 0."""

    def __call__(self, *, deviations: float) -> AnyFloats | None:
        """Their covariance (d, d), zeros for others, for intervals of so many deviations; None where nothing is known."""
        found = self._fitted(deviations)
        if found is None:
            return None
        whole = np.zeros((len(self.kept), len(self.kept)))
        whole[np.ix_(self.kept, self.kept)] = found[self.head :, self.head :]
        return whole

    def of_each(self) -> Floats:
        """(d,); 0 for coefficients that were not fitted."""
        return np.where(self.kept, deviations(np.eye(len(self.kept)), self(deviations=1.0)), 0.0)

    def turning_point(self) -> tuple[Floats, float]:
        """The point where the line's error does not depend on its slope, (d,), and the variance there."""
        centre, found = np.zeros(len(self.kept)), self._fitted(1.0)
        if found is None or not self.head:
            return centre, np.inf if self.head else 0.0
        across = found[0, 1:]
        centre[self.kept] = -np.linalg.lstsq(found[1:, 1:], across, rcond=None)[0]
        return centre, max(0.0, float(found[0, 0] + across @ centre[self.kept]))

    def _fitted(self, wide: float) -> AnyFloats | None:
        found = None if self.known is None else self.known.errors(self.remainder, deviations=wide)
        return None if found is None else found[0]


def _known(matrix: Floats, noise: Floats) -> NoisyMatrix:
    """The equations' matrix and the law of its noise; a number without noise counts as one with a millionth of the others'."""
    if not np.any(noise > 0):
        return NoisyMatrix(matrix=matrix, variance=0.0)
    return NoisyMatrix(matrix=matrix, variance=1.0, metric=np.diag(np.where(noise > 0, noise, np.max(noise) * 1e-6)))
