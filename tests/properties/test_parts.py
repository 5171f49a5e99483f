"""Parts that the rest does without: a copy of the package without the folder of one runs, says what it lacks, and passes the tests that are left."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import discreet
from discreet.cli.program import COMMANDS
from discreet.core.parts import PARTS, STANDS_ON
from tests.parts import LACKING
from tools.slow import UNTIL

PACKAGE = Path(discreet.__file__).parent
ROOT = Path(__file__).parents[2]
HERE = [part for part in PARTS if part not in LACKING]
LONG = 1800.0
"""Seconds, at most, of the quick tests on a busy machine."""
ASKED = """
import sys
from discreet.cli import program
from discreet.core.errors import InvalidInput
from discreet.core.parts import is_there, module_of
part, commands = sys.argv[1], sys.argv[2:]
assert not is_there(part)
assert not set(commands) & set(program.list_commands(None))
for ask in (lambda: module_of(part), *(lambda name=name: program.get_command(None, name) for name in commands)):
    try:
        ask()
    except InvalidInput as refusal:
        said = str(refusal)
        assert said.startswith(f"this copy of Discreet lacks the folder {part!r}: ") and "\\n" not in said, said
    else:
        raise AssertionError("it is found")
program.main(["--help"], standalone_mode=False)
"""
"""What a copy without a part is asked."""
EVERYTHING = """
import importlib, pkgutil, sys
import discreet
for module in pkgutil.walk_packages(discreet.__path__, prefix="discreet."):
    if module.name != "discreet.__main__":
        importlib.import_module(module.name)
"""


def gone(part):
    """The part, and what stands on it."""
    return {part} | {one for one, below in STANDS_ON.items() if below == part}


def without(folder, *parts):
    """A package of links to everything but these folders."""
    copy = folder / "discreet"
    copy.mkdir()
    for one in PACKAGE.iterdir():
        if one.name not in (*parts, "__pycache__"):
            (copy / one.name).symlink_to(one)
    return folder


def run(script, folder, *arguments):
    command = [sys.executable, "-W", "error", "-c", script, *arguments]
    outcome = subprocess.run(command, check=False, env={"PYTHONPATH": str(folder), "PATH": ""}, capture_output=True, text=True, timeout=600)
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout


@pytest.mark.parametrize("part", HERE)
def test_a_copy_without_a_part_says_what_it_lacks(part, tmp_path):
    commands = [name for name, module in COMMANDS.items() if module.partition(".")[0] in gone(part) and "." in module]
    helped = run(ASKED, without(tmp_path, part), part, *commands)
    assert "  fit  " in helped
    assert not [name for name in commands if f"  {name}  " in helped]


def test_a_whole_copy_lacks_nothing(tmp_path):
    with pytest.raises(AssertionError, match="AssertionError"):
        run(ASKED, without(tmp_path), HERE[0])


@pytest.mark.more
@pytest.mark.parametrize("part", HERE)
def test_every_module_that_is_left_is_imported_without_a_part(part, tmp_path):
    run(EVERYTHING, without(tmp_path, *gone(part)))


@pytest.mark.slow
@pytest.mark.parametrize("part", HERE)
def test_a_copy_without_a_part_passes_the_quick_tests_that_are_left(part, tmp_path):
    if float(os.environ.get(UNTIL, "inf")) < time.time() + LONG:
        pytest.skip("a turn of a few minutes is too short for all quick tests: run `python tools/slow.py properties`")
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache", "build", "dist", ".venv*"))
    for one in gone(part):
        shutil.rmtree(copy / "src" / "discreet" / one)
        shutil.rmtree(copy / "tests" / one)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--numprocesses=2", "-p", "no:cacheprovider"]
    outcome = subprocess.run(command, cwd=copy, check=False, env=environment(copy), capture_output=True, text=True, timeout=3600)
    assert outcome.returncode == 0, outcome.stdout[-8000:]


def environment(copy):
    """In which the package is that of the copy."""
    return {**os.environ, "PYTHONPATH": str(copy / "src"), "OMP_NUM_THREADS": "1"}
