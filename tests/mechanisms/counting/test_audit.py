"""The exact laws of released integers on all small neighbouring tables: the right scale keeps its claim and reaches it, a wrong one is caught."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.counting import BoundedSum, GaussianCounting, Histogram, LaplaceCounting, Queries
from discreet.noise import SeededNoise

QUERIES = Queries([Histogram(cells=2), BoundedSum(largest=3)])
"""A record is a pair (cell, contribution)."""
RECORDS = list(product(range(2), (0, 1, 3)))


def law(mechanism, scale):
    """Probabilities of the integers from -reach to reach, of which nearly all the mass is."""
    reach = int((6 if isinstance(mechanism, GaussianCounting) else 12) * scale) + 6
    k = np.arange(-reach, reach + 1, dtype=float)
    weights = np.exp(-0.5 * (k / scale) ** 2) if isinstance(mechanism, GaussianCounting) else np.exp(-np.abs(k) / scale)
    return weights / weights.sum()


def answers(table):
    """Exact answers (3,), by hand."""
    cells, contributions = ([record[i] for record in table] for i in (0, 1))
    return np.array([cells.count(0), cells.count(1), sum(contributions)])


def pairs(neighbours):
    """Differences of the answers of all neighbouring tables of up to two records."""
    found = set()
    for first, second in product(RECORDS, repeat=2):
        near = [first] if neighbours is ADD_REMOVE else [second]
        far = [first, second] if neighbours is ADD_REMOVE else [first]
        move = answers(near) - answers(far)
        found |= {tuple(move.tolist()), tuple((-move).tolist())}
    return found - {(0, 0, 0)}


def shifted(masses, move):
    """The law of K + move on the same integers; what leaves them is lost, which only hides differences beyond the reach."""
    out = np.zeros_like(masses)
    out[max(0, move) : len(masses) + min(0, move)] = masses[max(0, -move) : len(masses) - max(0, move)]
    return out


def laws(mechanism, move):
    """Joint laws (two vectors) of the released integers under two neighbours."""
    scales = [mechanism.scales[0]] * 2 + [mechanism.scales[1]]
    here, there = np.ones(1), np.ones(1)
    for scale, step in zip(scales, move, strict=True):
        masses = law(mechanism, scale)
        here, there = np.outer(here, masses).ravel(), np.outer(there, shifted(masses, step)).ravel()
    return here, there


def worst_delta(mechanism, neighbours, epsilon):
    """The largest hockey-stick divergence."""
    divergences = []
    for move in pairs(neighbours):
        here, there = laws(mechanism, move)
        divergences.append(float(np.maximum(0.0, here - math.exp(epsilon) * there)[there > 0].sum()))
    return max(divergences)


def worst_ratio(mechanism, neighbours):
    """The largest log ratio of probabilities, where both laws have any."""
    return max(float(np.log(here / there).max()) for here, there in (_positive(*laws(mechanism, move)) for move in pairs(neighbours)))


def middle(masses):
    """Those of -5 .. 5."""
    centre = len(masses) // 2
    return masses[centre - 5 : centre + 6]


def _positive(here, there):
    both = (here > 0) & (there > 0)
    return here[both], there[both]


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.5, 1e-2), (3.0, 1e-3)])
def test_gaussian_noise_keeps_its_claim_reaches_it_and_less_is_caught(neighbours, epsilon, delta):
    mechanism = GaussianCounting.calibrate(QUERIES, epsilon=epsilon, delta=delta, neighbours=neighbours, shares=[0.6, 0.4])
    claimed = mechanism.guarantee(QUERIES).delta_at_epsilon
    reached = worst_delta(mechanism, neighbours, epsilon)
    assert 0.999 * claimed < reached <= claimed
    half = replace(mechanism, scales=tuple(0.5 * scale for scale in mechanism.scales))
    assert worst_delta(half, neighbours, epsilon) > 2 * delta
    for place in (0, 1):
        one = tuple(0.7 * scale if place == i else scale for i, scale in enumerate(mechanism.scales))
        assert worst_delta(replace(mechanism, scales=one), neighbours, epsilon) > 1.2 * delta


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_laplace_noise_keeps_its_claim_reaches_it_and_less_is_caught(neighbours):
    mechanism = LaplaceCounting.calibrate(QUERIES, epsilon=2.0, neighbours=neighbours, shares=[0.6, 0.4])
    claimed = mechanism.guarantee(QUERIES).epsilon
    assert claimed == pytest.approx(2.0, rel=1e-11)
    reached = worst_ratio(mechanism, neighbours)
    assert reached == pytest.approx(claimed, rel=1e-9)
    for place in (0, 1):
        one = tuple(0.7 * scale if place == i else scale for i, scale in enumerate(mechanism.scales))
        assert worst_ratio(replace(mechanism, scales=one), neighbours) > 1.1 * claimed


def overspent(kind, queries, neighbours):
    """How many times what one record may cost QUERIES costs with noise for other queries, and for records that come or go."""
    if kind is LaplaceCounting:
        return worst_ratio(kind.calibrate(queries, epsilon=1.0, neighbours=ADD_REMOVE), neighbours)
    return worst_delta(kind.calibrate(queries, epsilon=1.0, delta=1e-2, neighbours=ADD_REMOVE), neighbours, 1.0) / 1e-2


@pytest.mark.parametrize("kind", [GaussianCounting, LaplaceCounting])
def test_a_histogram_that_forgets_the_second_cell_of_a_replaced_record_is_caught(kind):
    assert overspent(kind, QUERIES, REPLACE_ONE) > 1.4


@pytest.mark.parametrize("kind", [GaussianCounting, LaplaceCounting])
def test_a_sum_calibrated_for_contributions_of_one_is_caught(kind):
    assert overspent(kind, Queries([QUERIES.each[0], BoundedSum(largest=1)]), ADD_REMOVE) > 1.9


@pytest.mark.parametrize("kind", [GaussianCounting, LaplaceCounting])
def test_what_is_released_has_the_law_that_was_audited(kind):
    """Counts of 40,000 noise integers against their probabilities: chi-square over 11 cells, 10 standard deviations."""
    mechanism = kind(scales=(1.7,), neighbours=ADD_REMOVE, **({"epsilon": 1.0} if kind is GaussianCounting else {}))
    query, cells, count = Queries([Histogram(cells=4)]), np.repeat(np.arange(4), 3), 10_000
    noise = SeededNoise(3)
    drawn = np.concatenate([mechanism.run(query, query.answered([cells]), noise).value - 3 for _ in range(count // 20)])
    drawn = np.concatenate([drawn, *(mechanism.law_of(1.7).draw(noise, 1000, 1)[:, 0] for _ in range(38))]).astype(int)
    expected = middle(law(mechanism, 1.7)) * len(drawn)
    observed = np.array([np.sum(drawn == k) for k in range(-5, 6)])
    statistic = float(np.sum((observed - expected) ** 2 / expected))
    assert statistic < 11 + 10 * math.sqrt(22)
    wrong = middle(law(mechanism, 1.7 * 1.05)) * len(drawn)
    assert float(np.sum((observed - wrong) ** 2 / wrong)) > statistic
