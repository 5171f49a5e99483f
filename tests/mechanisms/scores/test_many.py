"""Three classes or more by a score: whose place is whose, what many records say, and what counts that say little are worth."""

import numpy as np
import pytest
from scipy.special import log_softmax

from discreet.mechanisms.counting import ScoredClasses
from discreet.mechanisms.scores import places_of_told, shrunk_classes, standard_share
from discreet.mechanisms.scores.many import TOLD_EDGES, shares_of

BINS = len(TOLD_EDGES) + 1


def test_the_place_of_a_record_is_its_own_to_the_last_bit():
    rng = np.random.default_rng(0)
    values, codes = rng.normal(0.0, 2.0, (301, 7)), rng.integers(0, 7, 301)
    values[:50] = np.round(values[:50])  # ties
    values[50, 1] = -np.inf
    together = places_of_told(values, codes)
    for laid in (np.asfortranarray(values), np.repeat(values, 2, axis=1)[:, ::2]):
        assert places_of_told(laid, codes).tolist() == together.tolist()
    assert together.tolist() == [int(places_of_told(values[i : i + 1], codes[i : i + 1])[0]) for i in range(301)]
    logs = log_softmax(values, axis=1)
    told, largest = logs.argmax(axis=1), np.exp(logs.max(axis=1))
    bins = np.searchsorted(TOLD_EDGES, np.log(largest / (1.0 - largest)))
    assert np.mean(together == (2 * codes + (codes == told)) * BINS + bins) > 0.99


def counted(values, shares, believed, seed=0):
    """Records whose probabilities are told to be those of `values`, and are these to the power `believed`, times shares to the rest of it."""
    rng = np.random.default_rng(seed)
    chances = np.exp(log_softmax(believed * log_softmax(values, axis=1) + (1.0 - believed) * np.log(shares), axis=1))
    codes = (rng.random((len(values), 1)) > np.cumsum(chances, axis=1)).sum(axis=1).clip(0, len(shares) - 1)
    return ScoredClasses(bins=BINS, classes=len(shares)).answer(places_of_told(values, codes)).astype(float)


@pytest.mark.parametrize("classes", [3, 10])
@pytest.mark.parametrize("believed", [0.0, 0.5, 1.0])
def test_many_records_say_how_far_probabilities_are_to_be_believed(believed, classes):
    shares = np.full(classes, 1.0 / classes)
    values = np.random.default_rng(1).normal(0.0, 2.0, (200_000, classes))
    slope, shift = shrunk_classes(counted(values, shares, believed), deviation=3.0, telling=np.log)
    assert slope == pytest.approx(believed, abs=0.15)
    np.testing.assert_allclose(shift, (1.0 - slope) * np.log(shares), atol=0.05)


@pytest.mark.parametrize("deviation", [1e-3, 1.0, 30.0, 3e4, 3e9])
def test_whatever_is_counted_slopes_are_within_bounds_and_shares_are_positive(deviation):
    rng = np.random.default_rng(0)
    for classes in (3, 40):
        for middle in (0.0, 1.0, 1e5):
            counts = rng.normal(middle, deviation, classes + 2 * BINS)
            slope, shift = shrunk_classes(counts, deviation=deviation, telling=np.log)
            assert 0.0 <= slope <= 1.0
            assert np.all(np.isfinite(shift))
            shares = shares_of(counts[:classes], deviation)
            assert np.all(shares > 0)
            assert shares.sum() == pytest.approx(1.0)


def test_counts_that_say_nothing_are_answered_with_equal_shares():
    slope, shift = shrunk_classes(np.full(4 + 2 * BINS, 100.0), deviation=1e6, telling=np.log)
    assert slope < 0.1
    np.testing.assert_allclose(np.exp(np.array(shift) / (1.0 - slope)), 0.25, rtol=1e-6)


def test_shares_are_those_of_exact_counts_and_rare_classes_stay_rare_in_noise():
    rng, alike = np.random.default_rng(0), np.full(20, 100.0)
    for counts in (np.array([1700.0, 200.0, 60.0, 20.0, 20.0]), alike):
        exact = counts / counts.sum()
        np.testing.assert_allclose(shares_of(counts, 0.1), exact, atol=1e-3)
        noisy = [counts + rng.normal(0.0, 200.0, len(counts)) for _ in range(100)]
        read, cut = (-np.mean([exact @ np.log(one / one.sum()) for one in given]) for given in zip(*map(both_ways, noisy), strict=True))
        assert read < cut - 0.02


def both_ways(counts):
    return shares_of(counts, 200.0), np.maximum(counts, 100.0)


def test_more_classes_may_have_a_larger_share_where_the_budget_is_small_alone():
    assert standard_share(0.1, 1e-7, classes=3) == pytest.approx(2.0 * standard_share(0.1, 1e-7))
    assert standard_share(1.0, 1e-7, classes=3) == standard_share(1.0, 1e-7)
