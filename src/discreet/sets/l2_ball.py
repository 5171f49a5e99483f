"""The Euclidean ball { |x|_2 <= r }.

projection          x min(1, r / |x|_2)                                     O(d)
linear minimiser    -r v / |v|_2
radii               l2: r        l1: r sqrt(d)        diameter: 2 r
width               r E |g|_2 = r sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2), between r sqrt(d - 1/2) and r sqrt(d)     (exact)
"""

import math
from dataclasses import dataclass

from discreet.core.arrays import Floats
from discreet.core.validate import positive, whole
from discreet.sets.base import TOLERANCE
from discreet.sets.checks import outward, vector
from discreet.sets.extremes import mean_chi
from discreet.sets.thresholds import norm2


@dataclass(frozen=True, slots=True, kw_only=True)
class L2Ball:
    """Points of Euclidean norm at most `radius`."""

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
        return "l2-ball"

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
        """The radius itself."""
        return outward(self.radius, self.dimension)

    @property
    def l1_radius(self) -> float:
        """Reached where all coordinates are equal."""
        return outward(self.radius * math.sqrt(self.dimension), self.dimension)

    @property
    def diameter(self) -> float:
        """Twice the radius."""
        return 2.0 * self.l2_radius

    @property
    def gaussian_width(self) -> float:
        """Radius times the mean of a chi variable."""
        return self.radius * mean_chi(self.dimension)

    @property
    def width_is_exact(self) -> bool:
        """Yes."""
        return True

    def project(self, point: Floats) -> Floats:
        """Scaled towards the origin."""
        point = vector(point, self.dimension, "the point")
        length = norm2(point)
        return point.copy() if length <= self.radius else (point / length) * self.radius

    def linear_minimiser(self, direction: Floats) -> Floats:
        """Against the direction, to the boundary; the origin if the direction is 0."""
        direction = vector(direction, self.dimension, "the direction")
        length = norm2(direction)
        return direction * 0.0 if length == 0.0 else (direction / length) * -self.radius

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """|x|_2 <= r (1 + tolerance)."""
        return norm2(vector(point, self.dimension, "the point")) <= self.radius * (1.0 + tolerance)
