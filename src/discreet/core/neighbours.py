"""The neighbouring relation, which two data sets a guarantee cannot tell apart; and what a release may spend under it, as one value.

`REPLACE_ONE`: equal but for the content of one record; the number of records n is public.
`ADD_REMOVE`: one record more or less; n is itself private.
A mechanism that is epsilon-private under `ADD_REMOVE` is 2 epsilon-private under `REPLACE_ONE`, never the other way round.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly

DELTA = 1e-6
"""The default of every estimator, search and plan; docs/defaults.md says why."""


class Neighbours(StrEnum):
    """Neighbouring relation of a guarantee; the values are the names used in files and on the command line."""

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"


def neighbours_of(given: object) -> Neighbours:
    """The relation that a caller names. Raises InvalidInput for what is none."""
    refusal = InvalidInput(f"neighbours must be one of {[str(kind) for kind in Neighbours]}; {given!r} was given.")
    return quietly(lambda: Neighbours(given), refusal)  # type: ignore[arg-type]


REPLACE_ONE = Neighbours.REPLACE_ONE
ADD_REMOVE = Neighbours.ADD_REMOVE


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
