"""Tables in Parquet, Arrow and .npy files: where blocks are cut, what is refused, and that nothing of a record is told."""

import numpy as np
import polars as pl
import pytest
from pyarrow import parquet

from discreet.core.errors import FileFormatError, InvalidInput, SchemaError
from discreet.data import Domain, NpyTable, Records, Schema, numeric_files, schema_files, streamed_records
from discreet.data.block_table import Block, block_rows
from discreet.matrices import DenseMatrix
from tests.canary import CANARY, assert_silent
from tests.schemas import schema_text

COUNT = 1003
ROWS = np.random.default_rng(0).standard_normal((COUNT, 2))
FRAME = pl.DataFrame({"a": ROWS[:, 0], "b": ROWS[:, 1], "y": np.arange(COUNT) % 2, "text": ["t"] * COUNT, "half": ROWS[:, 0].astype(np.float32)})


def blocks_of(table, jobs=1):
    return list(table.map(lambda _, block: block.rows.matvec(np.eye(table.features)), jobs))


@pytest.mark.parametrize("group", [100, 399, 1003])
@pytest.mark.parametrize("size", [100, 450, 5000])
def test_blocks_are_whole_row_groups_unless_these_are_very_long(tmp_path, group, size):
    parquet.write_table(FRAME.to_arrow(), tmp_path / "t.parquet", row_group_size=group)  # exactly so many rows, which polars takes as a hint
    found = blocks_of(numeric_files(tmp_path / "t.parquet", features=["b", "a"], rows_in_block=size), 2)
    np.testing.assert_array_equal(np.concatenate(found), ROWS[:, ::-1])
    assert max(len(block) for block in found) <= max(size, 4 * size if group > size else 0)


def test_columns_of_other_numbers_are_read_as_float64(tmp_path):
    FRAME.write_parquet(tmp_path / "t.parquet")
    (found,) = blocks_of(numeric_files(tmp_path / "t.parquet", features=["half", "y"]))
    np.testing.assert_array_equal(found, np.column_stack((ROWS[:, 0].astype(np.float32).astype(float), np.arange(COUNT) % 2)))


def test_what_cannot_be_read_is_refused_with_the_name_of_the_file(tmp_path):
    FRAME.write_parquet(tmp_path / "t.parquet")
    FRAME.write_csv(tmp_path / "t.csv")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1" + b"x" * 100)
    (tmp_path / "bad.arrow").write_bytes(b"ARROW1" + b"x" * 100)
    (tmp_path / "none").mkdir()
    for path, kind, words in (
        (tmp_path / "absent.parquet", InvalidInput, "no file"),
        (tmp_path / "t.csv", InvalidInput, "must end in"),
        (tmp_path / "bad.parquet", FileFormatError, "bad.parquet"),
        (tmp_path / "bad.arrow", FileFormatError, "bad.arrow"),
        (tmp_path / "none", InvalidInput, "holds no .parquet file"),
        ([], InvalidInput, "at least one file"),
    ):
        with pytest.raises(kind, match=words):
            numeric_files(path, features=["a"])
    with pytest.raises(SchemaError, match="lacks"):
        numeric_files(tmp_path / "t.parquet", features=["a", "c"])
    for features, target in (([], "y"), (["a", "a"], None), (["a", "y"], "y")):
        with pytest.raises(InvalidInput, match="different columns"):
            numeric_files(tmp_path / "t.parquet", features=features, target=target)
    with pytest.raises(InvalidInput, match="column of numbers"):
        blocks_of(numeric_files(tmp_path / "t.parquet", features=["a", "text"]))


NUMBERS = schema_text("sums", {"column": "b", "lower": -5, "upper": 5}, {"a": (-5, 5)})


