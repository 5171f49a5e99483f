"""A pipe that nobody writes to, where a file is meant: every command refuses it in a sentence, for every path, and waits for nothing."""

import os
import signal
import sys

import pytest

from discreet.core.errors import InvalidInput
from discreet.data import NpyTable, Schema, numeric_files, read_header, read_table
from discreet.estimators import Model
from discreet.releases import read_release, read_synthetic
from tests.cli.conftest import discreet
from tests.cli.every_command import CALLS, commands, world

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
PIPES = ("pipe", "pipe.json", "pipe.csv", "pipe.parquet", "pipe.arrow", "pipe.xlsx", "pipe.csv.gz")
LISTENS = {"workbench"}
"""It would serve until it is interrupted; its paths are those of other commands."""
BEGINNINGS = {("keygen", "name")}
"""A name that others are made of."""
HARD = {("fit", "folder"), ("inspect", "damaged"), ("verify", "damaged")}
"""Pipes in folders, where the path itself is none."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of all calls, and pipes."""
    here = tmp_path_factory.mktemp("pipes")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        world()
    for name in PIPES:
        os.mkfifo(here / name, mode=0o600)
    (here / "folder").mkdir()
    os.mkfifo(here / "folder" / "pipe.parquet")
    (here / "damaged").mkdir()
    os.mkfifo(here / "damaged" / "manifest.json")
    return here


@pytest.fixture(autouse=True)
def not_for_ever(folder, monkeypatch):
    """What waits for a pipe is interrupted, and fails."""
    monkeypatch.chdir(folder)
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits for a pipe"))
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_every_command_has_its_call():
    assert {one.name for one in commands()} == set(CALLS)


def with_pipe(command, path, pipe):
    """The words of the call, whose path is a pipe."""
    parameter = next(one for one in command.parameters if one.name == path)
    words = list(command.words)
    option = next((option for option in parameter.opts if option.startswith("--")), None)
    if option is None:
        arguments = [one.name for one in command.parameters if not any(option.startswith("-") for option in one.opts)]
        place = len(command.name.split()) + arguments.index(path)
        words[place : place + 1] = [pipe]
    elif option in words:
        words[words.index(option) + 1] = pipe
    else:
        words += [option, pipe]
    return words


def cases():
    """Every path of every command; in the quick run one pipe each."""
    for command in commands():
        for path in command.files if command.name not in LISTENS else ():
            first, *others = (
                ("pipe.csv", "pipe.csv.gz", "pipe.parquet", "pipe.arrow", "pipe.xlsx", "folder") if path == "table" else ("pipe", "damaged")
            )
            for pipe in (first, *others) if (command.name, path) not in BEGINNINGS else ():
                hard = pipe == first or (command.name, pipe) in HARD
                yield pytest.param(command, path, pipe, id=f"{command.name}: {path} is {pipe}", marks=[] if hard else [pytest.mark.more])


@pytest.mark.parametrize(("command", "path", "pipe"), list(cases()))
def test_no_command_waits_for_a_pipe(command, path, pipe):
    outcome = discreet(*with_pipe(command, path, pipe))
    said = outcome.err.splitlines()[-1]
    assert outcome.code in (2, 3, 8), outcome
    assert said.startswith("Error: ")
    assert "an unexpected" not in said
    assert len(said) < 600


@pytest.mark.parametrize(
    "read",
    [
        lambda: Schema.load("pipe"),
        lambda: Model.load("pipe.json"),
        lambda: read_table("pipe.csv", ["a"]),
        lambda: read_header("pipe.csv"),
        lambda: numeric_files("pipe.parquet", features=["a"], target="b"),
        lambda: NpyTable("pipe"),
        lambda: read_release("damaged"),
        lambda: read_synthetic("damaged"),
    ],
)
def test_no_function_waits_for_a_pipe(read):
    with pytest.raises(InvalidInput):
        read()
