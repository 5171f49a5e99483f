"""One record along one direction, add-remove: what its Jacobian term can add to a normal law (theorem T3 of objective_perturbation.md).

Given the noise across the record, its table's minimiser along it is an increasing function of a normal number y, and with the record the same
function of y + tau(y), tau its slope over sigma: between 0 and s, rising with y, no faster than u = e^J - 1. So the law with the record has no more
than `delta` beyond e^epsilon times the law without it,

    delta = integral over 0 <= tau <= s of sup_{0 <= v <= ln(1 + u)} phi(g_v) (1 + u - e^v) / u,      g_v = (epsilon - v - tau^2 / 2) / tau,

phi the normal density, u = u(tau): where u is 0, one Gaussian mechanism's delta_G(epsilon; s). The other way there is no Jacobian term at all.

With the positive part of g_v the integrand rises with tau and with u: sums of the largest values on cells are above it. The supremum is that of a
concave function of v, plus -v^2 / (2 tau^2), over v up to where g_v is 0: where its slope is d, it is at most e^{d^2 tau^2 / 2} times the value
there.
"""

import math
from collections.abc import Callable

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.rounding import raising

_STEPS, _NEARER = 4, 0.9
"""Of Newton's method for where the slope is 0, and how far towards the end of the v that count one may go."""
_UP = raising(4_096)
_ROUNDED = 1.0 + 1e-9
"""Of sums of exponentials of up to 700, and of differences of numbers near 1 over u."""


def one_direction(shares: Floats, corners: Floats, s: float) -> Callable[[float | Floats], Floats]:
    """epsilon >= 0, or many -> `delta`, for corners of a piecewise linear function above J at `shares` of s; 1 where floats cannot say less."""
    tau, widths = shares[1:] * s * _UP, np.diff(shares) * s * _UP
    term = np.maximum(corners[:-1], corners[1:]) * _UP
    u = np.expm1(term) * _UP
    if not (np.all(u > 0) and np.all(tau > 0)):
        return lambda epsilon: np.ones(np.shape(epsilon))
    squares = np.square(tau)

    def delta(epsilon: float | Floats) -> Floats:
        start = np.maximum(np.asarray(epsilon)[..., np.newaxis] - 0.5 * squares, 0.0)
        last = np.minimum(term, start)
        v = np.zeros_like(start)
        with np.errstate(all="ignore"):
            for _ in range(_STEPS):
                left = start - v
                more = (np.log((1.0 + u) * left / (squares + left)) - v) / (1.0 + squares / (left * (squares + left)))
                v = np.where(left > 0, np.minimum(np.maximum(v + np.minimum(more, _NEARER * left), 0.0), last), v)
            room = u - np.expm1(v)
            steep = (start - v) / squares
            slope = steep - np.exp(v) / room
            over = np.where((v == 0.0) & (slope <= 0.0), 0.0, 0.5 * np.square(slope) * squares)
            largest = np.exp(np.minimum(over - 0.5 * np.square(steep) * squares, 700.0)) * np.where(v == 0.0, 1.0, room / u)
        total = largest @ widths / math.sqrt(2.0 * math.pi) * _ROUNDED
        return np.where(total <= 1.0, total, 1.0)  # of what is no number, too

    return delta
