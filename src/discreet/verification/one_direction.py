"""One record along one direction, as a stranger computes it: theorem T3 of objective_perturbation.md from a scan of slopes and Jacobian terms.

    integral over 0 <= tau <= s of max over y >= y_0 of phi(y + tau) (1 + 1 / u) - e^epsilon phi(y) / u,      y_0 = -epsilon / tau - tau / 2

u = e^J - 1 at the slope tau / s. The maximum is where the derivative in y is 0, by halving; Gauss-Legendre panels in tau.
"""

import math
from collections.abc import Callable

import numpy as np

from discreet.core.arrays import Floats
from discreet.verification.numerics import panels

_PANELS, _HALVINGS = 12, 28


def one_direction(slopes: Floats, jacobian: Floats, s: float) -> Callable[[float | Floats], Floats]:
    """epsilon >= 0, or many -> delta of the law with a record beyond that without it."""
    order = np.lexsort((jacobian, slopes))
    last = np.append(np.diff(slopes[order]) > 0, True)
    shares, terms = slopes[order][last], jacobian[order][last]
    tau, weights = panels(np.linspace(0.0, s, _PANELS + 1))
    term = np.interp(tau / s, shares, terms)
    u = np.maximum(np.expm1(term), 1e-12)

    def delta(epsilon: float | Floats) -> Floats:
        asked = np.asarray(epsilon)[..., np.newaxis]
        first = -asked / tau - 0.5 * tau
        low, high = first, first + np.log1p(u) / tau
        for _ in range(_HALVINGS):
            y = 0.5 * (low + high)
            rising = y * np.exp(np.minimum(asked + y * tau + 0.5 * tau * tau, 700.0)) > (y + tau) * (1.0 + u)
            low, high = np.where(rising, y, low), np.where(rising, high, y)
        there = np.maximum(1.0 - np.expm1(asked + low * tau + 0.5 * tau * tau) / u, 0.0)
        found: Floats = (np.exp(-0.5 * np.square(low + tau)) * there) @ weights / math.sqrt(2.0 * math.pi)
        return found

    return delta
