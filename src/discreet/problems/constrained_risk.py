"""Empirical risk of predictions over a constraint set, as an un-normalised sum over a public domain.

    minimise F(theta) = sum_i l(<x_i, theta>; y_i)   over theta in C,        |x_i|_inf <= R_inf,  |x_i|_2 <= R_2,  |y_i| <= b

The one place where the constants of the loss meet the bounds of the data and of the set. By Hoelder's inequality:

    reach r               |<x, theta>| <= min(R_inf max_C |theta|_1, R_2 max_C |theta|_2)
    spread                |<x, theta - theta'>| <= min(2 r, R_2 diameter)
    slope bound B         |l'(f; y)| over |f| <= r, |y| <= b; or the declared one, to which slopes are clipped record by record
    gradient of a record  l2: B R_2      l-infinity: B R_inf      along points of C, <theta, .>: B r
    curvature             second derivative of a record's loss along theta' - theta at most c spread^2: the curvature constant of Frank-Wolfe (Jaggi
                          2013), (2 / g^2) (F(theta + g v) - F(theta) - g <v, grad F(theta)>) <= n c spread^2

A sum, not a mean: adding a record changes F by that record's loss and nothing else. (Talwar, Thakurta, Zhang 2014 have means over n and replace-one
neighbours; their Gamma for theta^T A^T A theta + <b, theta> lacks a factor 2: with this definition it is 2 max |A (theta - theta')|^2.)
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.rounding import UNIT, raising
from discreet.core.short import short_repr
from discreet.losses.predictions import OfMargin, PredictionLoss
from discreet.problems.set_risk import SINGLE_PRODUCT, SetRisk, rounding_share

_UP, _BEYOND = raising(16), raising(4_096)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstrainedRisk(SetRisk):
    """The public problem: holds no data, and is known in full before any record is read.

    Raises InvalidInput when the set and the domain differ in dimension, and for a slope bound that bounds nothing.
    """

    loss: PredictionLoss
    max_slope: float | None = None
    """Slopes are clipped to it, record by record; None clips at the Lipschitz constant, which changes nothing."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        self.domain.require("number")
        if self.constraint.dimension != self.domain.dimension:
            raise InvalidInput(
                f"the set has dimension {self.constraint.dimension}, but the records have {self.domain.dimension} features, with the "
                "constant column of the intercept. The two must agree."
            )
        if self.max_slope is not None and not (is_finite(self.max_slope) and self.max_slope > 0):
            raise InvalidInput(f"max_slope must be a positive finite number or None; {self.max_slope!r} was given.")
        if self.loss.signed_targets and self.domain.target_bound != 1.0:
            raise InvalidInput(f"the loss {self.loss.name!r} takes classes as +1 and -1: target_bound must be 1.")

    @property
    def reach(self) -> float:
        """r, the largest |prediction|."""
        by_entries = self.domain.largest_entry * self.constraint.l1_radius
        return min(by_entries, self.domain.radius * self.constraint.l2_radius) * _UP

    @property
    def spread(self) -> float:
        """The largest difference of two models' predictions for one record."""
        return min(2.0 * self.reach, self.domain.radius * self.constraint.diameter * _UP)

    @property
    def slope_bound(self) -> float:
        """B."""
        lipschitz = self.loss.lipschitz(self.reach, self.domain.target_bound) * _UP
        return lipschitz if self.max_slope is None else min(lipschitz, self.max_slope)

    def slope_share(self, point: Floats) -> float:
        """See SetRisk: |predictions| are at most min(R_inf |theta|_1, R_2 |theta|_2) there."""
        reach = min(self.domain.largest_entry * float(np.abs(point).sum()), self.domain.radius * float(np.linalg.norm(point))) * _BEYOND
        return min(1.0, self.loss.lipschitz(reach, self.domain.target_bound) / self.slope_bound * _BEYOND)

    @property
    def one_signed(self) -> bool:
        """Whether a record's slopes keep one sign, and have the curvature that the loss states of them: of the margin, and not clipped."""
        return isinstance(self.loss, OfMargin) and self.max_slope is None

    @property
    def smoothness(self) -> float:
        """c, infinity for a loss with a kink."""
        return self.loss.smoothness(self.domain.target_bound)

    @property
    def coordinate_bound(self) -> float:
        """B R_inf: the most one record adds to a coordinate of the gradient."""
        return self.slope_bound * self.domain.largest_entry * _UP

    @property
    def score_bound(self) -> float:
        """B r: the most one record adds to <theta, gradient>, for theta in C."""
        return self.slope_bound * self.reach * _UP

    @property
    def score_spread(self) -> float:
        """B spread: the most one record moves the difference of two such scores."""
        return self.slope_bound * self.spread * _UP

    @property
    def curvature(self) -> float:
        """c spread^2: a record's part of the curvature constant."""
        return self.smoothness * self.spread**2

    def steepest(self, l2: float, l1: float) -> float:
        """See SetRisk."""
        return self.slope_bound * min(self.domain.radius * l2, self.domain.largest_entry * l1)

    def curved(self, l2: float, l1: float) -> float:
        """See SetRisk."""
        longest = min(self.domain.radius * l2, self.domain.largest_entry * l1)
        return self.smoothness * longest**2

    def to_dict(self) -> dict[str, Json]:
        """See SetRisk."""
        return {**SetRisk.to_dict(self), "max_slope": self.max_slope}

    def error_share(self, records: int, *, single: int | None = None, beyond: bool = False) -> float:
        """See SetRisk. Beyond C slopes are off by a share of what they would be if they were not clipped."""
        smoothness, bound = 0.0 if math.isinf(self.smoothness) else self.smoothness, self.domain.target_bound
        reach = 3.0 * self.reach * _BEYOND if beyond else self.reach
        share = rounding_share(
            records,
            dimension=self.dimension,
            reach=reach,
            target_bound=bound,
            smoothness=smoothness,
            slope_bound=self.slope_bound,
            single=SINGLE_PRODUCT if single is None else single,
        )
        if beyond:
            steeper = max(0.0, self.loss.lipschitz(reach, bound) / self.slope_bound - 1.0)
            share += records * 32 * UNIT * steeper * _BEYOND
        return share
