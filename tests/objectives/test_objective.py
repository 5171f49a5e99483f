"""The objective against differences, and its certificate against exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.matrices import AugmentedMatrix, DenseMatrix, MappedMatrix, Matrix, SparseMatrix, TabularMatrix
from discreet.objectives.objective import MarginObjective
from tests.objectives import test_softmax_objective as softmax

LOSSES = [Logistic(), SoftplusHinge(temperature=0.3), HuberHinge(half_width=0.4), HuberHinge(half_width=1e-6), SmoothedHinge(half_width=0.7)]


def _objective(seed, loss, count=30, dimension=4, size=1.0):
    rng = np.random.default_rng(seed)
    return MarginObjective(
        matrix=DenseMatrix(size * rng.standard_normal((count, dimension))),
        signs=rng.choice([-1.0, 1.0], count),
        weights=rng.random(count) + 0.5,
        loss=loss,
        ridge=0.3,
        linear=rng.standard_normal(dimension),
    ), rng.standard_normal(dimension)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_gradient_and_hessian_match_differences(loss):
    objective, point = _objective(1, loss)
    step = 1e-5 * np.eye(4)
    gradient = objective.gradient(point, objective.margins(point))
    values = [[objective.value(p, objective.margins(p)) for p in (point + e, point - e)] for e in step]
    np.testing.assert_allclose(gradient, [(a - b) / 2e-5 for a, b in values], rtol=1e-4, atol=1e-3)
    curvatures = objective.curvatures(objective.margins(point))
    hessian = objective.hessian(curvatures)
    if not isinstance(loss, HuberHinge):
        slopes = [[objective.gradient(p, objective.margins(p)) for p in (point + e, point - e)] for e in step]
        np.testing.assert_allclose(hessian, [(a - b) / 2e-5 for a, b in slopes], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(objective.hessian_product(curvatures, point), hessian @ point, rtol=1e-10)
    np.testing.assert_allclose(objective.hessian_diagonal(curvatures), np.diag(hessian), rtol=1e-10)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_slope_along_a_line_is_the_gradient_times_the_direction(loss):
    objective, point = _objective(2, loss)
    direction = np.array([0.3, -1.0, 0.2, 0.5])
    steady = objective.ridge * point + objective.linear
    slope = objective.slope_along(
        0.7, objective.margins(point), objective.margins(direction), float(steady @ direction), objective.ridge * float(direction @ direction)
    )
    end = point + 0.7 * direction
    assert slope == pytest.approx(float(objective.gradient(end, objective.margins(end)) @ direction), rel=1e-8)


def _exact_slope(loss, margin):
    """l' in exact arithmetic, or to 60 digits through the exponential's Taylor series."""
    if isinstance(loss, HuberHinge):
        half = Fraction(loss.half_width)
        return -min(max(1 + half - margin, Fraction(0)), 2 * half) / (2 * half)
    if isinstance(loss, SmoothedHinge):
        t = min(max((1 - margin) / Fraction(loss.half_width), Fraction(-1)), Fraction(1))
        return -(Fraction(1, 2) + Fraction(3, 4) * t - t**3 / 4)
    scaled = margin if isinstance(loss, Logistic) else (margin - 1) / Fraction(loss.temperature)
    return -1 / (1 + _exp(scaled))


def _exp(x):
    x = max(min(x, Fraction(2000)), Fraction(-2000))  # beyond, slopes are 0 or -1 to eight hundred digits, and numbers too long to be squared
    x, halvings = Fraction(round(x * 2**400), 2**400), 0
    while abs(x) > Fraction(1, 4):
        x, halvings = x / 2, halvings + 1
    total = term = Fraction(1)
    for k in range(1, 45):
        term = Fraction(round(term * x / k * 2**600), 2**600)
        total += term
    for _ in range(halvings):
        total = total * total
        digits = 400 + max(0, total.denominator.bit_length() - total.numerator.bit_length())
        total = Fraction(round(total * 2**digits), 2**digits)
    return total


def _exact_gradient(objective, table, point):
    w = [Fraction(float(v)) for v in point]
    gradient = [Fraction(objective.ridge) * a + Fraction(float(b)) for a, b in zip(w, objective.linear, strict=True)]
    for row, sign, weight in zip(table, objective.signs, objective.weights, strict=True):
        margin = Fraction(float(sign)) * sum((a * b for a, b in zip(row, w, strict=True)), Fraction(0))
        factor = Fraction(float(weight)) * Fraction(float(sign)) * _exact_slope(objective.loss, margin)
        gradient = [g + factor * a for g, a in zip(gradient, row, strict=True)]
    return gradient


def _exceeds(bound, gradient):
    """bound >= |gradient|, decided exactly."""
    return Fraction(bound) ** 2 >= sum(g * g for g in gradient)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1e-3, 1.0, 50.0]), length=st.sampled_from([0.0, 1.0, 1e4]))
def test_certified_norm_is_at_least_the_exact_norm(loss, seed, size, length):
    objective, point = _objective(seed, loss, count=9, dimension=3, size=size)
    point = length * point
    table = [[Fraction(float(v)) for v in row] for row in objective.matrix.matvec(np.eye(3))]
    gradient = _exact_gradient(objective, table, point)
    assert _exceeds(objective.certified_gradient_norm(point), gradient)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_certificate_covers_a_gradient_that_cancels(loss):
    """With the linear term set to minus the computed gradient, what is left is rounding alone: the part of the bound that a plain norm misses."""
    missed = 0
    for seed in range(8):
        objective, point = _objective(seed, loss, count=25, dimension=3)
        objective = objective.with_linear(np.zeros(3))
        objective = objective.with_linear(-objective.gradient(point, objective.margins(point)))
        table = [[Fraction(float(v)) for v in row] for row in objective.matrix.matvec(np.eye(3))]
        gradient = _exact_gradient(objective, table, point)
        assert _exceeds(objective.certified_gradient_norm(point), gradient)
        missed += not _exceeds(float(np.linalg.norm(objective.gradient(point, objective.margins(point)))), gradient)
    assert missed  # the uncertified norm is wrong somewhere, so this test can fail


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_certificate_covers_long_weights_nearly_orthogonal_to_the_rows(loss):
    """Margins of order one from products of order 1e7: the margins' own rounding is all that matters, and the finer bound must not lose it."""
    for seed in range(4):
        objective, point = _objective(seed, loss, count=12, dimension=3)
        point = 1e7 * point
        rows = objective.matrix.matvec(np.eye(3))
        rows += np.outer(1.0 - rows @ point, point) / (point @ point)
        objective = MarginObjective(
            matrix=DenseMatrix(rows), signs=np.ones(12), weights=np.ones(12), loss=loss, ridge=objective.ridge, linear=np.zeros(3)
        )
        objective = objective.with_linear(-objective.gradient(point, objective.margins(point)))
        table = [[Fraction(float(v)) for v in row] for row in rows]
        assert _exceeds(objective.certified_gradient_norm(point), _exact_gradient(objective, table, point))


