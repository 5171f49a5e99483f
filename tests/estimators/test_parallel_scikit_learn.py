"""scikit-learn's own parallelism around our estimators: they travel to its processes, and each process draws noise of its own."""

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate

from discreet import LinearSVC, LogisticRegression, PrivateSearchCV
from discreet.core.errors import InvalidInput
from discreet.ledger import Account, Ledger, using

RNG = np.random.default_rng(0)
X = RNG.uniform(-0.5, 0.5, (600, 3))
Y = (X[:, 0] > 0).astype(np.int64)
MODEL = LinearSVC(epsilon=2.0, delta=1e-6, classes=[0, 1])


def _fitted(model):
    return clone(model).fit(X, Y).weights_


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_workers_draw_noise_of_their_own(backend):
    """One estimator, one table, six fits by two workers."""
    with parallel_config(backend, n_jobs=2):
        found = Parallel()(delayed(_fitted)(MODEL) for _ in range(6))
        seeded = Parallel()(delayed(_fitted)(clone(MODEL).set_params(random_state=4)) for _ in range(2))
    assert len(np.unique(np.stack([*found, _fitted(MODEL)]), axis=0)) == 7
    np.testing.assert_array_equal(seeded[0], seeded[1])
    np.testing.assert_array_equal(seeded[0], _fitted(clone(MODEL).set_params(random_state=4)))


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_their_searches_and_folds_take_our_estimators(backend, n_jobs, tmp_path):
    Ledger.create(tmp_path / "ledger").declare("public test", epsilon=1000.0, delta=0.01)
    account = Account(str(tmp_path / "ledger"), "public test")
    with parallel_config(backend, n_jobs=2):
        found = GridSearchCV(clone(MODEL).set_params(ledger=account, n_jobs=n_jobs), {"alpha": [0.05, 0.5]}, cv=2, n_jobs=2).fit(X, Y)
        scores = cross_validate(
            PrivateSearchCV(LogisticRegression(classes=[0, 1]), {"alpha": [0.5, 5.0]}, epsilon=20.0, expected_runs=2.0, n_jobs=n_jobs), X, Y, cv=2
        )
    assert found.best_estimator_.certificate_.verify(found.best_estimator_.weights_).ok
    assert len(account.ledger.history("public test")) == 5  # two settings in two folds, and the refit: each of them spends
    assert scores["test_score"].min() > 0.7


def test_a_ledger_that_is_in_use_does_not_let_fits_slip_away_to_processes(tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=3.0, delta=1e-5)
    with using(tmp_path / "ledger", "people"), pytest.raises(InvalidInput, match="ledger is in use"), parallel_config("threading", n_jobs=2):
        Parallel()(delayed(_fitted)(MODEL) for _ in range(2))
