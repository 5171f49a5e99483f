"""Smooth stand-ins for the hinge loss of the support vector machine."""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, at_most, namespace
from discreet.core.lazily import lazily
from discreet.core.rounding import raising
from discreet.core.validate import needed_positive
from discreet.losses.base import MarginLoss

_UP = raising(45)
_CHORD_SHARE, _CHORD_END = 0.5, 2.0
"""Of the link of the softplus hinge."""
special = lazily("scipy.special")


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftplusHinge(MarginLoss):
    """The softplus hinge, a smooth stand-in for the hinge loss of the support vector machine.

        l(m) = T log(1 + exp((1 - m) / T)),   l'(m) = -s,   l''(m) = s (1 - s) / T,   s = 1 / (1 + exp((m - 1) / T)),   T > 0 the temperature

    So |l'| <= 1, 0 <= l'' <= 1 / (4 T), kappa(q) = q (1 - q) / T: Gaussian objective perturbation runs without slack once
    lambda >= R^2 / (T epsilon) (proof note objective_perturbation.md, corollary 1). T -> 0 is the hinge, which no smooth mechanism admits.
    """

    name = "softplus-hinge"
    lipschitz = 1.0
    temperature: float = 0.25
    """Width of the bend, in units of the margin."""

    def __post_init__(self) -> None:
        """Refuse a temperature that is not a positive finite number."""
        needed_positive("the softplus hinge", self.temperature, "temperature", usual=0.25)

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
        slope: Floats = -1.0 / (1.0 + xp.exp(at_most((margins - 1.0) / self.temperature, 700.0)))
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

    def proper_log_odds(self, decision: Floats) -> Floats:
        """q(f) = ln s((1 + f) / T) - ln s((1 - f) / T),   s(x) = 1 / (1 + e^-x)."""
        odds: Floats = special.log_expit((1.0 + decision) / self.temperature) - special.log_expit((1.0 - decision) / self.temperature)
        return odds

    def log_odds(self, decision: Floats) -> Floats:
        """Half of q(f), and half of its chord from 0 to f = 2: q goes from nearly flat to steep, and would tell too much of long decisions.

        No decision changes, since both rise. The half was chosen on eight public tables (docs/classes.md, benchmarks/probabilities.py).
        """
        chord = float(self.proper_log_odds(np.array([_CHORD_END]))[0]) / _CHORD_END
        return (1.0 - _CHORD_SHARE) * self.proper_log_odds(decision) + _CHORD_SHARE * chord * decision


@dataclass(frozen=True, slots=True, kw_only=True)
class HuberHinge(MarginLoss):
    """The Huber hinge of Chaudhuri, Monteleoni and Sarwate (2011), section 3.4.2 (after Chapelle 2007).

        l(m) = 0                        for m > 1 + h
               (1 + h - m)^2 / (4 h)    for |1 - m| <= h
               1 - m                    for m < 1 - h

    So |l'| <= 1 and l'' <= 1 / (2 h), reached at every slope: kappa(q) = 1 / (2 h) on (0, 1], so the Jacobian term of objective perturbation never
    vanishes (unlike for the softplus hinge, which asks about 1.6 times less noise at the same budget).
    """

    name = "huber-hinge"
    lipschitz = 1.0
    slope_curvature_ratio = np.inf
    half_width: float = 0.5
    """h, in units of the margin."""

    def __post_init__(self) -> None:
        """Refuse a half-width that is not a positive finite number."""
        needed_positive("the Huber hinge", self.half_width, "half_width", usual=0.5)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothedHinge(MarginLoss):
    """The smoothed hinge of Chaudhuri, Monteleoni and Sarwate (2011), eq. (23): a quartic spline, twice continuously differentiable.

    With t = (1 - m) / h:

        l(m) = 0                                                      for t < -1
               h (-t^4 / 16 + 3 t^2 / 8 + t / 2 + 3 / 16)             for |t| <= 1
               1 - m                                                  for t > 1
        l'(m) = -(1/2 + 3 t / 4 - t^3 / 4),   l''(m) = (3 / (4 h)) (1 - t^2)

    So |l'| <= 1 and l'' <= 3 / (4 h). At slope size q the curvature is kappa(q) = (3 / (4 h)) s (2 - s) with s = 1 + t(q), t(q) the root in [-1, 1]
    of 3 t - t^3 = 4 q - 2:

        s = sqrt(3) sin(a) + 2 sin(a / 2)^2,   a = (2 / 3) asin(sqrt(q))

    kappa is concave, and vanishes at q = 0 and q = 1 like a square root.
    """

    name = "smoothed-hinge"
    lipschitz = 1.0
    slope_curvature_ratio = np.inf
    half_width: float = 0.5
    """h, in units of the margin."""

    def __post_init__(self) -> None:
        """Refuse a half-width that is not a positive finite number."""
        needed_positive("the smoothed hinge", self.half_width, "half_width", usual=0.5)

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
        return self.smoothness * np.minimum(1.0, s * (2.0 - s) * _UP)
