"""The last stage of every learning mechanism: exact integers on a public grid (proof note residual_stage.md).

What a computer calls the output of a mechanism is only near its ideal real output: the solver stops at a tolerance, the noise was rounded,
sums are in floating point. Let `radius` be a sure public bound on that distance. The computed point is rounded to the grid of step w (a
power of two) and an exact discrete random integer is added to every coordinate:

    release w (round(f / w) + K),    |round(f / w) - round(f' / w)|_2 <= D_2 = 2 radius / w + sqrt(d),    |.|_1 <= D_1 = 2 sqrt(d) radius / w + d

for two computed points f, f' whose ideals are equal. A point that is a sum, f + N, is never rounded to one float: both terms go to the grid, and the
fractions of a step that are left over are added there, with an error below 2^-53 steps that the factor `_UP` of D_1 and D_2 covers.

    pure       K discrete Laplace of scale t:     epsilon = D_1 / t
    Gaussian   K discrete Gaussian of scale s:    delta of `discrete_delta` for d integers and mu = D_2 / s (lemma 2 of the note)

Only these integers are released, so the output is on the grid whatever the records are, and every float error is inside the radius.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.accounting import discrete_delta, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, SolverFailure
from discreet.core.rounding import raising
from discreet.noise import Integers, Noise, drawable, least_drawable

_FINENESS = 32.0
"""radius / (w sqrt(d)), at least: rounding adds at most 1 / 64 to the distance."""
_UP = raising(4_096)
_LEAST_SCALE = 2.0**12
_LARGEST = 2.0**61
_SMALLEST = 1e-280


def grid_step(radius: float, dimension: int) -> float:
    """The power of two below radius / (32 sqrt(d)). Raises InfeasibleTarget for a radius that float64 cannot divide like this."""
    if not _SMALLEST < radius < 1.0 / _SMALLEST:
        raise InfeasibleTarget("the noise of this budget, or the solver's tolerance for it, is beyond float64: take an epsilon nearer to 1.")
    return 2.0 ** math.floor(math.log2(radius / (_FINENESS * math.sqrt(dimension))))


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceGrid:
    """Discrete Laplace noise on a grid: pure privacy for a sure radius."""

    sampler: ClassVar[str] = "discrete Laplace integers, exactly (staircase rejection in integer arithmetic)"
    step: float
    """w, a power of two."""
    scale: float
    """t, in steps."""

    @classmethod
    def calibrate(cls, *, radius: float, dimension: int, epsilon: float) -> Self:
        """The least noise that hides a radius with this epsilon. Raises InfeasibleTarget, before anything is reserved, for more than can be drawn."""
        step = grid_step(radius, dimension)
        return cls(step=step, scale=drawable(_manhattan(radius, step, dimension) / epsilon * _UP))

    def epsilon(self, *, radius: float, dimension: int) -> float:
        """What hiding this radius costs."""
        return _manhattan(radius, self.step, dimension) / self.scale * _UP

    def release(self, points: Floats, noise: Noise, *, added: Floats | None = None) -> Floats:
        """Points (dimension, draws), plus what is `added` to them, on the grid, with noise."""
        nearest = _on_grid(points, added, self.step)
        dimension, draws = nearest.shape
        return _scaled(nearest + noise.discrete_laplace(scale=self.scale, dimension=dimension, draws=draws), self.step)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianGrid:
    """Discrete Gaussian noise on a grid: (epsilon, delta) for a sure radius."""

    sampler: ClassVar[str] = "discrete Gaussian integers, exactly (staircase rejection in integer arithmetic)"
    step: float
    """w, a power of two."""
    scale: float
    """s, in steps."""
    epsilon: float
    """At which delta is stated."""

    @classmethod
    def calibrate(cls, *, radius: float, dimension: int, epsilon: float, delta: float) -> Self:
        """The least noise (to 1e-6) that hides a radius with (epsilon, delta). Raises as LaplaceGrid does."""
        step = grid_step(radius, dimension)
        distance = _euclidean(radius, step, dimension)
        first = max(_LEAST_SCALE, distance / gaussian_mu(epsilon, delta))

        def enough(scale: float) -> bool:
            return cls(step=step, scale=scale, epsilon=epsilon).delta(radius=radius, dimension=dimension) <= delta

        return cls(step=step, scale=least_drawable(first, enough), epsilon=epsilon)

    def delta(self, *, radius: float, dimension: int) -> float:
        """delta at a total of `epsilon` for hiding this radius; 1 where the lemma does not apply."""
        mu = _euclidean(radius, self.step, dimension) / self.scale
        return 1.0 if self.scale < _LEAST_SCALE else discrete_delta(self.epsilon, mu, integers=dimension, scale=self.scale)

    def release(self, points: Floats, noise: Noise, *, added: Floats | None = None) -> Floats:
        """Points (dimension, draws), plus what is `added` to them, on the grid, with noise."""
        nearest = _on_grid(points, added, self.step)
        dimension, draws = nearest.shape
        return _scaled(nearest + noise.discrete_gaussian(scale=self.scale, dimension=dimension, draws=draws), self.step)


def _euclidean(radius: float, step: float, dimension: int) -> float:
    return (2.0 * radius / step + math.sqrt(dimension)) * _UP


def _manhattan(radius: float, step: float, dimension: int) -> float:
    return (2.0 * math.sqrt(dimension) * radius / step + dimension) * _UP


def _on_grid(points: Floats, added: Floats | None, step: float) -> Integers:
    """round((points + added) / step) of the exact sum: quotients by a power of two, their whole numbers and what is left are exact."""
    whole, rest = _split(points, step)
    if added is not None:
        more, remainder = _split(added, step)
        whole, rest = whole + more, rest + remainder
    return whole + np.rint(rest).astype(np.int64)


def _split(points: Floats, step: float) -> tuple[Integers, Floats]:
    """The nearest whole number of steps, and what is left, in steps, both exact."""
    scaled = points / step
    whole = np.rint(scaled)
    if not np.all(np.abs(scaled) < _LARGEST):
        raise SolverFailure("the weights are too long for the grid that the noise was calibrated for; raise alpha.")
    return whole.astype(np.int64), scaled - whole


def _scaled(integers: Integers, step: float) -> Floats:
    """The last product rounds what is already private."""
    return integers.astype(np.float64) * step
