"""The file of a ledger: SQLite, so set up that what was reserved cannot be lost.

Rollback journal, not a write-ahead log: at rest the ledger is one file, so that a copy of it misses nothing. `synchronous=EXTRA`: a commit
returns when the data and the end of the journal, its entry in the folder included, are on the disk; at FULL, the loss of power just after a commit
can take it back, and with it a reservation whose noise has been drawn. Every write is one `BEGIN IMMEDIATE` transaction: of many processes one at a
time reads the sum and adds to it. A process that is killed leaves a journal, which the next one that opens the file rolls back.

A connection lives as long as one transaction, so none is ever shared between threads or inherited by a forked process. Within a process the
transactions wait for one lock, which is also held while the process forks: a child that was forked in the middle of a transaction would inherit
SQLite's belief that it holds locks.
"""

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from discreet.errors import DiscreetError, FileFormatError, InvalidInput
from discreet.files.lookup import exists
from discreet.ledger.refusals import LedgerUnavailable

VERSION = 1
"""Of the schema below; another version is refused."""
_APPLICATION = 0x44736374
"""Marks the file as a ledger ("Dsct")."""
_SYNCHRONOUS = "EXTRA"
_MODE = "rw"
"""Never "rwc": a mistyped path must not become a new ledger with nothing spent."""

_SCHEMA = """
CREATE TABLE about (id TEXT NOT NULL, digest_key BLOB NOT NULL, created TEXT NOT NULL);
CREATE TABLE data_set (
    name TEXT PRIMARY KEY, neighbours TEXT NOT NULL, unit TEXT NOT NULL, epsilon REAL NOT NULL, delta REAL NOT NULL,
    accountant TEXT NOT NULL, created TEXT NOT NULL
);
CREATE TABLE part (data_set TEXT NOT NULL REFERENCES data_set, label TEXT NOT NULL, PRIMARY KEY (data_set, label));
CREATE TABLE alias (name TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set);
CREATE TABLE amendment (
    id TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set, epsilon REAL NOT NULL, delta REAL NOT NULL,
    reason TEXT NOT NULL, created TEXT NOT NULL
);
CREATE TABLE known_table (digest TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set);
CREATE TABLE entry (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, data_set TEXT NOT NULL REFERENCES data_set, part TEXT, guarantee TEXT NOT NULL,
    purpose TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'cancelled')), reserved_at TEXT NOT NULL, closed_at TEXT
);
CREATE INDEX entry_of_data_set ON entry (data_set);
"""

_KINDS = {
    "about": {"id": "text", "digest_key": "blob", "created": "text"},
    "data_set": {"name": "text", "neighbours": "text", "unit": "text", "epsilon": "real", "delta": "real", "accountant": "text", "created": "text"},
    "part": {"data_set": "text", "label": "text"},
    "alias": {"name": "text", "data_set": "text"},
    "amendment": {"id": "text", "data_set": "text", "epsilon": "real", "delta": "real", "reason": "text", "created": "text"},
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
_CHECKS = [
    "SELECT (SELECT count(*) FROM about) <> 1 AS found",
    *(
        f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {' OR '.join(f'typeof({name}) <> {kind!r}' for name, kind in columns.items())})"  # noqa: S608 - constants
        for table, columns in _KINDS.items()
    ),
]
_UNREADABLE = f"SELECT max(found) FROM ({' UNION ALL '.join(_CHECKS)})"  # noqa: S608 - constants
"""Whether some value is not of the kind that its column declares, which SQLite does not enforce; such a file was not written by a ledger."""

_turn = threading.RLock()  # of one thread twice: an accountant may fork
if sys.platform != "win32":
    os.register_at_fork(before=_turn.acquire, after_in_parent=_turn.release, after_in_child=_turn.release)


