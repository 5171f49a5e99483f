"""Curvature of predictions and of many classes: the matrices, how far records are apart, tables of any order, certificates, and planted faults."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.special import softmax

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Domain
from discreet.losses import HuberHinge, Logistic
from discreet.losses.predictions import Expectile, Gamma, HuberLoss, LogCosh, Pinball, Poisson, SmoothPinball
from discreet.matrices import as_matrix
from discreet.mechanisms.curvature import CurvatureQuery, CurvatureRecords, GaussianCurvature
from discreet.mechanisms.curvature import factors as made_of
from discreet.noise import SystemNoise
from discreet.problems import PredictionRisk, SeveralTargets
from discreet.problems.regularised_risk import MultinomialRisk, OneVsRestRisk, RegularisedRisk

NUMBERS = [
    LogCosh(width=0.2),
    HuberLoss(half_width=0.3),
    SmoothPinball(quantile=0.3, width=0.1),
    Expectile(level=0.8, half_width=0.4),
    Poisson(unit=0.1),
    Gamma(unit=0.1),
]
MANY = [MultinomialRisk, OneVsRestRisk]
KINDS = [*NUMBERS, *MANY, SeveralTargets]
UNITS = (1.0, 5.0, 0.2)


@pytest.mark.parametrize("loss", [HuberLoss(half_width=1e-4), SmoothPinball(quantile=0.3, width=1e-3), HuberHinge(half_width=1e-4)])
def test_a_bend_narrower_than_what_is_told_apart_is_refused(loss):
    kind = {"classes": 2} if isinstance(loss, HuberHinge) else {"target_bound": 1.0}
    domain = Domain(features=2, norm_bound=1.0, **kind)
    problem = RegularisedRisk(loss=loss, ridge=1.0, domain=domain) if "classes" in kind else PredictionRisk(loss=loss, domain=domain)
    with pytest.raises(InvalidInput, match="intervals need at least"):
        made_of.factors_of(problem)


def name(kind):
    return kind.name if isinstance(kind, tuple(type(one) for one in NUMBERS)) else kind.__name__


def question(kind, features=2, *, classes=3, scale=0.6, persons=None):
    if kind in MANY:
        domain = Domain(features=features, norm_bound=2.0, intercept_scale=scale, classes=classes, persons=persons)
        problem = kind(ridge=1.0, domain=domain, **({"loss": Logistic()} if kind is OneVsRestRisk else {}))
    else:
        domain = Domain(features=features, norm_bound=2.0, entry_bound=1.5, target_bound=1.0, intercept_scale=scale, persons=persons)
        problem = PredictionRisk(loss=LogCosh(width=0.2) if kind is SeveralTargets else kind, domain=domain)
        problem = SeveralTargets(each=problem, units=UNITS) if kind is SeveralTargets else problem
    return CurvatureQuery(problem=problem, weights=0.4 * np.random.default_rng(0).normal(size=problem.dimension))


def records(kind, count=400, features=2, classes=3, seed=1):
    draw = np.random.default_rng(seed)
    rows = draw.normal(size=(count, features))
    return rows, draw.integers(0, classes, count).astype(float) if kind in MANY else draw.normal(size=(count, 3) if kind is SeveralTargets else count)


def exact(query, rows, targets):
    """H and J by the formulas."""
    problem, domain = query.problem, query.problem.domain
    bounded = np.clip(rows, -domain.entry_bound, domain.entry_bound)
    bounded = bounded * np.minimum(1.0, domain.norm_bound / np.linalg.norm(bounded, axis=1))[:, np.newaxis]
    whole = np.column_stack((bounded, np.full(len(rows), domain.intercept_scale)))
    if isinstance(problem, PredictionRisk):
        predictions, numbers = whole @ query.weights, np.clip(targets, -1.0, 1.0)
        bend, steep = problem.loss.curvature(predictions, numbers), problem.loss.slope(predictions, numbers)
        return (whole * bend[:, np.newaxis]).T @ whole, (whole * steep[:, np.newaxis] ** 2).T @ whole
    if isinstance(problem, SeveralTargets):
        predictions, numbers, each = whole @ query.weights.reshape(3, -1).T, np.clip(targets, -1.0, 1.0), problem.each.loss
        parts = (each.curvature(predictions, numbers), np.square(each.slope(predictions, numbers)))
        return tuple(block_diag(*[(whole * column[:, np.newaxis]).T @ whole for column in part.T]) for part in parts)
    classes = domain.classes
    each = query.weights.reshape(classes, -1)
    decisions, told = whole @ each.T, targets[:, np.newaxis] == np.arange(classes)
    if isinstance(problem, MultinomialRisk):
        shares = softmax(decisions, axis=1)
        bend = np.einsum("ij,jk->ijk", shares, np.eye(classes)) - np.einsum("ij,ik->ijk", shares, shares)
        steep = np.einsum("ij,ik->ijk", shares - told, shares - told)
    else:
        margins = decisions * np.where(told, 1.0, -1.0)
        bend = np.einsum("ij,jk->ijk", problem.loss.curvature(margins), np.eye(classes))
        steep = np.einsum("ij,jk->ijk", np.square(problem.loss.slope(margins)), np.eye(classes))
    size = classes * whole.shape[1]
    return tuple(np.einsum("nab,nj,nk->ajbk", part, whole, whole).reshape(size, size) for part in (bend, steep))


@pytest.mark.at_most(3)
@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_it_reads_back_the_two_matrices_to_the_rounding(kind):
    query, (rows, targets) = question(kind), records(kind)
    value = np.array([float(one) for one in query.answer(as_matrix(rows), targets, None)])
    assert value.shape == (query.size,)
    found = query.read(value, scale=1.0)
    for read, expected in zip(found[:2], exact(query, rows, targets), strict=True):
        assert np.abs(read - expected).max() < 0.02 * np.abs(expected).max()


def contributions(query, kind):
    """Of records at many places: long rows along the axes and the diagonals, targets at both ends, every class."""
    ends = [0.0, 1.0, 2.0] if kind in MANY else [-1.0, -0.8, 0.0, 0.9, 1.0]
    ends = [np.full(3, end) for end in ends] if kind is SeveralTargets else ends
    rows = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 2.0], [1.4, 1.4], [-1.4, 1.4], [1.4, -1.4], [0.3, 0.1]])
    return np.array([np.array(query.answer(as_matrix(row[np.newaxis]), np.array([y]), None), dtype=float) for row in rows for y in ends])


def reaching(kind):
    """A question without intercept, at weights of many sizes."""
    query = question(kind, scale=0.0)
    weights = np.concatenate([np.linspace(0.05, 4.0, 8), [40.0]])
    return [replace(query, weights=size * direction) for size in weights for direction in directions(query.problem.dimension)]


def directions(size):
    return np.vstack((np.eye(size)[:1], np.ones((1, size)) / math.sqrt(size), np.linspace(-1.0, 1.0, size)[np.newaxis]))


@pytest.mark.at_most(3)
@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_no_pair_of_records_is_farther_apart_than_the_distance_and_some_come_near(kind):
    alone, apart = 0.0, 0.0
    for query in reaching(kind):
        found = contributions(query, kind)
        alone = max(alone, float(np.linalg.norm(found, axis=1).max()) / query.distance(ADD_REMOVE))
        gaps = np.sum(found**2, axis=1)[:, np.newaxis] + np.sum(found**2, axis=1) - 2.0 * found @ found.T
        apart = max(apart, math.sqrt(float(gaps.max())) / query.distance(REPLACE_ONE))
    # One class against the rest is furthest where every class is unsure at once and wrong at once, which no margins are: 2 of 3 are.
    assert 0.6 < alone <= 1.0
    assert 0.6 < apart <= 1.0


def test_factors_of_the_softmax_are_within_their_length_everywhere():
    """Shares of many classes drawn near corners and edges; the bound is reached to 2 %, at two others that share everything."""
    draw, longest = np.random.default_rng(0), 0.0
    for classes in (2, 3, 5):
        factors = made_of.factors_of(question(MultinomialRisk, classes=classes).problem)
        logits = np.concatenate([draw.normal(size=(4000, classes)) * size for size in (0.5, 2.0, 8.0)])
        logits = np.vstack((logits, np.r_[-60.0, 0.0, 0.0, np.full(max(0, classes - 3), -60.0)][:classes]))
        codes = np.append(draw.integers(0, classes, len(logits) - 1), 0)
        lengths = np.sqrt(np.sum(np.square(np.rint(factors.of(logits, 1.0, codes))), axis=0))
        longest = max(longest, float(lengths.max()) / factors.length)
    assert 0.98 < longest <= 1.0


def test_without_the_root_off_the_diagonal_the_matrix_is_not_a_matrix(monkeypatch):
    """A planted fault: entries above the diagonal count once, where they stand twice."""
    query, (rows, targets) = question(MultinomialRisk), records(MultinomialRisk)
    monkeypatch.setattr(made_of.math, "sqrt", lambda number: 1.0 if number == 2.0 else number**0.5)
    value = np.array([float(one) for one in query.answer(as_matrix(rows), targets, None)])
    monkeypatch.undo()
    curvature, expected = query.read(value, scale=1.0).curvature, exact(query, rows, targets)[0]
    assert np.abs(curvature - expected).max() > 0.1 * np.abs(expected).max()


@pytest.mark.parametrize("kind", [LogCosh(width=0.2), Gamma(unit=0.1), *MANY, SeveralTargets], ids=name)
def test_a_record_contributes_the_same_whatever_stands_beside_it(kind):
    query, (rows, targets) = question(kind), records(kind, 2000)
    whole, order = query.answer(as_matrix(rows), targets, None), np.random.default_rng(3).permutation(2000)
    for cut in (1, 1023, 1500):
        parts = [query.answer(as_matrix(np.asfortranarray(rows[part])), targets[part], None) for part in (order[:cut], order[cut:])]
        assert np.array_equal(parts[0] + parts[1], whole)


@pytest.mark.parametrize("kind", [HuberLoss(half_width=0.3), MultinomialRisk], ids=name)
def test_rows_of_a_person_are_no_farther_from_nothing_than_a_record(kind):
    """Three equal rows of weight a third; and six whose weights are less than a level, which count as next to nothing."""
    query, (rows, targets) = question(kind, persons=Persons(rows=3)), records(kind, 60)
    for row, y in zip(rows, targets, strict=True):
        found = np.array(query.answer(as_matrix(np.tile(row, (3, 1))), np.full(3, y), np.full(3, 1 / 3)), dtype=float)
        assert np.linalg.norm(found) <= query.distance(ADD_REMOVE)
    light = query.answer(as_matrix(rows[:6]), targets[:6], np.full(6, 1e-7))
    assert np.linalg.norm(np.array(light, dtype=float)) < 1e-2 * query.distance(ADD_REMOVE)


@pytest.mark.at_most(3)
@pytest.mark.parametrize("kind", KINDS, ids=name)
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_a_true_certificate_verifies_and_lies_fail(kind, neighbours):
    query, (rows, targets) = question(kind), records(kind, 50)
    mechanism = GaussianCurvature.calibrate(query, epsilon=0.7, delta=1e-6, neighbours=neighbours)
    released = mechanism.run(query, CurvatureRecords(rows=as_matrix(rows), targets=targets, record_weights=None), SystemNoise())
    certificate = released.certificate
    assert certificate.verify(released.value).ok, certificate.verify(released.value)
    less = {**certificate.parameters, "scale": certificate.parameters["scale"] * 0.95}
    assert not replace(certificate, parameters=less).verify().ok
    other = "scheme" if kind in MANY else "target_units" if kind is SeveralTargets else "target_bound"
    assert not replace(certificate, problem={key: value for key, value in certificate.problem.items() if key != other}).verify().ok
    if neighbours is REPLACE_ONE:
        forgetful = GaussianCurvature.calibrate(query, epsilon=0.7, delta=1e-6, neighbours=ADD_REMOVE)
        assert not replace(certificate, parameters={**certificate.parameters, "scale": forgetful.scale}).verify().ok


def test_a_loss_with_a_kink_has_no_curvature():
    with pytest.raises(InvalidInput, match="kink"):
        question(Pinball()).distance(ADD_REMOVE)


@pytest.mark.parametrize("loss", NUMBERS, ids=name)
def test_losses_of_residuals_say_so_and_no_other(loss):
    draw = np.random.default_rng(0)
    predictions, targets = draw.normal(size=200), draw.uniform(-1, 1, 200)
    alike = np.allclose(loss.slope(predictions, targets), loss.slope(predictions - targets, np.zeros(200)))
    assert alike == loss.of_residuals
