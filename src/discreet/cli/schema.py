"""`discreet schema new` and `check`: what is public about a table, from its header; `discreet bounds`: bounds that nobody knows, from its records.

The choice of bounds is a release of its own. Everything that can fail without a record fails before one is read. After the release the budget is
spent, so what was chosen is printed even where a file cannot be written.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

import discreet
from discreet.cli.inputs import Spending, ask, check_fits, read, receipt, said
from discreet.cli.options import ARGUMENT, Argument, Delta, File, Hidden, Option, Seed, command, group, noise_of, usage_error
from discreet.cli.output import Outcome, check_output, keep, labelled, same_path, step, warn
from discreet.core.errors import InvalidInput, quoted
from discreet.core.files.whole_file import write_whole
from discreet.core.neighbours import DELTA


@command(
    None,
    "discreet schema new people.csv --target income --out people.toml",
    "discreet schema new people.csv --interview --out people.toml",
    "discreet schema new patienten.csv --separator ';' --encoding cp1252 --decimal , --out patienten.toml",
    "discreet schema new people.parquet > people.toml",
)
def new(
    *,
    table: Annotated[File, ARGUMENT],
    target: Annotated[str | None, Option(metavar="COLUMN", help="The column to predict.")] = None,
    out: Annotated[File | None, "The schema file to write. Default: standard output."] = None,
    separator: Annotated[str | None, Option(metavar="MARK", help="Mark between fields.  [default: as the header shows]")] = None,
    encoding: Annotated[str | None, Option(metavar="NAME", help="Of the text, such as cp1252 or utf-16.  [default: as the header shows]")] = None,
    decimal: Annotated[Literal[".", ","] | None, "Decimal mark.  [default: , where semicolons separate, else .]"] = None,
    thousands: Annotated[str | None, Option(metavar="MARK", help="Mark between groups of three digits.  [default: nothing]")] = None,
    interview: Annotated[bool, "Ask questions about each column instead of writing a file to fill in."] = False,
    overwrite: Annotated[bool, "Overwrite the schema file if it exists."] = False,
) -> Outcome:
    """Write a schema to fill in, from the header of TABLE alone.

    No record of TABLE has any influence on it: bounds and categories are yours to write, from what is publicly known. How its text is written is
    seen in the header, or said here, and stands in the schema, so that no other command asks.
    """
    check_output(out, table, overwrite=overwrite)
    if interview and table == "-":
        raise usage_error("--interview reads your answers from standard input, so the table cannot come from - too: give a file")
    with step("Reading the header"):
        dialect = _said(discreet.data.dialect_of(table), separator=separator, encoding=encoding, decimal=decimal, thousands=thousands)
        header = discreet.data.read_header(table, dialect)
    name = "table" if table == "-" else Path(table).name.partition(".")[0].strip() or "table"
    if interview:
        from discreet.cli.interview import interview as asked

        text = asked(header, name=name, target=target, file=dialect, text=not table.lower().endswith((".xlsx", ".parquet"))).to_toml()
    else:
        text = discreet.data.schema_stub(header, name=name, target=target, file=dialect)
    document = {"schema": text, "written": out}
    if out is None:
        return Outcome(document=document, lines=[text.rstrip("\n")])
    write_whole(out, text, overwrite=overwrite)
    lines = [
        *([f"The file is read with {_written(dialect)}; check this under [file]."] if dialect.to_dict() else []),
        *(
            [
                f"Written to {out}. Cells that cannot be read as numbers or dates will count as missing.",
                f"Next: discreet schema check {quote(out)} {quote(table)} --local shows such cells, on your screen only",
            ]
            if interview
            else [
                (f"Written to {out}: {len(header)} columns, none filled in yet. Write down what is publicly known, never what the table shows."),
                f"Next: edit {out}, then discreet schema check {quote(out)} {quote(table)}",
            ]
        ),
    ]
    return Outcome(document=document, lines=lines)


@command(
    "Check a schema, and the header of a table.",
    "discreet schema check people.toml",
    "discreet schema check people.toml people.csv",
    "discreet schema check people.toml people.csv --local",
)
def check(
    *,
    schema: Annotated[File, Argument(metavar="SCHEMA")],
    table: Annotated[File | None, ARGUMENT] = None,
    local: Annotated[
        bool, "Also read the records, and show every cell that the schema does not cover. This is private: it goes to your screen only."
    ] = False,
) -> Outcome:
    """Check SCHEMA by itself and, with TABLE, against the header of that table; no record is read without --local."""
    from discreet.data.row_lengths import length_words

    if local and (table is None or table == "-"):
        raise usage_error("--local needs a TABLE that is a file")
    if local and not is_screen():
        raise InvalidInput("--local shows private cells, so it writes to a terminal only. Leave out the pipe, the redirection and --json.")
    found = discreet.Schema.load(schema)
    needed, target = found.columns(target=True), found.target
    if isinstance(target, discreet.data.NumberTargets):
        bounds = [(part.column, part.lower, part.upper) for part in target.parts]
        told = ("Targets", ", ".join(f"{name} between {lower:.10g} and {upper:.10g}" for name, lower, upper in bounds))
        public: dict[str, object] = {"targets": [{"column": name, "lower": lower, "upper": upper} for name, lower, upper in bounds]}
    elif isinstance(target, discreet.data.NumberTarget):
        public = {"lower": target.lower, "upper": target.upper, **({"counts": True} if target.counts else {})}
        told = ("Target", f"a {'count' if target.counts else 'number'} between {target.lower:.10g} and {target.upper:.10g}")
    elif isinstance(target, discreet.data.TimeTarget):
        public = {"ends": list(target.ends), "event": target.event}
        told = ("Target", f"a time, whose periods end at {', '.join(f'{end:g}' for end in target.ends)}")
    else:
        classes = [discreet.data.labels.canonical(label) for label in target.classes]
        public = {"classes": classes} | ({"ordered": True} if target.ordered else {})
        told = ("Classes", quoted(classes) if len(classes) > 2 else f"{classes[0]!r} (negative) and {classes[1]!r} (positive)")
    chosen = [column.name for column in found.numeric if column.released is not None]
    encoded = [f"{one.name} {' + '.join(kind.name for kind in one.encoding)}" for one in (*found.numeric, *found.date) if not one.plain]
    ask(found, schema)
    rule = found.persons
    unused = present = beside = None
    if table is not None:
        with step("Reading the header"):
            header = discreet.data.read_header(table, found.file)
        discreet.data.frames.check_present(header, needed, source=repr(table))
        unused = [column for column in header if column not in needed]
        beside = quoted(unused, most=20) if unused else "nothing: every column is used"
        present = f"{table!r} has every column of the schema{'' if local else '; no record was read'}"
    return Outcome(
        document={
            "schema": found.name,
            "features": found.features,
            "norm_bound": found.norm_bound,
            "rows": found.rows,
            "columns": list(needed),
            "target": {"column": ", ".join(found.answers), **public},
            "persons": None if rule is None else {"column": None if found.person is None else found.person.column, **rule.to_dict()},
            "unused_columns": unused,
            **({"released": chosen} if chosen else {}),
        },
        lines=[
            f"Schema {found.name!r} is valid.",
            *labelled(
                ("Columns", f"{_counted(found)}, and the target{'s' if len(found.answers) > 1 else ''} {quoted(found.answers)}"),
                told,
                ("Persons", "not stated: single rows are protected" if rule is None else said(found).removeprefix("that ")),
                ("Features", f"d = {found.features}"),
                ("Encodings", "; ".join(encoded) or None),
                (
                    "Row norm",
                    f"R = {found.norm_bound:.10g} (rows: {length_words(found)})",
                ),
                ("Bounds", f"chosen privately from the records: {quoted(chosen)}; their certificate belongs to this schema" if chosen else None),
                ("Table", present),
                ("Not used", beside),
            ),
            *(_shown(found, table) if local and table is not None else []),
        ],
    )


def is_screen() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def _shown(schema: "discreet.Schema", table: str) -> list[str]:
    """What the schema does not cover: private, and in no document."""
    from discreet.data.local_check import troubles

    found = troubles(read(table, schema.columns(target=True), schema.file), schema)
    if not found:
        return ["", "The schema covers every cell. You know this from the records: keep it to yourself."]
    lines = [
        "",
        "PRIVATE: read from the records, shown on this screen only, and written nowhere. Correct the schema from what is",
    ]
    lines += ["publicly known, never to fit what you see here; rules such as outside, missing and other suit any table.", ""]
    width = max(len(one.column) for one in found)
    for one in found:
        cells = f": {', '.join(map(repr, one.cells))}" if one.cells else ""
        rows = "row" if one.rows == 1 else "rows"
        lines += [f"  {one.column:<{width}}  {one.what} in {one.rows:,} {rows}{cells}", f"  {'':<{width}}  {one.remedy}"]
    return lines


@command(
    "Choose bounds of numeric columns privately.",
    "discreet bounds people.csv --schema draft.toml --epsilon 0.1 --delta 1e-6 --out people.toml",
    "discreet bounds people.csv --schema draft.toml --epsilon 0.2 --grid powers-of-two --out people.toml --json",
    "discreet bounds people.csv --schema draft.toml --epsilon 0.1 --out people.toml --ledger team.ledger --data-set people",
)
def bounds(
    *,
    table: Annotated[File, ARGUMENT],
    schema: Annotated[File, "The schema, with open bounds."],
    epsilon: Annotated[float, "Privacy loss that the choice may cost, > 0."],
    delta: Delta = DELTA,
    neighbours: Annotated[Hidden, "What is hidden: the content of one record, or also whether it is in the table."] = "replace-one",
    grid: Annotated[
        Literal["one-two-five", "powers-of-two", "powers-of-ten"], "Candidates on both sides of 0, for columns without a list of their own."
    ] = "one-two-five",
    out: Annotated[File, "The finished schema to write."],
    certificate: Annotated[File | None, "The certificate to write.  [default: OUT.certificate.json]"] = None,
    overwrite: Annotated[bool, "Overwrite these files if they exist."] = False,
    spending: Spending,
    seed: Seed = None,
) -> Outcome:
    """Choose bounds for the open columns of a schema from the records of TABLE, privately.

    A numeric column is open if its lower and upper are missing, or still the stub's FILL IN. Bounds are chosen among public candidates,
    never taken from the records; this costs --epsilon, on top of what a fit will cost. Records beyond the bounds are clipped later. If the
    schema has a person column, persons are protected.
    """
    with step("Checking what can be checked without the records"):
        from discreet.mechanisms.bounds_choice.release import prepare_bounds, release_bounds, told_least

        draft = discreet.SchemaDraft.load(schema)
        certified = f"{out}.certificate.json" if certificate is None else certificate
        for path in (out, certified):
            check_output(path, table, schema, spending.ledger, overwrite=overwrite)
        if same_path(out, certified):
            raise InvalidInput("--out and --certificate name the same file. Give each its own name.")
        prepared = prepare_bounds(draft, epsilon=epsilon, delta=delta, neighbours=neighbours, grid=grid)
        account = spending.account("bounds", out)
        check_fits(account, prepared.mechanism.guarantee(prepared.problem))
    ask(draft.schema, schema)
    if neighbours == "add-remove":
        warn(f"{told_least(prepared.least_records)}, and how many there are is private.")
    noise = noise_of(seed)
    frame = read(table, draft.columns, draft.schema.file)
    with step("Choosing bounds"):
        released = release_bounds(prepared, frame, noise, account=account)
        del frame
    text = "" if released.schema is None else released.schema.to_toml()
    keep(released.certificate, "certificate", certified, overwrite=overwrite, beside=[(_Text(text), "schema", out)])
    document, paid, checked = receipt(released.certificate, released.verify(), account)
    width = max(map(len, released.bounds)) + 2
    return Outcome(
        document={**released.to_dict(), "schema": text, **document, "written": [out, certified]},
        lines=[
            "Chosen among public candidates, with noise:",
            *(f"  {name:<{width}}{low:.10g} to {high:.10g}" for name, (low, high) in released.bounds.items()),
            "",
            *(f"Note: {words}." for words in released.remarks),
            *paid,
            f"Written to   {out}, {certified}",
            "",
            f"Next: discreet fit TABLE --schema {out} --epsilon E --out MODEL",
        ],
        checked=checked,
    )


@dataclass(frozen=True)
class _Text:
    """A schema that a budget paid for, to be kept as what was released is."""

    text: str

    def save(self, path: str, *, overwrite: bool = False) -> None:
        """Write it, whole or not at all."""
        write_whole(path, self.text, overwrite=overwrite)

    def to_dict(self) -> str:
        """In a document: the text."""
        return self.text

    def to_json(self) -> str:
        """The text itself, which is TOML."""
        return self.text


def _said(seen: "discreet.data.Dialect", **said: str | None) -> "discreet.data.Dialect":
    """What the header shows, but for what is said."""
    chosen: dict[str, Any] = {name: mark for name, mark in said.items() if mark is not None}
    return replace(seen, **chosen)


def _written(dialect: "discreet.data.Dialect") -> str:
    """As `separator ';', decimal ','`."""
    return ", ".join(f"{name} {value!r}" for name, value in dialect.to_dict().items())


def _counted(found: "discreet.Schema") -> str:
    """How many columns of each kind; dates and crosses where there are some."""
    kinds = [f"{len(found.numeric)} numeric", *([f"{len(found.date)} of dates"] if found.date else []), f"{len(found.categorical)} categorical"]
    return ", ".join(kinds + ([f"{len(found.cross)} crosses"] if found.cross else []))


schema = group(
    "schema",
    None,
    "Write down what is public about a table: bounds, categories, classes.",
    new,
    check,
    examples=("discreet schema new people.csv --target income --out people.toml",),
)
