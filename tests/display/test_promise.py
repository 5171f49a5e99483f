"""What an attacker can reach: upper bounds, against laws that are known exactly, and no looser than they need to be."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from discreet.accounting import ApproximateDP, ConcentratedDP, GaussianDP, MutualInformation, PureDP, to_concentrated
from discreet.core.neighbours import REPLACE_ONE
from discreet.display.guarantee import _gaussian, _number
from discreet.display.promise import best_guess, conviction, curve, detection, one_in, percent

SCOPE = {"neighbours": REPLACE_ONE, "theorem": "t"}


def pure(epsilon):
    return PureDP(epsilon=epsilon, **SCOPE)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 5.0])
def test_randomised_response_reaches_the_odds_of_pure_privacy(epsilon):
    """It answers truly with probability e^epsilon / (1 + e^epsilon)."""
    truth = 1 / (1 + math.exp(-epsilon))
    assert best_guess(pure(epsilon)) == pytest.approx(truth, rel=1e-12)
    assert conviction(epsilon, 0.5) == pytest.approx(truth, rel=1e-12)
    points = (*curve(pure(epsilon), 2 * epsilon), (epsilon, 0.0))
    assert detection(points, 1 - truth) == pytest.approx(truth, rel=1e-9)
    assert detection(points, 0.0) == pytest.approx(0.0, abs=1e-12)
    assert detection(points, 1.0) == 1.0


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_detection_of_gaussian_privacy_is_that_of_two_normal_laws(mu):
    points = curve(GaussianDP(mu=mu, **SCOPE), 12.0)
    for alarms in (0.001, 0.05, 0.3, 0.9):
        exact = norm.cdf(norm.ppf(alarms) + mu)
        assert exact - 1e-9 <= detection(points, alarms) <= exact + 2e-3
    assert best_guess(GaussianDP(mu=mu, **SCOPE)) == pytest.approx(norm.cdf(mu / 2), rel=1e-9)


def test_a_leak_of_probability_delta_reaches_the_odds_of_approximate_privacy():
    """With probability delta all is told, else randomised response: both odds are met exactly."""
    epsilon, delta = 1.0, 0.05
    guarantee = ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **SCOPE)
    truth = 1 / (1 + math.exp(-epsilon))
    assert best_guess(guarantee) == pytest.approx(delta + (1 - delta) * truth, rel=1e-12)
    points = (*curve(guarantee, 2.0), (epsilon, delta))
    assert detection(points, (1 - delta) * (1 - truth)) == pytest.approx(delta + (1 - delta) * truth, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0, 20.0])
def test_the_gaussian_number_of_pure_privacy_is_sound_and_the_least(epsilon):
    """Its delta is nowhere below that of pure privacy; a thousandth less and it is, near delta(0)."""
    mu = _gaussian(pure(epsilon))
    epsilons = np.linspace(0.0, 1.2 * epsilon, 400)
    assert all(GaussianDP(mu=mu, **SCOPE).delta(e) >= pure(epsilon).delta(e) for e in epsilons)
    smaller = GaussianDP(mu=0.999 * mu, **SCOPE)
    assert any(smaller.delta(e) < pure(epsilon).delta(e) for e in epsilons)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_bits_cover_those_of_randomised_response(epsilon):
    truth = 1 / (1 + math.exp(-epsilon))
    bits = 1 + truth * math.log2(truth) + (1 - truth) * math.log2(1 - truth)
    stated = to_concentrated(pure(epsilon)).rho / math.log(2)
    assert bits <= stated
    assert bits > 0.2 * stated or epsilon > 1


def test_no_other_kind_has_a_gaussian_number():
    assert _gaussian(ApproximateDP(epsilon=1.0, delta_at_epsilon=1e-6, **SCOPE)) is None
    assert _gaussian(ConcentratedDP(rho=1.0, **SCOPE)) is None
    assert _gaussian(GaussianDP(mu=0.3, **SCOPE)) == 0.3


def test_half_a_bit_allows_a_good_guess():
    assert best_guess(MutualInformation(bits=0.5, **SCOPE)) == pytest.approx(0.89, abs=0.001)


@pytest.mark.parametrize(
    ("share", "shown"), [(0.5, "50 %"), (0.7310585, "73.2 %"), (0.731, "73.1 %"), (0.9995, "100 %"), (1.0, "100 %"), (0.0, "0 %"), (0.01, "1 %")]
)
def test_shares_are_rounded_up(share, shown):
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("probability", "shown"),
    [
        (1e-6, "1 in 1,000,000"),
        (9.99998e-7, "1 in 1,000,000"),
        (1.2345e-5, "1 in 81,000"),
        (0.05, "1 in 20"),
        (0.3, "30 %"),
        (0.0, "0"),
        (3e-4, "1 in 3,330"),
    ],
)
def test_small_probabilities_are_one_in_so_many_and_rounded_up(probability, shown):
    assert one_in(probability) == shown


@pytest.mark.parametrize("value", [0.46211715, 1.0, 2.0000001, 123456.7, 1e-12, 0.0])
def test_numbers_are_rounded_up_to_four_digits(value):
    shown = float(_number(value))
    assert value * (1 - 1e-9) <= shown <= value * 1.001 + 1e-300
