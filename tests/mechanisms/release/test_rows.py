"""Rows with noise: exact divergences, the law of what is released, both relations, owners, and bits."""

import math

import numpy as np
import pytest

from discreet.accounting import ApproximateDP, NoGuarantee, Unit, gaussian_mu
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.release import GaussianRelease
from discreet.mechanisms.release.answers import answers
from discreet.mechanisms.release.rows import moved_delta
from discreet.noise import SeededNoise, SystemNoise
from discreet.queries import Projection, Rows, Target
from tests.mechanisms.release.tables import BALL, BOX, invented, of


def exact_divergence(scale, shift, epsilon):
    """The hockey-stick divergence of two discrete Gaussian laws on the line."""
    k = np.arange(-int(13 * scale), int(13 * scale) + shift + 1, dtype=float)
    mass = np.exp(-0.5 * (k / scale) ** 2)
    return float(np.maximum(0.0, mass - math.exp(epsilon) * np.exp(-0.5 * ((k - shift) / scale) ** 2)).sum() / mass.sum())


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 1e-6), (4.0, 1e-3)])
def test_the_lemma_keeps_its_claim_and_half_the_scale_breaks_it(epsilon, delta):
    shift = 5000
    scale = max(4096.0, shift / gaussian_mu(epsilon, delta))
    claimed, reached = moved_delta(epsilon, shift, scale, 1), exact_divergence(scale, shift, epsilon)
    assert 0.98 * claimed <= reached <= claimed * (1 + 1e-9)
    assert exact_divergence(0.5 * scale, shift, epsilon) > 2 * claimed


@pytest.mark.parametrize(
    ("epsilon", "delta", "mu"), [(0.1, 1e-5, 0.03252078), (1.0, 1e-5, 0.26805112), (1.0, 1e-6, 0.23670438), (10.0, 1e-5, 2.00044562)]
)
def test_noise_is_that_of_one_gaussian_to_a_hundred_thousandth(epsilon, delta, mu):
    query = Rows(domain=BALL)
    made = GaussianRelease.calibrate(query, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
    assert made.deviation == pytest.approx(2.0 / mu, rel=1e-5)
    assert made.deviation >= 2.0 / mu * (1 - 1e-7)
    stated = made.guarantee(query)
    assert isinstance(stated, ApproximateDP)
    assert (stated.epsilon, stated.unit) == (epsilon, Unit.RECORD)
    assert 0.99 * delta <= stated.delta_at_epsilon <= delta


def test_the_released_noise_has_the_stated_law_in_every_column():
    query, data = Rows(domain=BOX, target="noisy"), invented(BOX, 4000)
    made = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    release = made.run(query, data, SystemNoise())
    rows = np.concatenate([block for _, block in answers(query, data)])
    noise = (release.value - rows) / made.deviation
    assert np.all(np.abs(noise.mean(axis=0)) < 6 / math.sqrt(4000))
    assert np.all(np.abs(noise.std(axis=0) - 1) < 6 / math.sqrt(8000))
    assert np.all(np.abs(np.corrcoef(noise.T) - np.eye(4)) < 6 / math.sqrt(4000))
    assert release.verify().ok
    assert np.all(release.value / made.step == np.rint(release.value / made.step)), "released numbers are on the grid"


def test_targets_in_clear_are_released_as_they_are_and_leave_the_unit():
    query, data = Rows(domain=BOX, target=Target.CLEAR), invented(BOX, 20)
    release = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE).run(query, data, SystemNoise())
    assert np.array_equal(release.value[:, -1], data.targets)
    assert release.certificate.guarantee.unit is Unit.FEATURES
    assert "by nothing" in str(release.certificate)


def test_add_remove_hides_the_number_of_records_among_rows_of_zeros():
    query = Rows(domain=BALL, target="noisy")
    made = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=ADD_REMOVE, slots=50)
    half = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    assert made.deviation == pytest.approx(0.5 * half.deviation, rel=1e-6)
    assert {made.run(query, invented(BALL, count), SystemNoise()).value.shape for count in (0, 30, 50)} == {(50, 4)}
    with pytest.raises(InvalidInput, match="more slots"):
        made.run(query, invented(BALL, 51), SystemNoise())


def test_a_table_without_records_is_released_as_one():
    query = Rows(domain=BALL)
    release = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE).run(query, invented(BALL, 0), SystemNoise())
    assert release.value.shape == (0, 3)
    assert release.verify().ok


