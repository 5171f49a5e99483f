"""Cells that no schema expects, as data: what one record may hold in a file of every kind, for laws over tables that differ in it."""

import csv
import gzip
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tests.fuzz.mutations import CELLS
from tests.sheets import Xml, write_xlsx

TEXTS = [
    *CELLS,
    "7.0", "07", "-0.0", "9007199254740993", "12345678901234567890", "1e16", "7.5", "1e300", "TRUE", "+1e5", "infinity", "NaN", "-nan", "1e-400",
    "#N/A", "#SPILL!", "1990-01-31", "1990-01-31T12:30", "1990-01-31 12:30:00.5+02:00", "0001-01-01", "9999-12-31", "0000-00-00", "10000-01-01",
    "+262142-12-31", "-262143-01-01", "262143-12-31T23:59:59", "1990-02-30", "1990-01-31T24:00:00", "1990-01-31T23:59:60", "31.12.1990", "12:30",
    "1990-01-31T12:30:00.123456789123Z", "\U0010ffff", "\ufeff", "\u2028", "a\x85b", "x" * 131_073, "1" * 200_000, "\n" * 500, "a\r\nb", "\x1a",
]  # fmt: skip
"""In a file of any kind."""
_DAYS, _MOMENTS = (-(2**31), 2**31 - 1, 2_932_897, -719_163, -719_162, 0), (-(2**63) + 1, 2**63 - 1, 8_210_266_876_800_000_000, 0)
TYPED: dict[str, tuple[Any, Any, Any]] = {
    **{f"date {day}": (pl.Int32, pl.Date, day) for day in _DAYS},
    **{
        f"moment {moment} {unit} {zone}": (pl.Int64, pl.Datetime(unit, zone), moment)
        for moment in _MOMENTS
        for unit in ("ms", "us", "ns")
        for zone in (None, "UTC", "Europe/Paris")
    },
    **{f"time {moment}": (pl.Int64, pl.Time, moment) for moment in (0, 86_399_999_999_999)},
    **{f"number {number}": (pl.Float64, pl.Float64, number) for number in (float("nan"), float("inf"), -1e308, 1e300, 2.0**53, 7.5, -0.0, 5e-324)},
    "long integer": (pl.Int64, pl.Int64, -(2**63)),
    "longest integer": (pl.UInt64, pl.UInt64, 2**64 - 1),
    "true": (pl.Boolean, pl.Boolean, True),
    "single precision": (pl.Float32, pl.Float32, 3.0000000541904577e38),
    "nothing": (pl.Float64, pl.Float64, None),
}
"""In a Parquet file: as what a cell is written, the type of its column, and the cell."""
SHEET = {
    **{f"error {said}": f'<c t="e"><v>{said}</v></c>' for said in ("#N/A", "#SPILL!", "#BUSY!", "#CALC!", "", "nothing of the kind")},
    **{
        f"{kind} {number}": f'<c s="{style}"><v>{number}</v></c>'
        for style, kind in enumerate(("number", "date", "time", "hours"))
        for number in ("-1", "0", "0.5", "1.5", "60", "2958465", "2958466", "1e12", "1e15", "-1e300", "1e400", "nan", "many", "", "12345678901234567")
    },
    "no such text": '<c t="s"><v>123456</v></c>',
    "no number of a text": '<c t="s"><v>x</v></c>',
    "true": '<c t="b"><v>1</v></c>',
    "neither true nor false": '<c t="b"><v>7</v></c>',
    "text of a date": '<c t="d"><v>1990-01-31T00:00:00</v></c>',
    "text of no date": '<c t="d"><v>yesterday</v></c>',
    "text of a formula": '<c t="str"><f>A1</f><v>north</v></c>',
    "formula alone": "<c><f>A1</f></c>",
    "unknown type": '<c t="x"><v>1</v></c>',
    "unknown style": '<c s="999"><v>1</v></c>',
    "empty": "<c/>",
    "no text": '<c t="inlineStr"/>',
    "written text": '<c t="inlineStr"><is><r><t>no</t></r><r><t>rth</t></r><rPh><t>reading</t></rPh></is></c>',
}
"""In a spreadsheet, as it is stored."""


class Odd(NamedTuple):
    """A cell of a file of one kind."""

    suffix: str
    name: str

    def __str__(self) -> str:
        """As a test is named."""
        return f"{self.suffix} {self.name[:40]!r}"


ODD_CELLS = [
    *(Odd(suffix, text) for suffix in (".csv", ".parquet", ".xlsx") for text in TEXTS),
    *(Odd(".parquet", name) for name in TYPED),
    *(Odd(".xlsx", name) for name in SHEET),
]


def odd_pair(folder: Path, odd: Odd, columns: dict[str, list[Any]], column: str) -> tuple[Path, Path]:
    """Two files of a table, alike but for the last cell of `column`, which is odd in the second one; both columns are of one type."""
    first, second = dict(columns), dict(columns)
    if odd.suffix == ".parquet" and odd.name in TYPED:
        written, kind, cell = TYPED[odd.name]
        usual = [False if written == pl.Boolean else 1] * len(columns[column])
        first[column] = pl.Series(usual, dtype=written).cast(kind)
        second[column] = pl.Series([*usual[:-1], cell], dtype=written).cast(kind)
    else:
        texts = [text_of(cell) for cell in columns[column]]
        first[column], second[column] = texts, [*texts[:-1], odd_cell(odd)]
    paths = folder / f"first{odd.suffix}", folder / f"second{odd.suffix}"
    for path, table in zip(paths, (first, second), strict=True):
        write_table(path, table)
    return paths


def odd_cell(odd: Odd) -> str:
    """What is written of one that is no typed cell."""
    return Xml(SHEET[odd.name]) if odd.suffix == ".xlsx" and odd.name in SHEET else odd.name


def text_of(cell: Any) -> str:
    """The text of a cell, as people write it into a text file."""
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case datetime():
            return cell.isoformat() if cell.time() != time() else cell.date().isoformat()
        case date() | time():
            return cell.isoformat()
        case float():
            return str(int(cell)) if cell.is_integer() else repr(cell)
        case _:
            return str(cell)


def write_table(path: Path, columns: dict[str, Any]) -> Path:
    """Columns of cells, or of polars in a Parquet file, written as the name of the file says."""
    suffix = next(one for one in sorted(WRITERS, key=len, reverse=True) if path.name.endswith(one))
    WRITERS[suffix](path, columns)
    return path


def _text(path: Path, columns: dict[str, Any], *, separator: str = ",") -> None:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, delimiter=separator, lineterminator="\n")
        lines.writerow(columns)
        lines.writerows(zip(*([text_of(cell) for cell in column] for column in columns.values()), strict=True))


def _frame(columns: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame([cells.alias(name) if isinstance(cells, pl.Series) else pl.Series(name, cells) for name, cells in columns.items()])


WRITERS = {
    ".csv": _text,
    ".csv.gz": _text,
    ".txt": _text,
    ".tsv": lambda path, columns: _text(path, columns, separator="\t"),
    ".parquet": lambda path, columns: _frame(columns).write_parquet(path),
    ".arrow": lambda path, columns: _frame(columns).write_ipc(path),
    ".xlsx": lambda path, columns: write_xlsx(path, [list(columns), *map(list, zip(*columns.values(), strict=True))]),
}
"""How a table is written for each reader."""
