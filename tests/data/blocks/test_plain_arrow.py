"""Layouts of Arrow files: numbers that are mapped where they lie, against other readers, and files that are none."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc

from discreet.data import numeric_files
from discreet.data.blocks.plain_arrow import PlainArrow
from discreet.data.blocks.runs import lie_in_place, plain_columns
from discreet.designs import entries_of
from discreet.errors import FileFormatError

COUNT = 5000
NUMBERS = pl.DataFrame({"name": [f"n{i % 9} and a longer text" for i in range(COUNT)], "flag": np.arange(COUNT) % 2 == 0})
NUMBERS = NUMBERS.with_columns(a=pl.Series(np.arange(float(COUNT))), b=pl.Series(np.sin(np.arange(COUNT))), c=pl.Series(np.cos(np.arange(COUNT))))


def found(path, names, start, rows):
    layout = PlainArrow(str(path))
    numbers = plain_columns(str(path), layout, names, start, rows)
    assert (numbers is not None and not numbers.flags.writeable) == lie_in_place(layout, names, start, rows)
    return numbers


def arrow_file(path, table, **options):
    with ipc.new_file(path, table.schema, options=ipc.IpcWriteOptions(**options)) as file:
        file.write_table(table, max_chunksize=1500)


WRITERS = {
    "polars": lambda path: NUMBERS.write_ipc(path, record_batch_size=1500),
    "polars, older texts": lambda path: NUMBERS.write_ipc(path, record_batch_size=1500, compat_level=pl.CompatLevel.oldest()),
    "pyarrow": lambda path: arrow_file(path, NUMBERS.to_arrow()),
    "pyarrow, dictionary": lambda path: arrow_file(path, NUMBERS.with_columns(pl.col("name").cast(pl.Categorical)).to_arrow()),
    "feather": lambda path: feather.write_feather(NUMBERS.to_arrow(), path, compression="uncompressed", chunksize=1500),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_numbers_are_mapped_where_they_lie(tmp_path, writer):
    path = tmp_path / "t.arrow"
    WRITERS[writer](path)
    for start, rows in ((0, 5000), (0, 1500), (1500, 1500), (1499, 2), (700, 3000), (4999, 1)):
        for names in (["a", "b", "c"], ["c"], ["c", "a"]):
            np.testing.assert_array_equal(found(path, names, start, rows), NUMBERS.select(names).to_numpy()[start : start + rows])
    layout = PlainArrow(str(path))
    assert lie_in_place(layout, ["a", "b", "c"], 0, 1500)
    assert lie_in_place(layout, ["b"], 1600, 1000)
    assert not lie_in_place(layout, ["c", "a"], 0, 1500)  # in another order
    assert not lie_in_place(layout, ["a"], 0, 1501)  # of two batches
    numeric = numeric_files(path, features=["a", "b", "c"], target="name", memory=0, rows_in_block=1500)
    assert not numeric.slow
    assert list(numeric.quick().numbers) == [0, 1, 2, 3]
    blocks = list(numeric.map(lambda _, block: (block.rows.matvec(np.eye(3)), block.targets), 2))
    np.testing.assert_array_equal(np.concatenate([rows for rows, _ in blocks]), NUMBERS.select("a", "b", "c").to_numpy())
    assert np.concatenate([targets for _, targets in blocks]).tolist() == NUMBERS["name"].to_list()


MISSING = NUMBERS.with_columns(pl.when(pl.col("a") == 4000).then(None).otherwise(pl.col("a")).alias("a"))
OTHERS = {
    "compressed": lambda path: NUMBERS.write_ipc(path, compression="zstd"),
    "feather, compressed": lambda path: feather.write_feather(NUMBERS.to_arrow(), path, compression="lz4"),
    "missing": MISSING.write_ipc,
    "integers": lambda path: NUMBERS.with_columns(pl.col("a").cast(pl.Int64)).write_ipc(path),
    "two precisions": lambda path: NUMBERS.with_columns(pl.col("a").cast(pl.Float32)).write_ipc(path),
    "after lists": lambda path: NUMBERS.select(pl.concat_list("a").alias("l"), "a", "b").write_ipc(path),
}


@pytest.mark.parametrize("other", OTHERS)
def test_whatever_is_otherwise_is_left_to_polars(tmp_path, other):
    path = tmp_path / "t.arrow"
    OTHERS[other](path)
    assert found(path, ["a", "b"], 0, COUNT) is None
    table = numeric_files(path, features=["a", "b"], memory=0)
    assert table.slow
    (rows,) = table.map(lambda _, block: entries_of(block.rows, slice(0, 5000)), 1)
    np.testing.assert_array_equal(rows, pl.read_ipc(path, columns=["a", "b"]).to_numpy().astype(float))


def test_single_precision_is_mapped_too(tmp_path):
    arrow_file(tmp_path / "t.arrow", pa.table({"a": pa.array(np.arange(COUNT), pa.float32()), "b": pa.array(np.arange(COUNT), pa.float32())}))
    numbers = found(tmp_path / "t.arrow", ["a", "b"], 0, 1500)
    assert numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers, np.column_stack([np.arange(1500.0)] * 2))


def test_damaged_files_are_not_understood_or_refused_and_nothing_else_happens(tmp_path):
    path = tmp_path / "t.arrow"
    WRITERS["polars"](path)
    good = path.read_bytes()
    footer = int.from_bytes(good[-10:-6], "little") + 10
    rng = np.random.default_rng(0)
    left = 0
    for _ in range(400):
        bad = bytearray(good)
        for place in rng.integers(len(good) - footer, len(good), 2):
            bad[place] = rng.integers(256)
        path.write_bytes(bytes(bad))
        try:
            numbers = found(path, ["a", "b"], 0, 1500)
        except FileFormatError:
            numbers = None
        left += numbers is None
        assert numbers is None or numbers.shape == (1500, 2)
    assert left > 50
    for text in (b"", b"ARROW1", b"ARROW1" * 3, good[:-1], good[:200], b"x,y\n1,2\n" * 10):
        path.write_bytes(text)
        assert PlainArrow(str(path)).groups == []


def test_a_truncated_file_is_refused(tmp_path):
    path = tmp_path / "t.arrow"
    WRITERS["polars"](path)
    layout = PlainArrow(str(path))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(FileFormatError, match="truncated"):
        plain_columns(str(path), layout, ["a", "b", "c"], 3000, 1500)
