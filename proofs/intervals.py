"""Enclosures: intervals of 200 bits with outward rounding (mpmath.iv), and tails of the normal law by a series of integers with its remainder."""

import math
from fractions import Fraction
from typing import Any

from mpmath import iv

iv.prec = 200
_BITS = 320
Interval = Any
"""mpmath publishes no types."""


def exact(value: float | Fraction) -> Interval:
    """One number, which a float is."""
    number = Fraction(value)
    return iv.mpf(number.numerator) / number.denominator


def ends(value: Interval) -> tuple[Fraction, Fraction]:
    """Of an interval: they are dyadic numbers."""
    (sign, low, power, _), (other, high, places, _) = value._mpi_
    return (-1) ** sign * int(low) * Fraction(2) ** power, (-1) ** other * int(high) * Fraction(2) ** places


def least(value: Interval) -> Interval:
    """The lower end."""
    return iv.mpf(value.a)


def most(value: Interval) -> Interval:
    """The upper end."""
    return iv.mpf(value.b)


def under(value: Interval | int, other: Interval | int) -> bool:
    """Whether surely value <= other."""
    return bool(iv.mpf(value).b <= iv.mpf(other).a)


def raised(value: Interval) -> float:
    """A float that is no less."""
    return math.nextafter(float(ends(value)[1]), math.inf)


def tail(at: Interval) -> Interval:
    """P(g > at), g ~ N(0, 1), which falls."""
    low, high = ends(at)
    return iv.mpf([_tail(high).a, _tail(low).b])


def _tail(at: Fraction) -> Interval:
    """1 / 2 - phi(x) sum_k x^(2 k + 1) / (1 3 .. (2 k + 1)); beyond 20 between 0 and e^(-x^2 / 2)."""
    if at < 0:
        return 1 - _tail(-at)
    if at > 20:
        return iv.mpf([0, iv.exp(-(exact(at) ** 2) / 2).b])
    unit = 1 << _BITS
    low, high = at.numerator * unit // at.denominator, -(-at.numerator * unit // at.denominator)
    (low_square, high_square), k = (low * low // unit, high * high // unit + 1), 0
    below, above = low, high
    while high > 2 or 2 * high_square > unit * (2 * k + 3):  # then terms halve at least, and the rest is below the last one
        k += 1
        low, high = low * low_square // (unit * (2 * k + 1)), high * high_square // (unit * (2 * k + 1)) + 1
        below, above = below + low, above + high
    whole = iv.mpf([(iv.mpf(below) / unit).a, (iv.mpf(above + high) / unit).b])
    return iv.mpf(1) / 2 - whole * iv.exp(-(exact(at) ** 2) / 2) / iv.sqrt(2 * iv.pi)


def density(at: Interval) -> Interval:
    """phi."""
    return iv.exp(-(at**2) / 2) / iv.sqrt(2 * iv.pi)


def gaussian(epsilon: Interval, mu: Interval) -> Interval:
    """delta_G(epsilon; mu)."""
    return tail(epsilon / mu - mu / 2) - iv.exp(epsilon) * tail(epsilon / mu + mu / 2)
