"""`discreet budget`: a ledger made, looked at, drawn, and moved. Nothing here reads records or spends; `discreet fit --ledger` spends."""

import sys
from pathlib import Path
from shlex import quote

import click

from discreet.cli.data_sets import document_of, in_words, lines_of
from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, json_option, refuse_same_file
from discreet.cli.spending import opened
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.lookup import exists

_FILE = click.argument("path", metavar="FILE", type=click.Path())
_DATA_SET = click.option("--data-set", required=True, help="Name of the data set.")
_OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace the written file where it exists.")


@click.group(
    short_help="Keep what may be spent, and what has been.",
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    epilog=examples("discreet budget new team.ledger --data-set people --epsilon 2 --delta 1e-6", "discreet budget show team.ledger"),
)
@click.pass_context
def budget(context: click.Context) -> None:
    """Keep what may be spent on a data set, and what has been, in a ledger.

    A ledger is one file. `discreet fit --ledger` spends in it, and is refused where the total would be exceeded.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@budget.command(
    short_help="Declare a data set and its total.",
    epilog=examples(
        "discreet budget new team.ledger --data-set people --epsilon 2 --delta 1e-6",
        "discreet budget new team.ledger --data-set visits --epsilon 1 --neighbours add-remove --part north --part south",
    ),
)
@_FILE
@_DATA_SET
@click.option("--epsilon", type=NUMBER, required=True, help="What all releases together may cost, > 0 and finite.")
@click.option("--delta", type=NUMBER, default=0.0, show_default=True, help="The same for delta.")
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove"]),
    default="replace-one",
    show_default=True,
    help="What is hidden: the content of one record, or also whether it is there at all. Every release must hide the same.",
)
@click.option(
    "--accountant",
    type=click.Choice(["basic", "gaussian", "concentrated"]),
    default="basic",
    show_default=True,
    help="How guarantees are added up; it cannot be changed later.",
)
@click.option("--part", "parts", multiple=True, help="A disjoint part of the records, each spent on by itself; give the option once a part.")
@click.option(
    "--part-of-a-record-stays",
    is_flag=True,
    help="With parts and replace-one: you state that what decides on the part of a record is public and never changes.",
)
@json_option
def new(  # noqa: PLR0913 - one argument an option
    *,
    path: str,
    data_set: str,
    epsilon: float,
    delta: float,
    neighbours: str,
    accountant: str,
    parts: tuple[str, ...],
    part_of_a_record_stays: bool,
    as_json: bool,
) -> None:
    """Declare a data set and the total that may be spent on it, in the ledger FILE, which is made where there is none.

    Declaring the same again changes nothing; declaring something else is refused.
    """
    from discreet.ledger import Ledger  # noqa: PLC0415 - imports of the library wait until they are needed
    from discreet.ledger.amounts import total  # noqa: PLC0415
    from discreet.ledger.entries import new_data_set  # noqa: PLC0415
    from discreet.ledger.spending import check_parts  # noqa: PLC0415

    # Checked before a file is made, so that a refused declaration leaves no empty ledger behind.
    wanted = new_data_set(data_set, total(epsilon, delta), neighbours, "record", parts=parts, accountant=accountant)
    check_parts(wanted, part_of_a_record_stays=part_of_a_record_stays)
    made = not exists(path)
    ledger = Ledger.create(path) if made else Ledger(path)
    known = any(data_set in (each.name, *each.aliases) for each in ledger.data_sets())
    declared = ledger.declare(
        data_set,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        parts=parts,
        part_of_a_record_stays=part_of_a_record_stays,
        accountant=accountant,
    )
    document = {"command": "budget new", "ledger": path, "made": made, "declared": not known, "data_set": document_of(ledger, declared)}
    first = f"{'New ledger' if made else 'Ledger'} {path}" + (f": {data_set!r} was declared before; nothing has changed" if known else "")
    lines = [first, *lines_of(ledger, declared), "", f"Next: discreet fit TABLE --ledger {quote(path)} --data-set {quote(data_set)} ..."]
    answer(document, lines, as_json=as_json)


@budget.command(
    short_help="What is spent and what is left.",
    epilog=examples("discreet budget show team.ledger", "discreet budget show team.ledger --data-set people --json"),
)
@_FILE
@click.option("--data-set", help="Only the data set of this name.")
@json_option
def show(*, path: str, data_set: str | None, as_json: bool) -> None:
    """Print the total, what is spent and what is left of every data set in the ledger FILE."""
    ledger = opened(path)
    chosen = ledger.data_sets() if data_set is None else (ledger.data_set(data_set),)
    document = {"command": "budget show", "ledger": path, "data_sets": [document_of(ledger, each) for each in chosen]}
    lines = [f"Ledger {path}" + ("" if chosen else ": no data set is declared in it"), *(line for each in chosen for line in lines_of(ledger, each))]
    answer(document, lines, as_json=as_json)


@budget.command(
    short_help="Every release on a data set.",
    epilog=examples(
        "discreet budget history team.ledger --data-set people",
        "discreet budget history team.ledger --data-set people --plot people.svg",
    ),
)
@_FILE
@_DATA_SET
@click.option("--plot", "out", type=click.Path(), metavar="OUT.svg", help="Also draw the spending over time.")
@_OVERWRITE
@json_option
def history(*, path: str, data_set: str, out: str | None, overwrite: bool, as_json: bool) -> None:
    """Print every release on a data set of the ledger FILE, in the order of their reservation (UTC)."""
    ledger = opened(path)
    entries = ledger.history(data_set)
    if out is not None:
        _write(out, ledger.plot(data_set), path, overwrite=overwrite)
    document = {
        "command": "budget history",
        "ledger": path,
        "data_set": document_of(ledger, ledger.data_set(data_set)),
        "entries": [
            {
                "id": entry.id,
                "part": entry.part,
                "guarantee": entry.guarantee.to_dict(),
                "purpose": entry.purpose,
                "state": str(entry.state),
                "reserved_at": entry.reserved_at,
                "closed_at": entry.closed_at,
            }
            for entry in entries
        ],
        "written": out,
    }
    lines = [*map(str, entries)] or [f"Nothing has been released on {data_set!r}."]
    lines += ["", f"Left: {in_words(ledger.left(data_set))}", *([] if out is None else [f"Written to {out}"])]
    answer(document, lines, as_json=as_json)


@budget.command(short_help="Draw the spending on a data set.", epilog=examples("discreet budget plot team.ledger --data-set people --out people.svg"))
@_FILE
@_DATA_SET
@click.option("--out", type=click.Path(), required=True, metavar="OUT.svg", help="The picture to write.")
@_OVERWRITE
@json_option
def plot(*, path: str, data_set: str, out: str, overwrite: bool, as_json: bool) -> None:
    """Draw what was spent on a data set of the ledger FILE over time, beside its total, as an SVG picture."""
    _write(out, opened(path).plot(data_set), path, overwrite=overwrite)
    answer({"command": "budget plot", "ledger": path, "data_set": data_set, "written": out}, [f"Written to {out}"], as_json=as_json)


@budget.command(
    short_help="The ledger as JSON.",
    epilog=examples("discreet budget export team.ledger > report.json", "discreet budget export team.ledger --out report.json"),
)
@_FILE
@click.option("--out", type=click.Path(), help="The file to write; standard output if left out.")
@_OVERWRITE
@json_option
def export(*, path: str, out: str | None, overwrite: bool, as_json: bool) -> None:
    """Write everything in the ledger FILE but the digests of tables and their key, as JSON that anybody may see."""
    text = opened(path).export()
    if out is not None:
        _write(out, f"{text}\n", path, overwrite=overwrite)
        answer({"command": "budget export", "ledger": path, "written": out}, [f"Written to {out}"], as_json=as_json)
    elif as_json:
        from discreet.core.files.strict_json import read_object  # noqa: PLC0415 - imports of the library wait until they are needed

        answer({"command": "budget export", "ledger": path, "written": None, "export": read_object(text, what="an export")}, [], as_json=True)
    else:
        click.echo(text)


@budget.command(
    "import",
    short_help="Take over what another ledger exported.",
    epilog=examples("discreet budget import team.ledger report.json", "discreet budget export other.ledger | discreet budget import team.ledger -"),
)
@_FILE
@click.argument("exported", type=click.Path())
@json_option
def import_(*, path: str, exported: str, as_json: bool) -> None:
    """Add to the ledger FILE what EXPORTED holds, all of it or nothing; - is standard input.

    Importing twice is the same as once. Imported releases count even beyond the total, since they happened; totals in FILE stay as they are.
    """
    ledger = opened(path)
    count = ledger.import_(_read(exported))
    document = {"command": "budget import", "ledger": path, "new_entries": count}
    answer(document, [f"{count} new {'entry' if count == 1 else 'entries'} in {path}"], as_json=as_json)


def _write(out: str, text: str, path: str, *, overwrite: bool) -> None:
    from discreet.core.files.whole_file import write_whole  # noqa: PLC0415

    refuse_same_file(out, path)
    write_whole(out, text, overwrite=overwrite)


def _read(exported: str) -> str:
    try:
        return (sys.stdin.buffer.read() if exported == "-" else Path(exported).read_bytes()).decode()
    except UnicodeDecodeError:
        refusal: InvalidInput = FileFormatError(f"{exported!r} is not UTF-8, so no export of a ledger.")
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        refusal = InvalidInput(f"the export {exported!r} cannot be read ({reason}). Check the path.")
    raise refusal
