"""scikit-learn's own checks, and its tools around our estimators.

scikit-learn's own parallelism around our estimators: they travel to its processes, and each process draws noise of its own.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from discreet import Lasso, LinearRegression, LinearSVC, LogisticRegression, PrivateSearchCV
from discreet.core.errors import InvalidInput
from discreet.ledger import Account, Ledger, using
from tests.estimators.declaring import EXPORTED, DeclaringSearch, declaring, expected_failures

ARRAY_API = "check_array_api_input"


def checks(*models):
    """Of each check of scikit-learn its first run, and of all runs every twenty-fifth: the others are beyond the quick tests."""
    whole = parametrize_with_checks(list(models), expected_failed_checks=expected_failures)
    name, seen, runs = whole.kwargs["ids"], set(), []
    for number, run in enumerate(whole.args[1]):
        values, marks = getattr(run, "values", run), getattr(run, "marks", ())
        if ARRAY_API in name(values[1]) and not os.environ.get("SCIPY_ARRAY_API"):
            continue  # test_other_arrays_are_taken runs it
        again = name(values[1]) in seen and number % 25 > 0
        runs.append(pytest.param(*values, marks=[*marks, pytest.mark.more] if again else marks))
        seen.add(name(values[1]))
    return pytest.mark.parametrize(("estimator", "check"), runs, ids=name)


SETTINGS = {
    **{name: {"max_sample_weight": 10.0} for name in ("LinearSVC", "LogisticRegression", "KernelClassifier")},
    **{name: {"max_sample_weight": 10.0, "target_bound": 1.0} for name in ("LinearRegression", "HuberRegression", "ExpectileRegression")},
    "Lasso": {"target_bound": 1.0},
    "QuantileRegression": {
        "max_sample_weight": 1.0,
        "target_bound": 1.0,
        "width": 0.5,
    },  # a check takes alpha = 0.01 for 200 records, too little for a sharper bend
    "PoissonRegression": {"max_sample_weight": 10.0, "target_bound": 10.0},
    "GammaRegression": {"max_sample_weight": 10.0, "target_bound": 10.0, "epsilon": 10.0},  # for the same alpha
    **{name: {"n_iter": 5, "target_bound": 1.0} for name in ("ConstrainedERM", "GroupLasso", "SimplexRegression", "MatrixRegression")},
}
"""Of estimators whose parameters a check needs, or would be slow without; all others are checked as they are made."""
SEARCH = DeclaringSearch(LogisticRegression(), {"alpha": [0.5, 5.0]}, epsilon=20.0, expected_runs=2.0)


@checks(
    *(SEARCH if kind is PrivateSearchCV else declaring(name, **SETTINGS.get(name, {})) for name, kind in EXPORTED.items()),
    declaring("LogisticRegression", delta=1e-6, neighbours="add-remove", max_sample_weight=10.0),
    declaring("LinearSVC", mechanism="output", epsilon=10.0, max_sample_weight=10.0),
    declaring("KernelClassifier", kernel="cauchy", gamma=0.1, n_features=20, delta=1e-6, max_sample_weight=10.0),
    Lasso(data_bound=None, data_norm=1.0, neighbours="add-remove", loss="huber", mechanism="frank-wolfe-gaussian", target_bound=1.0),
    LinearRegression(neighbours="add-remove", mechanism="moments", fit_intercept=False, target_bound=1.0),
    declaring("LassoClassifier", delta=0.0, fit_intercept=False, n_iter=5),
    declaring("ConstrainedERM", loss="hinge", n_iter=5),
    declaring("ConstrainedERM", loss="logistic", n_iter=5),
)
def test_scikit_learn_check(estimator: object, check: object) -> None:
    check(estimator)


@pytest.mark.more
def test_other_arrays_are_taken() -> None:
    """In a process of its own, where SciPy takes them too: it asks its environment when it is imported."""
    command = [sys.executable, "-m", "pytest", "--all", "-q", "-p", "no:cacheprovider", "-k", ARRAY_API, __file__]
    outcome = subprocess.run(command, env={**os.environ, "SCIPY_ARRAY_API": "1"}, capture_output=True, text=True, check=False, timeout=600)
    assert outcome.returncode == 0, outcome.stdout
    assert "skipped" not in outcome.stdout


def table(records: int = 400) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    X = draw.uniform(-0.5, 0.5, (records, 3))
    return X, (X[:, 0] + 0.1 * draw.standard_normal(records) > 0).astype(int)


def test_clone_cross_validation_and_pipelines_work() -> None:
    X, y = table(2000)
    model = make_pipeline(FunctionTransformer(np.tanh), clone(LogisticRegression(epsilon=20.0, classes=[0, 1])))
    assert cross_val_score(model, X, y, cv=3).min() > 0.8


def test_parameters_are_never_changed_by_fit() -> None:
    model = LinearSVC(epsilon=2.0, data_norm=0.7, classes=[0, 1])
    before = model.get_params()
    model.fit(*table())
    assert model.get_params() == before


def test_prediction_before_fit_is_refused() -> None:
    with pytest.raises(NotFittedError):
        LogisticRegression(classes=[0, 1]).predict(np.zeros((1, 3)))


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
