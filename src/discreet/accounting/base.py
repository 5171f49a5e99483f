"""Guarantees as values: what a release promises, to whom, and by which theorem.

A guarantee is a curve delta(epsilon) over all epsilon >= 0: whatever event S is watched for, P(S) <= e^epsilon P'(S) + delta(epsilon) for
every pair of neighbouring data sets, in either order. It always states its scope: the neighbouring relation, the unit (what one neighbour
may change) and whether every record was randomised by its owner. Two guarantees whose scopes differ never mix. It also states what must stay
secret for the theorem to hold, beyond the noise itself.

The least such curve is convex in e^epsilon, non-increasing, and at most 1. Every module here uses that and nothing more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from discreet.core.errors import InvalidInput
from discreet.core.fields import Json
from discreet.core.neighbours import REPLACE_ONE, Neighbours


class Unit(StrEnum):
    """What a neighbour changes."""

    RECORD = "record"
    ENTRY = "entry"
    """One number of one record; its other numbers and all other records are known to the adversary."""
    FEATURES = "features of a record"
    """All features of one record, not its label."""


@runtime_checkable
class Guarantee(Protocol):
    """A privacy curve with its neighbouring relation, unit and theorem."""

    @property
    def neighbours(self) -> Neighbours:
        """Neighbouring relation."""

    @property
    def unit(self) -> Unit:
        """What one neighbour may change."""

    @property
    def theorem(self) -> str:
        """Where the proof is."""

    def delta(self, epsilon: float) -> float:
        """An upper bound of the smallest delta at this epsilon >= 0."""

    def to_dict(self) -> dict[str, Json]:
        """For certificates; `guarantee_from_dict` reads it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What every guarantee of this package states besides its numbers.

    Raises InvalidInput for a local guarantee under add-remove: an owner who randomises a record cannot hide that it exists.
    """

    neighbours: Neighbours
    theorem: str
    unit: Unit = Unit.RECORD
    local: bool = False
    """Whether every record was randomised by its owner, so that nobody else ever held it."""
    secret: tuple[str, ...] = ()
    """What must stay secret besides the noise, such as a sketching matrix or a seed."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.local and self.neighbours is not REPLACE_ONE:
            raise InvalidInput("a local guarantee compares two values of one record: its relation is replace-one.")
        if self.unit is not Unit.RECORD and self.neighbours is not REPLACE_ONE:
            raise InvalidInput(f"the unit {str(self.unit)!r} is replaced, not added or removed: its relation is replace-one.")

    def stated(self, kind: str, **numbers: Json) -> dict[str, Json]:
        """The record of a certificate: kind, numbers, scope; `local` and `secret` only where they say something."""
        record: dict[str, Json] = {"kind": kind, **numbers, "neighbours": str(self.neighbours), "unit": str(self.unit), "theorem": self.theorem}
        if self.local:
            record["local"] = True
        if self.secret:
            record["secret"] = list(self.secret)
        return record


def together(parts: Sequence[Guarantee], rule: str, *, neighbours: Neighbours | None = None, local: bool | None = None) -> Statement:
    """The scope that all `parts` share, their theorems and secrets, and the `rule` that joins them.

    Raises InvalidInput for no parts and for parts with different scopes. `neighbours` and `local` replace what the parts share.
    """
    if not parts:
        raise InvalidInput("composition needs at least one guarantee; none was given.")
    scopes = {(part.neighbours, part.unit, _local(part)) for part in parts}
    if len(scopes) > 1:
        raise InvalidInput("guarantees with different neighbouring relations or units, or of local and central kind, do not mix; convert them first.")
    ((shared, unit, owned),) = scopes
    names = dict.fromkeys(name for part in parts for name in part.theorem.split("; "))
    if rule:
        names[rule] = None
    secrets = dict.fromkeys(secret for part in parts if isinstance(part, Statement) for secret in part.secret)
    return Statement(
        neighbours=shared if neighbours is None else neighbours,
        theorem="; ".join(names),
        unit=unit,
        local=owned if local is None else local,
        secret=tuple(secrets),
    )


def scope(statement: Statement) -> dict[str, Any]:
    """The fields of a Statement as arguments for another kind of guarantee."""
    return {name: getattr(statement, name) for name in ("neighbours", "theorem", "unit", "local", "secret")}


def _local(part: Guarantee) -> bool:
    return isinstance(part, Statement) and part.local
