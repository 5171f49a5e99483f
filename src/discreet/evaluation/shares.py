"""Error bars where persons have several rows: of a share of what rows weigh, for the population that *persons* are drawn from.

    R = sum_u R_u,   T = sum_u T_u,   0 <= R_u <= T_u <= 1     over persons u: what their right rows weigh, and what all of theirs do
    r = E R_u / E T_u                                          the share in the population

A person's rows are drawn together, and may be as alike as they please: nothing is assumed of them, only that persons are independent of each other.
To test a share r, let D = R - r T, a sum of independent terms of mean 0. (R_u, T_u) lies in the triangle of (0, 0), (0, 1), (1, 1), and exponentials
are convex, so with p = E T_u and F(a) = (1 - r) e^{-a r} + r e^{a (1 - r)}

    E exp(a (R_u - r T_u)) <= 1 - p + p F(a) <= exp(p (F(a) - 1)),      P(D >= d) <= exp(E T (F(a) - 1) - a d)     for every a > 0.

The interval holds every r that this does not make too unlikely (Chernoff 1952), for the D that noise leaves open. E T is the number n of persons
where each counts once and n is public; else the largest t with t - T + T log(T / t) <= log(1 / error), by the same bound for T alone.

Rows weigh floor(2^20 a_i) parts: a share of their weight below M / (2^20 - M) is lost, of R and of T, which the interval has room for.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from discreet.core.arrays import Floats
from discreet.evaluation.intervals import Estimate, checked_level
from discreet.words.counting import WHOLE

Widths = Callable[[float], tuple[float, float]]
"""From a probability to (q, p) such that the noise of R - r T stays within q + r p for all r, but for this probability."""
_NOISE, _SIZE = 0.25, 0.125
"""Of the error probability, for the noise and for E T."""
_GRID, _FINER = 1000, 500
_HALVINGS = 40


def share_interval(yes: float, total: float, widths: Widths, *, persons: int | None, rows: int, level: float) -> Estimate:
    """Of r, from R and T as they were released, in weights of persons; `persons` n where T is that number, which is public.

    `rows` M is the most that a person has.
    """
    checked_level(level)
    error, lost = 1.0 - level, rounding_of(rows)
    if total <= 0:
        return Estimate(value=0.5, low=0.0, high=1.0, noise_low=0.0, noise_high=1.0, level=level)
    size = float(persons) if persons is not None else most_expected(total + _of_total(widths(_SIZE * error / 2.0)), _SIZE * error / 2.0)
    size *= 1.0 + lost
    wide, slope = widths(_NOISE * error)
    low, high = share_ends(yes, total, (wide + lost * size, slope), size=size, tail=0.5 * (1.0 - _NOISE - _SIZE) * error)
    alone, steep = widths(error)
    alone += lost * size
    return Estimate(
        value=_clipped(yes / total),
        low=low,
        high=high,
        noise_low=_clipped((yes - alone) / (total + steep)) if total + steep > 0 else 0.0,
        noise_high=_clipped((yes + alone) / (total - steep)) if total > steep else 1.0,
        level=level,
    )


def share_ends(yes: float, total: float, widths: tuple[float, float], *, size: float, tail: float) -> tuple[float, float]:
    """The ends of the interval that holds r but for `tail` at each of them, where E T is at most `size`, and the noise within `widths`."""
    wide, slope = widths
    low = _lowest(yes, total, wide, slope, size, tail)
    return low, 1.0 - _lowest(total - yes, total, wide + slope, -slope, size, tail)


def most_expected(total: float, tail: float) -> float:
    """The largest E T for which a T of `total` or less has this probability."""
    total, far = max(total, 0.0), math.log(1.0 / tail)
    if total == 0:
        return far

    def unlikely(expected: float) -> float:
        return expected - total + total * math.log(total / expected) - far

    return float(brentq(unlikely, total, total + 2.0 * far + 2.0 * math.sqrt(2.0 * far * total), xtol=1e-9 * total)) * (1.0 + 1e-8)


def rounding_of(rows: int) -> float:
    """The share of a weight that is lost at most, over what is left of it."""
    return min(1.0, rows / (WHOLE - rows)) if rows < WHOLE else 1.0


def _lowest(yes: float, total: float, wide: float, slope: float, size: float, tail: float) -> float:
    """The least r that D is not too large for; 0 where it is for all of them, as where noise went farther than it may."""
    most = _clipped((yes + wide) / total) if total > 0 else 1.0

    def first(grid: Floats) -> int:
        held = _exponents(grid, yes - wide - grid * (total + slope), size) <= math.log(1.0 / tail)
        return int(np.argmax(held)) if held.any() else 0

    coarse = np.append(np.linspace(0.0, 1.0, _GRID + 1)[: math.ceil(most * _GRID) + 1], most)
    coarse.sort()
    place = first(coarse)
    if place == 0:
        return 0.0
    fine = np.linspace(coarse[place - 1], coarse[place], _FINER)
    return float(fine[max(first(fine) - 1, 0)])


def _exponents(shares: Floats, distances: Floats, size: float) -> Floats:
    """a d - E T (F(a) - 1) at the best a, or any other, for every r and d: 0 where d is not positive."""
    inside = (shares > 0.0) & (shares < 1.0)
    r = np.where(inside, shares, 0.5)
    far = np.maximum(distances, 0.0)
    slope = far / (size * r * (1.0 - r))
    low, high = np.zeros_like(r), np.log1p(slope) / (1.0 - r)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        short = np.exp(middle * (1.0 - r)) - np.exp(-middle * r) < slope
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    moment = (1.0 - r) * np.expm1(-low * r) + r * np.expm1(low * (1.0 - r))
    found = np.maximum(low * far - size * moment, 0.0)
    return np.where(inside, found, np.where(distances > 0.0, np.inf, 0.0))


def _of_total(widths: tuple[float, float]) -> float:
    """How far the noise of T may reach, which is that at r = 1 and r = 0 together."""
    wide, slope = widths
    return 2.0 * wide + abs(slope)


def _clipped(share: float) -> float:
    return min(1.0, max(0.0, share))
