"""Regressions on blocks of a Dask cluster: what travels, and a worker that dies in the fit. A stand-in for the client runs everywhere."""

import numpy as np
import pytest

from discreet import ConstrainedERM, Lasso, LinearRegression
from discreet.cluster import DaskTable, local_cluster
from discreet.core.errors import InvalidInput
from discreet.data import Block, Records
from discreet.ledger import Account, Ledger
from discreet.matrices import DenseMatrix
from tests.canary import assert_silent
from tests.cluster.cluster_here import Here, reached
from tests.cluster.troubling import killing
from tests.properties.block_tables import records

ROWS, LABELS = records(3000)
TARGETS = np.clip(ROWS[:, 0] - 0.5 * ROWS[:, 2] + 0.1 * LABELS, -1.0, 1.0)
BLOCKS, SIZE = 5, 600
MODELS = {
    "objective": lambda **given: LinearRegression(random_state=1, **given, target_bound=1.0),
    "refined": lambda **given: LinearRegression(mechanism="refined", random_state=1, **given, target_bound=1.0),
    "mixing": lambda **given: LinearRegression(mechanism="mixing", random_state=1, **given, target_bound=1.0),
    "not private": lambda **given: LinearRegression(epsilon=np.inf, random_state=1, **given, target_bound=1.0),
    "lasso": lambda **given: Lasso(n_iter=3, random_state=1, **given, target_bound=1.0),
    "descent": lambda **given: ConstrainedERM(n_iter=3, mechanism="mirror-descent", random_state=1, **given, target_bound=1.0),
}


def make(number):
    part = slice(SIZE * number, SIZE * (number + 1))
    return Block(DenseMatrix(ROWS[part]), TARGETS[part])


def here(fails=()):
    client = Here(fails)
    return client, DaskTable(client, [make(number) for number in range(BLOCKS)], features=ROWS.shape[1])


@pytest.mark.parametrize("name", MODELS)
def test_a_regression_of_blocks_elsewhere_is_that_of_the_array_and_only_public_numbers_travel(name):
    client, table = here()
    found = MODELS[name]().fit(table)
    np.testing.assert_allclose(found.weights_, MODELS[name]().fit(ROWS, TARGETS).weights_, atol=1e-6)
    np.testing.assert_allclose(found.predict(table), found.predict(ROWS), rtol=1e-12)
    travelled = [one for arguments in client.sent for one in reached(arguments[0])]
    assert not [one for one in travelled if type(one).__module__.startswith(("discreet.noise", "discreet.ledger", "discreet.data.blocks"))]
    assert not [one for one in travelled if isinstance(one, Records | Records | Block)]
    assert not [one for one in travelled if type(one).__module__.startswith("discreet.estimators")]  # nor does an estimator with its account
    assert any(isinstance(one, np.ndarray) for one in travelled)


@pytest.mark.parametrize("name", ["objective", "refined", "lasso"])
@pytest.mark.parametrize(("fails", "spent"), [((7,), 0.0), ((14,), 1.0)])
def test_a_lost_block_is_an_error_that_tells_nothing_and_the_ledger_agrees(tmp_path, name, fails, spent):
    """Tasks 1 to 12 count and tell the ledger which table it is, before anything is spent; the 14th is in the fit."""
    _, table = here(fails)
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=2.0, delta=1e-5)
    account = Account(str(tmp_path / "ledger"), "people")
    with pytest.raises(InvalidInput, match="a block was lost") as lost:
        MODELS[name](ledger=account).fit(table)
    assert_silent(lost.value)
    assert account.ledger.spent("people").epsilon == pytest.approx(spent)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_a_real_cluster_gives_the_same_and_a_worker_killed_in_the_fit_changes_nothing(name):
    """In the second pass, and in the last. A new cluster for each death: Dask gives a worker up that dies while it is brought back."""
    pytest.importorskip("distributed")

    def fitted(at):
        with local_cluster(2) as client:
            table = killing(client, make, at=at, blocks=BLOCKS, features=ROWS.shape[1])
            return MODELS[name]().fit(table).weights_, table.passes

    expected = MODELS[name]().fit(ROWS, TARGETS).weights_
    found, passes = fitted(2)
    assert passes >= 2
    np.testing.assert_allclose(found, expected, atol=1e-6)
    if passes > 2:
        np.testing.assert_allclose(fitted(passes)[0], expected, atol=1e-6)
