"""Convex losses l(f; y) of a prediction f = <x, theta> and a target y, with the constants that privacy proofs ask of them.

Over a bounded set of models predictions and targets are bounded, |f| <= r and |y| <= b, and a loss needs a slope bound there only: the squared loss
has none on the whole line, and 2 (r + b) over a set.

    lipschitz(r, b)     sup |dl/df|       over |f| <= r, |y| <= b
    smoothness(b)       sup d2l/df2       over all f, |y| <= b; infinity for losses with a kink

The property tests check both, and that neither is too large by 1 %.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.fields import Named

_STEP = 2.0**-17
"""Of a difference of slopes, in units of 1 + |f|."""


class PredictionLoss(Named, ABC):
    """A convex loss of a prediction, for each target; a frozen dataclass of its parameters."""

    __slots__ = ()
    of_residuals: ClassVar[bool] = False
    """Whether it is a function of f - y alone."""

    @property
    def signed_targets(self) -> bool:
        """Whether targets are classes written as +1 and -1, as losses of the margin y f want them."""
        return False

    @abstractmethod
    def lipschitz(self, reach: float, target_bound: float) -> float:
        """An upper bound of |dl/df| over |f| <= reach, |y| <= target_bound; tight up to rounding."""

    @abstractmethod
    def smoothness(self, target_bound: float) -> float:
        """An upper bound of the second derivative in f over |y| <= target_bound; infinity for a loss with a kink."""

    def smoothed(self, width: float) -> "tuple[PredictionLoss, float, float]":  # noqa: ARG002 - for losses with a kink
        """(smooth, unit, above): a loss with a second derivative, smooth / unit within `width` of this one and at most `above` above it.

        For solvers that look for the least value of a sum. A loss without a kink gives itself; one with a kink overrides this.
        """
        return self, 1.0, 0.0

    @abstractmethod
    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """l(f; y), elementwise."""

    @abstractmethod
    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """dl/df, elementwise, within 16 units 2^-53 of the Lipschitz bound, at a prediction within 4 units (1 + |f|) of f.

        Bounds of rounding errors rest on it. At a kink any slope between the one-sided ones. A loss with a kink decides by comparisons of correctly
        rounded numbers, so that the slope is a function of this prediction and this target alone, whatever else the array holds.
        """

    def curvature(self, predictions: Floats, targets: Floats) -> Floats:
        """The second derivative in f, elementwise and about: a difference of slopes. It gives solvers their directions; no proof rests on it."""
        step = _STEP * (1.0 + np.abs(predictions))
        rise: Floats = self.slope(predictions + step, targets) - self.slope(predictions - step, targets)
        return np.maximum(rise / (2.0 * step), 0.0)

    def answer(self, predictions: Floats) -> Floats:
        """What predictions say of the target, in its unit: themselves, but for losses with a link."""
        return predictions