def test_the_places_of_records_are_uniform():
    """Huge records under little noise: where they land is seen, and says nothing."""
    query = Rows(domain=BALL)
    tiny = GaussianRelease(step=2.0**-40, scale=4096.0, neighbours=ADD_REMOVE, epsilon=1.0, slots=4)
    data = of([[1.0, 0, 0], [0, 1.0, 0]], [0, 0], BALL)
    places = []
    for _ in range(600):
        value = tiny.run(query, data, SystemNoise()).value
        places.append((int(np.argmax(value[:, 0])), int(np.argmax(value[:, 1]))))
    counts = {pair: places.count(pair) for pair in set(places)}
    assert len(counts) == 12
    assert max(counts.values()) < 50 + 6 * math.sqrt(50)
    assert isinstance(tiny.guarantee(query), NoGuarantee)


def test_an_owner_randomises_one_record_and_only_one():
    query = Rows(domain=BOX)
    made = GaussianRelease.calibrate(query, epsilon=2.0, delta=1e-5, neighbours=REPLACE_ONE, local=True)
    release = made.randomise(query, np.array([0.1, 5.0, -0.3]), SystemNoise())
    assert release.value.shape == (1, 3)
    assert release.certificate.guarantee.local
    assert release.verify().ok
    with pytest.raises(InvalidInput, match="a single record"):
        made.run(query, invented(BOX, 2), SystemNoise())
    with pytest.raises(InvalidInput, match="local=True"):
        GaussianRelease.calibrate(query, epsilon=2.0, delta=1e-5, neighbours=REPLACE_ONE).randomise(query, np.zeros(3), SystemNoise())


def test_bits_about_an_entry_are_those_of_a_gaussian_channel():
    query = Rows(domain=BOX)
    for deviation in (0.5, 1.0, 10.0):
        made = GaussianRelease.of_deviation(query, deviation=deviation, epsilon=1.0, neighbours=REPLACE_ONE)
        stated = made.information(query)
        assert stated.bits == pytest.approx(0.5 * math.log2(1 + 1 / deviation**2), rel=1e-5)
        assert stated.unit is Unit.ENTRY
    # Lemma 1 of Showkatbakhsh et al.: sigma^2 = 1 / (2^(2 bits) - 1).
    half = GaussianRelease.of_deviation(query, deviation=1.0, epsilon=1.0, neighbours=REPLACE_ONE)
    assert half.information(query).bits == pytest.approx(0.5, rel=1e-5)
    with pytest.raises(InvalidInput, match="entry_bound alone"):
        half.information(Rows(domain=BALL))


def test_concentrated_privacy_is_half_of_mu_squared():
    query = Rows(domain=BALL)
    made = GaussianRelease.of_deviation(query, deviation=4.0, epsilon=1.0, neighbours=REPLACE_ONE)
    assert made.concentrated(query).rho == pytest.approx(0.5 * (2.0 / 4.0) ** 2, rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "query", "words"),
    [
        ({"neighbours": ADD_REMOVE}, Rows(domain=BOX), "one released row per record reveals their number"),
        ({"neighbours": REPLACE_ONE, "slots": 5}, Rows(domain=BOX), "leave slots out"),
        ({"neighbours": ADD_REMOVE, "slots": 5}, Rows(domain=BOX, target="clear"), "targets without noise"),
        ({"neighbours": ADD_REMOVE, "slots": 5, "local": True}, Rows(domain=BOX), "local guarantee"),
        ({"neighbours": REPLACE_ONE, "delta": 0.0}, Rows(domain=BOX), "0 < delta < 1"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments, query, words):
    with pytest.raises(InvalidInput, match=words):
        GaussianRelease.calibrate(query, **{"epsilon": 1.0, "delta": 1e-5, **arguments})


def test_a_public_projection_is_protected_at_its_worst_pair():
    """The likelihood ratio of the worst pair: at most e^epsilon but for delta, and more under half the noise."""
    query = Projection.from_public_seed(BALL, width=2, seed=3)
    made = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-2, neighbours=REPLACE_ONE)
    mu = query.map.spectral_norm * 2.0 / made.deviation
    draws = np.random.default_rng(0).standard_normal(400_000)

    def reached(size):
        return np.maximum(0.0, -np.expm1(1.0 - (size * draws + 0.5 * size**2))).mean()

    assert 0.95e-2 < reached(mu) < 1.05e-2
    assert reached(2 * mu) > 5e-2


def test_a_seed_makes_the_release_worthless_and_says_so():
    query = Rows(domain=BOX)
    made = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    release = made.run(query, invented(BOX, 5), SeededNoise(1))
    assert not release.verify().ok
