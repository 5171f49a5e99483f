"""The squared loss of least squares and of the LASSO.

    l(f; y) = (y - f)^2,   l' = 2 (f - y),   l'' = 2

So |l'| <= 2 (r + b) over |f| <= r, |y| <= b, reached at f = r, y = -b. Without the factor 1/2, as Talwar, Thakurta and Zhang (2014), section 5, have
it.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.losses.predictions.base import PredictionLoss


@dataclass(frozen=True, slots=True, kw_only=True)
class Squared(PredictionLoss):
    """Squared loss (y - f)^2."""

    name = "squared"

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
