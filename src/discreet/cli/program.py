"""The program: its commands, and what happens when one of them fails.

    exit code   0 done   1 unexpected   2 usage   3 input, file or schema   4 infeasible target   5 solver   6 certificate does not hold
                7 the ledger has too little left   8 the ledger cannot be used now   130 interrupted   141 the reader of the output went away

A refusal is one line on standard error or, with --json, one JSON document on standard output. An unexpected exception shows its type only, since its
message could hold a value of the table.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import click

from discreet.cli.commands import COMMANDS
from discreet.cli.output import INTERRUPTED, examples, refuse
from discreet.cli.versions import print_versions
from discreet.errors import DiscreetError

_CLOSED = 141


class Program(click.Group):
    """A group of commands that turns every failure into an exit code and a line."""

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *,
        standalone_mode: bool = True,
        **extra: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - click's signature
        """As click's, with usage errors in our own form. `obj` of the context says whether errors are wanted as JSON."""
        as_json = "--json" in (sys.argv[1:] if args is None else args)
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, obj=as_json, **extra)
        try:
            code = super().main(args, prog_name, standalone_mode=False, obj=as_json, **extra)
        except click.Abort:
            code = _interrupted(as_json=as_json)
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            hint = f" Try '{context.command_path} --help'." if context is not None else ""
            message = " ".join(error.format_message().split()).rstrip(".")
            code = refuse("UsageError", f"{message}.{hint}", as_json=as_json, code=error.exit_code)
        sys.exit(code if isinstance(code, int) else 0)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """In the order in which they are used."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        """Run the command; what it raises ends here."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, SystemExit, GeneratorExit):
            raise
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), _descriptor_of_output())
            code = _CLOSED
        except KeyboardInterrupt:
            code = _interrupted(as_json=bool(ctx.obj))
        except DiscreetError as error:
            code = refuse(type(error).__name__, str(error), as_json=bool(ctx.obj), code=error.exit_code)
        except BaseException as error:  # noqa: BLE001 - a panic of a library is no Exception, and its message may hold a value
            code = _unexpected(error, debug=bool(ctx.params.get("debug")), as_json=bool(ctx.obj))
        return ctx.exit(code)


@click.command(
    cls=Program,
    commands={command.name: command for command in COMMANDS if command.name},
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples("discreet demo", "discreet fit people.csv --schema people.toml --epsilon 1 --out model.json"),
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=print_versions, help="Show the versions of discreet and its parts."
)
@click.option("--debug", is_flag=True, hidden=True, envvar="DISCREET_DEBUG", help="Show the traceback of an unexpected error.")
@click.pass_context
def program(context: click.Context, *, debug: bool) -> None:  # noqa: ARG001 - Program.invoke reads it from the context
    """Train a classifier on a table of people that you may publish, with a certificate that says why.

    Every command takes --json, which prints one JSON document.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """The command `discreet`; ends the process with its exit code. Warnings of libraries stay silent: they may quote what they warn about."""
    warnings.simplefilter("ignore")
    program.main(prog_name="discreet")


def _interrupted(*, as_json: bool) -> int:
    return refuse("Interrupted", "interrupted.", as_json=as_json, code=INTERRUPTED)


def _unexpected(error: BaseException, *, debug: bool, as_json: bool) -> int:
    if debug:
        click.echo("The traceback below may show private values: read it before you pass it on.", err=True)
        click.echo("".join(traceback.format_exception(error)), err=True)
    message = (
        f"an unexpected {type(error).__name__} (its text may hold private values and is not shown). Please report it; "
        "DISCREET_DEBUG=1 shows where it came from."
    )
    return refuse("Unexpected", message, as_json=as_json, code=1)


def _descriptor_of_output() -> int:
    """Where Python flushes standard output at its end; nobody reads it any more."""
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError):
        return os.open(os.devnull, os.O_WRONLY)
