"""Releases of blocks on a Dask cluster: what travels, which noise is kept, and what a worker's death changes.

A stand-in for the client runs everywhere; a real cluster, on this machine, where Dask is installed.
"""

import json
import pickle
from concurrent.futures import Future
from functools import partial
from types import FunctionType

import numpy as np
import polars as pl
import pytest

from discreet.cluster import DaskTable, local_cluster
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Block, Domain
from discreet.ledger import Account, Ledger
from discreet.matrices import DenseMatrix
from discreet.mechanisms.release import GaussianRelease
from discreet.noise import SeededNoise, SystemNoise
from discreet.queries import Rows, Target
from discreet.releases import publish, read_release
from discreet.releases.records import block_records
from tests.canary import assert_silent
from tests.cluster.cluster_here import Here, reached
from tests.cluster.troubling import killing
from tests.properties.block_tables import records
from tests.releases.cases import PRIVATE

ROWS, LABELS = records(3000)
SIGNS = 2.0 * LABELS - 1.0
BLOCKS, SIZE = 5, 600
FEATURES = ROWS.shape[1]
BOX = Domain(features=FEATURES, entry_bound=0.8, target_bound=1.0)
CLIPPED = np.column_stack((np.clip(ROWS, -0.8, 0.8), SIGNS))


def make(number):
    part = slice(SIZE * number, SIZE * (number + 1))
    return Block(DenseMatrix(ROWS[part]), SIGNS[part])


def table_of(client):
    return DaskTable(client, [make(number) for number in range(BLOCKS)], features=FEATURES)


def mechanism_for(query):
    return GaussianRelease.calibrate(query, **PRIVATE, neighbours=REPLACE_ONE)


QUERY = Rows(domain=BOX, target=Target.NOISY)
ADDITIVE = mechanism_for(QUERY)


def spent(folder):
    return Account(str(folder / "ledger"), "people").ledger.spent("people")


@pytest.fixture
def account(tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=2.0, delta=1e-5)
    return Account(str(tmp_path / "ledger"), "people")


def what_travels(noise):
    client = Here()
    ADDITIVE.run(QUERY, block_records(table_of(client), BOX, Target.NOISY), noise)
    return [one for arguments in client.sent for one in reached(arguments[0])]


def test_neither_noise_nor_a_key_travels_to_a_worker():
    """A source without state does, and what goes out is the same for every release: nothing of it was drawn."""
    found = what_travels(SystemNoise())
    sources = [one for one in found if isinstance(one, SystemNoise)]
    assert sources
    assert pickle.dumps(sources[0]) == pickle.dumps(SystemNoise())
    plain = [pickle.dumps(one) for one in found if not callable(one) and not isinstance(one, FunctionType)]
    assert plain == [pickle.dumps(one) for one in what_travels(SystemNoise()) if not callable(one) and not isinstance(one, FunctionType)]


def test_that_test_would_notice():
    """The planted fault: noise that was drawn by the driver."""

    class Drawn(SystemNoise):
        def streams(self):
            return partial(lambda _key, _number: SystemNoise(), SystemNoise().words()(4))

    first, second = ([pickle.dumps(one) for one in what_travels(Drawn()) if isinstance(one, np.ndarray)] for _ in range(2))
    assert first != second


class Twice(Here):
    """A cluster on which every task is done twice, as after the loss of a worker that had finished: the first result is never seen."""

    def submit(self, function, *arguments, pure):
        lost = super().submit(function, *arguments, pure=pure).result()
        future = super().submit(function, *arguments, pure=pure)
        self.results = [*getattr(self, "results", []), (lost, future.result())]
        return future


def test_of_a_block_that_was_drawn_twice_one_copy_is_released():
    client = Twice()
    value = ADDITIVE.run(QUERY, block_records(table_of(client), BOX, Target.NOISY), SystemNoise()).value
    drawn = client.results[-BLOCKS:]
    for number, (lost, kept) in enumerate(drawn):
        rows = value[SIZE * number : SIZE * (number + 1)]
        np.testing.assert_array_equal(rows, kept.results[0][1])
        differences = (rows - lost.results[0][1]) / (np.sqrt(2.0) * ADDITIVE.deviation)
        assert not np.any(differences == 0.0)
        assert abs(np.mean(differences**2) - 1.0) < 6.0 * np.sqrt(2.0 / differences.size)  # independent draws: twice the variance


def test_few_results_wait_where_they_are_as_large_as_blocks():
    class Waiting(Here):
        most = 0

        def submit(self, function, *arguments, pure):
            self.open = [one for one in getattr(self, "open", []) if not one.taken]
            future = Taken()
            future.set_result(super().submit(function, *arguments, pure=pure).result())
            self.open.append(future)
            self.most = max(self.most, len(self.open))
            return future

    class Taken(Future):
        taken = False

        def result(self, timeout=None):
            self.taken = True
            return super().result(timeout)

    client = Waiting()
    table = DaskTable(client, [make(0)] * 40, features=FEATURES)
    assert list(table.map_rows(lambda number, block: number, 1)) == list(range(40))
    assert client.most == 6  # two for each of three threads
    few = Waiting()
    assert list(DaskTable(few, [make(0)] * 4, features=FEATURES).map_rows(lambda number, block: number, 1)) == [0, 1, 2, 3]


