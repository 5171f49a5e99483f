"""`discreet schema new` and `discreet schema check`: what is public about a table, begun from its header and checked without its records."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from discreet.cli.files import check_output
from discreet.cli.options import ARGUMENT, Argument, File, Option, command, group
from discreet.cli.output import Outcome, labelled, step


@dataclass(frozen=True, kw_only=True)
class _New:
    table: Annotated[File, ARGUMENT]
    target: Annotated[str | None, Option(metavar="COLUMN", help="The column to predict.")] = None
    out: Annotated[File | None, "The schema file to write; standard output if left out."] = None
    overwrite: Annotated[bool, "Replace the schema file where it exists."] = False


@dataclass(frozen=True, kw_only=True)
class _Check:
    schema: Annotated[File, Argument(metavar="SCHEMA")]
    table: Annotated[File | None, ARGUMENT] = None


@command(None, "discreet schema new people.csv --target income --out people.toml", "discreet schema new people.parquet > people.toml")
def new(given: _New) -> Outcome:
    """Write a schema to be filled in, from the header of TABLE alone.

    No record of TABLE has any influence on it: bounds and categories are yours to write, from what is publicly known.
    """
    from discreet.core.files.whole_file import write_whole
    from discreet.data import read_header, schema_stub

    check_output(given.out, given.table, overwrite=given.overwrite)
    with step("Reading the header"):
        header = read_header(given.table)
    name = "table" if given.table == "-" else Path(given.table).name.partition(".")[0].strip() or "table"
    text = schema_stub(header, name=name, target=given.target)
    document = {"schema": text, "written": given.out}
    if given.out is None:
        return Outcome(document=document, lines=[text.rstrip("\n")])
    write_whole(given.out, text, overwrite=given.overwrite)
    lines = [
        f"Written to {given.out}: {len(header)} columns, all still to be filled in. Write down what is publicly known, never what the table shows.",
        f"Next: edit {given.out}, then discreet schema check {given.out} {given.table}",
    ]
    return Outcome(document=document, lines=lines)


@command("Check a schema, and the header of a table.", "discreet schema check people.toml", "discreet schema check people.toml people.csv")
def check(given: _Check) -> Outcome:
    """Check SCHEMA by itself and, with TABLE, against the header of that table; no record is read."""
    from discreet.core.words import quoted
    from discreet.data import NumberTarget, Schema, read_header
    from discreet.data.frames import check_present
    from discreet.data.labels import canonical

    found = Schema.load(given.schema)
    needed, target = found.columns(target=True), found.target
    if isinstance(target, NumberTarget):
        public: dict[str, object] = {"lower": target.lower, "upper": target.upper}
        told = ("Target", f"a number between {target.lower:.10g} and {target.upper:.10g}")
    else:
        classes = [canonical(label) for label in target.classes]
        public = {"classes": classes}
        told = ("Classes", quoted(classes) if len(classes) > 2 else f"{classes[0]!r} (negative) and {classes[1]!r} (positive)")
    chosen = [column.name for column in found.numeric if column.released is not None]
    unused = present = beside = None
    if given.table is not None:
        with step("Reading the header"):
            header = read_header(given.table)
        check_present(header, needed, source=repr(given.table))
        unused = [column for column in header if column not in needed]
        beside = quoted(unused, most=20) if unused else "nothing: every column is used"
        present = f"{given.table!r} has every column of the schema; no record was read"
    return Outcome(
        document={
            "schema": found.name,
            "features": found.features,
            "norm_bound": found.norm_bound,
            "rows": found.rows,
            "columns": list(needed),
            "target": {"column": target.column, **public},
            "unused_columns": unused,
            **({"released": chosen} if chosen else {}),
        },
        lines=[
            f"Schema {found.name!r} is valid.",
            *labelled(
                ("Columns", f"{len(found.numeric)} numeric, {len(found.categorical)} categorical, and the target {target.column!r}"),
                told,
                ("Features", f"d = {found.features}"),
                (
                    "Row norm",
                    f"R = {found.norm_bound:.10g} ({'each row is divided by its norm' if found.rows == 'normalise' else 'rows stay as they are'})",
                ),
                ("Bounds", f"chosen privately from the records: {quoted(chosen)}; their certificate belongs to this schema" if chosen else None),
                ("Table", present),
                ("Not used", beside),
            ),
        ],
    )


schema = group(
    "schema",
    None,
    "Write down what is public about a table: bounds, categories, classes.",
    new,
    check,
    examples=("discreet schema new people.csv --target income --out people.toml",),
)
