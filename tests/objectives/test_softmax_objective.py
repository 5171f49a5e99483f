"""The multinomial objective against differences, and its certificate against sixty digits."""

import mpmath
import numpy as np
import pytest
from scipy.sparse import csr_array

from discreet.core.errors import InvalidInput
from discreet.data import Domain, Records
from discreet.losses import Logistic
from discreet.matrices import AugmentedMatrix, DenseMatrix, SparseMatrix, TabularMatrix
from discreet.objectives import SoftmaxObjective, objective_of, objectives_of, softmax
from discreet.problems import MultinomialRisk, OneVsRestRisk
from discreet.solvers import solve

K = 4


def drawn_objective(matrix, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    count, dimension = matrix.shape
    return SoftmaxObjective(
        matrix=matrix,
        codes=rng.integers(0, K, count),
        classes=K,
        weights=rng.random(count) + 0.5,
        ridge=0.3,
        linear=size * rng.standard_normal(K * dimension),
    ), rng.standard_normal(K * dimension)


def dense(seed=0, count=30, dimension=3, size=1.0):
    return DenseMatrix(size * np.random.default_rng(seed).standard_normal((count, dimension)))


def test_gradient_hessian_and_products_match_differences():
    objective, point = drawn_objective(dense())
    step = 1e-5 * np.eye(len(point))
    values = [[objective.value(p, objective.margins(p)) for p in (point + e, point - e)] for e in step]
    np.testing.assert_allclose(objective.gradient(point, objective.margins(point)), [(a - b) / 2e-5 for a, b in values], atol=1e-5)
    curvatures = objective.curvatures(objective.margins(point))
    hessian = objective.hessian(curvatures)
    slopes = [[objective.gradient(p, objective.margins(p)) for p in (point + e, point - e)] for e in step]
    np.testing.assert_allclose(hessian, [(a - b) / 2e-5 for a, b in slopes], atol=1e-5)
    np.testing.assert_allclose(objective.hessian_product(curvatures, point), hessian @ point, rtol=1e-10)
    np.testing.assert_allclose(objective.hessian_diagonal(curvatures), np.diag(hessian), rtol=1e-10)
    inverse = objective.preconditioner(curvatures)
    matrix = np.column_stack([inverse(e) for e in np.eye(len(point))])
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    assert np.linalg.eigvalsh(matrix).min() > 0
    assert np.linalg.cond(matrix @ hessian) < np.linalg.cond(hessian)


def test_slope_along_a_line_is_the_gradient_times_the_direction():
    objective, point = drawn_objective(dense(1))
    direction = np.random.default_rng(2).standard_normal(len(point))
    steady = objective.ridge * point + objective.linear
    bend = objective.ridge * float(direction @ direction)
    slope = objective.slope_along(0.7, objective.margins(point), objective.margins(direction), float(steady @ direction), bend)
    end = point + 0.7 * direction
    assert slope == pytest.approx(float(objective.gradient(end, objective.margins(end)) @ direction), rel=1e-8)


def exact_gradient_norm(objective, table, point, classes=K):
    with mpmath.workdps(60):
        columns = [[mpmath.mpf(float(v)) for v in part] for part in np.split(point, classes)]
        linear = [[mpmath.mpf(float(v)) for v in part] for part in np.split(objective.linear, classes)]
        gradient = [[mpmath.mpf(objective.ridge) * w + b for w, b in zip(*pair, strict=True)] for pair in zip(columns, linear, strict=True)]
        for row, code, weight in zip(table, objective.codes, objective.weights, strict=True):
            exact = [mpmath.mpf(v) for v in row]
            powers = [mpmath.exp(mpmath.fdot(exact, column)) for column in columns]
            total = mpmath.fsum(powers)
            for k in range(classes):
                slope = mpmath.mpf(float(weight)) * (powers[k] / total - (k == code))
                for j, value in enumerate(exact):
                    gradient[k][j] += slope * value
        return mpmath.sqrt(mpmath.fsum(value**2 for part in gradient for value in part))


@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_certified_norm_is_above_the_exact_one_and_close_to_it(seed, size):
    table = size * np.random.default_rng(seed).standard_normal((40, 3))
    objective, point = drawn_objective(DenseMatrix(table), seed)
    for where in (point, solve(objective, tolerance=1e-9 * max(1.0, size) ** 2, by_products=True).weights):
        certified, exact = objective.certified_gradient_norm(where), exact_gradient_norm(objective, table, where)
        assert certified >= exact
        assert certified <= exact * (1 + 1e-9) + 1e-11 * max(1.0, size) ** 2 * (1 + np.linalg.norm(where))


def test_the_certificate_covers_factors_that_are_known_up_to_the_rounding_of_a_norm():
    """As that of two classes."""
    width = 150
    rows = np.random.default_rng(0).standard_normal((2, width))
    with mpmath.workdps(60):
        table = [[mpmath.mpf(entry) / mpmath.sqrt(mpmath.fsum(mpmath.mpf(one) ** 2 for one in row)) for entry in row] for row in rows.tolist()]
        short = 1.0 + width / 2 * 2.0**-53
        factors = np.array([float(exact[0] / mpmath.mpf(row[0])) * short for exact, row in zip(table, rows.tolist(), strict=True)])
        objective = SoftmaxObjective(
            matrix=AugmentedMatrix(DenseMatrix(rows), scale=factors, constant=0.0),
            codes=np.zeros(2, dtype=np.intp),
            classes=2,
            weights=np.ones(2),
            ridge=1e-3,
            linear=np.zeros(2 * width),
        )
        point = np.zeros(2 * width)
        objective = objective.with_linear(-objective.gradient(point, objective.margins(point)))
        assert objective.certified_gradient_norm(point) >= exact_gradient_norm(objective, table, point, classes=2)


@pytest.mark.parametrize("wide", [False, True])
def test_the_solver_certifies_on_every_kind_of_matrix(wide, monkeypatch):
    if wide:
        monkeypatch.setattr("discreet.objectives.softmax_objective.KRONECKER_LIMIT", 1)
    rng = np.random.default_rng(0)
    matrices = [
        dense(count=3000),
        AugmentedMatrix(dense(count=200), scale=rng.random(200), constant=0.3),
        TabularMatrix(rng.random((300, 2)), [rng.integers(0, 3, 300)], [3]),
        DenseMatrix(rng.standard_normal((100, 3)).astype(np.float32)),
    ]
    for matrix in matrices:
        objective, _ = drawn_objective(matrix, size=5.0)
        solution, other = (solve(objective, tolerance=1e-8, by_products=products) for products in (True, False))
        assert max(solution.gradient_norm, other.gradient_norm) <= 1e-8
        assert solution.status is not other.status
        assert np.linalg.norm(solution.weights - other.weights) <= 2e-8 / objective.ridge
        again = objective.with_linear(None)
        assert again.linear is None
        assert solve(again, tolerance=1e-8, by_products=True).gradient_norm <= 1e-8


@pytest.mark.parametrize(("count", "dimension", "cheap"), [(30, 3, False), (20_000, 3, True), (2_000, 60, True), (2_000, 400, False)])
def test_hessians_are_formed_where_they_are_worth_few_passes(count, dimension, cheap):
    assert drawn_objective(dense(count=count, dimension=dimension))[0].has_cheap_hessian is cheap
    drawn = np.random.default_rng(0)
    sparse = SparseMatrix(csr_array(drawn.normal(size=(count, dimension)) * (drawn.random((count, dimension)) < 0.1)))
    assert drawn_objective(sparse)[0].has_cheap_hessian is (cheap and K * dimension <= 600)


def test_the_softmax_adds_up_to_one_and_does_not_overflow():
    margins = np.array([[1e4, 0.0, -1e4], [0.0, 0.0, 0.0], [-700.0, -701.0, -702.0]])
    np.testing.assert_allclose(softmax(margins).sum(axis=1), 1.0)
    assert softmax(margins)[0].tolist() == [1.0, 0.0, 0.0]


def test_one_record_moves_gradients_and_hessians_by_no_more_than_the_problems_say():
    rng = np.random.default_rng(0)
    domain = Domain(features=3, norm_bound=2.0, intercept_scale=0.5, classes=K)
    strength = 0.7
    together = MultinomialRisk(ridge=strength, domain=domain, max_weight=3.0)
    apart = OneVsRestRisk(loss=Logistic(), ridge=strength, domain=domain, max_weight=3.0)
    assert together.dimension == apart.dimension == 16
    row = rng.standard_normal((1, 3)) * 50.0
    data = Records(rows=DenseMatrix(row), targets=np.array([2]), domain=domain, weights=np.array([3.0]))
    largest = [0.0, 0.0, 0.0]
    for scale in (0.1, 1.0, 30.0):
        for _ in range(200):
            point = scale * rng.standard_normal(16)
            objective = objective_of(together, data)
            moved = np.linalg.norm(objective.gradient(point, objective.margins(point)) - 0.7 * point)
            bent = np.linalg.eigvalsh(objective.hessian(objective.curvatures(objective.margins(point)))).max() - 0.7
            gradients = [g.gradient(w, g.margins(w)) - 0.7 * w for g, w in zip(objectives_of(apart, data), np.split(point, K), strict=True)]
            largest = [max(old, new) for old, new in zip(largest, (moved, bent, np.linalg.norm(np.concatenate(gradients))), strict=True)]
    bounds = (together.gradient_bound, together.curvature_bound, apart.gradient_bound)
    for reached, bound in zip(largest, bounds, strict=True):
        assert 0.9 * bound < reached <= bound
    assert together.value_at_zero == pytest.approx(3.0 * np.log(K))
    assert objective_of(together, data).value(np.zeros(16), np.zeros((1, K))) == pytest.approx(together.value_at_zero)
    with pytest.raises(InvalidInput, match="different domains"):
        objective_of(MultinomialRisk(ridge=strength, domain=Domain(features=3, norm_bound=1.0, classes=K)), data)
    with pytest.raises(InvalidInput, match="different domains"):
        next(objectives_of(OneVsRestRisk(loss=Logistic(), ridge=strength, domain=Domain(features=3, norm_bound=1.0, classes=2)), data))
    with pytest.raises(InvalidInput, match="largest weight of a record"):
        MultinomialRisk(ridge=strength, domain=domain, max_weight=0.0)
