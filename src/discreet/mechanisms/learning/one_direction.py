"""One record along one direction, add-remove: what its Jacobian term can add to a normal law (theorem T3 of objective_perturbation.md).

Given the noise across the record, its table's minimiser along it is an increasing function of a normal number y, and with the record the same
function of y + tau(y), tau its slope over sigma: between 0 and s, rising with y, no faster than u = e^J - 1. So the law with the record has no more
than `delta` beyond e^epsilon times the law without it,

    delta = integral over 0 <= tau <= s of sup_{0 <= v <= ln(1 + u)} phi(g_v) (1 + u - e^v) / u,      g_v = (epsilon - v - tau^2 / 2) / tau,

phi the normal density, u = u(tau): where u is 0, one Gaussian mechanism's delta_G(epsilon; s). The other way there is no Jacobian term at all.

The integrand rises with tau and with u: sums of the largest values on cells are above it. The supremum is that of a concave function of v, plus
-v^2 / (2 tau^2): where its slope is d, it is at most e^{d^2 tau^2 / 2} times the value there.
"""

import math
from collections.abc import Callable

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.rounding import raising

_STEPS = 5
_UP = raising(4_096)
_ROUNDED = 1.0 + 1e-9
"""Of sums of exponentials of up to 700, and of differences of numbers near 1 over u."""


def one_direction(shares: Floats, corners: Floats, s: float) -> Callable[[float], float]:
    """epsilon -> `delta`, for corners of a piecewise linear function above J at `shares` of s; 1 unless max J + s^2 / 2 is below it, as T3 asks."""
    tau, widths = shares[1:] * s * _UP, np.diff(shares) * s * _UP
    term = np.maximum(corners[:-1], corners[1:]) * _UP
    u = np.expm1(term) * _UP
    if not (np.all(u > 0) and np.all(tau > 0)):
        return lambda _: 1.0

    def delta(epsilon: float) -> float:
        start = epsilon - 0.5 * np.square(tau)
        if not float(start.min()) - float(term.max()) > 0:
            return 1.0
        v = np.zeros_like(tau)
        for _ in range(_STEPS):
            steep = (start - v) / np.square(tau)
            v = np.clip(np.log((1.0 + u) * steep / (1.0 + steep)), 0.0, term)
        room = u - np.expm1(v)
        with np.errstate(all="ignore"):
            slope = (start - v) / np.square(tau) - np.exp(v) / room
            over = np.where((v == 0.0) & (slope <= 0.0), 0.0, 0.5 * np.square(slope * tau))
            largest = np.exp(np.minimum(over - 0.5 * np.square((start - v) / tau), 700.0)) * np.where(v == 0.0, 1.0, room / u)
        total = float(widths @ largest) / math.sqrt(2.0 * math.pi) * _ROUNDED
        return min(1.0, total) if total >= 0 else 1.0

    return delta
