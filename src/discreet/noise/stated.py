"""What is stated of noise where none is drawn (module `source`).

How far normal and exponential numbers, and vectors of them, surely are from their ideal ones; and what certificates say of where noise comes from.
"""

import math

SYSTEM_SOURCE = "ChaCha20, a fresh 256-bit key from the operating system for every draw"
"""Of noise from the operating system."""
SEEDED_SOURCE = "ChaCha20 from a seed chosen by the caller: reproducible, therefore not private"
"""Of noise from a seed."""
NORMAL_ERROR = 2.0**-48
"""Relative distance of a normal number from its ideal."""
NORMAL_LIMIT = 37.0
"""No ideal normal number is larger."""
EXPONENTIAL_LIMIT = 700.0
"""No ideal exponential number is larger."""


def gaussian_error(*, scale: float, dimension: int) -> float:
    """The largest Euclidean distance of a drawn Gaussian vector from its ideal: that of the numbers, and one more rounding."""
    return (NORMAL_ERROR + 2.0**-52) * NORMAL_LIMIT * scale * math.sqrt(dimension)


def spherical_error(*, rate: float, dimension: int) -> float:
    """The largest Euclidean distance of a drawn spherical vector from its ideal.

    The length, at most d EXPONENTIAL_LIMIT / rate, is a sum of d numbers y off by 2^-51 (1 + y), added with a relative error below d 2^-53;
    the direction, from numbers off by a relative NORMAL_ERROR, is off by less than 2 NORMAL_ERROR + (d + 8) 2^-53.
    """
    longest = dimension * EXPONENTIAL_LIMIT / rate
    return dimension * 2.0**-51 / rate + longest * (2.0 * NORMAL_ERROR + 2.0**-51 + (2 * dimension + 16) * 2.0**-53)
