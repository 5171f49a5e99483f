"""Persons whose rows lie on two workers of a Dask cluster: the certificate and the weights of the same rows in memory, and no id travels."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from discreet import Lasso, LinearRegression, LinearSVC, LogisticRegression
from discreet.audit.claim import Target
from discreet.audit.drawn.persons import owned_rows
from discreet.audit.persons import WorstPerson
from discreet.cli.audit_persons import persons_watch
from discreet.cluster import DaskTable, local_cluster
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Persons
from discreet.data import Block, Records
from discreet.matrices import DenseMatrix
from tests.cluster.cluster_here import Here, reached

DRAW = np.random.default_rng(7)
BLOCKS, SIZE = 6, 250
ROWS = DRAW.uniform(-0.5, 0.5, (BLOCKS * SIZE, 4))
LABELS = (ROWS[:, 0] + 0.2 * DRAW.normal(size=len(ROWS)) > 0).astype(int)
KINDS = LABELS + (ROWS[:, 1] > 0.2)
OWNERS = DRAW.integers(0, 300, len(ROWS))
"""Five rows a person, in any blocks."""
IDS = np.array([f"person {owner:04}" for owner in OWNERS])
MODELS = {
    "two classes": (LogisticRegression(classes=[0, 1], class_weight={1: 2.0}), LABELS),
    "add-remove": (LinearSVC(classes=[0, 1], neighbours="add-remove", person_weight="row"), LABELS),
    "output": (LogisticRegression(classes=[0, 1], mechanism="output", delta=0.0), LABELS),
    "multinomial": (LogisticRegression(classes=[0, 1, 2]), KINDS),
    "one against the rest": (LinearSVC(classes=[0, 1, 2]), KINDS),
    "lasso": (Lasso(n_iter=5, target_bound=1.0), LABELS - 0.5),
    "moments": (LinearRegression(mechanism="moments", target_bound=1.0), LABELS - 0.5),
}


def maker(targets):
    """Makes block k wherever it is called: it takes the arrays along, and nothing of this module."""
    rows, ids, size = ROWS, IDS, SIZE

    def make(number):
        part = slice(size * number, size * (number + 1))
        return Block(DenseMatrix(rows[part]), targets[part], None, pl.Series(ids[part]))

    return make


def here(targets, **given):
    client = Here(**given)
    return client, DaskTable(client, list(map(maker(targets), range(BLOCKS))), features=4)


def compared(model, targets, table):
    model = clone(model).set_params(rows_per_person=3, random_state=11)
    held = clone(model).fit(ROWS, targets, persons=IDS)
    found = clone(model).fit(table)
    for same in ("problem", "parameters", "guarantee", "hypotheses", "noise", "declared"):
        assert getattr(found.certificate_, same) == getattr(held.certificate_, same), same
    if isinstance(model, LinearRegression):  # sums of integers
        np.testing.assert_array_equal(found.weights_, held.weights_)
    np.testing.assert_allclose(found.weights_, held.weights_, atol=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Dask, at the end of its processes
def test_two_workers_fit_scattered_persons_as_memory_does():
    pytest.importorskip("distributed")
    with local_cluster(2) as client:
        for model, targets in MODELS.values():
            for remember in (True, False):
                compared(model, targets, DaskTable.from_function(client, maker(targets), blocks=BLOCKS, features=4, remember=remember))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_two_workers_fit_has_the_noise_of_persons_around_its_centre(monkeypatch):
    """The watch of persons, its table on the cluster; and it sees a table whose ids say nothing in other blocks."""
    pytest.importorskip("distributed")
    with local_cluster(2) as client:
        for apart, stated in ((0, True), (100_000, False)):

            def table(owned, weights, apart=apart):
                rows, signs, ids = owned.rows, owned.signs, owned.ids

                def make(number):
                    some = slice(number, None, 3)
                    return Block(DenseMatrix(rows[some]), signs[some], weights[some], ids[some] + apart * number)

                return DaskTable.from_function(client, make, blocks=3, features=2)

            monkeypatch.setattr(type(owned_rows(None)), "table", table)
            assert watched().as_stated is stated


def watched():
    return persons_watch(Target(epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, person=WorstPerson(rule=Persons(rows=4))))


@pytest.mark.parametrize("name", MODELS)
def test_no_id_nor_record_travels_and_shares_go_with_their_blocks_alone(name):
    model, targets = MODELS[name]
    client, table = here(targets)
    compared(model, targets, table)
    travelled = [one for arguments in client.sent for one in reached(arguments[0])]
    travelled += [value for one in travelled if isinstance(one, dict) for value in one.values()]
    assert not [one for one in travelled if isinstance(one, Records | Block)]
    assert not [one for one in travelled if isinstance(one, str) and one.startswith("person 0")]
    assert not [one for one in travelled if type(one).__module__.startswith(("discreet.noise", "discreet.ledger"))]
    counts = [one for one in travelled if isinstance(one, np.ndarray) and one.dtype == np.uint8]
    assert counts  # shares do travel: the search finds what is there
    assert all(len(one) == SIZE for one in counts)


def test_a_lost_block_says_nothing_of_persons():
    model = LogisticRegression(classes=[0, 1], rows_per_person=3)
    with pytest.raises(InvalidInput, match="a block was lost") as lost:
        model.fit(here(LABELS, fails=(2,))[1])
    assert "person 0" not in str(lost.value)
