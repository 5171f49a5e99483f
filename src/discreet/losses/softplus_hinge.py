"""The softplus hinge, a smooth stand-in for the hinge loss of the support vector machine.

    l(m) = T log(1 + exp((1 - m) / T)),   l'(m) = -s,   l''(m) = s (1 - s) / T,   s = 1 / (1 + exp((m - 1) / T)),   T > 0 the temperature

So |l'| <= 1, 0 <= l'' <= 1 / (4 T), kappa(q) = q (1 - q) / T: Gaussian objective perturbation runs without slack once
lambda >= R^2 / (T epsilon) (proof note objective_perturbation.md, corollary 1). T -> 0 is the hinge, which no smooth mechanism admits.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, is_finite, namespace
from discreet.core.errors import InvalidInput
from discreet.losses.base import MarginLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftplusHinge(MarginLoss):
    """Softplus hinge T log(1 + exp((1 - m) / T)) of the margin m."""

    name = "softplus-hinge"
    lipschitz = 1.0
    temperature: float = 0.25
    """Width of the bend, in units of the margin."""

    def __post_init__(self) -> None:
        """Refuse a temperature that is not a positive finite number."""
        if not (is_finite(self.temperature) and self.temperature > 0):
            raise InvalidInput(f"the softplus hinge needs a temperature > 0; {self.temperature!r} was given. Try 0.25.")

    @property
    def smoothness(self) -> float:
        """sup l'' = 1 / (4 T), at m = 1."""
        return 0.25 / self.temperature

    @property
    def slope_curvature_ratio(self) -> float:
        """l'' = q (1 - q) / T exactly."""
        return 1.0 / self.temperature

    def value(self, margins: Floats) -> Floats:
        """From the exponential of a non-positive number, so nothing overflows."""
        scaled = (margins - 1.0) / self.temperature
        xp = namespace(margins)
        value: Floats = self.temperature * (xp.log1p(xp.exp(-xp.abs(scaled))) + xp.clip(-scaled, 0.0, None))
        return value

    def slope(self, margins: Floats) -> Floats:
        """-1 / (1 + e^((m - 1) / T)); the exponential of at most 700 does not overflow."""
        xp = namespace(margins)
        slope: Floats = -1.0 / (1.0 + xp.exp(xp.clip((margins - 1.0) / self.temperature, None, 700.0)))
        return slope

    def curvature(self, margins: Floats) -> Floats:
        """s (1 - s) / T, symmetric about m = 1."""
        xp = namespace(margins)
        decay = xp.exp(-xp.abs(margins - 1.0) / self.temperature)
        curvature: Floats = decay / (self.temperature * xp.square(1.0 + decay))
        return curvature

    def curvature_on_slopes(self, low: Floats, high: Floats) -> Floats:
        """q (1 - q) / T rises up to q = 1/2 and falls after it."""
        steepest = np.clip(0.5, low, high)
        return steepest * (1.0 - steepest) / self.temperature
