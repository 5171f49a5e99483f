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
from discreet.sets.base import Ball, Polytope
from discreet.sets.extremes import mean_largest_absolute
from discreet.sets.thresholds import shrink_to_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class L1Ball(Ball, Polytope):
    """Points whose absolute coordinates sum to at most `radius`; a Polytope."""

    name = "l1-ball"
    dimension: int
    """d >= 1."""
    radius: float = 1.0
    """r > 0."""

    @property
    def width_is_exact(self) -> bool:
        """Only where d = 1."""
        return self.dimension == 1

    @property
    def vertex_count(self) -> int:
        """2 d."""
        return 2 * self.dimension

    def _radii(self) -> tuple[float, float]:
        return self.radius, self.radius

    def _width(self) -> float:
        return self.radius * mean_largest_absolute(self.dimension)

    def _norm(self, point: Floats) -> float:
        return float(np.abs(point).sum())

    def _project(self, point: Floats) -> Floats:
        if self._norm(point) <= self.radius:
            return point.copy()
        return np.copysign(shrink_to_sum(np.abs(point), self.radius), point)

    def _minimiser(self, direction: Floats) -> Floats:
        largest = int(np.argmax(np.abs(direction)))
        found = np.zeros(self.dimension)
        found[largest] = -np.copysign(self.radius, direction[largest])
        return found

    def _vertex(self, index: int) -> Floats:
        found = np.zeros(self.dimension)
        found[index % self.dimension] = self.radius if index < self.dimension else -self.radius
        return found

    def _scores(self, direction: Floats) -> Floats:
        return np.concatenate([self.radius * direction, -(self.radius * direction)])

    def _mixture(self, weights: Floats) -> Floats:
        return self.radius * (weights[: self.dimension] - weights[self.dimension :])
