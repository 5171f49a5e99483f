"""The first sheet of a spreadsheet reads as the CSV file of the same cells; what cannot be read is refused, and nothing of it is told."""

import re
import zipfile
from datetime import datetime

import numpy as np
import pytest

from discreet import Schema
from discreet.core.errors import FileFormatError, InvalidInput, SchemaError
from discreet.data import DateColumn, Dialect, NumberTarget, NumericColumn, dialect_of, read_header, read_table, sheet_file, workbook
from discreet.data.labels import UNREADABLE
from tests.canary import CANARY, assert_silent
from tests.sheets import write_xlsx

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
        ("", "", "", ""),
        ("12345678", "007", "31.01.1990", ""),
    ]
    assert read_table(path, ["number"]).get_column("number").to_list() == ["0.125", "1e-07", "", "12345678"]


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


def rows_of(text):
    """What puts these rows behind the others of a sheet."""
    return lambda sheet: sheet.replace("</sheetData>", f"{text}</sheetData>")


@pytest.mark.parametrize("inside", ["", '<c r="XFD{row}" s="1"/>', '<c r="A{row}"><v>1</v></c>'], ids=["nothing", "an empty cell", "a number"])
def test_a_stray_row_far_below_the_others_is_refused_whatever_it_holds(tmp_path, inside):
    path = write_xlsx(tmp_path / "t.xlsx", [["x", "y"], [1, 2]])
    for row, fits in ((2 + sheet_file.FARTHEST, True), (3 + sheet_file.FARTHEST, False)):
        stray = again(path, tmp_path / "u.xlsx", rows_of(f'<row r="{row}">{inside.format(row=row)}</row>'))
        assert read_header(stray) == ["x", "y"]
        if fits:
            assert read_table(stray, ["y"]).rows() == [("2",), *[("",)] * sheet_file.FARTHEST]
        else:
            with pytest.raises(FileFormatError, match="a row more than 10,000 rows below the one before it"):
                read_table(stray, ["x"])


def test_a_table_of_more_cells_than_may_be_held_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sheet_file, "MOST_CELLS", 4)
    assert read_table(write_xlsx(tmp_path / "t.xlsx", [["x", "y"], [1, 2], [3, 4]]), ["x"]).height == 2
    with pytest.raises(FileFormatError, match="or more than 4 cells"):
        read_table(write_xlsx(tmp_path / "u.xlsx", [["x", "y"], [1, 2], [3, 4], [5, 6]]), ["x"])


@pytest.mark.parametrize("piece", [7, 64, 1 << 20])
def test_cells_are_read_wherever_a_piece_of_the_file_ends(tmp_path, monkeypatch, piece):
    path = write_xlsx(tmp_path / "t.xlsx", ROWS)
    whole = read_table(path, ["number", "mixed", "day", "flag"]).rows()
    monkeypatch.setattr(workbook, "_PIECE", piece)
    assert read_table(path, ["number", "mixed", "day", "flag"]).rows() == whole


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


def test_a_row_is_a_record_whatever_it_holds(tmp_path):
    """Empty or of errors, in the beginning, between others and at the end; left out of the file between two that are stored, too."""
    path = write_xlsx(tmp_path / "t.xlsx", [[], [None, ""], ["x", "y"], [], ["#N/A", "#N/A"], [1, 2], ["#N/A", 3], [], [None, "  "]])
    rows = [("", ""), ("", ""), ("1", "2"), ("", "3"), ("", ""), ("", "  ")]
    assert read_table(path, ["x", "y"]).rows() == rows
    without = again(path, tmp_path / "u.xlsx", lambda text: re.sub(r'<row r="[148]"></row>', "", text))
    assert read_table(without, ["x", "y"]).rows() == rows
    unnumbered = again(path, tmp_path / "v.xlsx", lambda text: re.sub(r'<row r="\d+"', "<row", text))
    assert read_table(unnumbered, ["x", "y"]).rows() == rows


SHARED = (
    '<sst><si><t>x</t></si><si><r><t>no</t></r><r><t>r_x0074_h</t></r><rPh><t>said</t></rPh></si><si/><si><t xml:space="preserve"> y </t></si></sst>'
)


def packed(path, parts):
    """A spreadsheet, some of whose parts are these."""
    write_xlsx(path, [["x", "y"], [1, 2]])
    with zipfile.ZipFile(path) as old:
        kept = {name: old.read(name) for name in old.namelist()}
    relations = kept["xl/_rels/workbook.xml.rels"].decode()
    kind = "http://purl.oclc.org/ooxml/officeDocument/relationships/sharedStrings"
    texts = f'<Relationship Id="rId9" Type="{kind}" Target="/xl/Texts.xml"/></Relationships>'
    kept["xl/_rels/workbook.xml.rels"] = relations.replace("</Relationships>", texts)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in {**kept, "xl/texts.xml": SHARED, **parts}.items():
            new.writestr(name, content)
    return path


