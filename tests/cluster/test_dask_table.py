"""Blocks on the workers of a Dask cluster: the same results, and errors that are clear and tell no record.

The cluster is a real one, on this machine, where Dask is installed. A stand-in with the two methods that are used runs everywhere.
"""

import pickle
from concurrent.futures import Future
from functools import partial
from types import FunctionType, MethodType

import numpy as np
import pytest

import discreet
from discreet import LogisticRegression
from discreet.cluster import DaskTable, local_cluster
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Block, Domain, Records, streamed_records
from discreet.ledger import Account, Ledger
from discreet.losses.predictions import Squared
from discreet.matrices import DenseMatrix
from discreet.mechanisms.constrained import PolytopeFrankWolfe
from discreet.mechanisms.release.answers import answers, exact_moments
from discreet.noise import SeededNoise
from discreet.problems import ConstrainedRisk
from discreet.queries import Rows, SecondMoments
from discreet.sets import L1Ball
from tests.canary import CANARY, assert_silent
from tests.cluster.cluster_here import Here, reached
from tests.cluster.troubling import killing
from tests.properties.block_tables import records

ROWS, LABELS = records(3000)
BLOCKS, SIZE = 5, 600


def make(number):
    part = slice(SIZE * number, SIZE * (number + 1))
    return Block(DenseMatrix(ROWS[part]), LABELS[part])


def here(fails=()):
    client = Here(fails)
    return client, DaskTable(client, [make(number) for number in range(BLOCKS)], features=ROWS.shape[1])


def test_a_model_of_blocks_elsewhere_is_the_model_of_the_array():
    _, table = here()
    found = LogisticRegression(classes=[0, 1], random_state=1).fit(table)
    np.testing.assert_allclose(found.weights_, LogisticRegression(random_state=1, classes=[0, 1]).fit(ROWS, LABELS).weights_, atol=1e-6)


def test_no_noise_no_key_of_noise_and_no_other_record_travels():
    client, table = here()
    LogisticRegression(classes=[0, 1], random_state=1, delta=1e-6).fit(table)
    domain = Domain(features=ROWS.shape[1], entry_bound=0.8, records=len(ROWS), target_bound=1.0)
    risk = ConstrainedRisk(loss=Squared(), constraint=L1Ball(dimension=domain.features), domain=domain)
    walk = PolytopeFrankWolfe.calibrate(risk, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, steps=2)
    streamed = streamed_records(table, domain=domain)
    walk.run(risk, streamed, SeededNoise(1))
    exact_moments(SecondMoments(domain=domain), streamed)
    list(answers(Rows(domain=domain), streamed))
    b"".join(streamed.content())
    found = [one for arguments in client.sent for one in reached(arguments[0])]
    kept = ("discreet.noise", "discreet.ledger", "discreet.data.blocks", "discreet.data.block_table", "discreet.data.shared_table")
    assert not [one for one in found if type(one).__module__.startswith(kept)]
    assert not [one for one in found if isinstance(one, Records | Records | Block)]
    assert any(isinstance(one, np.ndarray) and one.size == ROWS.shape[1] for one in found)  # points do travel: the search finds what is there
    for one in found:
        if not isinstance(one, FunctionType | MethodType | partial):
            pickle.dumps(one)  # refused by whatever holds a data set


@pytest.mark.parametrize(("fails", "spent"), [((7,), 0.0), ((14,), 1.0)])
def test_a_lost_block_is_an_error_that_tells_nothing_and_the_ledger_agrees(tmp_path, fails, spent):
    """Tasks 1 to 12 count and tell the ledger which table it is, before anything is spent; the 14th is in the fit."""
    _, table = here(fails)
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=2.0, delta=1e-5)
    account = Account(str(tmp_path / "ledger"), "people")
    with pytest.raises(InvalidInput, match="a block was lost") as lost:
        LogisticRegression(classes=[0, 1], ledger=account).fit(table)
    assert_silent(lost.value)
    assert lost.value.__cause__ is None
    assert account.ledger.spent("people").epsilon == pytest.approx(spent)


def test_whatever_goes_wrong_on_a_worker_is_said_without_a_record():
    def bad(number):
        raise ValueError(f"{CANARY}")

    _, table = here()
    with pytest.raises(InvalidInput, match="a block was lost") as refused:
        list(table.map(lambda number, block: bad(number), 1))
    assert_silent(refused.value)
    with pytest.raises(InvalidInput, match="y contains a label that is not one of the declared"):
        LogisticRegression(classes=[0, 2]).fit(table)


