"""The l1/l-infinity group ball { sum_B max_{j in B} |x_j| <= r } over m consecutive blocks B: groups enter and leave as a whole.

    projection          min(|x_j|, t_B) with sum_B t_B = r, where every block with t_B > 0 loses the same sum_j (|x_j| - t_B)_+ = theta
                        O(d log d) and Newton steps of O(d)                      Quattoni, Carreras, Collins and Darrell (2009)
    linear minimiser    -r sign(v_B) on the block with the largest |v_B|_1
    radii               l2: r sqrt(k), k the largest block        l1: r k        diameter: 2 r sqrt(k)
    width               r E max_B |g_B|_1 <= r min_t (1/t) ln sum_B E exp(t |g_B|_1), E exp(t |g_1|) = 2 exp(t^2 / 2) Phi(t)     (upper bound: Jensen;
                        at most r (k sqrt(2 / pi) + sqrt(2 k ln m)); r k sqrt(2 / pi) exactly for m = 1)

As a function of theta, sum_B t_B is decreasing, convex and piecewise linear, so Newton's method from theta = 0 climbs to the root in finitely many
steps.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, logsumexp

from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure
from discreet.core.rounding import raising
from discreet.sets.blocks import GroupBall, block_largest, block_slice, block_sums, spread, starts
from discreet.sets.thresholds import tempered

_STEPS = 1000
"""Newton steps at most; a dozen is usual, each new one has other counts of clipped coordinates."""


def _levels(magnitudes: Floats, sizes: tuple[int, ...], total: float) -> Floats:
    """The t_B, shape (m,), for magnitudes (d,) >= 0 whose block maxima sum to more than `total`."""
    block = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-magnitudes, block))
    ordered = magnitudes[order]
    top = spread(ordered[starts(sizes)], sizes)
    drop = top - ordered
    """How far each lies below its block's largest: differences are small where magnitudes are large."""
    rank = np.arange(ordered.size) - spread(starts(sizes).astype(np.float64), sizes) + 1.0
    running = np.cumsum(drop)
    before = running[starts(sizes)] - drop[starts(sizes)]
    fallen = running - spread(before, sizes)
    """Sum of drops of the block's first `rank` entries."""
    loss = rank * drop - fallen
    """What the block loses when cut down to this entry; it rises with the rank."""
    largest = ordered[starts(sizes)]
    theta = 0.0
    for _ in range(_STEPS):
        counts = np.maximum(block_sums((loss <= theta).astype(np.float64), sizes), 1.0)
        fall = block_sums(np.where(rank <= spread(counts, sizes), drop, 0.0), sizes)  # anew: running sums carry the errors of other blocks
        levels = largest - (theta + fall) / counts
        kept = levels > 0.0
        excess = float(levels[kept].sum()) - total
        step = excess / float((1.0 / counts[kept]).sum()) if kept.any() else 0.0
        if step <= 4e-16 * theta:
            found = np.where(kept, levels, 0.0)
            return found * (total / found.sum())
        theta += step
    raise SolverFailure(f"the projection onto a group ball of {len(sizes)} groups did not end in {_STEPS} steps; rescale the point.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLInfinityBall(GroupBall):
    """Points whose blocks have largest absolute coordinates that sum to at most `radius`."""

    name = "group-linfinity-ball"

    def _radii(self) -> tuple[float, float]:
        return self.radius * math.sqrt(max(self.sizes)), self.radius * max(self.sizes)

    def _width(self) -> float:
        largest, sizes = max(self.sizes), np.array(self.sizes, dtype=np.float64)
        if len(self.sizes) == 1:
            return self.radius * largest * math.sqrt(2.0 / math.pi)
        best = math.sqrt(2.0 * math.log(len(self.sizes)) / largest)
        bounds = [float(logsumexp(sizes * (math.log(2.0) + t * t / 2.0 + log_ndtr(t)))) / t for t in (best * np.geomspace(0.2, 20.0, 200)).tolist()]
        return self.radius * min(bounds) * raising(45_000)

    def _project(self, point: Floats) -> Floats:
        magnitudes = np.abs(point)
        if block_largest(magnitudes, self.sizes).sum() <= self.radius:
            return point.copy()
        magnitudes = tempered(magnitudes, self.radius)
        levels = _levels(magnitudes, self.sizes, self.radius)
        return np.copysign(np.minimum(magnitudes, spread(levels, self.sizes)), point)

    def _minimiser(self, direction: Floats) -> Floats:
        heaviest = int(np.argmax(block_sums(np.abs(direction), self.sizes)))
        found, block = np.zeros(self.dimension), block_slice(heaviest, self.sizes)
        found[block] = -self.radius * np.sign(direction[block])
        return found

    def _norm(self, point: Floats) -> float:
        return float(block_largest(np.abs(point), self.sizes).sum())
