"""The exponential mechanism, T times: published values, exact small cases, and calibration from the right side."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from discreet.accounting import (
    bounded_range_delta,
    bounded_range_renyi,
    bounded_range_width,
    gaussian_delta,
    gaussian_mu,
    gaussian_scale,
    gumbel_scale,
)
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE


def two_ends(width, top):
    """Losses and probabilities of the worst pair with losses top and top - width."""
    share = (math.exp(width) - math.exp(top)) / math.expm1(width)
    return [(top, share), (top - width, 1 - share)]


def best_fixed_tops(width, count, epsilon, grid=13):
    """The largest delta over tops fixed in advance, all combinations of a grid: a lower bound of the adaptive one."""
    best = 0.0
    for tops in itertools.combinations_with_replacement(np.linspace(0.0, width, grid), count):
        outcomes = [two_ends(width, top) for top in tops]
        total = 0.0
        for combination in itertools.product(*outcomes):
            total += math.prod(mass for _, mass in combination) * max(0.0, -math.expm1(epsilon - sum(loss for loss, _ in combination)))
        best = max(best, total)
    return best


def two_uses(width, epsilon):
    """The optimum of two adaptive uses, over a very fine grid of tops of the first and in closed form for the second."""
    a, g = math.exp(width), math.exp(epsilon)
    s = np.exp(np.linspace(0.0, width, 100_001))

    def one(at):
        return np.where(at >= a, 0.0, np.where(at <= 1 / a, 1 - at, (math.sqrt(a) - np.sqrt(at)) ** 2 / (a - 1)))

    return float(np.max((a - s) * one(g / s) + (s - 1) * one(g * a / s)) / (a - 1))


@pytest.mark.parametrize(
    ("epsilon", "count", "scale"),
    [(0.1, 100, 393.0), (1.0, 100, 45.0), (4.0, 1000, 40.1), (10.0, 1000, 18.0)],
)
def test_the_renyi_route_has_the_published_noise(epsilon, count, scale):
    """Scales of Gumbel noise, add-remove, delta = 1e-6."""
    assert gumbel_scale(epsilon, 1e-6, sensitivity=1.0, count=count, optimal=False) == pytest.approx(scale, rel=2e-3)


@given(st.floats(1.01, 100.0), st.floats(0.005, 4.0))
def test_the_renyi_curve_is_the_supremum_over_both_ends(order, width):
    tops = np.linspace(0.0, width, 2001)
    share = (math.exp(width) - np.exp(tops)) / math.expm1(width)
    share = np.clip(share, 0.0, 1.0)
    with np.errstate(divide="ignore"):
        logs = np.logaddexp(np.log(share) + (order - 1) * tops, np.log1p(-share) + (order - 1) * (tops - width))
    exact = float(np.max(logs)) / (order - 1)
    claimed = bounded_range_renyi(width, neighbours=ADD_REMOVE, orders=(order,)).divergences[0]
    assert exact - 1e-13 / (order - 1) <= claimed <= exact * (1 + 1e-4) + 1e-12 / (order - 1)


@pytest.mark.parametrize(("width", "first"), [(0.5, 0.3), (1.5, 0.5003), (0.3, 0.97)])
def test_a_first_use_of_a_smaller_range_costs_what_it_adds(width, first):
    """Two uses, the second in closed form and the first over a fine grid of its tops: never below, and near it."""
    a, b = math.exp(first * width), math.exp(width)
    s = np.exp(np.linspace(0.0, first * width, 20_001))

    def one(at):
        return np.where(at >= b, 0.0, np.where(at <= 1 / b, 1 - at, (math.sqrt(b) - np.sqrt(at)) ** 2 / (b - 1)))

    for epsilon in np.linspace(0.0, 0.8, 5) * width * (1.0 + first):
        g = math.exp(epsilon)
        exact = float(np.max((a - s) * one(g / s) + (s - 1) * one(g * a / s)) / (a - 1))
        claimed = bounded_range_delta(width, 2, epsilon, first=first)
        assert exact <= claimed <= 1.1 * exact
        assert claimed <= bounded_range_delta(width, 2, epsilon) * (1.0 + 1e-9)
    assert bounded_range_delta(width, 2, width * (1.0 + first) * (1.0 + 1e-9), first=first) == 0.0
    assert bounded_range_delta(width, 1, 0.1 * width, first=first) == pytest.approx(bounded_range_delta(first * width, 1, 0.1 * width))


def test_a_smaller_first_range_leaves_more_to_the_others():
    for count in (2, 9):
        whole = bounded_range_width(1.0, 1e-6, count=count)
        found = bounded_range_width(1.0, 1e-6, count=count, first=0.25)
        assert whole * 1.02 < found < whole * count / (count - 0.75)
        assert bounded_range_delta(found, count, 1.0, first=0.25) <= 1e-6 < bounded_range_delta(found, count, 1.0)
    with pytest.raises(InvalidInput, match="share of the others"):
        bounded_range_width(1.0, 1e-6, count=2, first=0.0)


@pytest.mark.parametrize(("width", "count"), [(0.5, 1), (0.5, 2), (1.5, 2), (0.3, 3)])
def test_the_recursion_is_the_optimum_from_above(width, count):
    for epsilon in np.linspace(0.0, 0.8, 5) * width * count:
        lower = best_fixed_tops(width, count, epsilon)
        claimed = bounded_range_delta(width, count, epsilon)
        assert lower * (1 - 1e-12) <= claimed
        if count == 1:
            assert claimed <= 1.01 * lower + 1e-3
        if count == 2:
            assert two_uses(width, epsilon) * (1 - 1e-12) <= claimed <= 1.03 * two_uses(width, epsilon)


def test_the_recursion_is_above_all_equal_tops_and_below_the_renyi_curve():
    width, count, epsilon = 0.05, 100, 1.0
    share = (math.exp(width) - math.exp(width / 2)) / math.expm1(width)
    hits = np.arange(count + 1)
    losses = hits * width - count * width / 2
    equal = float(np.sum(binom.pmf(hits, count, share) * np.maximum(0.0, -np.expm1(epsilon - losses))))
    claimed = bounded_range_delta(width, count, epsilon)
    assert equal * (1 - 1e-12) <= claimed <= bounded_range_renyi(width, count, neighbours=ADD_REMOVE).delta(epsilon)


@pytest.mark.parametrize(("epsilon", "count"), [(1.0, 1), (1.0, 10), (0.1, 100), (4.0, 50)])
def test_the_width_is_on_the_right_side_and_a_little_more_is_not(epsilon, count):
    width = bounded_range_width(epsilon, 1e-6, count=count)
    assert bounded_range_delta(width, count, epsilon) <= 1e-6
    assert bounded_range_delta(width * (1 + 3e-4), count, epsilon) > 1e-6
    by_orders = bounded_range_width(epsilon, 1e-6, count=count, optimal=False)
    assert by_orders <= width * (1 + 1e-12)
    assert count * by_orders <= epsilon or bounded_range_renyi(by_orders, count, neighbours=ADD_REMOVE).delta(epsilon) <= 1e-6
    assert width >= epsilon / count * (1 - 1e-9)


def test_many_choices_tend_to_one_gaussian():
    """The loss of each has standard deviation at most half its range."""
    width = bounded_range_width(1.0, 1e-6, count=200)
    assert width * math.sqrt(200) / 2 == pytest.approx(gaussian_mu(1.0, 1e-6), rel=0.01)


@pytest.mark.parametrize("bad", [(0.0, 1e-6), (1.0, 0.0), (math.nan, 1e-6)])
def test_impossible_targets_are_refused(bad):
    with pytest.raises(InvalidInput):
        bounded_range_width(*bad, count=3)
    with pytest.raises(InvalidInput):
        gumbel_scale(*bad, sensitivity=1.0)


@settings(max_examples=50)
@given(st.floats(0.05, 8.0), st.floats(-25.0, -3.0), st.integers(1, 10_000), st.floats(0.01, 100.0))
def test_many_gaussian_answers_get_the_least_noise_from_the_right_side(epsilon, log_delta, count, sensitivity):
    delta = math.exp(log_delta)
    scale = gaussian_scale(epsilon, delta, sensitivity=sensitivity, count=count)
    assert gaussian_delta(epsilon, sensitivity * math.sqrt(count) / scale) <= delta
    assert gaussian_delta(epsilon, sensitivity * math.sqrt(count) / (scale * (1 - 1e-7))) > delta


# Planted faults.


def test_a_forgotten_count_is_caught():
    """An accountant that ignores it reports 0.1058 for a hundred uses of range 0.1; the truth is about 2.4."""
    assert bounded_range_delta(0.1, 100, 2.419) <= 1.1e-6 < bounded_range_delta(0.1, 100, 2.0)
    assert bounded_range_delta(0.1, 1, 0.11) == 0.0


def test_the_classical_scale_is_not_the_least():
    assert gaussian_scale(1.0, 1e-6, sensitivity=1.0) == pytest.approx(4.2247, abs=1e-3)
    assert gaussian_scale(1.0, 1e-6, sensitivity=1.0) < 0.8 * math.sqrt(2 * math.log(1.25e6))
