"""Between the rows of the file and the values of `entries`: every statement about data sets and entries, inside the caller's transaction.

And the life of an entry in it: what is checked before it is reserved, and how it is settled or cancelled.
"""

import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from typing import Any, TypeAlias
from uuid import uuid4

from discreet.accounting import Guarantee, Unit
from discreet.core.errors import DiscreetError, FileFormatError, InvalidInput, quietly
from discreet.core.neighbours import Neighbours
from discreet.ledger import seals
from discreet.ledger.accountants import Amount, accountant_named, adds, cost_of_all
from discreet.ledger.entries import Amendment, DataSet, Entry, State, now, priced, read_stored, relation, stored
from discreet.ledger.tallies import Tallies

_, *_FIELDS = seals.SEALED["entry"].split(", ")
Spending: TypeAlias = tuple[str, bool, str | None, str]
"""See `spendings`."""
Counted: TypeAlias = Sequence[tuple[str | None, Guarantee]]
"""(part, guarantee) of what counts, as `counted` gives it."""
_REMEDIES = {
    (Unit.PERSON, Unit.RECORD): "Declare which rows belong to one person ([person] in the schema, persons in Python; rows_per_person = 1 if each "
    "person has one row), or, if no person has more than k rows, charge for groups of k rows (group_rows=k, "
    "--group-rows k)",
    (Unit.RECORD, Unit.PERSON): "Declare a data set of persons (unit='person', --unit person) and spend on that one",
}
"""By the units of a data set and of a guarantee, where they alone differ."""


class BudgetExceeded(DiscreetError, RuntimeError):
    """The request exceeds what is left; nothing was recorded, and no noise may be drawn. The message contains public numbers only."""

    exit_code = 7


def find(connection: sqlite3.Connection, name: str) -> DataSet | None:
    """The data set of this name or alias; None where there is none. Raises Broken unless its seal holds."""
    own = _own_name(connection, name)
    if own is None:
        return None
    seals.check_data_set(connection, own)
    row = connection.execute("SELECT neighbours, unit, epsilon, delta, accountant, created FROM data_set WHERE name = ?", (own,)).fetchone()
    declared = Amount(epsilon=row[2], delta=row[3])
    amended = amendments_of(connection, own)
    parts = connection.execute("SELECT label FROM part WHERE data_set = ? ORDER BY label", (own,)).fetchall()
    aliases = connection.execute("SELECT name FROM alias WHERE data_set = ? ORDER BY name", (own,)).fetchall()
    refusal = FileFormatError(
        "the ledger has a data set whose neighbouring relation or unit this version of discreet does not know. Use the version that wrote it."
    )
    neighbours, unit = quietly(lambda: (Neighbours(row[0]), Unit(row[1])), refusal)
    return DataSet(
        name=own,
        neighbours=neighbours,
        unit=unit,
        declared=declared,
        total=amended[-1].total if amended else declared,
        parts=tuple(label for (label,) in parts),
        aliases=tuple(other for (other,) in aliases),
        accountant=row[4],
        created=row[5],
    )


def _own_name(connection: sqlite3.Connection, name: str) -> str | None:
    """The data set that is spelt like this, to the letter or in another normal form of Unicode, which looks the same."""
    spelt = dict(connection.execute("SELECT name, name FROM data_set UNION ALL SELECT name, data_set FROM alias"))
    if name in spelt:
        return spelt[name]
    wanted = unicodedata.normalize("NFC", name)
    return next((own for alias, own in spelt.items() if unicodedata.normalize("NFC", alias) == wanted), None)


def get(connection: sqlite3.Connection, name: str) -> DataSet:
    """The data set of this name or alias. Raises InvalidInput where there is none."""
    found = find(connection, name)
    if found is None:
        raise InvalidInput(f"the ledger has no data set {name!r}; it has {names(connection)}. Declare it first, with its total.")
    return found


def names(connection: sqlite3.Connection) -> list[str]:
    """Names of all data sets, sorted, without their aliases."""
    return [name for (name,) in connection.execute("SELECT name FROM data_set ORDER BY name")]


def add_data_set(connection: sqlite3.Connection, data_set: DataSet) -> None:
    """Write a new data set, without its amendments."""
    connection.execute(
        "INSERT INTO data_set VALUES (?, ?, ?, ?, ?, ?, ?, x'')",
        (data_set.name, str(data_set.neighbours), str(data_set.unit), *astuple(data_set.declared), data_set.accountant, data_set.created),
    )
    connection.executemany("INSERT INTO part VALUES (?, ?)", [(data_set.name, label) for label in data_set.parts])
    connection.executemany("INSERT INTO alias VALUES (?, ?)", [(alias, data_set.name) for alias in data_set.aliases])
    seals.seal_data_set(connection, data_set.name, new=True)


