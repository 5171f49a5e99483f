"""Whose rows are whose, asked where nobody has said: in the schema once and for all, or among the options for one run.

    rows_per_person = 1        [person]                     neither
                               column = "patient id"
                               rows = 7
    --rows-per-person 1        --person "patient id"        one warning on standard error: what follows protects single rows
                               --rows-per-person 7

Nothing waits for an answer: a pipe, a script and a terminal are told the same.
"""

from dataclasses import dataclass, replace
from typing import Annotated

import discreet
from discreet.cli.options import Option, usage_error
from discreet.cli.output import warn
from discreet.core.errors import SchemaError

TWO_LINES = (
    'rows_per_person = 1 (each person has one row), or a table [person] with column = "..." and rows = M (at most M rows of each person are kept)'
)


@dataclass(frozen=True, kw_only=True)
class Whose:
    """What the options say of it; they add to the schema of a run, with which it is kept."""

    person: Annotated[
        str | None, Option(metavar="COLUMN", help="The column that says whose row each is, where the schema does not; with --rows-per-person.")
    ] = None
    rows_per_person: Annotated[int | None, "1: each person has one row. With --person: the most rows of a person that are kept."] = None

    def schema(self, path: str) -> "discreet.Schema":
        """The schema in this file with what the options say.

        Raises SchemaError where the two say different things, and as `Schema.load` does.
        """
        if self.person is not None and self.rows_per_person is None:
            raise usage_error("--person needs --rows-per-person, the most rows of a person that are kept")
        if self.person is None and self.rows_per_person is not None and self.rows_per_person != 1:
            raise usage_error(f"--rows-per-person {self.rows_per_person} needs --person, the column that says whose row each is")
        schema = discreet.Schema.load(path)
        if self.rows_per_person is None:
            return schema
        if schema.persons is None:
            if self.person is None:
                return replace(schema, rows_per_person=1)
            return replace(schema, person=discreet.data.PersonColumn(column=self.person, rows=self.rows_per_person))
        own = (None, 1) if schema.person is None else (schema.person.column, schema.person.rows)
        if (self.person, self.rows_per_person) != own:
            raise SchemaError(f"{path} says {said(schema)}, and the options say otherwise: leave --person and --rows-per-person out.")
        return schema


def ask(schema: "discreet.Schema", path: str, *, run: bool = False) -> None:
    """Warn where a schema says nothing about persons; `run` where options could."""
    if schema.persons is None:
        here = " For this run alone: --rows-per-person 1, or --person COLUMN --rows-per-person M." if run else ""
        warn(
            f"nobody said whose rows are whose, so single rows are protected, and somebody with several of them less than the numbers say. "
            f"Write one of the two into {path}: {TWO_LINES}.{here}"
        )


def said(schema: "discreet.Schema") -> str:
    """What a schema that says something says, in words."""
    if schema.person is None:
        return "that each person has one row"
    each = "each person counts once" if schema.person.weight == "person" else "every row counts alike"
    return f"that {schema.person.column!r} tells persons apart, of whom at most {schema.person.rows} rows are kept ({each})"
