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
from discreet.sets.blocks import GroupBall, block_norms, block_slice, spread
from discreet.sets.extremes import mean_largest_chi
from discreet.sets.thresholds import shrink_to_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupL2Ball(GroupBall):
    """Points whose blocks have Euclidean norms that sum to at most `radius`."""

    name = "group-l2-ball"

    def _radii(self) -> tuple[float, float]:
        return self.radius, self.radius * math.sqrt(max(self.sizes))

    def _width(self) -> float:
        return self.radius * mean_largest_chi(self.sizes)

    def _project(self, point: Floats) -> Floats:
        norms = block_norms(point, self.sizes)
        if norms.sum() <= self.radius:
            return point.copy()
        shrunk = shrink_to_sum(norms, self.radius)
        return (point / spread(np.where(norms > 0.0, norms, 1.0), self.sizes)) * spread(shrunk, self.sizes)

    def _minimiser(self, direction: Floats) -> Floats:
        norms = block_norms(direction, self.sizes)
        longest = int(np.argmax(norms))
        found = np.zeros(self.dimension)
        if norms[longest] > 0.0:
            block = block_slice(longest, self.sizes)
            found[block] = (direction[block] / norms[longest]) * -self.radius
        return found

    def _norm(self, point: Floats) -> float:
        return float(block_norms(point, self.sizes).sum())
