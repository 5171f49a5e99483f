"""A secret number of records is counted beside a fit of two classes: both together keep the claim, faults do not, and few have more lambda."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Domain, Records
from discreet.losses import Logistic
from discreet.matrices import as_matrix
from discreet.mechanisms.learning import GaussianObjectivePerturbation, calibrate, default_ridge
from discreet.mechanisms.learning.counted import more_of_few
from discreet.noise import SeededNoise, SystemNoise
from discreet.problems import Prior, RegularisedRisk
from tests.mechanisms.learning.problems import problem

TARGETS = pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-8), (1.0, 1e-6), (10.0, 1e-5)])
ASKED = {"mechanism": "objective", "calibration": "tight"}


def plain(epsilon, delta=1e-6, neighbours=ADD_REMOVE, records=None) -> RegularisedRisk:
    start = problem(Logistic(), ridge=1.0, features=2, records=records)
    return replace(start, ridge=default_ridge(start, epsilon=epsilon, delta=delta, neighbours=neighbours))


def counted(public, epsilon, delta=1e-6, share=None, neighbours=ADD_REMOVE) -> GaussianObjectivePerturbation:
    return calibrate(public, **ASKED, epsilon=epsilon, delta=delta, neighbours=neighbours, count_share=share)


def table(domain: Domain, records=500) -> Records:
    rows = np.random.default_rng(0).uniform(-0.7, 0.7, (records, domain.features))
    return Records(rows=as_matrix(rows), targets=np.where(rows[:, 0] > 0, 1.0, -1.0), domain=domain)


@TARGETS
def test_both_together_are_what_was_asked_for_and_lies_do_not_verify(epsilon, delta):
    public = plain(epsilon, delta)
    certificate = counted(public, epsilon, delta, share=0.1).run(public, table(public.domain), SystemNoise()).certificate
    verdict = certificate.verify()
    assert verdict.ok, [check for check in verdict.checks if not check.ok]
    assert 0.9 * delta < certificate.guarantee.delta_at_epsilon <= delta
    assert certificate.guarantee.epsilon <= epsilon
    numbers = dict(certificate.parameters)
    told = [{**numbers, name: share * numbers[name]} for name, share in (("count_scale", 0.9), ("scale", 0.99), ("tolerance", 3.0))]
    told += [{**numbers, "extra_ridge": 0.5 * public.ridge}, {**numbers, "counted": 1e6}]
    told += [{key: value for key, value in numbers.items() if key != missing} for missing in ("count_scale", "extra_ridge", "counted")]
    for parameters in told:
        assert not replace(certificate, parameters=parameters).verify().ok
    other = replace(
        certificate, guarantee=replace(certificate.guarantee, neighbours=REPLACE_ONE), parameters={**numbers, "neighbours": "replace-one"}
    )
    assert not other.verify().ok


@TARGETS
def test_the_claim_covers_the_worst_pair_and_half_the_noise_of_either_part_exceeds_it(epsilon, delta):
    """A record far on the wrong side: its slope is the steepest nearly everywhere, so that the minimiser tells of it like one Gaussian answer."""
    public = replace(plain(epsilon, delta), ridge=1e4 / epsilon)  # a ridge that leaves no curvature to pay for
    made = counted(public, epsilon, delta, share=0.3)
    claim = made.guarantee(public)
    slope, count = public.gradient_bound / made.scale, 1.0 / made.count_scale
    assert 0.5 * claim.delta_at_epsilon < gaussian_delta(claim.epsilon, math.hypot(slope, count)) <= claim.delta_at_epsilon
    assert gaussian_delta(claim.epsilon, math.hypot(slope, 2.0 * count)) > 2.0 * claim.delta_at_epsilon
    assert gaussian_delta(claim.epsilon, math.hypot(2.0 * slope, count)) > 2.0 * claim.delta_at_epsilon


def test_a_fit_of_few_records_is_that_of_more_lambda_and_never_of_less():
    assert [more_of_few(records) for records in (-50.0, 0.0, 500.0, 4_000.0, 1e9)] == [2.0, 2.0, 2.0, 1.0, 1.0]
    assert more_of_few(2_000.0) == pytest.approx(2.0 ** (1.0 / 3.0))
    public = plain(4.0)
    made = counted(public, 4.0)
    for records, least, most in ((300, 2.0, 2.0), (2_000, 1.2, 1.32), (9_000, 1.0, 1.0)):
        release = made.run(public, table(public.domain, records), SeededNoise(1))
        stated = release.certificate.parameters
        assert stated["counted"] == pytest.approx(records, abs=6.0 * made.count_scale)
        times = 1.0 + stated["extra_ridge"] / public.ridge
        assert least <= times <= most
        noise = SeededNoise(1)
        noise.discrete_gaussian(scale=made.count_scale * 2.0**20, dimension=1, draws=1)
        of_more = made.columns(replace(public, ridge=times * public.ridge), table(public.domain, records), noise, 1)
        np.testing.assert_array_equal(release.value, of_more[:, 0])


def test_counting_takes_a_small_share_and_none_where_nothing_follows_from_it():
    public = plain(1.0)
    without = counted(public, 1.0, share=0.0)
    assert not without.count_scale
    assert "count_scale" not in without.parameters()
    assert 1.0 < counted(public, 1.0).scale / without.scale < 1.002
    assert 1.0 < counted(plain(0.1), 0.1).scale / counted(plain(0.1), 0.1, share=0.0).scale < 1.05
    assert not counted(replace(public, prior=Prior.at(np.ones(public.dimension))), 1.0).count_scale
    assert not counted(plain(1.0, records=80), 1.0).count_scale
    assert not counted(plain(1.0, neighbours=REPLACE_ONE), 1.0, neighbours=REPLACE_ONE).count_scale
    assert calibrate(public, **ASKED, epsilon=1.0, delta=0.0, neighbours=ADD_REMOVE, count_share=None).name == "objective-perturbation-pure"
    with pytest.raises(InvalidInput, match="records_share must be at least 0 and below 1"):
        counted(public, 1.0, share=1.0)


def test_several_fits_at_once_count_nothing():
    public = plain(1.0)
    release = counted(public, 1.0).run_many(public, table(public.domain), SystemNoise(), 3)
    assert release.certificate.verify(release.value).ok
    assert "counted" not in release.certificate.parameters


def test_no_records_are_an_answer():
    public = plain(1.0)
    release = counted(public, 1.0).run(public, table(public.domain, 0), SystemNoise())
    assert release.certificate.verify(release.value).ok


def check_a_person_of_heavy_rows_counts_once():
    """Rows weigh up to four times as much as a record without weights, and are shared: all of a person's together are one record at most."""
    start = replace(plain(1.0), max_weight=4.0)
    public = replace(start, domain=replace(start.domain, persons=Persons(rows=3)))
    rows = Records(rows=as_matrix(np.full((3_000, 2), 0.1)), targets=np.ones(3_000), weights=np.full(3_000, 4.0 / 3.0), domain=public.domain)
    made = counted(plain(1.0), 1.0)
    assert abs(made.run(public, rows, SystemNoise()).certificate.parameters["counted"] - 1_000) < 6.0 * made.count_scale


def test_a_person_of_heavy_rows_counts_once():
    check_a_person_of_heavy_rows_counts_once()
