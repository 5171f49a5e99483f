"""Curves of Gaussian sketches, and of fresh projections, where a person owns several rows (proof notes sketch.md and projection.md).

In a sketch they share one record's weight (theorem 6):

k rows N(0, B + K), K = sum a_i z_i z_i' of any rank: its eigenvalues g_j on the scale of B add up to at most h. With W, W' independent chi^2_k

    one person more     X = (h W - k ln(1 + h)) / 2                                          the loss of one record with one row
    one person less     Y = sup over 0 < g <= h of (h / g) (k ln(1 + g) - g W / (1 + g)) / 2 at least that of one record with one row
    replaced            X(W) + Y(W')

    delta(epsilon) <= min over u >= epsilon of  e^(epsilon - u) E (. - tau)_+,      tau = u - (e^(u - epsilon) - 1)

Y is convex and decreasing in W, (h / 2) (k - W) up to k / 2, the loss of one row from k c(h) on, c(h) = (1 + h)^2 (ln(1 + h) - h / (1 + h)) / h^2,
and below its chord between these. Every expectation is one of E (W - w)_+ and E (w - W)_+ (incomplete gamma functions), or a sum of such over W'.
Values and errors as in module `profiles`.

Rows that do not share a weight, projected by one fresh P (projection.md, theorem 2): with d(t) = delta_G(epsilon; sqrt(t)), convex up to
t_0 = 2 (sqrt(1 + epsilon^2) - 1) and concave from there on, and phi = d up to t_0 and its tangent beyond,

    delta(epsilon) <= E over W ~ chi^2_k of phi((1 + c) a^2 W + (1 + 1/c) b^2),    c = b / (a sqrt(k)),   where mu = a sqrt(W) + b for one row
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import gammainc, gammaincc, ndtr

from discreet.core.arrays import Floats
from discreet.mechanisms.release.profiles import Bounded, chi_squares, require_rows

_ROUNDING = 1e-11
_BEYOND = 1e-38
_STEPS = 6
_NEAR = 0.02
"""Relative, of e^(u - epsilon) - 1: the bound is flat about the best u."""
Excess = Callable[[float], tuple[float, float, float]]
"""From tau to E (Z - tau)_+, P(Z > tau) and the error of the first."""


def shared_zero_out_delta(epsilon: float, rows: int, ratio: float) -> Bounded:
    """One person more or less; `rows` = k >= 1, `ratio` = h > 0."""
    require_rows(rows)
    found = (_over_tangents(epsilon, excess) for excess in (_more(rows, ratio), _less(rows, ratio)))
    return max(found, key=lambda part: part.up)


def shared_replace_delta(epsilon: float, rows: int, ratio: float) -> Bounded:
    """One person replaced; arguments as above."""
    squares, masses = chi_squares(rows)
    lost = _lost(squares, rows, ratio)

    def excess(tau: float) -> tuple[float, float, float]:
        calls, larger, size = _calls((2.0 * (tau - lost) + rows * math.log1p(ratio)) / ratio, rows)
        return 0.5 * ratio * float(masses @ calls), float(masses @ larger), 0.5 * ratio * float(masses @ size)

    return _over_tangents(epsilon, excess)


def shared_mixture_delta(epsilon: float, rows: int, slope: float, offset: float = 0.0) -> Bounded:
    """As `mixture_delta`, of several rows that are at most as long together as one would be."""
    squares, masses = chi_squares(rows)
    share = offset / (slope * math.sqrt(rows))
    moved = (1.0 + share) * slope**2 * squares + (slope * math.sqrt(rows) + offset) * offset
    bend = 2.0 * (math.sqrt(1.0 + epsilon**2) - 1.0)
    mu = np.sqrt(np.minimum(moved, bend))
    first = ndtr(0.5 * mu - epsilon / mu)
    curve = np.maximum(first - np.exp(min(epsilon, 700.0)) * ndtr(-0.5 * mu - epsilon / mu), 0.0)
    steepest = math.exp(-0.5 * (0.5 * math.sqrt(bend) - epsilon / math.sqrt(bend)) ** 2) / math.sqrt(8.0 * math.pi * bend)
    beyond = steepest * float(masses @ np.maximum(moved - bend, 0.0))
    return Bounded(float(masses @ curve) + beyond, _ROUNDING * (float(masses @ first) + beyond) + _BEYOND)


def _over_tangents(epsilon: float, excess: Excess) -> Bounded:
    """The least bound that is found: any u is one, and the best has e^(u - epsilon) - 1 = E [Z - tau | Z > tau]."""
    best, above = Bounded(1.0, 0.0), 0.0
    for _ in range(_STEPS):
        value, larger, size = excess(epsilon + math.log1p(above) - above)
        found = Bounded(value / (1.0 + above), _ROUNDING * size + _BEYOND)
        best = min(best, found, key=lambda part: part.up)
        before, above = above, max(value, 0.0) / larger if larger > 0 else 0.0
        if abs(above - before) <= _NEAR * above:
            break
    return best


def _more(rows: int, ratio: float) -> Excess:
    def excess(tau: float) -> tuple[float, float, float]:
        calls, larger, size = _calls(np.array([(2.0 * tau + rows * math.log1p(ratio)) / ratio]), rows)
        return 0.5 * ratio * float(calls[0]), float(larger[0]), 0.5 * ratio * float(size[0])

    return excess


def _less(rows: int, ratio: float) -> Excess:
    places, heights, slopes = _corners(rows, ratio)

    def excess(tau: float) -> tuple[float, float, float]:
        last = int(np.searchsorted(-heights, -tau))  # corners above tau
        start = (heights[last - 1] if last else heights[0], places[last - 1] if last else places[0])
        zero = start[1] + (start[0] - tau) / slopes[last]
        if zero <= 0:
            return 0.0, 0.0, 0.0
        kinks = np.append(zero, places[:last][::-1])
        changes = np.append(slopes[last], (slopes[:last] - slopes[1 : last + 1])[::-1])
        puts, smaller, size = _puts(kinks, rows)
        return float(changes @ puts), float(smaller[0]), float(changes @ size)

    return excess


def _corners(rows: int, ratio: float) -> tuple[Floats, Floats, Floats]:
    """Of the bound of Y: places and heights (2,), and slopes downwards before, between and after them (3,)."""
    total = math.log1p(ratio)
    last = 0.5 * ratio / (1.0 + ratio)
    places = rows * np.array([0.5, max(0.5, _steepness(ratio))])
    heights = np.array([0.25 * ratio * rows, 0.5 * rows * total - last * places[1]])
    between = (heights[0] - heights[1]) / (places[1] - places[0]) if places[1] > places[0] else last
    return places, heights, np.array([0.5 * ratio, between, last])


def _lost(squares: Floats, rows: int, ratio: float) -> Floats:
    """The bound of Y at W = squares."""
    places, heights, slopes = _corners(rows, ratio)
    steps = (np.maximum(places[0] - squares, 0.0), np.clip(squares, places[0], places[1]) - places[0], np.maximum(squares - places[1], 0.0))
    height: Floats = heights[0] + slopes[0] * steps[0] - slopes[1] * steps[1] - slopes[2] * steps[2]
    return height


def _steepness(ratio: float) -> float:
    """c(h), a little above it."""
    if ratio < 1e-3:
        return 0.5 + ratio / 3.0 + ratio**2
    return (1.0 + ratio) ** 2 * (math.log1p(ratio) - ratio / (1.0 + ratio)) / ratio**2 * (1.0 + 1e-9)


def _calls(places: Floats, rows: int) -> tuple[Floats, Floats, Floats]:
    """E (W - w)_+, P(W > w), and the larger of two numbers that are subtracted."""
    at = np.maximum(places, 0.0)
    larger = gammaincc(0.5 * rows, 0.5 * at)
    first = rows * gammaincc(0.5 * rows + 1.0, 0.5 * at)
    return np.maximum(first - at * larger, 0.0) + np.maximum(-places, 0.0), larger, first + np.maximum(-places, 0.0)


def _puts(places: Floats, rows: int) -> tuple[Floats, Floats, Floats]:
    """E (w - W)_+, P(W < w), and the larger of two numbers that are subtracted; w > 0."""
    smaller = gammainc(0.5 * rows, 0.5 * places)
    first = places * smaller
    return np.maximum(first - rows * gammainc(0.5 * rows + 1.0, 0.5 * places), 0.0), smaller, first
