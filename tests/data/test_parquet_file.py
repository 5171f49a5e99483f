"""Row groups of Parquet files, against pyarrow's own reading, and files that are none."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.core.errors import FileFormatError
from discreet.data.parquet_file import row_group_sizes

FRAME = pl.DataFrame({"x": np.arange(1000.0), "name": [f"n{i % 7}" for i in range(1000)], "flag": [i % 2 == 0 for i in range(1000)]})


@pytest.mark.parametrize("size", [1, 64, 333, 1000, 5000])
def test_sizes_are_those_that_pyarrow_finds(tmp_path, size):
    for number, write in enumerate((lambda p: FRAME.write_parquet(p, row_group_size=size), lambda p: pq.write_table(FRAME.to_arrow(), p, size))):
        path = str(tmp_path / f"{number}.parquet")
        write(path)
        found = pq.read_metadata(path)
        assert row_group_sizes(path) == [found.row_group(i).num_rows for i in range(found.num_row_groups)]


def test_a_file_with_nested_columns_and_metadata_is_read_too(tmp_path):
    table = pa.table({"a": [[1, 2], [3]], "b": [{"c": 1, "d": "x"}, None]}).replace_schema_metadata({"k": "v" * 500})
    pq.write_table(table, tmp_path / "t.parquet")
    assert row_group_sizes(str(tmp_path / "t.parquet")) == [2]


def test_a_table_without_rows_has_none(tmp_path):
    FRAME.head(0).write_parquet(tmp_path / "t.parquet")
    assert sum(row_group_sizes(str(tmp_path / "t.parquet"))) == 0


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
            assert all(size >= 0 for size in row_group_sizes(str(path)))
        except FileFormatError:
            refused += 1
    assert refused > 50
    for text in (b"", b"PAR1", b"PAR1" * 3, good[:-1], good[:200], b"x,y\n1,2\n" * 10):
        path.write_bytes(text)
        with pytest.raises(FileFormatError):
            row_group_sizes(str(path))
