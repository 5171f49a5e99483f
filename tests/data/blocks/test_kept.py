"""Blocks kept in memory: what is kept, how much, and that a pass gives the same blocks either way."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from discreet.core.errors import InvalidInput
from discreet.data import Domain, numeric_files, streamed_records
from discreet.data.block_table import Block
from discreet.data.blocks.files import KeptBlocks
from discreet.losses import Logistic
from discreet.matrices import AugmentedMatrix, DenseMatrix, SparseMatrix, TabularMatrix, as_matrix
from discreet.objectives import objective_of
from discreet.problems import RegularisedRisk
from discreet.solvers import solve

COUNT = 1000
ROWS = np.random.default_rng(0).standard_normal((COUNT, 4))


def table(folder, **options):
    frame = pl.DataFrame({f"x{j}": ROWS[:, j] for j in range(4)} | {"y": np.arange(COUNT) % 2})
    frame.write_parquet(folder / "t.parquet", row_group_size=100)
    return numeric_files(folder / "t.parquet", features=[f"x{j}" for j in range(4)], target="y", rows_in_block=100, **options)


def same_objects(found):
    first, second = (list(found.map(lambda _, block: block, 2)) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.rows.matvec(np.eye(4)), other.rows.matvec(np.eye(4)))
    return sum(one is other for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize(("memory", "kept"), [(0, 0), (5_000, 1), (20_000, 4), (2**20, 10)])
def test_as_many_blocks_stay_as_fit_and_no_more(tmp_path, memory, kept):
    assert same_objects(table(tmp_path, memory=memory)) == kept


@pytest.mark.parametrize(("memory", "slow"), [(0, True), (10_000, True), (40_000, False)])
def test_a_table_is_slow_when_most_of_it_is_decoded_in_every_pass(tmp_path, memory, slow):
    assert table(tmp_path, memory=memory).slow is slow


def test_weights_do_not_depend_on_what_is_kept(tmp_path):
    domain = Domain(features=4, norm_bound=1.0, records=COUNT, classes=2)
    problem = RegularisedRisk(loss=Logistic(), ridge=1.0, domain=domain)
    found = [
        solve(
            objective_of(problem, streamed_records(table(tmp_path, memory=memory), domain=domain, classes=np.array([0, 1]))), tolerance=1e-9
        ).weights
        for memory in (0, 20_000, 2**20)
    ]
    np.testing.assert_allclose(found[0], found[1], atol=1e-8)
    np.testing.assert_allclose(found[0], found[2], atol=1e-8)


@pytest.mark.parametrize("memory", [-1, 1.5, True, None])
def test_memory_is_a_number_of_bytes(memory):
    with pytest.raises(InvalidInput, match="number of bytes"):
        KeptBlocks(memory)


def test_a_block_without_room_is_made_again_and_a_smaller_one_is_kept():
    made = []

    def maker(rows):
        return lambda _: made.append(rows) or Block(DenseMatrix(np.zeros((rows, 1))), None)

    kept = KeptBlocks(200)
    for _ in range(2):
        kept.block(0, maker(100))
        kept.block(1, maker(10))
    assert made == [100, 10, 100]


def test_small_numbers_stay_in_single_precision_and_large_ones_do_not(tmp_path):
    frame = pl.DataFrame({"half": ROWS[:, 0].astype(np.float32), "small": np.arange(COUNT, dtype=np.int16), "large": 2**24 + np.arange(COUNT)})
    frame.write_parquet(tmp_path / "t.parquet")
    (single,) = numeric_files(tmp_path / "t.parquet", features=["half", "small"]).map(lambda _, block: block.rows, 1)
    (double,) = numeric_files(tmp_path / "t.parquet", features=["half", "large"]).map(lambda _, block: block.rows, 1)
    assert single.held_bytes == COUNT * (2 * 4 + 8)
    np.testing.assert_array_equal(single.matvec(np.eye(2)), frame.select("half", "small").to_numpy().astype(float))
    np.testing.assert_array_equal(double.matvec(np.eye(2)), frame.select("half", "large").to_numpy().astype(float))


def test_the_memory_of_every_kind_of_rows_is_counted():
    sparse = as_matrix(sp.csr_array(np.eye(5)))
    tabular = TabularMatrix(np.zeros((5, 2)), [np.zeros(5, dtype=int)], [3])
    assert isinstance(sparse, SparseMatrix)
    assert sparse.held_bytes >= 5 * 8
    assert tabular.held_bytes >= 5 * (2 * 8 + 8 + 12)
    assert AugmentedMatrix(sparse, scale=np.ones(5), constant=1.0).held_bytes > sparse.held_bytes
    assert DenseMatrix(np.zeros((5, 2), dtype=np.float32)).held_bytes == 5 * (2 * 4 + 8)
