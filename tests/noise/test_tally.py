"""Choosing one of many by counting: the same law as one by one, exactly."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.noise import SeededNoise, choice
from discreet.noise.choice import select_one, weights


class Evenly:
    """Words that step evenly through all words below 2^64, so that frequencies are integrals up to 1 / count."""

    def __init__(self, count):
        self.spacing = 2**64 // count
        self.next = self.spacing // 2

    def __call__(self, count):
        drawn = [(self.next + i * self.spacing) % 2**64 for i in range(count)]
        self.next += count * self.spacing
        return np.array(drawn, dtype=np.uint64)


@pytest.fixture
def _always(monkeypatch):
    monkeypatch.setattr(choice, "MANY", 1)


def stretched(words, total):
    """Words whose remainders modulo `total` are spread evenly: the sampler looks at remainders only."""
    return lambda count: (words(count) // np.uint64(2**64 // total)).astype(np.uint64)


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("rate", [Fraction(1, 3), 0.01, 0.2])
def test_frequencies_over_evenly_spread_words_are_the_probabilities(rate):
    scores = np.array([7, 0, 0, 5, 5, 5, 30, 100, 5000])
    gaps = (scores - scores.min()).astype(np.uint64)
    reach = -(-choice.FAR * Fraction(rate).denominator // Fraction(rate).numerator)
    upper, _ = weights(np.minimum(gaps, np.uint64(reach)), Fraction(rate))
    count = 20_000
    words = stretched(Evenly(count), int(upper.sum()))
    found = np.bincount([select_one(words, scores, rate=rate) for _ in range(count)], minlength=len(scores)) / count
    expected = np.exp(-float(rate) * gaps.astype(float))
    expected /= expected.sum()
    assert np.allclose(found, expected, atol=len(scores) / count)
    wrong = np.exp(-1.1 * float(rate) * gaps.astype(float))
    wrong /= wrong.sum()
    assert not np.allclose(found, wrong, atol=len(scores) / count), "the test cannot tell this rate from another"


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize(
    ("drawn", "index"),
    [
        ([5], 0),
        ([2**31, 1], 1),
        ([2**31, 2**63, 5], 0),
        ([2**31 + 1, 1], 2),
        ([2**31 + 1, 10**6, 5], 0),  # a million in 2^64 is below 2^31 exp(-40), and not below 2^31 exp(-60)
        ([2**31, 10**6], 1),
    ],
)
def test_far_scores_are_compared_with_their_own_gap(drawn, index):
    """Two far members have weight 1 of 2^31 + 2 each, and are kept with probability 2^31 exp(-gap)."""
    queue = list(drawn)
    found = select_one(lambda count: np.array([queue.pop(0) for _ in range(count)], dtype=np.uint64), np.array([0, 40, 60]), rate=1)
    assert found == index
    assert not queue


def test_few_scores_and_tiny_rates_are_left_to_the_other_sampler(monkeypatch):
    called = []
    monkeypatch.setattr(choice, "select", lambda words, scores, *, rate, count: called.append(count) or np.zeros(1, dtype=np.int64))
    select_one(SeededNoise(0).words(), np.arange(10), rate=0.1)
    select_one(SeededNoise(0).words(), np.arange(choice.MANY), rate=1e-9)
    select_one(SeededNoise(0).words(), np.arange(choice.MANY), rate=0.1)
    assert called == [1, 1]


def test_a_noise_source_chooses():
    scores = np.full(50_000, 1000)
    scores[123] = 0
    assert {SeededNoise(seed).choice(scores, rate=0.1) for seed in range(20)} == {123}
