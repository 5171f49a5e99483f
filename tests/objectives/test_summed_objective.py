"""Where long fits begin: at the minimiser of a sample, which saves passes and changes nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from discreet.data import Block, Domain, FunctionTable, Records, streamed_records
from discreet.losses import Logistic, SoftplusHinge
from discreet.matrices import DenseMatrix, Matrix
from discreet.objectives import objective_of, summed_objective
from discreet.objectives.summed_objective import SummedObjective
from discreet.problems import RegularisedRisk
from discreet.solvers import solve

COUNT, FEATURES, SIZE = 70_000, 3, 4000
RNG = np.random.default_rng(0)
ROWS = RNG.uniform(-0.5, 0.5, (COUNT, FEATURES))
CODES = (ROWS @ np.array([3.0, -2.0, 1.0]) + RNG.logistic(size=COUNT) > 0).astype(np.int64)
DOMAIN = Domain(features=FEATURES, norm_bound=1.0, records=COUNT, classes=2)
PROBLEM = RegularisedRisk(loss=Logistic(), ridge=0.001 * COUNT, domain=DOMAIN)
SORTED = np.argsort(CODES, kind="stable")


class Passes:
    """A table in blocks that counts how often it is read."""

    def __init__(self, order=None):
        self.rows, self.codes = (ROWS, CODES) if order is None else (ROWS[order], CODES[order])
        self.visits = 0

    def make(self, number):
        part = slice(SIZE * number, SIZE * (number + 1))
        self.visits += 1
        return Block(DenseMatrix(self.rows[part]), self.codes[part])

    def data(self):
        table = FunctionTable(self.make, blocks=-(-COUNT // SIZE), features=FEATURES)
        return streamed_records(table, domain=DOMAIN, classes=np.array([0, 1]))


def fitted(data, **options):
    return solve(objective_of(PROBLEM, data), tolerance=1e-10 * COUNT, **options)


@pytest.fixture
def plain(monkeypatch):
    """The minimiser from zero."""
    with monkeypatch.context() as patch:
        patch.setattr("discreet.data.records.WHOLE_RECORDS", COUNT)
        return fitted(Records(rows=DenseMatrix(ROWS), targets=CODES, domain=DOMAIN)).weights


def test_a_sample_saves_passes_over_a_table(plain):
    short, long = Passes(), Passes()
    near, far = fitted(short.data()), fitted(long.data(), start=np.zeros(FEATURES))
    assert short.visits < long.visits
    assert near.iterations < far.iterations
    for found in (near, far):
        np.testing.assert_allclose(found.weights, plain, atol=1e-7)


def test_a_table_sorted_by_class_has_the_same_minimiser(plain):
    """Its first block has one class."""
    np.testing.assert_allclose(fitted(Passes(SORTED).data()).weights, plain, atol=1e-7)


def test_held_records_are_sampled_evenly_and_threads_change_no_bit(monkeypatch, plain):
    monkeypatch.setattr(Matrix, "cache_rows", 1024)
    found = [fitted(Records(rows=DenseMatrix(ROWS[SORTED]), targets=CODES[SORTED], domain=DOMAIN, jobs=jobs)) for jobs in (1, 2)]
    np.testing.assert_array_equal(found[0].weights, found[1].weights)
    np.testing.assert_allclose(found[0].weights, plain, atol=1e-7)
    objective = objective_of(PROBLEM, Records(rows=DenseMatrix(ROWS[SORTED]), targets=CODES[SORTED], domain=DOMAIN))
    sample = objective.with_linear(np.ones(FEATURES)).sample()
    assert sample.ridge / objective.ridge == pytest.approx(1 / summed_objective._SHARE, rel=0.2)
    np.testing.assert_allclose(sample.linear, np.full(FEATURES, sample.ridge / objective.ridge))
    assert sample.sample() is None
    zero = np.zeros(FEATURES)
    some, whole = (one.gradient(zero, one.margins(zero)) for one in (sample, objective.with_linear(np.ones(FEATURES))))
    np.testing.assert_allclose(some * objective.ridge / sample.ridge, whole, rtol=0.1)


def test_short_tables_and_tables_of_few_blocks_are_not_sampled():
    assert objective_of(PROBLEM, Records(rows=DenseMatrix(ROWS), targets=CODES, domain=DOMAIN)).sample() is None
    few = FunctionTable(lambda _: Block(DenseMatrix(ROWS), CODES), blocks=1, features=FEATURES)
    assert objective_of(PROBLEM, streamed_records(few, domain=DOMAIN, classes=np.array([0, 1]))).sample() is None
    one = replace(DOMAIN, records=100)
    small = RegularisedRisk(loss=Logistic(), ridge=1.0, domain=one)
    assert objective_of(small, Records(rows=DenseMatrix(ROWS[:100]), targets=CODES[:100], domain=one)).sample() is None


def test_a_sample_that_cannot_be_fitted_is_left_alone(monkeypatch, plain):
    from discreet.core.errors import SolverFailure
    from discreet.solvers import newton

    whole = newton.minimise

    def failing(objective, directions, *, tolerance, start, **points):
        if objective.ridge < 0.5 * PROBLEM.ridge:
            raise SolverFailure("no")
        return whole(objective, directions, tolerance=tolerance, start=start, **points)

    monkeypatch.setattr(newton, "minimise", failing)
    np.testing.assert_allclose(fitted(Passes().data()).weights, plain, atol=1e-7)


class Watched:
    """An objective that counts the Hessians of all records."""

    def __init__(self, inner):
        self.inner, self.hessians = inner, 0

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def hessian(self, *arguments, **options):
        self.hessians += 1
        return self.inner.hessian(*arguments, **options)


def test_the_curvature_of_a_good_sample_serves_and_that_of_a_bad_one_is_replaced(monkeypatch, plain):
    monkeypatch.setattr(Matrix, "cache_rows", 1024)
    good = Watched(objective_of(PROBLEM, Records(rows=DenseMatrix(ROWS), targets=CODES, domain=DOMAIN)))
    bad = Watched(objective_of(PROBLEM, Passes(SORTED).data()))
    for objective in (good, bad):
        np.testing.assert_allclose(solve(objective, tolerance=1e-10 * COUNT).weights, plain, atol=1e-7)
    assert good.hessians == 0
    assert bad.hessians >= 1


def test_a_long_sample_is_sampled_again(monkeypatch, plain):
    monkeypatch.setattr(Matrix, "cache_rows", 128)
    objective = objective_of(PROBLEM, Records(rows=DenseMatrix(ROWS), targets=CODES, domain=DOMAIN))
    first = objective.sample()
    second = first.sample()
    assert first.ridge / objective.ridge == pytest.approx(second.ridge / first.ridge, rel=0.4)
    assert second.sample() is None
    np.testing.assert_allclose(solve(objective, tolerance=1e-10 * COUNT).weights, plain, atol=1e-7)


def test_a_line_search_over_a_wide_table_in_parts_costs_no_pass_and_threads_change_no_bit(monkeypatch):
    rows = np.random.default_rng(1).standard_normal((3000, 220)) / np.sqrt(220)
    codes = (rows[:, :20].sum(axis=1) > 0).astype(np.int64)
    domain = Domain(features=220, norm_bound=2.0, records=3000, classes=2)
    problem = RegularisedRisk(loss=SoftplusHinge(temperature=0.02), ridge=1.0, domain=domain)
    whole = solve(objective_of(problem, Records(rows=DenseMatrix(rows), targets=codes, domain=domain)), tolerance=1e-6)
    monkeypatch.setattr("discreet.data.records.WHOLE_RECORDS", 100)
    monkeypatch.setattr(Matrix, "cache_rows", 128)
    asked = {"matvec": 0, "rmatvec": 0, "slopes": 0}

    def counting(name, method):
        def counted(self, *given):
            asked[name] += 1
            return method(self, *given)

        return counted

    for name in ("matvec", "rmatvec"):
        monkeypatch.setattr(DenseMatrix, name, counting(name, getattr(DenseMatrix, name)))
    objective = objective_of(problem, Records(rows=DenseMatrix(rows), targets=codes, domain=domain))
    monkeypatch.setattr(SummedObjective, "slope_along", counting("slopes", SummedObjective.slope_along))
    found = solve(objective, tolerance=1e-6)
    np.testing.assert_allclose(found.weights, whole.weights, atol=2e-6)
    runs = -(-3000 // 128)
    assert asked["slopes"] > asked["rmatvec"] / runs, "every step is looked along, and some are searched"
    assert asked["matvec"] <= 1.5 * asked["rmatvec"], "and margins come of one product a step, certificates and samples apart"
    two = solve(objective_of(problem, Records(rows=DenseMatrix(rows), targets=codes, domain=domain, jobs=2)), tolerance=1e-6)
    np.testing.assert_array_equal(two.weights, found.weights)


def test_a_table_that_is_held_whole_begins_at_the_minimum_of_a_sixteenth_where_it_is_long():
    def objective(count):
        data = Records(rows=DenseMatrix(ROWS[SORTED[:count]]), targets=CODES[SORTED[:count]], domain=replace(DOMAIN, records=count))
        return objective_of(RegularisedRisk(loss=Logistic(), ridge=0.001 * count, domain=replace(DOMAIN, records=count)), data)

    whole, tolerance = objective(50_000), 1e-6
    near, far = solve(whole, tolerance=tolerance), solve(whole, tolerance=tolerance, start=np.zeros(FEATURES))
    assert near.iterations < far.iterations
    assert np.linalg.norm(near.weights - far.weights) <= 2.0 * tolerance / whole.ridge, "both gradients are certified, and the ridge is the curvature"
    assert whole.sample().matrix.shape[0] == 50_000 // 16
    assert objective(16_000).sample() is None


def test_a_sample_that_is_all_that_the_table_holds_refuses_nothing():
    count, sampled = 16_500, np.arange(16_500) % 16 == 0
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((count, 6))
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
    codes = (rows[:, 0] + 0.12 * rng.standard_normal(count) > 0).astype(np.int64)
    rows[~sampled] = 0.0
    domain = Domain(features=6, norm_bound=1.0, records=count, classes=2)
    problem = RegularisedRisk(loss=SoftplusHinge(temperature=0.001), ridge=1e-6, domain=domain)
    linear = 8.0 * np.random.default_rng(9).standard_normal(6)
    objective = objective_of(problem, Records(rows=DenseMatrix(rows), targets=codes, domain=domain)).with_linear(linear)
    assert objective.sample() is not None
    assert solve(objective, tolerance=1.0).gradient_norm <= 1.0
