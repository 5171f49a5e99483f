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
from discreet.core.validate import positive, whole
from discreet.sets.base import TOLERANCE
from discreet.sets.checks import outward, vector
from discreet.sets.extremes import mean_chi
from discreet.sets.thresholds import shrink_to_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class NuclearBall:
    """Matrices (rows, columns), flattened to points of shape (rows * columns,), whose singular values sum to at most `radius`."""

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
        positive(self.radius, "the radius")

    @property
    def name(self) -> str:
        """Name in files."""
        return "nuclear-ball"

    @property
    def parameters(self) -> dict[str, object]:
        """Shape and radius."""
        return {"rows": self.rows, "columns": self.columns, "radius": self.radius}

    @property
    def dimension(self) -> int:
        """p q."""
        return self.rows * self.columns

    @property
    def symmetric(self) -> bool:
        """Yes."""
        return True

    @property
    def l2_radius(self) -> float:
        """At the matrices of rank one."""
        return outward(self.radius, 64 * self.dimension)

    @property
    def l1_radius(self) -> float:
        """At the rank-one matrix of equal entries."""
        return outward(self.radius * math.sqrt(self.dimension), 64 * self.dimension)

    @property
    def diameter(self) -> float:
        """Twice the radius."""
        return 2.0 * self.l2_radius

    @property
    def gaussian_width(self) -> float:
        """Gordon's bound, or that of the Euclidean ball if it is smaller."""
        return self.radius * min(math.sqrt(self.rows) + math.sqrt(self.columns), mean_chi(self.dimension))

    @property
    def width_is_exact(self) -> bool:
        """Only for vectors, where the set is a Euclidean ball."""
        return min(self.rows, self.columns) == 1

    def matrix(self, point: Floats) -> Floats:
        """A point as a matrix of shape (rows, columns)."""
        return vector(point, self.dimension, "the point").reshape(self.rows, self.columns)

    def project(self, point: Floats) -> Floats:
        """Singular values shrunk by one threshold."""
        left, values, right = np.linalg.svd(self.matrix(point), full_matrices=False)
        if values.sum() <= self.radius:
            return np.array(point, dtype=np.float64)
        return ((left * shrink_to_sum(values, self.radius)) @ right).ravel()

    def linear_minimiser(self, direction: Floats) -> Floats:
        """A matrix of rank one."""
        left, _, right = np.linalg.svd(self.matrix(direction), full_matrices=False)
        return -self.radius * np.outer(left[:, 0], right[0]).ravel()

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """The singular values sum to at most r (1 + tolerance)."""
        return bool(np.linalg.svd(self.matrix(point), compute_uv=False).sum() <= self.radius * (1.0 + tolerance))
