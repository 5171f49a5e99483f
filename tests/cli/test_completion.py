"""Completion in the shells that the documentation names."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class

from discreet.cli import program

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
BASH = shutil.which("bash")


def script(shell):
    """What `_DISCREET_COMPLETE=shell_source discreet` prints."""
    environment = {**os.environ, "_DISCREET_COMPLETE": f"{shell}_source"}
    code = "from discreet.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_documented_shell_gets_its_script(shell):
    assert f"_DISCREET_COMPLETE={shell}_source discreet" in PAGE.read_text()
    outcome = script(shell)
    if shell == "bash" and outcome.returncode:
        assert re.search("bash", outcome.stderr, flags=re.IGNORECASE)  # none here, or an old one
        return
    assert outcome.returncode == 0
    assert f"_DISCREET_COMPLETE={shell}_complete" in outcome.stdout


@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_bash_takes_the_script():
    outcome = subprocess.run(
        [BASH, "-c", 'eval "$1"; complete -p discreet', "bash", script("bash").stdout], capture_output=True, text=True, check=False
    )
    assert "discreet" in outcome.stdout


@pytest.mark.parametrize(("words", "found"), [([], "fit"), (["budget"], "show"), (["fit"], "--epsilon"), (["fit", "--neighbours"], "add-remove")])
def test_commands_options_and_their_values_are_completed(words, found):
    shell = get_completion_class("zsh")(program, {}, "discreet", "_DISCREET_COMPLETE")
    started = "--" if found.startswith("--") else ""
    assert found in {one.value for one in shell.get_completions(words, started)}
