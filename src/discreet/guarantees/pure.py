"""Pure differential privacy: P(S) <= e^epsilon P'(S) for every event and every pair of neighbours.

For epsilon' < epsilon the profile is delta(epsilon') = (e^epsilon - e^epsilon') / (1 + e^epsilon), attained by randomised response
(Kairouz, Oh, Viswanath 2015, theorem 3.1 for one release).
"""

import math
from dataclasses import dataclass

from discreet.errors import InvalidInput
from discreet.guarantees.base import Json, Unit
from discreet.neighbours import Neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class PureDP:
    """epsilon-differential privacy."""

    epsilon: float
    neighbours: Neighbours
    theorem: str
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        """Refuse an epsilon that is no bound."""
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise InvalidInput(f"a guarantee needs 0 <= epsilon < infinity; {self.epsilon!r} was given.")

    def delta(self, epsilon: float) -> float:
        """See module docstring; 0 from `self.epsilon` on."""
        gap = self.epsilon - epsilon
        if gap <= 0:
            return 0.0
        return -math.expm1(-gap) / (1.0 + math.exp(-self.epsilon))

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return {"kind": "pure", "epsilon": self.epsilon, "neighbours": str(self.neighbours), "unit": str(self.unit), "theorem": self.theorem}
