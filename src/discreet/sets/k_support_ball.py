"""The k-support ball r conv { |x|_0 <= k, |x|_2 <= 1 }: the tightest convex set around k-sparse vectors of bounded Euclidean norm.

    norm                |x|^2 = min { sum_j x_j^2 / theta_j : 0 <= theta_j <= 1, sum_j theta_j <= k }
    projection          y_j = x_j theta_j / (theta_j + lambda), theta_j = clip(c |x_j| - lambda, 0, 1), sum theta = k, for the lambda with |y| = r
    linear minimiser    -r v_S / |v_S|_2, S the k largest |v_j|
    radii               l2: r        l1: r sqrt(k)        diameter: 2 r
    width               r E |g_S|_2 <= r min( E chi_k + sqrt(2 ln binom(d, k)), sqrt( min_t k t + d E (g_1^2 - t)_+ ) )      (upper bound)

Argyriou, Foygel and Srebro (2012); the form with theta: McDonald, Pontil and Stamos (2016). O(d log d): numbers are sorted once; c is then found by
binary search among the points where a theta_j reaches 0 or 1, and lambda <= |x|_2 / r by a safeguarded search.
The first width takes the largest of binom(d, k) 1-Lipschitz functions of mean E chi_k, the second uses that the k largest of d numbers sum to at most
k t + sum_j (. - t)_+ whatever t is.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.rounding import raising
from discreet.core.validate import whole
from discreet.sets.base import Ball
from discreet.sets.extremes import mean_chi, mean_excess
from discreet.sets.thresholds import norm2, tempered

optimize = lazily("scipy.optimize")

_NOTHING = 1e-200


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Positive numbers in falling order, with the sums of all from each on (from the small end: differences keep their digits)."""

    values: Floats
    tails: Floats

    def shares(self, multiplier: float, count: int) -> Floats:
        """theta (n,) for lambda = multiplier: the best shares that sum to `count`, for numbers more than `count`."""
        return np.clip(self._rate(multiplier, count) * self.values - multiplier, 0.0, 1.0)

    def _total(self, rate: float, multiplier: float) -> float:
        """sum_j clip(rate a_j - multiplier, 0, 1)."""
        full = self._at_least((1.0 + multiplier) / rate)
        some = self._at_least(multiplier / rate)
        return full + rate * float(self.tails[full] - self.tails[some]) - multiplier * (some - full)

    def _at_least(self, level: float) -> int:
        """How many numbers reach the level."""
        return int(self.values.size - np.searchsorted(self.values[::-1], level, side="left"))

    def _rate(self, multiplier: float, count: int) -> float:
        """c with sum_j clip(c a_j - lambda, 0, 1) = count: between neighbouring corners of this piecewise linear function."""
        low, high = self._bracket(1.0 + multiplier, multiplier, count)
        if multiplier > 0.0:
            other_low, other_high = self._bracket(multiplier, multiplier, count)
            low, high = max(low, other_low), min(high, other_high)
        below, above = self._total(low, multiplier) if low > 0.0 else 0.0, self._total(high, multiplier)
        return high if above <= below else low + (high - low) * (count - below) / (above - below)

    def _bracket(self, numerator: float, multiplier: float, count: int) -> tuple[float, float]:
        """Neighbours among the corners numerator / a_j between which the total passes `count` (0 and infinity at the ends)."""
        first, last = -1, self.values.size
        while last - first > 1:
            middle = (first + last) // 2
            first, last = (middle, last) if self._total(numerator / self.values[middle], multiplier) <= count else (first, middle)
        low = numerator / self.values[first] if first >= 0 else 0.0
        high = numerator / self.values[last] if last < self.values.size else math.inf
        return float(low), float(high)


def _norm(magnitudes: Floats, shares: Floats) -> float:
    """sqrt(sum a_j^2 / theta_j) over the numbers with theta_j > 0 (the others are 0)."""
    used = shares > 0.0
    return norm2(magnitudes[used] / np.sqrt(shares[used]))


