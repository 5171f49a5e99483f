"""Seals: what in the file cannot change by accident without being noticed.

Every entry, every known table and every data set (with its parts, names, amendments and tallies) has a seal, HMAC-SHA-256 under the key of the file
over all that its row says, its place among the rows included. The one row of `about` keeps how many rows are sealed and the sum of their seals modulo
2^256, and has a seal of its own. So

    a bit that flips        is another text than the one that was sealed: found where the row is read, and when the file is opened
    a row that vanishes     is missing in the sum, and so is one that an older copy of a page has brought back; and a row that was added is too much

An entry changes when it is settled, so a chain over the entries would have to be written anew from there on; the sum changes by two seals.
The key lies in the file: seals find accidents, not people (Clarke et al. 2003 on sums of keyed hashes of a set, if the key were elsewhere).
"""

import hmac
import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

_MODULUS = 1 << 256
_LENGTH = 32
_CODING = ("utf-8", "surrogatepass")
SEALED = {
    "entry": "number, id, data_set, part, guarantee, purpose, state, reserved_at, closed_at",
    "known_table": "digest, data_set",
}
"""Tables whose rows are sealed one by one, with their columns; a data set is sealed with all that belongs to it."""
_OF_DATA_SET = (
    "SELECT name, neighbours, unit, epsilon, delta, accountant, created FROM data_set WHERE name = ?",
    "SELECT label FROM part WHERE data_set = ? ORDER BY label",
    "SELECT name FROM alias WHERE data_set = ? ORDER BY name",
    "SELECT id, epsilon, delta, reason, created FROM amendment WHERE data_set = ? ORDER BY rowid",
    "SELECT part, shape, first, second, number FROM tally WHERE data_set = ? ORDER BY part, shape",
)


class Broken(Exception):
    """The file says something that no ledger has written."""


class Sums(NamedTuple):
    """The row of `about`, without its seal."""

    id: str
    key: bytes
    created: str
    rows: int
    """How many are sealed."""
    seals: bytes
    """Their sum."""


def seal(key: bytes, kind: str, row: object) -> bytes:
    """HMAC-SHA-256 of one row of the table `kind`; texts, numbers and bytes of the same digits differ."""
    return hmac.digest(key, f"({kind!r}, {row!r})".encode(*_CODING), "sha256")


def sums(connection: sqlite3.Connection) -> Sums:
    """The one row of `about`. Raises Broken unless there is one, and its own seal holds."""
    rows = connection.execute("SELECT id, digest_key, created, sealed, seals, seal FROM about").fetchall()
    if len(rows) != 1 or not isinstance(rows[0][1], bytes) or seal(rows[0][1], "about", rows[0][:-1]) != rows[0][-1]:
        raise Broken
    return Sums(*rows[0][:-1])


def write_sums(connection: sqlite3.Connection, found: Sums) -> None:
    """Write the row of `about` with its seal, in the place of the one before."""
    connection.execute("DELETE FROM about")
    connection.execute("INSERT INTO about VALUES (?, ?, ?, ?, ?, ?)", (*found, seal(found.key, "about", tuple(found))))


def book(connection: sqlite3.Connection, *, new: Sequence[bytes], old: Sequence[bytes] = ()) -> None:
    """Count new seals, in the place of old ones where there were any."""
    found = sums(connection)
    change = sum(int.from_bytes(one, "big") for one in new) - sum(int.from_bytes(one, "big") for one in old)
    total = (int.from_bytes(found.seals, "big") + change) % _MODULUS
    write_sums(connection, found._replace(rows=found.rows + len(new) - len(old), seals=total.to_bytes(_LENGTH, "big")))


def read(connection: sqlite3.Connection, table: str, which: str = "", *values: str) -> Iterator[tuple[Any, ...]]:
    """Rows of a table of `SEALED`, their seals last. `which` is a clause of SQL for `values`. Raises Broken at a seal that does not hold."""
    # HMAC by its definition (RFC 2104), which for many texts under one key of at most 64 bytes takes half the time of hmac.digest.
    inner, outer = (sha256(bytes(byte ^ pad for byte in sums(connection).key.ljust(64, b"\0"))) for pad in (0x36, 0x5C))
    for row in connection.execute(f"SELECT {SEALED[table]}, seal FROM {table} {which}", values):  # noqa: S608 - constants
        text, code = inner.copy(), outer.copy()
        text.update(f"({table!r}, {row[:-1]!r})".encode(*_CODING))
        code.update(text.digest())
        if code.digest() != row[-1]:
            raise Broken
        yield row


def data_set_seal(connection: sqlite3.Connection, key: bytes, name: str) -> bytes:
    """The seal that a data set and all that belongs to it should have."""
    return seal(key, "data_set", [connection.execute(statement, (name,)).fetchall() for statement in _OF_DATA_SET])


def check_data_set(connection: sqlite3.Connection, name: str) -> bytes:
    """The seal of a data set. Raises Broken unless it holds."""
    found = connection.execute("SELECT seal FROM data_set WHERE name = ?", (name,)).fetchone()
    if found is None or found[0] != data_set_seal(connection, sums(connection).key, name):
        raise Broken
    return bytes(found[0])


def seal_data_set(connection: sqlite3.Connection, name: str, *, new: bool = False) -> None:
    """Seal a data set that is new, or has changed since `check_data_set`."""
    old = [] if new else [connection.execute("SELECT seal FROM data_set WHERE name = ?", (name,)).fetchone()[0]]
    sealed = data_set_seal(connection, sums(connection).key, name)
    connection.execute("UPDATE data_set SET seal = ? WHERE name = ?", (sealed, name))
    book(connection, new=[sealed], old=old)


def check_all(connection: sqlite3.Connection) -> None:
    """Raise Broken unless every seal holds, and their sum. One pass over the file."""
    found = sums(connection)
    seals = [row[-1] for table in SEALED for row in read(connection, table)]
    seals += [check_data_set(connection, name) for (name,) in connection.execute("SELECT name FROM data_set").fetchall()]
    total = sum(int.from_bytes(one, "big") for one in seals) % _MODULUS
    if (len(seals), total) != (found.rows, int.from_bytes(found.seals, "big")):
        raise Broken
