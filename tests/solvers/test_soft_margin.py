"""The soft-margin machine: optimality conditions, the primal cost, and the multipliers of a known data set."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from discreet.core.errors import InvalidInput
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


def test_features_in_raw_units_are_no_obstacle():
    table = load_breast_cancer()
    signs = np.where(table.target == 1, 1.0, -1.0)
    for rho, theta in ((1e-2, 1.0), (1.0, 5.0), (1e-4, 0.1)):
        found = solve_soft_margin(table.data, signs, rho=rho, theta=theta)
        margins = signs * (table.data @ found.weights + found.intercept)
        assert np.all(margins >= 1 - found.slacks - 1e-8)
        assert np.all(np.abs(found.multipliers * (margins - 1 + found.slacks)) < 1e-8 * (theta + rho))
        # Sums of 569 terms up to 4000 are known to about 1e-10.
        assert np.allclose((found.multipliers * signs) @ table.data, found.weights, rtol=0, atol=1e-9)
        scales = table.data.std(axis=0)
        draw, best = np.random.default_rng(0), cost(table.data, signs, found.weights, found.intercept, rho, theta)
        for size in (1e-6, 1e-3, 0.1):
            step = draw.standard_normal(31) * size
            assert cost(table.data, signs, found.weights + step[:30] / scales, found.intercept + step[30], rho, theta) >= best - 1e-10


def test_the_printed_share_comes_out_on_raw_columns():
    table = load_breast_cancer()
    squares = solve_soft_margin(table.data, np.where(table.target == 1, 1.0, -1.0)).multipliers ** 2
    assert round(29 * (1 - squares.max() / squares.sum()), 3) == 28.413


def test_wide_equal_and_one_sided_records_have_a_solution():
    draw = np.random.default_rng(1)
    cases = {
        "wide": (draw.standard_normal((40, 200)), np.sign(draw.standard_normal(40))),
        "equal": (np.repeat(draw.standard_normal((20, 2)), 3, axis=0), np.sign(np.repeat(draw.standard_normal(20), 3))),
        "constant": (np.ones((20, 2)), np.sign(draw.standard_normal(20))),
        "one sign": (draw.standard_normal((20, 2)), np.ones(20)),
        "one record": (np.ones((1, 1)), np.ones(1)),
    }
    for name, (rows, signs) in cases.items():
        found = solve_soft_margin(rows, signs)
        margins = signs * (rows @ found.weights + found.intercept)
        assert np.all(margins >= 1 - found.slacks - 1e-8), name
        assert np.all(np.abs(found.multipliers * (margins - 1 + found.slacks)) < 1e-8), name
        assert np.allclose((found.multipliers * signs) @ rows, found.weights, atol=1e-10), name
        assert float(found.multipliers @ signs) == pytest.approx(1e-2 * found.intercept, abs=1e-10), name


def test_what_is_no_classification_is_refused():
    with pytest.raises(InvalidInput, match=r"\+1 or -1"):
        solve_soft_margin(np.ones((2, 1)), np.array([1.0, 0.0]))
