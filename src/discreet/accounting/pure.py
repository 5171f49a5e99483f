"""Pure differential privacy: P(S) <= e^epsilon P'(S) for every event and every pair of neighbours.

For epsilon' < epsilon the profile is delta(epsilon') = (e^epsilon - e^epsilon') / (1 + e^epsilon), attained by randomised response
(Kairouz, Oh, Viswanath 2015, theorem 3.1 for one release).
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.accounting.base import Statement
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.fields import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class PureDP(Statement):
    """epsilon-differential privacy."""

    epsilon: float

    def __post_init__(self) -> None:
        """Refuse an epsilon that is no bound."""
        Statement.__post_init__(self)
        if not (is_finite(self.epsilon) and self.epsilon >= 0):
            raise InvalidInput(f"a guarantee needs 0 <= epsilon < infinity; {self.epsilon!r} was given.")

    def delta(self, epsilon: float) -> float:
        """See module docstring; 0 from `self.epsilon` on."""
        gap = self.epsilon - epsilon
        if gap <= 0:
            return 0.0
        return -math.expm1(-gap) / (1.0 + math.exp(-self.epsilon))

    def deltas(self, epsilons: Floats) -> Floats:
        """`delta` of every number of an array."""
        gaps = np.maximum(self.epsilon - epsilons, 0.0)
        curve: Floats = -np.expm1(-gaps) / (1.0 + math.exp(-self.epsilon))
        return curve

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return self.stated("pure", epsilon=self.epsilon)
