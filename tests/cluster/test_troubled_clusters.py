"""One to three workers that stop, die or slow down, and schedulers that do: the fit of the same records, or one sentence and a ledger that agrees.

The cluster and its clock are invented, so that hours pass in no time. What really happens to real workers is in `test_own_cluster.py`.
"""

import logging
import math
import threading
from concurrent.futures import CancelledError, Future
from types import SimpleNamespace

import numpy as np
import pytest

from discreet import LogisticRegression
from discreet.cluster import Cluster, DaskTable, quiet
from discreet.core.errors import InvalidInput
from discreet.data import Block
from discreet.ledger import Account, Ledger
from discreet.matrices import DenseMatrix
from tests.canary import CANARY, assert_silent
from tests.cluster.cluster_here import Handle, Here
from tests.properties.block_tables import records

ROWS, LABELS = records(300)
BLOCKS, SIZE = 6, 50
MISSED = 300.0
"""Seconds after which a scheduler takes a silent worker for dead."""
REPLACED = 11.0
"""Seconds after which it knows that one is dead."""
SLOW = 600.0
"""Seconds of a task on a slow worker: less than the deadline, and a pass takes several of them."""


def make(number):
    part = slice(SIZE * number, SIZE * (number + 1))
    return Block(DenseMatrix(ROWS[part]), LABELS[part])


class Clock:
    """Seconds that pass only where somebody waits."""

    now = 0.0

    def monotonic(self):
        return self.now


class Task:
    """A task that is ready at some time, or never."""

    def __init__(self, clock, ready, work):
        self.clock, self.ready, self.work = clock, ready, work

    def done(self):
        return self.clock.now >= self.ready

    def result(self, timeout):
        if self.ready > self.clock.now + timeout:
            self.clock.now += timeout
            raise TimeoutError
        self.clock.now = max(self.clock.now, self.ready)
        return self.work()


class Troubled(Here):
    """Workers 0, 1, ..: from the task `begins` on, `victims` of them are in trouble; the others do their work in a second a task."""

    def __init__(self, clock, workers=1, victims=0, trouble="", begins=0):
        super().__init__()
        self.clock, self.workers, self.victims, self.trouble, self.begins = clock, workers, victims, trouble, begins
        self.begun = math.inf

    def alive(self):
        """Those that the scheduler knows of."""
        missed = {"stopped": MISSED, "killed": 0.0, "slowed": math.inf, "": math.inf}[self.trouble]
        gone = self.victims if self.clock.now >= self.begun + missed and (self.trouble == "killed" or self.victims < self.workers) else 0
        return list(range(gone, self.workers))

    def nthreads(self):
        return {str(worker): 1 for worker in self.alive()}

    def who_has(self, handles):
        alive = self.alive()
        return {handle.key: [str(alive[handle.key % len(alive)])] for handle in handles} if alive else {}

    def scheduler_info(self, n_workers):
        return {"workers": self.nthreads()}

    def submit(self, function, *arguments, pure):
        if len(self.sent) == self.begins:
            self.begun = self.clock.now
        number = len(self.sent)
        self.sent.append(arguments)
        work, numbers, handles, make = arguments
        blocks = [one.block if isinstance(one, Handle) else one for one in handles]
        return Task(self.clock, self.clock.now + self.takes(number), lambda: function(work, numbers, blocks, make))

    def takes(self, number):
        alive = self.alive()
        worker = alive[number % len(alive)] if alive else 0
        if worker >= self.victims or number < self.begins:
            return 1.0
        survivors = self.victims < self.workers
        return {"killed": REPLACED if survivors else math.inf, "stopped": MISSED + 11.0 if survivors else math.inf, "slowed": SLOW}[self.trouble]


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("discreet.cluster.dask_table.time", clock)
    return clock


def fitted(client, ledger):
    ledger.parent.mkdir(exist_ok=True)
    Ledger.create(ledger).declare("people", epsilon=2.0, delta=1e-5)
    account = Account(str(ledger), "people")
    table = DaskTable(client, [make(number) for number in range(BLOCKS)], features=ROWS.shape[1])
    try:
        return LogisticRegression(classes=[0, 1], random_state=1, ledger=account).fit(table).weights_, None, account
    except InvalidInput as error:
        return None, error, account


@pytest.mark.at_most(2)
@pytest.mark.parametrize("trouble", ["killed", "stopped", "slowed"])
@pytest.mark.parametrize(("workers", "victims"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)])
def test_workers_in_trouble_at_every_stage_change_nothing_or_end_the_fit_in_one_sentence(tmp_path, clock, workers, victims, trouble):
    whole = Troubled(clock, workers)
    expected, _, _ = fitted(whole, tmp_path / "whole")
    tasks = len(whole.sent)
    assert tasks >= 5 * workers  # counted, digested twice, solved, certified
    for begins in (0, workers, 3 * workers, tasks - 1):
        clock.now = 0.0
        found, error, account = fitted(Troubled(clock, workers, victims, trouble, begins), tmp_path / str(begins))
        if victims < workers or trouble == "slowed":
            np.testing.assert_array_equal(found, expected)
            assert account.ledger.spent("people").epsilon == pytest.approx(1.0)
            assert trouble != "slowed" or begins == tasks - 1 or clock.now > 900.0  # longer than the deadline, with progress
        else:
            assert_silent(error)
            assert {"killed": "a block was lost", "stopped": "has finished nothing for 900 seconds"}[trouble] in str(error)
            assert "what the ledger says is spent" in str(error)
            assert account.ledger.spent("people").epsilon == pytest.approx(0.0 if begins < 3 * workers else 1.0)
            assert clock.now < 920.0 + tasks


