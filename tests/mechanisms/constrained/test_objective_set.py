"""Objective perturbation over a set: the certified minimiser, the certificate, the bound of risk and the choice of a mechanism."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from discreet.accounting import Unit
from discreet.core.errors import InfeasibleTarget, InvalidInput, SolverFailure
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Records
from discreet.losses import HuberHinge
from discreet.losses.predictions import Absolute, HuberLoss, LogCosh, OfMargin, SmoothPinball, Squared
from discreet.mechanisms.constrained import calibrate_over_set, candidates
from discreet.mechanisms.constrained.objective_set import ObjectivePerturbationOverSet
from discreet.mechanisms.constrained.set_minimiser import certified_minimiser, gradient_error, projection
from discreet.noise import SeededNoise, SystemNoise
from discreet.objectives import sum_over_set
from discreet.sets import Box, ConvexHull, GroupL2Ball, KSupportBall, L1Ball, L2Ball, LInfinityBall, NuclearBall, Simplex, scaled, translated
from tests.canary import CANARY, assert_silent
from tests.mechanisms.constrained.mirror_problems import data_set, regression

SETS = [
    L2Ball(dimension=4, radius=0.8),
    L1Ball(dimension=4),
    LInfinityBall(dimension=4, radius=0.3),
    Box(lower=[-0.1, -1.0, 0.0, 0.2], upper=[0.3, 0.5, 1.0, 0.4]),
    Simplex(dimension=4),
    GroupL2Ball(sizes=(1, 3)),
    NuclearBall(rows=2, columns=2, radius=0.7),
    translated(scaled(GroupL2Ball(sizes=(2, 2)), 0.6), [0.1, 0.0, -0.2, 0.1]),
]
HULL = ConvexHull(
    vertices=[[0.6, 0.1, 0.0, 0.0], [-0.3, 0.5, 0.0, 0.1], [0.0, -0.4, 0.4, 0.0], [0.0, 0.0, -0.5, 0.3], [0.1, 0.1, 0.0, -0.6], [0.0] * 4]
)
each_set = pytest.mark.parametrize("constraint", SETS, ids=lambda constraint: constraint.name)


def calibrated(problem, **changes):
    return ObjectivePerturbationOverSet.calibrate(problem, **({"epsilon": 1.0, "delta": 1e-6, "neighbours": REPLACE_ONE} | changes))


@each_set
def test_projections_are_the_sets_own_within_their_error(constraint):
    generator = np.random.default_rng(0)
    for size in (0.1, 1.0, 30.0):
        for point in size * generator.normal(size=(20, 4)):
            found, slip = projection(constraint, point)
            np.testing.assert_allclose(found, constraint.project(point), atol=1e-12 * size)
            assert 0.0 <= slip < 2e-13 * max(1.0, size)


@each_set
def test_the_certified_distance_holds(constraint):
    problem, data = regression(constraint, OfMargin(), records=80)
    objective = sum_over_set(problem, data)
    linear = np.array([3.0, -2.0, 5.0, 1.0])
    fine = certified_minimiser(problem, objective, ridge=2.0, linear=linear, distance=1e-11)

    def value(theta):
        return objective.value(theta) + theta @ theta + linear @ theta

    start = constraint.project(np.zeros(4))
    lower = minimize(lambda theta: value(constraint.project(theta)) + np.sum((theta - constraint.project(theta)) ** 2), start, method="Powell").fun
    assert value(fine) <= lower + 1e-9
    assert constraint.contains(fine)
    for distance in (1e-1, 1e-3, 1e-6):
        coarse = certified_minimiser(problem, objective, ridge=2.0, linear=linear, distance=distance)
        assert np.linalg.norm(coarse - fine) <= distance


def test_the_gap_over_a_hull_bounds_the_distance():
    problem, data = regression(HULL, Squared(), records=80)
    known = {"ridge": 2.0, "linear": np.array([9.0, -6.0, 5.0, 1.0])}
    fine = certified_minimiser(problem, sum_over_set(problem, data), **known, distance=1e-5)
    coarse = certified_minimiser(problem, sum_over_set(problem, data), **known, distance=1e-1)
    assert np.linalg.norm(coarse - fine) <= 1e-1 + 1e-5
    slope = sum_over_set(problem, data).gradient(fine) + 2.0 * fine + known["linear"]
    assert slope @ fine - HULL.vertex_scores(slope).min() <= 2.0 * 1e-5**2


LOSSES = [Squared(), HuberLoss(half_width=0.3), LogCosh(width=0.2), SmoothPinball(quantile=0.9)]


@pytest.mark.at_most(2)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("constraint", [HULL, SETS[1], SETS[5], SETS[6]], ids=lambda constraint: constraint.name)
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("slope", [None, 0.1])
def test_any_smooth_loss_is_covered_and_its_certificate_verifies(loss, constraint, neighbours, slope):
    problem, data = regression(constraint, loss, records=60, public=neighbours is REPLACE_ONE)
    problem = replace(problem, max_slope=slope)
    release = calibrated(problem, neighbours=neighbours).run(problem, data, SystemNoise())
    verdict = release.verify()
    assert verdict.ok, [check for check in verdict.checks if not check.ok]
    assert constraint.contains(release.value)
    for name, factor in (("scale", 0.9), ("ridge", 0.2)):
        changed = {**release.certificate.parameters, name: release.certificate.parameters[name] * factor}
        assert not replace(release.certificate, parameters=changed).verify().ok, name


@pytest.mark.parametrize("slope", [1e-4, 0.002, 0.0049])
def test_slopes_clipped_anywhere_are_rechecked_as_steep_as_they_are(slope):
    problem, data = regression(L2Ball(dimension=3), Squared(), records=60)
    problem = replace(problem, max_slope=slope)
    right = calibrated(problem)
    assert right.run(problem, data, SystemNoise()).verify().ok
    certificate = replace(right, scale=0.5 * right.scale).run(problem, data, SystemNoise()).certificate
    asked = right.run(problem, data, SystemNoise()).certificate.guarantee
    assert not replace(certificate, guarantee=asked).verify().ok


def test_a_set_of_one_point_is_refused():
    problem, _ = regression(ConvexHull(vertices=np.ones((1, 3))), Squared(), records=60)
    with pytest.raises(InvalidInput, match="a single point"):
        calibrated(problem)


def test_a_clipped_loss_of_the_margin_pays_for_both_signs():
    problem, data = regression(L1Ball(dimension=4), OfMargin(), records=60)
    clipped = replace(problem, max_slope=0.5)
    release = calibrated(clipped).run(clipped, data, SystemNoise())
    release.verify().require()
    assert "both signs" in release.certificate.guarantee.theorem
    assert "T1" in calibrated(problem).run(problem, data, SystemNoise()).certificate.guarantee.theorem


@pytest.mark.parametrize("loss", [Squared(), OfMargin()], ids=lambda loss: loss.name)
def test_a_ridge_is_what_the_caller_says_and_too_small_a_one_is_refused(loss):
    problem, _ = regression(L2Ball(dimension=3), loss, records=50)
    assert calibrated(problem, ridge=12.0).ridge == 12.0
    with pytest.raises(InfeasibleTarget, match=r"alpha.*(comfortable|Raise)"):
        calibrated(problem, ridge=0.1)


@pytest.mark.more
def test_a_distance_below_rounding_errors_raises():
    problem, data = regression(L2Ball(dimension=2), OfMargin(), records=5)
    with pytest.raises(SolverFailure, match="could not certify"):
        certified_minimiser(problem, sum_over_set(problem, data), ridge=1.0, linear=np.zeros(2), distance=1e-18)


@each_set
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_a_release_lies_in_the_set_and_its_certificate_verifies(constraint, neighbours):
    problem, data = regression(constraint, OfMargin(), records=60, public=neighbours is REPLACE_ONE)
    release = calibrated(problem, neighbours=neighbours).run(problem, data, SystemNoise())
    assert constraint.contains(release.value)
    guarantee = release.certificate.guarantee
    assert guarantee.epsilon <= 1.0
    assert guarantee.delta_at_epsilon <= 1e-6
    release.verify().require()


def test_a_recheck_catches_changed_numbers():
    problem, data = regression(L1Ball(dimension=4), OfMargin(), records=60)
    certificate = calibrated(problem).run(problem, data, SystemNoise()).certificate
    assert certificate.verify().ok
    for name, factor in (("scale", 0.9), ("ridge", 0.3), ("tolerance", 50.0), ("grid_scale", 0.5), ("epsilon", 1.2)):
        changed = {**certificate.parameters, name: certificate.parameters[name] * factor}
        assert not replace(certificate, parameters=changed).verify().ok, name
    assert not replace(certificate, problem={**certificate.problem, "max_slope": 0.1}).verify().ok


@each_set
def test_the_mean_excess_is_below_its_bound(constraint):
    problem, data = regression(constraint, OfMargin(), records=500)
    objective = sum_over_set(problem, data)
    best = objective.value(certified_minimiser(problem, objective, ridge=1e-3, linear=np.zeros(4), distance=1e-4))
    mechanism = calibrated(problem)
    excess = np.mean([objective.value(mechanism.point(problem, objective, SeededNoise(seed))) - best for seed in range(10)]) / 500
    assert -1e-6 <= excess <= mechanism.risk_bound(problem)


def test_it_is_chosen_where_its_bound_is_the_smallest():
    problem, _ = regression(L1Ball(dimension=30), OfMargin(), records=3000)
    assert candidates(problem, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)[0].name == "objective-perturbation-set"
    assert calibrate_over_set(problem, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE).name == "objective-perturbation-set"
    assert calibrate_over_set(problem, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE, steps=7).name == "mirror-descent"


def test_what_the_theorem_does_not_cover_is_refused_in_words():
    problem, _ = regression(L1Ball(dimension=3), OfMargin(), records=20)
    with pytest.raises(InvalidInput, match="smooth loss"):
        calibrated(replace(problem, loss=Absolute()))
    with pytest.raises(InvalidInput, match="minimiser is certified"):
        calibrated(replace(problem, constraint=KSupportBall(dimension=3, support=2)))
    with pytest.raises(InvalidInput, match="delta"):
        calibrated(problem, delta=0.0)
    with pytest.raises(InvalidInput, match="ridge"):
        calibrated(problem, ridge=-1.0)
    with pytest.raises(InfeasibleTarget, match="needs alpha"):
        calibrated(problem, ridge=1e-3)
    with pytest.raises(InvalidInput, match="leave n_iter out, or choose another mechanism"):
        calibrate_over_set(problem, mechanism="objective-perturbation-set", epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE, steps=3)


def test_a_canary_stays_silent():
    problem, _ = regression(L1Ball(dimension=2), OfMargin(loss=HuberHinge()), records=3)
    data = data_set(problem, [[CANARY, 1.0], [0.1, CANARY], [CANARY, -CANARY]], [1.0, -1.0, CANARY])
    release = calibrated(problem).run(problem, data, SystemNoise())
    assert_silent(release.certificate.to_json())
    assert_silent(release)


@pytest.mark.at_most(3)
@each_set
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_a_release_for_persons_verifies_and_noise_for_rows_does_not(constraint, neighbours):
    rows, data = regression(constraint, OfMargin(), records=60, public=neighbours is REPLACE_ONE)
    domain = replace(rows.domain, persons=Persons(rows=6), records=10 if neighbours is REPLACE_ONE else None)
    problem = replace(rows, domain=domain)
    shared = Records(rows=data.given[0], targets=data.given[1], weights=np.full(60, 1 / 6), domain=domain)
    assert sum_over_set(problem, shared).total_weight == pytest.approx(10.0)
    certificate = calibrated(problem, neighbours=neighbours).run(problem, shared, SystemNoise()).certificate
    verdict = certificate.verify()
    assert verdict.ok, [check for check in verdict.checks if not check.ok]
    assert certificate.guarantee.unit is Unit.PERSON
    less = {**certificate.parameters, "scale": certificate.parameters["scale"] * 0.99}
    assert not replace(certificate, parameters=less).verify().ok


def test_copies_that_share_a_rows_weight_have_its_minimiser():
    rows, data = regression(L2Ball(dimension=4, radius=0.8), OfMargin(), records=50)
    problem = replace(rows, domain=replace(rows.domain, persons=Persons(rows=3)))
    matrix, targets = data.given
    order = np.tile(np.arange(50), 3)
    shared = Records(rows=matrix.chosen(order), targets=targets[order], weights=np.full(150, (2**53 // 3) * 2.0**-53), domain=problem.domain)
    known = {"ridge": 2.0, "linear": np.array([3.0, -2.0, 5.0, 1.0]), "distance": 1e-9}
    once = certified_minimiser(rows, sum_over_set(rows, data), **known)
    np.testing.assert_allclose(certified_minimiser(problem, sum_over_set(problem, shared), **known), once, atol=1e-8)


@pytest.mark.parametrize("persons", [1, 50])
def test_fewer_rows_than_planned_for_are_certified(persons):
    """One product of all rows has an error that grows with their square; what is planned for more rows must cover it."""
    public, _ = regression(L2Ball(dimension=4), OfMargin(), records=5, public=False)
    problem = replace(public, domain=replace(public.domain, persons=Persons(rows=persons)))
    planned = (problem.domain.records or 1_000_000) * persons
    linear = 30.0
    most = max(gradient_error(problem, 1 << power, ridge=1.0, linear_norm=linear) for power in range(21))
    assert most <= 4.1 * gradient_error(problem, planned, ridge=1.0, linear_norm=linear)
    for records in (5_000, 20_000, 200_000):
        public = replace(problem, domain=replace(problem.domain, records=records))
        counts = {1 << power for power in range((records * persons).bit_length())} | {4_096}
        worst = max(gradient_error(public, count, ridge=1.0, linear_norm=linear) for count in counts)
        assert worst <= 4.1 * gradient_error(public, records * persons, ridge=1.0, linear_norm=linear)


FACTORS = (1.0, 3.0, 40.0, 1.0)


@each_set
def test_a_ridge_that_counts_coefficients_apart_has_its_minimiser_and_a_certificate(constraint):
    problem, data = regression(constraint, OfMargin(), records=60)
    objective, linear = sum_over_set(problem, data), np.array([3.0, -2.0, 5.0, 1.0])
    known = {"ridge": 2.0, "factors": FACTORS, "linear": linear}
    fine = certified_minimiser(problem, objective, **known, distance=1e-10)
    assert np.linalg.norm(certified_minimiser(problem, objective, **known, distance=1e-2) - fine) <= 1e-2
    slope = objective.gradient(fine) + 2.0 * np.array(FACTORS) * fine + linear
    assert slope @ (constraint.linear_minimiser(slope) - fine) >= -1e-6  # no point of the set is lower, to first order
    release = calibrated(problem, factors=FACTORS).run(problem, data, SystemNoise())
    release.verify().require()
    assert "by 1 to 40 times lambda" in str(release.certificate.hypotheses)
    for wrong in ([1.0, 3.0, 0.5, 1.0], [1.0] * 3, [], "1", None):
        assert not replace(release.certificate, parameters={**release.certificate.parameters, "factors": wrong}).verify().ok, wrong
