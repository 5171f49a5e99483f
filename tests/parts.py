"""What this copy of the package lacks of the parts that the rest does without (discreet.core.parts): what asks for them is not tested."""

import importlib
from contextlib import contextmanager

import pytest

from discreet.cli import program
from discreet.core.errors import InvalidInput
from discreet.core.parts import PARTS, is_there

LACKING = [name for name in PARTS if not is_there(name)]


def packages(*names):
    """Those packages of discreet that are there."""
    return [importlib.import_module(f"discreet.{name}") for name in names if is_there(name)]


def has_command(words):
    """Whether the program has the command that a line begins with, if any."""
    return not words or words.split()[0] in program.list_commands(None)


def cluster_here():
    """The module with a cluster that is this process; the test is skipped where this copy has no tables on clusters."""
    if "cluster" in LACKING:
        pytest.skip("this copy has no tables on clusters")
    return importlib.import_module("tests.cluster.cluster_here")


def table_elsewhere(blocks, *, features):
    """Blocks on it."""
    return cluster_here().DaskTable(cluster_here().Here(), blocks, features=features)


@contextmanager
def skipped_where_a_part_is_lacking():
    """What meets the sentence that says so is skipped; in a whole copy nothing does."""
    try:
        yield
    except InvalidInput as refusal:
        if LACKING and str(refusal).startswith("this copy of Discreet lacks the folder"):
            pytest.skip(str(refusal))
        raise


def is_lacking(link):
    """Whether a link leads into the folder of a part that is not there."""
    return any(f"src/discreet/{name}/" in link for name in LACKING)


def can_run(text):
    """Whether code, of a page or of an example, asks for nothing that is not there."""
    return not any(f"discreet.{name}" in text for name in LACKING)
