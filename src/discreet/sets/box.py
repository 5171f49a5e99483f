"""The box { lower_j <= x_j <= upper_j }: a public range for each weight.

projection          each coordinate clipped                                 O(d)
linear minimiser    lower_j where v_j > 0, upper_j where v_j < 0, the middle where v_j = 0
radii               l2: |m|_2, l1: |m|_1 with m_j = max(|lower_j|, |upper_j|)        diameter: |upper - lower|_2
width               sum_j (upper_j - lower_j) / sqrt(2 pi)                   (exact; translations do not change it)
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.short import short_repr
from discreet.sets.base import Constraint, outward, read_only
from discreet.sets.thresholds import norm2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Box(Constraint):
    """Points between two corners. Equality is identity; compare `parameters` for values."""

    name = "box"
    width_is_exact = True
    lower: Floats
    """Shape (d,); a read-only copy is kept."""
    upper: Floats
    """Shape (d,), at least `lower` everywhere."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Keep copies that nobody can change; refuse an empty box."""
        object.__setattr__(self, "lower", read_only(self.lower, 1, "the lower corner of a box"))
        object.__setattr__(self, "upper", read_only(self.upper, 1, "the upper corner of a box"))
        if self.lower.shape != self.upper.shape or (self.lower > self.upper).any():
            raise InvalidInput("a box needs corners of one shape with lower <= upper in every coordinate; swap or correct the corners.")
        if max(np.abs(self.lower).max(), np.abs(self.upper).max()) > 1e150:
            raise InvalidInput("a box needs corners within 1e150 of 0, so that lengths are finite numbers.")

    @property
    def dimension(self) -> int:
        """d."""
        return int(self.lower.size)

    @property
    def symmetric(self) -> bool:
        """Whether the corners are opposite."""
        return bool((self.lower == -self.upper).all())

    @property
    def diameter(self) -> float:
        """Between the corners, rounded up."""
        return outward(norm2(self.upper - self.lower), self.dimension)

    def _radii(self) -> tuple[float, float]:
        farthest = np.maximum(np.abs(self.lower), np.abs(self.upper))
        return norm2(farthest), float(farthest.sum())

    def _width(self) -> float:
        return float((self.upper - self.lower).sum()) / math.sqrt(2.0 * math.pi)

    def _project(self, point: Floats) -> Floats:
        return np.clip(point, self.lower, self.upper)

    def _minimiser(self, direction: Floats) -> Floats:
        middle = self.lower + (self.upper - self.lower) / 2.0
        return np.where(direction > 0.0, self.lower, np.where(direction < 0.0, self.upper, middle))

    def _holds(self, point: Floats, tolerance: float) -> bool:
        room = tolerance * self.l2_radius
        return bool((point >= self.lower - room).all() and (point <= self.upper + room).all())
