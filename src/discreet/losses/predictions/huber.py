"""The Huber loss of robust regression, quadratic near the target and linear beyond.

    l(f; y) = (f - y)^2 / 2            for |f - y| <= h
              h |f - y| - h^2 / 2      beyond;            l' = clip(f - y, -h, h),   l'' <= 1

So |l'| <= min(h, r + b). It is half the squared loss with its slope clipped (Huber 1964).
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.losses.predictions.base import PredictionLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class HuberLoss(PredictionLoss):
    """Huber loss of half-width h."""

    name = "huber"
    half_width: float = 1.0
    """h, in units of the target."""

    def __post_init__(self) -> None:
        """Refuse a half-width that is not a positive finite number."""
        if not (is_finite(self.half_width) and self.half_width > 0):
            raise InvalidInput(f"the Huber loss needs a half_width > 0; {self.half_width!r} was given. Try 1.0.")

    def lipschitz(self, reach: float, target_bound: float) -> float:
        """min(h, r + b)."""
        return min(self.half_width, reach + target_bound)

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """1."""
        return 1.0

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """With a = |f - y| and c = min(a, h): c (a - c / 2)."""
        distance = np.abs(predictions - targets)
        near = np.minimum(distance, self.half_width)
        return near * (distance - 0.5 * near)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """clip(f - y, -h, h)."""
        return np.clip(predictions - targets, -self.half_width, self.half_width)
