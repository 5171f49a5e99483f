"""Layouts of Parquet files: row groups and numbers that are not encoded, against other readers, and files that are none."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.data import numeric_files
from discreet.data.blocks.plain_parquet import PlainParquet
from discreet.data.blocks.runs import plain_columns
from discreet.designs import entries_of
from discreet.errors import FileFormatError

FRAME = pl.DataFrame({"x": np.arange(1000.0), "name": [f"n{i % 7}" for i in range(1000)], "flag": [i % 2 == 0 for i in range(1000)]})


@pytest.mark.parametrize("size", [1, 64, 333, 1000, 5000])
def test_sizes_are_those_that_pyarrow_finds(tmp_path, size):
    for number, write in enumerate((lambda p: FRAME.write_parquet(p, row_group_size=size), lambda p: pq.write_table(FRAME.to_arrow(), p, size))):
        path = str(tmp_path / f"{number}.parquet")
        write(path)
        found = pq.read_metadata(path)
        assert PlainParquet(path).groups == [found.row_group(i).num_rows for i in range(found.num_row_groups)]


def test_a_file_with_nested_columns_and_metadata_is_read_too(tmp_path):
    table = pa.table({"a": [[1, 2], [3]], "b": [{"c": 1, "d": "x"}, None]}).replace_schema_metadata({"k": "v" * 500})
    pq.write_table(table, tmp_path / "t.parquet")
    assert PlainParquet(str(tmp_path / "t.parquet")).groups == [2]


def test_a_table_without_rows_has_none(tmp_path):
    FRAME.head(0).write_parquet(tmp_path / "t.parquet")
    assert sum(PlainParquet(str(tmp_path / "t.parquet")).groups) == 0


def test_damaged_footers_are_refused_and_nothing_else_happens(tmp_path):
    path = tmp_path / "t.parquet"
    FRAME.write_parquet(path, row_group_size=100)
    good = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        bad = bytearray(good)
        length = int.from_bytes(good[-8:-4], "little")
        for place in rng.integers(len(good) - 8 - length, len(good), 3):
            bad[place] = rng.integers(256)
        path.write_bytes(bytes(bad))
        try:
            assert all(size >= 0 for size in PlainParquet(str(path)).groups)
        except FileFormatError:
            refused += 1
    assert refused > 50
    for text in (b"", b"PAR1", b"PAR1" * 3, good[:-1], good[:200], b"x,y\n1,2\n" * 10):
        path.write_bytes(text)
        with pytest.raises(FileFormatError):
            PlainParquet(str(path))


NUMBERS = pl.DataFrame({"a": np.arange(5000.0), "b": np.sin(np.arange(5000.0)), "c": np.cos(np.arange(5000.0)), "name": ["n"] * 5000})
PLAIN = {"compression": "none", "use_dictionary": False}


def found(path, names, start, rows):
    return plain_columns(str(path), PlainParquet(str(path)), names, start, rows)


def polars_file(path, frame=NUMBERS, **options):
    frame.write_parquet(path, **{"compression": "uncompressed", "row_group_size": 1500} | options)


def arrow_file(path, frame=NUMBERS, **options):
    pq.write_table(frame.to_arrow(), path, **{"row_group_size": 1500} | PLAIN | options)


WRITERS = {
    "polars": polars_file,
    "polars, short pages": lambda path: polars_file(path, data_page_size=800),
    "pyarrow": arrow_file,
    "pyarrow, short pages": lambda path: arrow_file(path, data_page_size=800, write_batch_size=64),
    "pyarrow, second version": lambda path: arrow_file(path, data_page_version="2.0"),
    "pyarrow, checksums, no statistics": lambda path: arrow_file(path, write_page_checksum=True, write_statistics=False),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_numbers_that_are_not_encoded_are_read_without_decoding(tmp_path, writer):
    path = tmp_path / "t.parquet"
    WRITERS[writer](path)
    for start, rows in ((0, 5000), (0, 1500), (1500, 1500), (1499, 2), (700, 3000), (4999, 1)):
        numbers = found(path, ["c", "a"], start, rows)
        np.testing.assert_array_equal(numbers, NUMBERS.select("c", "a").to_numpy()[start : start + rows])
        assert numbers.flags.f_contiguous


def test_required_columns_and_single_precision_are_read_too(tmp_path):
    path = tmp_path / "t.parquet"
    schema = pa.schema([pa.field("a", pa.float32(), nullable=False), pa.field("b", pa.float32())])
    pq.write_table(pa.table({"a": NUMBERS["a"].to_numpy(), "b": NUMBERS["b"].to_numpy()}).cast(schema), path, **PLAIN)
    numbers = found(path, ["a", "b"], 10, 4000)
    assert numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers, NUMBERS.select("a", "b").to_numpy()[10:4010].astype(np.float32))


MISSING = NUMBERS.with_columns(pl.when(pl.col("a") == 4000).then(None).otherwise(pl.col("a")).alias("a"))
OTHERS = {
    "compressed": lambda path: polars_file(path, compression="zstd"),
    "missing": lambda path: polars_file(path, frame=MISSING),
    "missing, second version": lambda path: arrow_file(path, frame=MISSING, data_page_version="2.0"),
    "dictionary": lambda path: arrow_file(path, use_dictionary=True),
    "split by bytes": lambda path: arrow_file(path, column_encoding={"a": "BYTE_STREAM_SPLIT", "b": "PLAIN"}),
    "integers": lambda path: polars_file(path, frame=NUMBERS.with_columns(pl.col("a").cast(pl.Int64))),
    "two precisions": lambda path: polars_file(path, frame=NUMBERS.with_columns(pl.col("a").cast(pl.Float32))),
    "nested": lambda path: polars_file(path, frame=NUMBERS.with_columns(pl.struct("a").alias("s"))),
}


@pytest.mark.parametrize("other", OTHERS)
def test_whatever_is_otherwise_is_left_to_polars(tmp_path, other):
    path = tmp_path / "t.parquet"
    OTHERS[other](path)
    assert found(path, ["a", "b"], 0, 5000) is None
    (rows,) = numeric_files(path, features=["a", "b"]).map(lambda _, block: entries_of(block.rows, slice(0, 5000)), 1)
    np.testing.assert_array_equal(rows, pl.read_parquet(path, columns=["a", "b"]).to_numpy().astype(float))


def test_missing_numbers_elsewhere_do_not_matter(tmp_path):
    polars_file(tmp_path / "t.parquet", frame=MISSING)
    assert found(tmp_path / "t.parquet", ["a"], 0, 3000) is not None
    assert found(tmp_path / "t.parquet", ["b"], 0, 5000) is not None


def test_damaged_pages_are_refused_or_read_and_nothing_else_happens(tmp_path):
    path = tmp_path / "t.parquet"
    polars_file(path, data_page_size=800)
    good = path.read_bytes()
    layout = PlainParquet(str(path))
    pages = [layout.runs("a", 0, 5000), layout.runs("b", 0, 5000)]
    headers = [run.offset - back for runs in pages for run in runs for back in range(1, 60)]
    rng = np.random.default_rng(0)
    left = 0
    for _ in range(300):
        bad = bytearray(good)
        bad[rng.choice(headers)] = rng.integers(256)
        path.write_bytes(bytes(bad))
        numbers = found(path, ["a", "b"], 0, 5000)
        left += numbers is None
        assert numbers is None or numbers.shape == (5000, 2)
    assert left > 50
    path.write_bytes(good[: len(good) // 4])
    with pytest.raises(FileFormatError, match="truncated"):
        plain_columns(str(path), layout, ["a", "b"], 0, 5000)


def test_a_file_that_is_written_anew_is_read_anew(tmp_path):
    path = tmp_path / "t.parquet"
    for rows in (5000, 4000):
        polars_file(path, frame=NUMBERS.head(rows).reverse())
        (block,) = numeric_files(path, features=["a", "b"]).map(lambda _, block: block.rows.matvec(np.eye(2)), 1)
        np.testing.assert_array_equal(block, NUMBERS.select("a", "b").head(rows).reverse().to_numpy())
