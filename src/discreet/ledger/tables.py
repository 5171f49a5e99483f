"""The tables of the file, and how those of older versions become them."""

import sqlite3

from discreet.ledger import records, seals
from discreet.ledger.accountants import adds
from discreet.ledger.tallies import Tallies

VERSION = 2
"""Of the tables below. Version 1 had no seals and no tallies, and is made version 2 when it is opened; any other is refused."""
APPLICATION = 0x44736374
"""Marks the file as a ledger ("Dsct")."""

_COMMON = """
CREATE TABLE about (
    id TEXT NOT NULL, digest_key BLOB NOT NULL, created TEXT NOT NULL, sealed INTEGER NOT NULL, seals BLOB NOT NULL, seal BLOB NOT NULL
);
CREATE TABLE tally (
    data_set TEXT NOT NULL REFERENCES data_set, part TEXT NOT NULL, shape TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL,
    number INTEGER NOT NULL, PRIMARY KEY (data_set, part, shape)
);
"""
_SCHEMA = f"""
{_COMMON}
CREATE TABLE data_set (
    name TEXT PRIMARY KEY, neighbours TEXT NOT NULL, unit TEXT NOT NULL, epsilon REAL NOT NULL, delta REAL NOT NULL,
    accountant TEXT NOT NULL, created TEXT NOT NULL, seal BLOB NOT NULL
);
CREATE TABLE part (data_set TEXT NOT NULL REFERENCES data_set, label TEXT NOT NULL, PRIMARY KEY (data_set, label));
CREATE TABLE alias (name TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set);
CREATE TABLE amendment (
    id TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set, epsilon REAL NOT NULL, delta REAL NOT NULL,
    reason TEXT NOT NULL, created TEXT NOT NULL
);
CREATE TABLE known_table (digest TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set, seal BLOB NOT NULL);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, data_set TEXT NOT NULL REFERENCES data_set, part TEXT, guarantee TEXT NOT NULL,
    purpose TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'cancelled')), reserved_at TEXT NOT NULL, closed_at TEXT,
    seal BLOB NOT NULL
);
CREATE INDEX entry_of_data_set ON entry (data_set);
"""
_NO_SEAL = "BLOB NOT NULL DEFAULT x''"
_FROM_VERSION_1 = f"""
ALTER TABLE about RENAME TO old_about;
{_COMMON}
ALTER TABLE data_set ADD COLUMN seal {_NO_SEAL};
ALTER TABLE known_table ADD COLUMN seal {_NO_SEAL};
ALTER TABLE entry ADD COLUMN seal {_NO_SEAL};
"""

_KINDS = {
    "old_about": {"id": "text", "digest_key": "blob", "created": "text"},
    "data_set": {"name": "text", "neighbours": "text", "unit": "text", "epsilon": "real", "delta": "real", "accountant": "text", "created": "text"},
    "part": {"data_set": "text", "label": "text"},
    "alias": {"name": "text", "data_set": "text"},
    "amendment": {"id": "text", "data_set": "text", "epsilon": "real", "delta": "real", "reason": "text", "created": "text"},
    "known_table": {"digest": "text", "data_set": "text"},
    "entry": {
        "id": "text",
        "data_set": "text",
        "guarantee": "text",
        "purpose": "text",
        "state": "text",
        "reserved_at": "text",
        "coalesce(part, '')": "text",
        "coalesce(closed_at, '')": "text",
    },
}
_UNREADABLE = " UNION ALL ".join(
    f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {' OR '.join(f'typeof({name}) <> {kind!r}' for name, kind in columns.items())}) AS found"  # noqa: S608
    for table, columns in _KINDS.items()
)
"""Whether some value of version 1 is not of the kind that its column declares, which SQLite does not enforce; no ledger wrote such a file."""


def make(connection: sqlite3.Connection, identifier: str, key: bytes, created: str) -> None:
    """Make empty tables for a ledger of this id and key of digests, inside the caller's transaction."""
    _execute(connection, _SCHEMA)
    seals.write_sums(connection, seals.Sums(identifier, key, created, 0, bytes(32)))
    _mark(connection)


def renew(connection: sqlite3.Connection) -> None:
    """Make tables of version 1 those of this one, inside the caller's transaction. Raises Broken where they contradict themselves."""
    _execute(connection, _FROM_VERSION_1)
    abouts = connection.execute("SELECT id, digest_key, created FROM old_about").fetchall()
    if len(abouts) != 1 or connection.execute(f"SELECT max(found) FROM ({_UNREADABLE})").fetchone()[0] or orphaned(connection):  # noqa: S608
        raise seals.Broken
    connection.execute("DROP TABLE old_about")
    identifier, key, created = abouts[0]
    seals.write_sums(connection, seals.Sums(identifier, key, created, 0, bytes(32)))
    for kind, columns in seals.SEALED.items():
        rows = connection.execute(f"SELECT rowid, {columns} FROM {kind}").fetchall()  # noqa: S608
        sealed = [(seals.seal(key, kind, row[1:]), row[0]) for row in rows]
        connection.executemany(f"UPDATE {kind} SET seal = ? WHERE rowid = ?", sealed)  # noqa: S608
        seals.book(connection, new=[one for one, _ in sealed])
    for name, accountant in connection.execute("SELECT name, accountant FROM data_set").fetchall():
        tallies = Tallies(accountant)
        for _, _, part, text in records.spendings(connection, name):
            tallies.add(part, text)
        tallies.write(connection, name, tallies.sums if adds(accountant) else ())
        seals.seal_data_set(connection, name, new=True)
    _mark(connection)


def orphaned(connection: sqlite3.Connection) -> bool:
    """Whether a row belongs to a data set that the file does not hold."""
    return connection.execute("PRAGMA foreign_key_check").fetchone() is not None


def _mark(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")


def _execute(connection: sqlite3.Connection, statements: str) -> None:
    """Run statements one by one: `executescript` would end the caller's transaction."""
    for statement in statements.split(";"):
        if statement.strip():
            connection.execute(statement)
