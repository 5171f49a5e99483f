"""Expected norms and largest entries of Gaussian vectors, the building blocks of Gaussian widths.

    E chi_k                  = sqrt(2) Gamma((k + 1) / 2) / Gamma(k / 2)
    E max_b chi_{k_b}        = integral_0^inf ( 1 - prod_b F_{k_b}(t) ) dt,    F_k the distribution function of chi_k, independent blocks
    E max(a |g|_2, b |g|_inf) <= integral_0^inf ( 1 - F_d(t / a) F_1(t / b)^d ) dt      (Harris: both norms rise with every |g_j|)
    E max_i |h_i|            <= integral_0^inf ( 1 - prod_i F_1(t / s_i) ) dt           for Gaussian h_i of deviations s_i, dependent or not (Sidak)
    E max_i g_i              = -A + integral_{-A}^inf ( 1 - Phi(t)^k ) dt - integral_{-inf}^{-A} Phi(t)^k dt

The integrands decrease, so sums over left ends of intervals bound the integrals from above: they exceed them by at most the step, about 3e-4 where
deviations are 1. Beyond the grid, P(chi_k > E chi_k + u) <= exp(-u^2 / 2) (chi_k is a 1-Lipschitz function of a Gaussian vector) bounds the rest
by 1e-14.
"""

import math
from collections import Counter
from functools import lru_cache

import numpy as np
from scipy.special import gammaincc, log_ndtr, ndtr, poch

from discreet.core.arrays import Floats
from discreet.core.rounding import raising

_POINTS = 65536
_BEYOND = 8.0
_LEVELS = 32
"""Deviations are rounded up to so many levels."""
_REST = 1e-14
"""More than exp(-_BEYOND^2 / 2) / _BEYOND, the part of the integral beyond the grid."""
_ROOM = raising(45_000)
"""Covers the rounding errors of special functions and sums."""


def mean_chi(degrees: int) -> float:
    """E |g|_2 for g ~ N(0, I) of that many coordinates."""
    return math.sqrt(2.0) * float(poch(degrees / 2.0, 0.5))


def mean_largest_chi(sizes: tuple[int, ...]) -> float:
    """An upper bound of E max_b |g_b|_2 over independent standard normal vectors of these sizes, at most 1e-3 above it."""
    if len(sizes) == 1:
        return mean_chi(sizes[0]) * _ROOM
    return _mean_largest(tuple((1.0, size, count) for size, count in sorted(Counter(sizes).items())))


def mean_largest_absolute(count: int) -> float:
    """An upper bound of E max_i |g_i| over `count` independent standard normal numbers, at most 1e-3 above it."""
    return mean_chi(1) * _ROOM if count == 1 else _mean_largest(((1.0, 1, count),))


def mean_larger_norm(dimension: int, l2_factor: float, largest_factor: float) -> float:
    """An upper bound of E max(l2_factor |g|_2, largest_factor |g|_inf)."""
    return _mean_largest(((l2_factor, dimension, 1), (largest_factor, 1, dimension)))


def mean_largest_dependent(deviations: Floats) -> float:
    """An upper bound of E max_i |h_i| over centred Gaussian numbers of these deviations (k,), however they depend on each other."""
    top = float(deviations.max())
    if top == 0.0:
        return 0.0
    levels = Counter(np.maximum(np.ceil(deviations / top * _LEVELS), 1.0).tolist())
    return top * _mean_largest(tuple((level / _LEVELS, 1, count) for level, count in sorted(levels.items())))


@lru_cache(maxsize=256)
def _mean_largest(parts: tuple[tuple[float, int, int], ...]) -> float:
    """E max over parts (factor, size, count) of factor * |g|_2, for `count` independent vectors of that `size` each."""
    blocks = sum(count for _, _, count in parts)
    wide = max(factor for factor, _, _ in parts)
    grid = np.linspace(0.0, max(f * math.sqrt(size) for f, size, _ in parts) + wide * (math.sqrt(2.0 * math.log(blocks)) + _BEYOND), _POINTS)
    with np.errstate(divide="ignore"):  # at t = 0 the distribution functions are 0
        logarithm = sum(count * np.log1p(-gammaincc(size / 2.0, np.square(grid[:-1] / factor) / 2.0)) for factor, size, count in parts)
    return float(-np.expm1(logarithm).sum() * grid[1]) * _ROOM + wide * _REST


@lru_cache(maxsize=256)
def mean_largest(count: int) -> float:
    """An upper bound of E max_i g_i over `count` independent standard normal numbers, at most 1e-3 above it."""
    if count == 1:
        return 0.0
    start = 10.0
    grid = np.linspace(-start, math.sqrt(2.0 * math.log(count)) + _BEYOND, _POINTS)
    step = grid[1] - grid[0]
    return float(-np.expm1(count * log_ndtr(grid[:-1])).sum() * step * _ROOM - start) + _REST


def mean_excess(threshold: float) -> float:
    """E (g^2 - t)_+ for t = threshold >= 0: 2 (sqrt(t) phi(sqrt t) + (1 - t) Phi(-sqrt t))."""
    root = math.sqrt(threshold)
    density = math.exp(-threshold / 2.0) / math.sqrt(2.0 * math.pi)
    return max(2.0 * (root * density + (1.0 - threshold) * float(ndtr(-root))), 0.0)


def mean_square_excess(threshold: float) -> float:
    """E (|g| - t)_+^2 for t = threshold >= 0: 2 ((1 + t^2) Phi(-t) - t phi(t))."""
    density = math.exp(-(threshold**2) / 2.0) / math.sqrt(2.0 * math.pi)
    return max(2.0 * ((1.0 + threshold**2) * float(ndtr(-threshold)) - threshold * density), 0.0)


def absolute_moment(exponent: float, size: int = 1) -> float:
    """(E |g|_2^q)^(1/q) for g of `size` coordinates, q = exponent > 0: sqrt(2) (Gamma((k + q) / 2) / Gamma(k / 2))^(1/q)."""
    return math.sqrt(2.0) * math.exp((math.lgamma((size + exponent) / 2.0) - math.lgamma(size / 2.0)) / exponent) * _ROOM
