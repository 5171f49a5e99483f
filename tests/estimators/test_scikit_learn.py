"""scikit-learn's own checks, and its tools around our estimators."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from discreet import ConstrainedERM, GroupLasso, Lasso, LinearRegression, LinearSVC, LogisticRegression, MatrixRegression, SimplexRegression
from tests.estimators.declaring import (
    DeclaringERM,
    DeclaringKernelClassifier,
    DeclaringLassoClassifier,
    DeclaringLinearSVC,
    DeclaringLogisticRegression,
    DeclaringSearch,
    expected_failures,
)

ARRAY_API = "check_array_api_input"


def checks(*models):
    """Of each check of scikit-learn its first run, and of all runs every ninth: the others are beyond the quick tests."""
    whole = parametrize_with_checks(list(models), expected_failed_checks=expected_failures)
    name, seen, runs = whole.kwargs["ids"], set(), []
    for number, run in enumerate(whole.args[1]):
        values, marks = getattr(run, "values", run), getattr(run, "marks", ())
        if ARRAY_API in name(values[1]) and not os.environ.get("SCIPY_ARRAY_API"):
            continue  # test_other_arrays_are_taken runs it
        again = name(values[1]) in seen and number % 9 > 0
        runs.append(pytest.param(*values, marks=[*marks, pytest.mark.more] if again else marks))
        seen.add(name(values[1]))
    return pytest.mark.parametrize(("estimator", "check"), runs, ids=name)


@checks(
    DeclaringLogisticRegression(max_sample_weight=10.0),
    DeclaringLinearSVC(max_sample_weight=10.0),
    DeclaringLogisticRegression(delta=1e-6, neighbours="add-remove", max_sample_weight=10.0),
    DeclaringLinearSVC(mechanism="output", epsilon=10.0, max_sample_weight=10.0),
    DeclaringKernelClassifier(max_sample_weight=10.0),
    DeclaringKernelClassifier(kernel="cauchy", gamma=0.1, n_features=20, delta=1e-6, max_sample_weight=10.0),
    Lasso(),
    Lasso(data_bound=None, data_norm=1.0, neighbours="add-remove", loss="huber", mechanism="frank-wolfe-gaussian"),
    LinearRegression(),
    LinearRegression(neighbours="add-remove", mechanism="moments", fit_intercept=False),
    DeclaringLassoClassifier(),
    DeclaringLassoClassifier(delta=0.0, fit_intercept=False, n_iter=5),
    ConstrainedERM(n_iter=5),
    DeclaringERM(loss="hinge", n_iter=5),
    GroupLasso(n_iter=5),
    SimplexRegression(n_iter=5),
    MatrixRegression(n_iter=5),
    DeclaringSearch(LogisticRegression(), {"alpha": [0.5, 5.0]}, epsilon=20.0, expected_runs=2.0),
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
