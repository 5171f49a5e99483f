"""Laws of tables in row blocks: every algorithm gives on every kind of block what it gives on the same records in memory.

Noise is seeded, and rounded weights and releases are compared: they agree exactly unless a sum falls on the other side of a rounding, so that
what is compared is the sum behind them, within its rounding error.
"""

import numpy as np
import pytest

from discreet.core.neighbours import ADD_REMOVE
from discreet.data import BlockTable, Domain, Records, streamed_records
from discreet.losses import Logistic, SoftplusHinge
from discreet.matrices import DenseMatrix
from discreet.mechanisms.learning import calibrate
from discreet.noise import SeededNoise
from discreet.objectives import objective_of, objectives_of
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk
from discreet.solvers import solve, solve_many
from tests.properties.block_tables import TABLES, records

ROWS, LABELS = records()
DOMAIN = Domain(features=ROWS.shape[1], norm_bound=1.0, intercept_scale=0.3, records=len(ROWS), classes=2)
CLASSES = np.array([0, 1])
each_table = pytest.mark.parametrize("kind", TABLES)


@pytest.fixture
def table(kind, tmp_path):
    return TABLES[kind](ROWS, LABELS, tmp_path)


def in_memory():
    return Records(rows=DenseMatrix(ROWS), targets=LABELS, domain=DOMAIN)


@each_table
def test_a_table_is_one(table):
    assert isinstance(table, BlockTable)
    assert table.features == ROWS.shape[1]
    assert not table.remote


@each_table
def test_blocks_are_the_rows_in_order(table):
    found = list(table.map(lambda number, block: (number, block.rows.matvec(np.eye(ROWS.shape[1])), block.targets), 1))
    assert [number for number, _, _ in found] == list(range(len(found)))
    assert len(found) > 2
    np.testing.assert_array_equal(np.concatenate([rows for _, rows, _ in found]), ROWS)
    np.testing.assert_array_equal(np.concatenate([targets for _, _, targets in found]), LABELS)


@each_table
@pytest.mark.parametrize("loss", [Logistic(), SoftplusHinge()], ids=repr)
def test_a_fit_is_the_fit_in_memory(table, loss):
    risk = RegularisedRisk(loss=loss, ridge=5.0, domain=DOMAIN)
    linear = np.linspace(-1.0, 1.0, DOMAIN.dimension)
    expected = solve(objective_of(risk, in_memory()).with_linear(linear), tolerance=1e-9).weights
    streamed = objective_of(risk, streamed_records(table, domain=DOMAIN, classes=CLASSES)).with_linear(linear)
    found = solve(streamed, tolerance=1e-9)
    assert found.gradient_norm <= 1e-9
    np.testing.assert_allclose(found.weights, expected, atol=4e-10)  # two points within 1e-9 / ridge of the minimiser


@pytest.mark.at_most(3)
@each_table
def test_many_fits_are_those_in_memory(table):
    risk = RegularisedRisk(loss=Logistic(), ridge=5.0, domain=DOMAIN)
    linears = np.random.default_rng(0).standard_normal((DOMAIN.dimension, 3))
    expected, _ = solve_many(objective_of(risk, in_memory()), linears, tolerance=1e-9)
    found, norms = solve_many(objective_of(risk, streamed_records(table, domain=DOMAIN, classes=CLASSES)), linears, tolerance=1e-9)
    assert np.all(norms <= 1e-9)
    np.testing.assert_allclose(found, expected, atol=4e-10)


@each_table
def test_a_private_fit_is_the_fit_in_memory(table):
    risk = RegularisedRisk(loss=Logistic(), ridge=50.0, domain=DOMAIN)
    mechanism = calibrate(risk, mechanism="objective", calibration="tight", epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE)
    expected = mechanism.run(risk, in_memory(), SeededNoise(3))
    found = mechanism.run(risk, streamed_records(table, domain=DOMAIN, classes=CLASSES), SeededNoise(3))
    assert found.certificate.parameters == expected.certificate.parameters
    assert found.certificate.guarantee == expected.certificate.guarantee
    np.testing.assert_allclose(found.value, expected.value, atol=1e-9)


@pytest.mark.at_most(3)
@each_table
def test_more_classes_are_those_in_memory(table, kind, tmp_path):
    codes = (LABELS + (ROWS[:, 0] > 0.2)).astype(np.int64)
    folder = tmp_path / "three"
    folder.mkdir()
    three = TABLES[kind](ROWS, codes, folder)
    domain = Domain(features=ROWS.shape[1], norm_bound=1.0, intercept_scale=0.3, records=len(ROWS), classes=3)
    held = Records(rows=DenseMatrix(ROWS), targets=codes, domain=domain)
    streamed = streamed_records(three, domain=domain, classes=np.arange(3))
    each = OneVsRestRisk(loss=Logistic(), ridge=20.0, domain=domain)
    for one, other in zip(objectives_of(each, held), objectives_of(each, streamed), strict=True):
        np.testing.assert_allclose(solve(other, tolerance=1e-8).weights, solve(one, tolerance=1e-8).weights, atol=1e-9)
    many = MultinomialRisk(ridge=20.0, domain=domain)
    expected = solve(objective_of(many, held), tolerance=1e-8, by_products=True).weights
    np.testing.assert_allclose(solve(objective_of(many, streamed), tolerance=1e-8, by_products=True).weights, expected, atol=1e-9)


@pytest.mark.at_most(3)
@each_table
def test_any_number_of_threads_gives_the_same_bits(table):
    risk = RegularisedRisk(loss=Logistic(), ridge=5.0, domain=DOMAIN)
    found = [
        solve(objective_of(risk, streamed_records(table, domain=DOMAIN, classes=CLASSES, jobs=jobs)), tolerance=1e-9).weights for jobs in (1, 2, 5)
    ]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
