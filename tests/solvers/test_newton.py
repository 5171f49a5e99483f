"""One fit: right, certified, and loud when it cannot be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse
from threadpoolctl import threadpool_info, threadpool_limits

from discreet.core.errors import InvalidInput, SolverFailure
from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.matrices import DenseMatrix, SparseMatrix
from discreet.objectives.objective import MarginObjective
from discreet.solvers import solve
from discreet.solvers.directions import CholeskyDirections, ConjugateDirections, positive_factor
from discreet.solvers.newton import minimise

LOSSES = [Logistic(), SoftplusHinge(temperature=0.3), HuberHinge(half_width=0.4), HuberHinge(half_width=0.01), SmoothedHinge(half_width=0.1)]


def _objective(seed, loss, *, count, dimension, ridge, noise):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, dimension))
    rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
    linear = rng.standard_normal(dimension)
    linear *= noise / np.linalg.norm(linear)
    return MarginObjective(
        matrix=DenseMatrix(rows), signs=rng.choice([-1.0, 1.0], count), weights=rng.random(count), loss=loss, ridge=ridge, linear=linear
    )


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_no_other_minimiser_does_better(loss):
    objective = _objective(0, loss, count=60, dimension=4, ridge=0.5, noise=3.0)
    solution = solve(objective, tolerance=1e-10)
    peer = optimize.minimize(
        lambda w: objective.value(w, objective.margins(w)),
        np.ones(4),
        jac=lambda w: objective.gradient(w, objective.margins(w)),
        method="BFGS",
        options={"gtol": 1e-9},
    )
    np.testing.assert_allclose(solution.weights, peer.x, atol=1e-6)
    assert solution.gradient_norm <= 1e-10
    assert objective.certified_gradient_norm(solution.weights) <= 1e-10


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("directions", [CholeskyDirections, ConjugateDirections])
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.sampled_from([1, 2, 3, 5, 40, 200]),
    dimension=st.integers(1, 8),
    ridge=st.sampled_from([1e-3, 1e-1, 10.0]),
    noise=st.sampled_from([1e-2, 1.0, 1e2, 1e5]),
)
def test_every_loss_converges_from_zero_whatever_the_noise(loss, directions, seed, count, dimension, ridge, noise):
    objective = _objective(seed, loss, count=count, dimension=dimension, ridge=ridge, noise=noise)
    tolerance = 1e-9 * count + 1e-14 * noise
    solution = minimise(objective, directions(), tolerance=tolerance, start=np.zeros(dimension))
    assert objective.certified_gradient_norm(solution.weights) <= tolerance
    assert solution.iterations < 150


def test_wide_sparse_tables_go_through_conjugate_gradients():
    rng = np.random.default_rng(0)
    rows = sparse.csr_array(rng.uniform(size=(400, 4000)) * (rng.uniform(size=(400, 4000)) < 0.005))
    objective = MarginObjective(matrix=SparseMatrix(rows), signs=rng.choice([-1.0, 1.0], 400), weights=None, loss=Logistic(), ridge=0.1)
    solution = solve(objective, tolerance=1e-9)
    assert "conjugate" in solution.status
    assert objective.certified_gradient_norm(solution.weights) <= 1e-9


def test_a_poor_start_and_the_minimiser_itself_end_at_the_same_point():
    objective = _objective(3, HuberHinge(), count=50, dimension=5, ridge=0.1, noise=1.0)
    first = solve(objective, tolerance=1e-11)
    np.testing.assert_allclose(solve(objective, tolerance=1e-11, start=np.full(5, 1e4)).weights, first.weights, atol=1e-9)
    assert solve(objective, tolerance=1e-11, start=first.weights).iterations == 1


def test_ill_conditioned_single_precision_hessians_do_no_harm():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((300, 6)) * np.logspace(0, -4, 6)
    objective = MarginObjective(matrix=DenseMatrix(rows), signs=rng.choice([-1.0, 1.0], 300), weights=None, loss=Logistic(), ridge=1e-9)
    solution = solve(objective, tolerance=1e-7)
    assert objective.certified_gradient_norm(solution.weights) <= 1e-7


def test_an_impossible_tolerance_fails_with_public_numbers_only():
    objective = _objective(5, Logistic(), count=500, dimension=3, ridge=1.0, noise=1.0)
    with pytest.raises(SolverFailure) as caught:
        solve(objective, tolerance=1e-20)
    message = str(caught.value)
    assert "1e-20" in message
    assert "dimension 3" in message
    assert [word for word in message.replace(",", " ").split() if word[0].isdigit()] == ["1e-20", "3.", "1e-12"]


def test_a_small_computed_norm_alone_is_not_enough():
    """1e-12 is within reach of the computed gradient of 500 records, but below what rounding lets anybody prove."""
    objective = _objective(5, Logistic(), count=500, dimension=3, ridge=1.0, noise=1.0)
    solution = solve(objective, tolerance=1e-9)
    weights = solve(objective, tolerance=2e-11, start=solution.weights).weights
    assert np.linalg.norm(objective.gradient(weights, objective.margins(weights))) < 1e-12
    with pytest.raises(SolverFailure):
        solve(objective, tolerance=1e-12)


def test_conjugate_gradients_solve_the_newton_equations_in_few_products():
    rng = np.random.default_rng(0)
    rows = (rng.standard_normal((200, 60)) * np.logspace(0, -2, 60)) @ np.linalg.qr(rng.standard_normal((60, 60)))[0]
    objective = MarginObjective(matrix=DenseMatrix(rows), signs=rng.choice([-1.0, 1.0], 200), weights=None, loss=Logistic(), ridge=1e-3)
    point = np.zeros(60)
    margins = objective.margins(point)
    gradient = objective.gradient(point, margins)
    directions = ConjugateDirections()
    directions._first = 1e20 * np.linalg.norm(gradient)  # as if the gradient had shrunk so far: the equations are to be solved well
    direction = directions.propose(objective, point, margins, gradient, 1.0)
    curvatures = objective.curvatures(margins)
    assert np.linalg.norm(objective.hessian_product(curvatures, direction) + gradient) <= 1e-8 * np.linalg.norm(gradient)


def test_tables_that_overflow_fail_instead_of_returning():
    objective = MarginObjective(matrix=DenseMatrix(np.full((3, 2), 1e200)), signs=np.ones(3), weights=None, loss=Logistic(), ridge=1.0)
    with np.errstate(all="ignore"), pytest.raises(SolverFailure):
        solve(objective, tolerance=1e-6)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, np.inf, np.nan])
def test_tolerances_that_mean_nothing_are_refused(tolerance):
    objective = _objective(5, Logistic(), count=5, dimension=3, ridge=1.0, noise=1.0)
    with pytest.raises(InvalidInput):
        solve(objective, tolerance=tolerance)


def test_without_a_ridge_there_is_nothing_to_prove():
    objective = _objective(5, Logistic(), count=5, dimension=3, ridge=0.0, noise=1.0)
    with pytest.raises(InvalidInput):
        solve(objective, tolerance=1e-6)


def test_an_indefinite_matrix_still_gets_a_positive_factor():
    factor, _ = positive_factor(np.array([[1.0, 1.0], [1.0, 1.0 - 1e-15]]))
    assert np.all(np.diag(factor) > 0)


class Rough:
    """An objective whose plain gradient is summed so badly that its error exceeds the tolerance; its certificate is as good as ever."""

    def __init__(self, objective, size):
        self._objective, self._size, self._random = objective, size, np.random.default_rng(3)

    def __getattr__(self, name):
        return getattr(self._objective, name)

    def gradient(self, point, margins):
        noise = self._random.normal(size=point.shape)
        return self._objective.gradient(point, margins) + self._size * noise / np.linalg.norm(noise)


def test_a_minimiser_is_found_where_only_the_certificate_can_see_it():
    objective = _objective(0, Logistic(), count=400, dimension=5, ridge=2.0, noise=1.0)
    solution = solve(Rough(objective, 3e-8), tolerance=2e-8)
    assert solution.gradient_norm <= 2e-8
    assert solution.gradient_norm == objective.certified_gradient_norm(solution.weights)


def test_a_last_step_that_was_foreseen_brings_its_own_certificate():
    """The minimiser's plain gradient is not taken then: its certificate is, at once, and is the only one."""
    inner = _objective(7, Logistic(), count=3000, dimension=4, ridge=1.0, noise=1.0)
    plain, certified = [], []

    class Watched:
        def __getattr__(self, name):
            return getattr(inner, name)

        def gradient(self, point, margins):
            plain.append(point)
            return inner.gradient(point, margins)

        def certified_gradients(self, points, linears):
            certified.append(points[:, 0])
            return inner.certified_gradients(points, linears)

    foreseen = 0
    for tolerance in np.logspace(-4, -9, 11):
        plain.clear()
        certified.clear()
        solution = solve(Watched(), tolerance=tolerance)
        assert objective_norm(inner, solution.weights) <= solution.gradient_norm <= tolerance
        np.testing.assert_array_equal(certified[-1], solution.weights)
        foreseen += len(certified) == 1 and not any(np.array_equal(point, solution.weights) for point in plain)
    assert foreseen >= 3


def objective_norm(objective, point):
    return np.linalg.norm(objective.gradient(point, objective.margins(point)))


def test_the_linear_algebra_library_has_one_thread_in_a_solve_and_its_own_again_afterwards(monkeypatch):
    threads = []
    gradient = MarginObjective.gradient
    monkeypatch.setattr(MarginObjective, "gradient", lambda *given: (threads.append(_most_threads()), gradient(*given))[1])
    with threadpool_limits(2, user_api="blas"):
        solve(_objective(0, Logistic(), count=60, dimension=4, ridge=0.5, noise=3.0), tolerance=1e-10)
        assert _most_threads() == 2
    assert set(threads) == {1}


def _most_threads():
    return max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
