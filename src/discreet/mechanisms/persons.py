"""Whose rows are whose, at the door of a fit: what a caller declares about persons, and the weights that rows get from it.

    rows_per_person    ids      neighbours differ in
    None               none     a row
    1                  none     a person, of whom nobody has a second row, as the caller declares
    M                  (n,)     a person, of whom at most M rows, drawn uniformly by the noise of the run, are kept

A table that a schema encoded brings the rule, and the ids, that the schema names; whoever says it once more says the same.

A kept row has the weight 1 / m of a person with m kept rows ("person"), or 1 / M ("row"); any other row 0 (module `data.persons`, with the theorem).
n, wherever it enters, counts persons. Which rows are kept is drawn beside the noise of the fit, which is the same with persons and without.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.data import Block, BlockTable, EncodedTable
from discreet.data.persons import PersonCodes, person_codes, row_weights, times
from discreet.noise import Noise

_KEPT = "rows of persons that are kept"
"""What is drawn beside the noise."""


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Owners:
    """Whose the rows of a table are; private but for the rule."""

    rule: Persons | None
    """Public; None where the unit is a row."""
    number: int
    """Of persons; of rows where these are not told apart."""
    codes: PersonCodes | None = None
    """(n,), where they are told apart."""
    weights: Floats | None = None
    """(n,), or None for ones."""

    def shared(self, weights: Floats | None) -> Floats | None:
        """Weights of rows, (n,), where these would be `weights` of records: of one person's rows together at most the largest of them."""
        if self.weights is None or weights is None:
            return weights if self.weights is None else self.weights
        return times(self.weights, weights)

    def kept(self, columns: Sequence[npt.NDArray[Any]]) -> tuple[list[npt.NDArray[Any]], Floats | None]:
        """What is to be counted of columns of the rows, (n,) each, and what rows weigh where persons have several."""
        if self.weights is None or self.rule is None or self.rule.several:
            return list(columns), self.weights
        return [column[self.weights > 0] for column in columns], None


def declared_rule(
    rows_per_person: Any,  # noqa: ANN401 - checked here
    person_weight: Any,  # noqa: ANN401 - as above
    *,
    told_apart: bool,
    brought: Persons | None = None,
) -> Persons | None:
    """The public rule; None where the unit is a row. `told_apart` where rows come with ids; `brought` is what a schema says, which says that too.

    Raises InvalidInput where one needs the other, and where two say different things.
    """
    if person_weight not in ("person", "row"):
        raise InvalidInput(f'person_weight must be "person" (a person counts once) or "row" (rows count alike); {person_weight!r} was given.')
    if brought is not None:
        return _agreed(brought, rows_per_person, person_weight)
    if rows_per_person is None:
        if told_apart:
            raise InvalidInput(
                "person ids were given, but not the number of rows to keep per person. Pass rows_per_person=M, chosen without the records."
            )
        return None
    rule = Persons(rows=rows_per_person, weight=person_weight)
    if told_apart:
        return rule
    if rule.several:
        raise InvalidInput(
            f"rows_per_person={rule.rows} needs person ids: pass persons, an id for each row, to fit. If each person has one row, pass "
            "rows_per_person=1, which needs no ids."
        )
    return Persons(rows=1, weight="declared")


def _agreed(brought: Persons, rows_per_person: Any, person_weight: Any) -> Persons:  # noqa: ANN401 - as above
    """`brought`, which says whether there are ids, and which is not contradicted."""
    told_apart = brought.told_apart
    weights = {brought.weight, "person"} if rows_per_person is None or not told_apart else {brought.weight}
    if rows_per_person not in (None, brought.rows) or person_weight not in weights:
        said = f"[person] rows = {brought.rows}, weight = {brought.weight!r}" if told_apart else "rows_per_person = 1"
        raise InvalidInput(
            f"the schema of the table says {said}, but the estimator has rows_per_person={rows_per_person!r}, "
            f"person_weight={person_weight!r}. Leave both out of the estimator, or make them equal."
        )
    return brought


def brought_by(table: object) -> Persons | None:
    """The rule that a table brings, as the schema that encoded it says; None for any other table."""
    return table.rule if isinstance(table, EncodedTable | BlockTable) else None


def refuse_told_apart(rule: Persons | None, what: str) -> None:
    """Raise InvalidInput for persons that are told apart, before anything is spent on `what`, which does not keep the rows of one together."""
    if rule is not None and rule.told_apart:
        raise InvalidInput(
            f"{what} protects single rows, but the schema's [person] says that a person may have several. If a guarantee for single rows is "
            "enough, leave [person] out of the schema."
        )


def schema_rule(
    brought: Persons | None,
    ids: Any,  # noqa: ANN401 - a column of any library
    rows_per_person: Any,  # noqa: ANN401 - checked here
    person_weight: Any,  # noqa: ANN401 - checked here
) -> Persons | None:
    """The public rule where a schema says `brought`, or nothing, and a caller has `ids`, or none. Raises as `declared_rule`, and where both do."""
    if brought is not None and ids is not None:
        raise InvalidInput("the schema of the table names the column of person ids; leave persons out.")
    return declared_rule(rows_per_person, person_weight, told_apart=ids is not None, brought=brought)


def held_rule(X: object, persons: Any, rows_per_person: Any, person_weight: Any) -> tuple[Persons | None, Any]:  # noqa: ANN401 - checked here
    """The public rule of held rows and their ids, as the caller says, or the schema that encoded them. Raises as `schema_rule` does."""
    brought = brought_by(X)
    rule = schema_rule(brought, persons, rows_per_person, person_weight)
    ids = X.persons if brought is not None and isinstance(X, EncodedTable) else persons
    if brought is not None and brought.told_apart != (ids is not None):
        raise InvalidInput("the table and its schema disagree on whether there are person ids. Encode the table again.")
    return rule, ids


def table_rule(table: BlockTable, persons: Any, rows_per_person: Any, person_weight: Any) -> Persons | None:  # noqa: ANN401 - checked here
    """The public rule of a table in blocks, which brings its own ids. Raises InvalidInput as `declared_rule` does, and for ids that are given."""
    if persons is not None:
        raise InvalidInput("a table read in blocks already contains its person ids; leave persons out.")
    brought = brought_by(table)
    several = rows_per_person is not None and rows_per_person != 1
    return declared_rule(rows_per_person, person_weight, told_apart=several or (rows_per_person == 1 and says_whose(table)), brought=brought)


def says_whose(table: BlockTable) -> bool:
    """Whether a table in blocks brings ids, by its first block."""
    return next(table.map(_has_ids, 1), False)


def drawn_beside(noise: Noise) -> Noise:
    """What draws the rows that are kept, in memory and in blocks."""
    return noise.beside(_KEPT)


def _has_ids(_: int, block: Block) -> bool:
    return block.persons is not None


def owners_of(ids: Any, *, rule: Persons | None, rows: int, noise: Noise) -> Owners:  # noqa: ANN401 - a column of any library
    """What `rule` makes of rows with these ids, (n,), or None. Raises InvalidInput for another number of ids and as `person_codes`, telling none."""
    if ids is None or rule is None:
        return Owners(rule=rule, number=rows)
    codes = person_codes(ids)
    if len(codes) != rows:
        raise InvalidInput("persons must have one id for each row of X.")
    found = row_weights(codes, rule, drawn_beside(noise))
    return Owners(rule=rule, number=found.persons, codes=codes, weights=found.weights)
