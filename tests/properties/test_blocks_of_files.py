"""Laws of tables in files that are long enough for a fit to begin at a sample: whatever the format and however much stays in memory."""

import numpy as np
import polars as pl
import pytest

from discreet.data import Domain, NpyTable, Records, numeric_files, streamed_records
from discreet.losses import Logistic
from discreet.matrices import DenseMatrix
from discreet.objectives import objective_of
from discreet.problems import RegularisedRisk
from discreet.solvers import solve

COUNT, SIZE, NAMES = 80_000, 8_000, ["a", "b", "c"]
RNG = np.random.default_rng(3)
ROWS = RNG.uniform(-0.5, 0.5, (COUNT, len(NAMES)))
CODES = (ROWS @ np.array([3.0, -2.0, 1.0]) + RNG.logistic(size=COUNT) > 0).astype(np.int64)
ORDERS = {"as it comes": np.arange(COUNT), "sorted by class": np.argsort(CODES, kind="stable")}
DOMAIN = Domain(features=len(NAMES), norm_bound=0.7, intercept_scale=0.5, records=COUNT, classes=2)
PROBLEM = RegularisedRisk(loss=Logistic(), ridge=0.001 * COUNT, domain=DOMAIN)
TOLERANCE = 1e-9 * COUNT
WHOLE = COUNT * 8 * (len(NAMES) + 2)


def npy(folder, order, memory):
    np.save(folder / "rows.npy", ROWS[order])
    np.save(folder / "codes.npy", CODES[order])
    return NpyTable(folder / "rows.npy", folder / "codes.npy", rows_in_block=SIZE)


def frame(order):
    return pl.DataFrame({name: ROWS[order, j] for j, name in enumerate(NAMES)} | {"y": CODES[order]})


def file(path, memory):
    return numeric_files(path, features=NAMES, target="y", rows_in_block=SIZE, memory=memory)


def plain(folder, order, memory):
    frame(order).write_parquet(folder / "plain.parquet", row_group_size=SIZE, compression="uncompressed")
    return file(folder / "plain.parquet", memory)


def zstd(folder, order, memory):
    frame(order).write_parquet(folder / "zstd.parquet", row_group_size=SIZE)
    return file(folder / "zstd.parquet", memory)


def arrow(folder, order, memory):
    frame(order).write_ipc(folder / "table.arrow")
    return file(folder / "table.arrow", memory)


@pytest.fixture(params=[npy, plain, zstd, arrow], ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def fitted(table, jobs=1):
    return solve(objective_of(PROBLEM, streamed_records(table, domain=DOMAIN, classes=np.array([0, 1]), jobs=jobs)), tolerance=TOLERANCE)


@pytest.fixture(scope="module")
def expected():
    return solve(objective_of(PROBLEM, Records(rows=DenseMatrix(ROWS), targets=CODES, domain=DOMAIN)), tolerance=TOLERANCE).weights


@pytest.mark.at_most(2)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("memory", [0, WHOLE // 2, WHOLE])
def test_a_fit_is_the_fit_in_memory_and_threads_change_no_bit(tmp_path, kind, order, memory, expected):
    found = [fitted(kind(tmp_path, ORDERS[order], memory), jobs).weights for jobs in (1, 2, 5)]
    np.testing.assert_allclose(found[0], expected, atol=2.5 * TOLERANCE / PROBLEM.ridge)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_a_sample_of_a_sorted_table_has_both_classes_where_blocks_are_reached_quickly(tmp_path, kind):
    data = streamed_records(kind(tmp_path, ORDERS["sorted by class"], WHOLE // 2), domain=DOMAIN, classes=np.array([0, 1]))
    some = data.sample()
    signs = np.concatenate([part.signs for part in some])
    assert COUNT / 32 <= len(signs) <= COUNT / 4
    assert np.mean(signs > 0) == pytest.approx(np.mean(CODES), abs=0.25)


def test_nothing_is_sampled_where_no_block_is_reached_quickly_and_there_are_few(tmp_path):
    for make in (plain, zstd):
        assert streamed_records(make(tmp_path, ORDERS["as it comes"], 0), domain=DOMAIN, classes=np.array([0, 1])).sample() == []


def test_blocks_that_stay_are_spread_over_the_table(tmp_path):
    table = zstd(tmp_path, ORDERS["as it comes"], WHOLE // 2)
    planned = list(table.quick().numbers)
    assert planned == [1, 3, 5, 7, 9]
    first, second = ([id(block) for block in kept] for kept in (list(table.map(lambda _, block: block, 2)) for _ in range(2)))
    assert [number for number in range(10) if first[number] == second[number]] == planned
