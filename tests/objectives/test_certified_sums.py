"""Sums of gradients over parts of a table, against exact arithmetic, whatever the order and the nesting."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.data import Domain, Records
from discreet.data.records import WHOLE_RECORDS
from discreet.losses import HuberHinge, Logistic
from discreet.matrices import BLOCK_ROWS, DenseMatrix
from discreet.objectives import objective_of
from discreet.objectives.certified_sums import GROUP, BandedSum, CertifiedSums
from discreet.objectives.objective import MarginObjective
from discreet.objectives.summed_objective import SummedObjective
from discreet.problems import RegularisedRisk
from discreet.solvers import solve


def exactly(parts):
    return CertifiedSums(high=parts.high, low=parts.low, sizes=parts.sizes, errors=np.zeros(parts.high.shape[1]), additions=parts.additions)


def running(values):
    total = BandedSum((1, 1))
    for value in values:
        total.add(np.array([[value]]), GROUP * BLOCK_ROWS)
    return exactly(total.found())


@pytest.mark.parametrize("nesting", ["left", "right", "halves"])
def test_sums_of_sums_are_within_their_bound_where_everything_cancels(nesting):
    rng = np.random.default_rng(3)
    large = rng.standard_normal(400) * 10.0 ** rng.integers(-3, 14, 400)
    values = np.concatenate([large, -large, rng.standard_normal(7)])
    rng.shuffle(values)
    parts = [running(piece) for piece in np.array_split(values, 13)]

    def halves(some):
        return some[0] if len(some) == 1 else halves(some[: len(some) // 2]) + halves(some[len(some) // 2 :])

    total = parts[-1]
    if nesting == "left":
        total = parts[0]
        for part in parts[1:]:
            total = total + part
    elif nesting == "right":
        for part in reversed(parts[:-1]):
            total = part + total
    else:
        total = halves(parts)
    exact = sum((Fraction(float(value)) for value in values), Fraction(0))
    gradients, norms = total.gradients(np.zeros((1, 1)), None, 1.0)
    assert abs(exact) <= Fraction(float(norms[0]))
    assert abs(Fraction(float(gradients[0, 0])) - exact) <= Fraction(float(norms[0])) - abs(Fraction(float(gradients[0, 0])))
    plain = float(np.sum(values))
    assert abs(Fraction(plain) - exact) > abs(Fraction(float(gradients[0, 0])) - exact)  # compensation did something


def test_a_gradient_of_parts_that_cancels_is_covered():
    """Minus the computed gradient as linear term leaves rounding alone; huber slopes are rational, so the rest can be computed exactly."""
    loss, missed = HuberHinge(half_width=0.4), 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rows, signs, point = rng.standard_normal((40, 3)), rng.choice([-1.0, 1.0], 40), rng.standard_normal(3)
        pieces = [
            MarginObjective(matrix=DenseMatrix(rows[part]), signs=signs[part], weights=None, loss=loss, ridge=0.0)
            for part in (slice(0, 7), slice(7, 8), slice(8, 40))
        ]
        whole = SummedObjective(spread=lambda work, pieces=pieces: [work(piece) for piece in pieces], dimension=3, ridge=0.5)
        whole = whole.with_linear(-whole.gradient(point, point))
        exact = [Fraction(0.5) * Fraction(float(w)) + Fraction(float(b)) for w, b in zip(point, whole.linear, strict=True)]
        for row, sign in zip(rows, signs, strict=True):
            margin = Fraction(float(sign)) * sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, point, strict=True)), Fraction(0))
            half = Fraction(loss.half_width)
            slope = -min(max(1 + half - margin, Fraction(0)), 2 * half) / (2 * half)
            exact = [g + slope * Fraction(float(sign)) * Fraction(float(a)) for g, a in zip(exact, row, strict=True)]
        square = sum(g * g for g in exact)
        assert Fraction(whole.certified_gradient_norm(point)) ** 2 >= square
        missed += Fraction(float(np.linalg.norm(whole.gradient(point, point)))) ** 2 < square
    assert missed  # a norm without the bound is wrong somewhere, so this test can fail


def long_table(jobs):
    rng = np.random.default_rng(0)
    rows = 0.3 * rng.standard_normal((WHOLE_RECORDS + 5000, 4))
    domain = Domain(features=4, norm_bound=1.0, intercept_scale=0.2, records=len(rows), classes=2)
    return RegularisedRisk(loss=Logistic(), ridge=30.0, domain=domain), Records(
        rows=DenseMatrix(rows), targets=(rows[:, 0] > 0).astype(int), domain=domain, jobs=jobs
    )


def test_a_long_table_is_summed_in_parts_as_one_would_be():
    risk, data = long_table(2)
    parts = objective_of(risk, data)
    assert isinstance(parts, SummedObjective)
    whole = MarginObjective(matrix=data.matrix, signs=data.signs, weights=None, loss=risk.loss, ridge=30.0)
    linear = np.linspace(-9.0, 9.0, 5)
    found, expected = (solve(one.with_linear(linear), tolerance=1e-7) for one in (parts, whole))
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-8)
    point, direction = np.linspace(-1.0, 1.0, 5), np.linspace(0.5, 0.0, 5)
    margins, bends = whole.margins(point), whole.curvatures(whole.margins(point))
    assert parts.value(point, point) == pytest.approx(whole.value(point, margins), rel=1e-12)
    np.testing.assert_allclose(parts.hessian(point), whole.hessian(bends), rtol=1e-10)
    np.testing.assert_allclose(parts.hessian_product(point, direction), whole.hessian_product(bends, direction), rtol=1e-10)
    np.testing.assert_allclose(parts.hessian_diagonal(point), whole.hessian_diagonal(bends), rtol=1e-10)
    np.testing.assert_allclose(parts.preconditioner(point)(direction), whole.preconditioner(bends)(direction), rtol=1e-10)
    slopes = [one.slope_along(0.7, *pair, 1.0, 2.0) for one, pair in ((parts, (point, direction)), (whole, (margins, whole.margins(direction))))]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-10)
    assert parts.certified_gradient_norm(point) == pytest.approx(whole.certified_gradient_norm(point), rel=1e-9)


def test_the_first_hessian_comes_with_the_first_gradient_and_is_that_of_its_point():
    passes = []
    rng = np.random.default_rng(1)
    piece = MarginObjective(matrix=DenseMatrix(rng.standard_normal((50, 3))), signs=np.ones(50), weights=None, loss=Logistic(), ridge=0.0)

    def spread(work):
        passes.append(work)
        return [work(piece)]

    for eager in (False, True):
        passes.clear()
        objective = SummedObjective(spread=spread, dimension=3, ridge=1.0, eager=eager)
        start, other = np.zeros(3), np.ones(3)
        objective.gradient(start, start)
        objective.hessian(start, single_precision=True)
        assert len(passes) == 1
        objective.gradient(other, other)
        found = objective.hessian(other, single_precision=True)
        objective.certified_gradient_norm(other)
        assert len(passes) == (2 if eager else 4)
        expected = piece.hessian(piece.curvatures(piece.margins(other))) + np.eye(3)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        np.testing.assert_allclose(objective.hessian(other), expected, rtol=1e-12)
