"""Uniform integers, orders, and numbers of runs: their laws, the words at which they decide, and planted faults."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from discreet.core.errors import InvalidInput
from discreet.noise.source import system_words
from discreet.noise.stopping import number_of_runs
from discreet.noise.words import shuffled, uniform_below

LEVEL = 1e-9
TOP = (1 << 64) - 1


def scripted(*words):
    """A stream that gives these words, and then the largest one."""
    queue = iter(words)

    def stream(count):
        return np.array([next(queue, TOP) for _ in range(count)], dtype=np.uint64)

    return stream


def check_counts(drawn, probabilities):
    """Chi-squared, with what is rare put together."""
    expected = len(drawn) * np.asarray(probabilities)
    kept = np.flatnonzero(expected >= 20)
    seen = np.bincount(drawn, minlength=len(expected))[: len(expected)]
    observed = np.append(seen[kept], len(drawn) - seen[kept].sum())
    wanted = np.append(expected[kept], len(drawn) - expected[kept].sum())
    if wanted[-1] < 5:
        observed, wanted = observed[:-1], wanted[:-1]
        wanted = wanted * observed.sum() / wanted.sum()
    assert stats.chisquare(observed, wanted).pvalue > LEVEL


@pytest.mark.parametrize("bound", [2, 3, 7, 1000])
def test_integers_below_a_bound_are_uniform(bound):
    check_counts(uniform_below(system_words(), bound, count=50_000), np.full(bound, 1.0 / bound))


def test_a_word_beyond_the_last_multiple_is_drawn_again():
    last = (1 << 64) // 3 * 3 - 1
    assert uniform_below(scripted(last), 3, count=1).tolist() == [2]
    assert uniform_below(scripted(last + 1, 4), 3, count=1).tolist() == [1]
    assert uniform_below(scripted(0, last + 1, 5, 7), 3, count=3).tolist() == [0, 1, 2]
    for bound in (0, -1, 1 << 63):
        with pytest.raises(InvalidInput, match="bound"):
            uniform_below(system_words(), bound, count=1)


def test_orders_are_uniform_and_equal_words_are_drawn_again():
    orders = {order: index for index, order in enumerate(itertools.permutations(range(3)))}
    words = system_words()
    check_counts(np.array([orders[tuple(shuffled(words, 3).tolist())] for _ in range(20_000)]), np.full(6, 1 / 6))
    assert shuffled(scripted(5, 5, 9, 3, 8, 1), 3).tolist() == [2, 0, 1]
    assert shuffled(system_words(), 0).tolist() == []


def runs_law(eta, gamma, far=4000):
    k = np.arange(1.0, far)
    weights = np.cumprod(np.concatenate(([1.0], (k[:-1] + eta) / (k[:-1] + 1.0))))
    p = (1.0 - gamma) ** k * weights
    return np.concatenate(([0.0], p / p.sum()))


def drawn_runs(eta, gamma, count=6_000):
    words = system_words()
    return np.array([number_of_runs(words, eta=eta, gamma=gamma) for _ in range(count)])


@pytest.mark.at_most(1)
@pytest.mark.parametrize(
    ("eta", "gamma"),
    [(1.0, 0.125), (0.0, 0.25), (-0.5, 0.25), *(pytest.param(eta, gamma, marks=pytest.mark.more) for eta, gamma in ((0.0, 0.0625), (0.5, 0.125)))],
)
def test_numbers_of_runs_have_their_law_and_another_law_is_caught(eta, gamma):
    drawn = drawn_runs(eta, gamma)
    check_counts(drawn, runs_law(eta, gamma))
    for other in (runs_law(eta, 1.3 * gamma), runs_law(eta - 0.4, gamma)):
        with pytest.raises(AssertionError):
            check_counts(drawn, other)


def test_a_run_stops_at_exactly_the_words_below_gamma():
    gamma = Fraction(3, 1 << 64)
    assert number_of_runs(scripted(3, 3, 2), eta=1, gamma=gamma) == 3
    assert number_of_runs(scripted(2), eta=1, gamma=gamma) == 1


def test_a_logarithmic_proposal_is_kept_with_probability_one_over_its_number():
    gamma = Fraction(1, 2)
    block = [TOP, 0] + [TOP] * 4094
    assert number_of_runs(scripted(*block, 2), eta=0, gamma=gamma) == 2
    assert number_of_runs(scripted(*block, 1, *([0] + [TOP] * 4095), 0), eta=0, gamma=gamma) == 1


@pytest.mark.parametrize(("eta", "gamma"), [(1.5, 0.5), (-1.0, 0.5), (1.0, 0.0), (1.0, 1.0), (1.0, Fraction(1, 3)), (1.0, math.ldexp(1.0, -70))])
def test_what_cannot_be_drawn_exactly_is_refused(eta, gamma):
    with pytest.raises(InvalidInput, match="multiple of"):
        number_of_runs(system_words(), eta=eta, gamma=gamma)
