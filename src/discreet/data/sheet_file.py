"""Spreadsheets (.xlsx): the first sheet, as the text of its cells, each by itself.

    text                          as it is
    number                        its shortest decimal text, 3 and 0.5, with the mark of fractions that the schema's [file] says
    date, moment                  1990-01-31, 1990-01-31T12:30:00
    true, false                   true, false
    empty, an error (#N/A)        missing
    formula                       the value that was stored with it

So a sheet reads as the CSV file of the same cells, whatever stands beside them: no column is given a type by looking at it, and rows without text,
those of errors alone too, are skipped as empty lines are. A cell that is formatted as a date and holds a number of no date, negative or
beyond the year 9999, is no date here either, and a column of dates refuses it.

Cells are read by `calamine`; a panic of it would print to standard error, which is closed to it meanwhile. It holds the whole rectangle between the
first cell and the last, so a stray cell at the end of a sheet would need more memory than there is, and end the process. Where the cells of each
sheet lie is therefore read first, a piece at a time, and a rectangle of more than `MOST_CELLS` is refused.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import time, timedelta
from typing import IO, TYPE_CHECKING, TypeVar
from zipfile import ZipFile

from discreet.core.errors import FileFormatError, InvalidInput, quietly
from discreet.data.csv_text import columns_of, header_of
from discreet.data.frames import cell_text
from discreet.data.parquet_file import silent

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
MOST_CELLS = 100_000_000
"""Of the rectangle between the first cell of a sheet and the last, about 3 GB while it is read."""
_PIECE = 1 << 20
_FILLED = re.compile(rb'<(?:\w+:)?c\s(?:[^>]*\s)?r="([A-Z]{1,3})([0-9]{1,9})"[^>]*(?<!/)>')
"""A cell that is not empty, with its place."""


def xlsx_header(path: str) -> list[str]:
    """The names in the first row that is not empty, columns without a name left out. Raises as `csv_header`, InvalidInput without calamine."""
    return _reading(path, ".", lambda lines: header_of(lines, path))


def xlsx_table(path: str, columns: Sequence[str], *, decimal: str) -> "pl.DataFrame":
    """`columns` as text, whose numbers have the mark `decimal`. Raises as `csv_table`, InvalidInput without calamine."""
    return _reading(path, decimal, lambda lines: columns_of(lines, path, columns))


def _reading(path: str, decimal: str, action: Callable[[Iterator[list[str]]], T]) -> T:
    damaged = FileFormatError(
        f"{path!r} cannot be read as a spreadsheet: it is damaged, protected by a password, or not what its name says. Save it again."
    )
    too_large = FileFormatError(
        f"{path!r} has a cell so far from the others that its sheet spans more than {MOST_CELLS:,} cells. Delete the stray cells, or save it as CSV."
    )
    try:
        from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidInput(f"{path!r} is a spreadsheet. To read it, pip install discreet[xlsx], or save it as CSV.") from None

    def read() -> T:
        if not _fits(path):
            raise too_large
        with CalamineWorkbook.from_path(path) as book:
            sheet = book.get_sheet_by_index(0)
            rows = sheet.iter_rows() if sheet.height else iter(())  # older releases panic at an empty one
            return action([_text(cell, decimal) for cell in row] if any(cell != "" for cell in row) else [] for row in rows)

    with silent():
        return quietly(read, damaged)


def _fits(path: str) -> bool:
    """Whether no sheet is too large to be held."""
    with ZipFile(path) as file:
        names = [name for name in file.namelist() if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name, re.IGNORECASE)]
        return all(_span(stream) <= MOST_CELLS for stream in map(file.open, names))


def _span(stream: IO[bytes]) -> int:
    """Cells of the rectangle between the first and the last that are filled."""
    columns: set[bytes] = set()
    low, high, rest = 1 << 30, 0, b""
    with stream:
        while piece := stream.read(_PIECE):
            text = rest + piece
            found = _FILLED.findall(text)
            columns.update(column for column, _ in found)
            rows = [int(row) for _, row in found]
            low, high = min(low, *rows, low), max(high, *rows, high)
            rest = text[text.rfind(b"<") :]
    places = [_number(column) for column in columns]
    return (high - low + 1) * (max(places) - min(places) + 1) if places else 0


def _number(column: bytes) -> int:
    """Of a column: 1 of A, 27 of AA."""
    number = 0
    for letter in column:
        number = 26 * number + letter - 64
    return number


def _text(cell: object, decimal: str) -> str:
    if isinstance(cell, time | timedelta):
        return str(cell)
    text = cell_text(cell) or ""
    return text.replace(".", decimal) if isinstance(cell, float) else text
