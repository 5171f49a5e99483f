"""Renyi differential privacy as a curve: the divergence of order alpha_i is at most epsilon_i, at finitely many orders (Mironov 2017).

    delta(epsilon) <= min over i of e^{(alpha_i - 1)(epsilon_i - epsilon)} (1 - 1/alpha_i)^{alpha_i - 1} / alpha_i
                                                                        (Canonne, Kamath, Steinke 2020, proposition 12)

Between two orders (alpha - 1) epsilon(alpha) is convex and epsilon(alpha) non-decreasing, so chords bound it; beyond the largest order
nothing is known. Composition adds the curves order by order (proposition 1 of Mironov 2017).

Zero-concentrated privacy is the curve rho alpha, at every alpha > 1 (Bun and Steinke 2016). Every alpha gives a valid bound of delta, so an inexact
minimum costs tightness and never truth. Composition adds rho; a group of k records has k^2 rho (their lemma 2.3 and proposition 1.9).
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.accounting.base import Statement, require_finite
from discreet.core.arrays import Floats, as_floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import up
from discreet.core.short import short_repr

_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
ORDERS: tuple[float, ...] = tuple(float(f"{1.0 + excess:.6g}") for excess in np.geomspace(0.01, 1e4, 160))
"""Orders at which conversions evaluate a curve, about 9 % apart: delta is within 1 % or so of that of the best order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentratedDP(Statement):
    """rho-zero-concentrated differential privacy."""

    kind: ClassVar[str] = "concentrated"
    rho: float

    def __post_init__(self) -> None:
        """Refuse a rho that is no bound."""
        Statement.__post_init__(self)
        require_finite("rho", self.rho)

    def delta(self, epsilon: float) -> float:
        """See module docstring; the minimum by golden section over log(alpha - 1)."""
        if self.rho == 0:
            return 0.0
        low, high = math.log(1e-3), math.log(2.0 + (epsilon + 60.0) / max(self.rho, 1e-290))
        # Every order gives a bound: where the search ends decides about tightness, never about truth.
        inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        at_inner, at_outer = self._log_bound(inner, epsilon), self._log_bound(outer, epsilon)
        while high - low > 1e-6:
            if at_inner <= at_outer:
                high, outer, at_outer = outer, inner, at_inner
                inner = high - _GOLDEN * (high - low)
                at_inner = self._log_bound(inner, epsilon)
            else:
                low, inner, at_inner = inner, outer, at_outer
                outer = low + _GOLDEN * (high - low)
                at_outer = self._log_bound(outer, epsilon)
        return min(1.0, exp_up(min(at_inner, at_outer)))

    def _log_bound(self, log_excess: float, epsilon: float) -> float:
        excess = math.exp(log_excess)
        return log_renyi_delta(excess, self.rho * (1.0 + excess), epsilon)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenyiDP(Statement):
    """Renyi differential privacy of order orders[i] and size divergences[i], all i together."""

    kind: ClassVar[str] = "renyi"
    orders: tuple[float, ...]
    divergences: tuple[float, ...]

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Refuse curves that are not increasing finite orders above 1 with finite divergences."""
        Statement.__post_init__(self)
        orders, divergences = as_floats(self.orders), as_floats(self.divergences)
        if orders.ndim != 1 or orders.size == 0 or orders.shape != divergences.shape:
            raise InvalidInput("a Renyi curve needs as many divergences as orders, and at least one.")
        if not (np.isfinite(orders).all() and orders[0] > 1 and np.all(np.diff(orders) > 0)):
            raise InvalidInput("the orders of a Renyi curve must be finite, above 1 and increasing.")
        if not (np.isfinite(divergences).all() and np.all(divergences >= 0)):
            raise InvalidInput("the divergences of a Renyi curve must be finite and at least 0; leave out orders without a known divergence.")

    def divergence(self, order: float) -> float:
        """Upper bound of the divergence of any order > 1; infinity beyond the largest."""
        if not order > 1:
            raise InvalidInput(f"a Renyi order must exceed 1; {order!r} was given.")
        if order > self.orders[-1]:
            return math.inf
        index = int(np.searchsorted(self.orders, order))
        above = self.divergences[index]
        if index == 0 or self.orders[index] == order:
            return min(self.divergences[index:])
        left, right = self.orders[index - 1], self.orders[index]
        # (order - 1) D is convex in the order, so its chord bounds it; and D never falls, so that any later value bounds it too.
        chord = ((right - order) * (left - 1.0) * self.divergences[index - 1] + (order - left) * (right - 1.0) * above) / (right - left)
        return min(up(chord / (order - 1.0)), *self.divergences[index:])

    def delta(self, epsilon: float) -> float:
        """See the module docstring."""
        excess = np.asarray(self.orders) - 1.0
        exponents: Floats = excess * (np.asarray(self.divergences) - epsilon) + excess * np.log(excess) - (1.0 + excess) * np.log1p(excess)
        return min(1.0, exp_up(float(np.min(exponents)))) if max(self.divergences) > 0 else 0.0


def log_renyi_delta(excess: float, divergence: float, epsilon: float) -> float:
    """Log of the bound of delta(epsilon) from the Renyi divergence of order 1 + excess."""
    return excess * (divergence - epsilon) + excess * math.log(excess) - (1.0 + excess) * math.log1p(excess)


def exp_up(exponent: float) -> float:
    """e^exponent rounded up: by more than the rounding of an exponent that is a sum of a few terms up to 10^5 in size, never below 1e-300."""
    return up(math.exp(min(exponent, 1.0)), 4_500_000) + 1e-300
