"""The curvature of a model at its released weights, with discrete Gaussian noise (proof note curvature.md).

    release answer + K,   K_j independent, P(k) proportional to exp(-k^2 / (2 s^2)),     neighbours' answers at most D apart:

    delta(epsilon) <= `discrete_delta` for m integers and mu = D / s

(lemma 2 of residual_stage.md: at these scales the price of one Gaussian mechanism, but for 1e-12 of epsilon). One release serves every
coefficient and every prediction.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, discrete_delta, gaussian_mu
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.base import Drawn, Mechanism, at_epsilon
from discreet.mechanisms.curvature.query import UNIT, CurvatureQuery, CurvatureRecords
from discreet.mechanisms.curvature.tables import LEVELS
from discreet.noise import Noise, least_drawable
from discreet.words.counting import CurvatureSpec

CURVATURE = "curvature-gaussian"
_LEAST_SCALE = 2.0**12
_LARGEST_EPSILON = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianCurvature(CurvatureSpec, Mechanism[CurvatureQuery, CurvatureRecords]):
    """A calibrated release."""

    unit: int = UNIT
    levels: int = LEVELS
    """As many as the query has."""

    @classmethod
    def calibrate(cls, query: CurvatureQuery, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise (to 1e-6) for (epsilon, delta). Raises InvalidInput for delta = 0, InfeasibleTarget for noise beyond all use."""
        if not (0 < epsilon <= _LARGEST_EPSILON and 0 < delta < 1):
            raise InvalidInput(
                f"the curvature needs 0 < epsilon <= {_LARGEST_EPSILON:g} and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given. "
                "Its noise is Gaussian, which delta = 0 does not allow; take delta well below 1 / n."
            )
        first = max(_LEAST_SCALE, query.distance(neighbours) / gaussian_mu(epsilon, delta))
        scale = least_drawable(first, lambda scale: _delta(query, scale, epsilon, neighbours) <= delta)
        return cls(scale=scale, epsilon=epsilon, neighbours=neighbours, levels=query.levels)

    def promise(self, problem: CurvatureQuery) -> ApproximateDP:
        """What one release promises; needs no records. Raises InvalidInput for a query of other levels."""
        if problem.levels != self.levels:
            raise InvalidInput("the noise was calibrated for persons with another number of rows. Calibrate it for this problem.")
        delta = _delta(problem, self.scale, self.epsilon, self.neighbours)
        return at_epsilon(self.epsilon, delta, self.neighbours, self.theorem)

    def draw(self, problem: CurvatureQuery, data: CurvatureRecords, noise: Noise) -> Drawn:
        """See Mechanism: the integers (size,) of both matrices, as float64."""
        drawn = self.law.draw(noise, problem.size, 1)[:, 0]
        # Python's integers: no sum overflows; the conversion rounds what is private already.
        exact = problem.answer(data.rows, data.targets, data.record_weights)
        return Drawn.of(np.array([float(int(one) + int(extra)) for one, extra in zip(exact, drawn, strict=True)]))


def _delta(query: CurvatureQuery, scale: float, epsilon: float, neighbours: Neighbours) -> float:
    """See module docstring; 1 where the lemma does not apply."""
    return 1.0 if scale < _LEAST_SCALE else discrete_delta(epsilon, query.distance(neighbours) / scale, integers=query.size, scale=scale)
