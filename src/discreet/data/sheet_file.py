"""Spreadsheets (.xlsx): the first sheet, as the text of its cells, each by itself.

    text                          as it is
    number                        its shortest decimal text, 3 and 0.5, with the mark of fractions that the schema's [file] says
    date, moment                  1990-01-31, 1990-01-31T12:30:00
    true, false                   true, false
    empty, an error (#N/A)        missing
    formula                       the value that was stored with it

So a sheet reads as the CSV file of the same cells, whatever stands beside them: no column is given a type by looking at it, and rows without any text
are skipped as empty lines are. Cells are read by `calamine`; a panic of it would print to standard error, which is closed to it meanwhile. It holds
the whole rectangle between the first cell and the last: a file with a cell so far away that the memory does not suffice for it ends the process, as a
damaged Parquet file may, and nothing in Python can catch that.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import time, timedelta
from typing import TYPE_CHECKING, TypeVar

from discreet.core.errors import FileFormatError, InvalidInput, quietly
from discreet.data.csv_text import columns_of, header_of
from discreet.data.frames import cell_text
from discreet.data.parquet_file import silent

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")


def xlsx_header(path: str) -> list[str]:
    """The names in the first row that is not empty, columns without a name left out. Raises as `csv_header`, InvalidInput without calamine."""
    return _reading(path, ".", lambda lines: header_of(lines, path))


def xlsx_table(path: str, columns: Sequence[str], *, decimal: str) -> "pl.DataFrame":
    """`columns` as text, whose numbers have the mark `decimal`. Raises as `csv_table`, InvalidInput without calamine."""
    return _reading(path, decimal, lambda lines: columns_of(lines, path, columns))


def _reading(path: str, decimal: str, action: Callable[[Iterator[list[str]]], T]) -> T:
    damaged = FileFormatError(f"{path!r} is no readable spreadsheet: it is damaged, locked by a password, or not what its name says. Save it again.")
    try:
        from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra
    except ImportError:
        raise InvalidInput(f"{path!r} is a spreadsheet, which needs calamine: pip install discreet[xlsx]. Or save it as CSV.") from None

    def read() -> T:
        with CalamineWorkbook.from_path(path) as book:
            sheet = book.get_sheet_by_index(0)
            rows = sheet.iter_rows() if sheet.height else iter(())  # older releases panic at an empty one
            return action([_text(cell, decimal) for cell in row] if any(cell != "" for cell in row) else [] for row in rows)

    with silent():
        return quietly(read, damaged)


def _text(cell: object, decimal: str) -> str:
    if isinstance(cell, time | timedelta):
        return str(cell)
    text = cell_text(cell) or ""
    return text.replace(".", decimal) if isinstance(cell, float) else text
