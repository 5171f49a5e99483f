"""The convex hull of given points v_1 .. v_k of R^d.

    projection          Wolfe's algorithm, see below                             O(k d) a step, with a certified gap
    linear minimiser    the first of argmin_i <v_i, v>                           O(k d)
    radii               l2: max |v_i|_2        l1: max |v_i|_1        diameter D: max |v_i - v_j|_2 (beyond 2048 points: 2 max |v_i - mean|_2)
    width               E max_i <v_i, g> <= min( (D / sqrt(2)) E max_i h_i, E max_i |v_i - mean|_2 |h_i| ), h ~ N(0, I_k)        (upper bound)

The width: both bounds are at most of order D sqrt(ln k), and do not change when the hull is moved. First,
the Gaussian numbers <v_i, g> have squared differences of mean |v_i - v_j|^2 <= D^2, which is what D h_i / sqrt(2) has, so the Sudakov-Fernique
inequality compares the maxima; it is sharp for simplices. Second, E max_i <v_i, g> = E max_i <v_i - mean, g>, and Sidak's inequality.

The nearest point to the origin in the hull of p_1 .. p_k, by Wolfe's algorithm (1976):

    x = argmin { |x|_2 : x in conv{p_1 .. p_k} },      x is optimal if and only if   gap(x) = |x|_2^2 - min_i <x, p_i> <= 0

A corral, a set of affinely independent points with x in the relative interior of its hull, is enlarged by the point with the smallest <x, p_i>, then
x moves to the point nearest to the origin in the affine hull of the corral; where that leaves the hull, x stops at its boundary and points drop out.
|x| falls with every enlargement, so no corral returns and the method ends.

For any x in the hull, |x - x*|_2^2 <= <x, x - x*> <= gap(x) (<x*, x - x*> >= 0): what is returned has a gap of at most 1e-13 max_i |p_i|^2, hence
lies within 4e-7 max_i |p_i| of the answer for certain. Usually it is far closer: the last corral is right, and its affine problem is solved to
rounding errors.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist

from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure
from discreet.core.short import short_repr
from discreet.sets.base import Polytope, outward, read_only
from discreet.sets.extremes import mean_largest, mean_largest_dependent
from discreet.sets.norm_balls import L1Ball
from discreet.sets.simplex import Simplex
from discreet.sets.thresholds import norm2

_PAIRS = 2048
"""Up to so many points the diameter is that of the farthest pair."""
_GAP = 1e-13
"""Largest gap that is accepted, over the largest squared length."""
_ZERO = 1e-14
"""Weights below this have left the corral."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConvexHull(Polytope):
    """All mixtures of the given points; a Polytope. Equality is identity; compare `parameters` for values."""

    name = "convex-hull"
    vertices: Floats
    """Shape (k, d); a read-only copy is kept. Points inside the hull do no harm, except that they count as vertices."""

    __repr__ = short_repr

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


def nearest_to_origin(points: Floats) -> Floats:
    """The weights (k,), >= 0 with sum 1, of the point of the hull nearest to the origin; `points` (k, d).

    Raises SolverFailure where the gap cannot be brought down, as with points of very unlike lengths.
    """
    scale = float(np.max(np.abs(points)))
    weights = np.zeros(len(points))
    if scale == 0.0:
        weights[0] = 1.0
        return weights
    points = points / scale
    lengths = np.einsum("ij,ij->i", points, points)
    enough = _GAP * float(lengths.max())
    corral = [int(np.argmin(lengths))]
    shares = np.ones(1)
    best, best_gap = (list(corral), shares), np.inf
    for _ in range(20 * sum(points.shape) + 100):
        nearest = shares @ points[corral]
        scores = points @ nearest
        gap = float(nearest @ nearest - scores.min())
        if gap < best_gap:
            best, best_gap = (list(corral), shares.copy()), gap
        entering = int(np.argmin(scores))
        if gap <= 1e-3 * enough or entering in corral:
            break
        larger, shares = _enlarged(points, corral, shares, entering)
        if sorted(larger) == sorted(corral):  # what entered left at once: rounding errors are all that is left to gain
            break
        corral = larger
    if best_gap > enough:
        raise SolverFailure("the projection onto a convex hull did not converge; rescale the vertices, or leave out those inside the hull.")
    weights[best[0]] = best[1]
    return weights / weights.sum()


def _enlarged(points: Floats, corral: list[int], shares: Floats, entering: int) -> tuple[list[int], Floats]:
    """The next corral and its weights, all positive."""
    corral = [*corral, entering]
    shares = np.append(shares, 0.0)
    while True:
        target = _affine_weights(points[corral])
        if (target > _ZERO).all():
            return corral, target / target.sum()
        leaving = target <= _ZERO
        fractions = np.where(leaving & (shares - target > 0.0), shares / np.where(shares - target > 0.0, shares - target, 1.0), np.inf)
        fraction = min(float(fractions.min()), 1.0)
        shares = shares + fraction * (target - shares)
        kept = shares > _ZERO
        if fraction < 1.0:
            kept[np.argmin(fractions)] = False
        elif kept.all():
            return corral, shares / shares.sum()
        if not kept.any():
            kept[np.argmax(shares)] = True
        corral = [index for index, stays in zip(corral, kept, strict=True) if stays]
        shares = shares[kept] / shares[kept].sum()


def _affine_weights(points: Floats) -> Floats:
    """Weights with sum 1, of any sign, of the point nearest to the origin in the affine hull of `points` (s, d)."""
    edges = points[1:] - points[0]
    steps = np.linalg.lstsq(edges.T, -points[0], rcond=None)[0]
    return np.concatenate([[1.0 - steps.sum()], steps])
