"""How commands speak: an outcome as text or JSON on standard output, refusals and progress on standard error, colours on a terminal only."""

import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from discreet.core.errors import DiscreetError

if TYPE_CHECKING:
    from discreet.certificates import Verification

INTERRUPTED = 130
"""Exit code after Ctrl-C, as a shell counts it."""
UNWRITABLE = 9


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a command found out, for programs and for people."""

    document: Mapping[str, object]
    lines: Iterable[str]
    lost: Sequence[tuple[DiscreetError | None, str]] = ()
    """What went wrong when the rest was done, and how much that was, in a sentence."""
    code: int = 0
    """Exit code where something was found that is not as it should be."""
    named: bool = True
    """Whether the document begins with the name of the command."""
    checked: "Verification | None" = None
    """Raises where it does not hold, after everything was said."""


class Ended(KeyboardInterrupt):
    """The system, or a terminal that was closed, ends the process; whoever keeps things whole under Ctrl-C does so here too."""

    def __init__(self, number: int) -> None:
        """By the signal of this number."""
        super().__init__(number)
        self.number = number


def present(outcome: Outcome) -> None:
    """Say it in one of its two forms, as the command was asked, then what was lost; ends the command where its exit code is not 0."""
    context = click.get_current_context()
    as_json = context.params["as_json"]
    document = ({"command": context.command_path.partition(" ")[2]} if outcome.named else {}) | dict(outcome.document)
    click.echo(as_text(document) if as_json else "\n".join(outcome.lines))
    if outcome.checked is not None:
        outcome.checked.require()
    code = 0
    for error, rest in outcome.lost:
        if error is not None:
            code = error.exit_code
            message = f"{error} {rest}"
            if as_json:
                warn(message)
            else:
                refuse(type(error).__name__, message, as_json=False, code=code)
    if code := outcome.code or code:
        context.exit(code)


def labelled(*facts: tuple[str, object]) -> list[str]:
    """A line for each fact that there is."""
    return [f"{label:<13}{fact}" for label, fact in facts if fact is not None]


def table(widths: Sequence[int], *rows: Sequence[str]) -> list[str]:
    """A line for each row, its cells at the right of columns of these widths, or at the left of one whose width is negative."""
    return ["".join(f"{cell:<{-width}}" if width < 0 else f"{cell:>{width}}" for width, cell in zip(widths, row, strict=False)) for row in rows]


def interruption(error: KeyboardInterrupt) -> tuple[str, int]:
    """What happened, in a word or two, and the exit code as a shell counts it."""
    if isinstance(error, Ended):
        return f"ended by {signal.Signals(error.number).name}", 128 + error.number
    return "interrupted", INTERRUPTED


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


def styled(text: str, *, fg: str | None = None, to_error: bool = False) -> str:
    """`text` in bold and colour on a terminal, unless NO_COLOR asks for none."""
    stream = sys.stderr if to_error else sys.stdout
    return click.style(text, fg=fg, bold=True) if stream.isatty() and not os.environ.get("NO_COLOR") else text


@contextmanager
def step(text: str) -> Iterator[None]:
    """A spinner with `text` on standard error while the body runs; where that is no terminal nothing, or a line if DISCREET_STEPS asks for it."""
    if not sys.stderr.isatty():
        if os.environ.get("DISCREET_STEPS"):
            click.echo(f"step: {text}", err=True)
        yield
        return
    from rich.console import Console  # only a terminal needs it

    with Console(stderr=True).status(text):
        yield
