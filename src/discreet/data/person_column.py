"""Whose rows are whose, as a schema says it: a column of ids, or that nobody has a second row.

    [person]                       rows_per_person = 1             nothing
    column = "patient id"
    rows = 7
    weight = "person"

    at most 7 rows of a person     each person has one row, as     the unit of privacy
    are kept, told apart by ids    the owner of the table says     is a row

`rows` and `weight` are public, and become the rule of module `core.neighbours`; the column is read for a fit or a release, and never a feature.
"""

from dataclasses import dataclass
from typing import Literal

from discreet.core.errors import InvalidInput, SchemaError, quietly
from discreet.core.neighbours import MOST_ROWS, Persons
from discreet.data.labels import checked_text

ONE_ROW = Persons(rows=1, weight="declared")
"""What `rows_per_person = 1` means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonColumn:
    """The column of person ids. Raises SchemaError if it cannot be one."""

    column: str
    rows: int
    """M, the most rows of a person that are kept."""
    weight: Literal["person", "row"] = "person"
    """Of a kept row: 1 / m of its person's m rows, or 1 / rows."""

    def __post_init__(self) -> None:
        """See class docstring."""
        checked_text(self.column, what="person: column")
        if self.weight not in ("person", "row"):
            raise SchemaError(
                f'person: weight must be "person" (each person counts once) or "row" (all rows count alike); {self.weight!r} was given.'
            )
        wrong = SchemaError(
            f"person: rows, the largest number of rows kept per person, must be a whole number from 1 to {MOST_ROWS}; {self.rows!r} was "
            "given. "
            "Choose it without the records."
        )
        quietly(lambda: self.rule, wrong, InvalidInput)

    @property
    def rule(self) -> Persons:
        """What is public of it, for mechanisms."""
        return Persons(rows=self.rows, weight=self.weight)
