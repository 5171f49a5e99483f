"""What commands say and write: an outcome as text or JSON on standard output, refusals and progress on standard error, colours on a terminal only.

With --json there is one document on standard output, whatever happens: what goes wrong with a thing that was made stands in its document (`error`),
and what goes wrong after a document was printed is said on standard error.

Files are tried before anything is spent, and are never a reason to lose what was bought: commands that release something can also write a page about
it (`--report`), and by then the budget is spent. A page that cannot be written is said at the end, after everything else, and a file that cannot be
written goes to standard output.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import click

import discreet
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.core.files.whole_file import check_writable, write_whole

INTERRUPTED = 130
"""Exit code after Ctrl-C, as a shell counts it."""
UNWRITABLE = 9
KEPT = "discreet.kept"
_ANSWERED = "discreet.answered"


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
    checked: "discreet.Verification | None" = None
    """What has to hold: where it does not, the command says so last, and ends with its exit code."""


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
    failed = _failure_of(outcome.checked)
    if as_json:
        print_document(document | ({} if failed is None else _told(type(failed).__name__, str(failed))))
    else:
        click.echo("\n".join(outcome.lines))
    if failed is not None:
        context.exit(failed.exit_code if as_json else refuse(type(failed).__name__, str(failed), as_json=False, code=failed.exit_code))
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


def _failure_of(checked: "discreet.Verification | None") -> DiscreetError | None:
    try:
        if checked is not None:
            checked.require()
    except DiscreetError as error:
        return error
    return None


def print_document(document: Mapping[str, object]) -> None:
    """The one that a command prints where --json asks for it."""
    click.echo(as_text(document))
    if (context := click.get_current_context(silent=True)) is not None:
        context.meta[_ANSWERED] = True


def _told(kind: str, message: str) -> dict[str, object]:
    """What went wrong, in a document."""
    return {"error": {"kind": kind, "message": message}}


def refuse(kind: str, message: str, *, as_json: bool, code: int) -> int:
    """Say why nothing more is done, on standard error where a document has been printed; the exit code."""
    context = click.get_current_context(silent=True)
    if as_json and not (context is not None and context.meta.get(_ANSWERED)):
        print_document(_told(kind, message))
    else:
        click.echo(f"{styled('Error:', fg='red', to_error=True)} {message}", err=True)
    return code


def warn(message: str) -> None:
    """One line on standard error."""
    click.echo(f"{styled('Warning:', fg='yellow', to_error=True)} {message}", err=True)


def tried(outlook: Mapping[str, object], guarantee: "discreet.accounting.Guarantee", lines: Sequence[str]) -> Outcome:
    """What a dry run says: the outlook and the guarantee, and that nothing was spent."""
    return Outcome(document={"outlook": outlook, "guarantee": guarantee.to_dict()}, lines=[*lines, "", "Nothing was spent."])


def announce(*lines: str) -> None:
    """What is said to people before anything is done, on standard error; a document has it too."""
    if not click.get_current_context().params["as_json"]:
        click.echo("\n".join((*lines, "")), err=True)


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


@contextmanager
def kept_whatever_happens(said: str) -> Iterator[None]:
    """Whatever ends the body, the command says last what is kept of what a budget paid for, and how to go on."""
    meta = click.get_current_context().meta
    meta[KEPT] = said
    yield
    del meta[KEPT]


class Released(Protocol):
    """A model, an evaluation, intervals."""

    def save(self, path: str, *, overwrite: bool = False) -> None:
        """Write it, whole or not at all."""

    def to_dict(self) -> object:
        """What stands for it in a document."""

    def to_json(self) -> str:
        """The same as text."""


class Page(NamedTuple):
    """A page beside what was released."""

    path: str | None
    """None where there is none."""
    lost: tuple[DiscreetError | None, str]
    """For the outcome."""


def check_report(path: str | None, *others: str | None, overwrite: bool) -> None:
    """Raise InvalidInput unless the page, if there is to be one, could be written now, and is none of the other files."""
    if path is None:
        return
    for other in others:
        if other != "-" and same_path(path, other):
            raise InvalidInput(f"the report would overwrite {other!r}. Choose another path.")
    from discreet.display.printing import is_pdf

    check_writable(path, overwrite=overwrite, as_text=not is_pdf(path))


def written_report(
    subject: "discreet.display.reports.Subject",
    path: str | None,
    account: "discreet.ledger.Account | None" = None,
    *,
    name: str | None,
    overwrite: bool,
) -> Page:
    """Write the page where one is wanted. `name` is that of the file that the page is about."""
    failure: DiscreetError | None = None
    if path is not None:
        from discreet.display.reports import write_report

        try:
            with step("Writing the report"):
                write_report(subject, path, ledger=None if account is None else account.ledger, name=name, overwrite=overwrite)
        except DiscreetError as error:
            failure = error
        except Exception as error:  # noqa: BLE001 - whatever it is, the budget is spent, and what it bought must be shown
            failure = DiscreetError(f"the report could not be made ({type(error).__name__}).")
    return Page(path if failure is None else None, (failure, "The report was not written; everything else was. Write it with `discreet report`."))


def check_output(out: str | None, *sources: str | None, overwrite: bool) -> None:
    """Raise InvalidInput where `out`, if there is one, cannot be written now, or is one of the files that are read: --overwrite is not for these."""
    if out is None:
        return
    refuse_same_file(out, *sources)
    check_writable(out, overwrite=overwrite)


def refuse_same_file(out: str, *sources: str | None) -> None:
    """InvalidInput where `out` is one of the files that are read."""
    for source in sources:
        try:
            same = source not in (None, "-") and Path(out).samefile(str(source))
        except (OSError, ValueError):
            same = False
        if same:
            raise InvalidInput(f"--out names {source!r}, which this command reads. Choose another path.")


def written(*files: tuple[str, Callable[[], str]], overwrite: bool) -> DiscreetError | None:
    """Write a text to each path, in this order; what went wrong, if anything did."""
    try:
        for path, text in files:
            write_whole(path, text(), overwrite=overwrite)
    except DiscreetError as error:
        return error
    return None


def keep(released: Released, name: str, out: str, *, overwrite: bool, beside: "Sequence[tuple[Released, str, str]]" = ()) -> None:
    """Save what a budget was spent on, called `name`, and what the same budget bought `beside` it, each with its name and path.

    What is not saved, whatever the reason, goes to standard output, as one document, once all the others are saved; then the command ends.
    """
    lost: list[tuple[str, Released, _Failure]] = []
    for one, called, path in ((released, name, out), *beside):
        failure = _saved(one, called, path, overwrite=overwrite)
        if failure is not None:
            lost.append((called, one, failure))
    if not lost:
        return
    names = " and the ".join(called for called, _, _ in lost)
    reasons = " ".join(dict.fromkeys(failure.reason for _, _, failure in lost))
    kind, code = lost[0][2].kind, lost[0][2].code
    follow = "follows" if len(lost) == 1 else "follow"
    message = f"{reasons} The budget is spent; the {names} {follow} on standard output: save {'it' if len(lost) == 1 else 'them'} from there."
    context = click.get_current_context()
    documents = {called: one.to_dict() for called, one, _ in lost}
    if context.params["as_json"]:
        print_document(_told(kind, message) | documents)
    else:
        refuse(kind, message, as_json=False, code=code)
        click.echo(lost[0][1].to_json().rstrip("\n") if len(lost) == 1 else as_text(documents))
        sys.stdout.flush()
    context.exit(code)


class _Failure(NamedTuple):
    """Why something was not saved."""

    kind: str
    reason: str
    code: int


def _saved(released: Released, name: str, out: str, *, overwrite: bool) -> _Failure | None:
    try:
        released.save(out, overwrite=overwrite)
    except DiscreetError as error:
        return _Failure(type(error).__name__, str(error), error.exit_code)
    except KeyboardInterrupt as interrupt:
        happened, code = interruption(interrupt)
        return _Failure("Interrupted", f"{happened} while saving.", code)
    except Exception as error:  # noqa: BLE001 - whatever it is, the budget is spent and what it bought must not be lost
        return _Failure("Unexpected", f"the {name} was not saved ({type(error).__name__}).", 1)
    return None


def within(path: str, folder: str) -> bool:
    """Whether a path leads into a folder, be they there or not."""
    try:
        return Path(folder).resolve() in Path(path).resolve().parents
    except (OSError, ValueError, RuntimeError):
        return False


def same_path(first: str | None, second: str | None) -> bool:
    """Whether two paths name one file, be it there or not."""
    if first is None or second is None:
        return False
    try:
        return Path(first).resolve() == Path(second).resolve()
    except (OSError, ValueError, RuntimeError):
        return False
