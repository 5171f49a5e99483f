"""The Frank-Wolfe walk:  theta_{t+1} = (1 - g_t) theta_t + g_t s_t,   t = 1 .. T,   s_t a point of C that looks down the gradient.

With g_t = 1/t the result is the mean of s_1 .. s_T. If <s_t - s, grad F(theta_t)> <= r_t for all s in C, and Gamma is the curvature constant,

    F(theta_{T+1}) - min F <= (r_1 + .. + r_T) / T + Gamma (1 + ln T) / (2 T)

since h_t = F(theta_t) - min F has t h_{t+1} <= (t - 1) h_t + r_t + Gamma / (2 t). The shares 2 / (t + 2) of Jaggi (2013) and of Talwar, Thakurta and
Zhang (2014), Algorithm 3, have 2 Gamma / (T + 2) in the second place, less from T = 20 on. But private walks are short, and a mean of points gives
no noisy choice more weight than another: at the T that are used, equal shares had as little as half the excess risk (docs/frank-wolfe.md).

Predictions walk along: m <- (1 - g) m + g X s. For a vertex with few non-zero coordinates that takes a few columns of the table, and each number
of m is a function of its record and of the public points s_1 .. s_t alone, since the operations on it are single roundings. Otherwise m = X theta
anew.
"""

from dataclasses import dataclass, field

import numpy as np

from discreet.core.arrays import Floats
from discreet.matrices.base import Columns
from discreet.problems import PredictionSum
from discreet.sets import Constraint

_FEW = 8
"""Coordinates of a point up to which its predictions are sums of columns."""


@dataclass(kw_only=True)
class Walk:
    """Where the walk is: `point` (d,), public given the outcomes so far, and `predictions` (n,), private."""

    objective: PredictionSum
    point: Floats
    predictions: Floats
    taken: int = 0
    _anew: bool = False
    """Whether predictions are computed from the point: from the first target with many coordinates on, so that product errors never walk on."""
    _sum: Floats | None = field(default=None, repr=False)
    _columns: Columns | None = field(default=None, repr=False)

    @classmethod
    def from_start(cls, objective: PredictionSum, constraint: Constraint) -> "Walk":
        """At the point of the set that is nearest to 0: chosen without the records."""
        point = start_of(constraint)
        predictions = objective.predictions(point) if point.any() else objective.at_zero
        return cls(objective=objective, point=point, predictions=predictions)

    def gradient(self) -> Floats:
        """At the current point, (d,); within the problem's bounds of rounding errors."""
        return self.objective.gradient_of(self.predictions)

    def towards(self, target: Floats, share: float | None = None) -> None:
        """One step to `target` (d,), a point of the set; of share 1/t, so that `point` is the mean of all targets, or of another one throughout."""
        self.taken += 1
        if share is None:
            share = 1.0 / self.taken
            self._sum = target.copy() if self._sum is None else self._sum + target
            self.point = self._sum / self.taken  # chosen and left again is zero then, without a remnant of rounding
        else:
            self.point = (1.0 - share) * self.point + share * target
        used = np.flatnonzero(target)
        if self._columns is None and not self._anew and len(used) <= _FEW:
            self._columns = self.objective.columns()
        self._anew = self._anew or len(used) > _FEW or self._columns is None
        if self._anew or self._columns is None:
            self.predictions = self.objective.predictions(self.point)
            return
        self.predictions *= 1.0 - share
        for index in used:
            rows, values = self._columns(int(index))
            change = values * (share * target[index])
            if rows is None:
                self.predictions += change
            else:
                self.predictions[rows] += change


def start_of(constraint: Constraint) -> Floats:
    """The point of the set that is nearest to 0, (d,)."""
    zero = np.zeros(constraint.dimension)
    return zero if constraint.contains(zero, tolerance=0.0) else constraint.project(zero)
