"""`discreet report`: a page for people who are not cryptographers, on whatever carries a certificate, and on a ledger.

Commands that release something can write the same page themselves (`--report`), with the budget before and after. By then the budget is spent: a page
that cannot be written is no reason to lose what it is about, so the command says so at its end, after everything else.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from discreet.cli.artefacts import is_ledger, read_artefact
from discreet.cli.output import answer, examples, json_option, refuse, step, warn
from discreet.cli.spending import opened
from discreet.core.errors import DiscreetError, InvalidInput, InvalidType

if TYPE_CHECKING:
    from discreet.display.reports import Subject
    from discreet.ledger import Account

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def report_option(command: Decorated) -> Decorated:
    """`--report` of commands that release something."""
    return click.option(
        "--report", "report_path", type=click.Path(), metavar="PAGE", help="Also write a page that explains it to everyone: HTML, or Markdown (.md)."
    )(command)


def check_report(path: str | None, *others: str, overwrite: bool) -> None:
    """Raise InvalidInput unless the page could be written now, and is none of the other files."""
    if path is None:
        return
    from discreet.core.files.whole_file import check_writable  # noqa: PLC0415 - imports of the library wait until they are needed

    for other in others:
        if other != "-" and same_path(path, other):
            raise InvalidInput(f"the report would be written over {other!r}. Choose another path.")
    check_writable(path, overwrite=overwrite)


def written_report(subject: "Subject", path: str | None, account: "Account | None", *, name: str | None, overwrite: bool) -> DiscreetError | None:
    """Write the page where one is wanted; what went wrong, if anything did. `name` is that of the file that the page is about."""
    if path is None:
        return None
    from discreet.display.reports import write_report  # noqa: PLC0415 - see above

    try:
        with step("Writing the report"):
            write_report(subject, path, ledger=None if account is None else account.ledger, name=name, overwrite=overwrite)
    except DiscreetError as error:
        return error
    except Exception as error:  # noqa: BLE001 - whatever it is, the budget is spent, and what it bought must be shown
        return DiscreetError(f"the report could not be made ({type(error).__name__}).")
    return None


def told(failure: DiscreetError | None, *, as_json: bool) -> int:
    """The exit code, after saying that there is no page if there is none."""
    if failure is None:
        return 0
    message = f"{failure} The report was not written; everything else was. Write it with `discreet report`."
    if as_json:
        warn(message)
        return failure.exit_code
    return refuse(type(failure).__name__, message, as_json=False, code=failure.exit_code)


@click.command(
    short_help="A page for everyone on a model, release or ledger.",
    epilog=examples(
        "discreet report model.json --out model.html",
        "discreet report model.json --out model.html --card card.md --ledger team.ledger",
        "discreet report team.ledger --out budget.html",
    ),
)
@click.argument("source", type=click.Path())
@click.option("--out", type=click.Path(), required=True, metavar="PAGE", help="The page to write: HTML, or Markdown where it ends in .md.")
@click.option("--ledger", "ledger_path", type=click.Path(), help="The ledger that paid for it, to show the budget before and after.")
@click.option("--card", "card_path", type=click.Path(), metavar="CARD", help="Also write the model's card, HTML or Markdown (.md).")
@click.option("--overwrite", is_flag=True, help="Replace these files where they exist.")
@json_option
def report(*, source: str, out: str, ledger_path: str | None, card_path: str | None, overwrite: bool, as_json: bool) -> None:
    """Write a page that says in plain words what SOURCE promises, to whom, why it may be believed, and what it does not say.

    SOURCE is a model, an evaluation, intervals, a certificate, a randomised record, a ledger, or the folder of a release. The page is one file, needs
    no network and prints well. It holds public numbers only: what SOURCE holds, and what follows from it.
    """
    from discreet.display.reports import card_of, page_of, write_page  # noqa: PLC0415 - imports of the library wait until they are needed

    if card_path is not None and same_path(card_path, out):
        raise click.UsageError("--out and --card name the same file", click.get_current_context())
    for path in (out, card_path):
        check_report(path, source, *([] if ledger_path is None else [ledger_path]), overwrite=overwrite)
    with step("Reading and checking"):
        found = None if is_ledger(source) else read_artefact(source)
        if card_path is not None and (found is None or found.kind.name != "model"):
            raise InvalidType(f"--card writes the card of a model; {source!r} holds none. Leave --card out.")
        ledger = None if ledger_path is None else opened(ledger_path)
        page = page_of(opened(source)) if found is None else found.page(ledger=ledger)
        card = None if card_path is None or found is None else card_of(found.value)
    write_page(page, out, overwrite=overwrite)
    if card is not None and card_path is not None:
        write_page(card, card_path, overwrite=overwrite)
    document = {"command": "report", "source": source, "title": page.title, "written": out, "card": card_path}
    lines = [f"Written to   {out}", *([] if card_path is None else [f"Card         {card_path}"])]
    answer(document, lines, as_json=as_json)


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
