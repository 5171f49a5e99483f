"""Losses of classes written as +1 and -1: the hinge loss itself, and any loss of the margin."""

from dataclasses import dataclass, field

import numpy as np

from discreet.core.arrays import Floats
from discreet.losses.base import MarginLoss
from discreet.losses.hinges import HuberHinge
from discreet.losses.logistic import Logistic
from discreet.losses.predictions.base import PredictionLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinge(PredictionLoss):
    """The hinge loss of the support vector machine itself, kink included.

        l(f; y) = max(0, 1 - y f),   l' = -y where y f < 1, else 0

    So |l'| <= b for |y| <= b (targets are +1 and -1, b = 1). It has no second derivative at y f = 1, so methods that need smoothness refuse it;
    mirror descent does not. Classes as +1 and -1.
    """

    name = "hinge"
    signed_targets = True

    def lipschitz(self, reach: float, target_bound: float) -> float:  # noqa: ARG002 - the same for all predictions
        """b, the bound of targets: sup |l'|."""
        return target_bound

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - for no target
        """None: the slope jumps at y f = 1."""
        return np.inf

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """max(0, 1 - y f)."""
        return np.maximum(0.0, 1.0 - targets * predictions)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """-y where the rounded product y f is below 1 (for y = +1 and -1 it is exact)."""
        return np.where(targets * predictions < 1.0, -targets, 0.0)

    def smoothed(self, width: float) -> tuple[PredictionLoss, float, float]:
        """The Huber hinge, up to h / 4 above."""
        return OfMargin(loss=HuberHinge(half_width=width)), 1.0, width / 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OfMargin(PredictionLoss):
    """Any loss of the margin as a loss of the prediction.

        l(f; y) = m(y f),   l' = y m'(y f),   l'' = y^2 m''(y f)

    So |l'| <= b L and l'' <= b^2 c for |y| <= b, L and c the constants of m: for classes written as +1 and -1, L and c themselves.
    """

    signed_targets = True
    loss: MarginLoss = field(default_factory=Logistic)

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the loss of the margin."""
        return self.loss.name

    @property
    def parameters(self) -> dict[str, object]:
        """Those of the loss of the margin."""
        return dict(self.loss.parameters)

    def lipschitz(self, reach: float, target_bound: float) -> float:  # noqa: ARG002 - the bound of the whole line
        """b L."""
        return target_bound * self.loss.lipschitz

    def smoothness(self, target_bound: float) -> float:
        """b^2 c."""
        return target_bound**2 * self.loss.smoothness

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """m(y f)."""
        return self.loss.value(targets * predictions)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """y m'(y f)."""
        return targets * self.loss.slope(targets * predictions)
