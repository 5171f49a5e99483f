"""Between the rows of the file and the values of `entries`: every statement about data sets and entries, inside the caller's transaction."""

import json
import sqlite3

from discreet.errors import DiscreetError, FileFormatError, InvalidInput
from discreet.files.strict_json import read_object
from discreet.guarantees import Guarantee, Unit, guarantee_from_dict
from discreet.ledger.amounts import Amount
from discreet.ledger.entries import Amendment, DataSet, Entry, State
from discreet.neighbours import Neighbours
from discreet.quiet import quietly

_ENTRY = "id, data_set, part, guarantee, purpose, state, reserved_at, closed_at"


def find(connection: sqlite3.Connection, name: str) -> DataSet | None:
    """The data set of this name or alias."""
    alias = connection.execute("SELECT data_set FROM alias WHERE name = ?", (name,)).fetchone()
    own = name if alias is None else alias[0]
    row = connection.execute("SELECT neighbours, unit, epsilon, delta, accountant, created FROM data_set WHERE name = ?", (own,)).fetchone()
    if row is None:
        return None
    declared = Amount(epsilon=row[2], delta=row[3])
    amended = amendments_of(connection, own)
    parts = connection.execute("SELECT label FROM part WHERE data_set = ? ORDER BY label", (own,)).fetchall()
    aliases = connection.execute("SELECT name FROM alias WHERE data_set = ? ORDER BY name", (own,)).fetchall()
    refusal = FileFormatError(
        "the ledger holds a data set whose neighbouring relation or unit this version of discreet does not know. Use the version that wrote it."
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


def get(connection: sqlite3.Connection, name: str) -> DataSet:
    """The data set of this name or alias. Raises InvalidInput where there is none."""
    found = find(connection, name)
    if found is None:
        raise InvalidInput(f"the ledger knows no data set {name!r}; it knows {names(connection)}. Declare it with its total first.")
    return found


def names(connection: sqlite3.Connection) -> list[str]:
    """All data sets, without their aliases."""
    return [name for (name,) in connection.execute("SELECT name FROM data_set ORDER BY name")]


def add_data_set(connection: sqlite3.Connection, data_set: DataSet) -> None:
    """A new one, without its amendments."""
    connection.execute(
        "INSERT INTO data_set VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            data_set.name,
            str(data_set.neighbours),
            str(data_set.unit),
            data_set.declared.epsilon,
            data_set.declared.delta,
            data_set.accountant,
            data_set.created,
        ),
    )
    connection.executemany("INSERT INTO part VALUES (?, ?)", [(data_set.name, label) for label in data_set.parts])
    connection.executemany("INSERT INTO alias VALUES (?, ?)", [(alias, data_set.name) for alias in data_set.aliases])


def remember_table(connection: sqlite3.Connection, digest: str, data_set: DataSet) -> None:
    """Keep the digest under this data set. Raises InvalidInput where another one has it."""
    owner = connection.execute("SELECT data_set FROM known_table WHERE digest = ?", (digest,)).fetchone()
    if owner is None:
        connection.execute("INSERT INTO known_table VALUES (?, ?)", (digest, data_set.name))
    elif owner[0] != data_set.name:
        raise InvalidInput(
            f"this is the table that the ledger knows as {owner[0]!r}, so it cannot be spent on as {data_set.name!r}: what two names spend adds up. "
            f"Spend on {owner[0]!r}, or make a name that is not in use another name of it with link."
        )


def entries_of(connection: sqlite3.Connection, data_set: str) -> tuple[Entry, ...]:
    """All entries in the order of their reservation. Raises FileFormatError for one that this version cannot read."""
    rows = connection.execute(f"SELECT {_ENTRY} FROM entry WHERE data_set = ? ORDER BY reserved_at, number", (data_set,))  # noqa: S608 - a constant
    return tuple(_entry(row) for row in rows)


def get_entry(connection: sqlite3.Connection, entry: str) -> Entry:
    """The entry of this id. Raises InvalidInput where there is none."""
    row = connection.execute(f"SELECT {_ENTRY} FROM entry WHERE id = ?", (entry,)).fetchone()  # noqa: S608 - a constant
    if row is None:
        raise InvalidInput("the ledger has no entry of this id; the history of the data set lists them.")
    return _entry(row)


def add_entry(connection: sqlite3.Connection, entry: Entry) -> None:
    """A new one."""
    connection.execute(
        f"INSERT INTO entry ({_ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - a constant
        (
            entry.id,
            entry.data_set,
            entry.part,
            stored(entry.guarantee),
            entry.purpose,
            str(entry.state),
            entry.reserved_at,
            entry.closed_at,
        ),
    )


def close_entry(connection: sqlite3.Connection, entry: str, state: State, closed_at: str | None) -> None:
    """Change the state of an entry."""
    connection.execute("UPDATE entry SET state = ?, closed_at = ? WHERE id = ?", (str(state), closed_at, entry))


def amendments_of(connection: sqlite3.Connection, data_set: str) -> tuple[Amendment, ...]:
    """All amendments, the one in force last."""
    rows = connection.execute("SELECT id, data_set, epsilon, delta, reason, created FROM amendment WHERE data_set = ? ORDER BY rowid", (data_set,))
    return tuple(
        Amendment(id=row[0], data_set=row[1], total=Amount(epsilon=row[2], delta=row[3]), reason=row[4], created=row[5]) for row in rows.fetchall()
    )


def add_amendment(connection: sqlite3.Connection, amendment: Amendment) -> None:
    """A new one, in force from now on."""
    total = amendment.total
    connection.execute(
        "INSERT INTO amendment VALUES (?, ?, ?, ?, ?, ?)",
        (amendment.id, amendment.data_set, total.epsilon, total.delta, amendment.reason, amendment.created),
    )


def stored(guarantee: Guarantee) -> str:
    """A guarantee as text. Raises InvalidInput unless it reads back the same: one that cannot be read would block the whole data set."""
    try:
        text = json.dumps(guarantee.to_dict(), allow_nan=False, sort_keys=True)
        same = guarantee_from_dict(read_object(text, what="a guarantee")) == guarantee
    except (DiscreetError, TypeError, ValueError):
        same = False
        text = ""
    if not same:
        raise InvalidInput(f"a guarantee of kind {type(guarantee).__name__} cannot be kept in a ledger: it does not read back from a file.")
    return text


def _entry(row: tuple[str, str, str | None, str, str, str, str, str | None]) -> Entry:
    refusal = FileFormatError(
        "the ledger holds an entry that this version of discreet cannot read, so what is spent is not known. Use the version that wrote it."
    )
    guarantee, state = quietly(lambda: (guarantee_from_dict(read_object(row[3], what="a guarantee")), State(row[5])), refusal, ValueError)
    return Entry(id=row[0], data_set=row[1], part=row[2], guarantee=guarantee, purpose=row[4], state=state, reserved_at=row[6], closed_at=row[7])
