"""Second moments without the noise that was added, kept positive definite; and released rows moved so that they have them.

    M = W - c Sigma,     W the second moments of N released rows, c Sigma what their noise added on average        E M = that of the records

M need not be positive definite: noise moves it. In units of the noise (x -> Sigma^{-1/2} x) the second moments of N rows of noise on d numbers lie
within 2 sqrt(N d) + d of N I (Davidson and Szarek 2001, up to a deviation), and their products with a direction of squared length v add up to
2 sqrt(d v). So along the eigenvector of M with eigenvalue v nothing below

    nu(v) = 2 sqrt(N d) + d + 2 sqrt(d max(v, 0))

can be told from zero, and eigenvalues below (3/4) nu(v) are raised to it. The floor is a function of released and public numbers only. Where every
eigenvalue is above it nothing is changed, so the estimates are consistent; where noise drowns a direction, its coefficient is shrunk and not blown
up. Three quarters was chosen in simulation, among floors, ridges and the rule of Fuller (1987): docs/consumers.md says how they compare.

Moment reconstruction: released rows of a class, moved so that their mean and covariance are those of the records.

    x^_i = m_c + T_c' (x~_i - m_c),     T_c' W_c T_c = W_c - (n_c - 1) Sigma, made positive definite as above

m_c and W_c the mean and the centred second moments of the released rows of class c. T_c is symmetric in units of the noise, and the identity as the
noise vanishes: whatever is trained on x^ becomes what is trained on the records. For records that are normal within classes x^ has the records' own
law in every class, so a classifier trained on it estimates the same one (Freedman, Fainberg, Kipnis, Midthune, Carroll 2004); for others it is right
to second order. It needs labels without noise, and works for any loss: nothing has to be solved for.

What it was chosen against (docs/consumers.md): regression calibration, which moves all rows by one map and attenuates strong effects; the conditional
score of Stefanski and Carroll (1987), which is consistent for logistic models and breaks down at strong noise (it refines this one where it
holds); corrected losses, which are not convex. The expected loss that Farokhi (2020) minimises by training on noisy rows as they are is what is being
corrected: that classifier is best for NEW rows with the same noise, and wrong for rows without.

The conditional score, for logistic regression with normal noise of known covariance and features of any law, refines what moments gave. With
h_i = 1 for the second class and 0 for the first, D_i = x~_i + h_i Sigma w is sufficient for x_i at fixed (w, b), and

    P(h_i = 1 | D_i) = 1 / (1 + e^{-m_i}),   m_i = <w, D_i> + b - w'Sigma w / 2

whatever x_i is; so where the logistic model holds, sum_i (h_i - P(h_i = 1 | D_i)) (D_i, 1) has mean zero at the true (w, b). It is solved from a
start. The equations have other roots, and with noise of the size of the effects (w'Sigma w well above 4) the one that is found may be far off: so
they are used where w'Sigma w <= 4 at the start, and the root is taken if it is within half a length of the start. On weak noise it leaves a third of
what moment reconstruction leaves for skewed features (docs/consumers.md).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.optimize import root
from scipy.special import expit

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
            raise InvalidInput("the rows have no noise and their columns are collinear. Drop columns, or pass a positive noise.")
        return Spectrum(basis=vectors, values=values, floored=values, released=values)
    metric = noise + _JITTER * scale * np.eye(size)
    values, vectors = eigh(second_moments - removed * noise, metric)
    floors = SHARE * (2.0 * np.sqrt(rows * size) + size + 2.0 * np.sqrt(size * np.maximum(values, 0.0)))
    return Spectrum(basis=np.asarray(metric @ vectors), values=values, floored=np.maximum(values, floors), released=values + removed)


LARGEST = 4.0
"""Of w'Sigma w."""
_NEAR = 0.5


def reconstructed_rows(rows: Floats, codes: npt.NDArray[np.intp], noise: Floats) -> tuple[Floats, int]:
    """Moved rows (n, d), and the number of class directions that were raised to the noise floor.

    `rows` (n, d) released, `codes` (n,) classes 0 .. K - 1, `noise` (d, d) the covariance of the noise on a row. One covariance serves all classes
    where one of them has too few rows (at most 2 d). Raises InvalidInput for fewer rows than that in all.
    """
    size = rows.shape[1]
    counts = np.bincount(codes)
    centred = rows - np.stack([rows[codes == code].mean(axis=0) for code in range(len(counts))])[codes]
    moved = rows - centred
    if len(rows) - len(counts) < size + 1:
        raise InvalidInput(f"{len(rows)} released rows are too few for {size} features: at least {size + 1 + len(counts)} are needed.")
    together = bool(np.min(counts) <= 2 * size)
    drowned = 0
    for members, free in [(np.ones(len(rows), dtype=bool), len(counts))] if together else [(codes == code, 1) for code in range(len(counts))]:
        part = centred[members]
        found = spectrum(part.T @ part, noise, removed=float(len(part) - free), rows=len(part))
        moved[members] += part @ found.transport()
        drowned += found.raised
    return moved, drowned


def refined(rows: Floats, hits: Floats, noise: Floats, slopes: Floats, intercept: float) -> tuple[Floats, float]:
    """(w, b): the root near (slopes, intercept), or these themselves. `rows` (n, d) released, `hits` (n,) of 0 and 1, `noise` (d, d)."""
    if not 0 < float(slopes @ noise @ slopes) <= LARGEST:
        return slopes, intercept
    scales = rows.std(axis=0)
    scales[scales == 0] = 1.0

    def score(point: Floats) -> Floats:
        weights = point[:-1] / scales
        shift = noise @ weights
        rest = hits - expit(rows @ weights + hits * float(shift @ weights) + point[-1] - 0.5 * float(shift @ weights))
        return np.append((rest @ rows + float(rest @ hits) * shift) / scales, rest.sum()) / len(rows)

    found = root(score, np.append(slopes * scales, intercept), tol=1e-10)
    weights = np.asarray(found.x[:-1] / scales)
    length, away = (float(np.linalg.norm(one * scales)) for one in (slopes, weights - slopes))
    return (weights, float(found.x[-1])) if found.success and away <= _NEAR * length else (slopes, intercept)
