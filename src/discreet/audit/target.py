"""What is to be audited, and how hard: the numbers that every named audit takes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from discreet.audit.claim import Claim
from discreet.audit.drawn.parts import Watch
from discreet.audit.report import AuditReport
from discreet.audit.statistical import Progress
from discreet.core.neighbours import Neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a mechanism is calibrated for, and the numbers of a statistical audit."""

    epsilon: float
    delta: float
    """0 for mechanisms of pure epsilon; others need delta > 0."""
    neighbours: Neighbours
    runs: int = 2000
    confidence: float = 0.999
    progress: Progress | None = None

    @property
    def claim(self) -> Claim:
        """The two numbers."""
        return Claim(epsilon=self.epsilon, delta=self.delta)


Audited: TypeAlias = Callable[[Target], AuditReport]
Watched: TypeAlias = Callable[[Target], tuple[Watch, ...]]
"""Runs one or more mechanisms, calibrated for the target, on an invented table, and recovers the noise of what left."""
