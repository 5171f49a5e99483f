"""`discreet inspect`: what a released folder is, and its numbers as a CSV file. Nothing is spent."""

from typing import TYPE_CHECKING, Annotated

import discreet
from discreet.cli.artefacts import read_artefact
from discreet.cli.options import ARGUMENT, File, ForSpreadsheet, check_spreadsheet, command, usage_error
from discreet.cli.output import Outcome, check_output, labelled, styled, within, written
from discreet.core.comma_separated import as_cell
from discreet.core.errors import quietly
from discreet.core.files.reading import is_folder
from discreet.core.lazily import lazily

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")


@command(
    "Show what a release protects and how to use it.",
    "discreet inspect noisy",
    "discreet inspect noisy --csv rows.csv --within-bounds --decimals age=0,income=-2",
    "discreet inspect noisy --json",
)
def inspect(
    *,
    folder: Annotated[File, ARGUMENT],
    csv: Annotated[File | None, "Write the released numbers to this CSV file, in the columns' own units."] = None,
    within_bounds: Annotated[
        bool, "With --csv: move numbers beyond the public bounds of their column to the nearest bound, so that no age is negative."
    ] = False,
    decimals: Annotated[str | None, "With --csv: round columns to this many decimals: NAME=PLACES, separated by commas."] = None,
    for_spreadsheet: ForSpreadsheet = False,
    overwrite: Annotated[bool, "Overwrite this file if it exists."] = False,
) -> Outcome:
    """Print what the release in FOLDER is, what it protects and does not, and how to use it. To check it, use `discreet verify`.

    Rounded or clipped rows are for reading only. Learn from the release itself: clipped noise does not average out.
    """
    check_spreadsheet("--csv", csv, asked=for_spreadsheet)
    check_output(csv, overwrite=overwrite)
    if csv is not None and within(csv, folder):
        raise usage_error("--csv names a file inside the release, which must not change. Choose a path outside it")
    places = _places(decimals)
    if csv is None and (within_bounds or places):
        raise usage_error("--within-bounds and --decimals change the numbers that --csv writes: add --csv FILE")
    found = read_artefact(folder).value if is_folder(folder) else discreet.releases.read_release(folder)
    failure = None
    if csv is not None:
        if not isinstance(found, discreet.releases.SyntheticTable):
            rows = found.frame(within_bounds=within_bounds, decimals=places)
        elif within_bounds or places:
            raise usage_error(
                f"{folder!r} is a synthetic table, whose rows have the columns' own types and bounds. Leave --within-bounds and --decimals out"
            )
        else:
            rows = found.long_frame()
        failure = written((csv, (_without_formulas(rows) if for_spreadsheet else rows).write_csv), overwrite=overwrite)
    lines: list[str] = []
    for title, said in found.inspection():
        mark = "" if title.startswith("How") else "- "
        lines += [styled(title), *(f"  {mark}{line}" for line in said), ""]
    kept = None if failure is not None else csv
    document = {"release": folder, **found.inspection_record(), "certificate": found.certificate.to_dict(), "csv": kept}
    lines += [*labelled(("Rows", kept))] if kept is not None else []
    lost = [(failure, "The output above is complete.")]
    return Outcome(document=document, lines=[*lines, f"Check it with: discreet verify {folder}"], lost=lost)


def _without_formulas(rows: "pl.DataFrame") -> "pl.DataFrame":
    """The rows with texts, and names of columns, that are no formulas to a spreadsheet."""
    texts = rows.select(pl.selectors.string()).columns
    return rows.with_columns(pl.col(texts).map_elements(as_cell, return_dtype=pl.String)).rename(as_cell)


def _places(text: str | None) -> dict[str, int]:
    """The number of digits that --decimals asks for."""
    refusal = usage_error("--decimals needs NAME=PLACES, separated by commas, such as age=0,income=-2")
    pairs = [] if text is None else [one.rpartition("=") for one in text.split(",")]
    return quietly(lambda: {name.strip(): int(places) for name, _, places in pairs}, refusal)
