"""Composition of guarantees that were fixed in advance: above the truth, and close to it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.accounting import (
    RenyiDP,
    compose,
    epsilon_for,
    gaussian_delta,
    n_fold,
)
from discreet.core.errors import InvalidInput
from tests.accounting.examples import (
    EPSILONS,
    EVERY,
    POINTS,
    PRIVATE,
    agree,
    approximate,
    concentrated,
    exact_delta,
    gaussian,
    profile,
    pure,
    renyi,
    repeated_response,
)

few = settings(max_examples=25)


@few
@given(st.lists(PRIVATE, min_size=2, max_size=4), st.randoms())
def test_planned_composition_commutes(parts, random):
    shuffled = list(parts)
    random.shuffle(shuffled)
    agree(compose(shuffled, planned=True), compose(parts, planned=True), rel=1e-6)


@pytest.mark.more
@few
@given(st.lists(st.floats(0.05, 1.0), min_size=3, max_size=4))
def test_planned_composition_associates_up_to_its_grid(sizes):
    """Grouping goes through one more grid, so it may only lose, and little."""
    parts = [profile(size) for size in sizes]
    whole, grouped = compose(parts, planned=True), compose([compose(parts[:2], planned=True), *parts[2:]], planned=True)
    for epsilon in EPSILONS:
        true = gaussian_delta(epsilon, math.sqrt(sum(size * size for size in sizes)))
        for composed in (whole, grouped):
            assert true * (1 - 1e-12) <= composed.delta(epsilon)
            if true > 1e-12:
                assert composed.delta(epsilon) <= 1.05 * true


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize("planned", [False, True])
def test_n_fold_is_n_times_for_every_kind(kind, planned):
    part = EVERY[kind]
    if kind == "profile" and not planned:
        with pytest.raises(InvalidInput, match="planned"):
            n_fold(part, 3)
        return
    assert n_fold(part, 3, planned=planned) == compose([part] * 3, planned=planned)
    whole, nested = n_fold(part, 4, planned=planned), compose([n_fold(part, 2, planned=planned)] * 2, planned=planned)
    for epsilon in EPSILONS:
        # A second grid may only lose, and little.
        assert whole.delta(epsilon) * (1 - 1e-6) - 1e-12 <= nested.delta(epsilon) <= 1.03 * whole.delta(epsilon) + 2e-3
    assert n_fold(part, 1, planned=planned).delta(0.5) == pytest.approx(part.delta(0.5))


@few
@given(PRIVATE, st.integers(2, 6))
def test_more_releases_promise_less(part, count):
    """The fault of a forgotten count: the curve of n releases would be that of one."""
    whole, one_less = n_fold(part, count, planned=True), n_fold(part, count - 1, planned=True)
    for epsilon in (0.0, 0.1, 0.5, 1.0):
        assert whole.delta(epsilon) >= 0.99 * one_less.delta(epsilon)
    middle = 0.9 * epsilon_for(part, 1e-3)
    assert whole.delta(middle) > 1.001 * part.delta(middle) or part.delta(middle) > 0.9


@few
@given(st.lists(POINTS, min_size=2, max_size=5))
def test_planned_composition_of_points_is_the_optimum_from_above(parts):
    composed = compose(parts, planned=True)
    for epsilon in (0.0, 0.3, 1.0, 2.0, 4.0):
        exact = exact_delta(parts, epsilon)
        assert exact * (1 - 1e-12) <= composed.delta(epsilon) <= compose(parts).delta(epsilon) * (1 + 1e-6)
        assert composed.delta(epsilon) <= 1.02 * exact + 2e-3


@pytest.mark.parametrize(("epsilon", "count"), [(0.1, 100), (1.0, 3), (0.7, 4), (0.05, 200)])
def test_equal_pure_parts_reach_the_optimum(epsilon, count):
    composed = n_fold(pure(epsilon), count, planned=True)
    for at in np.arange(count % 2, 60, 2) * epsilon:
        exact = repeated_response(epsilon, count, at)
        assert exact * (1 - 1e-12) <= composed.delta(at) <= exact * (1 + 1e-5) + 1e-19
    assert composed.delta(epsilon * count * (1 + 1e-12)) == 0.0


def test_failures_alone_compose_as_independent_events():
    assert n_fold(approximate(0.0, 0.1), 3, planned=True).delta(0.0) == pytest.approx(1 - 0.9**3)
    assert n_fold(approximate(0.0, 0.1), 3).delta(0.0) == pytest.approx(0.3)


@pytest.mark.at_most(2)
@pytest.mark.parametrize("parts", [[1e-9] * 10, [100.0] * 3, [1e6] * 3, [0.0] * 2, [1e-6, 3.0], [30.0, 1e-3]], ids=str)
def test_extreme_sizes_stay_above_the_truth(parts):
    composed = compose([pure(size) for size in parts], planned=True)
    for at in (0.0, 0.3, 0.9, 0.999):
        epsilon = at * sum(parts)
        assert exact_delta([pure(size) for size in parts], epsilon) * (1 - 1e-9) <= composed.delta(epsilon) <= 1.0
    assert composed.delta(sum(parts) * (1 + 1e-12)) == 0.0 if len(parts) < 10 else True
    assert 0.0 <= compose([gaussian(size) for size in parts] + [pure(0.1)], planned=True).delta(1.0) <= 1.0


@pytest.mark.parametrize("count", [2, 50, 1000])
def test_numerical_composition_of_gaussian_curves_is_one_gaussian(count):
    """Through the grid on purpose: as profiles the parts do not know that they are Gaussian."""
    composed = n_fold(profile(1.0 / math.sqrt(count)), count, planned=True)
    for epsilon in EPSILONS:
        true = gaussian_delta(epsilon, 1.0)
        assert composed.delta(epsilon) >= true * (1 - 1e-12)
        if true > 1e-13:
            assert composed.delta(epsilon) <= 1.02 * true


def test_a_thousand_unlike_parts_compose():
    rng = np.random.default_rng(1)
    sizes = rng.uniform(0.5, 1.5, 1000) / math.sqrt(1000)
    parts = [
        (gaussian, pure, lambda size: approximate(size, 1e-11), lambda size: concentrated(size * size / 2))[i % 4](float(size))
        for i, size in enumerate(sizes)
    ]
    composed = compose(parts, planned=True)
    assert 0.1 < composed.delta(1.0) < 0.6
    assert composed.delta(100.0) >= 250 * 1e-11 * (1 - 1e-6)


def test_unlike_kinds_take_the_smaller_of_two_proved_curves():
    parts = [pure(0.1), gaussian(0.5), renyi(0.1)]
    planned, on_the_way = compose(parts, planned=True), compose(parts)
    assert isinstance(on_the_way, RenyiDP)
    for epsilon in EPSILONS:
        assert planned.delta(epsilon) <= on_the_way.delta(epsilon) * 1.01 + 1e-18
    assert planned.delta(1.0) < 0.9 * on_the_way.delta(1.0)
    with pytest.raises(InvalidInput, match="planned"):
        compose([gaussian(1.0), approximate(1.0, 1e-6)])
