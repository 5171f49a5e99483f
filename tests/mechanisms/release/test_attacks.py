"""Attacks: each succeeds against the calibration that was published, and fails against ours.

The adversary knows every record but one entry (or one record), and decides between two values of it. An attack's advantage is the probability to be
right about one value less that to be wrong about the other; (epsilon, delta)-privacy allows at most (e^epsilon - 1 + 2 delta) / (e^epsilon + 1).
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from discreet.accounting import NoGuarantee, gaussian_delta
from discreet.core.neighbours import REPLACE_ONE
from discreet.core.parts import module_of
from discreet.data import Domain
from discreet.mechanisms.release import (
    ClearTargetSketch,
    FisherNoise,
    GaussianRelease,
    GaussianSketch,
    InformationSketch,
    NullSpaceNoise,
    PublishedSketch,
)
from discreet.mechanisms.release.answers import exact_moments
from discreet.noise import SystemNoise
from discreet.queries import Projection, Rows, SecondMoments, WeightedRows
from discreet.solvers.soft_margin import solve_soft_margin
from tests.mechanisms.release.tables import of

TRIES = 60


def advantage(release, tell, tables):
    """How much more often `tell` names the first table under it than under the second."""
    said = [np.mean([tell(release(table)) for _ in range(TRIES)]) for table in tables]
    return said[0] - said[1]


def pair(count, entry, other, seed=0):
    """Two tables of two columns that are equal but for one entry of the first record: `entry` (equal columns) or `other`; and a target."""
    draw = np.random.default_rng(seed)
    column = draw.choice([-1.0, 1.0], count)
    domain = Domain(features=2, entry_bound=1.0, target_bound=1.0)
    tables = []
    for value in (entry, other):
        rows = np.column_stack((column, column))
        rows[0] = (value, 1.0)
        tables.append(of(rows, draw.choice([-1.0, 1.0], count) * 0.0, domain))
    return domain, tables


def columns_are_equal(value):
    return np.linalg.norm(value[:, 0] - value[:, 1]) < 1e-3 * np.linalg.norm(value[:, 0])


def test_equal_columns_tell_an_entry_of_the_published_sketch():
    domain, tables = pair(400, 1.0, -1.0)
    query = SecondMoments(domain=domain, target="omitted", most_records=400)
    published = PublishedSketch(rows=20, claimed_bits=0.1)
    assert isinstance(published.guarantee(query), NoGuarantee)
    assert advantage(lambda table: published.run(query, table, SystemNoise()).value, columns_are_equal, tables) == 1.0


def likelihood_ratio(query, tables, variance):
    """The best attack on a sketch: whether its log likelihood is larger under the first table."""
    covariances = [exact_moments(query, table) * query.unit**2 + variance * np.eye(query.columns) for table in tables]
    inverses, logs = [np.linalg.inv(one) for one in covariances], [np.linalg.slogdet(one)[1] for one in covariances]

    def tell(value):
        scores = [-0.5 * np.einsum("ij,jk,ik->", value, inverse, value) - 0.5 * len(value) * log for inverse, log in zip(inverses, logs, strict=True)]
        return scores[0] > scores[1]

    return tell


def test_the_best_attack_on_equal_columns_fails_against_ours():
    domain, tables = pair(400, 1.0, -1.0)
    query = SecondMoments(domain=domain, target="omitted", most_records=400)
    row_level = GaussianSketch.calibrate(query, rows=20, epsilon=0.5, delta=1e-5, neighbours=REPLACE_ONE)
    allowed = (math.expm1(0.5) + 2e-5) / (math.exp(0.5) + 1)
    tell = likelihood_ratio(query, tables, row_level.noise_variance(query))
    assert advantage(lambda table: row_level.run(query, table, SystemNoise()).value, tell, tables) < allowed + 4 / math.sqrt(TRIES)
    entry_level = InformationSketch.calibrate(query, rows=20, bits=0.1)
    allowed = math.sqrt(2 * 0.1 * math.log(2))
    tell = likelihood_ratio(query, tables, entry_level.noise_variance(query))
    assert advantage(lambda table: entry_level.run(query, table, SystemNoise()).value, tell, tables) < allowed + 4 / math.sqrt(TRIES)


def exact_advantage(query, tables, rows, variances):
    """Of the best attack on k rows of N(0, A) with these variances of noise by column, by simulation of its log ratio."""
    covariances = [exact_moments(query, table) * query.unit**2 + np.diag(variances) for table in tables]
    root = np.linalg.cholesky(covariances[1])
    scales = np.linalg.eigvalsh(np.linalg.solve(root, np.linalg.solve(root, covariances[0]).T))
    squares = np.random.default_rng(0).chisquare(rows, (100_000, len(scales)))
    const = 0.5 * rows * np.sum(np.log(scales))
    under_first = (0.5 * squares * (scales - 1.0)).sum(axis=1) - const > 0
    under_second = (0.5 * squares * (1.0 - 1.0 / scales)).sum(axis=1) - const > 0
    return under_first.mean() - under_second.mean()


def test_a_target_without_noise_tells_an_entry_of_the_published_sketch_and_not_of_ours():
    """One column that the target predicts but for a small residual: the published noise is zero, and the fit gives the entry away."""
    draw = np.random.default_rng(0)
    domain = Domain(features=1, entry_bound=1.0, target_bound=1.0)
    column = draw.uniform(-1, 1, 1000)
    target = np.clip(0.9 * column + 0.005 * draw.standard_normal(1000), -1, 1)
    tables = []
    for value in (1.0, -1.0):
        rows = column.copy()
        rows[0] = value
        tables.append(of(rows[:, np.newaxis], np.append([0.9], target[1:]), domain))
    query = SecondMoments(domain=domain, most_records=1000)
    squares = np.square(column[1:])
    assert squares.sum() > 20 / (2**0.2 - 1), "so the published noise is zero"
    claimed = math.sqrt(2 * 0.1 * math.log(2))
    published = exact_advantage(query, tables, 20, [1e-9, 0.0])
    assert published > 0.99
    ours = InformationSketch.calibrate(query, rows=20, bits=0.1).noise_variance(query)
    assert exact_advantage(query, tables, 20, [ours, ours]) < claimed
    same = ClearTargetSketch.calibrate(query, rows=20, bits=0.1).noise_variance(query)
    assert exact_advantage(query, tables, 20, [same, 0.0]) < claimed, "the same release, with the noise that its claim needs"
    rows = GaussianSketch.calibrate(query, rows=20, epsilon=0.5, delta=1e-5, neighbours=REPLACE_ONE).noise_variance(query)
    assert exact_advantage(query, tables, 20, [rows, rows]) < (math.expm1(0.5) + 2e-5) / (math.exp(0.5) + 1)
    release = PublishedSketch(rows=20, claimed_bits=0.1)
    tell = likelihood_ratio(query, tables, 1e-9)
    assert advantage(lambda table: release.run(query, table, SystemNoise()).value, tell, tables) > 0.95
    assert not release.run(query, tables[0], SystemNoise()).verify().ok


def test_the_published_noise_is_a_function_of_the_records():
    """Two columns of equal entries, and one entry of another column decides whether there is noise: are the equal columns released equal?"""
    domain = Domain(features=3, entry_bound=1.0, target_bound=1.0)
    rows = 20
    needed = rows / math.expm1(2 * 0.1 * math.log(2))
    count = math.ceil(needed) + 1
    tables = []
    for value in (1.0, 0.0):
        table = np.ones((count, 3))
        table[:, 1:] = np.random.default_rng(0).choice([-1.0, 1.0], (count, 1))
        table[0, 0] = value
        tables.append(of(table, np.zeros(count), domain))
    query = SecondMoments(domain=domain, target="omitted", most_records=count)
    published = PublishedSketch(rows=rows, claimed_bits=0.1)

    def second_and_third(value):
        return np.linalg.norm(value[:, 1] - value[:, 2]) < 1e-3 * np.linalg.norm(value[:, 1])

    assert advantage(lambda table: published.run(query, table, SystemNoise()).value, second_and_third, tables) == 1.0
    ours = GaussianSketch.calibrate(query, rows=rows, epsilon=0.5, delta=1e-5, neighbours=REPLACE_ONE)
    assert advantage(lambda table: ours.run(query, table, SystemNoise()).value, second_and_third, tables) == 0.0


@pytest.mark.parametrize("features", [1000, pytest.param(10_000, marks=pytest.mark.more)])
def test_the_worst_pair_of_a_fixed_projection_is_told_apart_under_the_published_noise_and_not_under_ours(features):
    domain = Domain(features=features, norm_bound=1.0, target_bound=1.0)
    query = Projection.from_public_seed(domain, width=10, seed=2)
    left, values, _ = np.linalg.svd(query.map.matrix, full_matrices=False)
    apart = np.linalg.norm((2.0 * left[:, 0]) @ query.map.matrix)
    assert apart == pytest.approx(2 * values[0])
    published = module_of("papers").tu_theorem_1(query, epsilon=0.5, delta=1e-6)
    ours = GaussianRelease.calibrate(query, epsilon=0.5, delta=1e-6, neighbours=REPLACE_ONE)
    false_alarms = 1e-3
    allowed = math.exp(0.5) * false_alarms + 1e-6

    def power(deviation):
        """Of the best test, which is of the direction between the two."""
        return ndtr(ndtri(false_alarms) + apart / deviation)

    assert gaussian_delta(0.5, apart / published.deviation) > 1e-3
    assert power(published.deviation) > 1.5 * allowed
    assert power(ours.deviation) <= allowed


def test_a_guess_that_ignores_the_release_beats_the_cramer_rao_number():
    """Records in a known box: guessing its middle has a squared error of at most p E^2, whatever the noise; the number may be far larger."""
    domain = Domain(features=30, entry_bound=0.5, target_bound=1.0)
    query = WeightedRows.of(domain)
    made = FisherNoise.of_level(query, level=1e-6, epsilon=1.0)
    rows = np.random.default_rng(0).uniform(-0.5, 0.5, (500, 30))
    release = made.run(query, of(rows, np.zeros(500), domain), SystemNoise()).value[:, :30]
    number = made.cramer_rao(query).unbiased_mse
    assert number == pytest.approx(30_000, rel=1e-5)
    assert np.mean(np.sum((release - rows) ** 2, axis=1)) == pytest.approx(number, rel=0.1), "the release itself, unbiased"
    assert np.mean(np.sum(rows**2, axis=1)) <= 7.5
    assert np.mean(np.sum((np.clip(release, -0.5, 0.5) - rows) ** 2, axis=1)) < 15


def test_noise_in_the_null_space_of_a_classifier_gives_scores_and_a_record_away():
    draw = np.random.default_rng(5)
    rows = np.vstack([draw.standard_normal((50, 2)), draw.standard_normal((50, 2)) + np.array([0.0, 5.0])])
    signs = np.repeat([1.0, -1.0], 50)
    domain = Domain(features=2, norm_bound=20.0, target_bound=1.0)
    query = Rows(domain=domain, target="clear")
    release = NullSpaceNoise(variance=100.0).run(query, of(rows, signs, domain), SystemNoise())
    assert isinstance(release.certificate.guarantee, NoGuarantee)
    assert "exact score of every record" in release.certificate.guarantee.theorem
    assert not release.verify().ok
    noisy = release.value[:, :2]
    assert np.std(noisy - rows) > 3.0, "there is noise"
    known, trained = solve_soft_margin(rows, signs), solve_soft_margin(noisy, release.value[:, 2])
    assert np.allclose(known.weights, trained.weights, atol=1e-7)
    assert np.allclose(noisy @ trained.weights, rows @ known.weights, atol=1e-6)
    # All records but one support vector are known: here is the last one.
    last = int(np.argmax(trained.multipliers))
    others = np.arange(100) != last
    rest = (trained.multipliers * signs)[others] @ rows[others]
    assert np.allclose((trained.weights - rest) / (trained.multipliers[last] * signs[last]), rows[last], atol=1e-5)
    # Not so with noise that is independent of the records.
    ours = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE).run(query, of(rows, signs, domain), SystemNoise())
    assert np.std(ours.value[:, :2] @ trained.weights - rows @ trained.weights) > 10.0
