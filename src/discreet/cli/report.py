"""`discreet report`: a page for people who are not cryptographers, on whatever carries a certificate, and on a ledger.

Commands that release something can write the same page themselves (`--report`), with the budget before and after. By then the budget is spent: a page
that cannot be written is no reason to lose what it is about, so the command says so at its end, after everything else.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from discreet.cli.artefacts import is_ledger, read_artefact
from discreet.cli.options import ARGUMENT, File, Option, command, usage_error
from discreet.cli.output import Outcome, labelled, step
from discreet.cli.spending import open_ledger
from discreet.core.errors import DiscreetError, InvalidInput, InvalidType

if TYPE_CHECKING:
    from discreet.display.reports import Subject
    from discreet.ledger import Account


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


@dataclass(frozen=True, kw_only=True)
class _Report:
    source: Annotated[File, ARGUMENT]
    out: Annotated[File, Option(metavar="PAGE", help="The page to write: HTML, or Markdown where it ends in .md.")]
    ledger: Annotated[File | None, "The ledger that paid for it, to show the budget before and after."] = None
    card: Annotated[File | None, Option(metavar="CARD", help="Also write the model's card, HTML or Markdown (.md).")] = None
    overwrite: Annotated[bool, "Replace these files where they exist."] = False


@command(
    "A page for everyone on a model, release or ledger.",
    "discreet report model.json --out model.html",
    "discreet report model.json --out model.html --card card.md --ledger team.ledger",
    "discreet report team.ledger --out budget.html",
)
def report(given: _Report) -> Outcome:
    """Write a page that says in plain words what SOURCE promises, to whom, why it may be believed, and what it does not say.

    SOURCE is a model, an evaluation, intervals, a certificate, a randomised record, a ledger, or the folder of a release. The page is one file, needs
    no network and prints well. It holds public numbers only: what SOURCE holds, and what follows from it.
    """
    from discreet.display.reports import card_of, page_of, write_page

    if same_path(given.card, given.out):
        raise usage_error("--out and --card name the same file")
    for path in (given.out, given.card):
        check_report(path, given.source, given.ledger, overwrite=given.overwrite)
    with step("Reading and checking"):
        found = None if is_ledger(given.source) else read_artefact(given.source)
        if given.card is not None and (found is None or found.kind.name != "model"):
            raise InvalidType(f"--card writes the card of a model; {given.source!r} holds none. Leave --card out.")
        ledger = None if given.ledger is None else open_ledger(given.ledger)
        page = page_of(open_ledger(given.source)) if found is None else page_of(found.value, ledger=ledger, name=found.path)
        card = None if given.card is None or found is None else card_of(found.value)
    write_page(page, given.out, overwrite=given.overwrite)
    if card is not None and given.card is not None:
        write_page(card, given.card, overwrite=given.overwrite)
    return Outcome(
        document={"command": "report", "source": given.source, "title": page.title, "written": given.out, "card": given.card},
        lines=labelled(("Written to", given.out), ("Card", given.card)),
    )


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
