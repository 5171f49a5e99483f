"""The l-infinity ball { |x|_inf <= r }.

projection          each coordinate clipped to [-r, r]                      O(d)
linear minimiser    -r sign(v_j) in each coordinate (0 where v_j = 0)
radii               l2: r sqrt(d)        l1: r d        diameter: 2 r sqrt(d)
width               r d sqrt(2 / pi)                                         (exact)
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.sets.base import Ball


@dataclass(frozen=True, slots=True, kw_only=True)
class LInfinityBall(Ball):
    """Points whose coordinates are at most `radius` in absolute value."""

    name = "linfinity-ball"
    dimension: int
    """d >= 1."""
    radius: float = 1.0
    """r > 0."""

    @property
    def width_is_exact(self) -> bool:
        """True."""
        return True

    def _radii(self) -> tuple[float, float]:
        return self.radius * math.sqrt(self.dimension), self.radius * self.dimension

    def _width(self) -> float:
        return self.radius * self.dimension * math.sqrt(2.0 / math.pi)

    def _norm(self, point: Floats) -> float:
        return float(np.abs(point).max())

    def _project(self, point: Floats) -> Floats:
        return np.clip(point, -self.radius, self.radius)

    def _minimiser(self, direction: Floats) -> Floats:
        return -self.radius * np.sign(direction)
