"""`discreet describe`: a table for a paper, privately.

Everything that can fail without a record fails before one is read; after the release the budget is spent, so the numbers are printed even where a
file cannot be written.
"""

from functools import partial
from typing import Annotated

import discreet
from discreet.cli.inputs import Records, Spending, Whose, ask, check_fits, receipt
from discreet.cli.options import (
    Delta,
    File,
    ForSpreadsheet,
    Neighbours,
    Option,
    PublicRecords,
    Report,
    SchemaFile,
    Seed,
    check_spreadsheet,
    command,
    noise_of,
    usage_error,
)
from discreet.cli.output import Outcome, announce, check_output, check_report, keep, labelled, same_path, step, tried, written, written_report
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import DELTA


@command(
    "Describe a table: counts, means, quantiles, by groups.",
    "discreet describe people.csv --schema people.toml --epsilon 1 --delta 1e-6",
    "discreet describe people.csv --schema people.toml --epsilon 1 --delta 1e-6 --by sex --whole age --report page.html --csv table1.csv",
    "discreet describe people.csv --schema people.toml --epsilon 1 --delta 1e-6 --columns age,income --pairs education:income",
    "discreet describe people.csv --schema people.toml --epsilon 0.5 --delta 1e-6 --out description.json --ledger team.ledger --data-set people",
    "discreet describe people/*.parquet --schema people.toml --epsilon 1 --delta 1e-6 --neighbours add-remove --jobs 2",
)
def describe(
    *,
    schema: SchemaFile,
    epsilon: Annotated[float, "Privacy loss that the whole description may cost, > 0."],
    delta: Delta = DELTA,
    neighbours: Neighbours = "replace-one",
    by: Annotated[str | None, Option(metavar="COLUMN", help="A column of categories: also describe each of its groups, at no further cost.")] = None,
    columns: Annotated[str | None, "Columns to describe, separated by commas.  [default: all of the schema, and the target]"] = None,
    pairs: Annotated[str | None, "Tables of two columns of categories, such as education:income, separated by commas."] = None,
    whole: Annotated[str | None, "Columns that you know to hold whole numbers, separated by commas: their quantiles are whole."] = None,
    quantiles: Annotated[str, "Increasing shares between 0 and 1, separated by commas."] = "0.25,0.5,0.75",
    level: Annotated[float, "Coverage of each interval."] = 0.95,
    whose: Whose,
    out: Annotated[File | None, "Write numbers, intervals and certificate to this JSON file."] = None,
    csv: Annotated[File | None, "Write the table to this CSV file."] = None,
    for_spreadsheet: ForSpreadsheet = False,
    plot: Annotated[File | None, "Write the pictures to this SVG file."] = None,
    report: Report = None,
    overwrite: Annotated[bool, "Overwrite these files if they exist."] = False,
    spending: Spending,
    records: Records,
    dry_run: Annotated[bool, "Say how large the noise would be, and stop: no table is read, nothing is drawn, spent or written."] = False,
    known_records: PublicRecords = None,
    seed: Seed = None,
) -> Outcome:
    """Describe TABLE privately: n, mean (SD) and median [quartiles] of numbers, count (%) of categories, all with intervals.

    One budget and one certificate cover everything, and groups cost nothing extra. Counts are whole numbers of at least 0, and those of the same
    records add up.

    TABLE is a .csv, .csv.gz, .tsv, .xlsx or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet,
    .arrow, .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.

    Before anything is spent, the command says, from public numbers alone, how large the noise is; --dry-run stops there.
    """
    with step("Checking what can be checked without the records"):
        from discreet.core.validate import job_count
        from discreet.core.validate import whole as counted
        from discreet.descriptions.describe import describe_prepared, prepare_description

        public, threads = whose.schema(schema), job_count(records.jobs)
        prepared = prepare_description(
            public,
            epsilon=epsilon,
            delta=delta,
            neighbours=neighbours,
            columns=_listed(columns),
            by=by,
            pairs=[_pair(one) for one in _listed(pairs) or ()],
            quantiles=[_share(one) for one in _listed(quantiles) or ()],
            whole=_listed(whole) or (),
            level=level,
        )
        check_spreadsheet("--csv", csv, asked=for_spreadsheet)
        sources = [*records.files, schema, spending.ledger]
        files = {"--out": out, "--csv": csv, "--plot": plot}
        for name, path in files.items():
            check_output(path, *sources, overwrite=overwrite)
            if twice := [other for other, same in files.items() if other != name and same_path(path, same)]:
                raise InvalidInput(f"{name} and {twice[0]} name the same file. Give each its own name.")
        check_report(report, *sources, out, csv, plot, overwrite=overwrite)
        account = spending.account("description", out)
        check_fits(account, prepared.guarantee)
        outlook = prepared.outlook(None if known_records is None else counted(known_records, "--public-records"))
        foreseen = labelled(*outlook.lines())
    if dry_run:
        return tried(outlook.to_dict(), prepared.guarantee, foreseen)
    ask(public, schema, run=True)
    announce(*foreseen)
    noise = noise_of(seed)
    opened = records.reopened(public, may_be_empty=neighbours != "replace-one")
    with step("Counting"):
        found = describe_prepared(prepared, opened, noise, account=account, jobs=threads)
    if out is not None:
        keep(found, "description", out, overwrite=overwrite)
    page = written_report(found, report, account, name=out, overwrite=overwrite)
    made = [(path, made) for path, made in ((csv, partial(found.to_csv, for_spreadsheet=for_spreadsheet)), (plot, found.plot)) if path is not None]
    failure = written(*made, overwrite=overwrite) if made else None
    if failure is not None:
        csv = plot = None
    document, paid, checked = receipt(found.certificate, found.verify(), account)
    kept = labelled(("Written to", out), ("Table", csv), ("Pictures", plot), ("Report", page.path))
    return Outcome(
        document={**found.to_dict(), **document, "written": out, "csv": csv, "plot": plot, "report": page.path},
        lines=[*description_lines(found), *paid, *kept],
        checked=checked,
        lost=[(failure, "The numbers above are complete."), page.lost],
    )


def description_lines(found: "discreet.descriptions.Description") -> list[str]:
    """The table, and what its intervals are for."""
    tables = [line for part in found.parts for line in _pairs_of(found, part)]
    about = (
        f"Intervals    {100 * found.level:g} % each. Those of shares, means and quantiles are for the population and count noise and "
        f"sampling error; those of counts are for these {found.counted.lower()} and count noise alone"
    )
    return [*str(found).splitlines(), *tables, "", about]


def _pairs_of(found: "discreet.descriptions.Description", part: "discreet.descriptions.Part") -> list[str]:
    lines: list[str] = []
    for first, second in found.asked.pair_columns():
        rows = [["", *second.labels]]
        cells = part.pairs[first.name, second.name]
        rows += [
            [label, *(f"{one.count:,} ({one.low:,.0f} to {one.high:,.0f})" for one in row)] for label, row in zip(first.labels, cells, strict=True)
        ]
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        of_group = f", {found.asked.by} {part.name}" if part.name else ""
        lines += ["", f"{first.name} by {second.name}{of_group}"]
        lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return lines


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _pair(text: str) -> tuple[str, str]:
    first, colon, second = text.partition(":")
    if not (first and colon and second):
        raise usage_error(f"--pairs takes two columns with a colon between them, such as education:income; {text!r} was given")
    return first, second


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = None
    if share is None:
        raise usage_error(f"--quantiles takes numbers with commas between them, such as 0.25,0.5,0.75; {text!r} was given")
    return share
