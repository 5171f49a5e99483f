"""What floating-point arithmetic costs a Gaussian sketch (proof note sketch.md, section 3).

Ideal: k rows G M', M M' = A = Z'Z + v I exactly, G normal. Computed: k rows of fl(G~ L'), L a floating-point Cholesky factor.

    relative      (1 - eta) A <= L L' <= (1 + eta) A,    eta = 12 (m + 3) u T / floor           T >= tr A, floor <= the least eigenvalue of A
                  so the laws of G L' and of G M' are (closeness, e^-100)-indistinguishable, with a = eta / (1 - eta),
                  closeness = a (sqrt(100 k m) + 100) + k m a^2 / 2
    absolute      |fl(G~ L') - G L'|_F <= radius = 1.02 sqrt(k m) 37 (2^-48 + (m + 4) u) sqrt(T)

(u = 2^-53.) The relative error is charged to epsilon; the radius is hidden by the last stage, exact integers on a grid (residual_stage.md). The
factor is checked against A when it is drawn: what cannot be certified is not released. A itself is exact (queries/second_moments.py).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh

from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure, quietly
from discreet.core.rounding import raising
from discreet.noise import Integers
from discreet.noise.stated import NORMAL_ERROR, NORMAL_LIMIT

UNIT = 2.0**-53
_LARGEST_ETA = 2.0**-10
_TAIL = 100.0
CLOSENESS_DELTA = 1e-43
"""More than e^-100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """Public bounds of the errors of one sketch; all numbers in units of q, or of q^2."""

    rows: int
    """k."""
    columns: int
    """m."""
    trace: float
    """T."""
    floor: float
    """A public lower bound of the least eigenvalue of A."""

    @property
    def eta(self) -> float:
        """Of the module docstring."""
        return 12.0 * (self.columns + 3) * UNIT * self.trace / self.floor

    @property
    def closeness(self) -> float:
        """The epsilon between the computed law and the ideal one; infinity where the factorisation could break down."""
        if not self.eta <= _LARGEST_ETA:
            return math.inf
        size, share = self.rows * self.columns, self.eta / (1.0 - self.eta)
        return (share * (math.sqrt(_TAIL * size) + _TAIL) + 0.5 * size * share**2) * raising(4_096)

    @property
    def radius(self) -> float:
        """The distance of a computed sketch from G L'."""
        return 1.02 * math.sqrt(self.rows * self.columns) * NORMAL_LIMIT * (NORMAL_ERROR + (self.columns + 4) * UNIT) * math.sqrt(self.trace)

    def factor(self, moments: Integers, variance: int) -> Floats:
        """L, lower triangular, of moments + variance I. Raises SolverFailure where the bound of eta cannot be certified."""
        matrix = shifted(moments, variance)
        lower: Floats = quietly(lambda: cholesky(matrix, lower=True), SolverFailure(FAILURE), LinAlgError)
        if not float(np.linalg.norm(lower @ lower.T - matrix)) <= 6.0 * (self.columns + 3) * UNIT * self.trace:
            raise SolverFailure(FAILURE)
        return lower

    def least_eigenvalue(self, moments: Integers) -> float:
        """That of `moments`, within `eigenvalue_error`. Raises SolverFailure where this cannot be certified."""
        matrix = shifted(moments, 0)
        values, vectors = eigh(matrix)
        residual = float(np.linalg.norm(matrix @ vectors - vectors * values))
        skew = float(np.linalg.norm(vectors.T @ vectors - np.eye(len(values))))
        if not residual + 3.0 * skew * float(np.max(np.abs(values))) <= 0.5 * self.eigenvalue_error:
            raise SolverFailure(FAILURE)
        return float(values[0])

    @property
    def eigenvalue_error(self) -> float:
        """How far a computed eigenvalue may be from the exact one: half is checked, half covers the check's own rounding."""
        return 200.0 * (self.columns + 3) * UNIT * self.trace


def shifted(moments: Integers, variance: int) -> Floats:
    """moments + variance I, each entry rounded once."""
    matrix = moments.copy()
    matrix[np.diag_indices_from(matrix)] += variance
    return matrix.astype(np.float64)


FAILURE = (
    "the second moments could not be factorised as exactly as the proof needs; raise the noise, or lower most_records. The budget counts as spent."
)
