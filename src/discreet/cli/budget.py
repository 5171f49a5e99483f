"""`discreet budget`: a ledger made, looked at, drawn, and moved. Nothing here reads records or spends; `discreet fit --ledger` spends."""

import sys
from shlex import quote
from typing import Annotated, Literal, TypeAlias

import discreet
from discreet.cli.inputs import data_set_of, open_ledger
from discreet.cli.options import ARGUMENT, Argument, File, Hidden, Option, command, group
from discreet.cli.output import Outcome, refuse_same_file, styled
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.reading import exists, whole_text
from discreet.core.files.strict_json import read_object
from discreet.core.files.whole_file import reason_of, write_whole
from discreet.core.neighbours import DELTA

_Path: TypeAlias = Annotated[File, Argument(metavar="FILE")]
_Name: TypeAlias = Annotated[str, "Name of the data set."]
_Which: TypeAlias = Annotated[str | None, "Name of the data set.  [default: the only one]"]
_Overwrite: TypeAlias = Annotated[bool, "Overwrite the file if it exists."]


@command(
    "Declare a data set and its total.",
    "discreet budget new team.ledger --data-set people --epsilon 2 --delta 1e-6",
    "discreet budget new team.ledger --data-set visits --epsilon 1 --unit person",
    "discreet budget new team.ledger --data-set stays --epsilon 1 --neighbours add-remove --part north --part south",
)
def new(
    *,
    path: _Path,
    data_set: _Name,
    epsilon: Annotated[float, "What all releases together may cost, > 0 and finite."],
    delta: Annotated[float, "The same for delta."] = DELTA,
    neighbours: Annotated[
        Hidden, "What is hidden: the content of one record, or also whether it is in the table. Every release must hide the same."
    ] = "replace-one",
    unit: Annotated[
        Literal["record", "person"],
        "Unit of privacy: one row of the table, or one person with all of their rows. Every release must use the same unit.",
    ] = "record",
    accountant: Annotated[Literal["basic", "gaussian", "concentrated"], "How guarantees are added up; it cannot be changed later."] = "basic",
    parts: Annotated[
        tuple[str, ...], Option(name="--part", help="A disjoint part of the records, with its own spending; give the option once per part.")
    ] = (),
    part_of_a_record_stays: Annotated[
        bool,
        "With parts and replace-one, or parts and persons: you state that the part of a record follows from something public that never "
        "changes, and that all rows of a person are in one part.",
    ] = False,
) -> Outcome:
    """Declare a data set and the total that may be spent on it, in the ledger FILE, which is created if it does not exist.

    Declaring the same again changes nothing; declaring different values is refused.
    """
    # Checked before a file is made, so that a refused declaration leaves no empty ledger behind.
    wanted = discreet.ledger.declaration(
        data_set,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        unit=unit,
        parts=parts,
        part_of_a_record_stays=part_of_a_record_stays,
        accountant=accountant,
    )
    made = not exists(path)
    ledger = discreet.ledger.Ledger.create(path) if made else discreet.ledger.Ledger(path)
    known = any(data_set in (each.name, *each.aliases) for each in ledger.data_sets())
    declared = ledger.add(wanted)
    before = f": {data_set!r} was already declared; nothing changed" if known else ""
    following = f"Next: discreet fit TABLE --ledger {quote(path)} --data-set {quote(data_set)} ..."
    return Outcome(
        document={"ledger": path, "made": made, "declared": not known, "data_set": _document(ledger, declared)},
        lines=[f"{'New ledger' if made else 'Ledger'} {path}{before}", *_lines(ledger, declared), "", following],
    )


