"""Searches on a Dask cluster: the search of the same records in memory, whatever dies, and nothing travels that draws noise."""

import numpy as np
import pytest

from discreet import LinearSVC, PrivateSearchCV
from discreet.cluster import local_cluster
from discreet.core.errors import InvalidInput
from discreet.data import Block, Records
from discreet.ledger import Account, Ledger
from tests.canary import assert_silent
from tests.cluster.cluster_here import reached
from tests.cluster.test_dask_table import BLOCKS, LABELS, ROWS, here, make
from tests.cluster.troubling import killing


def search(**given):
    return PrivateSearchCV(
        LinearSVC(classes=[0, 1]), {"alpha": [0.05, 0.5]}, **{"epsilon": 4.0, "delta": 1e-6, "expected_runs": 3.0, "random_state": 5, **given}
    )


@pytest.fixture
def account(tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=5.0, delta=1e-5)
    return Account(str(tmp_path / "ledger"), "people")


def test_it_is_the_search_in_memory():
    expected, found = search().fit(ROWS, LABELS), search(n_jobs=2).fit(here()[1])
    np.testing.assert_allclose(found.best_estimator_.weights_, expected.best_estimator_.weights_, atol=1e-9)
    assert found.best_score_ == expected.best_score_


@pytest.mark.parametrize("method", ["random-stopping", "algorithm-4"])
def test_nothing_that_draws_noise_nor_a_record_travels(method):
    client, table = here()
    search(method=method, random_state=None).fit(table)
    travelled = [one for arguments in client.sent for one in reached(arguments[0])]
    assert not [one for one in travelled if type(one).__module__.startswith(("discreet.noise", "discreet.ledger", "discreet.data.blocks"))]
    assert not [one for one in travelled if isinstance(one, Records | Block)]
    models = [one for one in travelled if isinstance(one, LinearSVC)]
    assert models  # models that are scored do travel: the search finds what is there
    assert all(model.ledger is None and model.random_state is None for model in models)


@pytest.mark.parametrize(("fails", "spent"), [(3, 0.0), (25, 4.0)], ids=["while counting", "in a fit"])
def test_a_lost_block_is_an_error_that_tells_nothing_and_the_ledger_agrees(account, fails, spent):
    """Tasks 1 to 12 count, and tell the ledger which table it is."""
    with pytest.raises(InvalidInput, match="a block was lost") as lost:
        search(ledger=account).fit(here((fails,))[1])
    assert_silent(lost.value)
    assert account.ledger.spent("people").epsilon == pytest.approx(spent)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["random-stopping", "algorithm-4"])
def test_a_worker_killed_in_the_middle_changes_nothing(account, method):
    pytest.importorskip("distributed")
    found, passes = [], 0
    for share in (0.0, 0.6):
        with local_cluster(2) as client:
            table = killing(client, make, at=int(share * passes), blocks=BLOCKS, features=ROWS.shape[1])
            made = search(method=method, epsilon=1.0).set_params(ledger=account).fit(table)
            found.append(made.best_estimator_.weights_)
            passes = table.passes
    assert account.ledger.spent("people").epsilon == pytest.approx(2.0)
    for weights in found:
        np.testing.assert_array_equal(weights, found[0])
