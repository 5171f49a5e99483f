"""A smooth hinge: l(m) = (sqrt(m^2 + 4) - m) / 2, with q = |l'| = (1 - m / sqrt(m^2 + 4)) / 2 and l'' = 2 (q (1 - q))^(3/2).

So |l'| <= 1, l'' <= 1/4, at m = 0, and l'' <= q (1 - q), near which it is at q = 1/2 only.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, namespace
from discreet.losses.base import MarginLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class SquarePlus(MarginLoss):
    """(sqrt(m^2 + 4) - m) / 2."""

    name = "square-plus"
    lipschitz = 1.0
    smoothness = 0.25
    slope_curvature_ratio = 1.0

    def value(self, margins: Floats) -> Floats:
        """Without cancellation where m is large."""
        xp = namespace(margins)
        value: Floats = 2.0 / (xp.sqrt(xp.square(margins) + 4.0) + xp.abs(margins)) + xp.clip(-margins, 0.0, None)
        return value

    def slope(self, margins: Floats) -> Floats:
        """(m / sqrt(m^2 + 4) - 1) / 2."""
        xp = namespace(margins)
        slope: Floats = 0.5 * (margins / xp.sqrt(xp.square(margins) + 4.0) - 1.0)
        return slope

    def curvature(self, margins: Floats) -> Floats:
        """2 / (m^2 + 4)^(3/2)."""
        xp = namespace(margins)
        curvature: Floats = 2.0 / (xp.square(margins) + 4.0) ** 1.5
        return curvature

    def curvature_on_slopes(self, low: Floats, high: Floats) -> Floats:
        """2 (q (1 - q))^(3/2) rises up to q = 1/2 and falls after it."""
        steepest = np.clip(0.5, low, high)
        return 2.0 * (steepest * (1.0 - steepest)) ** 1.5
