"""The joint sensitivity of weighted moments, and the curve of all answers together."""

import math

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.regression.curve import composed_delta, moment_reach, step_reach, total_mu
from discreet.verification.regression import farthest

WEIGHTS = [(0.85, 0.3), (0.85, 0.99), (0.2, 0.1), (1.4, 1.9), (1.41, 0.5), (0.3, 2.5)]


def weighted(x, y, a, g):
    return np.concatenate((np.outer(x, x).ravel(), a * x * y, [g * y * y]))


@pytest.mark.parametrize(("a", "g"), WEIGHTS)
def test_no_pair_of_records_is_farther_apart_than_the_formula_and_some_pair_is_as_far(a, g):
    draw = np.random.default_rng(0)
    limit = {kind: moment_reach(kind, target_weight=a, square_weight=g) for kind in (ADD_REMOVE, REPLACE_ONE)}
    for _ in range(3000):
        first, second = (
            weighted(x / max(1.0, np.linalg.norm(x)), y, a, g) for x, y in zip(draw.normal(size=(2, 2)), draw.uniform(-1, 1, 2), strict=True)
        )
        assert np.linalg.norm(first) <= limit[ADD_REMOVE]
        assert np.linalg.norm(first - second) <= limit[REPLACE_ONE]
    cosine = a * a / 2
    x, z = np.array([1.0, 0.0]), np.array([cosine, math.sqrt(1 - cosine**2)])
    opposite = np.linalg.norm(weighted(x, 1.0, a, g) - weighted(z, -1.0, a, g))
    one_target = np.linalg.norm(weighted(x, 1.0, a, g) - weighted(z[::-1] * [0, 1] / max(z[0], 1e-300), 0.0, a, g))
    assert max(opposite, one_target) == pytest.approx(limit[REPLACE_ONE], rel=1e-9)
    assert np.linalg.norm(weighted(x, 1.0, a, g)) == pytest.approx(limit[ADD_REMOVE], rel=1e-9)


@pytest.mark.parametrize("kind", [ADD_REMOVE, REPLACE_ONE])
def test_the_search_of_the_recheck_agrees_and_notices_a_formula_without_the_cross_term(kind):
    a, g = 0.85, 0.3
    found = farthest(kind, a, g)
    assert found == pytest.approx(moment_reach(kind, target_weight=a, square_weight=g), rel=1e-4)
    without = math.sqrt(1.0 + a**2) if kind is ADD_REMOVE else math.sqrt(2.0 + 2.0 * a**2)
    assert found > 1.01 * without


def test_outside_the_hypothesis_nothing_is_promised():
    assert moment_reach(REPLACE_ONE, target_weight=1.5, square_weight=0.1) == math.inf
    assert composed_delta(1.0, 0.1, integers=10, stages=1, least_scale=10.0) == 1.0
    assert composed_delta(1e-9, 0.1, integers=10, stages=1, least_scale=1000.0) == 1.0


def test_everything_together_is_one_gaussian_answer():
    mu = total_mu(1.3, 6.5, ADD_REMOVE, 4, 20.0)
    assert mu == pytest.approx(math.sqrt((1.3 / 6.5) ** 2 + 4 / 400.0), rel=1e-9)
    assert total_mu(1.3, 6.5, REPLACE_ONE, 0, 0.0) == pytest.approx(0.2, rel=1e-9)
    assert step_reach(REPLACE_ONE) >= 2.0
    found = composed_delta(1.0, mu, integers=60, stages=5, least_scale=2.0**30)
    assert gaussian_delta(1.0, mu) <= found <= gaussian_delta(1.0, mu) * (1 + 1e-6)
