"""The program: its commands, and what happens when one of them fails.

    exit code   0 done   1 unexpected   2 usage   3 input, file or schema   4 infeasible target   5 solver   6 certificate does not hold
                7 the ledger has too little left   8 the ledger cannot be used now   9 standard output cannot be written
                129, 130, 143 ended by SIGHUP, Ctrl-C, SIGTERM   141 the reader of the output went away

A refusal is one line on standard error or, with --json, one JSON document on standard output; where that is full, a line on standard error. An
unexpected exception shows its type only, since its message could hold a value of the table. Nothing is said while an exception is handled, so that
none is chained to another one's text.
"""

import gc
import os
import platform
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple, NoReturn

import click

import discreet
from discreet.cli.options import epilog
from discreet.cli.output import KEPT, UNWRITABLE, Ended, interruption, refuse
from discreet.core.errors import DiscreetError
from discreet.core.parts import is_there, module_of
from discreet.core.version import VERSION

COMMANDS = {
    "demo": "demo",
    "plan": "planning.command",
    "schema": "schema",
    "bounds": "schema",
    "describe": "describe",
    "models": "models",
    "fit": "fit",
    "tune": "tune",
    "predict": "predict",
    "intervals": "evaluate",
    "evaluate": "evaluate",
    "release": "release",
    "inspect": "inspection",
    "randomise": "release",
    "frequencies": "frequencies",
    "verify": "verify",
    "audit": "audit",
    "show": "verify",
    "report": "verify",
    "keygen": "verify",
    "sign": "verify",
    "budget": "budget",
    "workbench": "workbench.command",
}
"""Command -> the module that has it under its name, imported where it is asked for; in the order in which they are used. One with a dot is of a part
that the rest does without (`core.parts`)."""
PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "cryptography")
"""Those that compute."""
_CLOSED = 141
_SELDOM = 1000
"""Collections of middle-aged objects to one of all objects."""
_ENDINGS = ("SIGTERM", "SIGHUP")


class _Failure(NamedTuple):
    """What is said of it, and whether standard output can still take it."""

    kind: str
    message: str
    code: int
    heard: bool = True


class Program(click.Group):
    """A group of commands that turns every failure into an exit code and a line."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, *, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        """As click's, with usage errors in our own form. `obj` of the context says whether errors are wanted as JSON."""
        as_json = "--json" in (sys.argv[1:] if args is None else args)
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, obj=as_json, **extra)
        code, failure = 0, None
        try:
            code = super().main(args, prog_name, standalone_mode=False, obj=as_json, **extra)
        except click.Abort as error:
            cause = error.__cause__
            failure = _interrupted(cause if isinstance(cause, KeyboardInterrupt) else KeyboardInterrupt(), None)
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            hint = f" Try '{context.command_path} --help'." if context is not None else ""
            failure = _Failure("UsageError", f"{_refused(error)}{hint}", error.exit_code)
        except OSError as error:
            failure = _unwritten(error) or _unexpected(error)
        sys.exit(code if failure is None and isinstance(code, int) else 0 if failure is None else _said(failure, as_json=as_json))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """In the order in which they are used."""
        return [name for name, module in COMMANDS.items() if "." not in module or is_there(module.partition(".")[0])]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of this name, imported from its module."""
        if cmd_name not in COMMANDS:
            return None
        module = COMMANDS[cmd_name]
        found: click.Command = getattr(module_of(module) if "." in module else import_module(f"discreet.cli.{module}"), cmd_name)
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it raises ends here."""
        before = _reserved()
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, SystemExit, GeneratorExit):
            raise
        except BrokenPipeError:
            failure = None
        except KeyboardInterrupt as error:
            failure = _interrupted(error, before)
        except DiscreetError as error:
            failure = _Failure(type(error).__name__, str(error), error.exit_code)
        except BaseException as error:  # noqa: BLE001 - a panic of a library is no Exception, and its message may hold a value
            failure = (_unwritten(error) if isinstance(error, OSError) else None) or _unexpected(error, debug=bool(ctx.params.get("debug")))
        if failure is None:
            _abandon_output()
            return ctx.exit(_CLOSED)
        if (kept := str(ctx.meta.get(KEPT, ""))) not in failure.message:
            failure = failure._replace(message=f"{failure.message} {kept}")
        return ctx.exit(_said(failure, as_json=bool(ctx.obj)))


def _refused(error: click.ClickException) -> str:
    """In a sentence; an option that another library has is answered by its name here."""
    said = " ".join(error.format_message().split()).rstrip(".")
    if isinstance(error, click.NoSuchOption):
        from discreet.core.advice import OTHER_NAMES

        known = OTHER_NAMES.get(error.option_name.lstrip("-").replace("-", "_"))
        said = said if known is None else f"No such option {error.option_name!r}: {known}"
    return said if said.endswith(("?", "?)")) else f"{said}."


