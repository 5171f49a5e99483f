"""Losses of the residual f - y: squared, absolute, and two that are the one near the target and the other beyond."""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.rounding import raising
from discreet.core.validate import needed_positive
from discreet.losses.predictions.base import PredictionLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class Squared(PredictionLoss):
    """The squared loss of least squares and of the LASSO.

        l(f; y) = (y - f)^2,   l' = 2 (f - y),   l'' = 2

    So |l'| <= 2 (r + b) over |f| <= r, |y| <= b, reached at f = r, y = -b. Without the factor 1/2, as Talwar, Thakurta and Zhang (2014), section 5,
    have it.
    """

    name = "squared"
    of_residuals = True

    def lipschitz(self, reach: float, target_bound: float) -> float:
        """2 (r + b)."""
        return 2.0 * (reach + target_bound)

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """2."""
        return 2.0

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """(y - f)^2."""
        return np.square(targets - predictions)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """2 (f - y)."""
        return 2.0 * (predictions - targets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Absolute(PredictionLoss):
    """The absolute loss of least absolute deviations.

    l(f; y) = |y - f|,   l' = sign(f - y),   kink at f = y
    """

    name = "absolute"
    of_residuals = True

    def lipschitz(self, reach: float, target_bound: float) -> float:  # noqa: ARG002 - the same everywhere
        """1."""
        return 1.0

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """None: the slope jumps at f = y."""
        return np.inf

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """|y - f|."""
        return np.abs(targets - predictions)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """sign(f - y), 0 at the kink; the difference of two floats is zero only if they are equal, so its sign is exact."""
        return np.sign(predictions - targets)

    def smoothed(self, width: float) -> tuple[PredictionLoss, float, float]:
        """The Huber loss over h, from h / 2 below."""
        return HuberLoss(half_width=width), width, 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HuberLoss(PredictionLoss):
    """The Huber loss of robust regression, quadratic near the target and linear beyond.

        l(f; y) = (f - y)^2 / 2            for |f - y| <= h
                  h |f - y| - h^2 / 2      beyond;            l' = clip(f - y, -h, h),   l'' <= 1

    So |l'| <= min(h, r + b). It is half the squared loss with its slope clipped (Huber 1964).
    """

    name = "huber"
    of_residuals = True
    half_width: float = 1.0
    """h, in units of the target."""

    def __post_init__(self) -> None:
        """Refuse a half-width that is not a positive finite number."""
        needed_positive("the Huber loss", self.half_width, "half_width", usual=1.0)

    def lipschitz(self, reach: float, target_bound: float) -> float:
        """min(h, r + b)."""
        return min(self.half_width, reach + target_bound)

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """1."""
        return 1.0

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """With a = |f - y| and c = min(a, h): c (a - c / 2)."""
        distance = np.abs(predictions - targets)
        near = np.minimum(distance, self.half_width)
        return near * (distance - 0.5 * near)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """clip(f - y, -h, h)."""
        return np.clip(predictions - targets, -self.half_width, self.half_width)

    def curvature(self, predictions: Floats, targets: Floats) -> Floats:
        """1 near the target: exact, as no difference is where that is short."""
        return np.where(np.abs(predictions - targets) <= self.half_width, 1.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogCosh(PredictionLoss):
    """The log-cosh loss: a Huber loss without corners.

        l(f; y) = a^2 log cosh((f - y) / a),   l' = a tanh((f - y) / a),   l'' = 1 - tanh^2 <= 1

    So |l'| <= a tanh((r + b) / a): quadratic within about a of the target, linear with slope a far from it.
    """

    name = "log-cosh"
    of_residuals = True
    width: float = 1.0
    """a, in units of the target."""

    def __post_init__(self) -> None:
        """Refuse a width that is not a positive finite number."""
        needed_positive("the log-cosh loss", self.width, "width", usual=1.0)

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