def test_far_tails_are_certified_far_more_tightly_than_the_smoothness_alone_allows():
    rng = np.random.default_rng(0)
    rows = np.abs(rng.standard_normal((50, 4)))
    objective = MarginObjective(matrix=DenseMatrix(rows), signs=np.ones(50), weights=None, loss=Logistic(), ridge=1e-12)
    point = np.full(4, 1e9)
    excess = objective.certified_gradient_norm(point) - np.linalg.norm(objective.gradient(point, objective.margins(point)))
    assert excess < 1e-11


class _RowByRow(DenseMatrix):
    """A dense matrix whose blocks have one row, so that only the sum over blocks can go wrong."""

    banded = Matrix.banded

    def blocks(self):
        for row in range(self.shape[0]):
            yield slice(row, row + 1), self.rows(slice(row, row + 1))


def test_sums_over_blocks_are_compensated():
    rows = 0.1 * np.ones((4000, 1))
    objective = MarginObjective(matrix=_RowByRow(rows), signs=-np.ones(4000), weights=None, loss=Logistic(), ridge=1.0)
    gradients, _ = objective.certified_gradients(np.array([[0.7]]), None)
    slope = objective.loss.slope(np.array([-0.7 * 0.1]))
    exact = 4000 * Fraction(float(-slope[0] * 0.1)) + Fraction(0.7)
    assert abs(Fraction(float(gradients[0, 0])) - exact) <= Fraction(2) ** -52 * exact


def test_the_certificate_covers_scaled_rows_and_the_constant_column():
    rng = np.random.default_rng(4)
    base = TabularMatrix(rng.standard_normal((20, 1)), [rng.integers(0, 2, 20)], [2])
    scale = rng.random(20)
    matrix = AugmentedMatrix(base, scale=scale, constant=0.3)
    objective = MarginObjective(
        matrix=matrix, signs=rng.choice([-1.0, 1.0], 20), weights=np.ones(20), loss=HuberHinge(), ridge=0.1, linear=np.zeros(4)
    )
    point = rng.standard_normal(4)
    objective = objective.with_linear(-objective.gradient(point, objective.margins(point)))
    inner = base.matvec(np.eye(3))
    table = [[Fraction(float(s)) * Fraction(float(v)) for v in row] + [Fraction(0.3)] for s, row in zip(scale, inner, strict=True)]
    assert _exceeds(objective.certified_gradient_norm(point), _exact_gradient(objective, table, point))


WIDE = 500


