"""The file: made whole or not at all, refused where it is not ours, and one clear sentence for whatever else goes wrong."""

import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.ledger import Amount, Ledger, LedgerUnavailable, State
from discreet.ledger import file as ledger_file
from discreet.ledger.seals import book, seal, sums
from tests.ledger.guarantees import pure


def altered(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_a_ledger_is_one_file_at_rest(ledger):
    ledger.reserve("adult", pure(0.5), purpose="")
    assert [path.name for path in ledger.path.parent.iterdir()] == ["team.ledger"]


def test_a_commit_waits_for_the_disk(ledger, monkeypatch):
    monkeypatch.undo()
    with ledger._file.writing() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_opening_never_makes_a_file(tmp_path):
    with pytest.raises(InvalidInput, match=r"no ledger .* Ledger\.create"):
        Ledger(tmp_path / "typo")
    assert not list(tmp_path.iterdir())


def test_a_ledger_that_vanishes_is_not_made_anew(ledger):
    ledger.path.unlink()
    with pytest.raises(InvalidInput, match="there is no ledger"):
        ledger.reserve("adult", pure(0.5), purpose="")
    assert not ledger.path.exists()


def test_making_never_overwrites_and_leaves_no_rubbish(ledger, tmp_path):
    ledger.reserve("adult", pure(0.5), purpose="")
    with pytest.raises(InvalidInput, match="exists already"):
        Ledger.create(ledger.path)
    with pytest.raises(InvalidInput, match="cannot be made"):
        Ledger.create(tmp_path / "no folder" / "ledger")
    assert ledger.spent("adult") == Amount(epsilon=0.5)
    assert [path.name for path in tmp_path.iterdir()] == ["team.ledger"]


def test_where_there_are_no_links_a_new_file_is_renamed(tmp_path, monkeypatch):
    def no_links(self, target):
        raise PermissionError

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    Ledger.create(tmp_path / "ledger").declare("adult", epsilon=1.0, delta=0.0)
    with pytest.raises(InvalidInput, match="exists already"):
        Ledger.create(tmp_path / "ledger")
    assert [path.name for path in tmp_path.iterdir()] == ["ledger"]


@pytest.mark.parametrize("name", ["a b", "50%?mode=memory", "#x", "ü", "file:x"])
def test_any_path_is_taken_as_it_is(tmp_path, name):
    Ledger.create(tmp_path / name).declare("adult", epsilon=1.0, delta=0.0)
    assert Ledger(tmp_path / name).left("adult") == Amount(epsilon=1.0)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_another_version_is_refused(ledger):
    altered(ledger.path, "PRAGMA user_version=3")
    for call in (ledger.data_sets, lambda: Ledger(ledger.path), lambda: ledger.reserve("adult", pure(0.5), purpose="")):
        with pytest.raises(FileFormatError, match="has version 3; this discreet reads version 2"):
            call()


@pytest.mark.parametrize("content", [b"", b"not a ledger at all, but some text that is long enough" * 50])
def test_another_file_is_refused_and_not_changed(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(FileFormatError, match="not a ledger"):
        Ledger(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == content


def test_an_sqlite_file_of_something_else_is_refused(tmp_path):
    altered(tmp_path / "file", "CREATE TABLE entry (id)")
    with pytest.raises(FileFormatError, match="is not a ledger of discreet"):
        Ledger(tmp_path / "file")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(LedgerUnavailable, match="cannot be opened"):
        Ledger(tmp_path)


def test_a_damaged_ledger_is_refused_and_never_read_as_empty(ledger):
    for index in range(40):
        ledger.reserve("adult", pure(0.01), purpose=f"entry {index} " + "x" * 100)
    content = bytearray(ledger.path.read_bytes())
    for page in range(1, len(content) // 4096):
        damaged = content.copy()
        damaged[4096 * page : 4096 * page + 64] = b"\xff" * 64
        ledger.path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match="damaged"):
            Ledger(ledger.path)
    ledger.path.write_bytes(content[: len(content) // 2])
    with pytest.raises(FileFormatError, match="damaged"):
        Ledger(ledger.path)


def test_an_entry_that_cannot_be_read_blocks_spending(ledger):
    """Sealed by a newer version, which knows more kinds of guarantees than this one."""
    ledger.reserve("adult", pure(0.01), purpose="")
    with ledger._file.writing() as connection:
        row = connection.execute("SELECT * FROM entry").fetchone()
        newer = (*row[:4], row[4].replace("pure", "newer"), *row[5:-1])
        sealed = seal(sums(connection).key, "entry", newer)
        connection.execute("UPDATE entry SET guarantee = ?, seal = ?", (newer[4], sealed))
        book(connection, new=[sealed], old=[row[-1]])
    with pytest.raises(FileFormatError, match="the ledger has an entry that this version of discreet"):
        ledger.history("adult")


def test_a_ledger_locked_by_another_process_is_named_after_the_patience(ledger):
    impatient = Ledger(ledger.path, patience=0.2)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailable, match="was locked by another process for more than"):
            impatient.reserve("adult", pure(0.5), purpose="")
        assert impatient.left("adult") == Amount(epsilon=1.0)
        other.execute("ROLLBACK")
    impatient.reserve("adult", pure(0.5), purpose="")


def test_a_settlement_that_cannot_be_written_costs_neither_the_release_nor_the_count(ledger):
    impatient = Ledger(ledger.path, patience=0.1)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        with impatient.spending("adult", pure(0.5), purpose="") as reservation:
            other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailable):
            reservation.settle()
    assert ledger.entry(reservation.id).state is State.RESERVED
    assert ledger.spent("adult") == Amount(epsilon=0.5)


def test_a_read_only_ledger_can_be_read_and_refuses_to_spend(ledger, monkeypatch):
    ledger.reserve("adult", pure(0.5), purpose="")
    monkeypatch.setattr(ledger_file, "_MODE", "ro")
    assert Ledger(ledger.path).left("adult") == Amount(epsilon=0.5)
    with pytest.raises(LedgerUnavailable, match="it is read-only"):
        ledger.reserve("adult", pure(0.25), purpose="")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_file_without_write_permission_refuses_to_spend(ledger):
    ledger.path.chmod(0o400)
    with pytest.raises(LedgerUnavailable, match="it is read-only"):
        ledger.reserve("adult", pure(0.25), purpose="")


def test_a_full_disk_loses_nothing(ledger):
    """A limit on the size of files stands for the disk; it holds for the child process only."""
    script = f"""
import resource, signal, sys
from pathlib import Path
from discreet.accounting import PureDP
from discreet.ledger import Ledger
from discreet.core.neighbours import REPLACE_ONE

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ledger = Ledger(Path({str(ledger.path)!r}))
size = ledger.path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 8192, size + 8192))
count = 0
try:
    while True:
        ledger.reserve("adult", PureDP(epsilon=0.0001, neighbours=REPLACE_ONE, theorem="a test"), purpose="x" * 200)
        count += 1
except Exception as error:
    print(count, type(error).__name__, error)
"""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=True)
    count, kind, message = done.stdout.split(" ", 2)
    assert kind == "LedgerUnavailable"
    assert "What was recorded before stays recorded" in message
    assert len(message.splitlines()) == 1
    assert int(count) > 0
    ledger.check()
    assert len(ledger.history("adult")) == int(count)
    ledger.reserve("adult", pure(0.1), purpose="there is room again")


def die_within(ledger):
    with ledger._file.writing() as connection:
        connection.execute("DELETE FROM data_set")
        raise ZeroDivisionError


def test_what_was_not_committed_is_not_there(ledger):
    with pytest.raises(ZeroDivisionError):
        die_within(ledger)
    assert ledger.left("adult") == Amount(epsilon=1.0)
