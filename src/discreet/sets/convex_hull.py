"""The convex hull of given points v_1 .. v_k of R^d.

    projection          Wolfe's algorithm (nearest_point.py)                     O(k d) a step, with a certified gap
    linear minimiser    the first of argmin_i <v_i, v>                           O(k d)
    radii               l2: max |v_i|_2        l1: max |v_i|_1        diameter D: max |v_i - v_j|_2 (beyond 2048 points: 2 max |v_i - mean|_2)
    width               E max_i <v_i, g> <= min( (D / sqrt(2)) E max_i h_i, E max_i |v_i - mean|_2 |h_i| ), h ~ N(0, I_k)        (upper bound)

The width: both bounds are at most of order D sqrt(ln k), and do not change when the hull is moved. First,
the Gaussian numbers <v_i, g> have squared differences of mean |v_i - v_j|^2 <= D^2, which is what D h_i / sqrt(2) has, so the Sudakov-Fernique
inequality compares the maxima; it is sharp for simplices. Second, E max_i <v_i, g> = E max_i <v_i - mean, g>, and Sidak's inequality.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist

from discreet.core.arrays import Floats
from discreet.sets.base import Polytope
from discreet.sets.checks import outward, read_only
from discreet.sets.extremes import mean_largest, mean_largest_dependent
from discreet.sets.l1_ball import L1Ball
from discreet.sets.nearest_point import nearest_to_origin
from discreet.sets.simplex import Simplex
from discreet.sets.thresholds import norm2

_PAIRS = 2048
"""Up to so many points the diameter is that of the farthest pair."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConvexHull(Polytope):
    """All mixtures of the given points; a Polytope. Equality is identity; compare `parameters` for values."""

    name = "convex-hull"
    vertices: Floats
    """Shape (k, d); a read-only copy is kept. Points inside the hull do no harm, except that they count as vertices."""

    def __post_init__(self) -> None:
        """Keep a copy that nobody can change."""
        object.__setattr__(self, "vertices", read_only(self.vertices, 2, "the vertices of a hull"))

    @property
    def dimension(self) -> int:
        """d."""
        return int(self.vertices.shape[1])

    @property
    def symmetric(self) -> bool:
        """Whether the opposite of each given point is given as well."""
        return bool(np.array_equal(np.unique(self.vertices, axis=0), np.unique(0.0 - self.vertices, axis=0)))

    @property
    def _terms(self) -> int:
        return self.dimension + self.vertex_count

    def _radii(self) -> tuple[float, float]:
        return max(norm2(row) for row in self.vertices), float(np.abs(self.vertices).sum(axis=1).max())

    @property
    def diameter(self) -> float:
        """Between two vertices, or a bound of it."""
        if self.vertex_count == 1:
            return 0.0
        if self.vertex_count <= _PAIRS:
            farthest = float(pdist(self.vertices).max())
        else:
            centre = self.vertices.mean(axis=0)
            farthest = 2.0 * max(norm2(row - centre) for row in self.vertices)
        # Differences of vertices, and mixtures of vertices, are rounded relative to the vertices, not to the diameter.
        return farthest + (outward(farthest, self.dimension) - farthest) + 2.0 * (outward(self.l2_radius, self.dimension) - self.l2_radius)

    def _width(self) -> float:
        if self.vertex_count == 1:
            return 0.0
        about_mean = mean_largest_dependent(np.linalg.norm(self.vertices - self.vertices.mean(axis=0), axis=1))
        return min(self.diameter / math.sqrt(2.0) * mean_largest(self.vertex_count), about_mean)

    @property
    def width_is_exact(self) -> bool:
        """Only for a single point, whose width is 0."""
        return self.vertex_count == 1

    @property
    def vertex_count(self) -> int:
        """k."""
        return int(self.vertices.shape[0])

    def _project(self, point: Floats) -> Floats:
        return nearest_to_origin(self.vertices - point) @ self.vertices

    def _minimiser(self, direction: Floats) -> Floats:
        return self.vertices[int(np.argmin(self._scores(direction)))].copy()

    def _holds(self, point: Floats, tolerance: float) -> bool:
        return norm2(self._project(point) - point) <= tolerance * self.l2_radius

    def _vertex(self, index: int) -> Floats:
        return self.vertices[index].copy()

    def _scores(self, direction: Floats) -> Floats:
        return self.vertices @ direction

    def _mixture(self, weights: Floats) -> Floats:
        return weights @ self.vertices


def symmetric_hull(polytope: Polytope) -> Polytope:
    """conv(C u -C), the unit ball Q of theorem 3.2's norm: C itself where it is symmetric, the l1 ball for a simplex."""
    if polytope.symmetric:
        return polytope
    if isinstance(polytope, Simplex):
        return L1Ball(dimension=polytope.dimension, radius=polytope.radius)
    vertices = np.array([polytope.vertex(index) for index in range(polytope.vertex_count)])
    return ConvexHull(vertices=np.concatenate([vertices, -vertices]))
