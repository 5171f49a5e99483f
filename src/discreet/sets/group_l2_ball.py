"""The group-LASSO ball { sum_B |x_B|_2 <= r } over m consecutive blocks B.

    projection          blocks scaled to the l1 projection of their norms        O(d + m log m)
    linear minimiser    -r v_B / |v_B|_2 on the block with the largest |v_B|_2
    radii               l2: r        l1: r sqrt(k), k the largest block        diameter: 2 r
    width               r E max_B |g_B|_2 <= r (sqrt(k) + sqrt(2 ln m))          (upper bound within 1e-3 r, by quadrature from above)

Groups that are not consecutive become so when the columns of the features are permuted.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.validate import positive
from discreet.sets.base import TOLERANCE
from discreet.sets.blocks import block_norms, checked_sizes, spread, starts
from discreet.sets.checks import outward, vector
from discreet.sets.extremes import mean_largest_chi
from discreet.sets.thresholds import shrink_to_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupL2Ball:
    """Points whose blocks have Euclidean norms that sum to at most `radius`."""

    sizes: tuple[int, ...]
    """How many coordinates each block has, in order; they sum to d."""
    radius: float = 1.0
    """r > 0."""

    def __post_init__(self) -> None:
        """Refuse empty groups."""
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        positive(self.radius, "the radius")

    @property
    def name(self) -> str:
        """Name in files."""
        return "group-l2-ball"

    @property
    def parameters(self) -> dict[str, object]:
        """Sizes and radius."""
        return {"sizes": list(self.sizes), "radius": self.radius}

    @property
    def dimension(self) -> int:
        """d."""
        return sum(self.sizes)

    @property
    def symmetric(self) -> bool:
        """Yes."""
        return True

    @property
    def l2_radius(self) -> float:
        """Where all lies in one block."""
        return outward(self.radius, self.dimension)

    @property
    def l1_radius(self) -> float:
        """On the diagonal of the largest block."""
        return outward(self.radius * math.sqrt(max(self.sizes)), self.dimension)

    @property
    def diameter(self) -> float:
        """Twice the radius."""
        return 2.0 * self.l2_radius

    @property
    def gaussian_width(self) -> float:
        """Radius times the mean of the largest block of Gaussian noise, from above."""
        return self.radius * mean_largest_chi(self.sizes)

    @property
    def width_is_exact(self) -> bool:
        """Only where there is one group."""
        return len(self.sizes) == 1

    def project(self, point: Floats) -> Floats:
        """Block norms shrunk by one threshold."""
        point = vector(point, self.dimension, "the point")
        norms = block_norms(point, self.sizes)
        if norms.sum() <= self.radius:
            return point.copy()
        shrunk = shrink_to_sum(norms, self.radius)
        return (point / spread(np.where(norms > 0.0, norms, 1.0), self.sizes)) * spread(shrunk, self.sizes)

    def linear_minimiser(self, direction: Floats) -> Floats:
        """Against the direction in its longest block; the origin if the direction is 0."""
        direction = vector(direction, self.dimension, "the direction")
        norms = block_norms(direction, self.sizes)
        longest = int(np.argmax(norms))
        found = np.zeros(self.dimension)
        if norms[longest] > 0.0:
            first = int(starts(self.sizes)[longest])
            block = slice(first, first + self.sizes[longest])
            found[block] = (direction[block] / norms[longest]) * -self.radius
        return found

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """sum_B |x_B|_2 <= r (1 + tolerance)."""
        point = vector(point, self.dimension, "the point")
        return bool(block_norms(point, self.sizes).sum() <= self.radius * (1.0 + tolerance))
