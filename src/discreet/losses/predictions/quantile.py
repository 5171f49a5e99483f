"""Losses whose minimisers are quantiles or expectiles: the pinball loss, one without its kink, and an asymmetric Huber loss."""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.validate import needed_positive
from discreet.losses.predictions.base import PredictionLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinball(PredictionLoss):
    """The pinball loss of quantile regression (Koenker and Bassett 1978).

        l(f; y) = max(q (y - f), (1 - q) (f - y)),   l' = -q for f < y, 1 - q for f > y,   kink at f = y

    The least mean loss is at the q-quantile of the targets, given the row; q = 1/2 is half the absolute loss.
    """

    name = "pinball"
    of_residuals = True
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
        """Its mean over a window, up to h / 8 above."""
        return SmoothPinball(quantile=self.quantile, width=width), 1.0, width / 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothPinball(PredictionLoss):
    """The pinball loss with its kink rounded off, for methods that need a second derivative (Frank-Wolfe, objective perturbation).

        l(f; y) = mean of the pinball loss over predictions within h / 2 of f;   l' = clip((f - y) / h + 1/2, 0, 1) - q,   l'' <= 1 / h

    It lies above the pinball loss by h / 8 at most, in a window around y that is symmetric, so that the share of targets below the minimiser is off
    by a multiple of h^2 alone (Fernandes, Guerre and Horta 2021). For q = 1/2 it has the slopes of the Huber loss of half-width h / 2, over h.
    """

    name = "smooth-pinball"
    of_residuals = True
    quantile: float = 0.5
    """q, in (0, 1): the share of targets to lie below the prediction."""
    width: float = 0.1
    """h, in units of the target: the length of the bend. Small beside the spread of targets, else another share lies below the prediction."""

    def __post_init__(self) -> None:
        """Refuse what is no share, and a bend that is not positive and finite."""
        if not (is_finite(self.quantile) and 0.0 < self.quantile < 1.0):
            raise InvalidInput(f"the smooth pinball loss needs 0 < quantile < 1; {self.quantile!r} was given. Try 0.5, for the median.")
        needed_positive("the smooth pinball loss", self.width, "width", usual=0.1)

    def lipschitz(self, reach: float, target_bound: float) -> float:
        """The larger of q - clip(1/2 - (r + b) / h, 0, 1) and clip(1/2 + (r + b) / h, 0, 1) - q."""
        far = min(0.5, (reach + target_bound) / self.width)
        return max(self.quantile - 0.5 + far, 0.5 + far - self.quantile)

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """1 / h."""
        return 1.0 / self.width

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """With a = f - y and c = clip(a / h + 1/2, 0, 1): c (a + h (1 - c) / 2) - q a."""
        ahead = predictions - targets
        share = self._shares(ahead)
        return share * (ahead + (0.5 * self.width) * (1.0 - share)) - self.quantile * ahead

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """clip((f - y) / h + 1/2, 0, 1) - q."""
        return self._shares(predictions - targets) - self.quantile

    def curvature(self, predictions: Floats, targets: Floats) -> Floats:
        """1 / h in the bend: exact, as no difference is where it is short."""
        return np.where(np.abs(predictions - targets) <= 0.5 * self.width, 1.0 / self.width, 0.0)

    def _shares(self, ahead: Floats) -> Floats:
        return np.clip(ahead / self.width + 0.5, 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectile(PredictionLoss):
    """Asymmetric least squares (Newey and Powell 1987) with clipped slopes, as in M-quantiles (Breckling and Chambers 1988).

        l(f; y) = w(f - y) huber_h(f - y),   w(r) = 1 - q for r > 0, q for r < 0;   l' = w(f - y) clip(f - y, -h, h),   l'' <= max(q, 1 - q)

    So |l'| <= max(q, 1 - q) min(h, r + b). With h beyond every residual the minimiser is the q-expectile; q = 1/2 is half the Huber loss.
    """

    name = "expectile"
    of_residuals = True
    level: float = 0.5
    """q, in (0, 1)."""
    half_width: float = 1.0
    """h, in units of the target."""

    def __post_init__(self) -> None:
        """Refuse what is no share, and a half-width that is not positive and finite."""
        if not (is_finite(self.level) and 0.0 < self.level < 1.0):
            raise InvalidInput(f"the expectile loss needs 0 < level < 1; {self.level!r} was given. Try 0.5, for the mean.")
        needed_positive("the expectile loss", self.half_width, "half_width", usual=1.0)

    def lipschitz(self, reach: float, target_bound: float) -> float:
        """max(q, 1 - q) min(h, r + b)."""
        return max(self.level, 1.0 - self.level) * min(self.half_width, reach + target_bound)

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """max(q, 1 - q)."""
        return max(self.level, 1.0 - self.level)

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """With a = |f - y| and c = min(a, h): w c (a - c / 2)."""
        ahead = predictions - targets
        distance = np.abs(ahead)
        near = np.minimum(distance, self.half_width)
        return self._weights(ahead) * near * (distance - 0.5 * near)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """w clip(f - y, -h, h)."""
        ahead = predictions - targets
        return self._weights(ahead) * np.clip(ahead, -self.half_width, self.half_width)

    def _weights(self, ahead: Floats) -> Floats:
        return np.where(ahead > 0.0, 1.0 - self.level, self.level)
