"""The first sheet of a spreadsheet reads as the CSV file of the same cells; what cannot be read is refused, and nothing of it is told."""

import re
import zipfile
from datetime import datetime

import numpy as np
import pytest

from discreet import Schema
from discreet.core.errors import FileFormatError, InvalidInput, SchemaError
from discreet.data import DateColumn, Dialect, NumberTarget, NumericColumn, dialect_of, read_header, read_table, sheet_file
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
        ([["X", "y"], [1, 2]], SchemaError, "spells them differently"),
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


def again(source, path, change):
    """The spreadsheet with another text of its first sheet."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name).decode()
            new.writestr(name, change(text) if name.endswith("sheet1.xml") else text)
    return path


def with_cell(place, row, inside="<v>1</v>"):
    """What adds a row with one cell."""
    return lambda text: text.replace("</sheetData>", f'<row r="{row}"><c r="{place}{row}">{inside}</c></row></sheetData>')


def test_a_stray_cell_at_the_end_of_a_sheet_is_refused_and_an_empty_one_is_not(tmp_path):
    path = write_xlsx(tmp_path / "t.xlsx", [["x", "y"], [1, 2]])
    far = again(path, tmp_path / "far.xlsx", with_cell("XFD", 1048576))
    for read in (read_header, lambda name: read_table(name, ["x"])):
        with pytest.raises(FileFormatError, match="a cell so far from the others that its sheet spans more than 100,000,000 cells"):
            read(far)
    empty = again(
        path, tmp_path / "empty.xlsx", lambda text: text.replace("</sheetData>", '<row r="1048576"><c r="XFD1048576" s="1"/></row></sheetData>')
    )
    assert read_table(empty, ["x"]).rows() == [("1",)]


@pytest.mark.parametrize(("rows", "fits"), [(50_000_000, True), (50_000_001, False)])
def test_the_limit_is_the_rectangle_and_not_the_number_of_cells(tmp_path, rows, fits):
    path = again(write_xlsx(tmp_path / "t.xlsx", [["x", "y"], [1, 2]]), tmp_path / "u.xlsx", with_cell("B", rows))
    assert sheet_file._fits(str(path)) is fits


@pytest.mark.parametrize("piece", [7, 64, 1 << 20])
def test_places_are_read_wherever_a_piece_of_the_file_ends(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(sheet_file, "_PIECE", piece)
    path = write_xlsx(tmp_path / "t.xlsx", ROWS)
    with zipfile.ZipFile(path) as file, file.open("xl/worksheets/sheet1.xml") as stream:
        assert sheet_file._span(stream) == 5 * 5


@pytest.mark.parametrize("serial", ["-5", "-1e9", "1e9", "2958466", "1e300", "0.5"])
def test_a_number_of_no_date_in_a_cell_that_is_formatted_as_one_is_refused_by_a_column_of_dates(tmp_path, serial):
    path = write_xlsx(tmp_path / "t.xlsx", [["day", "y"], [DAY, 1], [NOON, 2]])
    wild = again(path, tmp_path / "u.xlsx", lambda text: re.sub(r"<v>329\d\d\.0</v>", f"<v>{serial}</v>", text))
    day = DateColumn(name="day", lower="1800-01-01", upper="2100-01-01", outside="clip")
    schema = Schema(name="t", target=NumberTarget(column="y", lower=0, upper=10), date=(day,))
    assert schema.encode(read_table(path, ["day", "y"]), target=True).rows.shape[0] == 2
    with pytest.raises(InvalidInput) as refused:
        schema.encode(read_table(wild, ["day", "y"]), target=True)
    assert serial not in str(refused.value)


def test_rows_of_nothing_but_errors_are_skipped_as_empty_ones_are(tmp_path):
    path = write_xlsx(tmp_path / "t.xlsx", [["x", "y"], ["#N/A", "#N/A"], [1, 2], ["#N/A", 3]])
    assert read_table(path, ["x", "y"]).rows() == [("1", "2"), ("", "3")]
