"""Exact privacy curves of Gaussian sketches and of fresh projections (proof note sketch.md and projection.md).

    k rows N(0, 1 + h) against k rows N(0, 1), both ways             `zero_out_delta`     one record more or less
    k rows N(0, diag(1 + h, 1)) against k rows N(0, diag(1, 1 + h))  `replace_delta`      one record replaced
    E over W ~ chi^2_k of delta_G(epsilon; a sqrt(W) + b)            `mixture_delta`      a projection drawn afresh

With F the distribution function of chi^2_k, L = (k/2) ln(1 + h), w = 2 (epsilon + L) / h, w' = 2 (L - epsilon) / h, t = 2 epsilon (1 + h) / h:

    zero-out   max( (1 - F(w)) - e^epsilon (1 - F((1 + h) w)),   F((1 + h) w') - e^epsilon F(w') )
    replace    E [1 - F((t + B) / (1 + h))] - e^epsilon E [1 - F(t + (1 + h) B)],   B ~ chi^2_k

Each function returns (value, error): the error covers rounding of the special functions (relative 1e-11 of the larger of two terms that are
subtracted; they are accurate to about 1e-13 for at most MOST_ROWS rows) and what lies beyond the range of integration. Expectations are
Gauss-Legendre sums over sqrt(B), which is within 14 of sqrt(k) but for a probability of 2 e^{-90} (the norm of a Gaussian vector is 1-Lipschitz, its
mean lies in [sqrt(k - 1), sqrt(k)]).
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammainc, gammaincc, ndtr

from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput

_REACH = 14.0
_BEYOND = 1e-38
_ROUNDING = 1e-11
_PANELS = 160
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
MOST_ROWS = 100_000
"""SciPy's distribution functions were compared with mpmath up to here: 1e-13. From about a million rows on, its lower tail is off by far more."""
LEAST_DELTA = 1e-30
"""Targets below it are refused: what lies beyond the range of integration would count."""


class Bounded(NamedTuple):
    """A computed number and a bound of its error."""

    value: float
    error: float

    @property
    def up(self) -> float:
        """An upper bound, at most 1."""
        return min(1.0, max(self.value, 0.0) + self.error)


def zero_out_delta(epsilon: float, rows: int, ratio: float) -> Bounded:
    """One record more or less; `rows` = k >= 1, `ratio` = h > 0."""
    require_rows(rows)
    total = 0.5 * rows * math.log1p(ratio)
    growth = math.exp(min(epsilon, 700.0))
    w = 2.0 * (epsilon + total) / ratio
    first = float(gammaincc(0.5 * rows, 0.5 * w))
    best = Bounded(first - growth * float(gammaincc(0.5 * rows, 0.5 * (1.0 + ratio) * w)), _ROUNDING * first + 1e-300)
    w = 2.0 * (total - epsilon) / ratio
    if w <= 0:
        return best
    first = float(gammainc(0.5 * rows, 0.5 * (1.0 + ratio) * w))
    other = Bounded(first - growth * float(gammainc(0.5 * rows, 0.5 * w)), _ROUNDING * first + 1e-300)
    return max(best, other, key=lambda part: part.up)


def replace_delta(epsilon: float, rows: int, ratio: float) -> Bounded:
    """One record replaced; arguments as for `zero_out_delta`."""
    squares, masses = chi_squares(rows)
    threshold = 2.0 * epsilon * (1.0 + ratio) / ratio
    first = float(masses @ gammaincc(0.5 * rows, 0.5 * (threshold + squares) / (1.0 + ratio)))
    second = math.exp(min(epsilon, 700.0)) * float(masses @ gammaincc(0.5 * rows, 0.5 * (threshold + (1.0 + ratio) * squares)))
    return Bounded(first - second, _ROUNDING * first + _BEYOND)


def mixture_delta(epsilon: float, rows: int, slope: float, offset: float = 0.0) -> Bounded:
    """The mean of one Gaussian mechanism's curve over mu = slope sqrt(W) + offset, W ~ chi^2 with `rows` degrees of freedom."""
    squares, masses = chi_squares(rows)
    mu = slope * np.sqrt(squares) + offset
    first = ndtr(0.5 * mu - epsilon / mu)
    curve = first - np.exp(min(epsilon, 700.0)) * ndtr(-0.5 * mu - epsilon / mu)
    return Bounded(float(masses @ np.maximum(curve, 0.0)), _ROUNDING * float(masses @ first) + _BEYOND)


def require_rows(rows: int) -> None:
    """Raise InvalidInput for numbers of rows whose curves are not known to be accurate."""
    if isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= MOST_ROWS:
        raise InvalidInput(
            f"the number of rows of a sketch, and the width of a projection, must be an integer from 1 to {MOST_ROWS}; {rows!r} was given."
        )


@lru_cache(maxsize=64)
def chi_squares(rows: int) -> tuple[Floats, Floats]:
    """Nodes and masses of an integral over chi^2_k; the masses sum to 1, as the density does."""
    require_rows(rows)
    low, high = max(0.0, math.sqrt(rows - 1.0) - _REACH), math.sqrt(rows) + _REACH
    edges = np.linspace(low, high, _PANELS + 1)
    half = 0.5 * (edges[1] - edges[0])
    roots = ((edges[:-1] + half)[:, np.newaxis] + half * _NODES).ravel()
    logs = (rows - 1.0) * np.log(roots) - 0.5 * np.square(roots)
    density = np.exp(logs - logs.max()) * np.tile(_WEIGHTS, _PANELS)
    return np.square(roots), density / density.sum()


def largest(curve: Callable[[float], Bounded], delta: float) -> float:
    """The largest number (to 1e-9 of itself, rounded down) at which an increasing curve's upper bound is at most `delta`."""
    if not LEAST_DELTA <= delta < 1:
        raise InfeasibleTarget(f"delta={delta!r} cannot be computed here. Take a delta from {LEAST_DELTA:g} to below 1.")
    low, high = math.log(1e-12), math.log(1e9)
    if curve(math.exp(low)).up > delta:
        raise InfeasibleTarget(f"noise for delta={delta!r} would be too large for float64; raise epsilon or delta.")
    seen = {False: low, True: high}

    def excess(log: float) -> float:
        over = curve(math.exp(log)).up
        seen[over > delta] = (min if over > delta else max)(seen[over > delta], log)
        return math.log(max(over, 1e-300) / delta)

    # Bisection asks only where the curve, which increases, is not known from a faster search to be below or above.
    if curve(math.exp(high)).up > delta:
        brentq(excess, low, high, xtol=1e-10)
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if seen[False] < middle < seen[True]:
            excess(middle)
        low, high = (middle, high) if middle <= seen[False] else (low, middle)
    return math.exp(low)
