"""The Euclidean ball { |x|_2 <= r }.

projection          x min(1, r / |x|_2)                                     O(d)
linear minimiser    -r v / |v|_2
radii               l2: r        l1: r sqrt(d)        diameter: 2 r
width               r E |g|_2 = r sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2), between r sqrt(d - 1/2) and r sqrt(d)     (exact)
"""

import math
from dataclasses import dataclass

from discreet.core.arrays import Floats
from discreet.sets.base import Ball
from discreet.sets.extremes import mean_chi
from discreet.sets.thresholds import norm2


@dataclass(frozen=True, slots=True, kw_only=True)
class L2Ball(Ball):
    """Points of Euclidean norm at most `radius`."""

    name = "l2-ball"
    dimension: int
    """d >= 1."""
    radius: float = 1.0
    """r > 0."""

    @property
    def width_is_exact(self) -> bool:
        """True."""
        return True

    def _radii(self) -> tuple[float, float]:
        return self.radius, self.radius * math.sqrt(self.dimension)

    def _width(self) -> float:
        return self.radius * mean_chi(self.dimension)

    def _norm(self, point: Floats) -> float:
        return norm2(point)

    def _project(self, point: Floats) -> Floats:
        length = norm2(point)
        return point.copy() if length <= self.radius else (point / length) * self.radius

    def _minimiser(self, direction: Floats) -> Floats:
        length = norm2(direction)
        return direction * 0.0 if length == 0.0 else (direction / length) * -self.radius
