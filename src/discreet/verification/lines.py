"""Straight lines above a Jacobian term: with each there is a bound of delta, and a search finds the line with the least one.

J(q) <= c + A (1 - q)   for all slopes q: any such line gives a valid bound, so a search that stops early makes a recheck stricter and never laxer.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.verification.numerics import Envelope, gaussian_integral, hinge, upper_lines

_CUTS, _BESIDE, _PARTS = 12, 9, np.linspace(0.0, 1.0, 9)
"""How often what is between two lines is cut at most, anywhere and beside the best, and where."""
_SHARE, _MOST = 1e-3, 512
"""The share of a bound that is not looked for, but beside the best that was found; and how many places are looked at, the most hopeful ones."""
_RATIO = 1.5
"""Of two epsilons, up to which the best line for one between them has a height between theirs, or nearly."""


class Line(NamedTuple):
    """The best line found, c + A (1 - q), and the bound with it."""

    bound: float
    height: float
    """c."""
    steepness: float
    """A."""


class Lines(NamedTuple):
    """Lines c + A (1 - q) above a Jacobian term, q the slopes, A as small as it may be."""

    steepest: Envelope
    """-c -> the largest (J - c) / (1 - q) where the slope is below 1."""
    heights: Floats
    """Some c, in increasing order: there is no line below the first."""

    def least(self, bound: Callable[[Floats, Floats], Floats], *, known: float = math.inf) -> Line:
        """Of the bounds with lines (c, A), elementwise, which grow with both: the least over all lines, but for a share `_SHARE` of it.

        A falls as c grows, so no line between c and c' has less than bound(c, A(c')): where that is nearly the best that was found, or `known` by
        other means, nothing is left to look for, and what is between other two is cut in parts; so is what is beside the best.
        """
        found = bound(self.heights, self.above(self.heights))
        best = int(np.argmin(found))
        line = Line(float(found[best]), float(self.heights[best]), float(self.above(self.heights[best : best + 1])[0]))
        low, high = self.heights[:-1], self.heights[1:]
        for cut in range(_CUTS):
            least = bound(low, self.above(high))
            if cut < _BESIDE and line.bound < known:
                least[(low <= line.height) & (line.height <= high)] = -1.0
            hopeful = np.flatnonzero(least < min(line.bound, known) * (1.0 - _SHARE))
            if not len(hopeful):
                break
            hopeful = hopeful[np.argsort(least[hopeful], kind="stable")[:_MOST]]
            low, high = low[hopeful, np.newaxis], high[hopeful, np.newaxis]
            between = low + (high - low) * _PARTS
            low, high = between[:, :-1].ravel(), between[:, 1:].ravel()
            steepness = self.above(low)
            found = bound(low, steepness)
            best = int(np.argmin(found))
            line = min(line, Line(float(found[best]), float(low[best]), float(steepness[best])))
        return line

    def between(self, bound: Callable[[Floats, Floats], Floats], first: float, last: float) -> Line:
        """The best of some lines between two heights, both included."""
        heights = first + (last - first) * _PARTS
        steepness = self.above(heights)
        found = bound(heights, steepness)
        best = int(np.argmin(found))
        return Line(float(found[best]), float(heights[best]), float(steepness[best]))

    def above(self, heights: Floats) -> Floats:
        """The least steepness of lines of these heights."""
        return np.maximum(self.steepest(-heights), 0.0)


class LinesFound:
    """Of lines above one term, those with the least bound at epsilons that were asked for."""

    def __init__(self, lines: Lines) -> None:
        """Without any yet."""
        self._lines = lines
        self._found: dict[float, Line] = {}

    def best(self, epsilon: float, bound: Callable[[Floats, Floats], Floats], *, known: Callable[[], float]) -> Line:
        """`Lines.least`; between two epsilons nearby whose lines were found, the best of some lines between theirs."""
        if epsilon not in self._found:
            below = max((one for one in self._found if one < epsilon), default=0.0)
            above = min((one for one in self._found if one > epsilon), default=math.inf)
            if above <= _RATIO * below:
                self._found[epsilon] = self._lines.between(bound, self._found[below].height, self._found[above].height)
            else:
                self._found[epsilon] = self._lines.least(bound, known=known())
        return self._found[epsilon]


def lines_above(slopes: Floats, jacobian: Floats, *, spare: float = 0.0, number: int = 65) -> Lines:
    """So many lines above the term. Where the slope is 1, terms of up to `spare` of the largest count as 0: a scan of margins leaves them."""
    flat = slopes > 1.0 - 1e-9
    at_one = float(jacobian[flat].max()) if flat.any() else 0.0
    top = max(at_one, float(jacobian.max()))
    heights = np.linspace(at_one, top, number) if top > at_one else np.array([top])
    if at_one <= spare * top:
        heights = np.append(0.0, heights)
    gaps = 1.0 - slopes[~flat]
    return Lines(upper_lines(1.0 / gaps, jacobian[~flat] / gaps), heights)


def least_union(lines: Lines, s: float, epsilon: float, mu: float = 0.0) -> float:
    """delta_G(eps - c; 2 s) + delta_G(eps - c - A; s), least over the lines: found in closed form, and integrated there, with mu-GDP joined."""
    first, second = math.hypot(2.0 * s, mu), math.hypot(s, mu)

    def roughly(heights: Floats, steepness: Floats) -> Floats:
        left = epsilon - heights
        return hinge(0.5 * first * first - left, first) + hinge(0.5 * second * second - left + steepness, second)

    line = lines.least(roughly)
    return gaussian_integral(epsilon - line.height, first) + gaussian_integral(epsilon - line.height - line.steepness, second)
