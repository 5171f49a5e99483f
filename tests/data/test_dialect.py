"""Tables as people have them: other separators, encodings, marks of numbers, orders of dates, capitals and aliases."""

import gzip
import io
import sys
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import FileFormatError, InvalidInput, SchemaError
from discreet.data import CategoricalColumn, DateColumn, Dialect, NumericColumn, Schema, Target, dialect_of, read_header, read_table
from discreet.data.cells import bounded_days, bounded_numbers, encode_labels
from discreet.data.dialect import recognised
from discreet.data.draft import schema_stub
from discreet.data.encodings import Bins, Curve
from discreet.data.persons import person_codes
from tests.canary import CANARY

NAMES = ["Größe", "Aufnahme", "Geschlecht", "krank"]
ROWS = [["1.153,7", "31.12.2018", "MÄNNLICH", "Ja"], ["-2", "1.2.2019", "w", "nein"]]
SCHEMA = Schema(
    name="patienten",
    file=Dialect(separator=";", encoding="cp1252", decimal=",", thousands=".", dates="day.month.year", ignore_case=True, unreadable="missing"),
    target=Target(column="krank", classes=("nein", "ja")),
    numeric=(NumericColumn(name="Größe", lower=-2, upper=2000),),
    date=(DateColumn(name="Aufnahme", lower="2018-01-01", upper="2020-12-31"),),
    categorical=(CategoricalColumn(name="Geschlecht", categories=("weiblich", "männlich"), aliases={"w": "weiblich"}),),
)


def written(path, *, separator=";", encoding="cp1252", rows=ROWS, line="\r\n"):
    text = line.join(separator.join(row) for row in [NAMES, *rows]) + line
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_a_table_of_a_german_spreadsheet_is_the_table_that_it_means(tmp_path):
    frame = read_table(written(tmp_path / "p.csv"), SCHEMA.columns(target=True), SCHEMA.file)
    usual = {"Größe": ["1153.7", "-2"], "Aufnahme": ["2018-12-31", "2019-02-01"], "Geschlecht": ["männlich", "weiblich"], "krank": ["ja", "nein"]}
    plain = Schema.from_dict({key: value for key, value in SCHEMA.to_dict().items() if key != "file"})
    found, meant = SCHEMA.encode(frame, target=True), plain.encode(usual, target=True)
    assert np.array_equal(found.rows.rmatvec(np.eye(2)), meant.rows.rmatvec(np.eye(2)))
    assert found.signs.tolist() == meant.signs.tolist() == [1.0, -1.0]
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA == Schema.from_dict(SCHEMA.to_dict())


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz", "p.tsv"])
def test_a_header_shows_its_separator_and_its_encoding(tmp_path, separator, encoding, name):
    path = written(tmp_path / name, separator=separator, encoding=encoding, rows=[["1", "2", "3", "4"]])
    seen = dialect_of(path)
    assert read_header(path, seen) == NAMES
    assert read_table(path, NAMES, seen).rows() == [("1", "2", "3", "4")]
    assert seen.decimal == ("," if separator == ";" else ".")


def test_what_follows_the_first_line_shows_nothing(tmp_path):
    head = b"age,sex\n"
    (tmp_path / "a.csv").write_bytes(head + b"1,2\n")
    plain = dialect_of(tmp_path / "a.csv")
    assert plain == Dialect()
    for rest in (b"1;2;3;4;5;6\n", "ü;ü\n".encode("cp1252"), b"\xff\xfe\0\0", CANARY.__repr__().encode()):
        for line in (b"\n", b"\r\n", b"\r"):
            (tmp_path / "b.csv").write_bytes((head + rest).replace(b"\n", line))
            assert dialect_of(tmp_path / "b.csv") == plain


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_empty_lines_before_the_header_do_not_count(tmp_path, encoding):
    path = written(tmp_path / "p.csv", encoding=encoding)
    path.write_bytes(path.read_bytes().decode(encoding).join(["\r\n \n", ""]).encode(encoding))
    assert dialect_of(path).separator == ";"
    path.write_bytes("\n\r\n".encode(encoding))
    assert dialect_of(path) == Dialect(encoding=dialect_of(path).encoding)


def test_a_header_that_is_cut_within_a_character_is_read_as_it_is(monkeypatch):
    """Of standard input a few thousand bytes can be looked at before they are read."""
    content = f"{';'.join(f'ü{place}' for place in range(4_000))}\n1;2\n".encode()
    for missing in (0, 1):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"a" * missing + content), 5_001)))
        assert dialect_of("-") == Dialect(separator=";", decimal=",")
    assert recognised(content[:5_001], separator=",") == recognised(content[:5_000], separator=",") == Dialect(separator=";", decimal=",")
    assert recognised(b"\xfc;b\n", separator=",").encoding == "cp1252"


