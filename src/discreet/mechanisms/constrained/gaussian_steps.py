"""Many adaptive releases of a vector, each rounded to a grid with exact discrete Gaussian noise, at the price of Gaussian ones.

    y_t = w (round(g_t / w) + K_t),    g_t in R^d a function of the records and of y_1 .. y_{t-1},    t = 1 .. T

K_t independent integers of P(k) proportional to exp(-k^2 / (2 s^2)). If neighbours move every computed g_t by at most `distance` in Euclidean norm
(rounding errors of its computation included), the rounded vectors differ by at most D = distance / w + sqrt(d), and

    delta(epsilon) <= `discrete_delta` for d T integers in T stages and mu = D sqrt(T) / s

(proof note frank_wolfe.md, lemma 1: lemma 2 of the residual stage, T times; T = 1 is that lemma). With w = distance / (2^16 sqrt(d)), or less, s is
above 2^16 sqrt(d T) / mu, and what the lemma adds to epsilon is below 1e-9 mu^2 or so: T discrete steps cost one Gaussian of that mu.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.accounting import Json, discrete_delta, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising
from discreet.noise import Noise, least_drawable

_FINENESS = 16
_UP = raising(4_096)
_LEAST_SCALE = 2.0**10
_LARGEST = 2.0**62


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianSteps:
    """The noise of every step, and how many there are."""

    sampler: ClassVar[str] = "discrete Gaussian integers, exactly (staircase rejection in integer arithmetic)"
    count: int
    """T."""
    step: float
    """w, a power of two."""
    scale: float
    """s, in steps of the grid."""

    @classmethod
    def calibrate(cls, *, distance: float, dimension: int, epsilon: float, delta: float, count: int) -> Self:
        """The least noise (to 1e-6) with which all of them together are (epsilon, delta)-private. Raises InfeasibleTarget where none can be drawn."""
        step = 2.0 ** math.floor(math.log2(distance / math.sqrt(dimension)) - _FINENESS)
        first = max(_LEAST_SCALE, _apart(distance, step, dimension) * math.sqrt(count) / gaussian_mu(epsilon, delta * (1.0 - 1e-9)))

        def enough(scale: float) -> bool:
            return cls(count=count, step=step, scale=scale).delta(epsilon, distance=distance, dimension=dimension) <= delta

        return cls(count=count, step=step, scale=least_drawable(first, enough))

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return {"steps": self.count, "scale": self.scale, "grid_step": self.step}

    @property
    def deviation(self) -> float:
        """w s, about the standard deviation of the noise on every coordinate."""
        return self.step * self.scale

    def delta(self, epsilon: float, *, distance: float, dimension: int) -> float:
        """delta at `epsilon` of all releases together; 1 where the lemma does not apply."""
        mu = _apart(distance, self.step, dimension) * math.sqrt(self.count) / self.scale * _UP
        if self.scale < _LEAST_SCALE:
            return 1.0
        return discrete_delta(epsilon, mu, integers=self.count * dimension, scale=self.scale, stages=self.count)

    def release(self, vector: Floats, noise: Noise) -> Floats:
        """One of the releases: `vector` (d,) on the grid, with noise. Raises InvalidInput for a vector beyond the grid: no number of it is shown."""
        scaled = np.rint(vector / self.step)
        if not np.all(np.abs(scaled) < _LARGEST):
            raise InvalidInput("a sum over the records is too large for the grid that the noise was calibrated for.")
        drawn = noise.discrete_gaussian(scale=self.scale, dimension=len(vector), draws=1)[:, 0]
        total: Floats = (scaled.astype(np.int64) + drawn).astype(np.float64) * self.step
        return total


def _apart(distance: float, step: float, dimension: int) -> float:
    """D."""
    return (distance / step + math.sqrt(dimension)) * _UP
