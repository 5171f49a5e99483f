"""With a rule for every cell no table is refused for one of them, and nothing is printed; the exceptions are those that docs/schema.md names."""

import polars as pl
import pytest

from discreet import Schema
from discreet.core.errors import InvalidInput
from discreet.data import read_table, schema_files
from tests.odd_cells import ODD_CELLS, SHEET, TYPED, Odd, odd_cell, odd_pair, write_table

RULED = """
format = "discreet-schema/1"
name = "ruled"
missing_values = ["?"]
[file]
unreadable = "missing"
[target]
column = "class"
classes = ["no", "yes"]
other = "no"
missing = "yes"
[person]
column = "person"
rows = 2
[numeric.number]
lower = 0
upper = 10
outside = "clip"
missing = 3
[date.day]
lower = "1990-01-01"
upper = "2030-01-01"
outside = "clip"
missing = "2000-01-01"
[categorical.label]
categories = ["north", "7", true]
other = "north"
missing = "7"
"""
NUMBER = RULED.replace('classes = ["no", "yes"]\nother = "no"\nmissing = "yes"', 'lower = 0\nupper = 1\noutside = "clip"\nmissing = 1')
COLUMNS = {
    "class": ["no", "yes", "no", "yes"],
    "person": ["1", "2", "1", "3"],
    "number": [1.5, 2, 3, 4],
    "day": ["1990-01-31", "2001-01-01", "2020-12-31", "2001-01-01"],
    "label": ["north", "7", "true", "7"],
}
NO_ID = {"", " ", "\t", "\x00", "\n" * 500, "nothing", "number nan"}
UNREAD = {"empty", "no text", "formula alone", "no such text", "no number of a text", "neither true nor false", "unknown type"}


def missing_id(odd):
    """Whether it is no id: empty, or what cannot be read."""
    if odd.suffix == ".xlsx" and odd.name in SHEET:
        return odd.name in UNREAD or odd.name.startswith("error ") or odd.name.endswith((" nan", " many", " "))
    return odd.name in NO_ID or (odd.suffix == ".xlsx" and odd.name.startswith("#"))


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_a_table_of_odd_cells_alone_is_read_where_every_rule_is_declared(tmp_path, capfd, suffix):
    cells = [odd for odd in ODD_CELLS if odd.suffix == suffix and not (suffix == ".parquet" and odd.name in TYPED)]
    for schema in (Schema.from_toml(RULED), Schema.from_toml(NUMBER)):
        column = [odd_cell(odd) for odd in cells]
        path = write_table(tmp_path / f"t{suffix}", {**dict.fromkeys(COLUMNS, column), "person": ["1"] * len(cells)})
        assert schema.encode(read_table(path, schema.columns(target=True), schema.file), target=True).rows.shape[0] == len(cells)
        ids = [cell for odd, cell in zip(cells, column, strict=True) if not missing_id(odd)]
        path = write_table(tmp_path / f"t{suffix}", {**dict.fromkeys(COLUMNS, ids), "person": ids})
        assert len(schema.encode(read_table(path, schema.columns(target=True), schema.file), target=True).persons) == len(ids)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", TYPED)
def test_a_typed_cell_is_read_in_every_column_where_every_rule_is_declared(name, capfd):
    written, kind, cell = TYPED[name]
    column = pl.Series([False if written == pl.Boolean else 1, cell], dtype=written).cast(kind)
    ids = [1, 2] if missing_id(Odd(".parquet", name)) else column
    for text in (RULED, NUMBER):
        frame = pl.DataFrame({**dict.fromkeys(COLUMNS, column), "person": ids})
        assert len(Schema.from_toml(text).encode(frame, target=True).persons) == 2
    assert capfd.readouterr() == ("", "")


@pytest.mark.more
@pytest.mark.parametrize("column", [*COLUMNS, "number to learn"])
@pytest.mark.parametrize("suffix", [".parquet", *(pytest.param(each, marks=pytest.mark.slow) for each in (".csv", ".xlsx"))])
def test_no_cell_is_refused_where_every_rule_is_declared(tmp_path, capfd, suffix, column):
    schema = Schema.from_toml(NUMBER if column == "number to learn" else RULED)
    name = "class" if column == "number to learn" else column
    for odd in ODD_CELLS:
        if odd.suffix != suffix:
            continue
        for path in odd_pair(tmp_path, odd, COLUMNS, name):
            refused = ""
            try:
                encoded = schema.encode(read_table(path, schema.columns(target=True), schema.file), target=True)
            except InvalidInput as refusal:
                refused = str(refusal)
            expected = column == "person" and path.stem == "second" and missing_id(odd)
            assert bool(refused) is expected, (odd, refused)
            assert "person id" in refused or encoded.rows.shape[0] == 4
            if suffix == ".parquet":
                assert said_of_blocks(path, schema) == refused
    assert capfd.readouterr() == ("", "")


def said_of_blocks(path, schema):
    """The refusal of the same table in blocks."""
    try:
        assert sum(schema_files(path, schema).map(lambda _, block: block.rows.shape[0], 1)) == 4
    except InvalidInput as refusal:
        return str(refusal)
    return ""
