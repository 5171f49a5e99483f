"""Reading tables from files: only the columns that a schema names, and only the header where only the header is needed.

    .csv  .csv.gz  .txt   text, separated by commas         "-"   CSV from standard input
    .tsv                  text, separated by tabs           .parquet
    .xlsx                 the first sheet of a spreadsheet

A `Dialect` says where text is separated or encoded otherwise; a schema has one.

Every mistake raises InvalidInput or one of its kinds (SchemaError, FileFormatError) with the path and names of the schema; no message tells a cell,
a row number or a count of rows, and none is chained to a message that does.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.core.errors import FileFormatError, InvalidInput, frameless
from discreet.core.lazily import lazily
from discreet.data.csv_text import csv_header, csv_start, csv_table
from discreet.data.dialect import Dialect, recognised
from discreet.data.parquet_file import parquet_header, parquet_table
from discreet.data.sheet_file import xlsx_header, xlsx_table

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

_SEPARATORS = {".csv": ",", ".csv.gz": ",", ".txt": ",", ".tsv": "\t"}
_PARQUET = ".parquet"
_XLSX = ".xlsx"


@frameless
def read_table(path: str | Path, columns: Sequence[str], dialect: Dialect | None = None) -> "pl.DataFrame":
    """`columns` of the table, in this order; all text from CSV, which the schema then converts. Other columns are not kept.

    `dialect` is `schema.file`; None is CSV in UTF-8. Raises InvalidInput where there is no such file, FileFormatError where it is empty, damaged,
    ragged, not of this encoding or of another kind than its name says, SchemaError where a column is absent or there twice.
    """
    name, suffix = _checked(path)
    if suffix == _XLSX:
        return xlsx_table(name, columns, decimal="." if dialect is None else dialect.decimal)
    return parquet_table(name, columns) if suffix == _PARQUET else csv_table(name, columns, **_text(suffix, dialect))


@frameless
def read_header(path: str | Path, dialect: Dialect | None = None) -> list[str]:
    """The column names of the table; no record is interpreted. Columns without a name are left out. Raises as `read_table` does."""
    name, suffix = _checked(path)
    if suffix == _XLSX:
        return xlsx_header(name)
    return parquet_header(name) if suffix == _PARQUET else csv_header(name, **_text(suffix, dialect))


@frameless
def dialect_of(path: str | Path) -> Dialect:
    """The dialect that the first line of the table shows, and nothing after it; the usual one of a file that is no text. Raises as `read_table`."""
    name, suffix = _checked(path)
    return Dialect() if suffix in (_PARQUET, _XLSX) else recognised(csv_start(name), separator=_SEPARATORS[suffix])


def _text(suffix: str, dialect: Dialect | None) -> dict[str, str]:
    written = Dialect() if dialect is None else dialect
    return {"separator": written.separator or _SEPARATORS[suffix], "encoding": written.encoding}


def _checked(path: str | Path) -> tuple[str, str]:
    """The path as text and the suffix that says how to read it."""
    name = str(path)
    if name == "-":
        return name, ".csv"
    file = Path(name)
    try:
        empty = file.stat().st_size == 0
        directory = file.is_dir()
    except FileNotFoundError:
        refusal = InvalidInput(f"there is no file {name!r}. Check the path.")
    except (OSError, ValueError) as error:
        refusal = InvalidInput(f"{name!r} cannot be opened ({type(error).__name__}). A readable file is needed.")
    else:
        suffix = next((known for known in (*_SEPARATORS, _PARQUET, _XLSX) if name.lower().endswith(known)), None)
        if directory:
            refusal = InvalidInput(f"{name!r} is a directory. Give the path of one file in it.")
        elif suffix is None:
            refusal = InvalidInput(
                f"the name of a table must end in .csv, .csv.gz, .txt, .tsv, .xlsx or .parquet; {name!r} was given. Rename or convert the file."
            )
        elif empty:
            refusal = FileFormatError(f"{name!r} is empty. A table with a header is needed.")
        else:
            return name, suffix
    raise refusal
