"""Ends that a command does not choose: a full standard output, a signal. One sentence, an exit code, and nothing half done."""

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from discreet.cli import program
from discreet.cli.program import COMMANDS
from discreet.estimators.files.model import Model
from discreet.ledger import Ledger
from tests.canary import assert_silent
from tests.cli.conftest import FIT, without_few
from tests.interrupts import interruptible
from tests.parts import has_command

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="a device that is always full")
SPEND = ["--ledger", "team.ledger", "--data-set", "people", "--rows-per-person", "1"]


def into_a_full_disk(monkeypatch, capsys, *arguments, kept=True):
    """The exit code and what was said, of a program whose standard output takes nothing, at once or, as usual, when it is flushed."""
    with monkeypatch.context() as patch:
        raw = FULL.open("wb", buffering=0)
        patch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(raw) if kept else raw, write_through=not kept))
        with pytest.raises(SystemExit) as end:
            program.main([str(one) for one in arguments], prog_name="discreet")
        sys.stdout.close()  # as at the end of Python: nothing is left that cannot be written
    said = without_few(capsys.readouterr().err)
    assert said.count("\n") == 1, said
    assert "report it" not in said
    return end.value.code, said


@needs_full
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    "arguments", [["--version"], *([command, "--help"] for command in COMMANDS if has_command(command))], ids=lambda arguments: arguments[0]
)
def test_every_command_says_that_standard_output_is_full(monkeypatch, capsys, arguments, kept):
    code, said = into_a_full_disk(monkeypatch, capsys, *arguments, kept=kept)
    assert code == 9
    assert "standard output cannot be written (No space left on device)" in said


@needs_full
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_what_was_done_is_done(folder, monkeypatch, capsys, form):
    Ledger.create("team.ledger").declare("people", epsilon=3.0, delta=1e-4, unit="person")
    code, said = into_a_full_disk(monkeypatch, capsys, *FIT, *SPEND, *form)
    assert code == 9
    assert "Files that the command wrote are there, and any" in said
    assert Model.load("model.json").verify().ok
    assert [str(entry.state) for entry in Ledger("team.ledger").history("people")] == ["settled"]


@needs_full
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [(["show", "absent.json"], 3, "absent.json"), (["show"], 2, "Missing argument"), (["fit", "people.csv"], 2, "Missing option")],
)
def test_a_refusal_that_no_standard_output_takes_is_said_on_standard_error(folder, monkeypatch, capsys, arguments, code, words):
    found, said = into_a_full_disk(monkeypatch, capsys, *arguments, "--json")
    assert found == code
    assert words in said


WAITING = """
import sys, time
from discreet import cli

def waits(owner, name):
    def waiting(*given, **named):
        print("here", file=sys.stderr, flush=True)
        time.sleep(600)
    setattr(owner, name, waiting)

{where}
cli.main()
"""
PLACES = {
    "before the reservation": "from discreet.estimators import LinearSVC as owner; waits(owner, 'fit')",
    "after the reservation": "from discreet.mechanisms.learning import PureObjectivePerturbation as owner; waits(owner, 'draw')",
    "while saving": "from discreet.core.files import whole_file; waits(whole_file.os, 'fsync')",
}


def started(where, *form, ignored=None):
    """A fit that waits at a place, once it has arrived there."""

    def prepared():
        interruptible()
        if ignored is not None:
            signal.signal(ignored, signal.SIG_IGN)

    process = subprocess.Popen(
        [sys.executable, "-c", WAITING.format(where=PLACES[where]), *FIT, *SPEND, *form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=prepared,  # noqa: PLW1509 - the child starts no thread before it
    )
    assert "here\n" in (without_few(process.stderr.readline()) or process.stderr.readline())
    return process


@pytest.mark.more
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")
@pytest.mark.parametrize(
    ("where", "number", "form"),
    [
        pytest.param("before the reservation", signal.SIGTERM, [], marks=pytest.mark.more),
        ("after the reservation", signal.SIGHUP, ["--json"]),
        pytest.param("while saving", signal.SIGTERM, [], marks=pytest.mark.more),
        pytest.param("after the reservation", signal.SIGTERM, [], marks=pytest.mark.more),
        pytest.param("after the reservation", signal.SIGINT, [], marks=pytest.mark.more),
    ],
)
def test_a_signal_ends_a_fit_with_a_sentence_and_leaves_no_halves(folder, where, number, form):
    Ledger.create("team.ledger").declare("people", epsilon=3.0, delta=1e-4, unit="person")
    before = set(folder.iterdir())
    process = started(where, *form)
    process.send_signal(number)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 128 + number
    said = out if form else err
    assert ("interrupted" if number == signal.SIGINT else f"ended by {number.name}") in said
    entries = Ledger("team.ledger").history("people")
    if where == "before the reservation":
        assert entries == ()
        assert "no budget was reserved in a ledger" in said
    elif where == "after the reservation":
        assert [str(entry.state) for entry in entries] == ["reserved"]
        assert f"entry {entries[0].id} of 'people'" in said
        assert "counts as spent" in said
    else:
        assert [str(entry.state) for entry in entries] == ["settled"]
        assert Model.from_json(out).verify().ok  # it was paid for, and is on standard output
    assert set(folder.iterdir()) == before
    assert_silent(out + err)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals of POSIX")
@pytest.mark.more
def test_who_was_told_to_outlive_his_terminal_does(folder):
    Ledger.create("team.ledger").declare("people", epsilon=3.0, delta=1e-4, unit="person")
    process = started("after the reservation", ignored=signal.SIGHUP)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=600)
    assert process.returncode == 128 + signal.SIGTERM
