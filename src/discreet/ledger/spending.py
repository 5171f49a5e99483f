"""The life of an entry inside one transaction: what is checked before it is reserved, and how it is settled or cancelled."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias
from uuid import uuid4

from discreet.accounting import Guarantee
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.ledger import records
from discreet.ledger.accountants import Amount, accountant_named, cost_of_all
from discreet.ledger.entries import DataSet, Entry, State, now, priced, relation


class BudgetExceeded(DiscreetError, RuntimeError):
    """What is asked for does not fit into what is left; nothing was recorded and no noise may be drawn. Its message has public numbers only."""

    exit_code = 7


def check_declared_alike(found: DataSet, new: DataSet) -> None:
    """Raise InvalidInput unless a declaration repeats the one of the data set that was found under its name."""
    if replace(new, total=found.total, aliases=found.aliases, created=found.created) != found:
        raise InvalidInput(
            f"the ledger knows {new.name!r} already: as {found.name!r}, declared with a total of {found.declared} "
            f"({relation(found.neighbours, found.unit)}, parts {list(found.parts)}, accountant {found.accountant}). "
            "Declare the same, or change the total with amend."
        )


def check_relation(data_set: DataSet, guarantee: Guarantee, part: str | None) -> None:
    """Raise InvalidInput unless the guarantee speaks of the neighbours and the unit of the data set, and the part is declared."""
    if (guarantee.neighbours, guarantee.unit) != (data_set.neighbours, data_set.unit):
        raise InvalidInput(
            f"the total of {data_set.name!r} is for {relation(data_set.neighbours, data_set.unit)}; the release is private for "
            f"{relation(guarantee.neighbours, guarantee.unit)}. Calibrate it for the former, or convert its guarantee first."
        )
    if part is not None and part not in data_set.parts:
        raise InvalidInput(f"{data_set.name!r} has no part {part!r}; its parts are {list(data_set.parts)}, and are declared with the data set.")


Counted: TypeAlias = Sequence[tuple[str | None, Guarantee]]
"""(part, guarantee) of what counts, as `records.counted` gives it."""


def counted_of(entries: Sequence[Entry]) -> list[tuple[str | None, Guarantee]]:
    """(part, guarantee) of those that count, one by one."""
    return [(entry.part, entry.guarantee) for entry in entries if entry.state.counts]


def check_fits(data_set: DataSet, counted: Counted, guarantee: Guarantee, *, part: str | None) -> None:
    """Raise BudgetExceeded if what counts and this guarantee together exceed the total in force."""
    if not taken(data_set, [*counted, (part, guarantee)], part=part).exceeds(data_set.total):
        return
    before = taken(data_set, counted, part=part)
    where = repr(data_set.name) if part is None else f"part {part!r} of {data_set.name!r}"
    raise BudgetExceeded(
        f"{priced(guarantee)} is asked for, and {before.left_of(data_set.total)} is left on {where}: spent or reserved {before}, "
        f"total {data_set.total} ({relation(data_set.neighbours, data_set.unit)}). Nothing was recorded. Ask for less, or agree on a larger total "
        "and amend it."
    )


def taken(data_set: DataSet, counted: Counted, *, part: str | None = None) -> Amount:
    """What counts takes from the total; with `part`, from the records of this part."""
    return cost_of_all(counted, data_set.total.delta, accountant=accountant_named(data_set.accountant), part=part)


def reserve(connection: sqlite3.Connection, data_set: DataSet, guarantee: Guarantee, *, purpose: str, part: str | None) -> Entry:
    """A new entry, reserved from now on."""
    entry = Entry(
        id=str(uuid4()),
        data_set=data_set.name,
        part=part,
        guarantee=guarantee,
        purpose=purpose,
        state=State.RESERVED,
        reserved_at=now(),
        closed_at=None,
    )
    records.add_entries(connection, data_set.name, [entry])
    return entry


def settle(connection: sqlite3.Connection, entry: str) -> State:
    """Make it settled, whatever it was; returns what it was."""
    before = records.get_entry(connection, entry).state
    if before is not State.SETTLED:
        records.close_entry(connection, entry, State.SETTLED, now())
    return before


def cancel(connection: sqlite3.Connection, entry: str) -> None:
    """Make a reserved entry cancelled. Raises InvalidInput for a settled one."""
    before = records.get_entry(connection, entry).state
    if before is State.SETTLED:
        raise InvalidInput("a settled entry cannot be cancelled: its release has been made.")
    if before is State.RESERVED:
        records.close_entry(connection, entry, State.CANCELLED, now())