def test_a_table_without_blocks_is_refused():
    with pytest.raises(InvalidInput, match="at least one block"):
        DaskTable(Here(), [], features=2)


class Deserted(Here):
    """A cluster that has lost its last worker."""

    def __init__(self, back_after):
        super().__init__()
        self.looks = 0
        self.back_after = back_after
        self.late = []

    def submit(self, function, *arguments, pure):
        future = Future()
        self.late.append((future, super().submit(function, *arguments, pure=pure)))
        return future

    def scheduler_info(self, n_workers):
        self.looks += 1
        if self.looks >= self.back_after:
            while self.late:
                future, done = self.late.pop()
                future.set_result(done.result())
        return {"workers": {}}


def test_a_cluster_without_workers_is_waited_for_but_not_for_ever(monkeypatch):
    monkeypatch.setattr("discreet.cluster.dask_table._LOOK", 0.01)
    monkeypatch.setattr("discreet.cluster.dask_table._PATIENCE", 0.1)
    for back_after, found in ((3, BLOCKS), (1000, None)):
        client = Deserted(back_after)
        table = DaskTable(client, [make(number) for number in range(BLOCKS)], features=ROWS.shape[1])
        if found is None:
            with pytest.raises(InvalidInput, match="a block was lost"):
                list(table.map(lambda number, block: number, 1))
            assert client.looks == 10
        else:
            assert list(table.map(lambda number, block: number, 1)) == list(range(found))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_in_any_pass_changes_neither_the_model_nor_the_ledger(tmp_path):
    """The pass that counts, those of the ledger's digest, those of the solver, and the certificate's, which is the last."""
    pytest.importorskip("distributed")

    def fitted(name, at):
        Ledger.create(tmp_path / name).declare("people", epsilon=2.0, delta=1e-5)
        account = Account(str(tmp_path / name), "people")
        table = killing(client, make, at=at, blocks=BLOCKS, features=ROWS.shape[1])
        weights = LogisticRegression(classes=[0, 1], random_state=1, ledger=account).fit(table).weights_
        assert account.ledger.spent("people").epsilon == pytest.approx(1.0)
        return weights, table.passes

    found = []
    for name in range(4):
        with local_cluster(2) as client:
            if not name:
                expected, passes = fitted("whole", 0)
            found.append(fitted(f"killed, {name}", (1, 2, passes // 2, passes)[name])[0])
    for weights in found:
        np.testing.assert_array_equal(weights, expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_real_cluster_gives_the_same():
    pytest.importorskip("distributed")
    domain = Domain(features=ROWS.shape[1], entry_bound=0.8, records=len(ROWS), target_bound=1.0)
    risk = ConstrainedRisk(loss=Squared(), constraint=L1Ball(dimension=domain.features), domain=domain)
    held = Records(rows=DenseMatrix(ROWS), targets=1.0 * LABELS, domain=domain)
    with local_cluster(2) as client:
        table = DaskTable.from_function(client, make, blocks=BLOCKS, features=ROWS.shape[1])
        expected = LogisticRegression(classes=[0, 1], random_state=1).fit(table)
        np.testing.assert_allclose(expected.weights_, LogisticRegression(random_state=1, classes=[0, 1]).fit(ROWS, LABELS).weights_, atol=1e-6)
        streamed = streamed_records(table, domain=domain)
        np.testing.assert_array_equal(*(exact_moments(SecondMoments(domain=domain), some) for some in (streamed, held)))
        walk = PolytopeFrankWolfe.calibrate(risk, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, steps=5)
        np.testing.assert_allclose(walk.run(risk, streamed, SeededNoise(1)).value, walk.run(risk, held, SeededNoise(1)).value, atol=1e-9)


def test_some_of_its_blocks_say_the_periods_of_its_times():
    table = DaskTable(Here(), [make(number) for number in range(BLOCKS)], features=ROWS.shape[1])
    table.ends = (1.0, 2.0)
    assert table.few(2).ends == (1.0, 2.0)


@pytest.mark.parametrize("name", ["Cluster", "DaskTable", "local_cluster"])
def test_a_name_of_the_part_is_found_among_tables_too(name):
    assert getattr(discreet.data, name) is getattr(discreet.cluster, name)
    with pytest.raises(AttributeError):
        discreet.data.Clusters  # noqa: B018
