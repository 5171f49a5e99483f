"""Regressions and models over sets on rows in arrays of another library: those of the same rows in memory."""

import numpy as np
import pytest

from discreet import ConstrainedERM, Lasso, LinearRegression

pytest.importorskip("array_api_compat")
RNG = np.random.default_rng(0)
ROWS = 0.5 * RNG.standard_normal((3000, 6))
TARGETS = np.clip(ROWS[:, 0] - 0.5 * ROWS[:, 2] + 0.1 * RNG.standard_normal(3000), -1.0, 1.0)
SETTINGS = {"data_bound": 0.9, "data_norm": 1.5, "random_state": 1}
MECHANISMS = ("objective", "refined", "adassp", "mixing", "hessian-mixing")


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize(
    "make",
    [
        *(lambda name=name: LinearRegression(mechanism=name, **SETTINGS) for name in MECHANISMS),
        lambda: LinearRegression(epsilon=np.inf, **SETTINGS),
        lambda: Lasso(n_iter=5, **SETTINGS),
        lambda: ConstrainedERM(loss="absolute", mechanism="mirror-descent", n_iter=5, **SETTINGS),
    ],
    ids=[*MECHANISMS, "not-private", "lasso", "descent"],
)
def test_the_model_is_that_of_the_rows_in_memory(library, kind, make):
    rows = ROWS.astype(kind)
    there = pytest.importorskip(library).asarray(np.array(rows))
    found, expected = make().fit(there, TARGETS), make().fit(rows, TARGETS)
    np.testing.assert_allclose(found.weights_, expected.weights_, atol=1e-6)
    np.testing.assert_allclose(found.predict(there), expected.predict(rows), atol=1e-6)


def test_a_long_table_gives_the_same_for_any_number_of_threads():
    xp = pytest.importorskip("array_api_strict")
    rows, targets = np.tile(ROWS, (24, 1)), np.tile(TARGETS, 24)
    for make in (lambda jobs: LinearRegression(n_jobs=jobs, **SETTINGS), lambda jobs: Lasso(n_iter=3, n_jobs=jobs, **SETTINGS)):
        found = [make(jobs).fit(xp.asarray(rows), targets).weights_ for jobs in (1, 2)]
        np.testing.assert_array_equal(found[0], found[1])
