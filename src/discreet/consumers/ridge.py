"""Least squares and ridge on noisy rows (errors in variables with known noise), and from a sketch.

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

From a sketch: k released rows, independent N(0, G), G = Z'Z + sigma^2 D, Z = [X, y] the records.

With W the second moments of the k rows, exactly Wishart (G, k):

    debias=False   W_xx^{-1} W_xy estimates G_xx^{-1} G_xy = (X'X + sigma^2 I)^{-1} X'y: ridge on the records with the public penalty sigma^2.
                   Released rows are a Gaussian sample, so Student's t is exact: (estimate - ridge)_j ~ s ((W_xx^{-1})_jj)^{1/2} t_{k-d}
    debias=True    (W_xx - k sigma^2 I)^{-1} W_xy, the first matrix kept positive definite (module `corrected`), estimates least squares on the
                   records. To first order its covariance is H V H, V = (a'Wa / k) W_xx + k sigma^4 c c', a = (-c, 1), c the coefficients; noise on H
                   is counted (module `solvers.noisy_equations`), and where it drowns a direction, intervals are the whole line

The first has less variance, and a bias that is known in form; the second is consistent as k grows. Which is nearer to the records' least squares
depends on sigma^2 against the eigenvalues of X'X. A sketch holds second moments about zero, so there is no intercept: centre records by public
numbers before they are sketched, or include a constant feature.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np

from discreet.consumers.base import NoisyRegression, RowNoise, deviations, feature_covariance, records_of, row_noise
from discreet.consumers.corrected import spectrum
from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import not_negative
from discreet.releases import Kind

_BLOCK = 4096


@dataclass(kw_only=True, eq=False, repr=False)
class NoisyRidge(NoisyRegression):
    """Linear regression from released rows with known noise.

    Parameters
    ----------
    feature_noise : variance of the noise on every feature, (d,) variances, or its (d, d) covariance; 0 for none.
    target_noise : variance of the noise on targets; 0 for exact targets.
    cross_noise : (d,) covariances between the noise on features and the noise on the target, or None.
    ridge : added to the diagonal of the corrected second moments, >= 0; 0 is least squares.
    fit_intercept : whether to centre. This needs the number of records: the number of rows, unless `records` is given.
    records : the public number of records, if some rows are not records (releases under add-remove, and of persons with several rows); None: all
        rows are records.

    Attributes
    ----------
    coef_, intercept_ : (d,) and a number.
    standard_errors_, noise_standard_errors_ : (d,), of the coefficients; infinite if `drowned_` is positive; see the module.
    residual_variance_ : variance of targets around the line, with the noise subtracted; None if the number of records is not public.
    drowned_ : the number of feature directions that were raised to the noise floor.
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
            raise InvalidInput("an intercept needs the number of records, which this release keeps secret. Pass records, or fit_intercept=False.")
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
        self.coef_, self.intercept_ = coefficients, rest
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


@dataclass(kw_only=True, eq=False, repr=False)
class SketchRidge(NoisyRegression):
    """Linear regression from a released sketch.

    Parameters
    ----------
    noise_variance : sigma^2, public; the same for all features.
    target_noise : variance of the noise on the target's column; None for sigma^2, 0 for a target sketched without noise.
    debias : whether to subtract sigma^2 I from the second moments (least squares), or to keep it (ridge; exact intervals).
    ridge : added to the second moments of the records, >= 0.
    records : the number of records if it is public, for intervals about targets; otherwise None. With several rows per person, the sum of the rows'
        weights: the number of persons, if each counts once.

    Attributes
    ----------
    coef_ : (d,); intercept_ : 0.
    standard_errors_ : (d,), about these records' own least squares or, with debias=False, their ridge. They do not include sampling error, which a
        sketch does not show. Infinite if `drowned_` is positive, or if noise on the second moments leaves coefficients undetermined: nothing is
        known then, whatever `coef_` is.
    degrees_ : degrees of freedom of Student's t, k - d with debias=False; infinity otherwise.
    drowned_ : the number of directions that were raised to the noise floor.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.consumers import SketchRidge
    >>> draw = np.random.default_rng(0)
    >>> rows = draw.standard_normal((5_000, 2))
    >>> sketch = draw.standard_normal((400, 5_000)) / 20.0
    >>> X, y = sketch @ rows + draw.standard_normal((400, 2)), sketch @ (rows @ [1.0, 2.0]) + draw.standard_normal(400)
    >>> SketchRidge(noise_variance=1.0).fit(X, y).coef_.round()
    array([1., 2.])
    """

    _kind = Kind.SKETCH
    standard_errors_: Floats = field(init=False)
    drowned_: int = field(init=False)

    noise_variance: float = 0.0
    target_noise: float | None = None
    debias: bool = True
    ridge: float = 0.0
    records: int | None = None

    def _noise(self, dimension: int) -> RowNoise:
        variance = not_negative(self.noise_variance, "noise_variance")
        target = variance if self.target_noise is None else not_negative(self.target_noise, "target_noise")
        return RowNoise(features=feature_covariance(variance, dimension), cross=np.zeros(dimension), target=target)

    def _fit(self, rows: Floats, targets: Floats, noise: RowNoise, records: int | None) -> Self:
        count, size = rows.shape
        if count <= size:
            raise InvalidInput(f"a sketch of {count} rows is too short for {size} features: it needs more rows than features.")
        ridge = count * not_negative(self.ridge, "ridge") * np.eye(size)
        square, product = rows.T @ rows, rows.T @ targets
        found = spectrum(square, noise.features, removed=float(count), rows=count) if self.debias else None
        inverse = np.linalg.inv((square if found is None else found.matrix()) + ridge)
        coefficients: Floats = inverse @ product
        squares = float(np.square(targets - rows @ coefficients).sum())
        plain = found is None and not np.any(ridge)
        self.degrees_ = float(count - size) if plain else np.inf
        drift = np.zeros(size) if plain else product - square @ coefficients
        inner = squares / (count - size) * square + np.outer(drift, drift) / count
        self.coef_, self.intercept_ = coefficients, 0.0
        if found is None:
            self._errors = partial(_whatever, inverse @ inner @ inverse)
        else:
            self._errors = partial(found.errors, inner, ridge=float(ridge[0, 0]), rows=count)
        self._centre, self._centre_variance = np.zeros(size), 0.0
        self.standard_errors_ = deviations(np.eye(size), self._errors(deviations=1.0))
        # The records' own squared residuals, noise taken out of all columns.
        left = max(0.0, squares / (count - size) - noise.target - float(coefficients @ noise.features @ coefficients))
        records = records_of(self.records, records)
        self._target_variance = None if records is None else left / records
        self.drowned_ = 0 if found is None else found.raised
        return self


def _whatever(covariance: AnyFloats, *, deviations: float) -> AnyFloats:  # noqa: ARG001 - the same for intervals of every width
    """Where the matrix of second moments is that of the rows, as it stands."""
    return covariance
