"""How commands speak: text or JSON on standard output, refusals and progress on standard error, colours on a terminal only."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from discreet.core.errors import InvalidInput

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

INTERRUPTED = 130
"""Exit code after Ctrl-C, as a shell counts it."""
UNWRITABLE = 9


class Ended(KeyboardInterrupt):
    """The system, or a terminal that was closed, ends the process; whoever keeps things whole under Ctrl-C does so here too."""

    def __init__(self, number: int) -> None:
        """By the signal of this number."""
        super().__init__(number)
        self.number = number


def interruption(error: KeyboardInterrupt) -> tuple[str, int]:
    """What happened, in a word or two, and the exit code as a shell counts it."""
    if isinstance(error, Ended):
        return f"ended by {signal.Signals(error.number).name}", 128 + error.number
    return "interrupted", INTERRUPTED


def json_option(command: Decorated) -> Decorated:
    """`--json`, which every command has."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


def examples(*lines: str) -> str:
    """The end of a help text; click keeps its line breaks."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def answer(document: Mapping[str, object], lines: Iterable[str], *, as_json: bool) -> None:
    """What the command found out, in one of its two forms."""
    click.echo(as_text(document) if as_json else "\n".join(lines))


def as_text(document: Mapping[str, object]) -> str:
    """JSON for people and programs; raises ValueError for NaN and infinity, which JSON does not have."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def refuse(kind: str, message: str, *, as_json: bool, code: int) -> int:
    """Say why nothing more is done; the exit code."""
    if as_json:
        click.echo(as_text({"error": {"kind": kind, "message": message}}))
    else:
        click.echo(f"{styled('Error:', fg='red', to_error=True)} {message}", err=True)
    return code


def warn(message: str) -> None:
    """One line on standard error."""
    click.echo(f"{styled('Warning:', fg='yellow', to_error=True)} {message}", err=True)


def styled(text: str, *, fg: str | None = None, bold: bool = True, to_error: bool = False) -> str:
    """`text` in bold and colour on a terminal, unless NO_COLOR asks for none."""
    stream = sys.stderr if to_error else sys.stdout
    return click.style(text, fg=fg, bold=bold) if stream.isatty() and not os.environ.get("NO_COLOR") else text


def heading(text: str) -> str:
    """A line that stands out on a terminal."""
    return styled(text)


@contextmanager
def step(text: str) -> Iterator[None]:
    """A spinner with `text` on standard error while the body runs; where that is no terminal nothing, or a line if DISCREET_STEPS asks for it."""
    if not sys.stderr.isatty():
        if os.environ.get("DISCREET_STEPS"):
            click.echo(f"step: {text}", err=True)
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it

    with Console(stderr=True).status(text):
        yield


def refuse_same_file(out: str, *sources: str) -> None:
    """InvalidInput where `out` is one of the files that are read: --overwrite is not meant for these."""
    for source in sources:
        try:
            same = source != "-" and Path(out).samefile(source)
        except (OSError, ValueError):
            same = False
        if same:
            raise InvalidInput(f"--out names {source!r}, which is read by this command. Choose another path.")
