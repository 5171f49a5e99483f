"""Gaussian differential privacy: telling neighbours apart is at least as hard as telling N(0, 1) from N(mu, 1).

    delta(epsilon) = delta_G(epsilon; mu)                          (Dong, Roth, Su 2022, corollary 2.13; module `gaussian`)
    composition: mu^2 adds, exactly, also adaptively                (corollary 3.3; one Gaussian of sensitivity mu sqrt T for T equal ones)
    groups of k records: k mu, exactly                              (theorem 2.14)

It is the exact currency of Gaussian noise of a fixed scale: mu = sensitivity / sigma.
"""

from dataclasses import dataclass

from discreet.accounting.base import Statement
from discreet.accounting.gaussian import gaussian_delta, gaussian_deltas
from discreet.accounting.numbers import require_finite
from discreet.core.arrays import Floats
from discreet.core.fields import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianDP(Statement):
    """mu-Gaussian differential privacy."""

    mu: float

    def __post_init__(self) -> None:
        """Refuse a mu that is no bound."""
        Statement.__post_init__(self)
        require_finite("mu", self.mu)

    def delta(self, epsilon: float) -> float:
        """See module docstring."""
        return gaussian_delta(epsilon, self.mu)

    def deltas(self, epsilons: Floats) -> Floats:
        """`delta` of every number of an array."""
        return gaussian_deltas(epsilons, self.mu)

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return self.stated("gaussian", mu=self.mu)