@pytest.mark.parametrize("record", ["x;1,5;y", "1.234,5;x;y", '"1,234.5";x;y'])
def test_a_record_whose_numbers_have_other_marks_does_not_pass_for_names(tmp_path, record):
    (tmp_path / "a.csv").write_text(f"{record}\n{record}\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="looks like a record"):
        read_header(tmp_path / "a.csv", dialect_of(tmp_path / "a.csv"))


def test_marks_within_quotes_separate_nothing(tmp_path):
    (tmp_path / "a.csv").write_text('"a;b;c;d",e\n1,2\n', encoding="utf-8")
    assert read_header(tmp_path / "a.csv", dialect_of(tmp_path / "a.csv")) == ["a;b;c;d", "e"]


def test_a_stub_says_how_its_file_is_written_and_is_filled_in_where_it_is():
    seen = Dialect(separator=";", encoding="cp1252", decimal=",")
    stub = schema_stub(["age", "ill"], name="p", target="ill", file=seen)
    filled = stub.replace('classes = ["FILL IN", "FILL IN"]', 'classes = ["no", "yes"]').partition("[numeric.age]")[0]
    text = filled.replace("# rows_per_person = 1", "rows_per_person = 1") + "[numeric.age]\nlower = 0\nupper = 99\n"
    found = Schema.from_toml(text)
    assert found.file == seen
    assert found.rows_per_person == 1
    assert Schema.from_toml(text.replace('[file]\nseparator = ";"\nencoding = "cp1252"\ndecimal = ","\n', "")).file == Dialect()


NUMBER = NumericColumn(name="x", lower=-1e9, upper=1e9)


@given(st.decimals(min_value=-(10**8), max_value=10**8, places=3), st.sampled_from([(",", "."), (".", ","), (",", ""), (",", "'"), (".", " ")]))
def test_a_number_is_read_as_it_was_written(number, marks):
    decimal, thousands = marks
    text = f"{number:,.3f}".replace(",", "T").replace(".", decimal).replace("T", thousands)
    found = bounded_numbers(pl.Series([text]), NUMBER, dialect=Dialect(decimal=decimal, thousands=thousands))
    assert found.tolist() == [float(number)]


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (Dialect(decimal=","), "1.5"),
        (Dialect(decimal=","), "1.234,5"),
        (Dialect(decimal=",", thousands="."), "1.5"),
        (Dialect(decimal=",", thousands="."), "12.34,5"),
        (Dialect(decimal=",", thousands="."), "1,5,5"),
        (Dialect(decimal=",", thousands="."), "0.123"),
        (Dialect(thousands=","), "1,5"),
        (Dialect(), "1,5"),
    ],
)
def test_a_number_that_is_written_otherwise_is_refused_and_never_guessed(dialect, text):
    with pytest.raises(InvalidInput, match=r"must hold numbers") as refusal:
        bounded_numbers(pl.Series([text]), NUMBER, dialect=dialect)
    assert text not in str(refusal.value).replace("1.234,5", "").replace("1,234.5", "").replace("1234,5", "")
    assert ('thousands = "."' in str(refusal.value)) == (dialect.decimal == "," and not dialect.thousands)


def test_missing_texts_are_those_of_the_file():
    dialect = Dialect(decimal=",", missing=("-9,5", "k.A."))
    found = bounded_numbers(
        pl.Series(["-9,5", "k.A.", "", "-9.5" if dialect.decimal == "." else "9,5"]),
        NumericColumn(name="x", lower=0, upper=10, missing=4),
        dialect=dialect,
    )
    assert found.tolist() == [4.0, 4.0, 4.0, 9.5]


def test_missing_texts_are_compared_as_labels_are():
    number, label = NumericColumn(name="x", lower=0, upper=10, missing=4), CategoricalColumn(name="y", categories=("a", "b"), missing="b")
    dialect = Dialect(ignore_case=True, missing=("n/a", "K.A."))
    assert bounded_numbers(pl.Series(["N/A", "k.a.", "1"]), number, dialect=dialect).tolist() == [4.0, 4.0, 1.0]
    assert encode_labels(pl.Series(["N/A", "k.A.", "A"]), label, dialect=dialect).tolist() == [1, 1, 0]
    with pytest.raises(InvalidInput, match="a person id is missing"):
        person_codes(["1", "N/A"], dialect=dialect)
    with pytest.raises(InvalidInput, match="must hold numbers"):
        bounded_numbers(pl.Series(["N/A"]), number, dialect=Dialect(missing=("n/a",)))
    with pytest.raises(SchemaError, match="is both declared and listed in missing_values"):
        Schema.from_dict({**SCHEMA.to_dict(), "missing_values": ["W"]})


def test_features_of_a_date_are_named_by_dates():
    column = DateColumn(name="d", lower="2000-01-01", upper="2000-12-31", encoding=[Curve(count=2, steps="equal"), Bins(cuts=(11_000.5,))])
    assert column.names == ("d at 2000-01-01", "d at 2000-07-02", "d at 2000-12-31", "d from 2000-01-01", "d from 2000-02-14")
    column = DateColumn(name="d", lower="2000-01-01", upper="2000-01-01T12:00", encoding="curve")
    assert column.names[1] == "d at 2000-01-01 00:45:00"


