"""The part of a Euclidean ball with no negative coordinate: { x >= 0, |x|_2 <= r }.

projection          negative coordinates to 0, then shortened (a cone and a ball around its tip: one after the other is the nearest point)
linear minimiser    r (-v)_+ / |(-v)_+|, or 0 where v >= 0
radii               l2: r, l1: r sqrt(d)            diameter: at most r sqrt(2), reached between two axes
width               at most r E |(g)_+| <= r sqrt(d / 2)
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.sets.base import Ball
from discreet.sets.thresholds import norm2


@dataclass(frozen=True, slots=True, kw_only=True)
class PositiveBall(Ball):
    """Points of length at most `radius` without a negative coordinate."""

    name = "positive-ball"
    width_is_exact = False
    symmetric = False
    dimension: int
    """d >= 1."""
    radius: float = 1.0
    """r > 0."""

    def _radii(self) -> tuple[float, float]:
        return self.radius, self.radius * math.sqrt(self.dimension)

    def _width(self) -> float:
        return self.radius * math.sqrt(self.dimension / 2.0)

    def _project(self, point: Floats) -> Floats:
        kept = np.maximum(point, 0.0)
        length = norm2(kept)
        return kept if length <= self.radius else kept * (self.radius / length)

    def _minimiser(self, direction: Floats) -> Floats:
        along = np.maximum(-direction, 0.0)
        length = norm2(along)
        return along if length == 0 else along * (self.radius / length)

    def _norm(self, point: Floats) -> float:
        return norm2(point)

    def _holds(self, point: Floats, tolerance: float) -> bool:
        return norm2(point) <= self.radius * (1.0 + tolerance) and bool(np.all(point >= -self.radius * tolerance))
