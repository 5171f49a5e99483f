"""The Huber hinge of Chaudhuri, Monteleoni and Sarwate (2011), section 3.4.2 (after Chapelle 2007).

    l(m) = 0                        for m > 1 + h
           (1 + h - m)^2 / (4 h)    for |1 - m| <= h
           1 - m                    for m < 1 - h

So |l'| <= 1 and l'' <= 1 / (2 h), reached at every slope: kappa(q) = 1 / (2 h) on (0, 1], so the Jacobian term of objective perturbation never
vanishes (unlike for the softplus hinge, which asks about 1.6 times less noise at the same budget).
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, is_finite, namespace
from discreet.core.errors import InvalidInput
from discreet.losses.base import MarginLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class HuberHinge(MarginLoss):
    """Huber hinge of half-width h, quadratic for margins within h of 1."""

    name = "huber-hinge"
    lipschitz = 1.0
    slope_curvature_ratio = np.inf
    half_width: float = 0.5
    """h, in units of the margin."""

    def __post_init__(self) -> None:
        """Refuse a half-width that is not a positive finite number."""
        if not (is_finite(self.half_width) and self.half_width > 0):
            raise InvalidInput(f"the Huber hinge needs a half_width > 0; {self.half_width!r} was given. Try 0.5.")

    @property
    def smoothness(self) -> float:
        """sup l'' = 1 / (2 h)."""
        return 0.5 / self.half_width

    def value(self, margins: Floats) -> Floats:
        """With t = clip(1 + h - m, 0, 2h): t^2 / (4h), plus the linear part beyond 2h."""
        reach = 1.0 + self.half_width - margins
        xp = namespace(margins)
        bend = xp.clip(reach, 0.0, 2.0 * self.half_width)
        value: Floats = xp.square(bend) * (0.25 / self.half_width) + xp.clip(reach - 2.0 * self.half_width, 0.0, None)
        return value

    def slope(self, margins: Floats) -> Floats:
        """-clip(1 + h - m, 0, 2h) / (2h)."""
        xp = namespace(margins)
        slope: Floats = xp.clip(1.0 + self.half_width - margins, 0.0, 2.0 * self.half_width) * (-0.5 / self.half_width)
        return slope

    def curvature(self, margins: Floats) -> Floats:
        """1 / (2h) on the closed bend, 0 off it."""
        xp = namespace(margins)
        within = xp.abs(margins - 1.0) <= self.half_width
        curvature: Floats = xp.where(within, xp.full_like(margins, self.smoothness), xp.zeros_like(margins))
        return curvature

    def curvature_on_slopes(self, low: Floats, high: Floats) -> Floats:
        """1 / (2h) at every slope (at 0 and 1 as the limit at the edge of the bend)."""
        return np.full(np.broadcast(low, high).shape, self.smoothness)