@dataclass(frozen=True, slots=True)
class LedgerFile:
    """An existing ledger file; `patience` is how many seconds to wait for other threads and processes."""

    path: Path
    patience: float

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view. Raises LedgerUnavailable, FileFormatError, or InvalidInput where there is no such file."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, on the disk when the block ends and undone when it raises. Raises as `reading` does."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    def check(self) -> None:
        """Raise FileFormatError unless SQLite finds every page and index sound."""
        with self.reading() as connection:
            sound = connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
        if not sound:
            raise self._damaged()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        deadline = time.monotonic() + self.patience
        if not exists(self.path):
            raise InvalidInput(f"there is no ledger {str(self.path)!r}. Check the path, or make a new ledger with Ledger.create.")
        if not _turn.acquire(timeout=max(0.0, self.patience)):
            raise self._busy()
        try:
            with closing(self._connect(deadline)) as connection:
                connection.execute(begin)
                _check_version(connection, self.path)
                if connection.execute(_UNREADABLE).fetchone()[0]:
                    raise self._damaged()
                yield connection
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            refusal = self._refusal(error)
        except UnicodeDecodeError:  # text of a damaged page
            refusal = self._damaged()
        else:
            return
        finally:
            _turn.release()
        raise refusal

    def _connect(self, deadline: float) -> sqlite3.Connection:
        wait = max(0.0, deadline - time.monotonic())
        connection = sqlite3.connect(f"{self.path.as_uri()}?mode={_MODE}", uri=True, timeout=wait, isolation_level=None, cached_statements=0)
        for pragma in (f"synchronous={_SYNCHRONOUS}", "fullfsync=ON", "trusted_schema=OFF", "cell_size_check=ON", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _busy(self) -> LedgerUnavailable:
        return LedgerUnavailable(
            f"the ledger {str(self.path)!r} was in use by others for more than {self.patience:g} s. Nothing was recorded; try again, or wait longer "
            "(patience)."
        )

    def _damaged(self) -> FileFormatError:
        return FileFormatError(
            f"{str(self.path)!r} is damaged or no ledger. Restore it from a copy, and import what was recorded since from an export."
        )

    def _refusal(self, error: sqlite3.Error) -> DiscreetError:
        """One sentence for what SQLite met. Its own messages are replaced: they name tables and statements."""
        name = str(getattr(error, "sqlite_errorname", ""))
        shown = repr(str(self.path))
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return self._busy()
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            return self._damaged()
        if name.startswith("SQLITE_READONLY"):
            reason, remedy = "it is read-only", "Make the file and its folder writable."
        elif name.startswith("SQLITE_FULL"):
            reason, remedy = "the disk is full", "Free some space and try again."
        elif name.startswith("SQLITE_CANTOPEN"):
            reason, remedy = "it cannot be opened", "Make the file readable, and its folder writable."
        else:
            reason, remedy = f"reading or writing it failed, {name or type(error).__name__}", "Check the disk and try again."
        return LedgerUnavailable(f"the ledger {shown} cannot be used ({reason}). What was recorded before stays recorded. {remedy}")


def create_file(path: Path, created: str) -> None:
    """A new, empty ledger, which appears whole or not at all. Raises InvalidInput where something has this name or nothing can be written."""
    temporary = path.with_name(f".discreet-{uuid4().hex}.part")
    try:
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA application_id={_APPLICATION}; PRAGMA user_version={VERSION};")
            # Two random UUIDs are 244 bits from the operating system: a key, which may stay as long as the tables do.
            connection.execute("INSERT INTO about VALUES (?, ?, ?)", (str(uuid4()), uuid4().bytes + uuid4().bytes, created))
            connection.execute("COMMIT")
        _give_name(temporary, path)
    except FileExistsError:
        refusal = InvalidInput(f"{str(path)!r} exists already. Open it with Ledger(path), or choose another path.")
    except (OSError, sqlite3.Error) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or getattr(error, "sqlite_errorname", type(error).__name__)
        refusal = InvalidInput(f"the ledger {str(path)!r} cannot be made ({reason}). Choose another path, or make the folder writable.")
    else:
        return
    finally:
        for name in (temporary, temporary.with_name(f"{temporary.name}-journal")):
            with suppress(OSError):
                name.unlink(missing_ok=True)
    raise refusal


def _give_name(temporary: Path, path: Path) -> None:
    """The final name, unless something has it: by a link, which is one step; where there are no links, by a look and a rename."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        linked = False
    else:
        linked = True
    if not linked:
        if path.exists():
            raise FileExistsError
        temporary.rename(path)
    if sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise FileFormatError(f"{str(path)!r} is no ledger of discreet. Check the path.")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise FileFormatError(
            f"the ledger {str(path)!r} has version {version}; this discreet reads version {VERSION}. Use the discreet that wrote it."
        )
