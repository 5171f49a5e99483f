"""What a release may spend, as one value: epsilon, delta and the neighbouring relation that they are meant for."""

from dataclasses import dataclass
from typing import TypedDict

from discreet.core.neighbours import Neighbours

DELTA = 1e-6
"""The default of every estimator, search and plan; docs/defaults.md says why."""


class Target(TypedDict):
    """The arguments that every calibration takes."""

    epsilon: float
    delta: float
    neighbours: Neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """A target that nothing has been calibrated for yet; what calibrates refuses numbers out of range."""

    epsilon: float
    delta: float
    neighbours: Neighbours

    @property
    def target(self) -> Target:
        """As arguments of a calibration."""
        return Target(epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours)

    @property
    def adds_noise(self) -> bool:
        """Whether a calibration takes it and adds noise: 0 < epsilon < infinity and 0 <= delta < 1."""
        return 0 < self.epsilon < float("inf") and 0 <= self.delta < 1
