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
from discreet.sets.base import TOLERANCE
from discreet.sets.checks import index_below, outward, vector
from discreet.sets.extremes import mean_largest
from discreet.sets.thresholds import shrink_to_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Simplex:
    """Points with non-negative coordinates that sum to `radius`; a Polytope."""

    dimension: int
    """d >= 1."""
    radius: float = 1.0
    """r > 0, the sum."""

    def __post_init__(self) -> None:
        """Refuse an empty set."""
        whole(self.dimension, "the dimension")
        positive(self.radius, "the radius")

    @property
    def name(self) -> str:
        """Name in files."""
        return "simplex"

    @property
    def parameters(self) -> dict[str, object]:
        """Dimension and radius."""
        return {"dimension": self.dimension, "radius": self.radius}

    @property
    def symmetric(self) -> bool:
        """No: the sum of the coordinates is positive."""
        return False

    @property
    def l2_radius(self) -> float:
        """At the vertices."""
        return outward(self.radius, self.dimension)

    @property
    def l1_radius(self) -> float:
        """The sum of the coordinates."""
        return outward(self.radius, self.dimension)

    @property
    def diameter(self) -> float:
        """Between two vertices."""
        return 0.0 if self.dimension == 1 else outward(math.sqrt(2.0) * self.radius, self.dimension)

    @property
    def gaussian_width(self) -> float:
        """Radius times the mean of the largest g_j, from above."""
        return self.radius * mean_largest(self.dimension)

    @property
    def width_is_exact(self) -> bool:
        """Only where d = 1."""
        return self.dimension == 1

    @property
    def vertex_count(self) -> int:
        """d."""
        return self.dimension

    def project(self, point: Floats) -> Floats:
        """One threshold for all coordinates."""
        return shrink_to_sum(vector(point, self.dimension, "the point"), self.radius)

    def linear_minimiser(self, direction: Floats) -> Floats:
        """The vertex at the smallest coordinate."""
        return self.vertex(int(np.argmin(vector(direction, self.dimension, "the direction"))))

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """x_j >= -tolerance r, and the sum within tolerance r of r."""
        point = vector(point, self.dimension, "the point")
        room = tolerance * self.radius
        return bool(point.min() >= -room and abs(point.sum() - self.radius) <= room)

    def vertex(self, index: int) -> Floats:
        """r e_index."""
        index_below(index, self.vertex_count)
        found = np.zeros(self.dimension)
        found[index] = self.radius
        return found

    def vertex_scores(self, direction: Floats) -> Floats:
        """r v."""
        return self.radius * vector(direction, self.dimension, "the direction")

    def combine(self, weights: Floats) -> Floats:
        """r times the weights."""
        return self.radius * vector(weights, self.dimension, "the weights")
