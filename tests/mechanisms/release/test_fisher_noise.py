"""Noise shaped by weights: its covariance and optimality, its guarantee on the declared domain, and the number that is no guarantee."""

import math

import numpy as np
import pytest

from discreet.accounting import ApproximateDP, NoGuarantee, Unit, epsilon_for, gaussian_mu
from discreet.accounting.gaussian import GaussianDP
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.core.parts import module_of
from discreet.data import Domain
from discreet.mechanisms.release import FisherNoise
from discreet.mechanisms.release.answers import rows_read
from discreet.noise import SystemNoise
from discreet.queries import WeightedRows
from tests.mechanisms.release.tables import BOX, invented

WEIGHTS = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 4.0]])


def root(matrix, power):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * values**power) @ vectors.T


def test_the_released_noise_has_the_covariance_of_the_theorem():
    query, data = WeightedRows.of(BOX, weights=WEIGHTS), invented(BOX, 20_000)
    made = FisherNoise.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    release = made.run(query, data, SystemNoise())
    rows = np.concatenate([block for _, block in rows_read(query, data)])
    white = (release.value[:, :3] - rows) @ root(WEIGHTS, 0.25) * made.level**0.25
    assert np.all(np.abs(white.T @ white / 20_000 - np.eye(3)) < 6 * math.sqrt(2 / 20_000))
    assert np.array_equal(release.value[:, 3], data.targets)
    assert release.certificate.guarantee.unit is Unit.FEATURES
    assert release.verify().ok


def test_the_covariance_minimises_information_and_variance_together():
    level = 3.0
    best = root(WEIGHTS, -0.5) / math.sqrt(level)

    def objective(covariance):
        return np.trace(np.linalg.inv(WEIGHTS) @ np.linalg.inv(covariance)) + level * np.trace(covariance)

    assert objective(best) == pytest.approx(2 * math.sqrt(level) * np.trace(root(WEIGHTS, -0.5)), rel=1e-12)
    draw = np.random.default_rng(0)
    for size in (1e-3, 0.1, 1.0):
        step = draw.standard_normal((3, 3)) * size
        factor = np.linalg.cholesky(best) @ (np.eye(3) + step)
        assert objective(factor @ factor.T) > objective(best)


def test_the_noise_is_that_of_the_metric_of_the_box():
    """C3 of the theory: level^(1/4) sqrt(sum of sqrt(weight) range^2) is the distance of two corners in deviations."""
    weights = np.array([1.0, 16.0, 81.0])
    query = WeightedRows.of(BOX, weights=weights)
    made = FisherNoise.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    apart = made.level**0.25 * math.sqrt(float(np.sum(np.sqrt(weights) * 4.0)))
    assert apart == pytest.approx(gaussian_mu(1.0, 1e-5), rel=3e-5)
    local = FisherNoise.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE, local=True)
    one = local.randomise(query, np.zeros(3), SystemNoise(), target=0.25)
    assert one.value[0, 3] == 0.25
    assert one.verify().ok


def test_add_remove_and_a_target_with_noise():
    query = WeightedRows.of(BOX, target="noisy")
    made = FisherNoise.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=ADD_REMOVE, slots=30)
    release = made.run(query, invented(BOX, 20), SystemNoise())
    assert release.value.shape == (30, 4)
    assert release.verify().ok


def test_the_published_condition_gives_the_printed_epsilon_and_the_true_one_is_larger():
    domain = Domain(features=30, entry_bound=0.5, target_bound=1.0)
    printed = math.sqrt(30) * (1 + math.sqrt(2 * math.log(1e5)))
    assert printed == pytest.approx(31.8, abs=0.05)
    made = module_of("papers").farokhi_theorem_5(WeightedRows.of(domain), epsilon=printed, delta=1e-5)
    assert made.level == pytest.approx(1.0, rel=1e-3)
    assert isinstance(made.guarantee(WeightedRows.of(domain)), NoGuarantee)
    exact = epsilon_for(GaussianDP(mu=math.sqrt(30), neighbours=REPLACE_ONE, theorem="exact"), 1e-5)
    assert exact == pytest.approx(37.6, abs=0.05)


def test_the_published_condition_is_refused_a_guarantee_on_wide_domains_and_has_one_where_it_holds():
    wide, narrow = (WeightedRows.of(Domain(features=30, entry_bound=bound, target_bound=1.0)) for bound in (50.0, 0.5))
    stated = module_of("papers").farokhi_theorem_5(wide, epsilon=1.0, delta=1e-5).guarantee(wide)
    assert isinstance(stated, NoGuarantee)
    assert "differ by at most 1" in stated.theorem
    holds = module_of("papers").farokhi_theorem_5(narrow, epsilon=1.0, delta=1e-5).guarantee(narrow)
    assert isinstance(holds, ApproximateDP)
    assert holds.delta_at_epsilon < 1e-5


def test_the_cramer_rao_number_is_the_trace_of_the_covariance():
    query = WeightedRows.of(BOX, weights=WEIGHTS)
    made = FisherNoise.of_level(query, level=0.5, epsilon=1.0)
    assert made.cramer_rao(query).unbiased_mse == pytest.approx(np.trace(root(WEIGHTS, -0.5)) / math.sqrt(0.5), rel=1e-5)
    assert made.cramer_rao(query).delta(1.0) == 1.0
    with pytest.raises(InvalidInput, match="level"):
        FisherNoise.of_level(query, level=0.0, epsilon=1.0)
