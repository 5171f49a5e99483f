"""What a person's rows, which share one record's weight, cost together where noise is Gaussian (proof note persons.md).

A person's rows i have weights a_i c_i, c_i <= c_max, a_i >= 0 functions of that person's own rows, sum a_i <= 1. The privacy loss is then at most a
mixture sum a_i Y_i of losses Y_i >= 0 of one law, dependent in any way. (1 - e^{epsilon - x})_+ is not convex in x, its tangents at u >= epsilon are:

    delta(epsilon) <= min over u of e^{epsilon - u} E (Y - tau)_+,     tau = u - (e^{u - epsilon} - 1)

The best u - epsilon is ln(1 + E[Y - tau | Y > tau]): a few steps of that equation find it, and any u is a bound. Y is

    max(0, A), A ~ N(s^2 / 2, s^2)       E (A - tau)_+ = s psi((tau - s^2 / 2) / s),     psi(z) = E (g - z)_+ = phi(z) - z Phi(-z),  g ~ N(0, 1)
    or, at least, a maximum of lines in g, convex and increasing: a sum of psi at its kinks, with its changes of slope as weights

so every term is positive, and rounded up.
"""

import math
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import erfcx, ndtr

from discreet.core.arrays import Floats
from discreet.core.rounding import raising

_STEPS = 4
_FARTHEST, _LARGEST, _LEAST_SLOPE = 37.0, 600.0, 1e-200
_UP = 1.0 + 1e-9
"""As of the integrals of rows (module `margin`): outweighs the rounding of psi, whose two terms cancel to 1 / 1369 of either at most."""
_UNIT = 2.0**-53


class Tail(NamedTuple):
    """Of a loss Y >= 0, beyond thresholds tau."""

    mean: Floats
    """E (Y - tau)_+, at least."""
    share: Floats
    """About P(Y > tau), by which tangents are chosen; in no proof."""


Loss: TypeAlias = Callable[[Floats], Tail]
"""The law of a privacy loss, at any thresholds."""


def shared_deltas(loss: Loss, epsilons: Floats) -> Floats:
    """Upper bound of delta at every epsilon >= 0, (m,), of any mixture of losses of this law."""
    best, above = np.ones_like(epsilons), np.zeros_like(epsilons)
    for _ in range(_STEPS):
        curved = np.expm1(above)
        tail = loss(epsilons - (curved - above) - 4.0 * _UNIT * (epsilons + curved + above))
        best = np.minimum(best, np.exp(-above) * tail.mean)
        above = np.minimum(np.log1p(tail.mean / np.maximum(tail.share, _LEAST_SLOPE)), _LARGEST)
    return np.minimum(1.0, best * _UP + sys.float_info.min)


def shared_delta(loss: Loss, epsilon: float) -> float:
    """`shared_deltas` at one epsilon."""
    return float(shared_deltas(loss, np.array([epsilon]))[0])


def normal_loss(s: float) -> Loss:
    """That of one Gaussian mechanism with shift s > 0, max(0, A), A ~ N(s^2 / 2, s^2)."""

    def tail(thresholds: Floats) -> Tail:
        at = np.maximum(thresholds, 0.0)
        mean, share = beyond(at / s * (1.0 - 4.0 * _UNIT) - 0.5 * s * raising(4))
        return Tail(s * mean + (at - thresholds), np.where(thresholds < 0, 1.0, share))

    return tail


def loss_of_lines(lines: Sequence[tuple[float, float]], begins: Sequence[float]) -> Loss:
    """That of max(0, lines), from its lines (slope, height) by increasing slope, and where each begins to be the largest and positive."""
    if not lines:
        return lambda thresholds: Tail(np.maximum(-thresholds, 0.0), np.where(thresholds < 0, 1.0, 0.0))
    slopes, heights = np.array(lines).T
    kinks = np.array(begins)
    flat = kinks[0] == -math.inf  # then the first line is a constant
    start = heights[0] if flat else 0.0
    turns = np.diff(slopes, prepend=slopes[0] if flat else 0.0) * beyond(np.where(np.isfinite(kinks), kinks, 0.0))[0]
    rest = np.append(np.cumsum(turns[::-1])[::-1], 0.0)
    levels = np.concatenate(([start], slopes[1:] * kinks[1:] + heights[1:]))

    def tail(thresholds: Floats) -> Tail:
        place = np.maximum(np.searchsorted(levels, thresholds, side="right") - 1, 0)
        slope = np.maximum(slopes[place], _LEAST_SLOPE)
        mean, share = beyond((thresholds - heights[place]) / slope)
        below = thresholds < start
        return Tail(
            np.where(below, start - thresholds + rest[0], slopes[place] * mean + rest[place + 1]),
            np.where(below, 1.0, share),
        )

    return tail


def sum_of(*parts: tuple[float, Loss, Floats | float]) -> Loss:
    """The sum of multiples of tails, each at thresholds lowered by a height: a mixture, or a bound by cases. (factor, loss, height) each."""

    def tail(thresholds: Floats) -> Tail:
        found = [(factor, loss(thresholds - height)) for factor, loss, height in parts]
        return Tail(*(np.asarray(sum(factor * each[index] for factor, each in found)) for index in (0, 1)))

    return tail


def beyond(thresholds: Floats) -> tuple[Floats, Floats]:
    """psi(z) = E (g - z)_+ and P(g > z) of g ~ N(0, 1), elementwise; psi(z) = psi(-z) - z."""
    far = np.minimum(np.abs(thresholds), _FARTHEST)
    density = np.exp(-0.5 * np.square(far)) / math.sqrt(2.0 * math.pi)
    psi = density * (1.0 - far * (math.sqrt(math.pi / 2.0) * erfcx(far / math.sqrt(2.0))))
    return psi + np.maximum(-thresholds, 0.0), ndtr(-np.minimum(thresholds, _FARTHEST))
