"""Mutual information about one entry, in bits: sup over all priors of I(entry; release | all other entries) <= bits.

It bounds what is learned on average over outcomes, and is weaker than differential privacy: `bits` per ENTRY of a table, nothing about
whole records, and a single outcome may reveal the entry. Adaptive releases add their bits (chain rule: given the first outcome, the entry has
some prior, and the second release is bounded for every prior). No bound for groups of entries follows.

What it implies, one way only. Two values of the entry with equal prior probabilities give posteriors pi with E pi = 1/2 and E (1 - h2(pi)) <=
bits, h2 the binary entropy, and with g = e^epsilon the hockey stick is E (2 (1 + g) pi - 2 g)_+. Hence

    delta(epsilon) <= bits sup over pi > g/(1 + g) of 2 ((1 + g) pi - g) / (1 - h2(pi))
    delta(epsilon) <= delta(0) <= the solution d of 1 - h2((1 + d)/2) = bits                     (1 - h2 is convex: Jensen)

A delta of 1e-6 at epsilon = 1 needs 4.2e-7 bits: bits are never to be shown as a small delta. Nothing leads back from a delta to bits here.

Showkatbakhsh, Karakus, Diggavi 2018 define the currency; the bounds of delta are proved in the note composition.md.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.accounting.base import Statement, Unit
from discreet.accounting.numbers import require_finite
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.fields import Json
from discreet.core.rounding import up

_CELLS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MutualInformation(Statement):
    """At most `bits` bits about any one entry, whatever is known of the others. Its unit is always the entry."""

    bits: float
    unit: Unit = Unit.ENTRY

    def __post_init__(self) -> None:
        """Refuse other units, and numbers that bound nothing."""
        Statement.__post_init__(self)
        if self.unit is not Unit.ENTRY:
            raise InvalidInput(f"mutual information is stated per entry; the unit {str(self.unit)!r} was given.")
        require_finite("bits", self.bits)

    def delta(self, epsilon: float) -> float:
        """See module docstring."""
        if self.bits == 0 or self.bits >= 1:
            return min(1.0, self.bits)
        return min(up(self.bits * _delta_per_bit(epsilon)), _largest_shift(self.bits))

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return self.stated("mutual-information", bits=self.bits)


def _information(posteriors: Floats) -> Floats:
    """1 - h2(pi) for pi >= 1/2; near 1/2 from below, by two terms of its series in lean = 2 pi - 1, where the closed form would cancel."""
    lean = 2.0 * posteriors - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        against = np.where(lean < 1.0, (1.0 - lean) * np.log1p(-np.minimum(lean, 1.0)), 0.0)
    nats = np.where(lean < 1e-2, np.square(lean) / 2.0 + lean**4 / 12.0, 0.5 * ((1.0 + lean) * np.log1p(lean) + against))
    information: Floats = nats / math.log(2.0)
    return information


@lru_cache(maxsize=1024)
def _delta_per_bit(epsilon: float) -> float:
    """The supremum of the module docstring from above: in each small cell the largest numerator over the smallest denominator."""
    if epsilon == 0:
        return math.inf
    odds = math.exp(-epsilon)
    start = 1.0 / (1.0 + odds)
    posteriors = start + (1.0 - start) * np.linspace(0.0, 1.0, _CELLS + 1)
    # With pi = (g + u) / (1 + g), (1 + g) pi - g is u.
    gains = np.linspace(0.0, 1.0, _CELLS + 1)
    costs = _information(posteriors) * (1.0 - 1e-9)
    with np.errstate(divide="ignore"):
        return float(np.max(2.0 * gains[1:] / costs[:-1]))


@lru_cache(maxsize=1024)
def _largest_shift(bits: float) -> float:
    """The solution d of 1 - h2((1 + d)/2) = bits, rounded up."""
    low, high = 0.0, 1.0
    while high - low > 1e-15 + 1e-12 * high:
        middle = 0.5 * (low + high)
        if float(_information(np.array([0.5 + 0.5 * middle]))[0]) * (1.0 - 1e-9) >= bits:
            high = middle
        else:
            low = middle
    return high
