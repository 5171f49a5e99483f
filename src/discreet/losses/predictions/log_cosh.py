"""The log-cosh loss: a Huber loss without corners.

    l(f; y) = a^2 log cosh((f - y) / a),   l' = a tanh((f - y) / a),   l'' = 1 - tanh^2 <= 1

So |l'| <= a tanh((r + b) / a): quadratic within about a of the target, linear with slope a far from it.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising
from discreet.losses.predictions.base import PredictionLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class LogCosh(PredictionLoss):
    """Log-cosh loss of width a."""

    name = "log-cosh"
    width: float = 1.0
    """a, in units of the target."""

    def __post_init__(self) -> None:
        """Refuse a width that is not a positive finite number."""
        if not (is_finite(self.width) and self.width > 0):
            raise InvalidInput(f"the log-cosh loss needs a width > 0; {self.width!r} was given. Try 1.0.")

    def lipschitz(self, reach: float, target_bound: float) -> float:
        """a tanh((r + b) / a), rounded up."""
        return self.width * math.tanh((reach + target_bound) / self.width) * raising(4)

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """1, at f = y."""
        return 1.0

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """From log cosh t = |t| + log1p(e^{-2 |t|}) - log 2 far out and log1p(2 sinh^2(t / 2)) near zero: nothing overflows or cancels."""
        scaled = np.abs(predictions - targets) / self.width
        near = np.log1p(2.0 * np.square(np.sinh(0.5 * np.minimum(scaled, 1.0))))
        far = scaled + np.log1p(np.exp(-2.0 * scaled)) - math.log(2.0)
        return self.width**2 * np.where(scaled < 1.0, near, far)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """a tanh((f - y) / a)."""
        return self.width * np.tanh((predictions - targets) / self.width)
