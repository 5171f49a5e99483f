"""Squared errors of adversaries against simulation, and their order.

Noise shaped by information against a cost of learning: optimal, equal to theorem 2.4 where that applies, and right about a learner's move.
"""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from discreet.accounting import CramerRaoBound
from discreet.bounds import (
    box_centre_error,
    cheapest_covariance,
    class_mean_error,
    cramer_rao_error,
    geometric_mean,
    learning_cost,
    linear_bayes_error,
    moved_probability,
    prior_mean_error,
    shaped_covariance,
    shaped_value,
)
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE

PRIOR = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 0.5]])
NOISE = np.diag([1.0, 4.0, 0.2])
WEIGHTS = np.array([1.0, 2.0, 0.5])


def records(law, count):
    draw = np.random.default_rng(0)
    root = np.linalg.cholesky(PRIOR)
    if law == "normal":
        return draw.standard_normal((count, 3)) @ root.T
    return draw.choice([-1.0, 1.0], (count, 3)) @ root.T


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("law", ["normal", "signs"])
def test_the_best_linear_guess_has_the_stated_error_whatever_the_law(law, weights):
    """200,000 records: mean squared errors are known to about 0.5 %."""
    rows = records(law, 200_000)
    released = rows + np.random.default_rng(1).standard_normal(rows.shape) @ np.sqrt(NOISE)
    scale = np.ones(3) if weights is None else weights
    guess = released @ np.linalg.solve(PRIOR + NOISE, PRIOR)
    found = np.mean(np.square(guess - rows) @ scale)
    stated = linear_bayes_error(PRIOR, NOISE, weights=weights)
    assert found == pytest.approx(stated, rel=0.02)
    for other in (0.9 * guess, 1.1 * guess, released, 0.0 * released):
        assert np.mean(np.square(other - rows) @ scale) > stated
    assert np.mean(np.square(released - rows) @ scale) == pytest.approx(cramer_rao_error(NOISE, weights=weights), rel=0.02)
    assert np.mean(np.square(rows) @ scale) == pytest.approx(prior_mean_error(PRIOR, weights=weights), rel=0.02)


def test_it_is_the_van_trees_number_of_a_normal_prior():
    stated = CramerRaoBound(
        information=tuple(map(tuple, np.linalg.inv(NOISE))),
        prior_information=tuple(map(tuple, 0.5 * (np.linalg.inv(PRIOR) + np.linalg.inv(PRIOR).T))),
        neighbours=REPLACE_ONE,
        theorem="test",
    )
    assert linear_bayes_error(PRIOR, NOISE) == pytest.approx(stated.van_trees_mse)
    assert cramer_rao_error(NOISE) == pytest.approx(stated.unbiased_mse)


def test_limits():
    assert linear_bayes_error(PRIOR, 1e12 * np.eye(3)) == pytest.approx(prior_mean_error(PRIOR))
    assert linear_bayes_error(PRIOR, 1e-12 * np.eye(3)) == pytest.approx(0.0, abs=1e-9)
    assert linear_bayes_error(1e12 * np.eye(3), NOISE) == pytest.approx(cramer_rao_error(NOISE), rel=1e-3)
    assert linear_bayes_error(np.zeros((2, 2)), np.zeros((2, 2))) == 0.0
    assert class_mean_error([PRIOR, 0.1 * PRIOR], [0.25, 0.75]) == pytest.approx(0.325 * prior_mean_error(PRIOR))


def test_the_middle_of_a_box_is_never_farther_than_stated():
    ranges = np.array([1.0, 2.0, 4.0])
    rows = np.random.default_rng(0).uniform(-0.5, 0.5, (10_000, 3)) * ranges
    corners = 0.5 * ranges * np.array([[1, 1, 1], [1, -1, 1], [-1, 1, 1]])
    for weights in (None, WEIGHTS, PRIOR):
        matrix = np.eye(3) if weights is None else np.diag(weights) if np.ndim(weights) == 1 else weights
        stated = box_centre_error(ranges, weights=weights)
        assert np.max(np.einsum("ij,jk,ik->i", rows, matrix, rows)) <= stated
        assert np.max(np.einsum("ij,jk,ik->i", corners, matrix, corners)) == pytest.approx(stated), "and a corner reaches it"


