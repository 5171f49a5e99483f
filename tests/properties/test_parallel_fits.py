"""Laws of many fits: a search gives on every kind of block what it gives in memory, and any number of threads gives the same bits.

Two levels of threads, over blocks and over fits, never both at once. The noise of a fit is its own. The ledger is right whatever fails.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from discreet import KernelClassifier, LassoClassifier, LinearSVC, LogisticRegression, PrivateSearchCV
from discreet.core.errors import InvalidInput, SolverFailure, VerificationFailure
from discreet.data import Block, BlockTable, FunctionTable
from discreet.ledger import Account, Ledger
from discreet.ledger.entries import State
from discreet.solvers import solve
from tests.properties.block_tables import TABLES, records, two_tables

ROWS, LABELS = records()
THREE = (LABELS + (ROWS[:, 0] > 0.2)).astype(np.int64)
GRID = {"alpha": [0.05, 0.5]}
JOBS = (1, 2, 5)
METHODS = ("random-stopping", "algorithm-4")
each_relation = pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])


@pytest.fixture
def table(kind: str, tmp_path: Path) -> BlockTable:
    return TABLES[kind](ROWS, LABELS, tmp_path)


def inner(neighbours: str = "replace-one", **given: object) -> LinearSVC:
    public = {"public_records": len(ROWS)} if neighbours == "add-remove" else {}
    return LinearSVC(classes=[0, 1], neighbours=neighbours, **public, **given)


def search(chosen: object = None, **given: object) -> PrivateSearchCV:
    settings = {"epsilon": 4.0, "delta": 1e-6, "expected_runs": 4.0, "random_state": 5, **given}
    return PrivateSearchCV(inner() if chosen is None else chosen, settings.pop("grid", GRID), **settings)


def kept(made: PrivateSearchCV) -> list[np.ndarray]:
    return [np.array([made.best_index_, made.best_score_]), made.best_estimator_.weights_]


def same(first: list[np.ndarray], *others: list[np.ndarray]) -> None:
    for other in others:
        for one, two in zip(first, other, strict=True):
            np.testing.assert_array_equal(one, two)


@two_tables
@each_relation
def test_a_search_is_the_search_in_memory(table, neighbours):
    """Random stopping: the same runs, the same fits up to rounding, and so the same winner with the same score."""
    expected, found = (search(inner(neighbours)).fit(*given) for given in ((ROWS, LABELS), (table,)))
    np.testing.assert_allclose(found.best_estimator_.weights_, expected.best_estimator_.weights_, atol=1e-9)
    assert found.best_score_ == expected.best_score_
    assert found.certificate_.guarantee == expected.certificate_.guarantee
    assert found.certificate_.parameters == expected.certificate_.parameters
    np.testing.assert_array_equal(found.predict(table), found.predict(ROWS))


@two_tables
@each_relation
def test_parts_of_a_table_in_blocks_can_be_searched(table, neighbours):
    found = search(inner(neighbours), method="algorithm-4", random_state=None).fit(table)
    assert found.certificate_.verify(found.best_estimator_.weights_).ok
    assert found.score(ROWS, LABELS) > 0.8


@pytest.mark.more
@two_tables
@pytest.mark.parametrize("method", METHODS)
def test_any_number_of_threads_gives_the_same_search_of_blocks(table, method):
    same(*(kept(search(method=method, n_jobs=jobs).fit(table)) for jobs in JOBS))


@pytest.mark.at_most(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("chosen", "labels"),
    [
        (inner(), LABELS),
        (LogisticRegression(classes=[0, 1, 2]), THREE),
        (LogisticRegression(classes=[0, 1, 2], multi_class="one-vs-rest"), THREE),
        (KernelClassifier(n_features=20, classes=[0, 1]), LABELS),
    ],
    ids=["two classes", "multinomial", "one-vs-rest", "kernel"],
)
def test_any_number_of_threads_gives_the_same_search_in_memory(method, chosen, labels):
    same(*(kept(search(chosen, method=method, n_jobs=jobs, epsilon=8.0).fit(ROWS, labels)) for jobs in JOBS))


def test_other_estimators_can_be_searched_in_blocks_and_in_memory():
    """Without a plan from public numbers: from a fit on zeros, in blocks as well."""
    lasso = LassoClassifier(classes=[0, 1], n_iter=10)
    given = {"grid": {"radius": [1.0, 3.0]}, "expected_runs": 2.0}
    expected = search(lasso, **given).fit(ROWS, LABELS)
    found = search(lasso, **given).fit(TABLES["generated"](ROWS, LABELS, None))
    np.testing.assert_allclose(found.best_estimator_.coef_, expected.best_estimator_.coef_, atol=1e-9)
    assert found.certificate_.parameters == expected.certificate_.parameters


MANY = {
    "two classes": (LogisticRegression(epsilon=2.0, classes=[0, 1]), LABELS, 150),
    "heavy noise": (LinearSVC(epsilon=0.02, classes=[0, 1]), LABELS, 100),
    "one-vs-rest, few": (LogisticRegression(epsilon=4.0, classes=[0, 1, 2], multi_class="one-vs-rest"), THREE, 5),
    "one-vs-rest, many": (LogisticRegression(epsilon=4.0, classes=[0, 1, 2], multi_class="one-vs-rest"), THREE, 200),
    "multinomial": (LogisticRegression(epsilon=4.0, classes=[0, 1, 2]), THREE, 7),
    "kernel": (KernelClassifier(epsilon=2.0, n_features=20, classes=[0, 1]), LABELS, 70),
}


@pytest.mark.at_most(2)
@pytest.mark.parametrize(("model", "labels", "count"), MANY.values(), ids=MANY)
def test_any_number_of_threads_gives_the_same_many_fits(model, labels, count):
    def fits(jobs: int) -> list[np.ndarray]:
        found = model.set_params(n_jobs=jobs, random_state=3).fit_many(ROWS, labels, count=count)
        return [found.coef, found.intercept]

    found = [fits(jobs) for jobs in JOBS]
    same(*found)
    assert len(np.unique(found[0][0].reshape(count, -1), axis=0)) == count  # each fit has noise of its own


@pytest.mark.more
@two_tables
def test_any_number_of_threads_gives_the_same_many_fits_of_blocks(table):
    model = LogisticRegression(epsilon=2.0, classes=[0, 1], random_state=3)
    same(*([model.set_params(n_jobs=jobs).fit_many(table, count=70).coef] for jobs in JOBS))


def test_any_number_of_threads_gives_the_same_fit_of_classes():
    model = LogisticRegression(epsilon=4.0, classes=[0, 1, 2], multi_class="one-vs-rest", random_state=3)
    same(*([model.set_params(n_jobs=jobs).fit(ROWS, THREE).weights_] for jobs in JOBS))


def test_threads_are_over_fits_or_over_blocks_but_not_over_both(monkeypatch):
    """Rows in memory: fits in several threads, each by itself. Blocks: one fit after the other."""
    fitting, reading = set(), set()
    fit = LinearSVC.fit

    def listening(self, X, y=None):
        fitting.add(threading.get_ident())
        return fit(self, X, y)

    def make(number: int):
        reading.add(threading.get_ident())
        return blocks(number)

    monkeypatch.setattr(LinearSVC, "fit", listening)
    search(n_jobs=2, expected_runs=12.0).fit(ROWS, LABELS)
    assert threading.get_ident() not in fitting
    fitting.clear()
    blocks = generated()
    search(n_jobs=2).fit(FunctionTable(make, blocks=5, features=ROWS.shape[1]))
    assert fitting == {threading.get_ident()}
    assert threading.get_ident() not in reading


def generated(fails_from: int | None = None) -> Callable[[int], Block]:
    """The blocks of a table, which cannot be read any more after so many reads."""
    found: Iterator = TABLES["generated"](ROWS, LABELS, None).map(lambda _, block: block, 1)
    blocks, reads = list(found), [0]

    def make(number: int) -> Block:
        reads[0] += 1
        if fails_from is not None and reads[0] > fails_from:
            raise InvalidInput("this block is gone")
        return blocks[number]

    return make


@pytest.fixture
def account(tmp_path: Path) -> Account:
    path = tmp_path / "ledger"
    Ledger.create(path).declare("people", epsilon=9.0, delta=1e-5)
    return Account(str(path), "people")


@pytest.mark.parametrize("jobs", JOBS)
@pytest.mark.parametrize("method", METHODS)
def test_a_fit_that_fails_in_the_middle_counts_as_spent(account, method, jobs, monkeypatch):
    fit, calls = LinearSVC.fit, []

    def failing(self, X, y=None):
        calls.append(self)
        if len(calls) == 2:
            raise SolverFailure("no")
        return fit(self, X, y)

    monkeypatch.setattr(LinearSVC, "fit", failing)
    made = search(method=method, n_jobs=jobs, ledger=account, random_state=1)
    if method == "algorithm-4":
        with pytest.raises(SolverFailure):
            made.fit(ROWS, LABELS)
    else:  # one run with the worst score
        made.fit(ROWS, LABELS)
    (entry,) = account.ledger.history("people")
    assert entry.state is (State.RESERVED if method == "algorithm-4" else State.SETTLED)
    assert account.ledger.spent("people").epsilon == pytest.approx(4.0)
    assert ("best_estimator_" in vars(made)) == (method == "random-stopping")
    assert threading.active_count() == len(threading.enumerate())
    assert not [one for one in threading.enumerate() if one.name.startswith("discreet")]


@pytest.mark.parametrize("jobs", JOBS)
@pytest.mark.parametrize(("reads", "spent"), [(3, 0.0), (12, 0.0), (31, 4.0)], ids=["while counting", "for the ledger", "in a fit"])
def test_a_block_that_is_lost_ends_the_search_and_the_ledger_agrees(account, jobs, reads, spent):
    table = FunctionTable(generated(fails_from=reads), blocks=5, features=ROWS.shape[1])
    made = search(n_jobs=jobs, ledger=account)
    with pytest.raises(InvalidInput, match="gone"):
        made.fit(table)
    assert account.ledger.spent("people").epsilon == pytest.approx(spent)
    assert "best_estimator_" not in vars(made)


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.more), 2])
def test_many_fits_of_which_one_fails_count_as_spent(account, jobs, monkeypatch):
    """More classes: every draw is a fit of its own."""
    calls = []

    def failing(*given, **options):
        calls.append(given)
        if len(calls) == 3:
            raise SolverFailure("no")
        return solve(*given, **options)

    monkeypatch.setattr("discreet.mechanisms.learning.base.solve", failing)
    model = LogisticRegression(epsilon=1.0, classes=[0, 1, 2], ledger=account, n_jobs=jobs)
    with pytest.raises(SolverFailure):
        model.fit_many(ROWS, THREE, count=5)
    assert 5**0.5 < account.ledger.spent("people").epsilon < 5.0


def test_a_table_that_changes_between_two_fits_is_an_error(account):
    blocks, reads = generated(), [0]

    def make(number: int) -> Block:
        reads[0] += 1
        block = blocks(number)
        return block if reads[0] <= 40 else Block(block.rows.rows(slice(0, 150)), block.targets[:150])

    with pytest.raises((InvalidInput, VerificationFailure), match=r"changed|differs"):
        search(ledger=account, n_jobs=2).fit(FunctionTable(make, blocks=5, features=ROWS.shape[1]))
    assert account.ledger.spent("people").epsilon == pytest.approx(4.0)
