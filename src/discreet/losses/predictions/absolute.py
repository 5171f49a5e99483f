"""The absolute loss of least absolute deviations.

l(f; y) = |y - f|,   l' = sign(f - y),   kink at f = y
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.losses.predictions.base import PredictionLoss
from discreet.losses.predictions.huber import HuberLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class Absolute(PredictionLoss):
    """Absolute loss |y - f|."""

    name = "absolute"

    def lipschitz(self, reach: float, target_bound: float) -> float:  # noqa: ARG002 - the same everywhere
        """1."""
        return 1.0

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """None: the slope jumps at f = y."""
        return np.inf

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """|y - f|."""
        return np.abs(targets - predictions)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """sign(f - y), 0 at the kink; the difference of two floats is zero only if they are equal, so its sign is exact."""
        return np.sign(predictions - targets)

    def smoothed(self, width: float) -> tuple[PredictionLoss, float, float]:
        """The Huber loss over h, from h / 2 below."""
        return HuberLoss(half_width=width), width, 0.0