@command(
    "Change the total of a data set.",
    "discreet budget amend team.ledger --epsilon 3 --delta 1e-6 --reason 'a second study, agreed by the board on 2 May'",
)
def amend(
    *,
    path: _Path,
    data_set: _Which = None,
    epsilon: Annotated[float, "What all releases together may cost from now on, > 0 and finite."],
    delta: Annotated[float | None, "The same for delta.  [default: unchanged]"] = None,
    reason: Annotated[str, "Why. The text is public: it stays in the ledger and in its exports."],
) -> Outcome:
    """Change the total of a data set in the ledger FILE, larger or smaller. The largest total ever agreed to holds for all releases."""
    ledger = open_ledger(path)
    name = data_set_of(ledger, data_set)
    before = ledger.data_set(name).total
    amended = ledger.amend(name, epsilon=epsilon, delta=delta, reason=reason)
    return Outcome(
        document={"ledger": path, "before": before.to_dict(), "data_set": _document(ledger, amended)},
        lines=[f"The total of {name!r} was {before}.", *_lines(ledger, amended)],
    )


@command("What is spent and what is left.", "discreet budget show team.ledger", "discreet budget show team.ledger --data-set people --json")
def show(*, path: _Path, data_set: Annotated[str | None, "Only the data set of this name."] = None) -> Outcome:
    """Print the total, what is spent and what is left of every data set in the ledger FILE."""
    ledger = open_ledger(path)
    chosen = ledger.data_sets() if data_set is None else (ledger.data_set(data_set),)
    first = f"Ledger {path}" + ("" if chosen else ": no data set is declared in it")
    return Outcome(
        document={"ledger": path, "data_sets": [_document(ledger, each) for each in chosen]},
        lines=[first, *(line for each in chosen for line in _lines(ledger, each))],
    )


@command(
    "Every release on a data set.",
    "discreet budget history team.ledger --data-set people",
    "discreet budget history team.ledger --data-set people --plot people.svg",
)
def history(
    *,
    path: _Path,
    data_set: _Which = None,
    plot: Annotated[File | None, Option(metavar="OUT.svg", help="Also draw the spending over time.")] = None,
    overwrite: _Overwrite = False,
) -> Outcome:
    """Print every release on a data set of the ledger FILE, and every change of its total, in the order of their times (UTC)."""
    ledger = open_ledger(path)
    data_set = data_set_of(ledger, data_set)
    entries = ledger.history(data_set)
    if plot is not None:
        _write(plot, ledger.plot(data_set), path, overwrite=overwrite)
    listed = [{name: value for name, value in entry.to_dict().items() if name != "data_set"} for entry in entries]
    told = _document(ledger, ledger.data_set(data_set))
    amended = ledger.amendments(data_set)
    changes = [{"created": one.created, "total": one.total.to_dict(), "reason": one.reason} for one in amended]
    # Both begin with a moment in UTC.
    by_time = sorted([*map(str, entries), *map(str, amended)], key=lambda line: line.partition(" ")[0])
    lines = by_time or [f"Nothing has been released on {data_set!r}."]
    lines += ["", f"Left: {ledger.left(data_set)}", *([] if plot is None else [f"Written to {plot}"])]
    return Outcome(document={"ledger": path, "data_set": told, "entries": listed, "amendments": changes, "written": plot}, lines=lines)


@command("Draw the spending on a data set.", "discreet budget plot team.ledger --data-set people --out people.svg")
def plot(
    *,
    path: _Path,
    data_set: _Which = None,
    out: Annotated[File, Option(metavar="OUT.svg", help="The picture to write.")],
    overwrite: _Overwrite = False,
) -> Outcome:
    """Draw what was spent on a data set of the ledger FILE over time, beside its total, as an SVG picture."""
    ledger = open_ledger(path)
    data_set = data_set_of(ledger, data_set)
    _write(out, ledger.plot(data_set), path, overwrite=overwrite)
    document = {"ledger": path, "data_set": data_set, "written": out}
    return Outcome(document=document, lines=[f"Written to {out}"])


@command("The ledger as JSON.", "discreet budget export team.ledger > report.json", "discreet budget export team.ledger --out report.json")
def export(
    *, path: _Path, out: Annotated[File | None, "The file to write. Default: standard output."] = None, overwrite: _Overwrite = False
) -> Outcome:
    """Write the ledger FILE as JSON that may be published: everything except the digests of tables and their key."""
    text = open_ledger(path).export()
    document = {"ledger": path, "written": out}
    if out is None:
        return Outcome(document=document | {"export": read_object(text, what="an export")}, lines=[text])
    _write(out, f"{text}\n", path, overwrite=overwrite)
    return Outcome(document=document, lines=[f"Written to {out}"])


