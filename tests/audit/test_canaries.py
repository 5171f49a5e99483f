"""One run, many canaries (Steinke, Nasr, Jagielski 2023, theorem 5.2)."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from discreet.audit import Claim, epsilon_from_guesses, one_run_audit, p_value
from discreet.core.errors import InvalidInput
from discreet.noise import SystemNoise


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.2])
@pytest.mark.parametrize("canaries", [1, 5, 200])
def test_the_tail_bound_covers_independent_bits_that_are_told_with_probability_delta(epsilon, delta, canaries):
    """Each bit in clear with probability delta, otherwise through randomised response: private as claimed, and among the worst."""
    claim = Claim(epsilon=epsilon, delta=delta)
    accuracy = delta + (1 - delta) / (1 + math.exp(-epsilon))
    for right in range(canaries + 1):
        tail = binom.sf(right - 1, canaries, accuracy)
        assert tail <= p_value(canaries=canaries, guesses=canaries, right=right, claim=claim) + 1e-12


@pytest.mark.parametrize("delta", [0.01, 0.1])
def test_the_tail_bound_covers_all_bits_told_at_once(delta):
    """The correlated worst case: everything in clear with a probability of delta, otherwise pure; without the term in delta it would be broken."""
    epsilon, canaries = 0.5, 30
    accuracy = 1 / (1 + math.exp(-epsilon))
    for right in range(canaries + 1):
        tail = delta + (1 - delta) * binom.sf(right - 1, canaries, accuracy)
        assert tail <= p_value(canaries=canaries, guesses=canaries, right=right, claim=Claim(epsilon=epsilon, delta=delta)) + 1e-12
    pure = p_value(canaries=canaries, guesses=canaries, right=canaries, claim=Claim(epsilon=epsilon))
    assert delta + (1 - delta) * binom.sf(canaries - 1, canaries, accuracy) > pure


def test_without_delta_the_bound_is_a_binomial_test_and_its_inverse():
    assert p_value(canaries=100, guesses=50, right=40, claim=Claim(epsilon=1.0)) == pytest.approx(binom.sf(39, 50, 1 / (1 + math.exp(-1))))
    found = epsilon_from_guesses(canaries=100, guesses=50, right=50, delta=0.0, confidence=0.99)
    assert found == pytest.approx(-math.log(0.01 ** (-1 / 50) - 1), rel=1e-6), "(e^eps / (1 + e^eps))^50 = 0.01"
    assert epsilon_from_guesses(canaries=100, guesses=50, right=25, delta=0.0, confidence=0.99) == 0.0


def test_more_delta_or_fewer_right_guesses_refute_less():
    bounds = [epsilon_from_guesses(canaries=500, guesses=100, right=95, delta=delta, confidence=0.99) for delta in (0.0, 1e-6, 1e-4, 1e-2)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[-1]
    counts = [epsilon_from_guesses(canaries=500, guesses=100, right=right, delta=1e-5, confidence=0.99) for right in (60, 80, 100)]
    assert counts == sorted(counts)


def guesser(rate):
    noise = SystemNoise()
    return lambda coins: coins + noise.spherical(rate=rate, dimension=1, draws=len(coins))[0]


def test_a_single_run_passes_a_right_mechanism_and_catches_half_the_noise():
    right, wrong = (one_run_audit(guesser(rate), Claim(epsilon=1.0), canaries=4000, guesses=1200, confidence=1 - 1e-8) for rate in (1.0, 2.0))
    assert not right.violated
    assert wrong.violated
    assert 1.0 < wrong.bound < 2.0
    assert "4000 canaries" in str(wrong)
    with pytest.raises(InvalidInput, match="no output distributions"):
        wrong.plot()


def test_scores_are_guessed_at_both_ends_only():
    """Canaries that are certain at the ends, and noise in the middle: all guesses are right."""

    def guess(coins):
        return np.where(np.arange(len(coins)) < 40, np.where(coins, 1.0, -1.0), 0.0)

    found = one_run_audit(guess, Claim(epsilon=1.0), canaries=1000, guesses=2, confidence=0.6)
    assert found.events[0].hits == 2


def test_numbers_out_of_range_are_refused():
    for canaries, guesses, confidence in ((0, 2, 0.9), (10, 3, 0.9), (10, 12, 0.9), (10, 2, 1.0)):
        with pytest.raises(InvalidInput, match="even number of guesses"):
            one_run_audit(guesser(1.0), Claim(epsilon=1.0), canaries=canaries, guesses=guesses, confidence=confidence)
    with pytest.raises(InvalidInput, match="one finite score"):
        one_run_audit(lambda coins: np.zeros(3), Claim(epsilon=1.0), canaries=10, guesses=2)
    with pytest.raises(InvalidInput, match="right <= guesses"):
        p_value(canaries=10, guesses=5, right=6, claim=Claim(epsilon=1.0))
