"""Least squares and ridge on noisy rows: errors in variables with known noise.

Released are x_i + e_i and y_i + u_i, (e, u) of covariance Sigma. Ordinary least squares on them shrinks coefficients towards zero, by
(A + n Sigma_xx)^{-1} A where A = X'X, and mixes them. Here

    coefficients = (A^ + ridge I)^{-1} b^,    A^ = X~'X~ - c Sigma_xx made positive definite (module `corrected`),   b^ = X~'y~ - c Sigma_xy

c = n; n - 1 where an intercept is fitted by centring. E A^ = A up to the floor, E b^ = X'y: as n grows the coefficients approach those of least
squares on the records (Fuller 1987, section 2.2). Errors to first order, with a = (-coefficients, 1), r_i the residual of released row i, H the
inverse above:

    standard_errors_         H B H,  B = sum psi_i psi_i',  psi_i = x~_i r_i - (Sigma a)_x        for the population: sampling and noise
    noise_standard_errors_   H V H,  V = (a'Sigma a) X~'X~ + R Sigma_xx + n (Sigma a)_x (Sigma a)_x'    for these records: what noise leaves open

(R = sum r_i^2 - c a'Sigma a, the records' own residuals; V holds for normal noise.) A^ is as noisy as b^: the sum of psi_i has mean zero at the true
coefficients only, and the noise that it has for others is counted (module `solvers.noisy_equations`). `drowned_` says how many directions were raised
to the floor. That biases coefficients by what the release does not tell: then all standard errors are infinite, and intervals the whole line.

Rows of zeros with noise (`slots` under add-remove) add noise only: c counts them, and centring needs the number of records.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np

from discreet.consumers.base import NoisyRegression, RowNoise, deviations, not_negative, records_of, row_noise
from discreet.consumers.corrected import spectrum
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.releases import Kind

_BLOCK = 4096


@dataclass(kw_only=True, eq=False, repr=False)
class NoisyRidge(NoisyRegression):
    """Linear regression from released rows whose noise is known.

    Parameters
    ----------
    feature_noise : variance of the noise on every feature, (d,) variances, or its (d, d) covariance; 0 for none.
    target_noise : variance of the noise on targets, 0 where they are in clear.
    cross_noise : (d,) covariances of the noise on features with that on the target, or None.
    ridge : added to the diagonal of the corrected second moments, >= 0; 0 is least squares.
    fit_intercept : whether to centre. Needs the number of records: that of the rows, unless `records` says otherwise.
    records : the public number of records, where some rows are not records (releases under add-remove); None: all rows are.

    Attributes
    ----------
    coef_, intercept_ : (d,) and a number.
    standard_errors_, noise_standard_errors_ : (d,), of the coefficients; infinite where `drowned_` is positive; see the module.
    residual_variance_ : of targets around the line, noise taken out; None where the number of records is not public.
    drowned_ : how many directions of the features were raised to the noise floor.
    n_features_in_ : d.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import NoisyRidge
    >>> draw = np.random.default_rng(0)
    >>> x = draw.standard_normal((20_000, 1))
    >>> released = x + draw.standard_normal((20_000, 1))
    >>> NoisyRidge(feature_noise=1.0).fit(released, 2.0 * x[:, 0]).coef_.round(1)
    array([2.])
    """

    _kind = Kind.ROWS
    residual_variance_: float | None = field(init=False)
    noise_standard_errors_: Floats = field(init=False)
    standard_errors_: Floats = field(init=False)
    drowned_: int = field(init=False)

    feature_noise: Any = 0.0
    target_noise: float = 0.0
    cross_noise: Any = None
    ridge: float = 0.0
    fit_intercept: bool = True
    records: int | None = None

    def _noise(self, dimension: int) -> RowNoise:
        return row_noise(self.feature_noise, self.target_noise, self.cross_noise, dimension)

    def _fit(self, rows: Floats, targets: Floats, noise: RowNoise, records: int | None) -> Self:
        count, size = rows.shape
        records = records_of(self.records, records)
        if self.fit_intercept and records is None:
            raise InvalidInput("an intercept needs the number of records, which this release keeps secret: give records, or fit_intercept=False.")
        ridge = not_negative(self.ridge, "ridge")
        known = float(records or 1)
        mean = rows.sum(axis=0) / known if self.fit_intercept else np.zeros(size)
        level = float(targets.sum()) / known if self.fit_intercept else 0.0
        removed = count - count / known if self.fit_intercept else float(count)
        square = rows.T @ rows - known * np.outer(mean, mean)
        product = rows.T @ targets - known * level * mean - removed * noise.cross
        found = spectrum(square, noise.features, removed=removed, rows=count)
        inverse = np.linalg.inv(found.matrix() + ridge * np.eye(size))
        coefficients: Floats = inverse @ product
        along, drift = noise.of_residual(coefficients)
        rest = level - float(mean @ coefficients)
        meat, energy = _meat(rows, targets, coefficients, mean, rest)
        left = max(0.0, energy - known * rest**2 - removed * along)
        inner = along * square + left * noise.features + count * np.outer(drift, drift)
        self.coef_, self.intercept_, self.n_features_in_ = coefficients, rest, size
        self._errors, self._centre, self.degrees_ = partial(found.errors, meat, ridge=ridge, rows=count), mean, np.inf
        axes = np.eye(size)
        self.standard_errors_ = deviations(axes, self._errors(deviations=1.0))
        self.noise_standard_errors_ = deviations(axes, found.errors(inner, ridge=ridge, rows=count, deviations=1.0))
        self.residual_variance_ = self._target_variance = None if records is None else left / max(1.0, known - size - self.fit_intercept)
        self._centre_variance = (left + count * along) / known**2 if self.fit_intercept else 0.0
        self.drowned_ = found.raised
        return self


def _meat(rows: Floats, targets: Floats, coefficients: Floats, mean: Floats, rest: float) -> tuple[Floats, float]:
    """Sum of psi psi' around their mean, and of squared residuals (before centring); with centring psi is the influence of a row on its sums."""
    size = len(coefficients)
    total, squares, energy = np.zeros(size), np.zeros((size, size)), 0.0
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        residuals = targets[start : start + _BLOCK] - part @ coefficients
        influence = part * (residuals - rest)[:, np.newaxis] - np.outer(residuals, mean)
        total += influence.sum(axis=0)
        squares += influence.T @ influence
        energy += float(residuals @ residuals)
    return squares - np.outer(total, total) / len(rows), energy
