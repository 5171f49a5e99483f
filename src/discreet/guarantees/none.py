"""No guarantee at all: epsilon is infinite. A value of its own, so that nothing without a proof can pass for something with one."""

from dataclasses import dataclass

from discreet.guarantees.base import Json, Unit
from discreet.neighbours import Neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class NoGuarantee:
    """The release protects nobody; `theorem` says why."""

    neighbours: Neighbours
    theorem: str
    unit: Unit = Unit.RECORD

    def delta(self, epsilon: float) -> float:  # noqa: ARG002 - the curve is constant
        """1 everywhere."""
        return 1.0

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return {"kind": "none", "neighbours": str(self.neighbours), "unit": str(self.unit), "theorem": self.theorem}
