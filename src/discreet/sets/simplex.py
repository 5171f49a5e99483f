"""The simplex { x >= 0, sum_j x_j = r }: mixtures, and weights that sum to one.

projection          max(x_j - theta, 0) with sum r                          O(d log d); Held, Wolfe and Crowder (1974)
linear minimiser    r e_j, j = argmin v_j (the first)
radii               l2: r        l1: r        diameter: sqrt(2) r (0 for d = 1)
width               r E max_j g_j <= r sqrt(2 ln d)                          (upper bound within 1e-3 r, by quadrature from above)
vertices            d: number j is r e_j
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.validate import positive, whole
from discreet.sets.base import Polytope, outward
from discreet.sets.extremes import mean_largest
from discreet.sets.thresholds import shrink_to_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Simplex(Polytope):
    """Points with non-negative coordinates that sum to `radius`; a Polytope."""

    name = "simplex"
    dimension: int
    """d >= 1."""
    radius: float = 1.0
    """r > 0, the sum."""

    def __post_init__(self) -> None:
        """Refuse an empty set."""
        whole(self.dimension, "the dimension")
        positive(self.radius, "the radius")

    @property
    def symmetric(self) -> bool:
        """False: the sum of the coordinates is positive."""
        return False

    @property
    def diameter(self) -> float:
        """Between two vertices, rounded up."""
        return 0.0 if self.dimension == 1 else outward(math.sqrt(2.0) * self.radius, self.dimension)

    @property
    def width_is_exact(self) -> bool:
        """Only where d = 1."""
        return self.dimension == 1

    @property
    def vertex_count(self) -> int:
        """d."""
        return self.dimension

    def _radii(self) -> tuple[float, float]:
        return self.radius, self.radius

    def _width(self) -> float:
        return self.radius * mean_largest(self.dimension)

    def _project(self, point: Floats) -> Floats:
        return shrink_to_sum(point, self.radius)

    def _minimiser(self, direction: Floats) -> Floats:
        return self._vertex(int(np.argmin(direction)))

    def _holds(self, point: Floats, tolerance: float) -> bool:
        room = tolerance * self.radius
        return bool(point.min() >= -room and abs(point.sum() - self.radius) <= room)

    def _vertex(self, index: int) -> Floats:
        found = np.zeros(self.dimension)
        found[index] = self.radius
        return found

    def _scores(self, direction: Floats) -> Floats:
        return self.radius * direction

    def _mixture(self, weights: Floats) -> Floats:
        return self.radius * weights
