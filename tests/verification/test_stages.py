"""Both stages of a fit as a recheck composes them: beside nested integrals, and what is forgotten of the second loss is less."""

import math

import numpy as np
import pytest

from discreet.accounting import gaussian_delta
from discreet.verification.numerics import (
    chords,
    excess,
    gaussian_integral,
    gaussian_integrals,
    least_tangent,
    normal_above,
    normal_excess,
    panels,
    upper_lines,
)
from discreet.verification.stages import LastStage

NORMAL, WEIGHTS = panels(np.linspace(-12.0, 12.0, 17))
WEIGHTS = WEIGHTS * np.exp(-0.5 * NORMAL * NORMAL) / math.sqrt(2.0 * math.pi)


def nested(function, epsilon, mu):
    """E function(epsilon - l), one integral in the other."""
    return float(WEIGHTS @ [function(epsilon - mu * (0.5 * mu + g)) for g in NORMAL])


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("mu", [1e-3, 0.03, 0.4])
def test_a_loss_of_lines_takes_a_normal_one(mu, linear):
    t = np.linspace(0.0, 1.0, 33)
    loss = upper_lines(0.3 * t, 0.5 * np.square(0.3 * t) + 0.8 * t * (1.0 - t))
    for epsilon in (0.25, 1.0, 1.7):
        joined = excess(epsilon, loss, mu, linear=linear)
        assert joined == pytest.approx(nested(lambda at: excess(at, loss, linear=linear), epsilon, mu), rel=1e-4)
        assert excess(epsilon, loss, linear=linear) < joined * (1.0 - 1e-6), "without it, it is less"


def test_a_normal_loss_of_persons_takes_another():
    for s, mu, threshold in ((0.2, 0.02, 0.7), (1.0, 0.3, 0.1), (0.5, 0.2, -0.3)):
        assert normal_excess(threshold, s, mu) == pytest.approx(nested(lambda at, s=s: normal_excess(at, s), threshold, mu), rel=1e-5)


@pytest.mark.parametrize(("epsilon", "mu"), [(1.0, 0.1), pytest.param(0.5, 0.01, marks=pytest.mark.more)])
def test_a_tangent_that_was_searched_for_without_the_second_loss_bounds_both(epsilon, mu):
    def beyond(threshold, mu):
        return normal_excess(threshold, 0.3, mu)

    joined = least_tangent(epsilon, beyond, mu)
    best = nested(lambda at: least_tangent(max(at, 0.0), beyond), epsilon, mu)
    assert best * (1.0 - 1e-6) <= joined <= 1.01 * best
    assert least_tangent(epsilon, beyond) < joined


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 3.0])
def test_no_other_tangent_is_lower_where_the_mean_beyond_jumps_too(epsilon):
    """Of a loss that is 0 half of the time, 4 rarely, and of lines of one normal number: beside tangents one by one, and in closed form."""
    t = np.linspace(0.0, 1.0, 33)
    lines = upper_lines(0.3 * t, 0.5 * np.square(0.3 * t) + 0.8 * t * (1.0 - t))
    for beyond in (
        lambda threshold, _: 0.5 * max(-threshold, 0.0) + 1e-3 * max(4.0 - threshold, 0.0),
        lambda threshold, mu: excess(threshold, lines, mu, linear=True),
        lambda threshold, _: 0.0,
    ):
        over = np.geomspace(1e-7, 5.0, 401)
        least = min(math.exp(-one) * beyond(epsilon - (math.expm1(one) - one), 0.0) for one in over.tolist())
        assert least_tangent(epsilon, beyond) <= least * (1.0 + 1e-6)
    thresholds = np.array([-1.0, 0.0, 0.5 * epsilon, epsilon])
    assert lines.beyond(thresholds) == pytest.approx([excess(one, lines, linear=True) for one in thresholds.tolist()], rel=1e-5, abs=1e-14)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 8.0])
def test_two_gaussian_stages_are_one(epsilon):
    """By both roads; where the second loss is often above epsilon, what the first road leaves out below 0 makes it larger, never smaller."""
    for mu in (0.02 * epsilon, 0.3 * epsilon, 2.0 * epsilon):
        first = 0.25 * epsilon
        last = LastStage(0.5 * epsilon, mu, 3, 1e9)
        exact = gaussian_delta(epsilon, math.hypot(first, mu))
        joined = last.joined(lambda left, also, first=first: gaussian_integral(left, math.hypot(first, also)), epsilon)
        along = last.after(lambda left, first=first: gaussian_integrals(left, first), epsilon)
        assert exact * (1.0 - 1e-6) - 1e-30 <= min(joined, along)
        assert along <= 1.2 * exact + 1e-30
        if mu <= 0.1 * epsilon:
            assert joined <= exact * (1.0 + 1e-5) + 1e-30
        assert gaussian_delta(epsilon, first) < min(joined, along) or exact < 1e-30


def test_what_the_last_stage_loses_alone_is_counted_after_a_first_that_releases_nothing():
    """One integral says nothing of a second loss beyond epsilon; there delta_1 counts as 1."""
    for epsilon, mu in ((0.1, 0.05), (1.0, 0.5), (1.0, 2.0)):
        assert LastStage(epsilon, mu, 3, 1e9).joined(lambda left, also: 0.0, epsilon) >= gaussian_delta(epsilon, mu)


def test_chords_of_normal_excess_are_above_it():
    places = np.linspace(0.0, 2.0, 21)
    above = chords(places, np.array([gaussian_delta(place, 0.5) for place in places]))
    between = np.linspace(0.01, 1.99, 57)
    assert np.all(above(between) >= [gaussian_delta(place, 0.5) for place in between])
    assert normal_above(np.array([0.3]), 0.0)[0] == 0.3


@pytest.mark.parametrize("mu", [0.0, 1e-4])
@pytest.mark.parametrize("jacobian", [0.003, 1.0])
def test_a_loss_of_two_lines_is_integrated_on_either_side_of_its_corner(mu, jacobian):
    """max(J, s g + s^2 / 2) above a small epsilon: what is always there, and a normal excess over it; exact but for mu, which adds."""
    s, epsilon = 0.1, 1e-4
    loss = upper_lines(np.array([0.0, s]), np.array([jacobian, 0.5 * s * s]))
    exact = -math.expm1(epsilon - jacobian) + math.exp(epsilon - jacobian) * gaussian_delta(jacobian, s)
    assert excess(epsilon, loss, mu) == pytest.approx(exact, rel=1e-10 + 3.0 * mu * mu)
