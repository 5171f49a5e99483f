"""CSV text holds what it was given, and no formula where it is for a spreadsheet."""

import csv
import io
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.core.comma_separated import comma_separated

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
"""The letters of which formulas are made come often enough."""
TABLES = st.lists(st.lists(st.one_of(CELLS, st.text("=+-@1'\t\", \r\n")), min_size=2, max_size=2))


def read(text):
    return list(csv.reader(io.StringIO(text, newline="")))


@given(TABLES)
def test_what_was_written_is_read_back(rows):
    assert read(comma_separated(rows)) == rows


@given(TABLES)
def test_for_a_spreadsheet_no_text_but_a_number_begins_as_a_formula_does_and_nothing_else_is_changed(rows):
    for cells, written in zip(rows, read(comma_separated(rows, for_spreadsheet=True)), strict=True):
        for cell, one in zip(cells, written, strict=True):
            assert one in (cell, f"'{cell}")
            if one.startswith(("=", "+", "-", "@", "\t", "\r")):
                float(one)
            assert one == cell or cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_nothing_else_in_the_package_writes_csv():
    source = Path(discreet.__file__).parent
    writers = {path.name for path in source.rglob("*.py") if any(word in path.read_text(encoding="utf-8") for word in ("csv.writer", "DictWriter"))}
    assert writers == {"comma_separated.py"}
