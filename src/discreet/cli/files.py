"""The files that commands write: tried before anything is spent, and never a reason to lose what was bought.

Commands that release something can also write a page about it (`--report`). By then the budget is spent: a page that cannot be written is said at the
end, after everything else, and a file that cannot be written goes to standard output.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import click

from discreet.cli.output import as_text, interruption, refuse, step
from discreet.core.errors import DiscreetError, InvalidInput

if TYPE_CHECKING:
    from discreet.display.reports import Subject
    from discreet.ledger import Account


class Released(Protocol):
    """A model, an evaluation, intervals."""

    def save(self, path: str, *, overwrite: bool = False) -> None:
        """Write it, whole or not at all."""

    def to_dict(self) -> Mapping[str, object]:
        """Its document."""

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
    from discreet.core.files.whole_file import check_writable

    for other in others:
        if other != "-" and same_path(path, other):
            raise InvalidInput(f"the report would be written over {other!r}. Choose another path.")
    check_writable(path, overwrite=overwrite)


def written_report(subject: "Subject", path: str | None, account: "Account | None" = None, *, name: str | None, overwrite: bool) -> Page:
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
    from discreet.core.files.whole_file import check_writable

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
            raise InvalidInput(f"--out names {source!r}, which is read by this command. Choose another path.")


def written(*files: tuple[str, Callable[[], str]], overwrite: bool) -> DiscreetError | None:
    """Write a text to each path, in this order; what went wrong, if anything did."""
    from discreet.core.files.whole_file import write_whole

    try:
        for path, text in files:
            write_whole(path, text(), overwrite=overwrite)
    except DiscreetError as error:
        return error
    return None


def keep(released: Released, name: str, out: str, *, overwrite: bool) -> None:
    """Save what a budget was spent on, called `name`; where that fails, whatever the reason, it goes to standard output and the command ends."""
    try:
        released.save(out, overwrite=overwrite)
    except DiscreetError as error:
        kind, reason, code = type(error).__name__, str(error), error.exit_code
    except KeyboardInterrupt as interrupt:
        happened, code = interruption(interrupt)
        kind, reason = "Interrupted", f"{happened} while saving."
    except Exception as error:  # noqa: BLE001 - whatever it is, the budget is spent and what it bought must not be lost
        kind, reason, code = "Unexpected", f"the {name} was not saved ({type(error).__name__}).", 1
    else:
        return
    context = click.get_current_context()
    message = f"{reason} The budget is spent; the {name} follows on standard output: save it from there."
    if context.params["as_json"]:
        click.echo(as_text({"error": {"kind": kind, "message": message}, name: released.to_dict()}))
    else:
        refuse(kind, message, as_json=False, code=code)
        click.echo(released.to_json().rstrip("\n"))
        sys.stdout.flush()
    context.exit(code)


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
