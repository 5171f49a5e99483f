"""Small benchmarks of this library alone, seconds each, whose runs are kept and compared (see docs/benchmarks.md); not part of the tests.

    pytest benchmarks/history --benchmark-autosave
    python benchmarks/history/compare.py HEAD~1 HEAD

They need `pip install -e ".[dev,history]"`, and run on one thread. Each keeps to names that are exported and documented, so that it also runs on
other commits; where one does not do there what it does here, its benchmark fails there and is left out.
"""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

import discreet
from discreet import REPLACE_ONE, KernelClassifier, Lasso, LinearRegression, LinearSVC, LogisticRegression, SystemNoise
from discreet.accounting import gaussian_scale
from discreet.data import CategoricalColumn, Domain, NumericColumn, Records, Schema, Target, numeric_files
from discreet.matrices import as_matrix
from discreet.mechanisms.release import GaussianRelease
from discreet.queries import Rows

pytest.importorskip("pytest_benchmark", reason='needs pip install -e ".[dev,history]"')

RECORDS, FEATURES = 8000, 40
TARGET = {"epsilon": 1.0, "delta": 1e-6}


@pytest.fixture(autouse=True)
def one_thread():
    wanted = os.environ.get("DISCREET_SOURCE")  # compare.py sets it: no other installation is measured by mistake
    assert wanted is None or Path(discreet.__file__).is_relative_to(wanted)
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((RECORDS, FEATURES)) / np.sqrt(FEATURES)
    scores = 3.0 * rows @ np.cos(np.arange(FEATURES))
    return rows, np.where(rng.random(RECORDS) < 1.0 / (1.0 + np.exp(-scores)), 1, 0), np.clip(0.3 * scores, -1.0, 1.0)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": rng.uniform(0.0, 100.0, RECORDS),
            "kind": np.array(["a", "b", "c", "d"])[rng.integers(0, 4, RECORDS)],
            "ill": np.array(["no", "yes"])[rng.integers(0, 2, RECORDS)],
        }
    )
    schema = Schema(
        name="people",
        target=Target(column="ill", classes=("no", "yes")),
        numeric=(NumericColumn(name="age", lower=0.0, upper=100.0),),
        categorical=(CategoricalColumn(name="kind", categories=("a", "b", "c", "d")),),
    )
    return frame, schema


def test_logistic_dense(benchmark, table):
    rows, classes, _ = table
    benchmark(LogisticRegression(**TARGET, classes=[0, 1]).fit, rows, classes)


def test_logistic_compressed_rows(benchmark, table):
    rows, classes, _ = table
    thin = sparse.csr_array(np.where(np.abs(rows) > 1.5 / np.sqrt(FEATURES), rows, 0.0))
    benchmark(LogisticRegression(**TARGET, classes=[0, 1]).fit, thin, classes)


def test_logistic_by_a_schema(benchmark, people):
    frame, schema = people
    model = LogisticRegression(**TARGET)
    benchmark(lambda: model.fit(schema.encode(frame, target=True)))


def test_logistic_from_parquet(benchmark, table, tmp_path):
    rows, classes, _ = table
    names = [f"x{j}" for j in range(FEATURES)]
    pl.DataFrame(rows, schema=names).with_columns(y=pl.Series(classes)).write_parquet(tmp_path / "table.parquet", row_group_size=2048)
    model = LogisticRegression(**TARGET, classes=[0, 1])
    benchmark(lambda: model.fit(numeric_files(tmp_path / "table.parquet", features=names, target="y")))


def test_logistic_of_four_classes(benchmark, table):
    rows, _, targets = table
    classes = np.digitize(targets, [-0.5, 0.0, 0.5])
    benchmark(LogisticRegression(**TARGET, classes=[0, 1, 2, 3]).fit, rows, classes)


def test_hundred_seeds(benchmark, table):
    rows, classes, _ = table
    benchmark(lambda: LogisticRegression(**TARGET, classes=[0, 1]).fit_many(rows, classes, count=100))


def test_support_vectors(benchmark, table):
    rows, classes, _ = table
    benchmark(LinearSVC(**TARGET, classes=[0, 1]).fit, rows, classes)


def test_kernel(benchmark, table):
    rows, classes, _ = table
    benchmark(KernelClassifier(**TARGET, gamma=1.0, n_features=60, classes=[0, 1]).fit, rows, classes)


def test_linear_regression(benchmark, table):
    rows, _, targets = table
    benchmark(LinearRegression(**TARGET, target_bound=1.0).fit, rows, targets)


def test_lasso(benchmark, table):
    rows, _, targets = table
    benchmark(Lasso(**TARGET, target_bound=1.0).fit, rows, targets)


def test_prediction(benchmark, table):
    rows, classes, _ = table
    benchmark(LogisticRegression(**TARGET, classes=[0, 1]).fit(rows, classes).predict_proba, rows)


def test_verification(benchmark, table):
    rows, classes, _ = table
    model = LogisticRegression(**TARGET, classes=[0, 1]).fit(rows, classes)
    benchmark(lambda: model.certificate_.verify(model.weights_))


def test_released_rows(benchmark, table):
    rows, _, targets = table
    domain = Domain(features=FEATURES, norm_bound=1.0, target_bound=1.0)
    data, query = Records(rows=as_matrix(rows), targets=targets, domain=domain), Rows(domain=domain, target="noisy")
    mechanism = GaussianRelease.calibrate(query, **TARGET, neighbours=REPLACE_ONE)
    benchmark(lambda: mechanism.run(query, data, SystemNoise()))


def test_discrete_gaussian(benchmark):
    benchmark(SystemNoise().discrete_gaussian, scale=1000.0, dimension=100, draws=1000)


def test_analytic_gaussian(benchmark):
    benchmark(gaussian_scale, 1.0, 1e-6, sensitivity=1.0)


def test_calibration_with_slack(benchmark):
    benchmark(LogisticRegression(**TARGET, alpha=1e-4, public_records=RECORDS).explain, features=FEATURES, records=RECORDS)
