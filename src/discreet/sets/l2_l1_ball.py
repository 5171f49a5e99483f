"""The intersection { |x|_2 <= r, |x|_1 <= s } of a Euclidean and an l1 ball: nearly sparse vectors of bounded length.

    projection          that of one ball where it lies in the other; else r u / |u|_2, u_j = sign(x_j) (|x_j| - theta)_+ with |u|_1 / |u|_2 = s / r
    linear minimiser    -r v / |v|_2 where that fits, else the same with u made of v, or on the ties of the largest |v_j|         O(d log d)
    radii               l2: min(r, s)        l1: min(s, r sqrt(d))        diameter: twice the l2 radius
    width               min_t ( r sqrt(d E (|g_1| - t)_+^2) + s t ), also r E |g|_2 and s E |g|_inf       (upper bound)

The width: <g, x> <= r |g - h|_2 + s |h|_inf for every h; take h = clip(g, t), then Jensen's inequality.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.lazily import lazily
from discreet.core.rounding import raising
from discreet.core.validate import positive, whole
from discreet.sets.base import Constraint
from discreet.sets.extremes import mean_chi, mean_largest_absolute, mean_square_excess
from discreet.sets.thresholds import norm2, shrink_to_ratio, shrink_to_sum

optimize = lazily("scipy.optimize")


@dataclass(frozen=True, slots=True, kw_only=True)
class L2L1Ball(Constraint):
    """Points of Euclidean norm at most `l2_bound` and l1 norm at most `l1_bound`."""

    name = "l2-l1-ball"
    dimension: int
    """d >= 1."""
    l1_bound: float
    """s > 0; only r < s < r sqrt(d) gives a set that is neither of the two balls."""
    l2_bound: float = 1.0
    """r > 0."""

    def __post_init__(self) -> None:
        """Refuse a set without an interior."""
        whole(self.dimension, "the dimension")
        positive(self.l1_bound, "the bound of the l1 norm")
        positive(self.l2_bound, "the bound of the l2 norm")

    def _radii(self) -> tuple[float, float]:
        return min(self.l2_bound, self.l1_bound), min(self.l1_bound, self.l2_bound * math.sqrt(self.dimension))

    def _width(self) -> float:
        r, s, d = self.l2_bound, self.l1_bound, self.dimension

        def bound(t: float) -> float:
            return r * math.sqrt(d * mean_square_excess(t)) + s * t

        best = optimize.minimize_scalar(bound, bounds=(0.0, math.sqrt(2.0 * math.log(d + 1.0)) + 4.0), method="bounded").x
        return min(bound(best) * raising(45_000), r * mean_chi(d), s * mean_largest_absolute(d))

    @property
    def width_is_exact(self) -> bool:
        """Only where the set is the Euclidean ball."""
        return self.l1_bound >= self.l2_bound * math.sqrt(self.dimension)

    def _project(self, point: Floats) -> Floats:
        magnitudes = np.abs(point)
        shrunk = magnitudes
        if magnitudes.sum() > self.l1_bound:
            shrunk = shrink_to_sum(magnitudes, self.l1_bound)
        if norm2(shrunk) > self.l2_bound:
            shrunk = self._on_sphere(magnitudes)
        return np.copysign(shrunk, point)

    def _minimiser(self, direction: Floats) -> Floats:
        if not direction.any():
            return np.zeros(self.dimension)
        return np.copysign(self._on_sphere(np.abs(direction)), -direction)

    def _holds(self, point: Floats, tolerance: float) -> bool:
        return bool(norm2(point) <= self.l2_bound * (1.0 + tolerance) and np.abs(point).sum() <= self.l1_bound * (1.0 + tolerance))

    def _on_sphere(self, magnitudes: Floats) -> Floats:
        """The longest point of the set along the magnitudes, thresholded until it is sparse enough."""
        unit = magnitudes / norm2(magnitudes)
        ratio = self.l1_bound / self.l2_bound
        if ratio <= 1.0:
            unit = np.where(np.arange(unit.size) == np.argmax(unit), 1.0, 0.0)
        elif unit.sum() > ratio:
            unit = shrink_to_ratio(unit, ratio)
        return unit * min(self.l2_bound / norm2(unit), self.l1_bound / unit.sum())
