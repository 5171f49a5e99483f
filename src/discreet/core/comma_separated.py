"""Tables as CSV text: every text as it is, since programs read it back; or, where people open the file in a spreadsheet, none of them a formula.

A spreadsheet computes a cell that begins with =, +, - or @ (or with a blank that it skips before one), though it is in quotes: a label of a table can
so become a program on its reader's machine. `for_spreadsheet` puts an apostrophe before it, which changes the text: a class + is then written '+.
"""

import csv
from collections.abc import Iterable, Sequence
from types import SimpleNamespace

_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r")


def comma_separated(rows: Iterable[Sequence[object]], *, for_spreadsheet: bool = False) -> str:
    """A line for each row; None is an empty cell."""
    lines: list[str] = []
    # The writer quotes what holds a character of its line's end: older ones leave a lone \r bare otherwise, which readers take for an end.
    writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
    writer.writerows([as_cell(cell) if for_spreadsheet and isinstance(cell, str) else cell for cell in row] for row in rows)
    return "".join(f"{line[:-2]}\n" for line in lines)


def as_cell(text: str) -> str:
    """The text for a spreadsheet: what would be a formula begins with an apostrophe, unless it is a number."""
    if not text.startswith(_BEGINNINGS):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
