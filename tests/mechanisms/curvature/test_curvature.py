"""The released curvature: the matrices, the distance of neighbours, exact laws and planted faults, certificates and their lies."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from discreet.accounting import gaussian_delta
from discreet.certificates import Certificate
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain
from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.matrices import DenseMatrix, as_matrix
from discreet.mechanisms.curvature import CurvatureQuery, CurvatureRecords, GaussianCurvature
from discreet.mechanisms.curvature.query import ABOVE, DIAGONAL
from discreet.noise import SeededNoise, SystemNoise
from discreet.problems import RegularisedRisk

LOSSES = [Logistic(), SoftplusHinge(), HuberHinge(), SmoothedHinge()]


def question(loss=LOSSES[0], features=3, *, norm=2.0, scale=0.6, heaviest=1.0, weights=None):
    domain = Domain(features=features, norm_bound=norm, intercept_scale=scale, classes=2)
    problem = RegularisedRisk(loss=loss, ridge=1.0, domain=domain, max_weight=heaviest)
    dimension = problem.dimension
    return CurvatureQuery(problem=problem, weights=np.linspace(-2.0, 3.0, dimension) if weights is None else weights)


def people(count=500, features=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, features)) * 1.5, np.where(rng.random(count) < 0.5, 1.0, -1.0), rng.random(count) * 3.0


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("weighted", [False, True])
def test_it_reads_back_the_two_matrices_to_the_rounding(loss, weighted):
    query = question(loss, heaviest=3.0)
    rows, signs, weights = people()
    given = weights if weighted else None
    found = query.read(np.array([float(v) for v in query.answer(as_matrix(rows), signs, given)]), scale=1.0)
    shortened = rows * np.minimum(1.0, 2.0 / np.linalg.norm(rows, axis=1))[:, np.newaxis]
    extended = np.column_stack((shortened, np.full(len(rows), 0.6)))
    margins = signs * (extended @ query.weights)
    # Without weights records weigh as much as the heaviest may: the caller says which.
    factor = weights if weighted else np.full(len(rows), 3.0)
    curvature = (extended * (factor * loss.curvature(margins))[:, np.newaxis]).T @ extended
    variation = (extended * (factor * loss.slope(margins))[:, np.newaxis] ** 2).T @ extended
    near = 0.02 if loss.name == "huber-hinge" else 2e-3  # the curvature of the Huber hinge jumps: a record beside the jump may count on either side
    assert np.abs(found.curvature - curvature).max() < near * np.abs(curvature).max()
    assert np.abs(found.variation - variation).max() < 2e-3 * np.abs(variation).max()


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("features", [1, 3, 9])
def test_no_pair_of_records_is_farther_apart_than_the_distance_and_some_come_near(loss, features):
    """Records at many margins along the axes, where contributions are longest, and at random."""
    query = question(loss, features, scale=0.0, weights=np.full(features, 0.25))
    rng = np.random.default_rng(1)
    axes = np.vstack((np.eye(features), -np.eye(features), rng.normal(size=(40, features)) * 10.0))
    rows = np.vstack([axes * size for size in (0.3, 0.7, 1.0, 1.7, 2.0, 30.0)])
    answers = [
        np.array(query.answer(as_matrix(row[np.newaxis]), np.array([sign]), None), dtype=float)
        for row in rows[: 12 * features + 60]
        for sign in (1.0, -1.0)
    ]
    alone, apart = np.linalg.norm(answers, axis=1).max(), pdist(answers).max()
    assert 0.8 * query.distance(ADD_REMOVE) < alone <= query.distance(ADD_REMOVE)
    assert apart <= query.distance(REPLACE_ONE)
    if features > 1:
        assert apart > 0.8 * query.distance(REPLACE_ONE)


def test_a_square_root_of_two_is_enough_only_because_contributions_do_not_point_apart():
    rng = np.random.default_rng(2)
    query = question(features=4, scale=0.0, weights=np.zeros(4))
    rows = rng.normal(size=(60, 4))
    answers = np.array([query.answer(as_matrix(row[np.newaxis]), np.array([1.0]), None) for row in rows], dtype=float)
    assert np.all(answers @ answers.T >= 0)


def test_a_record_that_does_not_keep_its_bound_counts_as_nothing(monkeypatch):
    query = question(features=2, scale=0.0, weights=np.ones(2))
    monkeypatch.setattr(DenseMatrix, "ordered_row_norms", lambda rows: np.full(rows.shape[0], 1e-9))
    assert not np.any(query.answer(as_matrix(np.array([[30.0, 0.0]])), np.array([1.0]), None).astype(float))
    assert np.any(query.answer(as_matrix(np.array([[1.0, 0.0]])), np.array([1.0]), None).astype(float))


def test_a_record_contributes_the_same_whatever_stands_beside_it():
    """Exactly, in many tables of unlike sizes and orders: sums are exact, so differences are too."""
    query = question(SoftplusHinge(), 5, weights=np.linspace(-1.0, 1.3, 6))
    rows, signs, _ = people(4000, 5)
    whole = query.answer(as_matrix(rows), signs, None)
    rng = np.random.default_rng(3)
    for cut in (1, 7, 1023, 1024, 2500):
        order = rng.permutation(4000)
        first, rest = order[:cut], order[cut:]
        parts = [query.answer(as_matrix(np.asfortranarray(rows[part])), signs[part], None) for part in (first, rest)]
        assert np.array_equal(parts[0] + parts[1], whole)


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 1e-6), (1.0, 1e-3), (4.0, 1e-9)])
def test_the_claim_is_reached_by_a_real_pair_and_less_noise_is_caught(neighbours, epsilon, delta):
    """The loss of two tables is that of a normal law with their distance in scales: at scales of 10^11 the difference is nothing."""
    query = question(features=2, scale=0.0, norm=1.0, weights=np.array([1.0, 1.0]))
    mechanism = GaussianCurvature.calibrate(query, epsilon=epsilon, delta=delta, neighbours=neighbours)
    claimed = mechanism.guarantee(query).delta_at_epsilon
    assert 0.99 * delta < claimed <= delta
    margins = np.linspace(-1.0, 1.0, 201)
    first = [np.array(query.answer(as_matrix(np.array([[1.0, 0.0]])), np.array([1.0]), None), dtype=float)]
    candidates = [
        np.array(query.answer(as_matrix(np.array([[m, math.sqrt(1 - m * m)]])), np.array([s]), None), dtype=float) for m in margins for s in (1, -1)
    ]
    others = [np.zeros(query.size)] if neighbours is ADD_REMOVE else candidates
    distance = float(cdist(first + candidates, others).max())
    reached = gaussian_delta(epsilon, distance / mechanism.scale)
    assert reached <= claimed
    assert gaussian_delta(epsilon, distance / (0.7 * mechanism.scale)) > claimed
    forgetful = GaussianCurvature.calibrate(query, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    if neighbours is REPLACE_ONE:
        assert gaussian_delta(epsilon, distance / forgetful.scale) > 1.5 * delta


def test_entries_above_the_diagonal_may_not_weigh_more():
    """7 / 5 is below the square root of 2: with 8 / 5 records on a diagonal of the unit square would exceed the bound."""
    assert (ABOVE / DIAGONAL) ** 2 < 2.0
    x = np.array([1.0, 1.0]) / math.sqrt(2.0)
    assert 25 * np.sum(x**4) + 64 * (x[0] * x[1]) ** 2 > 25.0


@pytest.fixture(params=[(loss, kind) for loss in LOSSES for kind in (ADD_REMOVE, REPLACE_ONE)], ids=lambda value: f"{value[0].name} {value[1]}")
def released(request):
    loss, neighbours = request.param
    query = question(loss)
    rows, signs, _ = people()
    mechanism = GaussianCurvature.calibrate(query, epsilon=0.7, delta=1e-6, neighbours=neighbours)
    return mechanism.run(query, CurvatureRecords(rows=as_matrix(rows), targets=signs, record_weights=None), SystemNoise())


def test_a_true_certificate_verifies_also_from_a_file(released):
    assert released.certificate.verify(released.value).ok, released.certificate.verify(released.value)
    assert Certificate.from_dict(json.loads(released.certificate.to_json())).verify(released.value).ok


def test_lies_fail(released):
    certificate, claim = released.certificate, released.certificate.guarantee
    for lie in (replace(claim, epsilon=claim.epsilon * 0.999), replace(claim, delta_at_epsilon=claim.delta_at_epsilon * 0.97)):
        assert not replace(certificate, guarantee=lie).verify().ok
    assert not replace(certificate, parameters={**certificate.parameters, "scale": certificate.parameters["scale"] * 0.98}).verify().ok
    assert not replace(certificate, parameters={**certificate.parameters, "unit": 2.0 * certificate.parameters["unit"]}).verify().ok
    relation = ADD_REMOVE if claim.neighbours is REPLACE_ONE else REPLACE_ONE
    assert not replace(certificate, guarantee=replace(claim, neighbours=relation)).verify().ok
    assert not certificate.verify(released.value + 1.0).ok


def test_the_noise_has_the_stated_size():
    """2,000 numbers of a known law: their mean square is within 10 standard errors (0.316) of 1, and the entries weigh 5 and 7."""
    query = question(features=4, weights=np.zeros(5))
    mechanism = GaussianCurvature.calibrate(query, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE)
    rows, signs, _ = people(3, 4)
    exact = np.array(query.answer(as_matrix(rows), signs, None), dtype=float)
    noise, records = SeededNoise(2), CurvatureRecords(rows=as_matrix(rows), targets=signs, record_weights=None)
    drawn = np.concatenate([mechanism.run(query, records, noise).value - exact for _ in range(70)])[:2000]
    assert np.mean(np.square(drawn / mechanism.scale)) == pytest.approx(1.0, abs=0.316)
    found = query.read(exact, mechanism.scale)
    assert found.curvature_noise == pytest.approx(mechanism.scale / 5 * 0.25 * query.problem.domain.radius**2 / 2**36)


def test_what_promises_nothing_is_refused():
    query = question()
    for epsilon, delta in ((0.0, 1e-6), (1.0, 0.0), (1.0, 1.0), (math.inf, 1e-6)):
        with pytest.raises(InvalidInput):
            GaussianCurvature.calibrate(query, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    with pytest.raises(InfeasibleTarget):
        GaussianCurvature.calibrate(query, epsilon=1e-8, delta=1e-12, neighbours=ADD_REMOVE)
    with pytest.raises(InvalidInput, match="weights"):
        question(weights=np.ones(2))
    with pytest.raises(InvalidInput, match="weights"):
        question(features=2000, scale=0.0, weights=np.ones(2000))
    small = GaussianCurvature(scale=10.0, epsilon=1.0, neighbours=ADD_REMOVE)
    assert small.guarantee(query).delta_at_epsilon > 0.999
