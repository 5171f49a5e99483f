"""Second moments without the noise that was added, and kept positive definite.

    M = W - c Sigma,     W the second moments of N released rows, c Sigma what their noise added on average        E M = that of the records

M need not be positive definite: noise moves it. In units of the noise (x -> Sigma^{-1/2} x) the second moments of N rows of noise on d numbers lie
within 2 sqrt(N d) + d of N I (Davidson and Szarek 2001, up to a deviation), and their products with a direction of squared length v add up to
2 sqrt(d v). So along the eigenvector of M with eigenvalue v nothing below

    nu(v) = 2 sqrt(N d) + d + 2 sqrt(d max(v, 0))

can be told from zero, and eigenvalues below (3/4) nu(v) are raised to it. The floor is a function of released and public numbers only. Where every
eigenvalue is above it nothing is changed, so the estimates are consistent; where noise drowns a direction, its coefficient is shrunk and not blown
up. Three quarters was chosen in simulation, among floors, ridges and the rule of Fuller (1987): docs/consumers.md says how they compare.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.solvers import NoisyMatrix

SHARE = 0.75
"""Of nu(v)."""
_JITTER = 1e-9
"""Of the mean variance of the noise, added where noise is compared with noise-free directions."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spectrum:
    """M and W in units of the noise: M = B diag(values) B', Sigma = B B' (up to a billionth), and the values that are used instead."""

    basis: Floats
    """B, (d, d)."""
    values: Floats
    """(d,), ascending."""
    floored: Floats
    """(d,)."""
    released: Floats
    """Those of W, (d,)."""

    @property
    def raised(self) -> int:
        """How many directions noise drowned."""
        return int(np.sum(self.floored > self.values))

    def matrix(self) -> Floats:
        """The positive definite matrix that is used for M."""
        return (self.basis * self.floored) @ self.basis.T

    def errors(self, remainder: AnyFloats, *, ridge: float, rows: int, deviations: float) -> AnyFloats | None:
        """Covariance of (M + ridge I)^{-1} b - theta, where b - (M + ridge I) theta has covariance `remainder` at the solution, (d, d).

        M is the sum over `rows` released rows, so it is noisy itself (module `solvers.noisy_equations`); `deviations` of the interval that is wanted.
        None where noise drowns a direction: what was raised is a guess whose error is not known, and it may reach every coefficient.
        """
        if self.raised:
            return None
        matrix = (self.basis * self.values) @ self.basis.T + ridge * np.eye(len(self.basis))
        released = (self.basis * self.released) @ self.basis.T
        noisy = bool(np.any(self.released != self.values))
        known = NoisyMatrix(matrix=matrix, variance=1.0 / rows if noisy else 0.0, metric=released if noisy else None)
        found = known.errors(remainder, deviations=deviations)
        return None if found is None else found[0]

    def transport(self) -> Floats:
        """T with T' W T = `matrix()`: symmetric in units of the noise, the identity where there is none."""
        inverse = np.linalg.inv(self.basis)
        shrinking = np.sqrt(self.floored / self.released)
        return np.asarray((inverse.T * shrinking) @ self.basis.T)


def spectrum(second_moments: Floats, noise: Floats, *, removed: float, rows: int) -> Spectrum:
    """Of M = second_moments - removed * noise, all (d, d); `rows` is N. Raises InvalidInput where rows are too few to be noisy at all."""
    size = len(noise)
    scale = float(np.trace(noise)) / size
    if scale == 0.0:
        values, vectors = np.linalg.eigh(second_moments)
        if not values[0] > 1e-12 * max(values[-1], 1e-300):
            raise InvalidInput("the rows have no noise and their columns are collinear: drop columns, or give a noise that is positive.")
        return Spectrum(basis=vectors, values=values, floored=values, released=values)
    metric = noise + _JITTER * scale * np.eye(size)
    values, vectors = eigh(second_moments - removed * noise, metric)
    floors = SHARE * (2.0 * np.sqrt(rows * size) + size + 2.0 * np.sqrt(size * np.maximum(values, 0.0)))
    return Spectrum(basis=np.asarray(metric @ vectors), values=values, floored=np.maximum(values, floors), released=values + removed)
