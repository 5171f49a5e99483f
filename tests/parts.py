"""What this copy of the package lacks of the parts that the rest does without (discreet.core.parts): what asks for them is not tested."""

import importlib

from discreet.cli import program
from discreet.core.parts import PARTS, is_there

LACKING = [name for name in PARTS if not is_there(name)]


def packages(*names):
    """Those packages of discreet that are there."""
    return [importlib.import_module(f"discreet.{name}") for name in names if is_there(name)]


def has_command(words):
    """Whether the program has the command that a line begins with, if any."""
    return not words or words.split()[0] in program.list_commands(None)


def can_run(text):
    """Whether code, of a page or of an example, asks for nothing that is not there."""
    return not any(f"discreet.{name}" in text for name in LACKING)
