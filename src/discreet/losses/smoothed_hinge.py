"""The smoothed hinge of Chaudhuri, Monteleoni and Sarwate (2011), eq. (23): a quartic spline, twice continuously differentiable.

With t = (1 - m) / h:

    l(m) = 0                                                      for t < -1
           h (-t^4 / 16 + 3 t^2 / 8 + t / 2 + 3 / 16)             for |t| <= 1
           1 - m                                                  for t > 1
    l'(m) = -(1/2 + 3 t / 4 - t^3 / 4),   l''(m) = (3 / (4 h)) (1 - t^2)

So |l'| <= 1 and l'' <= 3 / (4 h). At slope size q the curvature is kappa(q) = (3 / (4 h)) s (2 - s) with s = 1 + t(q), t(q) the root in [-1, 1] of
3 t - t^3 = 4 q - 2:

    s = sqrt(3) sin(a) + 2 sin(a / 2)^2,   a = (2 / 3) asin(sqrt(q))

kappa is concave, and vanishes at q = 0 and q = 1 like a square root.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, is_finite, namespace
from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising
from discreet.losses.base import MarginLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothedHinge(MarginLoss):
    """Quartic smoothing of the hinge over margins within h of 1."""

    name = "smoothed-hinge"
    lipschitz = 1.0
    slope_curvature_ratio = np.inf
    half_width: float = 0.5
    """h, in units of the margin."""

    def __post_init__(self) -> None:
        """Refuse a half-width that is not a positive finite number."""
        if not (is_finite(self.half_width) and self.half_width > 0):
            raise InvalidInput(f"the smoothed hinge needs a half_width > 0; {self.half_width!r} was given. Try 0.5.")

    @property
    def smoothness(self) -> float:
        """sup l'' = 3 / (4 h), at m = 1."""
        return 0.75 / self.half_width

    def value(self, margins: Floats) -> Floats:
        """The quartic of the clipped t, plus the linear part beyond it."""
        reach = (1.0 - margins) / self.half_width
        xp = namespace(margins)
        t = xp.clip(reach, -1.0, 1.0)
        squared = t * t
        value = self.half_width * (squared * (0.375 - 0.0625 * squared) + 0.5 * t + 0.1875 + xp.clip(reach - 1.0, 0.0, None))
        positive: Floats = xp.clip(value, 0.0, None)
        return positive

    def slope(self, margins: Floats) -> Floats:
        """The cubic of the clipped t."""
        t = namespace(margins).clip((1.0 - margins) / self.half_width, -1.0, 1.0)
        slope: Floats = -(0.5 + t * (0.75 - 0.25 * t * t))
        return slope

    def curvature(self, margins: Floats) -> Floats:
        """(3 / (4 h)) (1 - t^2) on the bend, 0 off it."""
        t = namespace(margins).clip((1.0 - margins) / self.half_width, -1.0, 1.0)
        curvature: Floats = self.smoothness * (1.0 - t * t)
        return curvature

    def curvature_on_slopes(self, low: Floats, high: Floats) -> Floats:
        """kappa at the slope nearest to 1/2, where it peaks; symmetric, so computed from the nearer end, where nothing cancels."""
        steepest = np.clip(0.5, low, high)
        third = np.arcsin(np.sqrt(np.maximum(np.minimum(steepest, 1.0 - steepest), 0.0))) * (2.0 / 3.0)
        s = np.sqrt(3.0) * np.sin(third) + 2.0 * np.square(np.sin(0.5 * third))
        return self.smoothness * np.minimum(1.0, s * (2.0 - s) * raising(45))
