"""Least squares and ridge from a sketch: k released rows, independent N(0, G), G = Z'Z + sigma^2 D, Z = [X, y] the records.

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
from typing import Self

import numpy as np

from discreet.consumers.base import NoisyRegression, RowNoise, deviations, feature_covariance, not_negative, records_of
from discreet.consumers.corrected import spectrum
from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.releases import Kind


@dataclass(kw_only=True, eq=False, repr=False)
class SketchRidge(NoisyRegression):
    """Linear regression from a published sketch.

    Parameters
    ----------
    noise_variance : sigma^2, public; the same for all features.
    target_noise : of the target's column; None for sigma^2, 0 for a target sketched without noise.
    debias : whether to take sigma^2 I out of the second moments (least squares), or to leave it in (ridge; exact intervals).
    ridge : added to the second moments of the records, >= 0.
    records : the number of records where it is public, for intervals about targets; None where it is not.

    Attributes
    ----------
    coef_ : (d,); intercept_ : 0.
    standard_errors_ : (d,), about these records' own least squares or, with debias=False, their ridge. The sampling of records is not in a sketch.
        Infinite where `drowned_` is positive, or noise on the second moments leaves coefficients open: nothing is known then, whatever `coef_` says.
    degrees_ : of Student's t with debias=False, k - d; infinity otherwise.
    drowned_ : how many directions were raised to the noise floor.
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
        self.coef_, self.intercept_, self.n_features_in_ = coefficients, 0.0, size
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
