"""Zero-concentrated differential privacy: the Renyi divergence of every order alpha > 1 is at most rho alpha (Bun and Steinke 2016).

    delta(epsilon) <= min over alpha > 1 of e^{(alpha - 1)(rho alpha - epsilon)} (1 - 1/alpha)^{alpha - 1} / alpha

(Canonne, Kamath, Steinke 2020, proposition 12). Every alpha gives a valid bound, so an inexact minimum costs tightness and never truth.
Composition adds rho; a group of k records has k^2 rho (Bun and Steinke 2016, lemma 2.3 and proposition 1.9).
"""

import math
from dataclasses import dataclass

from discreet.accounting.base import Statement
from discreet.accounting.numbers import require_finite
from discreet.core.fields import Json
from discreet.core.rounding import up

_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentratedDP(Statement):
    """rho-zero-concentrated differential privacy."""

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

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return self.stated("concentrated", rho=self.rho)

    def _log_bound(self, log_excess: float, epsilon: float) -> float:
        excess = math.exp(log_excess)
        return log_renyi_delta(excess, self.rho * (1.0 + excess), epsilon)


def log_renyi_delta(excess: float, divergence: float, epsilon: float) -> float:
    """Log of the bound of delta(epsilon) from the Renyi divergence of order 1 + excess."""
    return excess * (divergence - epsilon) + excess * math.log(excess) - (1.0 + excess) * math.log1p(excess)


def exp_up(exponent: float) -> float:
    """e^exponent rounded up: by more than the rounding of an exponent that is a sum of a few terms up to 10^5 in size, never below 1e-300."""
    return up(math.exp(min(exponent, 1.0)), 4_500_000) + 1e-300
