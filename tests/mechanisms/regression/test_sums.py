"""Sums over records are exact integers, whatever the order, and a record's part of a gradient is as short as it must be."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.core.errors import InvalidInput, SolverFailure
from discreet.data import Domain
from discreet.mechanisms.regression import LeastSquares
from discreet.mechanisms.regression.sums import LENGTH_UP
from tests.mechanisms.release.tables import invented, of

DOMAIN = Domain(features=3, norm_bound=1.0, target_bound=2.0, intercept_scale=0.3)
PROBLEM = LeastSquares(domain=DOMAIN)
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
        assert np.linalg.norm(alone.sums) * alone.unit * PROBLEM.row_unit <= length * LENGTH_UP


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
