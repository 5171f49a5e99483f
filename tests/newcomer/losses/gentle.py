"""A gentler logistic loss: l(m) = 2 log(1 + exp(-m / 2)), with q = |l'| = 1 / (1 + exp(m / 2)) and l'' = q (1 - q) / 2 <= 1/8."""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.losses.base import MarginLoss
from discreet.losses.logistic import Logistic

_LOGISTIC = Logistic()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gentle(MarginLoss):
    """The logistic loss of half the margin, twice."""

    name = "gentle"
    lipschitz = 1.0
    smoothness = 0.125
    slope_curvature_ratio = 0.5

    def value(self, margins: Floats) -> Floats:
        """2 log(1 + exp(-m / 2))."""
        return 2.0 * _LOGISTIC.value(0.5 * margins)

    def slope(self, margins: Floats) -> Floats:
        """-1 / (1 + exp(m / 2))."""
        return _LOGISTIC.slope(0.5 * margins)

    def curvature(self, margins: Floats) -> Floats:
        """q (1 - q) / 2."""
        return 0.5 * _LOGISTIC.curvature(0.5 * margins)

    def curvature_on_slopes(self, low: Floats, high: Floats) -> Floats:
        """q (1 - q) / 2 rises up to q = 1/2 and falls after it."""
        steepest = np.clip(0.5, low, high)
        return 0.5 * steepest * (1.0 - steepest)