@pytest.mark.parametrize(("fails", "epsilon"), [((3,), 0.0), ((15,), 1.0)])
def test_a_lost_block_leaves_no_folder_and_the_ledger_agrees(tmp_path, account, fails, epsilon):
    """Tasks 1 to 12 count and tell the ledger which table it is; 13 to 17 draw."""
    with pytest.raises(InvalidInput, match="a block was lost") as lost:
        publish(table_of(Here(fails)), tmp_path / "out", SystemNoise(), domain=BOX, method="additive", account=account, **PRIVATE)
    assert_silent(lost.value)
    assert not (tmp_path / "out").exists()
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".discreet")] == []
    assert spent(tmp_path).epsilon == pytest.approx(epsilon)


def test_blocks_that_are_made_in_every_pass_are_made_one_at_a_time():
    alive = []

    def counted(number):
        alive.append(number)
        return make(number)

    client = Here()
    table = DaskTable.from_function(client, counted, blocks=BLOCKS, features=FEATURES, remember=False)
    assert table.slow
    assert not table_of(Here()).slow
    assert list(table.map(lambda number, block: (number, block.rows.shape[0]), 1)) == [(number, SIZE) for number in range(BLOCKS)]
    assert list(table.map_rows(lambda number, block: number, 1)) == list(range(BLOCKS))
    assert alive == 2 * list(range(BLOCKS))
    few = table.few(2)
    assert [place for _, place in few.map(lambda number, block: (number, block.targets[0] == SIGNS[2 * SIZE * number]), 1)] == [True] * 3


def test_seeded_releases_on_workers_and_in_threads_are_the_same(tmp_path):
    expected = ADDITIVE.run(QUERY, block_records(table_of(Here()), BOX, Target.NOISY), SeededNoise(1))
    made = publish(table_of(Here()), tmp_path / "out", SeededNoise(1), domain=BOX, method="additive", **PRIVATE)
    np.testing.assert_array_equal(made.values(), expected.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("method", "asked"),
    [("additive", {}), ("additive", {"neighbours": ADD_REMOVE, "slots": 3100}), ("sketch", {"rows": 20, "most_records": 10_000})],
    ids=["rows", "rows, add-remove", "sketch"],
)
def test_a_worker_killed_in_any_pass_of_a_release_costs_nothing_more(tmp_path, method, asked):
    """The pass that counts, the two of the ledger's digest, and that of the release: one entry in the ledger, and a folder that verifies."""
    pytest.importorskip("distributed")
    for at in (1, 2, 3, 4):
        with local_cluster(2) as client:
            table = killing(client, make, at=at, blocks=BLOCKS, features=FEATURES)
            folder = tmp_path / f"{method} {at}"
            ledger = Ledger.create(tmp_path / f"ledger {at}")
            ledger.declare("people", epsilon=2.0, delta=1e-5, neighbours=asked.get("neighbours", REPLACE_ONE))
            own = Account(str(tmp_path / f"ledger {at}"), "people")
            made = publish(table, folder, SystemNoise(), domain=BOX, method=method, account=own, **PRIVATE, **asked)
            assert table.passes == 4
        assert ledger.spent("people").epsilon == pytest.approx(1.0)
        made.verify().require()
        if method == "additive" and not asked:
            noise = (made.values() - CLIPPED) / ADDITIVE.deviation
            assert abs(np.mean(noise**2) - 1.0) < 6.0 * np.sqrt(2.0 / noise.size)
            products = noise.reshape(BLOCKS, -1) @ noise.reshape(BLOCKS, -1).T / np.sqrt(noise.size / BLOCKS)
            assert np.max(np.abs(products - np.diag(np.diag(products)))) < 6.0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_dies_in_the_middle_of_a_release_leaves_nothing(tmp_path, account, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("discreet.cluster.dask_table._LOOK", 0.5)
    monkeypatch.setattr("discreet.cluster.dask_table._PATIENCE", 2.0)

    class Dying(DaskTable):
        __slots__ = ()

        def map_rows(self, work, jobs):
            for place, one in enumerate(super().map_rows(work, jobs)):
                if place == 0:
                    client.cluster.scale(0)
                yield one

    with local_cluster(1) as client:
        table = Dying.from_function(client, make, blocks=40 * BLOCKS, features=FEATURES)
        with pytest.raises(InvalidInput, match="a block was lost"):
            publish(table, tmp_path / "out", SystemNoise(), domain=BOX, method="additive", account=account, **PRIVATE)
    assert not (tmp_path / "out").exists()
    assert spent(tmp_path).epsilon == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_files_are_released_by_the_workers_of_a_cluster(tmp_path):
    pytest.importorskip("distributed")
    from tests.releases.cases import PEOPLE, SCHEMA

    folder = tmp_path / "people"
    folder.mkdir()
    frame = pl.DataFrame(PEOPLE)
    frame[:150].write_parquet(folder / "1.parquet", row_group_size=40)
    frame[150:].write_parquet(folder / "2.parquet", row_group_size=70)
    with local_cluster(2) as client:
        seeded = publish(folder, tmp_path / "there", SeededNoise(3), schema=SCHEMA, method="additive", client=client, **PRIVATE)
        sketched = publish(folder, tmp_path / "sketched", SeededNoise(3), schema=SCHEMA, method="sketch", client=client, rows=20, **PRIVATE)
    here = publish(folder, tmp_path / "here", SeededNoise(3), schema=SCHEMA, method="additive", n_jobs=2, **PRIVATE)
    np.testing.assert_array_equal(here.values(), seeded.values())
    whole = publish(frame, tmp_path / "whole", SeededNoise(3), schema=SCHEMA, method="sketch", rows=20, **PRIVATE)
    np.testing.assert_array_equal(whole.values(), sketched.values())
    assert json.loads((tmp_path / "there" / "manifest.json").read_text())["discreet:rows"] == len(frame)
    assert read_release(tmp_path / "there").shape == (len(frame), 3)
