"""AdaSSP (Wang 2018, Algorithm 2) with the noise that it needs, and no more (proof note adassp.md).

    l~ = least eigenvalue of A, noisy        A~ = A + E,  b~ = b + e   one joint Gaussian answer (module `sums`, g = 0)
    ridge = max(0, sqrt(m ln(2 m^2 / 0.05)) sigma R^2 - max(0, l~ - 1.645 sd(l~)))        w = (A~ + ridge I)^{-1} b~

Wang spends epsilon / 3 and delta / 3 on each of the three, by basic composition of a bound of one Gaussian mechanism. Here they are composed as
what they are, mu^2 = S^2 / sigma^2 + (R^2 / sd(l~))^2, with a tenth of mu^2 for the eigenvalue, which decides on the ridge only. Under add-remove
noise on A is 1.25 times smaller than three exact Gaussian answers ask, and 2.0 times smaller than printed at epsilon 1.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, NoGuarantee
from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure
from discreet.core.neighbours import Neighbours
from discreet.data import Records
from discreet.mechanisms.noisy_sums import LARGEST_SCALE, composed_delta, integers, least_noise, stated
from discreet.mechanisms.regression.base import Fitted, RegressionMechanism
from discreet.mechanisms.regression.sums import UP, LeastSquares, Moments, moment_reach, moment_scales, noisy_moments
from discreet.noise import Noise
from discreet.words.regression import ADASSP

_TARGET_WEIGHT = 0.85
_SHARE = 0.1
"""Of mu^2, the eigenvalue's."""
_FAILURE = 0.05
_QUANTILE = 1.6449
_FINENESS = 2.0**-20
"""The eigenvalue's unit over R^2."""
_UNIT = 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaSSP(RegressionMechanism):
    """Noisy moments and one ridge, from a noisy least eigenvalue."""

    name = "least-squares-adassp"
    moment_noise: float
    """sigma: A~ has deviation sigma R^2 on the diagonal and sigma R^2 / sqrt 2 off it, b~ sigma R B / a."""
    target_weight: float
    """a."""
    eigenvalue_noise: float
    """The deviation of l~ over R^2."""
    epsilon: float
    """At which delta is stated."""
    neighbours: Neighbours

    @classmethod
    def calibrate(cls, problem: LeastSquares, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise for (epsilon, delta). Raises InfeasibleTarget where the integers have no room for the noise."""
        reach = moment_reach(neighbours, target_weight=_TARGET_WEIGHT, square_weight=0.0)
        return least_noise(
            lambda mu: cls(
                moment_noise=reach / (mu * math.sqrt(1.0 - _SHARE)),
                target_weight=_TARGET_WEIGHT,
                eigenvalue_noise=eigenvalue_reach(problem) / (mu * math.sqrt(_SHARE)),
                epsilon=epsilon,
                neighbours=neighbours,
            ),
            lambda made: made.delta(problem) <= delta and max(made.scales(problem)) < LARGEST_SCALE,
            epsilon=epsilon,
            delta=delta,
            problem=problem,
        )

    def delta(self, problem: LeastSquares) -> float:
        """delta at `epsilon`, an upper bound."""
        reach = moment_reach(self.neighbours, target_weight=self.target_weight, square_weight=0.0)
        mu = math.hypot(reach / self.moment_noise, eigenvalue_reach(problem) / self.eigenvalue_noise) * UP
        size = problem.domain.dimension
        integers = size * (size + 1) // 2 + size + 1
        return composed_delta(self.epsilon, mu, integers=integers, stages=2, least_scale=min(self.scales(problem)))

    def promise(self, problem: LeastSquares) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        return stated(self.epsilon, self.delta(problem), self.neighbours, ADASSP)

    def explained(self, problem: LeastSquares) -> str:
        """See RegressionMechanism."""
        radius, sigma = problem.domain.radius, self.moment_noise
        return (
            f"1. The least eigenvalue of X'X with deviation {self.eigenvalue_noise * radius**2:.4g}, for the ridge alone.\n"
            f"2. One joint Gaussian answer of X'X and X'y ({self.neighbours}): deviation {sigma * radius**2:.4g} on sums of x_j^2, "
            f"{sigma * radius * problem.domain.target_bound / self.target_weight:.4g} on sums of x_j y.\n"
            f"3. Ridge regression with at most {self.largest_ridge(problem):.4g}, less by the least eigenvalue (Wang 2018)."
        )

    def largest_ridge(self, problem: LeastSquares) -> float:
        """A bound of the norm of E that holds 95 times in 100."""
        size = problem.domain.dimension
        return math.sqrt(size * math.log(2.0 * size**2 / _FAILURE)) * self.moment_noise * problem.domain.radius**2

    def fitted(self, problem: LeastSquares, data: Records, noise: Noise) -> Fitted:
        """See RegressionMechanism."""
        least, products, targets = self.released(problem, data, noise)
        radius = problem.domain.radius
        ridge = max(0.0, self.largest_ridge(problem) - max(0.0, least - _QUANTILE * self.eigenvalue_noise * radius**2))
        shifted = products + ridge * np.eye(len(products))
        try:
            weights = np.asarray(np.linalg.solve(shifted, targets), dtype=np.float64)
        except np.linalg.LinAlgError:
            weights = np.zeros(len(products))
        return Fitted(weights, None, None)

    def released(self, problem: LeastSquares, data: Records, noise: Noise) -> tuple[float, Floats, Floats]:
        """l~, A~ (m, m), b~ (m,)."""
        exact = problem.moments(data)
        of_eigenvalue, *scales = self.scales(problem)
        unit = problem.domain.radius**2 * _FINENESS
        least = (round(least_eigenvalue(problem, exact) / unit) + int(integers(noise, of_eigenvalue, 1)[0])) * unit
        return least, *noisy_moments(problem, exact, noise, scales)

    def scales(self, problem: LeastSquares) -> tuple[float, float, float, float]:
        """Deviations in units: the eigenvalue's, A's diagonal, A off it, b."""
        return self.eigenvalue_noise / _FINENESS, *moment_scales(problem, self.moment_noise, self.target_weight)


def eigenvalue_error(problem: LeastSquares) -> float:
    """How far a computed least eigenvalue may be from the exact one, over R^2: half is checked, half covers the check's own rounding."""
    size = problem.domain.dimension
    return 200.0 * (size + 3) * _UNIT * problem.most_records


def eigenvalue_reach(problem: LeastSquares) -> float:
    """By how much a neighbour may move the integer that stands for the least eigenvalue, times its unit over R^2: Weyl, two errors, one rounding."""
    return (1.0 + 2.0 * eigenvalue_error(problem) + _FINENESS) * UP


def least_eigenvalue(problem: LeastSquares, moments: Moments) -> float:
    """That of A, within R^2 `eigenvalue_error`. Raises SolverFailure where this cannot be certified."""
    matrix = moments.products.astype(np.float64)
    values, vectors = np.linalg.eigh(matrix)
    residual = float(np.linalg.norm(matrix @ vectors - vectors * values))
    skew = float(np.linalg.norm(vectors.T @ vectors - np.eye(len(values))))
    limit = 0.5 * eigenvalue_error(problem) * (problem.domain.radius / problem.row_unit) ** 2
    if not residual + 3.0 * skew * float(np.max(np.abs(values))) <= limit:
        raise SolverFailure("the least eigenvalue could not be computed as exactly as the proof needs. The budget counts as spent.")
    return float(values[0]) * problem.row_unit**2
