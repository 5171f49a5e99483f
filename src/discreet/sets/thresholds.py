"""Scalar equations behind projections: which threshold makes shrunk numbers meet a constraint.

    shrink_to_sum      y_i = max(a_i - theta, 0) with sum_i y_i = s            (Held, Wolfe and Crowder 1974; Duchi and others 2008)
    shrink_to_ratio    y_i = max(a_i - theta, 0) with |y|_1 / |y|_2 = rho      (the sphere of an l1 and an l2 norm: Hoyer 2004)

The first is found among the sorted numbers, shifted so that the largest is 0: then only numbers within s of it count, and the result is exact to
rounding errors of s, however large a is. In the second |y|_1 / |y|_2 decreases with theta, from |a|_1 / |a|_2 to the square root of the number m of
largest a_i: with u = y restricted to its k non-zero entries, d/dtheta (|u|_1 / |u|_2) = (|u|_1^2 - k |u|_2^2) / |u|_2^3 <= 0.
"""

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.lazily import lazily

optimize = lazily("scipy.optimize")

_FAR = 2.0**50


def norm2(values: Floats) -> float:
    """|values|_2 without overflow or underflow of squares."""
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0:
        return 0.0
    return largest * float(np.linalg.norm(values / largest))


def tempered(values: Floats, radius: float) -> Floats:
    """`values`, scaled down where they exceed 2^50 radii: there neighbouring floats are a radius apart, and nearer projections would be made up."""
    largest = float(np.max(np.abs(values)))
    return values * (_FAR * radius / largest) if largest > _FAR * radius else values


def shrink_to_sum(values: Floats, total: float) -> Floats:
    """max(values - theta, 0) with sum `total` > 0, for the one theta that gives it; `values` (k,) of any sign."""
    shifted = values - values.max()
    near = np.sort(shifted[shifted > -total])[::-1]
    counts = np.arange(1, near.size + 1)
    active = int(np.count_nonzero(near * counts > np.cumsum(near) - total))
    active = max(active, 1)
    theta = (near[:active].sum() - total) / active
    shrunk = np.maximum(shifted - theta, 0.0)
    shrunk *= total / shrunk.sum()
    return shrunk


def shrink_to_ratio(values: Floats, ratio: float) -> Floats:
    """A direction max(values - theta, 0) with theta >= 0 and |.|_1 / |.|_2 = `ratio` >= 1, for values (k,) >= 0 whose own ratio is larger.

    Where more than ratio^2 values tie for the largest, no threshold gets that low: the indicator of the ties is returned.
    """
    top = values.max()
    below = values[values < top]
    ties = np.where(values == top, 1.0, 0.0)
    if below.size == 0 or ties.sum() >= ratio**2:
        return ties
    scaled = values / top

    def excess(theta: float) -> float:
        shrunk = np.maximum(scaled - theta, 0.0)
        return float(shrunk.sum() - ratio * np.linalg.norm(shrunk))

    last = float(below.max() / top)
    if excess(last) >= 0.0:
        return ties
    if excess(0.0) <= 0.0:
        return scaled
    theta = optimize.brentq(excess, 0.0, last, xtol=1e-300, rtol=8.9e-16, maxiter=500)
    return np.maximum(scaled - theta, 0.0)
