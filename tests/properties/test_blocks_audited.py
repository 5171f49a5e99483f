"""Laws of tables in row blocks, continued: what is promised of a fit holds on neighbouring tables in blocks, and an audit sees where it does not.

The tables are neighbours under add-remove: short records, and one of about the largest norm more. A table that shows this record twenty times in
every pass is the fault that is planted: its release claims what holds for once. The confidence is 1 - 1e-7 in each audit, and bounds with the fault
exceed the claim by eight standard deviations or more.
"""

from itertools import count

import numpy as np
import pytest
from sklearn.base import clone

from discreet import KernelClassifier, LinearSVC, LogisticRegression
from discreet.audit import Claim, audit, membership_inference, one_run_audit
from discreet.audit.fits import many_fits, single_fits
from discreet.audit.learning import certificate_audit
from discreet.core.errors import InvalidInput
from discreet.data import BlockTable
from discreet.evaluation import prepare
from discreet.evaluation.private import measure_blocks
from discreet.matrices import as_matrix
from discreet.noise import SeededNoise
from tests.properties.block_tables import TABLES, two_tables

CLAIM = Claim(epsilon=1.0)
SURE = 1.0 - 1e-7
SHORT = np.tile([[0.0, -0.05]], (900, 1))
RECORD = np.array([[0.9, 0.4]])
FAULT = 20
SETTINGS = {"epsilon": 1.0, "neighbours": "add-remove", "classes": [0, 1]}
ESTIMATORS = [LogisticRegression(**SETTINGS), KernelClassifier(n_features=2, gamma=2.0, **SETTINGS)]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)


@pytest.fixture
def pair(kind, tmp_path):
    """The table with the record `times`, and the one without it."""

    def made(times):
        tables = []
        for often in (times, 0):
            folder = tmp_path / f"{often} of {times}"
            folder.mkdir()
            labels = np.append(np.ones(len(SHORT), dtype=np.int64), [0] * often)
            tables.append(TABLES[kind](np.vstack((SHORT, *[RECORD] * often)), labels, folder))
        return tuple(tables)

    return made


def audited(run, tables, **settings):
    return audit(run, tables, CLAIM, runs=1000, confidence=SURE, batch=True, **settings)


@pytest.mark.at_most(1)
@two_tables
@each_estimator
def test_a_fit_keeps_its_promise_and_an_audit_sees_a_record_that_counts_twenty_times(pair, estimator):
    found = audited(many_fits(estimator), pair(1))
    assert not found.violated, found
    faulty = audited(many_fits(estimator), pair(FAULT))
    assert faulty.violated, faulty


@pytest.mark.at_most(1)
@two_tables
@pytest.mark.parametrize("times", [1, 60])
def test_an_evaluation_keeps_its_promise_and_an_audit_sees_a_record_that_counts_sixty_times(pair, times):
    """Sixty, since there are fewer runs: noise of scale 1 moves an event with a probability of e^-30 then."""
    model = LogisticRegression(classes=[0, 1], random_state=0).fit(SHORT, np.arange(len(SHORT)) % 2)
    prepared = prepare(model, epsilon=1.0, neighbours="add-remove", metrics="accuracy")

    def run(table, seed):
        return measure_blocks(prepared, model, table, SeededNoise(seed)).value

    found = audit(run, pair(times), CLAIM, runs=150, confidence=SURE)
    assert found.violated is (times == 60), found


@two_tables
@pytest.mark.parametrize("estimator", [LogisticRegression(delta=1e-6, **SETTINGS), LinearSVC(**SETTINGS), KernelClassifier(n_features=2, **SETTINGS)])
def test_the_certificate_of_a_fit_is_audited_exactly(pair, estimator):
    found = certificate_audit(clone(estimator).fit(pair(1)[0]).certificate_)
    assert not found.violated
    assert found.bound > 0.4


@two_tables
@pytest.mark.parametrize(("epsilon", "violated"), [(1.0, False), (300.0, True)])
def test_canaries_in_a_table_in_blocks_tell_a_fit_that_spends_more(kind, tmp_path, epsilon, violated):
    """Each canary has a feature of its own; the fit that claims epsilon = 1 may spend 300. Its noise is then a tenth of what a canary moves."""
    canaries = 200
    public = {"neighbours": "add-remove", "classes": [0, 1], "fit_intercept": False, "alpha": 1e-3, "public_records": 1000}
    model = LogisticRegression(epsilon=epsilon, **public)

    def guess(coins):
        rows = np.vstack((np.zeros((800, canaries)), np.eye(canaries)[coins]))
        table = TABLES[kind](rows, np.append(np.zeros(800, dtype=np.int64), np.ones(int(coins.sum()), dtype=np.int64)), tmp_path)
        return model.fit(table).coef_[0]

    found = one_run_audit(guess, CLAIM, canaries=canaries, guesses=100, confidence=SURE)
    assert found.violated is violated, found


def test_single_fits_and_inference_take_tables_in_blocks(tmp_path):
    tables = []
    for name, rows in (("a", np.vstack((SHORT[:5], RECORD))), ("b", SHORT[:5])):
        (tmp_path / name).mkdir()
        tables.append(TABLES["mapped-npy"](rows, np.arange(len(rows)) % 2, tmp_path / name))
    model = LinearSVC(**SETTINGS)
    assert single_fits(model)(tables[0], 2).shape == (2, 3)
    found = membership_inference(many_fits(model), tuple(tables), CLAIM, runs=200, confidence=SURE, batch=True)
    assert not found.violated


class Stutter(BlockTable):
    """Another table, which shows its last record twice in one of its passes."""

    __slots__ = ("_passes", "_table", "_wrong")

    def __init__(self, table, wrong):
        super().__init__(table.features, slow=table.slow)
        self._table, self._wrong, self._passes = table, wrong, count()

    def map(self, work, jobs):
        twice = next(self._passes) == self._wrong
        blocks = list(self._table.map(lambda number, block: (number, block), jobs))
        for number, block in blocks:
            last = number == len(blocks) - 1
            yield work(number, _with_the_last_again(block) if twice and last else block)


def _with_the_last_again(block):
    rows = block.rows.matvec(np.eye(block.rows.shape[1]))
    return block._replace(rows=as_matrix(np.vstack((rows, rows[-1:]))), targets=np.append(block.targets, block.targets[-1:]))


@two_tables
@each_estimator
@pytest.mark.parametrize("wrong", [0, 1, 2, 3])
def test_a_table_that_shows_a_record_twice_in_one_pass_is_refused(pair, estimator, wrong):
    with pytest.raises(InvalidInput, match="the table changed while it was being read"):
        clone(estimator).fit(Stutter(pair(1)[0], wrong))
