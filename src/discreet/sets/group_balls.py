"""Balls of norms over consecutive blocks of coordinates, and sums, largest entries and norms by block."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, logsumexp

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.rounding import raising
from discreet.core.short import short_repr
from discreet.core.validate import whole
from discreet.sets.base import Ball
from discreet.sets.extremes import mean_largest_chi
from discreet.sets.thresholds import shrink_to_sum, tempered


def checked_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """The sizes as a tuple; raises InvalidInput unless there is one at least, and all are positive integers."""
    found = tuple(sizes)
    if not found:
        raise InvalidInput("the sizes of groups must be a non-empty sequence of positive integers; none was given.")
    for size in found:
        whole(size, "the size of a group")
    return tuple(int(size) for size in found)


def starts(sizes: tuple[int, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The first index of each block."""
    return np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64)


def block_norms(values: Floats, sizes: tuple[int, ...]) -> Floats:
    """|values_B|_2 for each block, shape (m,)."""
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0:
        return np.zeros(len(sizes))
    return largest * np.sqrt(np.add.reduceat(np.square(values / largest), starts(sizes)))


def block_sums(values: Floats, sizes: tuple[int, ...]) -> Floats:
    """The sum of each block, shape (m,)."""
    return np.add.reduceat(values, starts(sizes))


def block_largest(values: Floats, sizes: tuple[int, ...]) -> Floats:
    """The largest entry of each block, shape (m,)."""
    return np.maximum.reduceat(values, starts(sizes))


def block_slice(index: int, sizes: tuple[int, ...]) -> slice:
    """Where a block is among the coordinates."""
    first = sum(sizes[:index])
    return slice(first, first + sizes[index])


def spread(values: Floats, sizes: tuple[int, ...]) -> Floats:
    """Each block's number in all its coordinates, shape (d,)."""
    return np.repeat(values, sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBall(Ball):
    """Points whose blocks have norms that sum to at most `radius`."""

    sizes: tuple[int, ...]
    """How many coordinates each block has, in order; they sum to d."""
    radius: float = 1.0
    """r > 0."""

    def __post_init__(self) -> None:
        """Refuse empty groups."""
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        Ball.__post_init__(self)

    @property
    def dimension(self) -> int:
        """d."""
        return sum(self.sizes)

    @property
    def width_is_exact(self) -> bool:
        """Only where there is one group."""
        return len(self.sizes) == 1


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
    raise SolverFailure(f"the projection onto a group ball of {len(sizes)} groups did not converge in {_STEPS} steps; rescale the point.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupL2Ball(GroupBall):
    """The group-LASSO ball { sum_B |x_B|_2 <= r } over m consecutive blocks B.

        projection          blocks scaled to the l1 projection of their norms        O(d + m log m)
        linear minimiser    -r v_B / |v_B|_2 on the block with the largest |v_B|_2
        radii               l2: r        l1: r sqrt(k), k the largest block        diameter: 2 r
        width               r E max_B |g_B|_2 <= r (sqrt(k) + sqrt(2 ln m))          (upper bound within 1e-3 r, by quadrature from above)

    Groups that are not consecutive become so when the columns of the features are permuted.
    """

    name = "group-l2-ball"

    __repr__ = short_repr

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


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLInfinityBall(GroupBall):
    """The l1/l-infinity group ball { sum_B max_{j in B} |x_j| <= r } over m consecutive blocks B: groups enter and leave as a whole.

        projection          min(|x_j|, t_B) with sum_B t_B = r, where every block with t_B > 0 loses the same sum_j (|x_j| - t_B)_+ = theta
                            O(d log d) and Newton steps of O(d)                      Quattoni, Carreras, Collins and Darrell (2009)
        linear minimiser    -r sign(v_B) on the block with the largest |v_B|_1
        radii               l2: r sqrt(k), k the largest block        l1: r k        diameter: 2 r sqrt(k)
        width               r E max_B |g_B|_1 <= r min_t (1/t) ln sum_B E exp(t |g_B|_1), E exp(t |g_1|) = 2 exp(t^2 / 2) Phi(t) (upper bound: Jensen;
                            at most r (k sqrt(2 / pi) + sqrt(2 k ln m)); r k sqrt(2 / pi) exactly for m = 1)

    As a function of theta, sum_B t_B is decreasing, convex and piecewise linear, so Newton's method from theta = 0 climbs to the root in finitely
    many steps.
    """

    name = "group-linfinity-ball"

    __repr__ = short_repr

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