@pytest.mark.parametrize("deadline", [5.0, pytest.param(2000.0, marks=pytest.mark.more), math.inf])
def test_the_deadline_is_the_users(tmp_path, clock, deadline):
    found, error, _ = fitted(Cluster(client=Troubled(clock, 1, 1, "slowed"), deadline=deadline), tmp_path / "ledger")
    assert (found is None) == (deadline < SLOW)
    assert error is None or "has finished nothing for 5 seconds" in str(error)


@pytest.mark.parametrize("deadline", [0.0, -1.0, math.nan])
def test_a_deadline_that_is_none_is_refused(deadline):
    with pytest.raises(InvalidInput, match="positive number of seconds"):
        Cluster(client=Here(), deadline=deadline)


LOSSES = [OSError(CANARY), RuntimeError(CANARY), CancelledError(CANARY)]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
@pytest.mark.parametrize("question", ["compute", "who_has", "nthreads", "submit", "scheduler_info", "result"])
def test_a_scheduler_that_is_gone_is_one_sentence_whatever_it_was_asked(question, loss):
    class Lost(Here):
        def submit(self, function, *arguments, pure):
            future = Future()
            future.set_exception(CancelledError(CANARY) if question == "result" else TimeoutError())
            return future

        def scheduler_info(self, n_workers):
            return {"workers": {}}

    def lose(*given, **named):
        raise loss

    client = Lost()
    if question != "result":
        setattr(client, question, lose)
    with pytest.raises(InvalidInput, match="the scheduler of the Dask cluster has stopped or does") as refused:
        list(DaskTable(client, [make(0), make(1)], features=ROWS.shape[1]).map(lambda number, block: number, 1))
    assert_silent(refused.value)


@pytest.mark.parametrize("answers", [True, False])
@pytest.mark.parametrize("fault", [OSError, RuntimeError, KeyError])
def test_whatever_a_task_fails_with_the_scheduler_is_blamed_where_it_is_gone_and_only_there(fault, answers):
    """A client that has lost its scheduler fails in as many ways as it had things to do."""

    class Failing(Here):
        def submit(self, function, *arguments, pure):
            future = Future()
            future.set_exception(fault(CANARY))
            if not answers:
                self.nthreads = future.result
            return future

    with pytest.raises(InvalidInput, match="a block was lost" if answers else "the scheduler of the Dask cluster has stopped or does") as refused:
        list(DaskTable(Failing(), [make(0)], features=ROWS.shape[1]).map(lambda number, block: number, 1))
    assert_silent(refused.value)


@pytest.mark.parametrize("question", ["who_has", "nthreads"])
def test_a_scheduler_that_hangs_is_not_waited_for_for_ever(question):
    client, end = Here(), threading.Event()
    setattr(client, question, lambda *given: end.wait(60.0))
    with pytest.raises(InvalidInput, match="does not answer"):
        list(DaskTable(Cluster(client=client, deadline=0.05), [make(0)], features=ROWS.shape[1]).map(lambda number, block: number, 1))
    end.set()


def test_a_cluster_that_cannot_even_be_told_that_the_pass_is_over_delays_nothing(monkeypatch):
    monkeypatch.setattr("discreet.cluster.terms._PARTING", 0.05)
    end = threading.Event()

    class Deaf(Here):
        def submit(self, function, *arguments, pure):
            return super().submit(function, *arguments, pure=pure) if 0 in arguments[1] else Task(Clock(), math.inf, None)

        def cancel(self, futures):
            end.wait(60.0)

    passes = DaskTable(Deaf(), [make(number) for number in range(BLOCKS)], features=ROWS.shape[1]).map(lambda number, block: number, 1)
    assert next(passes) == 0
    passes.close()
    end.set()


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:8786", "ws://10.0.0.1", "ucx://10.0.0.1", "10.0.0.1:8786"])
def test_a_cluster_that_lets_in_everyone_is_refused_unless_that_is_said(address):
    client = Here()
    client.scheduler = SimpleNamespace(address=address)
    for table in (
        lambda given: DaskTable(given, [make(0)], features=ROWS.shape[1]),
        lambda given: DaskTable.from_function(given, make, blocks=1, features=ROWS.shape[1], remember=False),
    ):
        with pytest.raises(InvalidInput, match="not encrypted"):
            table(client)
        assert client.sent == []
        assert list(table(Cluster(client=client, insecure=True)).map(lambda number, block: number, 1)) == [0]
        client.sent.clear()
    for safe in ("tls://10.0.0.1:8786", "inproc://10.0.0.1/1/1"):
        client.scheduler = SimpleNamespace(address=safe)
        DaskTable(client, [make(0)], features=ROWS.shape[1])


def test_what_dask_logs_is_not_shown_and_afterwards_is_again(caplog):
    talkers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado.application", "asyncio")]
    talkers[1].setLevel(logging.WARNING)  # as Dask sets it: a level of its own, which its parent's does not change
    with quiet():
        with quiet():
            pass
        for one in talkers:
            one.critical(CANARY)
    assert caplog.text == ""
    for one in talkers:
        one.critical("afterwards")
    assert caplog.text.count("afterwards") == len([one for one in talkers if one.propagate])
