"""Several targets that are numbers, each between public bounds of its own; a model learns all of them under one guarantee.

    [[target]]                [[target]]
    column = "rent"           column = "heating"
    lower = 0                 lower = 0
    upper = 3000              upper = 400

Each is encoded as a target alone is, so that every one of them counts alike: -1 is its lower bound and 1 its upper.
"""

from dataclasses import dataclass

from discreet.core.errors import SchemaError, quoted
from discreet.core.short import short_repr
from discreet.data.columns import NumberTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberTargets:
    """Several numeric targets of the same records. Raises SchemaError for fewer than two, a column listed twice, and counts = true."""

    parts: tuple[NumberTarget, ...]

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """See class docstring."""
        if len(self.parts) < 2:
            raise SchemaError("several targets need two or more [[target]] tables; write a single target as [target].")
        if len(set(self.columns)) < len(self.parts):
            raise SchemaError("two [[target]] tables name the same column. Keep one of them.")
        if any(part.counts for part in self.parts):
            raise SchemaError("counts = true is for a single [target]: models of counts learn one. Leave it out of [[target]] tables.")

    @property
    def columns(self) -> tuple[str, ...]:
        """Of all of them, in the order of the answers."""
        return tuple(part.column for part in self.parts)

    @property
    def where(self) -> str:
        """How messages name these columns."""
        return f"targets {quoted(self.columns)}"

    def place_of(self, column: str) -> int:
        """The number of a target. Raises SchemaError for a column that is none."""
        if column not in self.columns:
            raise SchemaError(f"{column!r} is not one of the {self.where}.")
        return self.columns.index(column)


def counted_or_not(target: object) -> str:
    """What is answered for a target without classes, in words."""
    return "a count" if isinstance(target, NumberTarget) and target.counts else "a number"