def add_alias(connection: sqlite3.Connection, alias: str, data_set: DataSet) -> None:
    """Write another name of a data set."""
    connection.execute("INSERT INTO alias VALUES (?, ?)", (alias, data_set.name))
    seals.seal_data_set(connection, data_set.name)


def remember_table(connection: sqlite3.Connection, digest: str, data_set: DataSet) -> None:
    """Keep the digest under this data set. Raises InvalidInput where another one has it."""
    found = next(seals.read(connection, "known_table", "WHERE digest = ?", digest), None)
    if found is None:
        sealed = seals.seal(seals.sums(connection).key, "known_table", (digest, data_set.name))
        connection.execute("INSERT INTO known_table VALUES (?, ?, ?)", (digest, data_set.name, sealed))
        seals.book(connection, new=[sealed])
    elif (owner := found[1]) != data_set.name:
        raise InvalidInput(
            f"the ledger already has this table under the name {owner!r}, so it cannot be charged as {data_set.name!r}. Charge {owner!r}, "
            "or use link to give it a second, unused name."
        )


def entries_of(connection: sqlite3.Connection, data_set: str) -> tuple[Entry, ...]:
    """All entries in the order in which they came into the file, whatever the clock said. Raises FileFormatError for one that cannot be read."""
    return tuple(map(_entry, _rows_of(connection, data_set)))


def spendings(connection: sqlite3.Connection, data_set: str) -> list[Spending]:
    """Of every entry that counts, in the same order: when it was reserved, whether it is settled, its part, and its guarantee as it is stored."""
    rows = _rows_of(connection, data_set)
    return [(time, state == State.SETTLED, part, text) for _, _, _, part, text, _, state, time, _, _ in rows if state != State.CANCELLED]


def _rows_of(connection: sqlite3.Connection, data_set: str) -> Iterator[tuple[Any, ...]]:
    return seals.read(connection, "entry", "WHERE data_set = ? ORDER BY number", data_set)


def count_of(connection: sqlite3.Connection, data_set: str) -> int:
    """How many entries a data set has, cancelled ones included."""
    return int(connection.execute("SELECT count(*) FROM entry WHERE data_set = ?", (data_set,)).fetchone()[0])


def counted(connection: sqlite3.Connection, data_set: DataSet) -> list[tuple[str | None, Guarantee]]:
    """For the accountant of the data set: (part, guarantee) of every entry that counts, or the sums of these where it adds."""
    if adds(data_set.accountant):
        return Tallies.read(connection, data_set.name, data_set.accountant).guarantees()
    return [(entry.part, entry.guarantee) for entry in entries_of(connection, data_set.name) if entry.state.counts]


def get_entry(connection: sqlite3.Connection, entry: str) -> Entry:
    """The entry of this id. Raises InvalidInput where there is none."""
    return _entry(_row(connection, entry))


def knows_entry(connection: sqlite3.Connection, entry: str) -> bool:
    """Whether there is an entry of this id."""
    return connection.execute("SELECT 1 FROM entry WHERE id = ?", (entry,)).fetchone() is not None


def add_entries(connection: sqlite3.Connection, data_set: str, entries: Sequence[Entry]) -> None:
    """Write new entries on one data set, sealed and counted in its sums."""
    first = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM entry").fetchone()[0]
    key = seals.sums(connection).key
    rows = []
    for number, one in enumerate(entries, start=first):
        row = (number, one.id, data_set, one.part, stored(one.guarantee), one.purpose, str(one.state), one.reserved_at, one.closed_at)
        rows.append((*row, seals.seal(key, "entry", row)))
    connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    seals.book(connection, new=[row[-1] for row in rows])
    _tally(connection, data_set, [(row[3], row[4]) for row in rows if State(row[6]).counts], 1)


def close_entry(connection: sqlite3.Connection, entry: str, state: State, closed_at: str | None) -> None:
    """Change the state of an entry."""
    row = _row(connection, entry)
    sealed = seals.seal(seals.sums(connection).key, "entry", (*row[:6], str(state), row[7], closed_at))
    connection.execute("UPDATE entry SET state = ?, closed_at = ?, seal = ? WHERE id = ?", (str(state), closed_at, sealed, entry))
    seals.book(connection, new=[sealed], old=[row[-1]])
    if State(row[6]).counts is not state.counts:
        _tally(connection, row[2], [(row[3], row[4])], 1 if state.counts else -1)


def _tally(connection: sqlite3.Connection, data_set: str, entries: Sequence[tuple[str | None, str]], times: int) -> None:
    """Put (part, stored guarantee) of entries into the sums of their data set, or take them out."""
    seals.check_data_set(connection, data_set)
    accountant = connection.execute("SELECT accountant FROM data_set WHERE name = ?", (data_set,)).fetchone()[0]
    if not adds(accountant):
        return
    tallies = Tallies.read(connection, data_set, accountant)
    tallies.write(connection, data_set, {tallies.add(part, text, times) for part, text in entries})
    seals.seal_data_set(connection, data_set)