@pytest.mark.parametrize(
    ("dates", "text"),
    [("day.month.year", "3.2.2001"), ("day.month.year", "03.02.2001 23:59"), ("month/day/year", "2/3/2001"), ("day-month-year", "03-02-2001")],
)
def test_dates_are_read_in_their_order_and_iso_ones_always(dates, text):
    column = DateColumn(name="d", lower="2000-01-01", upper="2010-01-01")
    days = bounded_days(pl.Series([text, "2001-02-03"]), column, dialect=Dialect(dates=dates))
    assert np.floor(days).tolist() == [(date(2001, 2, 3) - date(1970, 1, 1)).days] * 2


def test_labels_are_compared_without_capitals_and_by_their_aliases():
    column = CategoricalColumn(name="sex", categories=("female", "male"), aliases={"F": "female", "m": "male"})
    assert encode_labels(pl.Series(["FEMALE", "f", "M", "Male"]), column, dialect=Dialect(ignore_case=True)).tolist() == [0, 0, 1, 1]
    assert encode_labels(pl.Series(["female", "F", "m"]), column, dialect=Dialect()).tolist() == [0, 0, 1]
    for text in ("f", "FEMALE"):
        with pytest.raises(InvalidInput, match="has a value that is not one of its declared"):
            encode_labels(pl.Series([text]), column, dialect=Dialect())


def changed(**file):
    return {**SCHEMA.to_dict(), "file": {**SCHEMA.file.to_dict(), **file}}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (changed(separator=";;"), "one character"),
        (changed(separator="a"), "one character"),
        (changed(encoding="utf8-or-so"), "one that Python knows"),
        (changed(encoding="base64"), "one that Python knows"),
        (changed(decimal=";"), 'must be "." or ","'),
        (changed(thousands=","), "thousands must differ from decimal"),
        (changed(dates="day.month"), "file: dates must be a pattern such as"),
        (changed(dates="day.day.year"), "file: dates must be a pattern such as"),
        (changed(ignore_case=1), "true or false"),
        (changed(decimals=","), "Did you mean 'decimal'"),
        (changed(missing=["?"]), "unknown key"),
        ({**SCHEMA.to_dict(), "file": ";"}, "must be a table"),
        ({**SCHEMA.to_dict(), "categorical": [{"name": "s", "categories": ["a", "A"]}]}, "differs from another label only in capitals, which"),
        ({**SCHEMA.to_dict(), "categorical": [{"name": "s", "categories": ["a", "b"], "aliases": {"a": "b"}}]}, "declared already"),
        ({**SCHEMA.to_dict(), "categorical": [{"name": "s", "categories": ["a", "b"], "aliases": {"c": "d"}}]}, "must be one of the categories"),
        ({**SCHEMA.to_dict(), "missing_values": ["w"]}, "listed in missing_values"),
        ({**SCHEMA.to_dict(), "target": {"column": "krank", "classes": ["nein", "ja"], "aliases": "j"}}, "which label each text means"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(table, words):
    with pytest.raises(SchemaError, match=words):
        Schema.from_dict(table)


def test_a_file_that_is_written_otherwise_is_refused_with_what_to_write(tmp_path):
    path = written(tmp_path / "p.csv")
    with pytest.raises(SchemaError, match='separator = ";"'):
        read_table(path, NAMES, Dialect(encoding="cp1252"))
    with pytest.raises(FileFormatError, match=r'not UTF-8 text.*--encoding cp1252.*encoding = "cp1252"'):
        read_table(path, NAMES, Dialect(separator=";"))
    with pytest.raises(FileFormatError, match="not UTF-16 text"):
        read_table(path, NAMES, Dialect(separator=";", encoding="utf-16"))


@pytest.mark.parametrize(
    ("encoding", "record"), [("utf-8", "M\u00fcller,1\n".encode("cp1252")), ("utf-16", b"\xff\xdf\xff\xdf"), ("ascii", b"\xff\n")]
)
def test_a_header_is_read_whatever_bytes_the_records_are(tmp_path, encoding, record):
    """The table is refused, and that is said where its records are read."""
    path = tmp_path / "t.csv"
    dialect = Dialect(encoding=encoding)
    path.write_bytes("name,age\n".encode(encoding) + record)
    assert read_header(path, dialect) == ["name", "age"]
    with pytest.raises(InvalidInput, match=r"is not .* text"):
        read_table(path, ["age"], dialect)
    path.write_bytes("name,".encode(encoding) + record + "\nx,1\n".encode(encoding))
    with pytest.raises(InvalidInput, match=r"is not .* text"):
        read_header(path, dialect)
