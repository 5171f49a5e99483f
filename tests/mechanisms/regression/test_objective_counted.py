"""A secret number of records is counted beside the fit: both together keep the claim, faults do not, and the unit changes nothing but targets."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.learning.counted import standard_share
from discreet.mechanisms.regression import LeastSquares, ResidualObjectivePerturbation
from discreet.mechanisms.regression.objective import default_width
from discreet.noise import SeededNoise, SystemNoise
from discreet.problems import Prior

DOMAIN = Domain(features=2, norm_bound=1.0, target_bound=2.0, intercept_scale=0.3)
PROBLEM = LeastSquares(domain=DOMAIN)
TARGETS = pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-8), (1.0, 1e-6), (10.0, 1e-5)])


def calibrated(epsilon=1.0, delta=1e-6, problem=PROBLEM, **more):
    return ResidualObjectivePerturbation.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE, **more)


def table(records=500, unit=1.0):
    rows = np.random.default_rng(0).uniform(-1.0, 1.0, (records, 2))
    domain = replace(DOMAIN, target_bound=DOMAIN.target_bound / unit)
    return Records(rows=as_matrix(rows), targets=np.linspace(-1.5, 2.0, records) / unit, domain=domain)


@TARGETS
def test_both_together_are_what_was_asked_for_and_lies_do_not_verify(epsilon, delta):
    made = calibrated(epsilon, delta, count_share=0.1)
    certificate = made.run(PROBLEM, table(), SystemNoise()).certificate
    verdict = certificate.verify()
    assert verdict.ok, [check for check in verdict.checks if not check.ok]
    assert 0.9 * delta < certificate.guarantee.delta_at_epsilon <= delta
    assert certificate.guarantee.epsilon <= epsilon
    numbers = dict(certificate.parameters)
    lies = [("count_scale", 0.9), ("scale", 0.99), ("width", 1.02), ("ridge", 0.3), ("tolerance", 3.0), ("unit", 0.3)]
    told = [{**numbers, name: share * numbers[name]} for name, share in lies]
    for parameters in (*told, {key: value for key, value in numbers.items() if key != "count_scale"}):
        assert not replace(certificate, parameters=parameters).verify().ok


@TARGETS
def test_the_claim_covers_the_worst_pair_and_half_the_noise_of_either_part_exceeds_it(epsilon, delta):
    """A record with a target far away: its slope is the width nearly everywhere, so that the minimiser tells of it like one Gaussian answer."""
    made = calibrated(epsilon, delta, count_share=0.3, ridge=1e4 / epsilon)  # a ridge that leaves no curvature to pay for
    claim = made.guarantee(PROBLEM)
    slope, count = made.width * DOMAIN.radius / made.scale, 1.0 / made.count_scale
    assert 0.2 * claim.delta_at_epsilon < gaussian_delta(claim.epsilon, math.hypot(slope, count)) <= claim.delta_at_epsilon
    assert gaussian_delta(claim.epsilon, math.hypot(slope, 2.0 * count)) > 2.0 * claim.delta_at_epsilon
    assert gaussian_delta(claim.epsilon, math.hypot(2.0 * slope, count)) > 2.0 * claim.delta_at_epsilon


def test_a_unit_is_a_fit_of_targets_divided_by_it():
    made, unit = calibrated(), 0.125
    shrunk = LeastSquares(domain=replace(DOMAIN, target_bound=DOMAIN.target_bound / unit))
    of_unit = made._minimised(PROBLEM, table(), SeededNoise(3), unit).weights
    of_targets = replace(made, count_scale=0.0)._minimised(shrunk, table(unit=unit), SeededNoise(3), 1.0).weights
    steps = made.grid.step * (2.0 + 2.0 * made.tolerance / made.ridge / made.grid.step)
    np.testing.assert_allclose(of_unit / unit, of_targets, rtol=0.0, atol=steps)
    np.testing.assert_array_equal(np.rint(of_unit / unit / made.grid.step) * made.grid.step * unit, of_unit)


def test_the_unit_brings_the_width_next_to_that_of_a_public_number():
    for epsilon in (0.1, 4.0):
        made = calibrated(epsilon)
        units = [made.unit(PROBLEM, counted) for counted in (-50.0, 40.0, 3_000.0, 200_000.0, 1e9)]
        assert units == sorted(units)
        assert units[0] == (2.0**-4 if epsilon < 1 else 2.0**-3)
        assert units[-1] == 1.0
    known = LeastSquares(domain=replace(DOMAIN, records=3_000))
    wanted = default_width(known, mu=made.width * DOMAIN.radius / made.scale, neighbours=ADD_REMOVE)
    assert 2.0**-0.5 <= made.unit(PROBLEM, 3_000.0) * made.width / wanted <= 2.0**0.5


def test_counting_takes_a_small_share_and_none_where_there_is_nothing_to_learn_from_it():
    assert standard_share(1e-3) == 0.05
    assert standard_share(10.0) == 0.001
    assert standard_share(0.05) == pytest.approx(0.01)
    plain = calibrated(count_share=0.0)
    assert not plain.count_scale
    assert "count_scale" not in plain.parameters()
    assert 1.0 < calibrated().scale / calibrated().width * plain.width / plain.scale < 1.01
    assert not calibrated(width=0.3).count_scale
    assert not calibrated(problem=replace(PROBLEM, prior=Prior.at(np.ones(3)))).count_scale
    assert not calibrated(problem=LeastSquares(domain=replace(DOMAIN, records=80))).count_scale
    replaced = ResidualObjectivePerturbation.calibrate(PROBLEM, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    assert not replaced.count_scale


def test_no_records_are_an_answer():
    release = calibrated().run(PROBLEM, table(0), SystemNoise())
    assert release.certificate.verify(release.value).ok
