"""The file of a ledger: SQLite, so set up that what was reserved cannot be lost.

Rollback journal, not a write-ahead log: at rest the ledger is one file, so that a copy of it misses nothing. `synchronous=EXTRA`: a commit
returns when the data and the end of the journal, its entry in the folder included, are on the disk; at FULL, the loss of power just after a commit
can take it back, and with it a reservation whose noise has been drawn. Every write is one `BEGIN IMMEDIATE` transaction: of many processes one at a
time reads the sum and adds to it. A process that is killed leaves a journal, which the next one that opens the file rolls back.

A connection lives as long as one transaction, so none is ever shared between threads or inherited by a forked process. Within a process the
transactions wait for one lock, which is also held while the process forks: a child that was forked in the middle of a transaction would inherit
SQLite's belief that it holds locks.

The file is its owner's alone (mode 0600, from its first byte), and so are SQLite's journals, which take its mode. It is gone through once when a
process opens it: pages, references, and seals (module `seals`). After that each transaction checks what it reads, however many entries there are.
"""

import os
import sqlite3
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from discreet.core.errors import DiscreetError, FileFormatError, InvalidInput
from discreet.core.files.reading import exists
from discreet.ledger import records, seals
from discreet.ledger.accountants import adds
from discreet.ledger.seals import Broken, check_all, sums
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

_COLUMNS = {
    "old_about": ("id", "digest_key", "created"),
    "data_set": ("name", "neighbours", "unit", "epsilon", "delta", "accountant", "created"),
    "part": ("data_set", "label"),
    "alias": ("name", "data_set"),
    "amendment": ("id", "data_set", "epsilon", "delta", "reason", "created"),
    "known_table": ("digest", "data_set"),
    "entry": ("id", "data_set", "guarantee", "purpose", "state", "reserved_at", "coalesce(part, '')", "coalesce(closed_at, '')"),
}
"""Of version 1: texts, but for these."""
_NO_TEXTS = {"digest_key": "blob", "epsilon": "real", "delta": "real"}
_UNREADABLE = " UNION ALL ".join(
    "SELECT EXISTS (SELECT 1 FROM {} WHERE {}) AS found".format(  # noqa: S608 - constants
        table, " OR ".join(f"typeof({name}) <> {_NO_TEXTS.get(name, 'text')!r}" for name in names)
    )
    for table, names in _COLUMNS.items()
)
"""Whether some value of version 1 is not of the kind that its column declares, which SQLite does not enforce; no ledger wrote such a file."""

_SYNCHRONOUS = "EXTRA"
_MODE = "rw"
"""Never "rwc": a mistyped path must not become a new ledger with nothing spent."""

_checked: dict[tuple[int, int], tuple[int, int, bytes]] = {}
"""Files that this process has gone through: device and number of the file; its size, its time and the sum of its seals as they were."""

_turn = threading.RLock()  # of one thread twice: an accountant may fork
if sys.platform != "win32":
    os.register_at_fork(before=_turn.acquire, after_in_parent=_turn.release, after_in_child=_turn.release)


