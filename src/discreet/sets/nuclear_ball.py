"""The nuclear-norm ball { sum_i sigma_i(X) <= r } of p x q matrices, flattened row by row: convex stand-in for matrices of low rank.

projection          singular values projected onto the l1 ball               O(p q min(p, q))
linear minimiser    -r u_1 w_1^T, the leading singular vectors of V
radii               l2 (Frobenius): r        l1 (of entries): r sqrt(p q)        diameter: 2 r
width               r E sigma_max(G) <= r (sqrt(p) + sqrt(q)) (Gordon 1985; Chandrasekaran and others 2012), and at most r E |G|_F   (upper bound)
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.validate import whole
from discreet.sets.base import Ball, vector
from discreet.sets.extremes import mean_chi
from discreet.sets.thresholds import shrink_to_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class NuclearBall(Ball):
    """Matrices (rows, columns), flattened to points of shape (rows * columns,), whose singular values sum to at most `radius`."""

    name = "nuclear-ball"
    rows: int
    """p >= 1."""
    columns: int
    """q >= 1."""
    radius: float = 1.0
    """r > 0."""

    def __post_init__(self) -> None:
        """Refuse a set without an interior."""
        whole(self.rows, "the number of rows")
        whole(self.columns, "the number of columns")
        Ball.__post_init__(self)

    @property
    def dimension(self) -> int:
        """p q."""
        return self.rows * self.columns

    @property
    def _terms(self) -> int:
        return 64 * self.dimension

    def _radii(self) -> tuple[float, float]:
        return self.radius, self.radius * math.sqrt(self.dimension)

    def _width(self) -> float:
        return self.radius * min(math.sqrt(self.rows) + math.sqrt(self.columns), mean_chi(self.dimension))

    @property
    def width_is_exact(self) -> bool:
        """Only for vectors, where the set is a Euclidean ball."""
        return min(self.rows, self.columns) == 1

    def matrix(self, point: Floats) -> Floats:
        """A point as a matrix of shape (rows, columns)."""
        return vector(point, self.dimension, "the point").reshape(self.rows, self.columns)

    def _project(self, point: Floats) -> Floats:
        left, values, right = np.linalg.svd(self.matrix(point), full_matrices=False)
        if values.sum() <= self.radius:
            return np.array(point, dtype=np.float64)
        return ((left * shrink_to_sum(values, self.radius)) @ right).ravel()

    def _minimiser(self, direction: Floats) -> Floats:
        left, _, right = np.linalg.svd(self.matrix(direction), full_matrices=False)
        return -self.radius * np.outer(left[:, 0], right[0]).ravel()

    def _norm(self, point: Floats) -> float:
        return float(np.linalg.svd(self.matrix(point), compute_uv=False).sum())
