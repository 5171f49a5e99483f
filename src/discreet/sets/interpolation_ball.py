"""The interpolation ball conv( a B_2 u b B_1 ): sums of a dense part and a sparse part, priced |u|_2 / a + |w|_1 / b <= 1.

    support function    max( a |v|_2, b |v|_inf )
    linear minimiser    that of a B_2 or of b B_1, the better
    gauge               <clip(x, kappa), x> / (b kappa), clip to [-kappa, kappa], kappa the root of a |clip(x, kappa)|_2 = b kappa
                        (|x|_2 / a where kappa reaches max |x_j|;  |x|_1 / b where b >= a sqrt(|x|_0): no root)
    projection          y = (x - clip) + rho clip, clip = clip(x, kappa), rho = (1 - M / b) a^2 / (b kappa), M = sum_j (|x_j| - kappa)_+ ;
                        a x / |x|_2 where kappa reaches max |x_j|;  the l1 projection where M > b or there is no root        O(d log d)
    radii               l2: max(a, b)        l1: max(a sqrt(d), b)        diameter: twice the l2 radius
    width               E max(a |g|_2, b |g|_inf) <= integral_0^inf 1 - P(a |g|_2 <= t) P(b |g|_inf <= t) dt        (upper bound: Harris)

Why: the residual n = x - y attains the support function at y. If a |n|_2 > b |n|_inf, y = a n / |n|_2; if <, y lies in b B_1 and n is a clipped
x; if =, y = alpha a n / |n|_2 + (1 - alpha) b z with z in the face of B_1 that n exposes, so n is proportional to clip(x, kappa), equality fixes
kappa whatever the proportion is, M = (1 - alpha) b fixes alpha, and x = n + y fixes the proportion 1 - rho.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.validate import positive, whole
from discreet.sets.base import Constraint, vector
from discreet.sets.extremes import mean_chi, mean_larger_norm
from discreet.sets.thresholds import norm2, shrink_to_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpolationBall(Constraint):
    """The convex hull of a Euclidean ball and an l1 ball."""

    name = "interpolation-ball"
    dimension: int
    """d >= 1."""
    l2_part: float
    """a > 0, the radius of the Euclidean ball."""
    l1_part: float
    """b > 0, the radius of the l1 ball; only a < b < a sqrt(d) gives a set that is neither of the two."""

    def __post_init__(self) -> None:
        """Refuse a set without an interior."""
        whole(self.dimension, "the dimension")
        positive(self.l2_part, "the radius of the l2 part")
        positive(self.l1_part, "the radius of the l1 part")

    def _radii(self) -> tuple[float, float]:
        return max(self.l2_part, self.l1_part), max(self.l2_part * math.sqrt(self.dimension), self.l1_part)

    def _width(self) -> float:
        if self.width_is_exact:
            return self.l2_part * mean_chi(self.dimension)
        return mean_larger_norm(self.dimension, self.l2_part, self.l1_part)

    @property
    def width_is_exact(self) -> bool:
        """Only where the set is the Euclidean ball."""
        return self.l1_part <= self.l2_part

    def _project(self, point: Floats) -> Floats:
        if self.gauge(point) <= 1.0:
            return point.copy()
        magnitudes = np.abs(point)
        level = self._level(magnitudes)
        if level >= magnitudes.max():
            return (point / norm2(point)) * self.l2_part
        clipped = np.minimum(magnitudes, level)
        sparse = magnitudes - clipped
        mass = float(sparse.sum())
        if level == 0.0 or mass >= self.l1_part:
            return np.copysign(shrink_to_sum(magnitudes, self.l1_part), point)
        found = sparse + clipped * ((1.0 - mass / self.l1_part) * self.l2_part**2 / (self.l1_part * level))
        return np.copysign(found / max(self.gauge(found), 1.0), point)

    def _minimiser(self, direction: Floats) -> Floats:
        length = norm2(direction)
        largest = int(np.argmax(np.abs(direction)))
        if length > 0.0 and self.l2_part * length >= self.l1_part * abs(direction[largest]):
            return (direction / length) * -self.l2_part
        found = np.zeros(self.dimension)
        found[largest] = -self.l1_part * np.sign(direction[largest])
        return found

    def _holds(self, point: Floats, tolerance: float) -> bool:
        return self.gauge(point) <= 1.0 + tolerance

    def gauge(self, point: Floats) -> float:
        """The least t >= 0 with x in t C, a norm."""
        magnitudes = np.abs(vector(point, self.dimension, "the point"))
        largest = float(magnitudes.max())
        if largest == 0.0:
            return 0.0
        level = self._level(magnitudes)
        if level == 0.0:
            return float(magnitudes.sum()) / self.l1_part
        if level >= largest:
            return norm2(magnitudes) / self.l2_part
        return float((np.minimum(magnitudes, level) / level) @ magnitudes) / self.l1_part

    def _level(self, magnitudes: Floats) -> float:
        """kappa: infinity where the Euclidean part alone counts, 0 where there is no root."""
        largest = float(magnitudes.max())
        squared_ratio = (self.l1_part / self.l2_part) ** 2
        rising = np.sort(magnitudes[magnitudes > 0.0]) / largest
        if float(np.square(rising).sum()) >= squared_ratio:
            return math.inf
        if rising.size <= squared_ratio:
            return 0.0
        # With the j smallest below kappa: kappa^2 (ratio^2 - (k - j)) = sum of their squares; it lies where the count falls below.
        sums = np.concatenate([[0.0], np.cumsum(np.square(rising))])
        surplus = np.arange(rising.size, 0, -1) - squared_ratio
        below = int(np.count_nonzero((surplus >= 0.0) | (sums[:-1] + np.square(rising) * surplus > 0.0)))
        return largest * math.sqrt(float(sums[below]) / (squared_ratio - (rising.size - below)))
