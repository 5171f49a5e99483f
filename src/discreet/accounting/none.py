"""No guarantee at all: epsilon is infinite. A value of its own, so that nothing without a proof can pass for something with one."""

from dataclasses import dataclass

from discreet.accounting.base import Statement
from discreet.core.fields import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class NoGuarantee(Statement):
    """The release protects nobody; `theorem` says why."""

    def delta(self, epsilon: float) -> float:  # noqa: ARG002 - the curve is constant
        """1 everywhere."""
        return 1.0

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return self.stated("none")