class LedgerUnavailable(DiscreetError, RuntimeError):
    """The ledger cannot be read or written now: locked, read-only, disk full. No noise may be drawn; earlier entries stay recorded."""

    exit_code = 8


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
            as_known = self._as_known()
            yield connection
            after = sums(connection).seals
        if as_known:
            self._remember(after)

    def check(self) -> None:
        """Raise FileFormatError unless every page, index, seal and reference is sound. A file of an older version is renewed first."""
        with self._transaction("BEGIN", versions=(1, VERSION)) as connection:
            old = connection.execute("PRAGMA user_version").fetchone()[0] != VERSION
            self._check_pages(connection)
        if old:
            with self._transaction("BEGIN IMMEDIATE", versions=(1, VERSION)) as connection:
                if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:  # unless another process was first
                    _renew(connection)
        with self.reading() as connection:
            if _orphaned(connection):
                raise Broken
            check_all(connection)
            self._remember(sums(connection).seals)

    def check_once(self) -> None:
        """`check`, unless this process has done so and the file has not been touched since but by ledgers: what these read is checked as they go."""
        known = _checked.get(self._identity()[0])
        with self._transaction("BEGIN", versions=(1, VERSION)) as connection:
            as_known = self._as_known()
            written = known is not None and sums(connection).seals != known[2]
            if written and not as_known:
                self._remember(sums(connection).seals)
        if not (as_known or written):
            self.check()

    def exposed(self) -> str | None:
        """A sentence if others than its owner can read or write the file."""
        mode = self.path.stat().st_mode if sys.platform != "win32" else 0
        if not mode & (stat.S_IRWXG | stat.S_IRWXO):
            return None
        return (
            f"the ledger {str(self.path)!r} can be read or written by other users (mode {stat.S_IMODE(mode):04o}), and it contains the key "
            "of its digests. Run chmod 600"
            f" {str(self.path)!r}."
        )

    def _identity(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """What it is, and how it stands."""
        try:
            found = self.path.stat()
        except OSError:
            return (-1, -1), (-1, -1)
        return (found.st_dev, found.st_ino), (found.st_size, found.st_mtime_ns)

    def _as_known(self) -> bool:
        what, how = self._identity()
        return what in _checked and _checked[what][:2] == how

    def _remember(self, seals: bytes) -> None:
        what, how = self._identity()
        _checked[what] = (*how, seals)

    def _check_pages(self, connection: sqlite3.Connection) -> None:
        if connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
            raise Broken

    @contextmanager
    def _transaction(self, begin: str, *, versions: tuple[int, ...] = (VERSION,)) -> Iterator[sqlite3.Connection]:
        deadline = time.monotonic() + self.patience
        if not exists(self.path):
            raise InvalidInput(f"there is no ledger {str(self.path)!r}. Check the path, or make a new ledger with Ledger.create.")
        if not _turn.acquire(timeout=max(0.0, self.patience)):
            raise self._busy()
        try:
            with closing(self._connect(deadline)) as connection:
                connection.execute(begin)
                _check_version(connection, self.path, versions)
                yield connection
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            refusal = self._refusal(error)
        except (Broken, UnicodeDecodeError):  # text of a damaged page
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
            f"the ledger {str(self.path)!r} was locked by another process for more than {self.patience:g} s. Nothing was recorded; try "
            "again, or raise patience."
        )

    def _damaged(self) -> FileFormatError:
        return FileFormatError(f"{str(self.path)!r} is damaged, or not a ledger. Restore a copy, and import an export of what was recorded since.")

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
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))  # and so are the journals that SQLite makes for it
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            connection.execute("BEGIN")
            # Two random UUIDs are 244 bits from the operating system: a key, which may stay as long as the tables do.
            _make(connection, str(uuid4()), uuid4().bytes + uuid4().bytes, created)
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
    """Give the file its final name, by a link, which is one step; where there are no links, by a look and a rename. Raises FileExistsError."""
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


def _check_version(connection: sqlite3.Connection, path: Path, versions: tuple[int, ...]) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise FileFormatError(f"{str(path)!r} is not a ledger of discreet. Check the path.")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in versions:
        raise FileFormatError(
            f"the ledger {str(path)!r} has version {version}; this discreet reads version {VERSION}. Use the discreet that wrote it."
        )


def _make(connection: sqlite3.Connection, identifier: str, key: bytes, created: str) -> None:
    """Make empty tables for a ledger of this id and key of digests, inside the caller's transaction."""
    _execute(connection, _SCHEMA)
    seals.write_sums(connection, seals.Sums(identifier, key, created, 0, bytes(32)))
    _mark(connection)


def _renew(connection: sqlite3.Connection) -> None:
    """Make tables of version 1 those of this one, inside the caller's transaction. Raises Broken where they contradict themselves."""
    _execute(connection, _FROM_VERSION_1)
    abouts = connection.execute("SELECT id, digest_key, created FROM old_about").fetchall()
    if len(abouts) != 1 or connection.execute(f"SELECT max(found) FROM ({_UNREADABLE})").fetchone()[0] or _orphaned(connection):  # noqa: S608
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


def _orphaned(connection: sqlite3.Connection) -> bool:
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