@dataclass(frozen=True, slots=True, kw_only=True)
class KSupportBall(Ball):
    """Points of k-support norm at most `radius`."""

    name = "k-support-ball"
    dimension: int
    """d >= 1."""
    support: int
    """k, from 1 (the l1 ball) to d (the Euclidean ball)."""
    radius: float = 1.0
    """r > 0."""

    def __post_init__(self) -> None:
        """Refuse a support larger than the dimension."""
        Ball.__post_init__(self)
        whole(self.support, "the support")
        if self.support > self.dimension:
            raise InvalidInput(f"the support must be at most the dimension {self.dimension}; {self.support} was given.")

    def _radii(self) -> tuple[float, float]:
        return self.radius, self.radius * math.sqrt(self.support)

    def _width(self) -> float:
        d, k = self.dimension, self.support
        supports = math.lgamma(d + 1) - math.lgamma(k + 1) - math.lgamma(d - k + 1)
        union = mean_chi(k) + math.sqrt(2.0 * max(supports, 0.0) * (1.0 + 1e-9))
        best = optimize.minimize_scalar(lambda t: k * t + d * mean_excess(t), bounds=(0.0, 2.0 * math.log(d + 1.0) + 4.0), method="bounded").x
        tails = math.sqrt(k * best + d * mean_excess(best))
        return self.radius * min(union, tails, mean_chi(d)) * raising(45_000)

    @property
    def width_is_exact(self) -> bool:
        """Only where k = d."""
        return self.support == self.dimension

    def _norm(self, point: Floats) -> float:
        magnitudes = self._sorted(np.abs(point))
        return _norm(magnitudes.values, self._shares(magnitudes, 0.0))

    def _project(self, point: Floats) -> Floats:
        point = tempered(point, self.radius)
        scale = float(np.max(np.abs(point)))
        if scale == 0.0:
            return point.copy()
        magnitudes = np.abs(point) / scale
        radius = self.radius / scale
        falling = self._sorted(magnitudes)

        def shrunk(multiplier: float) -> tuple[Floats, Floats]:
            shares = self._shares(falling, multiplier)
            return falling.values * shares / (shares + multiplier), shares

        def excess(multiplier: float) -> float:
            return _norm(*shrunk(multiplier)) - radius

        if _norm(falling.values, self._shares(falling, 0.0)) <= radius:
            return point.copy()
        most = norm2(falling.values) / radius * (1.0 + 1e-9)
        multiplier = optimize.brentq(excess, 0.0, most, xtol=1e-300, rtol=8.9e-16, maxiter=2000)
        values, _ = shrunk(multiplier)
        found = np.zeros(self.dimension)
        found[np.argsort(-magnitudes, kind="stable")[: values.size]] = values
        # Shares are differences of numbers as large as the multiplier: the norm is taken anew.
        return np.copysign(found * (self.radius / self._norm(found)), point)

    def _minimiser(self, direction: Floats) -> Floats:
        largest = np.argpartition(-np.abs(direction), self.support - 1)[: self.support]
        found = np.zeros(self.dimension)
        length = norm2(direction[largest])
        if length > 0.0:
            found[largest] = (direction[largest] / length) * -self.radius
        return found

    def _sorted(self, magnitudes: Floats) -> _Sorted:
        """The magnitudes in falling order, without those that are nothing beside the largest: their inverses would overflow."""
        positive_ones = np.sort(magnitudes[magnitudes > _NOTHING * magnitudes.max()])[::-1]
        return _Sorted(positive_ones, np.concatenate([np.cumsum(positive_ones[::-1])[::-1], [0.0]]))

    def _shares(self, falling: _Sorted, multiplier: float) -> Floats:
        """theta: all 1 where there are at most k numbers."""
        if falling.values.size <= self.support:
            return np.ones(falling.values.size)
        return falling.shares(multiplier, self.support)