def test_texts_that_cells_share_are_read_without_how_they_are_pronounced(tmp_path):
    cells = "".join(f'<c r="A{2 + text}" t="s"><v>{text}</v></c>'.join((f'<row r="{2 + text}">', "</row>")) for text in range(5))
    sheet = f'<x:worksheet xmlns:x="u"><x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c></x:row>{cells}</x:sheetData></x:worksheet>'
    path = packed(tmp_path / "t.xlsx", {"xl/worksheets/sheet1.xml": sheet.encode("utf-16")})
    assert read_table(path, ["x"])["x"].to_list() == ["x", "north", "", " y ", UNREADABLE]


FORMATS = {
    "yyyy\\-mm": "moment",
    "[h]:mm": "hours",
    '0" days"': "",
    "[Red]0.0": "",
    "General": "",
    "0;d": "",
    "0_d": "",
    "#,##0\\ [$d-407]": "",
    "[$-409]h AM/PM": "moment",
}


def test_formats_of_dates_and_times_are_known_by_their_letters():
    assert {code: workbook._kind_of(code) for code in FORMATS} == FORMATS


def test_days_are_counted_from_1900_with_a_day_too_many_or_from_1904(tmp_path):
    days = ["1", "59", "61", "1462", "32904.5208333333"]
    sheet = "".join(f'<row><c s="1"><v>{day}</v></c></row>' for day in days)
    table = f'<worksheet><sheetData><row><c t="str"><v>x</v></c></row>{sheet}</sheetData></worksheet>'
    read = {}
    for first in ("1900", "1904"):
        path = packed(tmp_path / f"{first}.xlsx", {"xl/worksheets/sheet1.xml": table})
        if first == "1904":
            again(path, tmp_path / "b.xlsx", str)
            with zipfile.ZipFile(path) as file:
                book = file.read("xl/workbook.xml").decode().replace("<sheets>", '<workbookPr date1904="1"/><sheets>')
            path = packed(path, {"xl/worksheets/sheet1.xml": table, "xl/workbook.xml": book})
        read[first] = read_table(path, ["x"])["x"].to_list()
    assert read["1900"] == ["1900-01-01", "1900-02-28", "1900-03-01", "1904-01-01", "1990-01-31T12:30:00"]
    assert read["1904"] == ["1904-01-02", "1904-02-29", "1904-03-02", "1908-01-02", "1994-02-01T12:30:00"]


HEAD = '<worksheet><sheetData><row r="1"><c t="str"><v>x</v></c></row>'
WRONG = {
    "a tag that never ends": {"xl/worksheets/sheet1.xml": f"{HEAD}<c a='{'a' * (3 << 20)}'/></sheetData></worksheet>"},
    "tags without an end": {"xl/worksheets/sheet1.xml": HEAD + "<c " * 1_000_000},
    "elements without end": {"xl/worksheets/sheet1.xml": HEAD + "<a>" * 100 + "</a>" * 100 + "</sheetData></worksheet>"},
    "entities": {"xl/worksheets/sheet1.xml": f'<!DOCTYPE a [<!ENTITY b "{CANARY}">]>{HEAD}</sheetData></worksheet>'},
    "rows in another order": {"xl/worksheets/sheet1.xml": f'{HEAD}<row r="3"/><row r="2"/></sheetData></worksheet>'},
    "a row of no number": {"xl/worksheets/sheet1.xml": f'{HEAD}<row r="0"/></sheetData></worksheet>'},
    "a cell of no column": {"xl/worksheets/sheet1.xml": f'{HEAD}<row><c r="AAAA1"/></row></sheetData></worksheet>'},
    "no sheet": {"xl/workbook.xml": "<workbook/>"},
    "half a sheet": {"xl/worksheets/sheet1.xml": HEAD},
}


@pytest.mark.parametrize("parts", WRONG.values(), ids=WRONG)
def test_what_no_spreadsheet_is_is_refused_at_once(tmp_path, parts):
    path = packed(tmp_path / "t.xlsx", parts)
    with pytest.raises(FileFormatError, match="cannot be read as a spreadsheet") as refused:
        read_table(path, ["x"])
    assert_silent(refused.value)
    assert refused.value.__context__ is None


@pytest.mark.parametrize("part", ["xl/texts.xml", "xl/styles.xml", "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"])
def test_a_part_that_unpacks_to_more_than_it_may_is_refused(tmp_path, monkeypatch, part):
    """By the hundredfold of what is packed, or by what is allowed in all."""
    bomb = "<a>" + " <b/> " * (1 << 16) + "</a>"
    path = packed(tmp_path / "t.xlsx", {part: bomb})
    for largest in ({"sheet": 1 << 32, "texts": 1 << 32, "part": 1 << 16}, dict.fromkeys(workbook.LARGEST, 1 << 16)):
        monkeypatch.setattr(workbook, "LARGEST", largest)
        with pytest.raises(FileFormatError, match="unpacks to more than a spreadsheet may"):
            read_table(path, ["x"])
