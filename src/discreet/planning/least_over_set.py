"""The least value of a sum of losses over a set, on invented records: what simulated excesses are measured from.

Accelerated projected gradients (Beck and Teboulle 2009) with backtracking, restarted where they stop descending. The Frank-Wolfe gap
max_{s in C} <theta - s, grad F(theta)> >= F(theta) - min F says how near the value is. A loss with a kink is smoothed first, by itself
(`PredictionLoss.smoothed`); the minima are as near to each other as the losses are. Not private, and for records that are public only.
"""

import math
from dataclasses import replace

import numpy as np

from discreet.core.arrays import Floats
from discreet.problems import ConstrainedRisk, PredictionSum
from discreet.problems.prediction_sum import Clipped
from discreet.sets import Constraint

_STEPS = 600
_CLOSE = 1e-5
"""The gap, as a share of n B spread, at which the search ends."""
_WIDTH = 2e-3
"""h, as a share of min(spread, 1)."""


def least_over_set(problem: ConstrainedRisk, objective: PredictionSum) -> tuple[float, float]:
    """(value, error): a value of F on C, and how far it is at most above the minimum."""
    count = objective.records
    close = _CLOSE * count * problem.slope_bound * problem.spread
    if not math.isinf(problem.smoothness):
        point, gap = _descend(objective, problem.constraint, close)
        return objective.value(point), gap
    width = _WIDTH * min(1.0, problem.spread)
    loss, unit, above = objective.each.loss.smoothed(width)
    smooth = replace(objective, each=Clipped(loss=loss, slope_bound=objective.each.slope_bound * unit, kink=False))
    point, gap = _descend(smooth, problem.constraint, unit * close)
    lower = (smooth.value(point) - gap) / unit - count * above
    value = objective.value(point)
    return value, value - lower


def _descend(objective: PredictionSum, constraint: Constraint, close: float) -> tuple[Floats, float]:
    """A point and its gap."""
    zero = np.zeros(constraint.dimension)
    point = ahead = constraint.project(zero)
    value, pace, length = objective.value(point), 1.0, 1e-6 * objective.records
    gap = math.inf
    for taken in range(_STEPS):
        gradient, here = objective.gradient(ahead), objective.value(ahead)
        if taken % 10 == 0:
            slope = objective.gradient(point)
            gap = float(slope @ (point - constraint.linear_minimiser(slope)))
            if gap <= close:
                break
        while True:
            found = constraint.project(ahead - gradient / length)
            moved = found - ahead
            reached = objective.value(found)
            if reached <= here + float(gradient @ moved) + 0.5 * length * float(moved @ moved) + 1e-12 * abs(here):
                break
            length *= 2.0
        if reached > value:
            if pace == 1.0:
                break
            ahead, pace = point, 1.0
            continue
        faster = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * pace**2))
        ahead = found + ((pace - 1.0) / faster) * (found - point)
        point, value, pace = found, reached, faster
    slope = objective.gradient(point)
    return point, float(slope @ (point - constraint.linear_minimiser(slope)))