def of_worst_factors():
    """Two rows whose factors are too long by all that a computed norm of so many entries may be too short, and the rows that are meant."""
    rows = np.random.default_rng(0).standard_normal((2, WIDE))
    squares = [sum(Fraction(entry) ** 2 for entry in row) for row in rows.tolist()]
    factors = [Fraction(2**400 // math.isqrt(int(square * 4**200)), 2**200) for square in squares]
    exact = [[factor * Fraction(entry) for entry in row] for factor, row in zip(factors, rows.tolist(), strict=True)]
    return AugmentedMatrix(DenseMatrix(rows), scale=np.array([float(one) for one in factors]) * (1.0 + WIDE / 2 * 2.0**-53), constant=0.0), exact


def test_the_certificate_covers_factors_that_are_known_up_to_the_rounding_of_a_norm():
    """Other rows may show in the last bits of a norm: what is certified is the gradient at rows that are functions of one record."""
    matrix, exact = of_worst_factors()
    ones = np.ones(2)
    objective = MarginObjective(matrix=matrix, signs=ones, weights=ones, loss=HuberHinge(), ridge=1e-3, linear=np.zeros(WIDE))
    point = np.zeros(WIDE)
    objective = objective.with_linear(-objective.gradient(point, objective.margins(point)))
    assert _exceeds(objective.certified_gradient_norm(point), _exact_gradient(objective, exact, point))


def test_the_certificate_covers_rows_in_which_the_terms_of_a_map_cancel():
    """Between two opposite rows of the table a row is nothing, and the products that it comes from are not: their rounding is what is left."""
    missed = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        row, shares = rng.standard_normal(3), rng.uniform(0.4999, 0.5001, 25)
        table = np.array([row, -row + 1e-3 * rng.standard_normal(3)])
        places = np.column_stack((1.0 - shares, shares))
        exact = [
            [sum(Fraction(z) * Fraction(a) for z, a in zip(place, column, strict=True)) for column in table.T.tolist()] for place in places.tolist()
        ]
        norms = np.array([float(sum(number**2 for number in x)) ** 0.5 for x in exact])
        point = 1e4 * rng.standard_normal(3)
        found = []
        for reach in (float(np.linalg.norm(table, axis=1).max()), float(norms.max())):
            matrix = MappedMatrix(SparseMatrix(sparse.csr_array(places)), sparse.csr_array(table), norms=norms, reach=np.full(25, reach))
            objective = MarginObjective(
                matrix=matrix,
                signs=rng.choice([-1.0, 1.0], 25),
                weights=np.ones(25),
                loss=HuberHinge(half_width=50.0),
                ridge=1e-12,
                linear=np.zeros(3),
            )
            objective = objective.with_linear(-objective.gradient(point, objective.margins(point)))
            found.append(_exceeds(objective.certified_gradient_norm(point), _exact_gradient(objective, exact, point)))
        assert found[0]
        missed += not found[1]
    assert missed, "with the norms of the rows themselves the bound would be wrong, so this test can fail"


def test_the_certificate_is_tight_enough_to_be_useful_and_linear_in_the_records():
    for count in (2000, 20000):
        rng = np.random.default_rng(0)
        rows = rng.standard_normal((count, 20))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        objective = MarginObjective(matrix=DenseMatrix(rows), signs=rng.choice([-1.0, 1.0], count), weights=None, loss=Logistic(), ridge=1.0)
        point = rng.standard_normal(20)
        excess = objective.certified_gradient_norm(point) - np.linalg.norm(objective.gradient(point, objective.margins(point)))
        assert 0 < excess < 3e-13 * count


def _of_classes(seed, **shape):
    return softmax.drawn_objective(softmax.dense(seed, **shape))[0]


BOTH = pytest.mark.parametrize("made", [lambda seed, **shape: _objective(seed, Logistic(), **shape)[0], _of_classes], ids=["margin", "softmax"])


@BOTH
def test_columns_are_certified_as_single_points_are(made):
    objective, rng = made(5, count=2500), np.random.default_rng(0)
    points, linears = rng.standard_normal((objective.dimension, 3)), rng.standard_normal((objective.dimension, 3))
    gradients, norms = objective.certified_gradients(points, linears)
    for j in range(3):
        single = objective.with_linear(linears[:, j])
        np.testing.assert_allclose(gradients[:, j], single.gradient(points[:, j], single.margins(points[:, j])), rtol=1e-9, atol=1e-9)
        assert norms[j] == pytest.approx(single.certified_gradient_norm(points[:, j]), rel=1e-9)


@BOTH
def test_overflow_is_never_certified(made):
    objective = made(6, size=1e200)
    with np.errstate(all="ignore"):
        assert not objective.certified_gradient_norm(np.full(objective.dimension, 1e200)) <= 1e300