def test_what_is_no_covariance_is_refused():
    with pytest.raises(InvalidInput, match="square"):
        linear_bayes_error(np.ones(3), NOISE)
    with pytest.raises(InvalidInput, match="with 3 rows"):
        linear_bayes_error(PRIOR, np.eye(2))
    with pytest.raises(InvalidInput, match="negative eigenvalues"):
        cramer_rao_error(-NOISE)
    with pytest.raises(InvalidInput, match="add up to 1"):
        class_mean_error([PRIOR], [0.5])
    with pytest.raises(InvalidInput, match="side lengths"):
        box_centre_error(np.array([-1.0]))


DRAW = np.random.default_rng(0)


def positive(size):
    root = DRAW.standard_normal((size, size))
    return root @ root.T + 0.3 * np.eye(size)


SHAPE, COST = positive(3), positive(3)


def objective(covariance, level):
    return np.trace(np.linalg.solve(SHAPE, np.linalg.inv(covariance))) + level * np.trace(COST @ covariance)


@pytest.mark.parametrize("level", [0.01, 1.0, 30.0])
def test_the_covariance_is_the_optimum(level):
    best = shaped_covariance(weights=SHAPE, cost=COST, level=level)
    assert objective(best, level) == pytest.approx(shaped_value(weights=SHAPE, cost=COST, level=level))
    inverse = np.linalg.inv(best)
    assert np.allclose(inverse @ np.linalg.inv(SHAPE) @ inverse, level * COST)
    lower = np.tril_indices(3)

    def of_factor(numbers):
        factor = np.zeros((3, 3))
        factor[lower] = numbers
        return objective(factor @ factor.T + 1e-12 * np.eye(3), level)

    for seed in range(5):
        start = np.linalg.cholesky(best)[lower] * (1 + 0.5 * np.random.default_rng(seed).standard_normal(6))
        assert minimize(of_factor, start, method="BFGS").fun >= objective(best, level) * (1 - 1e-9)


def test_a_cost_of_variance_alone_is_theorem_4():
    values, vectors = np.linalg.eigh(SHAPE)
    expected = (vectors * values**-0.5) @ vectors.T / np.sqrt(7.0)
    assert np.allclose(shaped_covariance(weights=SHAPE, cost=np.eye(3), level=7.0), expected)
    assert shaped_value(weights=SHAPE, cost=np.eye(3), level=7.0) == pytest.approx(2 * np.sqrt(7.0) * np.sum(values**-0.5))


def test_under_a_budget_of_information_nothing_is_cheaper():
    best = cheapest_covariance(weights=SHAPE, cost=COST, budget=2.5)
    spent = np.trace(np.linalg.solve(SHAPE, np.linalg.inv(best)))
    assert spent == pytest.approx(2.5)
    for _ in range(200):
        other = positive(3)
        other *= np.trace(np.linalg.solve(SHAPE, np.linalg.inv(other))) / 2.5
        assert np.trace(COST @ other) >= np.trace(COST @ best) * (1 - 1e-12)


def test_the_geometric_mean_is_symmetric_in_its_arguments_and_solves_its_equation():
    mean = geometric_mean(SHAPE, COST)
    assert np.allclose(mean, geometric_mean(COST, SHAPE))
    assert np.allclose(mean @ np.linalg.solve(SHAPE, mean), COST)


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
        shaped_covariance(weights=SHAPE, cost=np.diag([1.0, 0.0, 1.0]), level=1.0)
    with pytest.raises(InvalidInput, match="with 3 rows"):
        shaped_covariance(weights=SHAPE, cost=np.eye(2), level=1.0)
    with pytest.raises(InvalidInput, match="level"):
        shaped_covariance(weights=SHAPE, cost=COST, level=0.0)
    with pytest.raises(InvalidInput, match="for every record"):
        learning_cost(np.eye(2), np.ones((3, 2)))
    with pytest.raises(InvalidInput, match="same shape"):
        moved_probability(covariance=SHAPE, cost=np.eye(2), distance=1.0)
