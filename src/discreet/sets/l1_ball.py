"""The l1 ball { |x|_1 <= r }, the set of the LASSO.

projection          sign(x_j) max(|x_j| - theta, 0) with sum r              O(d log d); Duchi, Shalev-Shwartz, Singer and Chandra (2008)
linear minimiser    -r sign(v_j) e_j, j = argmax |v_j| (the first)
radii               l2: r        l1: r        diameter: 2 r
width               r E max_j |g_j| <= r sqrt(2 ln 2d)                       (upper bound within 1e-3 r, by quadrature from above)
vertices            2 d: number j is r e_j, number d + j is -r e_j
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.validate import positive, whole
from discreet.sets.base import TOLERANCE
from discreet.sets.checks import index_below, outward, vector
from discreet.sets.extremes import mean_largest_absolute
from discreet.sets.thresholds import shrink_to_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class L1Ball:
    """Points whose absolute coordinates sum to at most `radius`; a Polytope."""

    dimension: int
    """d >= 1."""
    radius: float = 1.0
    """r > 0."""

    def __post_init__(self) -> None:
        """Refuse a set without an interior."""
        whole(self.dimension, "the dimension")
        positive(self.radius, "the radius")

    @property
    def name(self) -> str:
        """Name in files."""
        return "l1-ball"

    @property
    def parameters(self) -> dict[str, object]:
        """Dimension and radius."""
        return {"dimension": self.dimension, "radius": self.radius}

    @property
    def symmetric(self) -> bool:
        """Yes."""
        return True

    @property
    def l2_radius(self) -> float:
        """At the vertices."""
        return outward(self.radius, self.dimension)

    @property
    def l1_radius(self) -> float:
        """The radius itself."""
        return outward(self.radius, self.dimension)

    @property
    def diameter(self) -> float:
        """Twice the radius."""
        return 2.0 * self.l2_radius

    @property
    def gaussian_width(self) -> float:
        """Radius times the mean of the largest |g_j|, from above."""
        return self.radius * mean_largest_absolute(self.dimension)

    @property
    def width_is_exact(self) -> bool:
        """Only where d = 1."""
        return self.dimension == 1

    @property
    def vertex_count(self) -> int:
        """2 d."""
        return 2 * self.dimension

    def project(self, point: Floats) -> Floats:
        """Soft thresholding."""
        point = vector(point, self.dimension, "the point")
        magnitudes = np.abs(point)
        if magnitudes.sum() <= self.radius:
            return point.copy()
        return np.copysign(shrink_to_sum(magnitudes, self.radius), point)

    def linear_minimiser(self, direction: Floats) -> Floats:
        """The vertex at the largest |v_j|."""
        direction = vector(direction, self.dimension, "the direction")
        largest = int(np.argmax(np.abs(direction)))
        found = np.zeros(self.dimension)
        found[largest] = -np.copysign(self.radius, direction[largest])
        return found

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """|x|_1 <= r (1 + tolerance)."""
        return bool(np.abs(vector(point, self.dimension, "the point")).sum() <= self.radius * (1.0 + tolerance))

    def vertex(self, index: int) -> Floats:
        """r e_j or -r e_j."""
        index_below(index, self.vertex_count)
        found = np.zeros(self.dimension)
        found[index % self.dimension] = self.radius if index < self.dimension else -self.radius
        return found

    def vertex_scores(self, direction: Floats) -> Floats:
        """r v, then -r v."""
        scaled = self.radius * vector(direction, self.dimension, "the direction")
        return np.concatenate([scaled, -scaled])

    def combine(self, weights: Floats) -> Floats:
        """r times the difference of the halves."""
        weights = vector(weights, self.vertex_count, "the weights")
        return self.radius * (weights[: self.dimension] - weights[self.dimension :])
