"""The columns of a schema that are cut: how their numbers are counted, in memory or in blocks, and the schema that has the cuts.

Numbers are read as a schema encodes them that leaves all else out: t in [0, 1], each a function of its cell alone, for tables of every kind. A value
on an edge of a cell may come back a rounding error below it, so that values count as larger by 1e-12 of the width.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quoted
from discreet.core.frameless import frameless
from discreet.core.neighbours import DELTA, REPLACE_ONE, Neighbours, Persons, neighbours_of
from discreet.core.private import holds_records
from discreet.data import Block, BlockTable, EncodedTable, Schema
from discreet.data.columns import INDICATOR
from discreet.data.encodings import Bins, Curve, Encoding, Linear
from discreet.data.encodings.bins import PRIVATE
from discreet.data.frames import Frame
from discreet.data.metric import require_no_metric
from discreet.data.shared_table import NOT_TOLD, kept_blocks
from discreet.ledger import Account
from discreet.matrices import Matrix
from discreet.mechanisms.bounds_choice.release import noise_of
from discreet.mechanisms.counting import least_noise
from discreet.mechanisms.counting.queries import shares_of
from discreet.mechanisms.cuts.choose import Cuts
from discreet.mechanisms.cuts.grid import ColumnHistograms
from discreet.mechanisms.cuts.release import CutsPlan, Interval, ReleasedCuts
from discreet.mechanisms.persons import drawn_beside, held_rule, owners_of, table_rule
from discreet.noise import Integers, Noise

Table: TypeAlias = EncodedTable | BlockTable
Opened: TypeAlias = Callable[[Schema], Table]
"""From a schema to the records, encoded by it: the same records every time."""
_NUDGE = 1e-12


def columns_to_cut(schema: Schema, names: Sequence[str] | None = None) -> list[Interval]:
    """The named numeric columns; or those whose cuts the schema calls private; or, where it calls none so, all whose cuts or knots it does not give.

    Raises InvalidInput for other names, for none at all, and for names that leave out one whose cuts the schema calls private: no row could have it.
    """
    private = [column.name for column in schema.numeric if any(one.to_be_chosen for one in column.encoding)]
    if names is None:
        names = private or None
    elif left := [name for name in private if name not in names]:
        raise InvalidInput(f"the schema calls the cuts of {quoted(left)} private, but columns does not name them. Name them too, or give cuts.")
    given = {column.name for column in schema.numeric if any(_is_given(one) for one in column.encoding)}
    known = {column.name: Interval(column.name, column.lower, column.upper) for column in schema.numeric}
    chosen = [name for name in known if name not in given] if names is None else list(names)
    if unknown := [name for name in chosen if name not in known]:
        raise InvalidInput(f"{quoted(unknown)} cannot be cut; numeric columns of the schema are {quoted(known)}.")
    if not chosen:
        raise InvalidInput("the schema has no numeric column that could be cut. Private cuts are for numbers; leave them out.")
    return [known[name] for name in chosen]


def counting_schema(schema: Schema, columns: Sequence[Interval]) -> Schema:
    """The columns alone, as numbers in [0, 1]."""
    require_no_metric(schema, "a private choice of cuts")
    by_name = {column.name: column for column in schema.numeric}
    plain = tuple(replace(by_name[column.name], encoding=(Linear(),), scale="unit") for column in columns)
    return replace(schema, numeric=plain, date=(), categorical=(), cross=(), rows="bound")


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Whose:
    """A table, with what was drawn of whose rows are whose; private."""

    table: Table
    """Of blocks, where persons are told apart, the rows that are kept."""
    rule: Persons | None
    persons: int | None
    """How many, where they are told apart."""
    shares: Integers | None = None
    """Of a table in memory: what its rows count, (n,), or None for one each."""


def whose_rows(table: Table, noise: Noise, *, rows_per_person: int | None, person_weight: str, jobs: int) -> Whose:
    """What `noise` draws of a table that brings its ids, or has one row a person as is declared. Raises InvalidInput as module `persons` says."""
    if isinstance(table, BlockTable):
        rule = table_rule(table, None, rows_per_person, person_weight)
        if rule is None or not rule.told_apart:
            return Whose(table=table, rule=rule, persons=None)
        kept = kept_blocks(table, rule, drawn_beside(noise), jobs=jobs)
        return Whose(table=kept.table, rule=rule, persons=kept.persons)
    rule, ids = held_rule(table, None, rows_per_person, person_weight)
    owners = owners_of(ids, rule=rule, rows=table.rows.shape[0], noise=noise)
    if owners.weights is None:
        return Whose(table=table, rule=rule, persons=None)
    shares = shares_of(rule, owners.weights) if rule is not None and rule.several else owners.weights.astype(np.int64)
    return Whose(table=table, rule=rule, persons=owners.number, shares=shares)


def counts_of(whose: Whose, schema: Schema, cells: ColumnHistograms, *, jobs: int) -> Integers:
    """The exact counts (size,) of a table that `schema`, a counting one, encodes: private. Of blocks, the sums of theirs.

    Rows of persons who have several count parts of a record.
    """
    counted = _Counting(schema, cells)
    return sums_of(whose, lambda rows, _, shares: counted(rows, shares), cells.size, jobs=jobs)


def sums_of(whose: Whose, counted: Callable[[Matrix, Any, Integers | None], Integers], size: int, *, jobs: int) -> Integers:
    """What `counted` makes of rows, of what has their targets and of their shares, (size,) integers: of blocks, the sums of theirs. Private."""
    table, rule = whose.table, whose.rule
    if isinstance(table, EncodedTable):
        return counted(table.rows, table, whose.shares)

    def of_block(_: int, block: Block) -> Integers:
        if block.persons is not None:
            raise InvalidInput(NOT_TOLD)
        return counted(block.rows, block.targets, shares_of(rule, block.shares) if rule is not None and rule.several else None)

    return sum(table.map(of_block, jobs), start=np.zeros(size, dtype=np.int64))


def cut_schema(schema: Schema, cuts: Mapping[str, Cuts]) -> Schema:
    """The schema whose columns of these names have a feature a bin, at all resolutions side by side."""
    numeric = [
        replace(column, encoding=tuple(Bins(cuts=each) for each in cuts[column.name])) if column.name in cuts else column for column in schema.numeric
    ]
    return replace(schema, numeric=tuple(numeric))


def uncut_schema(schema: Schema, names: Sequence[str]) -> Schema:
    """The schema where nothing is spent on the cuts of these columns: those that it leaves linear, or whose cuts it calls private, are curves."""

    def public(one: Encoding) -> Encoding:
        return Curve() if isinstance(one, Linear) or (isinstance(one, Bins) and one.cuts == PRIVATE) else one

    numeric = [replace(column, encoding=tuple(map(public, column.encoding))) if column.name in names else column for column in schema.numeric]
    return replace(schema, numeric=tuple(numeric))


def known_content(opened: Opened, schema: Schema) -> Iterator[bytes]:
    """The bytes by which a ledger knows a table in memory, as a fit on this schema tells them; read again where they are asked for. Private."""
    table = opened(known_schema(schema))
    yield from (table.content() if isinstance(table, EncodedTable) else None) or ()


def known_schema(schema: Schema) -> Schema:
    """The schema that fits without private cuts are of: its own, and as `uncut_schema` has it where cuts are private."""
    return uncut_schema(schema, [column.name for column in schema.numeric if any(one.to_be_chosen for one in column.encoding)])


@frameless
def choose_cuts(
    records: Frame | Opened,
    schema: Schema,
    *,
    epsilon: float,
    delta: float = DELTA,
    neighbours: Neighbours | str = REPLACE_ONE,
    columns: Sequence[str] | None = None,
    ledger: Account | None = None,
    random_state: int | None = None,
) -> ReleasedCuts:
    """Spend (epsilon, delta) to choose where columns of `schema` are cut; `.schema` has the cuts, for fits and releases that cost more.

    `records` as `Schema.encode` takes them, or a function from a schema to an EncodedTable or a BlockTable of the same records; `columns` as
    `columns_to_cut` takes them; `random_state` an integer for tests: the certificate then never verifies. Raises InvalidInput before anything is
    spent, BudgetExceeded before anything is drawn. For cuts and one fit, `fit_with_cuts` spends less. Where the schema says whose rows are whose, the
    unit is a person.
    """
    intervals, noise = columns_to_cut(schema, columns), noise_of(random_state)
    relation = neighbours_of(neighbours)
    plan = CutsPlan.calibrate(intervals, epsilon=epsilon, delta=delta, neighbours=relation, persons=schema.persons, noise=least_noise)
    counting = counting_schema(schema, intervals)
    table = records(counting) if callable(records) else counting.encode(records, target=True)
    whose = whose_rows(table, noise, rows_per_person=None, person_weight="person", jobs=1)
    if whose.rule != plan.persons:
        raise InvalidInput("the schema and the table disagree about person ids. Encode the table with the schema that you pass.")
    answer = counts_of(whose, counting, plan.cells, jobs=1)
    opened = records if callable(records) else lambda one: one.encode(records, target=True)
    content = known_content(opened, schema) if isinstance(table, EncodedTable) else None
    released = plan.release(answer, noise, content=content, account=ledger)
    return replace(released, schema=cut_schema(schema, released.cuts))


class _Counting:
    """From rows of a counting schema to counts; holds what is public."""

    def __init__(self, schema: Schema, cells: ColumnHistograms) -> None:
        self.schema = schema
        self.cells = cells

    def __call__(self, rows: Matrix, shares: Integers | None = None) -> Integers:
        """The counts (size,) of these rows."""
        names = self.schema.feature_names
        numbers = rows.entries(slice(0, rows.shape[0]))
        found: list[Floats] = []
        for column in self.schema.numeric:
            place = names.index(column.names[0])
            values = column.lower + (numbers[:, place] + _NUDGE) * (column.upper - column.lower)
            if column.missing == INDICATOR:
                values[numbers[:, names.index(column.names[-1])] > 0] = np.nan
            found.append(values)
        return self.cells.answer(self.cells.cells_of(np.column_stack(found)), shares)


def _is_given(encoding: object) -> bool:
    """Whether the schema says where this encoding cuts."""
    return (isinstance(encoding, Bins) and encoding.cuts is not None) or (isinstance(encoding, Curve) and encoding.knots is not None)
