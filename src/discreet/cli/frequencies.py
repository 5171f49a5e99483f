"""`discreet frequencies`: how common each category is, from reports that owners randomised themselves. Nothing is spent."""

from typing import Annotated

import discreet
from discreet.cli.inputs import lines_in
from discreet.cli.options import ARGUMENT, File, ForSpreadsheet, Option, SchemaFile, check_spreadsheet, command
from discreet.cli.output import Outcome, check_output, check_report, labelled, step, table, written
from discreet.core.comma_separated import comma_separated
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.whole_file import reason_of


@command(
    "Estimate shares of categories from randomised records.",
    "discreet randomise transport=bike happy=yes --schema answers.toml --epsilon 1 --delta 0 >> answers.jsonl",
    "discreet frequencies answers.jsonl --schema answers.toml",
    "discreet frequencies answers.jsonl --schema answers.toml --level 0.99 --csv shares.csv --report shares.html",
    "discreet frequencies answers.jsonl --schema answers.toml --delta 1e-6 --shuffle 9000",
)
def frequencies(
    *,
    lines: Annotated[File, ARGUMENT],
    schema: SchemaFile,
    level: Annotated[float, "Coverage of each interval."] = 0.95,
    delta: Annotated[
        float | None, "Also print the guarantee against people who see these shares but not the lines: a smaller epsilon, at this delta."
    ] = None,
    shuffle: Annotated[int | None, "With --delta: rely on this many owners having answered as asked.  [default: all]"] = None,
    csv: Annotated[File | None, "Write the table to this CSV file."] = None,
    for_spreadsheet: ForSpreadsheet = False,
    report: Annotated[File | None, Option(metavar="PAGE", help="Also write a page that explains the result: HTML, or Markdown (.md).")] = None,
    overwrite: Annotated[bool, "Overwrite these files if they exist."] = False,
) -> Outcome:
    """Print the share of each category among the persons who answered, and an interval for the population they come from.

    LINES is a file of lines of `discreet randomise --delta 0`, one per person, or - for standard input. The known noise is taken out of the counts,
    and the intervals hold however few answered. If one line is damaged or could not have come from an owner, the file is refused; no line is left
    out silently. Nothing is spent: each owner spent when answering.
    """
    with step("Checking what can be checked without the lines"):
        from discreet.consumers import frequencies as counted

        public = discreet.Schema.load(schema)
        check_spreadsheet("--csv", csv, asked=for_spreadsheet)
        check_output(csv, lines, schema, overwrite=overwrite)
        check_report(report, lines, schema, csv, overwrite=overwrite)
    with step("Counting"):
        reports = _read(lines, public)
        found = counted(reports, level=level)
    if shuffle is not None and delta is None:
        raise InvalidInput("--shuffle counts reports that hide each other, which needs --delta, above 0. Give it, or leave --shuffle out.")
    together = None if delta is None else reports.in_secret_order(delta=delta, shuffled=shuffle)
    promised = _promised(together, shuffle or len(reports))
    rows = [row for one in found.values() for row in one.rows()]
    number = len(reports)
    lined: list[list[object]] = [list(rows[0]), *(list(row.values()) for row in rows)]
    failure = written((csv, lambda: comma_separated(lined, for_spreadsheet=for_spreadsheet)), overwrite=overwrite) if csv is not None else None
    if report is not None:
        from discreet.display.frequencies import page
        from discreet.display.reports import write_page

        write_page(page(found, name=public.name, promised=promised), report, overwrite=overwrite)
    shown = [("", "Share", f"{100 * level:g} % interval")]
    for name, one in found.items():
        shown.append((name, "", ""))
        shown += [(f"  {row['category']}", f"{row['share']:.3f}", f"{row['lower']:.3f} to {row['upper']:.3f}") for row in one.rows()]
    first, *others = (max(len(row[place]) for row in shown) + 2 for place in range(3))
    about = "of the population, one at a time; they count noise and sampling error"
    return Outcome(
        document={
            "reports": number,
            "guarantee": None if together is None else together.to_dict(),
            "level": level,
            "shares": rows,
            "csv": None if failure is not None else csv,
            "report": report,
        },
        lines=[
            *map(str.rstrip, table([-first, *others], *shown)),
            "",
            *labelled(
                ("Reports", f"{number:,}"),
                ("Privacy", promised),
                ("Intervals", about),
                ("Table", None if failure is not None else csv),
                ("Report", report),
            ),
        ],
        lost=[(failure, "The numbers above are complete.")],
    )


def _promised(together: "discreet.accounting.ApproximateDP | None", count: int) -> str | None:
    if together is None:
        return None
    said = f"of each owner, from whoever sees these shares and not the lines: epsilon = {together.epsilon:.4g}, delta = {together.delta_at_epsilon:g}"
    return f"{said}, replace-one; counted on {count:,} owners who answered as asked"


def _read(lines: str, schema: "discreet.Schema") -> "discreet.releases.Reports":
    try:
        with lines_in(lines) as found:
            return discreet.releases.read_reports(found, schema)
    except FileFormatError as error:
        refusal: InvalidInput = FileFormatError(f"{lines!r} cannot be counted: {error}")
    except (OSError, UnicodeDecodeError) as error:
        needed = "A file of lines from `discreet randomise --delta 0` is needed."
        refusal = InvalidInput(f"{lines!r} cannot be read ({reason_of(error)}). {needed}")
    raise refusal
