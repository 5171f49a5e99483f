"""Approximate differential privacy at one point: P(S) <= e^epsilon P'(S) + delta."""

import math
from dataclasses import dataclass

import numpy as np

from discreet.accounting.base import Statement
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.fields import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateDP(Statement):
    """(epsilon, delta)-differential privacy; nothing more is claimed than what this pair implies."""

    epsilon: float
    delta_at_epsilon: float

    def __post_init__(self) -> None:
        """Refuse numbers that bound nothing."""
        Statement.__post_init__(self)
        if not (is_finite(self.epsilon) and self.epsilon >= 0):
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

    def deltas(self, epsilons: Floats) -> Floats:
        """`delta` of every number of an array."""
        gaps = np.maximum(self.epsilon - epsilons, 0.0)
        curve: Floats = self.delta_at_epsilon + (1.0 - self.delta_at_epsilon) * -np.expm1(-gaps) / (1.0 + math.exp(-self.epsilon))
        return np.minimum(curve, 1.0)

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return self.stated("approximate", epsilon=self.epsilon, delta=self.delta_at_epsilon)
