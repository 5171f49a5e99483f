"""`discreet schema new` and `discreet schema check`: what is public about a table, begun from its header and checked without its records."""

from pathlib import Path

import click

from discreet.cli.output import answer, examples, json_option, refuse_same_file, step


@click.group(
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    epilog=examples("discreet schema new people.csv --target income --out people.toml"),
)
@click.pass_context
def schema(context: click.Context) -> None:
    """Write down what is public about a table: bounds, categories, classes."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@schema.command(
    epilog=examples("discreet schema new people.csv --target income --out people.toml", "discreet schema new people.parquet > people.toml"),
)
@click.argument("table", type=click.Path())
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--out", type=click.Path(), help="The schema file to write; standard output if left out.")
@click.option("--overwrite", is_flag=True, help="Replace the schema file where it exists.")
@json_option
def new(*, table: str, target: str | None, out: str | None, overwrite: bool, as_json: bool) -> None:
    """Write a schema to be filled in, from the header of TABLE alone.

    No record of TABLE has any influence on it: bounds and categories are yours to write, from what is publicly known.
    """
    from discreet.core.files.whole_file import check_writable, write_whole  # noqa: PLC0415
    from discreet.data import read_header, schema_stub  # noqa: PLC0415 - imports of the library wait until they are needed

    if out is not None:
        refuse_same_file(out, table)
        check_writable(out, overwrite=overwrite)
    with step("Reading the header"):
        header = read_header(table)
    name = "table" if table == "-" else Path(table).name.partition(".")[0].strip() or "table"
    text = schema_stub(header, name=name, target=target)
    if out is None:
        answer({"command": "schema new", "schema": text, "written": None}, [text.rstrip("\n")], as_json=as_json)
        return
    write_whole(out, text, overwrite=overwrite)
    lines = [
        f"Written to {out}: {len(header)} columns, all still to be filled in. Write down what is publicly known, never what the table shows.",
        f"Next: edit {out}, then discreet schema check {out} {table}",
    ]
    answer({"command": "schema new", "schema": text, "written": out}, lines, as_json=as_json)


@schema.command(
    short_help="Check a schema, and the header of a table.",
    epilog=examples("discreet schema check people.toml", "discreet schema check people.toml people.csv"),
)
@click.argument("schema_path", metavar="SCHEMA", type=click.Path())
@click.argument("table", type=click.Path(), required=False)
@json_option
def check(*, schema_path: str, table: str | None, as_json: bool) -> None:
    """Check SCHEMA by itself and, with TABLE, against the header of that table; no record is read."""
    from discreet.core.words import quoted  # noqa: PLC0415
    from discreet.data import NumberTarget, Schema, read_header  # noqa: PLC0415
    from discreet.data.frames import check_present  # noqa: PLC0415
    from discreet.data.labels import canonical  # noqa: PLC0415

    found = Schema.load(schema_path)
    needed = found.columns(target=True)
    if isinstance(found.target, NumberTarget):
        public: dict[str, object] = {"lower": found.target.lower, "upper": found.target.upper}
        told = f"Target       a number between {found.target.lower:.10g} and {found.target.upper:.10g}"
    else:
        classes = [canonical(label) for label in found.target.classes]
        public = {"classes": classes}
        told = f"Classes      {quoted(classes) if len(classes) > 2 else f'{classes[0]!r} (negative) and {classes[1]!r} (positive)'}"
    document: dict[str, object] = {
        "command": "schema check",
        "schema": found.name,
        "features": found.features,
        "norm_bound": found.norm_bound,
        "rows": found.rows,
        "columns": list(needed),
        "target": {"column": found.target.column, **public},
        "unused_columns": None,
    }
    lines = [
        f"Schema {found.name!r} is valid.",
        f"Columns      {len(found.numeric)} numeric, {len(found.categorical)} categorical, and the target {found.target.column!r}",
        told,
        f"Features     d = {found.features}",
        f"Row norm     R = {found.norm_bound:.10g} ({'each row is divided by its norm' if found.rows == 'normalise' else 'rows stay as they are'})",
    ]
    if chosen := [column.name for column in found.numeric if column.released is not None]:
        document["released"] = chosen
        lines.append(f"Bounds       chosen privately from the records: {quoted(chosen)}; their certificate belongs to this schema")
    if table is not None:
        with step("Reading the header"):
            header = read_header(table)
        check_present(header, needed, source=repr(table))
        unused = [column for column in header if column not in needed]
        document["unused_columns"] = unused
        lines += [
            f"Table        {table!r} has every column of the schema; no record was read",
            f"Not used     {quoted(unused, most=20) if unused else 'nothing: every column is used'}",
        ]
    answer(document, lines, as_json=as_json)
