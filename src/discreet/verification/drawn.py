"""How far drawn noise surely is from its ideal, in lines of its own: the bounds that calibrations take are in `discreet.noise.stated`.

Facts of the samplers (tests/noise holds them against sixty digits): a normal number is within a share 2^-48 of its ideal, which is at most 37; an
exponential one y is within 2^-51 (1 + y), and at most 700. Every operation rounds by a share u = 2^-53 of its exact result.

    Gaussian     fl(sigma g~):  |g~ - g| <= 37 2^-48,  and half a unit of a number of at most 37 sigma (1 + 2^-48)
    spherical    fl(fl(Y~ / rate) v~), Y~ the sum of d exponentials, v~ = g~ / |g~|:
                 Y~ is off by the sum of 2^-51 (1 + y_i), and by (d - 1) u of itself for the additions; v~ by 2^-47 where g~ is off by a share 2^-48
                 of its length (a direction turns by no more than twice that), and by (d / 2 + 3) u for squares, their sum, root and quotient;
                 division and product round once each

What is stated may be more, and counts if it is.
"""

import math

_UNIT = 2.0**-53
_NORMAL, _EXPONENTIAL = 2.0**-48, 2.0**-51
_FARTHEST, _LONGEST = 37.0, 700.0


def gaussian_distance(scale: float, dimension: int) -> float:
    """The largest Euclidean distance of d drawn numbers of N(0, scale^2) from ideal ones."""
    one = _FARTHEST * _NORMAL + _FARTHEST * (1.0 + _NORMAL) * _UNIT
    return scale * one * math.sqrt(dimension)


def spherical_distance(rate: float, dimension: int) -> float:
    """The same of a vector of d numbers of density proportional to exp(-rate |b|)."""
    longest = dimension * _LONGEST
    of_length = dimension * _EXPONENTIAL + longest * (_EXPONENTIAL + (dimension - 1) * _UNIT)
    of_direction = 2.0 * _NORMAL + (0.5 * dimension + 3.0) * _UNIT
    return (of_length + longest * (of_direction + 2.0 * _UNIT)) / rate