def _row(connection: sqlite3.Connection, entry: str) -> tuple[Any, ...]:
    row = next(seals.read(connection, "entry", "WHERE id = ?", entry), None)
    if row is None:
        raise InvalidInput("the ledger has no entry with this id; the history of the data set lists its ids.")
    return row


def amendments_of(connection: sqlite3.Connection, data_set: str) -> tuple[Amendment, ...]:
    """All amendments, the one in force last."""
    rows = connection.execute("SELECT id, data_set, epsilon, delta, reason, created FROM amendment WHERE data_set = ? ORDER BY rowid", (data_set,))
    return tuple(
        Amendment(id=row[0], data_set=row[1], total=Amount(epsilon=row[2], delta=row[3]), reason=row[4], created=row[5]) for row in rows.fetchall()
    )


def add_amendment(connection: sqlite3.Connection, amendment: Amendment) -> None:
    """Write a new total, which is in force from now on."""
    row = (amendment.id, amendment.data_set, *astuple(amendment.total), amendment.reason, amendment.created)
    connection.execute("INSERT INTO amendment VALUES (?, ?, ?, ?, ?, ?)", row)
    seals.seal_data_set(connection, amendment.data_set)


def _entry(row: tuple[Any, ...]) -> Entry:
    """From a row of `seals.read`, whose columns are named like the fields but for the number and the seal. Raises FileFormatError."""
    said = dict(zip(_FIELDS, row[1:-1], strict=True))
    return Entry(**{**said, "guarantee": read_stored(said["guarantee"]), "state": State(said["state"])})


def check_declared_alike(found: DataSet, new: DataSet) -> None:
    """Raise InvalidInput unless a declaration repeats the one of the data set that was found under its name."""
    if replace(new, total=found.total, aliases=found.aliases, created=found.created) != found:
        raise InvalidInput(
            f"the ledger already has {new.name!r}: as {found.name!r}, declared with a total of {found.declared} "
            f"({relation(found.neighbours, found.unit)}, parts {list(found.parts)}, accountant {found.accountant}). "
            "Declare it the same way, or change the total with amend."
        )


def check_relation(data_set: DataSet, guarantee: Guarantee, part: str | None) -> None:
    """Raise InvalidInput unless the guarantee speaks of the neighbours and the unit of the data set, and the part is declared."""
    if (guarantee.neighbours, guarantee.unit) != (data_set.neighbours, data_set.unit):
        same = guarantee.neighbours is data_set.neighbours
        remedy = _REMEDIES.get((data_set.unit, guarantee.unit)) if same else None
        raise InvalidInput(
            f"the total of {data_set.name!r} is for {relation(data_set.neighbours, data_set.unit)}; the release is private for "
            f"{relation(guarantee.neighbours, guarantee.unit)}. "
            f"{remedy or 'Calibrate the release for the former, or convert its guarantee first'}."
        )
    if part is not None and part not in data_set.parts:
        raise InvalidInput(f"{data_set.name!r} has no part {part!r}; its parts are {list(data_set.parts)}, and are declared with the data set.")


def counted_of(entries: Sequence[Entry]) -> list[tuple[str | None, Guarantee]]:
    """(part, guarantee) of those that count, one by one."""
    return [(entry.part, entry.guarantee) for entry in entries if entry.state.counts]


def check_fits(data_set: DataSet, counted: Counted, guarantee: Guarantee, *, part: str | None) -> None:
    """Raise BudgetExceeded if what counts and this guarantee together exceed the total in force."""
    if not taken(data_set, [*counted, (part, guarantee)], part=part).exceeds(data_set.total):
        return
    before = taken(data_set, counted, part=part)
    where = repr(data_set.name) if part is None else f"part {part!r} of {data_set.name!r}"
    # Six digits: what is asked for and what is left may differ in the fourth.
    asked, left, spent, total = priced(guarantee, 6), *(each.written(6) for each in (before.left_of(data_set.total), before, data_set.total))
    raise BudgetExceeded(
        f"{asked} was requested, but {left} is left on {where}: spent or reserved {spent}, "
        f"total {total} ({relation(data_set.neighbours, data_set.unit)}). Nothing was recorded. Request less, or agree on a larger "
        "total and amend it."
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
    add_entries(connection, data_set.name, [entry])
    return entry


def settle(connection: sqlite3.Connection, entry: str) -> State:
    """Make it settled, whatever it was; returns what it was."""
    before = get_entry(connection, entry).state
    if before is not State.SETTLED:
        close_entry(connection, entry, State.SETTLED, now())
    return before


def cancel(connection: sqlite3.Connection, entry: str) -> None:
    """Make a reserved entry cancelled. Raises InvalidInput for a settled one."""
    before = get_entry(connection, entry).state
    if before is State.SETTLED:
        raise InvalidInput("a settled entry cannot be cancelled: its release was made.")
    if before is State.RESERVED:
        close_entry(connection, entry, State.CANCELLED, now())
