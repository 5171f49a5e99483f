"""Laws of tables in row blocks, continued: regressions and models over sets, on every kind of block, and the same bits for any number of threads."""

import numpy as np
import pytest
import scipy.sparse as sp

from discreet import ConstrainedERM, GroupLasso, Lasso, LassoClassifier, LinearRegression, MatrixRegression, SimplexRegression
from discreet.data import NpyTable
from discreet.sets import L1Ball
from tests.properties.block_tables import TABLES, each_table, records

ROWS, LABELS = records()
FEATURES = ROWS.shape[1]
TARGETS = np.clip(ROWS @ np.linspace(-0.5, 0.6, FEATURES) + 0.1 * np.random.default_rng(1).standard_normal(len(ROWS)), -1.0, 1.0)
NEW = records(40)[0]
BOUNDS = {"data_bound": 0.8, "data_norm": 1.2, "random_state": 1}
EXACT = ("refined", "moments", "adassp", "mixing", "hessian-mixing")
"""Mechanisms that read the records through sums of integers: the same to the last bit wherever a table is cut."""


def regressions():
    for mechanism in ("objective", "objective-huber", *EXACT):
        yield f"regression-{mechanism}", lambda jobs, name=mechanism: LinearRegression(mechanism=name, n_jobs=jobs, **BOUNDS, target_bound=1.0)
    yield (
        "regression-secret-count",
        lambda jobs: LinearRegression(neighbours="add-remove", public_records=3000, n_jobs=jobs, **BOUNDS, target_bound=1.0),
    )
    yield "regression-not-private", lambda jobs: LinearRegression(epsilon=np.inf, n_jobs=jobs, **BOUNDS, target_bound=1.0)


def over_sets():
    for mechanism in ("frank-wolfe-polytope", "frank-wolfe-gaussian"):
        yield f"lasso-{mechanism}", lambda jobs, name=mechanism: Lasso(mechanism=name, n_iter=8, n_jobs=jobs, **BOUNDS, target_bound=1.0)
    yield "lasso-not-private", lambda jobs: Lasso(epsilon=np.inf, n_iter=20, n_jobs=jobs, **BOUNDS, target_bound=1.0)
    yield "erm-descent", lambda jobs: ConstrainedERM(loss="absolute", mechanism="mirror-descent", n_iter=6, n_jobs=jobs, **BOUNDS, target_bound=1.0)
    yield "group-lasso", lambda jobs: GroupLasso(groups=2, n_iter=6, mechanism="mirror-descent", n_jobs=jobs, **BOUNDS, target_bound=1.0)
    yield "simplex", lambda jobs: SimplexRegression(n_iter=6, mechanism="frank-wolfe-polytope", n_jobs=jobs, **BOUNDS, target_bound=1.0)
    yield "matrix", lambda jobs: MatrixRegression(shape=(2, 3), n_iter=6, mechanism="frank-wolfe-gaussian", n_jobs=jobs, **BOUNDS, target_bound=1.0)


def classifiers():
    yield "lasso-classifier", lambda jobs: LassoClassifier(classes=[0, 1], n_iter=8, n_jobs=jobs, **BOUNDS)
    for mechanism, steps in (("objective-perturbation-set", None), ("mirror-descent", 6)):
        settings = {"loss": "huber-hinge", "constraint": L1Ball(dimension=FEATURES), "classes": [0, 1], "mechanism": mechanism, "n_iter": steps}
        yield f"erm-classifier-{mechanism}", lambda jobs, given=settings: ConstrainedERM(n_jobs=jobs, **given, **BOUNDS, target_bound=1.0)


MODELS = {**{name: (make, TARGETS) for name, make in (*regressions(), *over_sets())}, **{name: (make, LABELS) for name, make in classifiers()}}
each_model = pytest.mark.parametrize("name", MODELS)


@pytest.mark.at_most(10)
@each_table
@each_model
def test_a_model_of_blocks_is_that_of_the_records_in_memory(kind, name, tmp_path):
    make, targets = MODELS[name]
    table = TABLES[kind](ROWS, targets, tmp_path)
    found, expected = make(2).fit(table), make(1).fit(ROWS, targets)
    if name.removeprefix("regression-") in EXACT:
        np.testing.assert_array_equal(found.weights_, expected.weights_)
    else:  # sums differ in their last bits, and a weight on a grid may land one step away
        np.testing.assert_allclose(found.weights_, expected.weights_, atol=1e-6)
    for what in ("mechanism", "parameters", "problem", "guarantee", "hypotheses", "declared"):
        assert getattr(found.certificate_, what) == getattr(expected.certificate_, what)
    assert found.n_features_in_ == FEATURES
    model = expected.set_params(n_jobs=3)
    says = model.decision_function if targets is LABELS else model.predict  # a decision of exactly zero may fall on either side
    np.testing.assert_allclose(says(table), says(ROWS), rtol=1e-12, atol=1e-12)
    assert model.predict(table).shape == (len(ROWS),)


@pytest.mark.more
@pytest.mark.parametrize("kind", ["sparse", "parquet"])
@each_model
def test_any_number_of_threads_gives_the_same_bits(kind, name, tmp_path):
    make, targets = MODELS[name]
    table = TABLES[kind](ROWS, targets, tmp_path)
    found = [make(jobs).fit(table).weights_ for jobs in (1, 2, 5)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


LONG = records(70_000, FEATURES)
LONG_TARGETS = np.clip(LONG[0] @ np.linspace(-0.5, 0.6, FEATURES), -1.0, 1.0)


@pytest.mark.at_most(6)
@each_model
def test_a_long_table_in_memory_gives_the_same_bits_for_any_number_of_threads_and_what_its_blocks_give(name, tmp_path):
    make, targets = MODELS[name]
    aims = LONG_TARGETS if targets is TARGETS else LONG[1]
    found = [make(jobs).fit(LONG[0], aims).weights_ for jobs in (1, 2, 5)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    np.save(tmp_path / "rows.npy", LONG[0])
    np.save(tmp_path / "targets.npy", aims)
    table = NpyTable(tmp_path / "rows.npy", tmp_path / "targets.npy", rows_in_block=30_000)
    np.testing.assert_allclose(make(2).fit(table).weights_, found[0], atol=1e-6)


@pytest.mark.parametrize("change", [np.asfortranarray, sp.csr_array], ids=["columns-first", "sparse"])
@pytest.mark.parametrize("name", ["regression-objective", "regression-refined", "lasso-frank-wolfe-polytope", "erm-descent"])
def test_so_do_long_tables_of_other_kinds(change, name):
    make, rows = MODELS[name][0], change(LONG[0])
    found = [make(jobs).fit(rows, LONG_TARGETS).weights_ for jobs in (1, 5)]
    np.testing.assert_array_equal(found[0], found[1])


@each_table
def test_intervals_of_blocks_are_those_of_rows(kind, tmp_path):
    model = LinearRegression(mechanism="refined", **BOUNDS, target_bound=1.0).fit(ROWS, TARGETS)
    table = TABLES[kind](ROWS, TARGETS, tmp_path)
    np.testing.assert_allclose(model.predict_interval(table), model.predict_interval(ROWS), rtol=1e-12)
    assert model.predict_interval(NEW).shape == (40, 2)
