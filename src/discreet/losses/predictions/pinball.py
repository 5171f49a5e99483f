"""The pinball loss of quantile regression (Koenker and Bassett 1978).

    l(f; y) = max(q (y - f), (1 - q) (f - y)),   l' = -q for f < y, 1 - q for f > y,   kink at f = y

The least mean loss is at the q-quantile of the targets, given the row; q = 1/2 is half the absolute loss.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.losses.predictions.base import PredictionLoss
from discreet.losses.predictions.smooth_pinball import SmoothPinball


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinball(PredictionLoss):
    """Pinball loss of the quantile q."""

    name = "pinball"
    quantile: float = 0.5
    """q, in (0, 1): the share of targets to lie below the prediction."""

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        if not (is_finite(self.quantile) and 0.0 < self.quantile < 1.0):
            raise InvalidInput(f"the pinball loss needs 0 < quantile < 1; {self.quantile!r} was given. Try 0.5, for the median.")

    def lipschitz(self, reach: float, target_bound: float) -> float:  # noqa: ARG002 - the same everywhere
        """max(q, 1 - q)."""
        return max(self.quantile, 1.0 - self.quantile)

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """None: the slope jumps at f = y."""
        return np.inf

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """max(q (y - f), (1 - q) (f - y))."""
        ahead = targets - predictions
        return np.maximum(self.quantile * ahead, (self.quantile - 1.0) * ahead)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """-q below the target, 1 - q above it, 0 at the kink; the difference of two floats is zero only if they are equal, so its sign is exact."""
        return np.where(predictions < targets, -self.quantile, np.where(predictions > targets, 1.0 - self.quantile, 0.0))

    def smoothed(self, width: float) -> tuple[PredictionLoss, float, float]:
        """Its Moreau envelope, from h / 2 below."""
        return SmoothPinball(quantile=self.quantile, width=width), 1.0, 0.0
