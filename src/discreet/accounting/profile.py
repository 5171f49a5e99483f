"""A whole privacy profile as points (epsilon_i, delta_i), each of which the mechanism satisfies.

The least delta is convex in g = e^epsilon, so between two points the chord bounds it:

    delta(epsilon) <= delta_i + (delta_{i+1} - delta_i) (e^epsilon - e^{epsilon_i}) / (e^{epsilon_{i+1}} - e^{epsilon_i})

and beyond the last point the last delta does. No point is singled out: a profile is what is composed, and a pair (epsilon, delta) is read
from it at the end. The points need not be convex themselves; those above the chord of two others are dropped at no loss (`hull`).
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.accounting.base import Statement
from discreet.core.arrays import Floats, as_floats
from discreet.core.errors import InvalidInput
from discreet.core.short import short_repr

_ROUNDING = 1e-14
_FARTHEST = 700.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Statement):
    """(epsilons[i], deltas[i])-differential privacy for all i together."""

    kind: ClassVar[str] = "profile"
    epsilons: tuple[float, ...]
    deltas_at: tuple[float, ...]

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Refuse what is not a falling curve that starts at epsilon = 0."""
        Statement.__post_init__(self)
        epsilons, deltas = as_floats(self.epsilons), as_floats(self.deltas_at)
        if epsilons.ndim != 1 or epsilons.size == 0 or epsilons.shape != deltas.shape:
            raise InvalidInput("a profile needs as many deltas as epsilons, and at least one.")
        if not (epsilons[0] == 0 and np.isfinite(epsilons).all() and np.all(np.diff(epsilons) > 0)):
            raise InvalidInput("the epsilons of a profile must start at 0, be finite and increase.")
        if not (np.all(deltas >= 0) and np.all(deltas <= 1) and np.all(np.diff(deltas) <= 0)):
            raise InvalidInput("the deltas of a profile must lie in [0, 1] and never rise.")

    def delta(self, epsilon: float) -> float:
        """See the module docstring."""
        return float(self.deltas(np.array([epsilon]))[0])

    def deltas(self, epsilons: Floats) -> Floats:
        """`delta` for every number of an array."""
        return along_chords(np.asarray(self.epsilons), np.asarray(self.deltas_at), epsilons)


def along_chords(knots: Floats, values: Floats, epsilons: Floats) -> Floats:
    """The bound of the module docstring at epsilons that are not below the first knot; values at increasing knots, which do not rise."""
    if len(knots) == 1:
        return np.full(epsilons.shape, values[0])
    deltas = np.full(epsilons.shape, values[-1])
    between = ~(epsilons >= knots[-1])
    asked, widths = epsilons[between], np.diff(knots)
    left = np.clip(np.searchsorted(knots, asked, side="right") - 1, 0, len(knots) - 2)
    reached = asked - knots[left]
    # (e^reached - 1) / (e^width - 1), written so that nothing overflows.
    share = np.exp(reached - widths[left]) * np.expm1(-reached) / np.expm1(-widths)[left]
    upper, lower = values[left], values[left + 1]
    deltas[between] = np.clip((upper * (1.0 - share) + lower * share) * (1.0 + _ROUNDING), lower, upper)
    return deltas


def both_ways(epsilons: Floats, deltas: Floats) -> Floats:
    """Upper bounds at these increasing epsilons >= 0 that are not above the given ones, of a curve of a symmetric relation (composition.md, 1d).

    A bound may be more near 0 than any symmetric relation can have: where it is 0 from epsilon on, the curve at 0 is at most tanh(epsilon / 2).
    Points beyond epsilon 700, where e^epsilon overflows, are left as they are and tell nothing of others.
    """
    places = np.minimum(epsilons, _FARTHEST)
    slopes = np.where(epsilons <= _FARTHEST, (1.0 - deltas) / (1.0 + np.exp(places)), 0.0)
    best = int(np.argmax(slopes))
    chord = deltas[best] + slopes[best] * np.exp(places[:best]) * np.expm1(places[best] - places[:best])
    return np.append(np.minimum(deltas[:best], chord * (1.0 + _ROUNDING * (1.0 + places[best]))), deltas[best:])


def hull(epsilons: Floats, deltas: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The points of a profile that lie on the lower convex hull over e^epsilon, with repeated and rising ones left out.

    The least delta is convex and below every given point, so it is below the hull's chords as well. A point is dropped only when it lies
    above the chord of its neighbours by more than rounding can explain, or not at all below it.
    """
    deltas = np.minimum.accumulate(np.clip(deltas, 0.0, 1.0))
    kept: list[tuple[float, float]] = []
    for point in zip(epsilons.tolist(), deltas.tolist(), strict=True):
        while len(kept) > 1 and _above(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    while len(kept) > 1 and kept[-1][1] == kept[-2][1]:
        kept.pop()
    return tuple(point[0] for point in kept), tuple(point[1] for point in kept)


def _above(left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]) -> bool:
    reached, width = middle[0] - left[0], right[0] - left[0]
    share = math.exp(reached - width) * math.expm1(-reached) / math.expm1(-width)
    return middle[1] >= left[1] + (right[1] - left[1]) * share
