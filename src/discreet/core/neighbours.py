"""The neighbouring relation, which two data sets a guarantee cannot tell apart; and what a release may spend under it, as one value.

`REPLACE_ONE`: equal but for the content of one record; the number of records n is public.
`ADD_REMOVE`: one record more or less; n is itself private.
A mechanism that is epsilon-private under `ADD_REMOVE` is 2 epsilon-private under `REPLACE_ONE`, never the other way round.

Where a person owns several rows, `Persons` says how they share one record's weight: neighbours then differ in all rows of one person, and n is the
number of persons.
"""

from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral
from typing import Any, Literal, Self, TypeAlias, TypedDict, get_args

from discreet.core.errors import InvalidInput, quietly

DELTA = 1e-6
"""The only default there is of a delta; docs/defaults.md says why. What turns out pure states 0 all the same."""


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


Weight: TypeAlias = Literal["person", "row", "declared"]
MOST_ROWS = 1 << 20
"""Of a person."""
PARTS = 1 << 20
"""Of a record, in which records are counted that need not count whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Persons:
    """What is public about whose rows are whose: the unit of privacy is then a person. Raises InvalidInput for what is no such rule.

        weight     of a row of a person of whom m rows, at most `rows`, are kept
        person     1 / m: every person counts once
        row        1 / rows: every row counts alike
        declared   1, and `rows` is 1: nobody has a second row, as the caller says; no ids are read

    All of this is declared, never read from records.
    """

    rows: int = 1
    """M, the most rows of a person that are kept."""
    weight: Weight = "person"

    def __post_init__(self) -> None:
        """See class docstring."""
        if isinstance(self.rows, bool) or not isinstance(self.rows, Integral) or not 1 <= self.rows <= MOST_ROWS:
            raise InvalidInput(
                f"rows_per_person, the number of rows kept per person, must be a whole number from 1 to {MOST_ROWS}; {self.rows!r} was given."
            )
        if self.weight not in get_args(Weight) or (self.weight == "declared" and self.rows != 1):
            raise InvalidInput(
                'the weight of a row must be "person" (each person counts once), "row" (all rows count alike) or "declared" (one row per '
                f"person, without ids); {self.weight!r} was given."
            )

    @property
    def several(self) -> bool:
        """Whether somebody may have more than one row, so that weights are fractions."""
        return self.rows > 1

    @property
    def told_apart(self) -> bool:
        """Whether rows come with ids: how many rows somebody has, and where in the table, is then a person's own."""
        return self.weight != "declared"

    @property
    def by_rows(self) -> bool:
        """Whether kept rows count alike, so that what all of them weigh is no number of persons."""
        return self.several and self.weight == "row"

    @property
    def as_declared(self) -> dict[str, Any]:
        """As estimators take it: rows_per_person and person_weight."""
        return {"rows_per_person": self.rows, "person_weight": self.weight if self.told_apart else "person"}

    def to_dict(self) -> dict[str, int | str]:
        """For certificates; `from_dict` reads it back."""
        return {"rows": int(self.rows), "weight": self.weight}

    @classmethod
    def from_dict(cls, record: object) -> Self:
        """What `to_dict` wrote. Raises ValueError for anything else."""
        match record:
            case {"rows": int(rows), "weight": str(weight), **more} if not more:
                return quietly(lambda: cls(rows=rows, weight=weight), ValueError("no rule of persons"))  # type: ignore[arg-type]
        raise ValueError("no rule of persons")


def unit_of(persons: Persons | None) -> dict[str, Any]:
    """For certificates: whose rows are whose, where that is declared."""
    return {} if persons is None else {"persons": persons.to_dict()}


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
