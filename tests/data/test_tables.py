import gzip
import io
import itertools
import os
import sys

import polars as pl
import pytest

from discreet.core.errors import FileFormatError, InvalidInput, SchemaError
from discreet.data import read_header, read_table

CSV = 'age, name ,"a, b"\r\n1,x,2\r\n\r\n 3 ,"y ""z"", w", 4\r\n'
ROWS = [("2", "1"), ("4", "3 ")]


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("T.CSV", CSV),
        ("bom.csv", CSV.encode("utf-8-sig")),
        ("t.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("t.tsv", "age\tname\ta, b\n1\tx\t2\n3 \t\t4\n"),
    ],
)
def test_text_is_read_column_by_column(tmp_path, name, content):
    path = written(tmp_path, name, content)
    assert read_header(path) == ["age", "name", "a, b"]
    table = read_table(str(path), ["a, b", "age"])
    assert table.columns == ["a, b", "age"]
    assert table.rows() == ROWS


def test_parquet_is_read_column_by_column(tmp_path):
    path = tmp_path / "t[1]*.parquet"
    pl.DataFrame({"age": [1, 3], "name": ["x", "y"], "b": [2.0, 4.0]}).write_parquet(path)
    assert read_header(path) == ["age", "name", "b"]
    assert read_table(path, ["b", "age"]).rows() == [(2.0, 1), (4.0, 3)]


def test_a_dash_is_standard_input_which_stays_open(monkeypatch):
    for read, expected in ((lambda: read_header("-"), ["age", "name", "a, b"]), (lambda: read_table("-", ["a, b", "age"]).rows(), ROWS)):
        stream = io.TextIOWrapper(io.BytesIO(CSV.encode()))
        monkeypatch.setattr(sys, "stdin", stream)
        assert read() == expected
        assert not stream.buffer.closed


def test_a_header_without_rows_is_an_empty_table(tmp_path):
    table = read_table(written(tmp_path, "t.csv", "a,b\n"), ["a"])
    assert table.rows() == []
    assert table.schema == {"a": pl.String}


def test_many_rows_are_read_in_order(tmp_path):
    count = 40_000
    path = written(tmp_path, "t.csv", "a,b\n" + "".join(f"{row},x\n" for row in range(count)))
    assert read_table(path, ["a"]).get_column("a").cast(pl.Int64).to_list() == list(range(count))


def test_columns_without_a_name_are_left_out(tmp_path):
    path = written(tmp_path, "t.csv", ",a,b\n0,1,2\n")
    assert read_header(path) == ["a", "b"]
    assert read_table(path, ["b"]).rows() == [("2",)]


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("t.csv", "", FileFormatError, "is empty"),
        ("t.csv", "\n\n", FileFormatError, "is empty"),
        ("t.csv.gz", gzip.compress(b"", mtime=0), FileFormatError, "is empty"),
        ("t.parquet", "", FileFormatError, "is empty"),
        ("t.csv", "a,b\n1,2\n3\n", FileFormatError, "a row with more or fewer fields"),
        ("t.csv", "a,b\n1,2\n3,4,5\n", FileFormatError, "a row with more or fewer fields"),
        ("t.csv", 'a,b\n1,"2\n3,4\n', FileFormatError, "a quote is not closed"),
        ("t.csv", 'a,b\n1,"2"3\n', FileFormatError, "a quote is not closed or stands inside"),
        ("t.csv", b"a,b\n1,\xff\xfe\n", FileFormatError, "not UTF-8"),
        ("t.csv", CSV.encode("utf-16"), FileFormatError, "not UTF-8"),
        ("t.csv.gz", CSV, FileFormatError, "damaged"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-6], FileFormatError, "damaged"),
        ("t.parquet", CSV, FileFormatError, "cannot be read as a Parquet file"),
        ("t.parquet", b"PAR1" + b"\x00" * 40 + b"PAR1", FileFormatError, "cannot be read as a Parquet file"),
        ("t.xls", CSV, InvalidInput, "must end in .csv, .csv.gz, .txt, .tsv, .xlsx or .parquet"),
        ("t.csv", "b,c\n1,2\n", SchemaError, "Rename columns of the table, or change these"),
        ("t.csv", "a,a\n1,2\n", SchemaError, "has more than one column named"),
        ("t.csv", "A ,b\n1,2\n", SchemaError, "spells them differently"),
        ("t.csv", "3.5,b\n1,2\n", SchemaError, "looks like a record"),
    ],
    ids=itertools.count(),
)
def test_each_mistake_of_a_file_has_one_clear_message(tmp_path, name, content, error, message):
    path = written(tmp_path, name, content)
    with pytest.raises(error, match=message) as caught:
        read_table(path, ["a"])
    assert caught.value.__context__ is None
    assert name in str(caught.value)


def test_a_wrong_separator_is_suspected(tmp_path):
    with pytest.raises(SchemaError, match=r"is the separator a comma\?"):
        read_table(written(tmp_path, "t.csv", "a;b\n1;2\n"), ["a", "b"])
    with pytest.raises(SchemaError, match=r"is the separator a tab\?"):
        read_table(written(tmp_path, "t.tsv", "a,b\n1,2\n"), ["a", "b"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("39, State-gov, 77516\n50, Private, 1\n", "looks like a record"),
        ("a,b,a\n", "columns 1 and 3 of .* have the same name"),
        ("", "is empty"),
        ('"a,b\n', "a quote is not closed"),
    ],
)
def test_a_line_that_is_no_header_is_refused(tmp_path, content, message):
    with pytest.raises(InvalidInput, match=message):
        read_header(written(tmp_path, "t.csv", content))


def test_only_the_header_is_looked_at(tmp_path):
    assert read_header(written(tmp_path, "t.csv", 'a,b\n1\n"open\n')) == ["a", "b"]


def test_a_path_that_is_no_file_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="there is no file"):
        read_table(tmp_path / "absent.csv", ["a"])
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInput, match="is a directory"):
        read_header(tmp_path / "folder.csv")
    with pytest.raises(InvalidInput, match="cannot be opened"):
        read_header("nul\0.csv")


def test_a_decoder_that_panics_prints_nothing(tmp_path, monkeypatch, capfd):
    class Panic(BaseException):
        """As polars raises it, after it has printed."""

    def panicking(*_, **__):
        os.write(2, b"left: 5000, right: 2472")
        raise Panic

    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    monkeypatch.setattr(pl, "read_parquet", panicking)
    with pytest.raises(FileFormatError, match="cannot be read as a Parquet file"):
        read_table(path, ["a"])
    assert capfd.readouterr() == ("", "")
    os.write(2, b"heard again")
    assert capfd.readouterr().err == "heard again"


@pytest.mark.parametrize("cut", [1, 8, 60])
def test_a_truncated_parquet_file_is_refused(tmp_path, cut):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": list(range(100))}).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(FileFormatError, match="cannot be read as a Parquet file"):
        read_table(path, ["a"])
