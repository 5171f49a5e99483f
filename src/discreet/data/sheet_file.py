"""Spreadsheets (.xlsx): the first sheet, as the text of its cells, each by itself.

    text                          as it is
    number                        its shortest decimal text, 3 and 0.5, with the mark of fractions that the schema's [file] says
    date, moment, time            1990-01-31, 1990-01-31T12:30:00, 12:30:00; hours that were counted 26:30:00
    true, false                   true, false
    empty, an error (#N/A)        missing
    formula                       the value that was stored with it
    anything else                 UNREADABLE (module `labels`)

So a sheet reads as the CSV file of the same cells, whatever stands beside them: no column is given a type by looking at it. A cell that is formatted
as a date and holds a number of no date, negative or beyond the year 9999, is that number, and a column of dates refuses it.

Names are in the first row with a text, up to the last name. Every row behind it is a record, up to the last one that the file stores: those without a
cell, or of errors alone, and those that are left out between two others. Whether a row counts is a matter of where it is, and never of what it holds.
A stray row at the end of a sheet would make records of all before it: one more than `FARTHEST` behind another is refused, and so is a table of
more than `MOST_CELLS`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from zipfile import ZipFile

from discreet.core.errors import FileFormatError, quietly
from discreet.data.csv_text import columns_of, header_of
from discreet.data.frames import cell_text
from discreet.data.labels import BLANKS, UNREADABLE
from discreet.data.workbook import Attributes, Malformed, Runs, Workbook, unescaped

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
FARTHEST = 10_000
"""Rows from one that is stored to the next."""
MOST_CELLS = 100_000_000
"""Between the names and the last row."""
_LETTERS = re.compile("[A-Z]{1,3}")
_ROW = re.compile(r"[1-9][0-9]{0,8}")
_WHOLE = re.compile(r"-?[0-9]{1,300}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DAY_0, _LEAP = datetime.fromisoformat("1899-12-30"), 60
"""Day 60 is the 29th of February 1900, which there was not; before it days are a day later."""
_DAYS, _FROM_1904 = 2_958_466, 1_462
_DAY_MS = 86_400_000
_TRUTHS = {"1": "true", "true": "true", "0": "false", "false": "false", "": ""}


def xlsx_header(path: str) -> list[str]:
    """The names in the first row that is not empty, columns without a name left out. Raises as `csv_header`."""
    return _reading(path, ".", lambda lines: header_of(lines, path))


def xlsx_table(path: str, columns: Sequence[str], *, decimal: str) -> "pl.DataFrame":
    """`columns` as text, whose numbers have the mark `decimal`. Raises as `csv_table`."""
    return _reading(path, decimal, lambda lines: columns_of(lines, path, columns))


def _reading(path: str, decimal: str, action: Callable[[Iterator[list[str]]], T]) -> T:
    damaged = FileFormatError(
        f"{path!r} cannot be read as a spreadsheet: it is damaged, protected by a password, or not what its name says. Save it again."
    )
    too_large = FileFormatError(
        f"{path!r} has a row more than {FARTHEST:,} rows below the one before it, or more than {MOST_CELLS:,} cells. Every row down to the last one "
        "is a record: delete stray rows below the table, or save it as CSV."
    )

    def read() -> T:
        with ZipFile(path) as file:
            book = Workbook(file, size=Path(path).stat().st_size, path=path)
            return action(_lines(_Cells(book, decimal).rows(), too_large))

    return quietly(read, damaged)


def _lines(rows: Iterator[tuple[int, dict[int, str]]], too_large: FileFormatError) -> Iterator[list[str]]:
    """The names, then the cells of every row below them."""
    top = last = width = 0
    for number, cells in rows:
        if not width:
            width = 1 + max((place for place, text in cells.items() if text.strip(BLANKS)), default=-1)
            if not width:
                continue
            top = number
        else:
            if number - last > FARTHEST or (number - top) * width > MOST_CELLS:
                raise too_large
            for _ in range(last + 1, number):
                yield [""] * width
        yield [cells.get(place, "") for place in range(width)]
        last = number


class _Cells:
    """The texts of cells, while elements are read."""

    __slots__ = ("_book", "_cell", "_cells", "_columns", "_decimal", "_done", "_formats", "_inside", "_last", "_row", "_runs", "_texts", "_value")

    def __init__(self, book: Workbook, decimal: str) -> None:
        """Read what cells refer to."""
        self._book, self._decimal = book, decimal
        self._texts = book.texts()
        self._formats = {str(style): kind for style, kind in enumerate(book.formats()) if kind}
        self._runs = Runs()
        self._columns: dict[str, int] = {}
        self._done: list[tuple[int, dict[int, str]]] = []
        self._cells: dict[int, str] = {}
        self._inside, self._row, self._last = False, 0, -1
        self._cell: Attributes = {}
        self._value = ""

    def rows(self) -> Iterator[tuple[int, dict[int, str]]]:
        """The number of every row that is stored, and the texts of its cells by the numbers of their columns."""
        opened = {"sheetData": self._begin, "row": self._row_begins, "c": self._cell_begins, **self._runs.opened}
        closed = {"sheetData": self._end, "row": self._row_ends, "c": self._cell_ends, "v": self._keep, **self._runs.closed}
        for _ in self._book.rows(opened, closed):
            yield from self._done
            self._done.clear()

    def _begin(self, _: Attributes) -> None:
        self._inside = True

    def _end(self, _: str) -> None:
        self._inside = False

    def _row_begins(self, said: Attributes) -> None:
        if not self._inside:
            return
        given = said.get("r")
        if given is not None and not _ROW.fullmatch(given):
            raise Malformed
        number = self._row + 1 if given is None else int(given)
        if number <= self._row:
            raise Malformed
        self._row, self._last, self._cells = number, -1, {}

    def _row_ends(self, _: str) -> None:
        if self._inside:
            self._done.append((self._row, self._cells))

    def _cell_begins(self, said: Attributes) -> None:
        self._cell, self._value = said, ""
        self._runs.clear()

    def _keep(self, text: str) -> None:
        self._value = text

    def _cell_ends(self, _: str) -> None:
        if not self._inside:
            return
        given = self._cell.get("r")
        self._last = self._last + 1 if given is None else self._column(given.rstrip("0123456789"))
        self._cells[self._last] = self._text()

    def _column(self, letters: str) -> int:
        """0 of A, 26 of AA."""
        known = self._columns.get(letters)
        if known is None:
            if not _LETTERS.fullmatch(letters):
                raise Malformed
            known = -1
            for letter in letters:
                known = 26 * (known + 1) + ord(letter) - 65
            self._columns[letters] = known
        return known

    def _text(self) -> str:  # noqa: PLR0911 - one line a type
        """Of the cell that ends."""
        value = self._value
        match self._cell.get("t", "n"):
            case "n":
                return self._number(value)
            case "s":
                return self._texts[int(value)] if value.isdecimal() and len(value) < 10 and int(value) < len(self._texts) else UNREADABLE
            case "inlineStr":
                return self._runs.taken()
            case "str":
                return unescaped(value)
            case "b":
                return _TRUTHS.get(value, UNREADABLE)
            case "d":
                return value.removesuffix("T00:00:00")
            case "e":
                return ""
            case _:
                return UNREADABLE

    def _number(self, value: str) -> str:
        """A number that is formatted as a date, a time or hours is one, where there is one."""
        kind = self._formats.get(self._cell.get("s", "0"))
        if _WHOLE.fullmatch(value):
            return (kind and self._moment(int(value), kind)) or str(int(value))
        if not _NUMBER.fullmatch(value):
            return value and UNREADABLE
        number = float(value)
        return (kind and self._moment(number, kind)) or (str(int(number)) if number.is_integer() else repr(number).replace(".", self._decimal))

    def _moment(self, number: float, kind: str) -> str | None:
        """None where it is none."""
        if not 0 <= number < _DAYS:
            return None
        milliseconds = round(number * _DAY_MS)
        if kind == "hours":
            minutes, seconds = divmod(milliseconds // 1_000, 60)
            return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
        days, rest = divmod(milliseconds, _DAY_MS)
        if self._book.from_1904:
            days += _FROM_1904
        elif days < _LEAP:
            days += 1
        if days >= _DAYS:
            return None
        moment = _DAY_0 + timedelta(days=days, milliseconds=rest)
        return cell_text(moment.time() if number < 1 else moment)