def _print_versions(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:  # noqa: FBT001 - click's callback
    """What a bug report needs, read from the installed packages' metadata without importing them."""
    if asked and not context.resilient_parsing:
        ours = f"discreet {VERSION}\nPython {platform.python_version()}"
        click.echo("\n".join([ours, *(f"{name} {_installed(name)}" for name in PACKAGES)]))
        context.exit()


def _installed(name: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


@click.command(
    cls=Program,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=epilog("discreet demo", "discreet fit people.csv --schema people.toml --epsilon 1 --out model.json"),
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_versions, help="Show the versions of discreet and its parts."
)
@click.option("--debug", is_flag=True, hidden=True, envvar="DISCREET_DEBUG", help="Show the traceback of an unexpected error.")
@click.pass_context
def program(context: click.Context, *, debug: bool) -> None:  # noqa: ARG001 - Program.invoke reads it from the context
    """Train models on tables of people, and publish data about them, with a certificate of what is protected.

    Every command takes --json, which prints one JSON document.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """The command `discreet`; ends the process with its exit code. Warnings of libraries stay silent: they may quote what they warn about.

    SIGTERM and SIGHUP end a command as Ctrl-C does, with a sentence and without halves of files, unless whoever started it ignores them (nohup).
    """
    warnings.simplefilter("ignore")
    # What was imported stays, and to look through all of it for garbage took a tenth of a fit's time: what is young is collected as ever.
    gc.set_threshold(*gc.get_threshold()[:2], _SELDOM)
    for name in _ENDINGS:
        number = getattr(signal, name, None)  # not on every system
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)
    program.main(prog_name="discreet")


def _end(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - as the system calls it
    """Once: what is left to do is done in peace."""
    for name in _ENDINGS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    raise Ended(number)


def _said(failure: _Failure, *, as_json: bool) -> int:
    """Say it where it belongs, or, where that cannot be written, on standard error; the exit code."""
    for where in [True, False] if as_json and failure.heard else [False]:
        try:
            return refuse(failure.kind, failure.message, as_json=where, code=failure.code)
        except OSError:
            _abandon_output()
    return failure.code


def _interrupted(error: KeyboardInterrupt, before: "tuple[discreet.ledger.Account, str] | None") -> _Failure:
    """With what the ledger says of it: a budget that is spent is not lost sight of, and no output is half written."""
    happened, code = interruption(error)
    reserved = _reserved()
    spent = "no budget was reserved in a ledger"
    if reserved is not None and reserved != before:
        account, entry = reserved
        try:
            state = str(account.ledger.entry(entry).state)
        except DiscreetError:
            state = "not known"
        counts = "was taken back" if state == "cancelled" else f"is {state} and counts as spent"
        spent = f"entry {entry} of {account.name!r} in the ledger {account.path!r} {counts}"
    return _Failure("Interrupted", f"{happened}: {spent}. No file was left half written.", code)


def _reserved() -> "tuple[discreet.ledger.Account, str] | None":
    """The last reservation, where anything has been loaded that could make one."""
    if "discreet.ledger" not in sys.modules:
        return None
    return discreet.ledger.last_reservation()


def _unwritten(error: OSError) -> _Failure | None:
    """What to say where the error is that of standard output, which is given up then; None for every other error."""
    try:
        sys.stdout.flush()  # again: what could not be written is still there
        unkept = bool(getattr(sys.stdout, "write_through", False)) or _while_printing(error)  # unless nothing is ever kept there, or it is too long
        ours = unkept and error.filename is None
    except (OSError, ValueError):
        ours = True
    if not ours:
        return None
    _abandon_output()
    reason = error.strerror or type(error).__name__
    message = (
        f"standard output cannot be written ({reason}) and the answer is lost. Files that the command wrote are there, and any budget it "
        "spent stays spent."
    )
    return _Failure("OutputLost", message, UNWRITABLE, heard=False)


def _while_printing(error: OSError) -> bool:
    """Whether click was writing: of a text longer than the buffer nothing is left there."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and str(frames[-1].f_globals.get("__name__", "")).startswith("click.")


def _unexpected(error: BaseException, *, debug: bool = False) -> _Failure:
    if debug:
        with suppress(OSError):
            click.echo("The traceback below may contain private values: read it before you share it.", err=True)
            click.echo("".join(traceback.format_exception(error)), err=True)
    message = (
        f"an unexpected {type(error).__name__} (its text may contain private values, so it is hidden). Please report it; DISCREET_DEBUG=1 "
        "shows where it came from."
    )
    return _Failure("Unexpected", message, 1)


def _abandon_output() -> None:
    """Python flushes standard output at its end; nobody reads it any more, or it takes nothing."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
