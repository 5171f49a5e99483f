"""What separates discrete Gaussian integers from rounded normal numbers (lemma 2 of the proof note residual_stage.md).

K of P(k) proportional to exp(-k^2 / (2 s^2)), and R = round(N(0, s^2)), N independent integers of each, drawn in T stages (each may ask what the
answers before suggest), s^2 >= N, s >= 1: for every event S of transcripts

    P(K in S) <= e^A P(R in S),    P(R in S) <= e^B P(K in S) + T e^{-800}
    A = N / (8 s^2),    B = ((sqrt(N) + 41 sqrt(T))^2 + T) / (8 s^2)

and R is a post-processing of Gaussian noise, so that answers with the noise K cost what those with Gaussian noise cost, but for A and B:

    delta(epsilon + A + B) <= e^A (delta_G(epsilon; mu) + e^epsilon T e^{-800})

Calibrations and rechecks take the lemma from here; the tests compare it with the laws themselves, in sixty digits.
"""

import math
from typing import NamedTuple

import numpy as np

from discreet.accounting.gaussian import gaussian_delta
from discreet.core.arrays import Floats, as_float
from discreet.core.rounding import raising
from discreet.core.validate import whole

_FARTHEST = 41.0
_LOG_TAIL = -800.0
_LARGEST_EPSILON = 600.0
_UP = raising(32)


class Closeness(NamedTuple):
    """A and B of the lemma, rounded up; infinite where it does not apply."""

    upper: float
    lower: float

    @property
    def total(self) -> float:
        """A + B."""
        return self.upper + self.lower


def closeness(integers: float, scale: float, *, stages: int = 1) -> Closeness:
    """For so many integers in all, of this scale or a larger one, drawn in so many stages."""
    integers, scale, stages_drawn = as_float(integers), as_float(scale), as_float(stages)
    if not (scale >= 1.0 and integers <= scale * scale):
        return Closeness(math.inf, math.inf)
    reach = math.sqrt(integers) + _FARTHEST * math.sqrt(stages_drawn)
    return Closeness(integers / (8.0 * scale * scale) * _UP, (reach**2 + stages_drawn) / (8.0 * scale * scale) * _UP)


def beyond(epsilon: float, *, stages: int = 1) -> float:
    """e^epsilon times what is left out of the second comparison."""
    return float(beyond_each(np.array([as_float(epsilon)]), stages=stages)[0])


def beyond_each(epsilons: Floats, *, stages: int = 1) -> Floats:
    """`beyond` of every number of an array."""
    whole(stages, "the number of stages")
    left_out: Floats = stages * np.exp(np.minimum(epsilons, _LARGEST_EPSILON) + _LOG_TAIL)
    return left_out


def discrete_delta(epsilon: float, mu: float, *, integers: float, scale: float, stages: int = 1) -> float:
    """delta at epsilon of answers that neighbours move by mu scales, with this noise; 1 where the lemma does not apply."""
    apart = closeness(integers, scale, stages=stages)
    left = min(as_float(epsilon), _LARGEST_EPSILON) - apart.total
    if not left > 0:
        return 1.0
    return min(1.0, math.exp(apart.upper) * (gaussian_delta(left, mu * _UP) + beyond(left, stages=stages)) * _UP)
