"""The first sheet of a spreadsheet reads as the CSV file of the same cells; what cannot be read is refused, and nothing of it is told."""

from datetime import datetime

import numpy as np
import pytest

from discreet import Schema
from discreet.core.errors import FileFormatError, InvalidInput, SchemaError
from discreet.data import Dialect, NumberTarget, NumericColumn, dialect_of, read_header, read_table
from tests.canary import CANARY, assert_silent
from tests.sheets import write_xlsx

pytest.importorskip("python_calamine")
DAY, NOON = map(datetime.fromisoformat, ("1990-01-31", "1990-01-31T12:30"))
ROWS = [
    [None, None],
    [None, " mixed ", "day", "flag", "number", ""],
    [None, "a", DAY, True, 0.125, "beside"],
    [None, 3.0, NOON, False, 1e-7],
    [None, None, None, None, None],
    [None, "007", "31.01.1990", "#N/A", 12345678, NOON],
]


def test_every_cell_is_the_text_that_a_csv_file_would_hold(tmp_path):
    path = write_xlsx(tmp_path / "T.XLSX", ROWS, second=[["other"], ["x"]])
    assert read_header(path) == ["mixed", "day", "flag", "number"]
    assert dialect_of(path) == Dialect()
    table = read_table(path, ["number", "mixed", "day", "flag"], Dialect(decimal=",", separator=";", encoding="cp1252"))
    assert table.columns == ["number", "mixed", "day", "flag"]
    assert table.rows() == [
        ("0,125", "a", "1990-01-31", "true"),
        ("1e-07", "3", "1990-01-31T12:30:00", "false"),
        ("12345678", "007", "31.01.1990", ""),
    ]
    assert read_table(path, ["number"]).get_column("number").to_list() == ["0.125", "1e-07", "12345678"]


@pytest.mark.parametrize(("decimal", "text"), [(".", "2.5"), (",", "2,5")])
def test_numbers_are_numbers_however_texts_write_theirs(tmp_path, decimal, text):
    path = write_xlsx(tmp_path / "t.xlsx", [["x", "y"], [2.5, 1], [text, 2]])
    schema = Schema(
        name="t",
        file=Dialect(decimal=decimal),
        target=NumberTarget(column="y", lower=0, upper=10),
        numeric=(NumericColumn(name="x", lower=0, upper=10),),
        rows="bound",
    )
    rows = schema.encode(read_table(path, ["x", "y"], schema.file), target=True).rows
    assert rows.rmatvec(np.eye(2)).tolist() == [[0.25, 0.25]]


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([], FileFormatError, "is empty"),
        ([["a"], [1]], SchemaError, "lacks the columns 'x'"),
        ([["X", "y"], [1, 2]], SchemaError, "another spelling"),
        ([["x", "x"], [1, 2]], SchemaError, "more than one column"),
        ([[CANARY, "y"], [1, 2]], SchemaError, "looks like a record"),
    ],
)
def test_what_no_table_is_is_refused_as_in_text(tmp_path, rows, error, words):
    path = write_xlsx(tmp_path / "t.xlsx", rows)
    with pytest.raises(error, match=words) as caught:
        read_table(path, ["x"])
    assert_silent(caught.value)


def test_a_damaged_file_is_refused_in_one_sentence_whatever_it_holds(tmp_path, capfd):
    whole = write_xlsx(tmp_path / "t.xlsx", [["x"], [CANARY]]).read_bytes()
    said = set()
    for damaged in (b"x,y\n1,2\n", whole[: len(whole) // 2], whole.replace(b"</row>", b"</rxw>")):
        (tmp_path / "t.xlsx").write_bytes(damaged)
        with pytest.raises(InvalidInput) as caught:
            read_table(tmp_path / "t.xlsx", ["x"])
        assert_silent(caught.value)
        said.add(str(caught.value))
    assert len(said) == 1
    assert capfd.readouterr() == ("", "")
