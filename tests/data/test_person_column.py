"""Whose rows are whose, as a schema says it: read, written, refused, and brought by the tables that it encodes."""

from dataclasses import replace

import pandas as pd
import polars as pl
import pytest

from discreet.core.errors import InvalidInput, SchemaError
from discreet.core.neighbours import Persons
from discreet.data import Schema, schema_files
from discreet.data.person_column import PersonColumn
from tests.canary import CANARY, assert_carries_nothing
from tests.schemas import schema_text

SILENT = schema_text("visits", "ill", {"age": (0, 120)}, missing_values=["?"])
ONE = SILENT.replace('name = "visits"', 'name = "visits"\nrows_per_person = 1')
SEVERAL = SILENT + '[person]\ncolumn = "patient id"\nrows = 7\n'
TABLE = {"age": [30, 40, 50, 60], "ill": ["no", "yes", "no", "yes"], "patient id": ["b", "a", "b", "7"]}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (SILENT, None),
        (ONE, Persons(rows=1, weight="declared")),
        (SEVERAL, Persons(rows=7)),
        (SEVERAL + 'weight = "row"\n', Persons(rows=7, weight="row")),
        (SEVERAL.replace("rows = 7", "rows = 1"), Persons(rows=1)),
    ],
    ids=["silent", "one", "several", "by rows", "one told apart"],
)
def test_what_is_said_is_a_rule_and_written_as_it_was_read(text, rule):
    schema = Schema.from_toml(text)
    assert schema.persons == rule
    assert Schema.from_toml(schema.to_toml()) == schema == Schema.from_dict(schema.to_dict())
    assert Schema.from_toml(schema.to_toml()).persons == rule


def test_a_schema_that_says_nothing_is_written_as_before():
    assert not {"person", "rows_per_person"} & Schema.from_toml(SILENT).to_dict().keys()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ONE + '[person]\ncolumn = "patient id"\nrows = 7\n', r"rows_per_person = 1 says that each person has one row, and \[person\]"),
        (ONE.replace("person = 1", "person = 7"), r"can only be 1.*7 was given.*add a table \[person\]"),
        (ONE.replace("person = 1", "person = true"), "can only be 1"),
        (SEVERAL.replace("patient id", "age"), "'age' holds the person ids, but is a feature or the target too"),
        (SEVERAL.replace("patient id", "ill"), "'ill' holds the person ids, but is a feature or the target too"),
        (SEVERAL.replace("rows = 7", "rows = 7.5"), "whole number from 1 to 1048576; 7.5 was given"),
        (SEVERAL.replace("rows = 7", "rows = 0"), "whole number from 1 to 1048576; 0 was given"),
        (SEVERAL.replace("rows = 7", 'rows = "FILL IN"'), "person.rows"),
        (SEVERAL.replace("rows = 7", ""), r"person: \"rows\" is missing|person: 'rows' is missing"),
        (SEVERAL + 'weight = "declared"\n', 'weight must be "person"'),
        (SEVERAL + "most = 3\n", "unknown key 'most'"),
        (SEVERAL.replace('"patient id"', "3"), "person: column"),
        (SEVERAL.replace('[person]\ncolumn = "patient id"\nrows = 7\n', "[[person]]\n"), "person must be a table"),
    ],
)
def test_what_is_no_declaration_is_refused(text, says):
    with pytest.raises(SchemaError, match=says):
        Schema.from_toml(text)


def test_an_encoded_table_brings_the_rule_and_the_ids():
    several, one, silent = map(Schema.from_toml, (SEVERAL, ONE, SILENT))
    table = several.encode(TABLE, target=True)
    assert table.persons.to_list() == ["b", "a", "b", "7"]
    assert table.rule == Persons(rows=7)
    assert one.encode(TABLE, target=True).rule == Persons(rows=1, weight="declared")
    assert one.encode(TABLE, target=True).persons is None
    assert silent.encode(TABLE, target=True).rule is None
    assert several.encode(pd.DataFrame(TABLE), target=True).persons.to_list() == table.persons.to_list()
    assert "7" not in repr(table)


def test_predictions_need_no_ids():
    schema = Schema.from_toml(SEVERAL)
    without = {name: cells for name, cells in TABLE.items() if name != "patient id"}
    assert schema.columns(target=False) == ("age",)
    assert schema.columns(target=True) == ("age", "ill", "patient id")
    assert schema.columns(target=False, persons=True) == ("age", "patient id")
    assert schema.encode(without, target=False).persons is None
    assert schema.encode(without, target=True, persons=False).rule is None
    with pytest.raises(SchemaError, match="lacks the columns 'patient id'"):
        schema.encode(without, target=True)


@pytest.mark.parametrize("missing", [None, "", "?"])
def test_a_missing_id_is_refused_without_a_cell(missing):
    table = TABLE | {"patient id": [str(CANARY), "a", missing, "b"]}
    with pytest.raises(InvalidInput, match="a person id is missing") as caught:
        Schema.from_toml(SEVERAL).encode(table, target=True)
    assert_carries_nothing(caught.value)


def test_files_in_blocks_bring_both(tmp_path):
    path = tmp_path / "visits.parquet"
    pl.DataFrame(TABLE).write_parquet(path)
    schema = Schema.from_toml(SEVERAL)
    table = schema_files(path, schema)
    assert table.rule == Persons(rows=7)
    assert [ids for block in table.map(lambda _, block: block.persons.to_list(), 1) for ids in block] == TABLE["patient id"]
    without = schema_files(path, schema, persons=False)
    assert without.rule is None
    assert list(without.map(lambda _, block: block.persons, 1)) == [None]
    assert schema_files(path, Schema.from_toml(ONE)).rule == Persons(rows=1, weight="declared")
    pl.DataFrame(TABLE).drop("patient id").write_parquet(path)
    with pytest.raises(SchemaError, match="patient id"):
        schema_files(path, schema)


def test_a_column_is_checked_where_it_is_made_in_python():
    with pytest.raises(SchemaError, match="whole number"):
        PersonColumn(column="id", rows=True)
    with pytest.raises(SchemaError, match="rows_per_person = 1 says that each person has one"):
        replace(Schema.from_toml(SEVERAL), rows_per_person=1)
