"""How far the solution of linear equations is off where their matrix is known with noise only.

    M theta = c + r + E theta'        known: M = A + E and c;   r of covariance R;   E symmetric noise, independent of r;   theta' the part of theta
                                      that the noise meets (theta minus a known point)
    Cov(E u) = h ((u'G u) G + G u u' G)     G = I: every entry off the diagonal has variance h, on it 2 h (noise of the same law in every basis);
                                            G = W / sqrt(n), h = 1: n normal rows whose second moments are W (to first order)

So z = M^{-1} a gives a'theta - z'c = z'(r + E theta'), without error by the noise in M: all of it is in E theta'. With theta' = u + error, u known,

    C = M^{-1} (R + h ((u'G u) G + G u u' G) + q^2 h (tr(C G) G + G C G)) M^{-1}

is the covariance of the error with q^2 = 1. An interval of q deviations takes q^2 = q^2: then its end is where Fieller's (1954) is, for one weight
exactly: values of theta are kept that would explain c. There is a finite C only where M stands out of its noise in every direction: in the basis
that makes G the identity and M diagonal, mu_1 .. mu_m, if all mu_i > (q^2 h)^{1/2} and q^2 h sum_i 1 / (mu_i^2 - q^2 h) < 1. Then, with S the matrix
in brackets without its last term, in that basis,

    C_ij = (S_ij + q^2 h t delta_ij) / (mu_i mu_j - q^2 h),      t = tr C = (sum_i S_ii / (mu_i^2 - q^2 h)) / (1 - q^2 h sum_i 1 / (mu_i^2 - q^2 h))

Elsewhere nothing is known, and an interval is the whole line.

Noise of this law also pushes eigenvalues apart: of M, the largest are too large. Along an eigenvector of M, A is on average

    lambda_i - 2 h sum_j (lambda_i - lambda_j) / ((lambda_i - lambda_j)^2 + h)

(Bun, Allez, Bouchaud and Potters 2016, additive noise; the sum in place of a principal value, smoothed by h). No privacy rests on any of this.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.short import short_repr


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoisyMatrix:
    """M and the law of its noise."""

    matrix: AnyFloats
    """M, (m, m), symmetric; positive definite where anything is known."""
    variance: float
    """h; 0 for a matrix without noise."""
    metric: AnyFloats | None = None
    """G, (m, m), positive definite; None is the identity."""

    __repr__ = short_repr

    def met(self, known: Floats) -> AnyFloats:
        """Cov(E u) for a known u, (m, m)."""
        along = known if self.metric is None else self.metric @ known
        size: AnyFloats = np.eye(len(known)) if self.metric is None else self.metric
        return self.variance * (float(known @ along) * size + np.outer(along, along))

    def errors(self, *remainders: AnyFloats, deviations: float) -> tuple[AnyFloats, ...] | None:
        """C for each S of `remainders` (C is linear in S), where intervals of `deviations` (q) are wanted; None where nothing is known."""
        basis, values = self._basis()
        strength = deviations**2 * self.variance
        gaps = np.square(values) - strength
        if not (values.min() > 0 and gaps.min() > 0):
            return None
        left = 1.0 - strength * float(np.sum(1.0 / gaps))
        if not left > 0:
            return None
        products = np.outer(values, values) - strength
        found = []
        for remainder in remainders:
            inside = basis.T @ remainder @ basis
            total = float(np.sum(np.diag(inside) / gaps)) / left
            inside[np.diag_indices_from(inside)] += strength * total
            found.append(basis @ (inside / products) @ basis.T)
        return tuple(found)

    def cleared(self) -> tuple[Floats, AnyFloats]:
        """What A is along the eigenvectors of M, (m,), and these, one a column, for G = I: cleared of the push, each known to (2 h)^{1/2}."""
        values, vectors = np.linalg.eigh(self.matrix)
        apart = values[:, np.newaxis] - values
        near = np.square(apart) + self.variance
        pushed = np.divide(apart, near, out=np.zeros_like(apart), where=near > 0).sum(axis=1)
        return values - 2.0 * self.variance * pushed, vectors

    def _basis(self) -> tuple[AnyFloats, Floats]:
        """T and mu with T'G T = I, T'M T = diag(mu)."""
        if self.metric is None:
            values, vectors = np.linalg.eigh(self.matrix)
            return vectors, values
        root = np.linalg.cholesky(self.metric)
        half = solve_triangular(root, self.matrix, lower=True)
        values, vectors = np.linalg.eigh(solve_triangular(root, half.T, lower=True))
        return solve_triangular(root, vectors, lower=True, trans="T"), values
