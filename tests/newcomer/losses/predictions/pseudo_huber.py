"""The pseudo-Huber loss: l(f; y) = sqrt(1 + (f - y)^2) - 1, l' = (f - y) / sqrt(1 + (f - y)^2), l'' <= 1."""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.losses.predictions.base import PredictionLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudoHuber(PredictionLoss):
    """Squares near the target, distances far from it."""

    name = "pseudo-huber"
    of_residuals = True

    def lipschitz(self, reach: float, target_bound: float) -> float:
        """At the longest residual, r + b."""
        return float((reach + target_bound) / np.hypot(1.0, reach + target_bound))

    def smoothness(self, target_bound: float) -> float:
        """1."""
        return 1.0

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """r^2 / (1 + sqrt(1 + r^2)), without cancellation."""
        residuals = predictions - targets
        return np.square(residuals) / (1.0 + np.hypot(1.0, residuals))

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """r / sqrt(1 + r^2)."""
        residuals = predictions - targets
        return residuals / np.hypot(1.0, residuals)
