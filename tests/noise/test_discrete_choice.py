"""The exponential mechanism on integers has exactly its law, of few scores and of very many."""

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from discreet.core.errors import InvalidInput, InvalidType
from discreet.noise import SeededNoise, choice
from discreet.noise.choice import select, select_one, weights
from discreet.noise.source import system_words
from tests.noise.discrete_laws import DRAWS, LEVEL, Script, exp_of

SCORES = [
    (np.array([0, 1, 2, 5, -3, 100]), 0.5),
    (np.array([7] * 9, dtype=np.int16), 3.0),
    (np.array([-(2**63), 2**63 - 1, 0]), 2.0**-63),
    (np.array([0, 2**64 - 1, 2**63], dtype=np.uint64), 2.0**-64),
    (np.arange(2000) * 1000, 1e-6),
    (np.array([0, 10**6, 10**6]), 1.0),
]


@pytest.mark.parametrize("case", range(len(SCORES)))
def test_selection_has_the_law_of_the_exponential_mechanism(case):
    scores, rate = SCORES[case]
    p = np.exp(-rate * np.array([float(int(score) - int(scores.min())) for score in scores]))
    assert stat_of(select(system_words(), scores, rate=rate, count=DRAWS), p / p.sum()) > LEVEL


def test_selection_at_another_rate_is_caught():
    scores = np.array([0, 1, 2, 5, -3])
    p = np.exp(-0.5 * scores)
    assert stat_of(select(system_words(), scores, rate=0.51, count=DRAWS), p / p.sum()) < LEVEL
    assert stat_of(select(system_words(), -scores, rate=0.5, count=DRAWS), p / p.sum()) < LEVEL


def stat_of(indices, p):
    counts = np.bincount(indices, minlength=len(p))
    keep = p * len(indices) > 200
    assert counts[~keep].sum() <= stats.poisson.isf(LEVEL, (p[~keep]).sum() * len(indices) + 1e-12)
    return stats.chisquare(counts[keep], p[keep] / p[keep].sum() * counts[keep].sum()).pvalue if keep.sum() > 1 else 1.0


@pytest.mark.parametrize("rate", [Fraction(1, 3), 1e-3, 2.0**-40, 2.0**-64, 5.0, 1e300])
def test_weights_enclose_the_exponentials(rate):
    shuffle = random.Random(3)  # noqa: S311 (cases of a test)
    gaps = [0, 1, 255, 256, 65535, 2**63, 2**64 - 1] + [shuffle.randrange(1 << shuffle.randrange(1, 64)) for _ in range(300)]
    upper, lower = weights(np.array(gaps, dtype=np.uint64), Fraction(rate))
    for gap, above, under in zip(gaps, upper.tolist(), lower.tolist(), strict=True):
        exact = 2**31 * exp_of(Fraction(rate) * gap)
        assert under <= exact <= above
        assert above >= 1
        assert above - exact <= 32


def test_selection_settles_doubtful_levels_exactly():
    scores, rate = np.array([0, 3]), Fraction(1, 7)
    upper, lower = weights(np.array([0, 3], dtype=np.uint64), rate)
    exact = 2**31 * exp_of(3 * rate, 110)
    level, fraction = int(exact), exact - int(exact)
    word = int(upper[0]) + level
    assert lower[1] <= level < upper[1], "the level of the curve is the doubtful one"
    first, second = int(fraction * 2**64), int(fraction * 2**128) % 2**64
    for kept, words in [(True, (first - 4,)), (False, (first + 4,)), (True, (first, second - 4)), (False, (first, second + 4))]:
        script = Script(word, *words, *(() if kept else (0,)))
        assert select(script, scores, rate=rate, count=1)[0] == (1 if kept else 0)
        assert not script.words
    # Words beyond the largest multiple of the total are not used.
    total = int(upper.sum())
    assert select(Script(2**64 // total * total, int(upper[0])), scores, rate=rate, count=1)[0] == 1


def test_selection_refuses_what_it_cannot_do_exactly():
    with pytest.raises(InvalidType, match="public grid"):
        select(system_words(), np.array([0.5, 1.0]), rate=1, count=1)
    with pytest.raises(InvalidInput, match="shape"):
        select(system_words(), np.zeros((2, 2), dtype=int), rate=1, count=1)
    with pytest.raises(InvalidInput, match="shape"):
        select(system_words(), np.zeros(0, dtype=int), rate=1, count=1)
    with pytest.raises(InvalidInput, match="positive"):
        select(system_words(), np.zeros(2, dtype=int), rate=0, count=1)
    assert select(system_words(), np.array([5]), rate=1, count=3).tolist() == [0, 0, 0]


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
@pytest.mark.parametrize("rate", [Fraction(1, 3), 0.01, pytest.param(0.2, marks=pytest.mark.more)])
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
