"""Tables in files, as polars DataFrames: what reads a file follows from the ending of its name.

    .csv  .csv.gz  .txt   text, separated by commas         "-"   CSV from standard input
    .tsv                  text, separated by tabs           .parquet
    .xlsx                 the first sheet of a spreadsheet

A `Dialect` says where text is separated or encoded otherwise; a schema has one. Each kind of file has its reader, which is imported for it alone, and
only the header is read where only the header is needed. Every mistake in a file raises InvalidInput or one of its kinds (SchemaError,
FileFormatError) with the path and names of the schema; no message tells a cell, a row number or a count of rows, and none is chained to one that
does.
"""

import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.files.reading import NOT_ORDINARY
from discreet.core.files.whole_file import reason_of
from discreet.core.frameless import frameless
from discreet.core.lazily import lazily
from discreet.data.dialect import Dialect, recognised

if TYPE_CHECKING:
    import polars as pl

    from discreet.data import csv_text, parquet_file, sheet_file
else:
    csv_text, parquet_file, sheet_file = lazily("discreet.data.csv_text"), lazily("discreet.data.parquet_file"), lazily("discreet.data.sheet_file")


@frameless
def read_table(path: str | Path, columns: Sequence[str], dialect: Dialect | None = None) -> "pl.DataFrame":
    """`columns` of the table, in this order; all text from CSV, which the schema then converts. Other columns are not kept.

    `dialect` is `schema.file`; None is CSV in UTF-8. Raises InvalidInput where there is no such file, FileFormatError where it is empty, damaged,
    ragged, not of this encoding or of another kind than its name says, SchemaError where a column is absent or there twice.
    """
    name, reader = _checked(path)
    return reader.table(name, columns, Dialect() if dialect is None else dialect)


@frameless
def read_header(path: str | Path, dialect: Dialect | None = None) -> list[str]:
    """The column names of the table; no record is interpreted. Columns without a name are left out. Raises as `read_table` does."""
    name, reader = _checked(path)
    return reader.header(name, Dialect() if dialect is None else dialect)


@frameless
def dialect_of(path: str | Path) -> Dialect:
    """The dialect that the first line of the table shows, and nothing after it; the usual one of a file that is no text. Raises as `read_table`."""
    name, reader = _checked(path)
    return recognised(csv_text.csv_start(name), separator=reader.separator) if reader.separator else Dialect()


class Reader(NamedTuple):
    """How files of a kind are read."""

    header: Callable[[str, Dialect], list[str]]
    table: "Callable[[str, Sequence[str], Dialect], pl.DataFrame]"
    separator: str = ""
    """Of a text, where its dialect says nothing; "" for what is none."""


def _text(separator: str) -> Reader:
    def said(dialect: Dialect) -> dict[str, str]:
        return {"separator": dialect.separator or separator, "encoding": dialect.encoding}

    return Reader(
        lambda path, dialect: csv_text.csv_header(path, **said(dialect)),
        lambda path, columns, dialect: csv_text.csv_table(path, columns, **said(dialect)),
        separator,
    )


READERS = {
    ".csv": _text(","),
    ".csv.gz": _text(","),
    ".txt": _text(","),
    ".tsv": _text("\t"),
    ".xlsx": Reader(
        lambda path, _: sheet_file.xlsx_header(path),
        lambda path, columns, dialect: sheet_file.xlsx_table(path, columns, decimal=dialect.decimal),
    ),
    ".parquet": Reader(lambda path, _: parquet_file.parquet_header(path), lambda path, columns, _: parquet_file.parquet_table(path, columns)),
}
"""By the ending of a file's name. The same cells give the same table, whatever file they are in (`tests/data/test_same_table.py`)."""


def _checked(path: str | Path) -> tuple[str, Reader]:
    """The path as text and what reads it."""
    name = str(path)
    if name == "-":
        return name, READERS[".csv"]
    file = Path(name)
    try:
        stated = file.stat()
        empty, directory, ordinary = stated.st_size == 0, stat.S_ISDIR(stated.st_mode), stat.S_ISREG(stated.st_mode)
    except FileNotFoundError:
        refusal = InvalidInput(f"there is no file {name!r}. Check the path.")
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"{name!r} cannot be opened ({reason_of(error)}). A readable file is needed.")
    else:
        reader = next((READERS[known] for known in READERS if name.lower().endswith(known)), None)
        if directory:
            refusal = InvalidInput(f"{name!r} is a directory. Give the path of one file in it.")
        elif not ordinary:
            refusal = InvalidInput(f"{name!r} is {NOT_ORDINARY}. To read a table through a pipe, give - and pipe it into the command.")
        elif reader is None:
            *first, last = READERS
            refusal = InvalidInput(f"the name of a table must end in {', '.join(first)} or {last}; {name!r} was given. Rename or convert the file.")
        elif empty:
            refusal = FileFormatError(f"{name!r} is empty. A table with a header is needed.")
        else:
            return name, reader
    raise refusal
