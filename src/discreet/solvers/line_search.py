"""A step along a descent direction of a convex function, from one-dimensional slopes alone.

With phi(t) = G(w + t v), phi'(0) < 0, the step returned has -sigma |phi'(0)| <= phi'(t) <= 0. Values of G, which double precision cannot tell apart
near the minimum, are never compared: as phi is convex with phi'' <= M, such a step decreases G by at least (1 - sigma^2) phi'(0)^2 / (2 M).
"""

from collections.abc import Callable

SIGMA = 0.3
"""Part of the initial slope that may be left."""
_ROUNDS = 100


def descend(slope: Callable[[float], float], initial: float, full: float) -> float:
    """A step t > 0 as above; 0.0 when rounding hides any. `slope` is phi', `initial` = phi'(0) < 0, `full` = phi'(1)."""
    low, slope_low, high, slope_high = 0.0, initial, 1.0, full
    for _ in range(_ROUNDS):
        if slope_high > 0:
            break
        if slope_high >= SIGMA * initial:
            return high
        low, slope_low, high = high, slope_high, high * (4.0 if high >= 1 else 2.0)
        slope_high = slope(high)
    weight_low, weight_high = slope_low, slope_high
    for round_ in range(_ROUNDS):
        if slope_low >= SIGMA * initial:
            break
        part = weight_low / (weight_low - weight_high)
        if round_ % 3 == 2:
            part = 0.5
        middle = low + min(max(part, 0.01), 0.99) * (high - low)
        if not low < middle < high:
            break
        at_middle = slope(middle)
        if at_middle <= 0:  # Illinois: halve the slope of an end that stays, so that both ends move
            low, slope_low, weight_low, weight_high = middle, at_middle, at_middle, 0.5 * weight_high
        else:
            high, slope_high, weight_high, weight_low = middle, at_middle, at_middle, 0.5 * weight_low
    return low
