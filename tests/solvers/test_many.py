"""Many fits at once: each is as good as alone, and certified alike."""

import numpy as np
import pytest
from scipy import sparse

from discreet.core.errors import SolverFailure
from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.matrices import DenseMatrix, SparseMatrix
from discreet.objectives.objective import MarginObjective
from discreet.solvers import solve, solve_many
from discreet.solvers.directions import SecantPairs

LOSSES = [Logistic(), SoftplusHinge(temperature=0.3), HuberHinge(half_width=0.4), SmoothedHinge(half_width=0.1)]


def _objective(loss, *, count=300, dimension=5, ridge=1.0, weights=None):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((count, dimension)) / np.sqrt(dimension)
    return MarginObjective(matrix=DenseMatrix(rows), signs=rng.choice([-1.0, 1.0], count), weights=weights, loss=loss, ridge=ridge)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("noise", [0.0, 1.0, 100.0, 1e5])
def test_columns_agree_with_single_fits(loss, noise):
    objective = _objective(loss, weights=np.linspace(0.0, 1.0, 300))
    linears = noise * np.random.default_rng(1).standard_normal((5, 9))
    tolerance = 1e-9 + 1e-14 * noise
    weights, norms = solve_many(objective, linears, tolerance=tolerance)
    assert weights.shape == (5, 9)
    assert norms.shape == (9,)
    assert np.all(norms <= tolerance)
    for j in range(9):
        single = objective.with_linear(linears[:, j])
        assert single.certified_gradient_norm(weights[:, j]) <= tolerance
        np.testing.assert_allclose(weights[:, j], solve(single, tolerance=tolerance).weights, atol=2.5 * tolerance, rtol=1e-14)


@pytest.mark.parametrize("count", [1, 3])
def test_few_records_small_ridge_and_heavy_noise(count):
    for loss in LOSSES:
        objective = _objective(loss, count=count, ridge=1e-3)
        _, norms = solve_many(objective, 1e4 * np.random.default_rng(2).standard_normal((5, 6)), tolerance=1e-8)
        assert np.all(norms <= 1e-8)


def test_chunks_and_a_common_linear_term():
    objective = _objective(Logistic()).with_linear(np.ones(5))
    linears = np.random.default_rng(1).standard_normal((5, 130))
    weights, _ = solve_many(objective, linears, tolerance=1e-9)
    for j in (0, 64, 129):
        alone = solve(objective.with_linear(linears[:, j] + 1.0), tolerance=1e-9)
        np.testing.assert_allclose(weights[:, j], alone.weights, atol=1e-8)


def test_repeating_gives_the_same_bits():
    objective = _objective(Logistic())
    linears = np.random.default_rng(1).standard_normal((5, 7))
    first, _ = solve_many(objective, linears, tolerance=1e-9)
    second, _ = solve_many(objective, linears, tolerance=1e-9)
    assert np.array_equal(first, second)


def test_wide_tables_are_solved_column_by_column():
    rng = np.random.default_rng(0)
    rows = sparse.csr_array(rng.uniform(size=(100, 3500)) * (rng.uniform(size=(100, 3500)) < 0.003))
    objective = MarginObjective(matrix=SparseMatrix(rows), signs=rng.choice([-1.0, 1.0], 100), weights=None, loss=Logistic(), ridge=0.5)
    _, norms = solve_many(objective, rng.standard_normal((3500, 2)), tolerance=1e-8)
    assert np.all(norms <= 1e-8)


def test_no_columns_give_no_weights():
    weights, norms = solve_many(_objective(Logistic()), np.empty((5, 0)), tolerance=1e-9)
    assert weights.shape == (5, 0)
    assert norms.shape == (0,)


def test_an_impossible_tolerance_fails():
    with pytest.raises(SolverFailure):
        solve_many(_objective(Logistic()), np.ones((5, 3)), tolerance=1e-20)


def test_a_failure_at_the_common_minimiser_names_the_callers_tolerance():
    rows = np.full((3, 2), 1e200)
    objective = MarginObjective(matrix=DenseMatrix(rows), signs=np.ones(3), weights=None, loss=Logistic(), ridge=1.0)
    with np.errstate(all="ignore"), pytest.raises(SolverFailure, match="gradient norm of 1e-06 in dimension 2"):
        solve_many(objective, np.ones((2, 3)), tolerance=1e-6)


def test_secant_pairs_satisfy_the_secant_equation_and_follow_their_columns():
    rng = np.random.default_rng(0)
    pairs = SecantPairs(lambda vectors: 0.5 * vectors)
    steps = rng.standard_normal((4, 3))
    hessian = np.diag([1.0, 2.0, 3.0, 4.0])
    pairs.add(steps, hessian @ steps)
    np.testing.assert_allclose(pairs.directions(hessian @ steps), -steps, rtol=1e-12)
    pairs.keep(np.array([True, False, True]))
    np.testing.assert_allclose(pairs.directions(hessian @ steps[:, [0, 2]]), -steps[:, [0, 2]], rtol=1e-12)


def test_secant_directions_are_those_of_the_explicit_bfgs_matrix():
    rng = np.random.default_rng(1)
    root = rng.standard_normal((4, 4))
    hessian = root @ root.T + np.eye(4)
    pairs, inverse = SecantPairs(lambda vectors: 0.5 * vectors), 0.5 * np.eye(4)
    for _ in range(3):
        step = rng.standard_normal((4, 1))
        change = hessian @ step
        pairs.add(step, change)
        rho = 1.0 / (step.T @ change)
        left = np.eye(4) - rho * step @ change.T
        inverse = left @ inverse @ left.T + rho * step @ step.T
    gradient = rng.standard_normal((4, 1))
    np.testing.assert_allclose(pairs.directions(gradient), -inverse @ gradient, rtol=1e-9)


def test_records_that_cancel_leave_a_common_minimum_at_zero_and_no_failure():
    """The gradient without linear term is exactly zero at the start, so no fraction of it can be asked for."""
    rows = np.tile([[0.6, -0.8]], (22, 1))
    objective = MarginObjective(matrix=DenseMatrix(rows), signs=np.tile([1.0, -1.0], 11), weights=None, loss=Logistic(), ridge=3.0)
    linears = 10.0 * np.random.default_rng(2).standard_normal((2, 5))
    _, norms = solve_many(objective, linears, tolerance=1e-11)
    assert np.all(norms <= 1e-11)
