"""The soft-margin machine: optimality conditions, the primal cost, and the multipliers of a known data set."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from discreet.errors import InvalidInput
from discreet.solvers.soft_margin import solve_soft_margin


def clouds(seed):
    draw = np.random.default_rng(seed)
    return np.vstack([draw.standard_normal((30, 2)), draw.standard_normal((30, 2)) + np.array([0.0, 3.0])]), np.repeat([1.0, -1.0], 30)


def cost(rows, signs, weights, intercept, rho, theta):
    slacks = np.maximum(0.0, 1.0 - signs * (rows @ weights + intercept))
    return 0.5 * weights @ weights + 0.5 * rho * (intercept**2 + slacks @ slacks) + theta * slacks.sum()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("rho", "theta"), [(1e-2, 1.0), (1e-2, 0.3), (1.0, 5.0)])
def test_the_solution_satisfies_the_conditions_and_no_other_point_costs_less(seed, rho, theta):
    rows, signs = clouds(seed)
    found = solve_soft_margin(rows, signs, rho=rho, theta=theta)
    margins = signs * (rows @ found.weights + found.intercept)
    assert np.all(margins >= 1 - found.slacks - 1e-8)
    assert np.all(np.abs(found.multipliers * (margins - 1 + found.slacks)) < 1e-7)
    assert np.allclose(found.slacks, np.maximum(found.multipliers - theta, 0.0) / rho)
    assert np.allclose(found.weights, (found.multipliers * signs) @ rows)
    best = cost(rows, signs, found.weights, found.intercept, rho, theta)
    draw = np.random.default_rng(seed)
    for size in (1e-3, 0.1):
        for _ in range(20):
            step = draw.standard_normal(3) * size
            assert cost(rows, signs, found.weights + step[:2], found.intercept + step[2], rho, theta) >= best - 1e-12


def test_the_largest_share_of_a_multiplier_is_the_known_one():
    table = load_breast_cancer()
    rows = (table.data - table.data.mean(axis=0)) / table.data.std(axis=0)
    squares = solve_soft_margin(rows, np.where(table.target == 1, 1.0, -1.0)).multipliers ** 2
    assert round(29 * (1 - squares.max() / squares.sum()), 2) == 27.90


def test_what_is_no_classification_is_refused():
    with pytest.raises(InvalidInput, match=r"\+1 or -1"):
        solve_soft_margin(np.ones((2, 1)), np.array([1.0, 0.0]))
