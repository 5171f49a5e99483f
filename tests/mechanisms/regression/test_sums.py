"""Sums over records are exact integers, a record's part of a gradient is as short as it must be, and the curve of noisy answers about them."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.core.rounding import raising
from discreet.data import Domain
from discreet.mechanisms.noisy_sums import composed_delta
from discreet.mechanisms.regression import LeastSquares
from discreet.mechanisms.regression.sums import moment_reach, step_reach, total_mu
from discreet.verification.regression import farthest
from tests.mechanisms.release.tables import invented, of

DOMAIN = Domain(features=3, norm_bound=1.0, target_bound=2.0, intercept_scale=0.3)
PROBLEM = LeastSquares(domain=DOMAIN)
MOMENT_WEIGHTS = [(0.85, 0.3), (0.85, 0.99), (0.2, 0.1), (1.4, 1.9), (1.41, 0.5), (0.3, 2.5)]
WEIGHTS = np.array([0.7, -1.9, 0.4, 1.1])


def table(count, seed=0):
    draw = np.random.default_rng(seed)
    return draw.uniform(-0.8, 0.8, (count, 3)), draw.uniform(-2.5, 2.5, count)


def exactly(value, unit):
    return math.trunc(Fraction(float(value)) / Fraction(unit))


def test_moments_are_sums_of_integers():
    rows, targets = table(40)
    data = of(rows, targets, DOMAIN)
    moments = PROBLEM.moments(data)
    wide = np.column_stack([data.matrix.matvec(np.eye(4)[j]) for j in range(4)])
    integers = [[exactly(value, PROBLEM.row_unit) for value in row] for row in wide]
    last = [exactly(value, PROBLEM.target_unit) for value in data.targets]
    assert moments.products.tolist() == [[sum(row[i] * row[j] for row in integers) for j in range(4)] for i in range(4)]
    assert moments.targets.tolist() == [sum(row[i] * y for row, y in zip(integers, last, strict=True)) for i in range(4)]
    assert moments.squares == sum(y * y for y in last)


@pytest.mark.parametrize("length", [0.05, 0.7, 5.0])
def test_tables_that_differ_by_a_record_differ_by_its_part_which_is_short(length):
    rows, targets = table(2500)
    rows[7], targets[7] = [0.001, 0.0, 0.0], -2.0
    whole = PROBLEM.gradient(of(rows, targets, DOMAIN), WEIGHTS, length)
    order = np.random.default_rng(1).permutation(len(rows))
    assert np.array_equal(PROBLEM.gradient(of(rows[order], targets[order], DOMAIN), WEIGHTS, length).sums, whole.sums)
    for place in (0, 7, 1500):
        left = np.arange(len(rows)) != place
        without = PROBLEM.gradient(of(rows[left], targets[left], DOMAIN), WEIGHTS, length)
        alone = PROBLEM.gradient(of(rows[place : place + 1], targets[place : place + 1], DOMAIN), WEIGHTS, length)
        assert np.array_equal(whole.sums - without.sums, alone.sums)
        assert np.linalg.norm(alone.sums) * alone.unit * PROBLEM.row_unit <= length * raising(4_096)


def test_a_gradient_without_clipping_is_the_gradient():
    rows, targets = table(300)
    data = of(rows, targets, DOMAIN)
    found = PROBLEM.gradient(data, WEIGHTS, 50.0)
    expected = data.matrix.rmatvec(data.targets - data.matrix.matvec(WEIGHTS))
    assert np.allclose(found.sums * found.unit * PROBLEM.row_unit, expected, atol=1e-3)


def test_a_longest_record_reaches_the_bound():
    data = of([[1.0, 0.0, 0.0]], [2.0], DOMAIN)
    found = PROBLEM.gradient(data, -WEIGHTS, 0.5)
    assert np.linalg.norm(found.sums) * found.unit * PROBLEM.row_unit == pytest.approx(0.5, rel=1e-4)


def test_another_domain_longer_tables_and_infinite_weights_are_refused():
    data = invented(DOMAIN, 30)
    with pytest.raises(InvalidInput, match="domain"):
        LeastSquares(domain=Domain(features=3, norm_bound=2.0, target_bound=1.0)).moments(data)
    with pytest.raises(InvalidInput, match="most_records"):
        LeastSquares(domain=DOMAIN, most_records=29).moments(data)
    for wrong in (0, 1 << 41, 2.5, True):
        with pytest.raises(InvalidInput, match="most_records"):
            LeastSquares(domain=DOMAIN, most_records=wrong)
    with pytest.raises(SolverFailure, match="finite"):
        PROBLEM.gradient(data, np.full(4, np.inf), 1.0)


def weighted(x, y, a, g):
    return np.concatenate((np.outer(x, x).ravel(), a * x * y, [g * y * y]))


@pytest.mark.parametrize(("a", "g"), MOMENT_WEIGHTS)
def test_no_pair_of_records_is_farther_apart_than_the_formula_and_some_pair_is_as_far(a, g):
    draw = np.random.default_rng(0)
    limit = {kind: moment_reach(kind, target_weight=a, square_weight=g) for kind in (ADD_REMOVE, REPLACE_ONE)}
    for _ in range(3000):
        first, second = (
            weighted(x / max(1.0, np.linalg.norm(x)), y, a, g) for x, y in zip(draw.normal(size=(2, 2)), draw.uniform(-1, 1, 2), strict=True)
        )
        assert np.linalg.norm(first) <= limit[ADD_REMOVE]
        assert np.linalg.norm(first - second) <= limit[REPLACE_ONE]
    cosine = a * a / 2
    x, z = np.array([1.0, 0.0]), np.array([cosine, math.sqrt(1 - cosine**2)])
    opposite = np.linalg.norm(weighted(x, 1.0, a, g) - weighted(z, -1.0, a, g))
    one_target = np.linalg.norm(weighted(x, 1.0, a, g) - weighted(z[::-1] * [0, 1] / max(z[0], 1e-300), 0.0, a, g))
    assert max(opposite, one_target) == pytest.approx(limit[REPLACE_ONE], rel=1e-9)
    assert np.linalg.norm(weighted(x, 1.0, a, g)) == pytest.approx(limit[ADD_REMOVE], rel=1e-9)


@pytest.mark.parametrize("kind", [ADD_REMOVE, REPLACE_ONE])
def test_the_search_of_the_recheck_agrees_and_notices_a_formula_without_the_cross_term(kind):
    a, g = 0.85, 0.3
    found = farthest(kind, a, g)
    assert found == pytest.approx(moment_reach(kind, target_weight=a, square_weight=g), rel=1e-4)
    without = math.sqrt(1.0 + a**2) if kind is ADD_REMOVE else math.sqrt(2.0 + 2.0 * a**2)
    assert found > 1.01 * without


def test_outside_the_hypothesis_nothing_is_promised():
    assert moment_reach(REPLACE_ONE, target_weight=1.5, square_weight=0.1) == math.inf
    assert composed_delta(1.0, 0.1, integers=10, stages=1, least_scale=10.0) == 1.0
    assert composed_delta(1e-9, 0.1, integers=10, stages=1, least_scale=1000.0) == 1.0


def test_everything_together_is_one_gaussian_answer():
    mu = total_mu(1.3, 6.5, ADD_REMOVE, 4, 20.0)
    assert mu == pytest.approx(math.sqrt((1.3 / 6.5) ** 2 + 4 / 400.0), rel=1e-9)
    assert total_mu(1.3, 6.5, REPLACE_ONE, 0, 0.0) == pytest.approx(0.2, rel=1e-9)
    assert step_reach(REPLACE_ONE) >= 2.0
    found = composed_delta(1.0, mu, integers=60, stages=5, least_scale=2.0**30)
    assert gaussian_delta(1.0, mu) <= found <= gaussian_delta(1.0, mu) * (1 + 1e-6)
