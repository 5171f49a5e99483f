"""Approximate differential privacy at one point: P(S) <= e^epsilon P'(S) + delta."""

import math
from dataclasses import dataclass

from discreet.errors import InvalidInput
from discreet.guarantees.base import Json, Unit
from discreet.neighbours import Neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateDP:
    """(epsilon, delta)-differential privacy; nothing is claimed at smaller epsilon."""

    epsilon: float
    delta_at_epsilon: float
    neighbours: Neighbours
    theorem: str
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        """Refuse numbers that bound nothing."""
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise InvalidInput(f"a guarantee needs 0 <= epsilon < infinity; {self.epsilon!r} was given.")
        if not 0 <= self.delta_at_epsilon < 1:
            raise InvalidInput(f"a guarantee needs 0 <= delta < 1; {self.delta_at_epsilon!r} was given.")

    def delta(self, epsilon: float) -> float:
        """The stated delta from the stated epsilon on; below it delta + (1 - delta) (e^epsilon - e^epsilon') / (1 + e^epsilon).

        The worst pair reveals all with probability delta and is randomised response otherwise (Kairouz, Oh, Viswanath 2015, section 3).
        """
        if epsilon >= self.epsilon:
            return self.delta_at_epsilon
        ratio = math.exp(epsilon - self.epsilon)
        pure_part = (1.0 - ratio) / (1.0 + math.exp(-self.epsilon))
        return min(1.0, self.delta_at_epsilon + (1.0 - self.delta_at_epsilon) * pure_part)

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return {
            "kind": "approximate",
            "epsilon": self.epsilon,
            "delta": self.delta_at_epsilon,
            "neighbours": str(self.neighbours),
            "unit": str(self.unit),
            "theorem": self.theorem,
        }
