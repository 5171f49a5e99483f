"""Public numbers of the softmax over a set: no record is beyond them at any point, and sums are within the bound of their rounding errors."""

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.data import Domain, Records
from discreet.losses.softmax import Softmax
from discreet.matrices import as_matrix
from discreet.objectives import sum_over_set
from discreet.problems import SoftmaxRisk
from discreet.sets import GroupL2Ball, L1Ball, L2Ball, LInfinityBall, Simplex

CLASSES, FEATURES = 4, 3
SIZE = CLASSES * FEATURES
SETS = {
    "l1": L1Ball(dimension=SIZE, radius=2.0),
    "l2": L2Ball(dimension=SIZE, radius=1.5),
    "l-infinity": LInfinityBall(dimension=SIZE, radius=0.3),
    "groups": GroupL2Ball(sizes=(FEATURES,) * CLASSES, radius=2.0),
    "simplex": Simplex(dimension=SIZE, radius=3.0),
}
DOMAINS = {"norm": {"norm_bound": 1.0}, "entries": {"entry_bound": 1.0}}


def problem_over(constraint, **bounds):
    return SoftmaxRisk(
        loss=Softmax(classes=CLASSES), constraint=constraint, domain=Domain(features=FEATURES, target_bound=CLASSES - 1.0, records=40, **bounds)
    )


def points(constraint, count=200):
    rng = np.random.default_rng(0)
    return np.array([constraint.linear_minimiser(rng.normal(size=SIZE)) for _ in range(count)])


@pytest.mark.parametrize("bounds", DOMAINS.values(), ids=DOMAINS)
@pytest.mark.parametrize("constraint", SETS.values(), ids=SETS)
def test_no_slope_at_a_point_is_beyond_the_share_that_is_stated_of_it(constraint, bounds):
    problem, rng = problem_over(constraint, **bounds), np.random.default_rng(1)
    wrong, length = problem.loss.largest(problem.margin_spread)
    rows, targets = rng.normal(size=(60, FEATURES)), rng.integers(0, CLASSES, 60).astype(float)
    data = Records(rows=as_matrix(rows), targets=targets, domain=problem.domain)
    for point in (np.zeros(SIZE), 0.3 * points(constraint, 1)[0], points(constraint, 1)[0]):
        margins = data.matrix.matvec(np.ascontiguousarray(point.reshape(CLASSES, -1).T))
        slopes, share = problem.loss.slopes(margins, targets, wrong=np.inf, length=np.inf), problem.slope_share(point)
        assert np.linalg.norm(slopes, axis=1).max() <= share * length
        assert np.abs(slopes).max() <= share * wrong
    zero = problem.slope_share(np.zeros(SIZE))
    assert zero == pytest.approx(max((1 - 1 / CLASSES) / wrong, np.sqrt(1 - 1 / CLASSES) / length), rel=1e-9)


@pytest.mark.parametrize("bounds", DOMAINS.values(), ids=DOMAINS)
@pytest.mark.parametrize("constraint", SETS.values(), ids=SETS)
def test_no_record_is_beyond_what_the_problem_states(constraint, bounds):
    problem, rng = problem_over(constraint, **bounds), np.random.default_rng(1)
    rows = rng.normal(size=(60, FEATURES))
    rows = np.concatenate([rows / np.linalg.norm(rows, axis=1, keepdims=True) if "norm_bound" in bounds else np.sign(rows), np.eye(FEATURES)])
    found = points(constraint)
    steepest = far = across = 0.0
    for point, other in zip(found, found[::-1], strict=True):
        margins = rows @ point.reshape(CLASSES, -1).T
        assert np.linalg.norm(margins, axis=1).max() <= problem.reach
        assert np.ptp(margins, axis=1).max() <= problem.margin_spread
        for code in range(CLASSES):
            slopes = problem.loss.slopes(margins, np.full(len(rows), float(code)))
            gradients = (slopes[:, :, np.newaxis] * rows[:, np.newaxis, :]).reshape(len(rows), -1)
            steepest = max(steepest, float(np.linalg.norm(gradients, axis=1).max()))
            assert np.abs(gradients).max() <= problem.coordinate_bound
            far = max(far, float(np.abs(gradients @ found.T).max()))
            across = max(across, float(np.abs(gradients @ (found - other).T).max()))
            chances = slopes + np.eye(CLASSES)[code]
            apart = rows @ (found[0] - other).reshape(CLASSES, -1).T
            variances = (chances * apart**2).sum(axis=1) - (chances * apart).sum(axis=1) ** 2
            assert variances.max() <= problem.curvature
            assert (variances / max(1e-12, float(np.linalg.norm(found[0] - other))) ** 2).max() <= problem.curved(1.0, np.inf)
    assert steepest <= problem.gradient_bound
    assert far <= problem.score_bound
    assert across <= problem.score_spread
    assert problem.steepest(constraint.l2_radius, constraint.l1_radius) >= far
    assert steepest >= 0.5 * problem.gradient_bound


def test_sums_are_within_the_bound_of_their_rounding_errors_in_any_number_of_blocks():
    problem, rng = problem_over(SETS["l2"], norm_bound=1.0), np.random.default_rng(2)
    rows, codes = rng.normal(size=(40, FEATURES)), rng.integers(0, CLASSES, 40).astype(float)
    data = Records(rows=as_matrix(rows), targets=codes, domain=problem.domain)
    objective, point = sum_over_set(problem, data), points(SETS["l2"])[0]
    within = np.asarray(data.matrix.matvec(np.eye(FEATURES)), dtype=np.longdouble)
    margins = within @ point.reshape(CLASSES, -1).T.astype(np.longdouble)
    chances = np.exp(margins) / np.exp(margins).sum(axis=1, keepdims=True)
    exact = ((chances - np.eye(CLASSES)[codes.astype(int)]).T @ within).ravel()
    found = objective.gradient(point)
    assert float(np.linalg.norm(found - exact)) <= problem.error_share(40) * problem.gradient_bound < problem.gradient_error
    assert np.abs(found - exact).max() <= problem.coordinate_error
    step = 1e-6 * np.eye(SIZE)[4]
    assert (objective.value(point + step) - objective.value(point - step)) / 2e-6 == pytest.approx(found[4], abs=1e-6)
    np.testing.assert_array_equal(objective.gradient_of(objective.at_zero), objective.gradient(np.zeros(SIZE)))
    included = (np.arange(40) < 10).astype(float)
    alone = Records(rows=as_matrix(rows[:10]), targets=codes[:10], domain=problem.domain)
    np.testing.assert_allclose(objective.gradient(point, included), sum_over_set(problem, alone).gradient(point), atol=1e-12)


def test_a_set_of_other_dimensions_and_other_targets_are_refused():
    with pytest.raises(InvalidInput, match="12 coefficients"):
        problem_over(L2Ball(dimension=FEATURES), norm_bound=1.0)
    with pytest.raises(InvalidInput, match="target_bound must be 3"):
        SoftmaxRisk(loss=Softmax(classes=4), constraint=SETS["l2"], domain=Domain(features=3, norm_bound=1.0, target_bound=1.0))
