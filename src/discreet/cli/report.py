"""`discreet report`: a page for people who are not cryptographers, on whatever carries a certificate, and on a ledger."""

from dataclasses import dataclass
from typing import Annotated

from discreet.cli.artefacts import is_ledger, read_artefact
from discreet.cli.files import check_report, same_path, within
from discreet.cli.options import ARGUMENT, File, Option, command, usage_error
from discreet.cli.output import Outcome, labelled, step
from discreet.cli.spending import open_ledger
from discreet.core.errors import InvalidInput, InvalidType


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
        if path is not None and within(path, given.source):
            raise InvalidInput(
                f"{path!r} would be written into the release itself, which would no longer verify. Choose a path outside {given.source!r}."
            )
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
        document={"source": given.source, "title": page.title, "written": given.out, "card": given.card},
        lines=labelled(("Written to", given.out), ("Card", given.card)),
    )
