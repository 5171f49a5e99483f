"""Noise shaped by information against a cost of learning: optimal, equal to theorem 2.4 where that applies, and right about a learner's move."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from discreet.bounds import cheapest_covariance, geometric_mean, learning_cost, moved_probability, shaped_covariance, shaped_value
from discreet.core.errors import InvalidInput

DRAW = np.random.default_rng(0)


def positive(size):
    root = DRAW.standard_normal((size, size))
    return root @ root.T + 0.3 * np.eye(size)


WEIGHTS, COST = positive(3), positive(3)


def objective(covariance, level):
    return np.trace(np.linalg.solve(WEIGHTS, np.linalg.inv(covariance))) + level * np.trace(COST @ covariance)


@pytest.mark.parametrize("level", [0.01, 1.0, 30.0])
def test_the_covariance_is_the_optimum(level):
    best = shaped_covariance(weights=WEIGHTS, cost=COST, level=level)
    assert objective(best, level) == pytest.approx(shaped_value(weights=WEIGHTS, cost=COST, level=level))
    inverse = np.linalg.inv(best)
    assert np.allclose(inverse @ np.linalg.inv(WEIGHTS) @ inverse, level * COST)
    lower = np.tril_indices(3)

    def of_factor(numbers):
        factor = np.zeros((3, 3))
        factor[lower] = numbers
        return objective(factor @ factor.T + 1e-12 * np.eye(3), level)

    for seed in range(5):
        start = np.linalg.cholesky(best)[lower] * (1 + 0.5 * np.random.default_rng(seed).standard_normal(6))
        assert minimize(of_factor, start, method="BFGS").fun >= objective(best, level) * (1 - 1e-9)


def test_a_cost_of_variance_alone_is_theorem_4():
    values, vectors = np.linalg.eigh(WEIGHTS)
    expected = (vectors * values**-0.5) @ vectors.T / np.sqrt(7.0)
    assert np.allclose(shaped_covariance(weights=WEIGHTS, cost=np.eye(3), level=7.0), expected)
    assert shaped_value(weights=WEIGHTS, cost=np.eye(3), level=7.0) == pytest.approx(2 * np.sqrt(7.0) * np.sum(values**-0.5))


def test_under_a_budget_of_information_nothing_is_cheaper():
    best = cheapest_covariance(weights=WEIGHTS, cost=COST, budget=2.5)
    spent = np.trace(np.linalg.solve(WEIGHTS, np.linalg.inv(best)))
    assert spent == pytest.approx(2.5)
    for _ in range(200):
        other = positive(3)
        other *= np.trace(np.linalg.solve(WEIGHTS, np.linalg.inv(other))) / 2.5
        assert np.trace(COST @ other) >= np.trace(COST @ best) * (1 - 1e-12)


def test_the_geometric_mean_is_symmetric_in_its_arguments_and_solves_its_equation():
    mean = geometric_mean(WEIGHTS, COST)
    assert np.allclose(mean, geometric_mean(COST, WEIGHTS))
    assert np.allclose(mean @ np.linalg.solve(WEIGHTS, mean), COST)


class Learner:
    """Logistic regression with a ridge."""

    def __init__(self):
        draw = np.random.default_rng(3)
        self.rows = draw.standard_normal((60, 2)) * [1.0, 3.0]
        self.signs = np.where(self.rows @ [1.0, -0.5] + draw.logistic(size=60) > 0, 1.0, -1.0)

    def minimiser(self, rows, start=(0.0, 0.0)):
        def value(phi):
            return np.logaddexp(0.0, -self.signs * (rows @ phi)).sum() + 2.0 * phi @ phi

        def slope(phi):
            return -(self.signs * expit(-self.signs * (rows @ phi))) @ rows + 4.0 * phi

        return minimize(value, start, jac=slope, method="BFGS", options={"gtol": 1e-10}).x

    def derivatives(self, phi):
        margins = self.signs * (self.rows @ phi)
        slopes, bends = -expit(-margins), expit(margins) * expit(-margins)
        hessian = (self.rows * bends[:, np.newaxis]).T @ self.rows + 4.0 * np.eye(2)
        mixed = np.einsum("i,ip,d->ipd", bends, self.rows, phi) + np.einsum("i,pd->ipd", self.signs * slopes, np.eye(2))
        return hessian, mixed


def test_the_cost_is_the_squared_move_of_a_learner_to_first_order():
    """300 draws: mean squares are known to about 6 %. Noise shaped for this learner moves it less than noise of one size, at equal information."""
    learner = Learner()
    phi = learner.minimiser(learner.rows)
    cost = learning_cost(*learner.derivatives(phi))
    draw = np.random.default_rng(4)

    def moved(covariance, draws):
        root = np.linalg.cholesky(covariance)
        return np.mean([np.sum((learner.minimiser(learner.rows + draw.standard_normal((60, 2)) @ root.T, phi) - phi) ** 2) for _ in range(draws)])

    shaped = cheapest_covariance(weights=np.eye(2), cost=cost, budget=2.0 / 0.01)
    found, plain = moved(shaped, 300), moved(0.01 * np.eye(2), 300)
    assert found == pytest.approx(np.trace(cost @ shaped), rel=0.45)
    assert plain == pytest.approx(0.01 * np.trace(cost), rel=0.45)
    assert np.trace(cost @ shaped) < 0.01 * np.trace(cost)
    bound = moved_probability(covariance=shaped, cost=cost, distance=2.0 * np.sqrt(np.trace(cost @ shaped)))
    assert bound == pytest.approx(0.25)
    assert moved_probability(covariance=shaped, cost=cost, distance=1e-9) == 1.0
    doubled = learning_cost(*learner.derivatives(phi), weights=2.0 * np.eye(2))
    assert np.allclose(doubled, 2.0 * cost)


def test_what_is_not_positive_definite_is_refused():
    with pytest.raises(InvalidInput, match="positive definite"):
        shaped_covariance(weights=WEIGHTS, cost=np.diag([1.0, 0.0, 1.0]), level=1.0)
    with pytest.raises(InvalidInput, match="with 3 rows"):
        shaped_covariance(weights=WEIGHTS, cost=np.eye(2), level=1.0)
    with pytest.raises(InvalidInput, match="level"):
        shaped_covariance(weights=WEIGHTS, cost=COST, level=0.0)
    with pytest.raises(InvalidInput, match="for every record"):
        learning_cost(np.eye(2), np.ones((3, 2)))
    with pytest.raises(InvalidInput, match="same shape"):
        moved_probability(covariance=WEIGHTS, cost=np.eye(2), distance=1.0)