@command(
    "Import what another ledger exported.",
    "discreet budget import team.ledger report.json",
    "discreet budget export other.ledger | discreet budget import team.ledger -",
    name="import",
)
def import_(*, path: _Path, exported: Annotated[File, ARGUMENT]) -> Outcome:
    """Add to the ledger FILE what EXPORTED holds, all of it or nothing; - is standard input.

    Importing twice is the same as once. Imported releases count even beyond the total, since they happened; totals in FILE stay as they are.
    """
    count = open_ledger(path).import_(_read(exported))
    document = {"ledger": path, "new_entries": count}
    return Outcome(document=document, lines=[f"{count} new {'entry' if count == 1 else 'entries'} in {path}"])


budget = group(
    "budget",
    "Keep track of a privacy budget.",
    """Keep track of what may be spent on a data set, and what has been spent, in a ledger.

    A ledger is one file. `discreet fit --ledger` spends from it, and is refused if the total would be exceeded.
    """,
    *(new, show, amend, history, plot, export, import_),
    examples=("discreet budget new team.ledger --data-set people --epsilon 2 --delta 1e-6", "discreet budget show team.ledger"),
)


def _document(ledger: "discreet.ledger.Ledger", data_set: "discreet.ledger.DataSet") -> dict[str, object]:
    """Everything that is told about a data set, for --json; the amounts of parts are what is left on them."""
    entries = ledger.history(data_set.name)
    return {
        "name": data_set.name,
        "aliases": list(data_set.aliases),
        "neighbours": str(data_set.neighbours),
        "unit": str(data_set.unit),
        "accountant": data_set.accountant,
        "declared": data_set.declared.to_dict(),
        "total": data_set.total.to_dict(),
        "spent": ledger.spent(data_set.name).to_dict(),
        "left": ledger.left(data_set.name).to_dict(),
        "parts": {part: ledger.left(data_set.name, part=part).to_dict() for part in data_set.parts},
        "releases": sum(entry.state.counts for entry in entries),
        "never_settled": sum(entry.state == "reserved" for entry in entries),
    }


def _lines(ledger: "discreet.ledger.Ledger", data_set: "discreet.ledger.DataSet") -> list[str]:
    """The same in words."""
    entries = [entry for entry in ledger.history(data_set.name) if entry.state.counts]
    unsettled = sum(entry.state == "reserved" for entry in entries)
    amended = "" if data_set.total == data_set.declared else f", amended from {data_set.declared}"
    return [
        "",
        styled(data_set.name) + "".join(f", also {alias}" for alias in data_set.aliases),
        f"  Total      {data_set.total} ({data_set.neighbours}, one {data_set.unit}; {data_set.accountant} accountant){amended}",
        f"  Spent      {ledger.spent(data_set.name)} by {len(entries)} {'release' if len(entries) == 1 else 'releases'}",
        f"  Left       {ledger.left(data_set.name)}" + (" on all parts together" if data_set.parts else ""),
        *(f"  Left       {ledger.left(data_set.name, part=part)} on part {part!r}" for part in data_set.parts),
        *([f"  Unsettled  {unsettled}: reserved but never settled (a release still running, or a crash); they count as spent"] if unsettled else []),
    ]


def _write(out: str, text: str, path: str, *, overwrite: bool) -> None:
    refuse_same_file(out, path)
    write_whole(out, text, overwrite=overwrite)


def _read(exported: str) -> str:
    try:
        return sys.stdin.buffer.read().decode() if exported == "-" else whole_text(exported)
    except UnicodeDecodeError:
        refusal: InvalidInput = FileFormatError(f"{exported!r} is not UTF-8, so it is not an export of a ledger.")
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"the export {exported!r} cannot be read ({reason_of(error)}). Check the path.")
    raise refusal
