"""The hinge loss of the support vector machine itself, kink included.

    l(f; y) = max(0, 1 - y f),   l' = -y where y f < 1, else 0

So |l'| <= b for |y| <= b (targets are +1 and -1, b = 1). It has no second derivative at y f = 1, so methods that need smoothness refuse it; mirror
descent does not. Classes as +1 and -1.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.losses.huber_hinge import HuberHinge
from discreet.losses.predictions.base import PredictionLoss
from discreet.losses.predictions.of_margin import OfMargin


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinge(PredictionLoss):
    """Hinge loss max(0, 1 - y f)."""

    name = "hinge"
    signed_targets = True

    def lipschitz(self, reach: float, target_bound: float) -> float:  # noqa: ARG002 - the same for all predictions
        """b."""
        return target_bound

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - for no target
        """None: the slope jumps at y f = 1."""
        return np.inf

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """max(0, 1 - y f)."""
        return np.maximum(0.0, 1.0 - targets * predictions)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """-y where the rounded product y f is below 1 (for y = +1 and -1 it is exact)."""
        return np.where(targets * predictions < 1.0, -targets, 0.0)

    def smoothed(self, width: float) -> tuple[PredictionLoss, float, float]:
        """The Huber hinge, up to h / 4 above."""
        return OfMargin(loss=HuberHinge(half_width=width)), 1.0, width / 4.0
