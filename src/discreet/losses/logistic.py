"""The logistic loss.

    l(m) = log(1 + exp(-m)),   l'(m) = -p,   l''(m) = p (1 - p),   p = 1 / (1 + exp(m))

So |l'| <= 1, 0 <= l'' <= 1/4 and kappa(q) = q (1 - q): the curvature vanishes where the slope is steepest, and objective perturbation
runs without slack once lambda >= R^2 / epsilon (proof note objective_perturbation.md, corollary 1).
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, at_most, namespace
from discreet.losses.base import MarginLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic(MarginLoss):
    """Logistic loss log(1 + exp(-m)) of the margin m."""

    name = "logistic"
    lipschitz = 1.0
    smoothness = 0.25
    slope_curvature_ratio = 1.0

    def value(self, margins: Floats) -> Floats:
        """From the exponential of a non-positive number, so nothing overflows."""
        xp = namespace(margins)
        value: Floats = xp.log1p(xp.exp(-xp.abs(margins))) + xp.clip(-margins, 0.0, None)
        return value

    def slope(self, margins: Floats) -> Floats:
        """-1 / (1 + e^m); the exponential of at most 700 does not overflow, and beyond it the slope is below 1e-304."""
        xp = namespace(margins)
        slope: Floats = -1.0 / (1.0 + xp.exp(at_most(margins, 700.0)))
        return slope

    def curvature(self, margins: Floats) -> Floats:
        """p (1 - p), symmetric in m."""
        xp = namespace(margins)
        decay = xp.exp(-xp.abs(margins))
        curvature: Floats = decay / xp.square(1.0 + decay)
        return curvature

    def curvature_on_slopes(self, low: Floats, high: Floats) -> Floats:
        """q (1 - q) rises up to q = 1/2 and falls after it."""
        steepest = np.clip(0.5, low, high)
        return steepest * (1.0 - steepest)

    def proper_log_odds(self, decision: Floats) -> Floats:
        """The decision itself."""
        return decision
