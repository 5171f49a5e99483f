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
from discreet.core.validate import positive, whole
from discreet.sets.base import TOLERANCE
from discreet.sets.checks import outward, vector


@dataclass(frozen=True, slots=True, kw_only=True)
class LInfinityBall:
    """Points whose coordinates are at most `radius` in absolute value."""

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
        return "linfinity-ball"

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
        """At the corners."""
        return outward(self.radius * math.sqrt(self.dimension), self.dimension)

    @property
    def l1_radius(self) -> float:
        """At the corners."""
        return outward(self.radius * self.dimension, self.dimension)

    @property
    def diameter(self) -> float:
        """Between opposite corners."""
        return 2.0 * self.l2_radius

    @property
    def gaussian_width(self) -> float:
        """Each coordinate contributes r E |g_j|."""
        return self.radius * self.dimension * math.sqrt(2.0 / math.pi)

    @property
    def width_is_exact(self) -> bool:
        """Yes."""
        return True

    def project(self, point: Floats) -> Floats:
        """Clipped."""
        return np.clip(vector(point, self.dimension, "the point"), -self.radius, self.radius)

    def linear_minimiser(self, direction: Floats) -> Floats:
        """A corner."""
        return -self.radius * np.sign(vector(direction, self.dimension, "the direction"))

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """|x|_inf <= r (1 + tolerance)."""
        return bool(np.abs(vector(point, self.dimension, "the point")).max() <= self.radius * (1.0 + tolerance))