def test_a_schema_with_a_number_for_target_gives_numbers(tmp_path):
    FRAME.write_parquet(tmp_path / "t.parquet", row_group_size=400)
    schema = Schema.from_toml(NUMBERS)
    found = list(schema_files(tmp_path / "t.parquet", schema, rows_in_block=400).map(lambda _, block: block.targets, 1))
    np.testing.assert_array_equal(np.concatenate(found), schema.encode(FRAME, target=True).numbers)
    (bare,) = schema_files(tmp_path / "t.parquet", schema, target=False).map(lambda _, block: block.targets, 1)
    assert bare is None


def test_missing_numbers_are_refused_before_a_fit(tmp_path):
    FRAME.with_columns(pl.when(pl.col("a") > 1).then(None).otherwise(pl.col("a")).alias("a")).write_parquet(tmp_path / "t.parquet")
    table = numeric_files(tmp_path / "t.parquet", features=["a"], target="y")
    with pytest.raises(InvalidInput, match="must be finite"):
        streamed_records(table, domain=Domain(features=1, norm_bound=1.0, classes=2), classes=np.array([0, 1]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_by_rows_and_by_columns_are_mapped(tmp_path, order):
    for kind in (np.float64, np.float32, np.int16):
        rows = np.asarray(100 * ROWS, dtype=kind, order=order)
        np.save(tmp_path / "r.npy", rows)
        np.testing.assert_array_equal(np.concatenate(blocks_of(NpyTable(tmp_path / "r.npy", rows_in_block=77), 2)), rows.astype(float))


def test_a_column_of_targets_is_one_target(tmp_path):
    np.save(tmp_path / "r.npy", ROWS)
    kept = []
    for name, shape in (("flat", (-1,)), ("column", (-1, 1))):
        np.save(tmp_path / f"{name}.npy", np.linspace(-1.0, 1.0, len(ROWS)).reshape(shape))
        table = NpyTable(tmp_path / "r.npy", tmp_path / f"{name}.npy", rows_in_block=77)
        kept.append(list(table.map(lambda _, block: block.targets, 1)))
    assert all(one.shape == other.shape and np.array_equal(one, other) for one, other in zip(*kept, strict=True))


def test_arrays_that_do_not_fit_are_refused(tmp_path):
    np.save(tmp_path / "r.npy", ROWS)
    np.save(tmp_path / "y.npy", np.zeros(7))
    np.save(tmp_path / "flat.npy", np.zeros(7))
    np.save(tmp_path / "empty.npy", np.zeros((0, 3)))
    (tmp_path / "text.npy").write_text("no array")
    with pytest.raises(InvalidInput, match="same length"):
        NpyTable(tmp_path / "r.npy", tmp_path / "y.npy")
    for name in ("flat", "empty"):
        with pytest.raises(InvalidInput, match="at least one row"):
            NpyTable(tmp_path / f"{name}.npy")
    with pytest.raises(FileFormatError):
        NpyTable(tmp_path / "text.npy")
    with pytest.raises(InvalidInput, match="no file"):
        NpyTable(tmp_path / "absent.npy")


def test_a_streamed_data_set_refuses_what_needs_all_rows_and_tells_nothing():
    rows = np.full((5, 2), CANARY)
    block = Block(DenseMatrix(rows), np.full(5, CANARY))
    assert_silent(block)
    assert_silent(f"{block}")

    class One:
        features, remote, slow, targets, source_rows = 2, False, True, 1, None

        def map(self, work, jobs):
            yield work(0, block)

    domain = Domain(features=2, norm_bound=1.0, classes=2)
    data = streamed_records(One(), domain=domain, classes=np.array([0.0, CANARY]))
    assert isinstance(data, Records)
    assert_silent(data)
    for ask in (lambda: data.matrix, lambda: data.signs, lambda: data.codes, lambda: data.weights):
        with pytest.raises(InvalidInput, match="this method needs all records in memory, but the") as refused:
            ask()
        assert_silent(refused.value)


def test_blocks_are_of_about_the_same_size_whatever_the_width():
    assert block_rows(50) * 50 * 8 == pytest.approx(32 * 2**20, rel=0.01)
    assert block_rows(1) == 1 << 20
    assert block_rows(10**7) == 1 << 10
