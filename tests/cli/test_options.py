"""A type of settings as a command line: each rule at the head of discreet.cli.options, once."""

import subprocess
import sys
from dataclasses import dataclass
from typing import Annotated, Literal

import click
import pytest
from click.testing import CliRunner

from discreet.cli.options import ARGUMENT, Argument, File, Option, command
from discreet.cli.output import Outcome


@dataclass(frozen=True, kw_only=True)
class Inner:
    part: Annotated[str | None, Option(variable="A_PART", help="A part.")] = None


@dataclass(frozen=True, kw_only=True)
class Settings:
    table: Annotated[File, ARGUMENT]
    more: Annotated[tuple[File, ...], Argument(metavar="MORE")] = ()
    epsilon: Annotated[float, "Its cost."]
    delta: Annotated[float, "Its exception."] = 0.0
    grid: Annotated[Literal["fine", "coarse"], None] = "fine"
    inner: Inner
    names: Annotated[tuple[str, ...], Option(name="--name", help="A name.")] = ()
    many: Annotated[int | None, Option(metavar="N", default="as many as there are", help="How many.")] = None
    above: Annotated[float | None, Option(type=click.FloatRange(min=1.0), help="At least one.")] = None
    over: Annotated[bool, "Do."] = False


@command("Shown.", "shown one --epsilon 1")
def shown(given: Settings) -> Outcome:
    """Show what was given."""
    return Outcome(document={"given": repr(given)}, lines=[repr(given)])


def run(*arguments, **environment):
    return CliRunner().invoke(shown, arguments, env=environment, prog_name="discreet shown")


def test_every_field_arrives_with_its_type_and_default():
    said = run("one", "two", "three", "--epsilon", "1", "--name", "a", "--name", "b", "--over", "--many", "3", A_PART="x")
    expected = Settings(table=File("one"), more=("two", "three"), epsilon=1.0, inner=Inner(part="x"), names=("a", "b"), many=3, over=True)
    assert (said.exit_code, said.output) == (0, f"{expected!r}\n")
    assert run("one", "--epsilon", "1").output == f"{Settings(table=File('one'), epsilon=1.0, inner=Inner())!r}\n"


def test_the_document_begins_with_the_name_of_the_command():
    assert run("one", "--epsilon", "1", "--json").output.startswith('{\n  "command": "shown",\n  "given"')


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument"),
        (("one",), "--epsilon"),
        (("one", "--epsilon", "x"), "float"),
        (("one", "--epsilon", "1e999"), "float64"),
        (("one", "--epsilon", "1", "--grid", "other"), "fine"),
        (("one", "--epsilon", "1", "--above", "0.5"), "0.5"),
        (("one", "--epsilon", "1", "--part-of"), "--part"),
        (("one", "--epsilon", "1", "--unknown"), "--unknown"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, words):
    said = run(*arguments)
    assert said.exit_code == 2
    assert words in said.output


def test_infinity_is_what_is_called_so():
    assert "epsilon=inf" in run("one", "--epsilon", "inf").output


def test_help_says_what_is_required_and_what_stands_where_nothing_is_said():
    said = " ".join(run("--help").output.split())
    for words in (
        "discreet shown [OPTIONS] TABLE MORE",
        "--epsilon FLOAT Its cost. [required]",
        "--delta FLOAT Its exception. [default: 0.0]",
        "--grid [fine|coarse] [default: fine]",
        "--part TEXT A part. [env var: A_PART]",
        "--many N How many. [default: (as many as there are)]",
        "--over Do. --json",
        "Examples: shown one --epsilon 1",
    ):
        assert words in said, words


def test_a_command_is_loaded_where_it_is_asked_for_and_the_library_where_it_runs():
    script = (
        "import sys\n"
        "from discreet.cli import program\n"
        "assert 'discreet.cli.fit' not in sys.modules\n"
        "program.main(['fit', '--help'], standalone_mode=False)\n"
        "assert 'discreet.cli.fit' in sys.modules and 'discreet.cli.tune' not in sys.modules\n"
        "assert not {'numpy', 'polars', 'sklearn', 'rich'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
