"""A mixture of K shifts by its supremum itself, where a record comes or goes (theorem M5 of multinomial_perturbation.md).

    Z = sup_p { sum_j p_j A_j + b (1 - |p|^2) } = min_tau { tau + b + sum_j (A_j - tau)_+^2 / 4 b }

One tau for each z is enough for a bound of P(Z > z), and with tau = z - theta b the same table does for all of them:

    Z > z  =>  sum_{j != y} (g_j + nu)_+^2 > rho^2,      nu = s - g_y - (z - theta b) / s,      rho^2 s^2 = 4 (theta - 1) b^2 - (theta b - z)_+^2

with K standard normal g. So delta is the integral of a closed form in nu by the measure whose distribution function is T(nu) = P(the sum > rho^2).

T is computed for many rho at once: squares are rounded up to a grid, and their sums are convolutions. Between places of nu and rho it is
bounded by chords of ln(1 - T), which is concave in both, as a normal vector is in a convex set with this probability.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy import fft
from scipy.special import ndtr

from discreet.core.arrays import Floats
from discreet.core.rounding import lowering, raising
from discreet.mechanisms.learning.class_mixture import STICK

_THETAS = np.array([1.7, 1.5, 1.35, 1.2, 1.1])
_CELLS, _BETWEEN = 1023, 8
_PLACES = np.linspace(-6.5, 5.5, 97)
_FINER = np.linspace(-6.5, 5.5, 96 * _BETWEEN + 1)
_FEWER = slice(None, None, 3)
"""Places at which pairs of line and theta are compared."""
_APART = 4.0
"""Factor between the largest rho^2 of one table and of the next: a rho has 255 cells at least."""
_TRANSFORMS = 1e-12
"""Of each class: what the rounding of Fourier transforms may add up to, from 0 to any cell."""
_CERTAIN, _NEVER = lowering(4), -1e4
"""Probabilities from which on nothing is left that floats can show, and the logarithm of what is left then: chords to it lie below."""
_LARGEST = 4e3
"""rho^2 beyond which nothing is computed: transforms that are inverted in a recheck oscillate as fast as that."""
_UP, _DOWN = raising(4_096), lowering(450)


def supremum_delta(classes: int, s: float, lines: Sequence[tuple[float, float]], epsilon: float) -> float:
    """delta, at most, where the Jacobian term is at most c + a' t for each of the `lines` (c, a'); 1 where no theta of a few says less.

    The pair of line and theta that is best by sums over few cells is evaluated again over many.
    """
    heights, slopes = np.array(lines).T
    bends, left = np.maximum(slopes - 0.5 * s * s / _UP, 0.0) * _UP, (epsilon - heights)[:, np.newaxis]
    shifts = bends[:, np.newaxis] * _THETAS
    squares = (4.0 * np.square(bends)[:, np.newaxis] * (_THETAS - 1.0) * _DOWN - np.square(np.maximum(shifts - left, 0.0)) * _UP) / (s * s) * _DOWN
    usable = (left > 0) & (bends[:, np.newaxis] > 0) & (squares > 1e-6) & (squares < _LARGEST)
    if not usable.any():
        return 1.0
    squares, over = squares[usable], (shifts - left)[usable]
    within = np.stack([_within(classes - 1, float(square)) for square in squares])
    beyond = -np.expm1(within)
    rises = STICK.of(s * s + over[:, np.newaxis] - s * _PLACES[_FEWER], s)
    best = int(np.argmin(np.sum(np.diff(beyond[:, _FEWER], axis=1) * (rises[:, 1:] + rises[:, :-1]), axis=1) + 2.0 * beyond[:, 0]))
    inside = np.interp(_FINER, _PLACES, within[best])
    steps = np.diff(np.append(-np.expm1(inside[:-1]) * _UP, 1.0))
    total = beyond[best][0] + np.maximum(steps, 0.0) @ STICK.of(s * s + over[best] - s * _FINER[:-1], s)
    return min(1.0, float(total) * STICK.up * _UP)


def _within(count: int, square: float) -> Floats:
    """ln P(sum of `count` (g_j + nu)_+^2 <= square), or less, at all places of nu."""
    power = math.ceil(math.log(square, _APART))
    cells = square / _APART**power * _CELLS * _DOWN
    lower = min(int(cells), _CELLS - 1)
    logarithms = _logarithms(count, power)[lower : lower + 2]
    share = min(max((math.sqrt(cells) - math.sqrt(lower)) / (math.sqrt(lower + 1) - math.sqrt(lower)) * _DOWN, 0.0), 1.0)
    found: Floats = logarithms[0] + share * (logarithms[1] - logarithms[0])
    return found


@lru_cache(maxsize=32)
def _logarithms(count: int, power: int) -> Floats:
    """For each cell's lower end, as far as 4^power."""
    ends = np.sqrt(np.arange(_CELLS + 1) * (_APART**power / _CELLS))
    masses = np.diff(ndtr(ends - _PLACES[:, np.newaxis]), axis=1, prepend=0.0)
    length, left = 2 * (_CELLS + 1), count
    total: Floats | None = None
    while left:
        transformed = fft.rfft(masses, length, axis=1)
        if left % 2:
            total = masses if total is None else fft.irfft(transformed * fft.rfft(total, length, axis=1), length, axis=1)[:, : _CELLS + 1]
        left //= 2
        if left:
            masses = fft.irfft(np.square(transformed), length, axis=1)[:, : _CELLS + 1]
    beyond = np.clip(1.0 - np.cumsum(np.asarray(total), axis=1) + count * _TRANSFORMS, 0.0, 1.0)
    beyond = np.maximum.accumulate(beyond, axis=0)
    return np.where(beyond < _CERTAIN, np.log1p(-np.minimum(beyond, _CERTAIN)), _NEVER).T.copy()
