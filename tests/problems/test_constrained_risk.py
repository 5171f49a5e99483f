"""Constants of problems over a set, against records and models at random and in the corners; rounding errors, against exact arithmetic."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from discreet.core.errors import InvalidInput
from discreet.data import Domain, Records
from discreet.losses import SmoothedHinge
from discreet.losses.predictions import Absolute, Expectile, Hinge, HuberLoss, LogCosh, OfMargin, Poisson, SmoothPinball, Squared
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained.frank_wolfe import start_of
from discreet.objectives import sum_over_set
from discreet.problems import ConstrainedRisk
from discreet.sets import L1Ball, L2Ball, LInfinityBall, Simplex, translated

FEATURES = 4
DOMAINS = [
    {"entry_bound": 0.8},
    {"norm_bound": 0.8},
    {"entry_bound": 0.6, "norm_bound": 0.9},
    {"entry_bound": 0.5, "intercept_scale": 0.7},
]
SETS = [
    lambda d: L1Ball(dimension=d, radius=1.3),
    lambda d: L2Ball(dimension=d),
    lambda d: LInfinityBall(dimension=d),
    lambda d: Simplex(dimension=d),
    lambda d: translated(L1Ball(dimension=d), np.full(d, 0.5)),
]
LOSSES = [Squared(), Absolute(), HuberLoss(half_width=0.3), LogCosh(), OfMargin(loss=SmoothedHinge()), Hinge()]


def problem_of(bounds, make_set, loss, **others):
    domain = Domain(features=FEATURES, **{"target_bound": 1.0} | bounds)
    return ConstrainedRisk(loss=loss, constraint=make_set(domain.dimension), domain=domain, **others)


def single_records(problem, count=300):
    """Rows and targets in the corners of the domain, among others at random."""
    draw = np.random.default_rng(0)
    X = draw.choice([-10.0, 10.0], size=(count, FEATURES))
    X[::3] = draw.normal(size=X[::3].shape)
    X[1::3] *= draw.random(size=X[1::3].shape) < 0.4
    y = draw.choice([-1.0, 1.0], size=count)
    data = Records(rows=as_matrix(X), targets=y, domain=problem.domain)
    rows = np.array([data.matrix.rmatvec(unit) for unit in np.eye(count)])
    return rows, data.targets


def models(problem):
    draw = np.random.default_rng(1)
    corners = [problem.constraint.linear_minimiser(direction) for direction in draw.normal(size=(60, problem.dimension))]
    corners += [problem.constraint.linear_minimiser(sign * unit) for unit in np.eye(problem.dimension) for sign in (1.0, -1.0)]
    corners += [problem.constraint.linear_minimiser(direction) for direction in draw.choice([-1.0, 1.0], size=(20, problem.dimension))]
    return np.array(corners)


@pytest.mark.parametrize("bounds", DOMAINS)
@pytest.mark.parametrize("loss", [*LOSSES, Expectile(level=0.8), SmoothPinball(), Poisson()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("make_set", SETS)
def test_no_slope_at_a_point_is_beyond_the_share_that_is_stated_of_it(make_set, loss, bounds):
    problem = problem_of(bounds, make_set, loss)
    rows, targets = single_records(problem)
    for theta in (start_of(problem.constraint), 0.3 * models(problem)[0]):
        share = problem.slope_share(theta)
        steepest = np.abs(loss.slope(rows @ theta, targets)).max()
        assert steepest <= share * problem.slope_bound
        assert share <= 1.0
    if not start_of(problem.constraint).any():
        ends = np.abs(loss.slope(np.zeros(2), np.array([-1.0, 1.0]))).max()
        assert problem.slope_share(np.zeros(problem.dimension)) == pytest.approx(min(1.0, ends / problem.slope_bound), rel=1e-9)


@pytest.mark.parametrize("bounds", DOMAINS)
@pytest.mark.parametrize("make_set", SETS)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_constants_bound_what_one_record_does(bounds, make_set, loss):
    problem = problem_of(bounds, make_set, loss)
    rows, targets = single_records(problem)
    points = models(problem)
    predictions = rows @ points.T
    slopes = loss.slope(predictions, targets[:, np.newaxis])
    room = 1.0 + 1e-12
    assert np.abs(predictions).max() <= problem.reach * room
    assert (predictions.max(axis=1) - predictions.min(axis=1)).max() <= problem.spread * room
    assert np.abs(slopes).max() <= problem.slope_bound * room
    assert (np.abs(slopes).max(axis=1) * np.linalg.norm(rows, axis=1)).max() <= problem.gradient_bound * room
    assert (np.abs(slopes).max(axis=1) * np.abs(rows).max(axis=1)).max() <= problem.coordinate_bound * room
    scores = predictions * slopes[:, :1]
    assert (scores.max(axis=1) - scores.min(axis=1)).max() <= problem.score_spread * room


@pytest.mark.parametrize(("bounds", "make_set"), [(DOMAINS[0], SETS[0]), (DOMAINS[1], SETS[1]), (DOMAINS[0], SETS[2])])
def test_constants_are_reached(bounds, make_set):
    problem = problem_of(bounds, make_set, Squared())
    rows, targets = single_records(problem)
    predictions = rows @ models(problem).T
    slopes = np.abs(2.0 * (predictions - targets[:, np.newaxis]))
    assert np.abs(predictions).max() >= 0.97 * problem.reach
    assert slopes.max() >= 0.97 * problem.slope_bound
    assert (slopes.max(axis=1) * np.linalg.norm(rows, axis=1)).max() >= 0.95 * problem.gradient_bound
    assert (predictions.max(axis=1) - predictions.min(axis=1)).max() >= 0.97 * problem.spread


def test_the_curvature_constant_bounds_the_excess_over_a_tangent():
    problem = problem_of(DOMAINS[0], SETS[0], Squared())
    rows, targets = single_records(problem)
    points = models(problem)
    largest = 0.0
    for first in points[:20]:
        for second in points:
            base, along = rows @ first, rows @ (second - first)
            for share in (0.1, 1.0):
                rise = np.square(targets - base - share * along) - np.square(targets - base) + 2.0 * share * along * (targets - base)
                largest = max(largest, float((2.0 / share**2 * rise).max()))
    assert 0.95 * problem.curvature <= largest <= problem.curvature * (1.0 + 1e-9)


def test_slopes_are_clipped_record_by_record():
    problem = problem_of({"entry_bound": 1.0}, SETS[0], Squared(), max_slope=0.25)
    X, y = np.eye(FEATURES), np.array([1.0, -1.0, 0.05, 0.0])
    objective = sum_over_set(problem, Records(rows=as_matrix(X), targets=y, domain=problem.domain))
    assert np.array_equal(objective.gradient(np.zeros(FEATURES)), [-0.25, 0.25, -0.1, 0.0])
    assert problem.coordinate_bound == pytest.approx(0.25)
    assert np.array_equal(objective.gradient(np.zeros(FEATURES), included=np.array([1.0, 0.0, 0.0, 1.0])), [-0.25, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("change", [np.asarray, lambda X: X.astype(np.float32), sp.csr_array], ids=["dense", "single", "sparse"])
@pytest.mark.parametrize("single", [1500, 10], ids=["one product", "blocks"])
@pytest.mark.parametrize("loss", [Squared(), Absolute(), HuberLoss(half_width=0.5)], ids=lambda loss: loss.name)
def test_rounding_errors_of_a_gradient_are_within_their_bound(change, single, loss):
    """Exactly: rationals for predictions, slopes and sums, of losses whose slopes are rational."""
    problem = problem_of({"entry_bound": 1.0}, SETS[0], loss)
    draw = np.random.default_rng(2)
    X, y = draw.uniform(-1.0, 1.0, (1500, FEATURES)), draw.uniform(-1.0, 1.0, 1500)
    X = np.asarray(change(X).toarray() if sp.issparse(change(X)) else change(X), dtype=np.float64)
    data = Records(rows=as_matrix(change(X)), targets=y, domain=problem.domain)
    point = problem.constraint.project(draw.normal(size=FEATURES))
    found = replace(sum_over_set(problem, data), single=single).gradient(point)
    exact = [Fraction(0)] * FEATURES
    for row, target in zip(X, y, strict=True):
        entries = [Fraction(entry) for entry in row]
        difference = sum((entry * Fraction(weight) for entry, weight in zip(entries, point, strict=True)), Fraction(0)) - Fraction(target)
        slope = {
            "squared": 2 * difference,
            "absolute": Fraction((difference > 0) - (difference < 0)),
            "huber": max(Fraction(-1, 2), min(Fraction(1, 2), difference)),
        }[loss.name]
        exact = [total + slope * entry for total, entry in zip(exact, entries, strict=True)]
    errors = np.array([abs(float(Fraction(float(value)) - total)) for value, total in zip(found, exact, strict=True)])
    share = problem.error_share(1500, single=single)
    assert errors.max() <= share * problem.coordinate_bound <= problem.coordinate_error
    assert errors.max() > 0.0 or loss.name == "absolute"  # sums of single-precision numbers can be exact


def test_a_table_beyond_the_bound_of_rounding_errors_is_refused(monkeypatch):
    problem = problem_of({"entry_bound": 1.0}, SETS[0], Squared())
    assert problem.most_records >= 1 << 24
    assert problem.error_share(problem.most_records) <= 2.0**-14 < problem.error_share(2 * problem.most_records)
    monkeypatch.setattr(ConstrainedRisk, "most_records", 5)
    data = Records(rows=as_matrix(np.zeros((6, FEATURES))), targets=np.zeros(6), domain=problem.domain)
    with pytest.raises(InvalidInput, match="up to 5 records"):
        sum_over_set(problem, data)


def test_contradictions_are_refused():
    problem = problem_of({"entry_bound": 1.0}, SETS[0], Squared())
    with pytest.raises(InvalidInput, match="dimension"):
        replace(problem, constraint=L1Ball(dimension=FEATURES + 1))
    with pytest.raises(InvalidInput, match="max_slope"):
        replace(problem, max_slope=0.0)
    with pytest.raises(InvalidInput, match="target_bound must be 1"):
        replace(problem, loss=Hinge(), domain=replace(problem.domain, target_bound=2.0))
    other = Records(rows=as_matrix(np.zeros((6, FEATURES))), targets=np.zeros(6), domain=replace(problem.domain, target_bound=2.0))
    with pytest.raises(InvalidInput, match="different domains"):
        sum_over_set(problem, other)
