"""Curves across epsilon = 0: never below a law, and where little is known, what randomised response has."""

import math

import numpy as np
import pytest

from discreet.accounting import both_ways


def test_a_bound_across_zero_is_never_below_a_law_and_randomised_response_reaches_it():
    for epsilon in (1e-3, 0.7, 5.0):
        found = both_ways(np.array([0.0, epsilon]), np.array([1.0, 0.0]))
        assert found == pytest.approx([math.tanh(0.5 * epsilon), 0.0], rel=1e-12)
    draw, lowered = np.random.default_rng(22), 0
    for _ in range(300):
        p, q = (draw.dirichlet(np.full(4, 0.6)) + 1e-12 for _ in range(2))
        p, q = p / p.sum(), q / q.sum()
        epsilons = np.append(0.0, np.sort(draw.uniform(0.0, 4.0, 12)))
        law = np.array([max(float(np.maximum(one - math.exp(at) * two, 0.0).sum()) for one, two in ((p, q), (q, p))) for at in epsilons])
        loose = np.minimum(1.0, law * (1.0 + draw.uniform(0.0, 1.0, 13) * np.exp(-3.0 * epsilons)))
        loose = np.maximum.accumulate(loose[::-1])[::-1]
        found = both_ways(epsilons, loose)
        assert np.all(law <= found * (1.0 + 1e-12))
        assert np.all(found <= loose)
        assert both_ways(epsilons, law) == pytest.approx(law, rel=1e-12), "a law is as it was"
        lowered += bool(np.any(found < 0.99 * loose))
    assert lowered > 100


def test_where_exponentials_overflow_nothing_is_lowered():
    """The only point of a bound below 1 beyond 700 says 1 - e^-1 one before it, and no more is taken than is surely right."""
    assert np.all(both_ways(np.array([0.0, 701.0, 702.0]), np.array([1.0, 1.0, 0.0])) >= [1.0, -math.expm1(-1.0), 0.0])
    found = both_ways(np.array([0.0, 0.1, 699.0, 700.0, 1000.0]), np.array([1.0, 1.0, 1.0, 0.0, 0.0]))
    assert np.all(found >= [1.0 - 1e-15, 1.0 - 1e-15, -math.expm1(-1.0), 0.0, 0.0]), "and rounding is upwards at the last one that it is for"
