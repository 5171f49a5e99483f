"""Conversions only ever lose: against exact divergences, exact curves and published values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from discreet.accounting import (
    ApproximateDP,
    ConcentratedDP,
    NoGuarantee,
    compose,
    epsilon_for,
    gaussian_delta,
    n_fold,
    post_processed,
    to_approximate,
    to_central,
    to_concentrated,
    to_profile,
    to_renyi,
    to_replace_one,
)
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from tests.accounting.examples import EPSILONS, EVERY, PRIVATE, approximate, bits, concentrated, cramer_rao, gaussian, profile, pure, renyi, witness

GAINS = 1e-9
"""Conversions may differ from above by rounding only."""


def never_below(after, before):
    """Renyi kinds state a curve that is not convex, so what follows may lie below it, but never below what a mechanism attains (`witness`)."""
    true = witness(before)
    for epsilon in EPSILONS:
        assert after.delta(epsilon) >= true.delta(epsilon) * (1 - GAINS)


@pytest.mark.more
@given(st.floats(0.01, 4.0))
def test_pure_loses_at_every_step_down(epsilon):
    start = pure(epsilon)
    for orders in (to_concentrated(start), to_renyi(start), to_renyi(to_concentrated(start))):
        never_below(orders, start)
        never_below(to_profile(orders), start)
    for loose, tight in zip(to_renyi(to_concentrated(start)).divergences, to_renyi(start).divergences, strict=True):
        assert loose >= tight * (1 - 1e-12)
    never_below(to_profile(start), start)


@given(st.floats(0.02, 3.0))
def test_gaussian_loses_at_every_step_down(mu):
    start = gaussian(mu)
    never_below(to_concentrated(start), start)
    never_below(to_renyi(start), to_concentrated(start))
    never_below(to_profile(start), start)


@given(PRIVATE, st.floats(0.0, 4.0))
def test_a_point_of_a_curve_promises_no_more_than_the_curve(part, epsilon):
    never_below(to_profile(part), part)
    point = to_approximate(part, epsilon=epsilon)
    if isinstance(point, ApproximateDP):
        never_below(point, part)
        assert point.delta(epsilon) == part.delta(epsilon)


@given(PRIVATE, st.floats(-30.0, -1.0))
def test_the_epsilon_for_a_delta_is_on_the_right_side_and_no_larger_than_needed(part, log_delta):
    delta = math.exp(log_delta)
    epsilon = epsilon_for(part, delta)
    if math.isinf(epsilon):
        assert part.delta(1e5) > delta
        assert isinstance(to_approximate(part, delta=delta), NoGuarantee)
        return
    assert part.delta(epsilon) <= delta
    assert epsilon == 0 or part.delta(epsilon * (1 - 1e-8)) > delta * (1 - 1e-6)
    assert to_approximate(part, delta=delta).epsilon == epsilon


def test_known_epsilons_are_found():
    assert epsilon_for(pure(0.7), 0.0) == pytest.approx(0.7, rel=1e-9)
    assert epsilon_for(approximate(0.7, 1e-6), 1e-6) == 0.7
    assert epsilon_for(gaussian(1 / 4.2247), 1e-6) == pytest.approx(1.0, abs=1e-4)
    # The Renyi route turns a Gaussian that is (1, 1e-6)-private into epsilon = 1.078.
    assert epsilon_for(to_renyi(gaussian(1 / 4.22466)), 1e-6) == pytest.approx(1.078, abs=2e-3)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 8.0, 64.0])
def test_the_renyi_curve_of_a_pure_guarantee_is_that_of_randomised_response(epsilon, order):
    truth = 1 / (1 + math.exp(-epsilon))
    logs = [order * math.log(a) + (1 - order) * math.log(b) for a, b in ((truth, 1 - truth), (1 - truth, truth))]
    exact = np.logaddexp(*logs) / (order - 1)
    claimed = to_renyi(pure(epsilon), orders=(order,)).divergences[0]
    assert exact * (1 - 1e-9) - 1e-13 <= claimed <= exact * (1 + 1e-6) + 1e-12
    assert claimed <= to_concentrated(pure(epsilon)).rho * order * (1 + 1e-9)


def test_the_concentrated_number_of_a_pure_guarantee_is_reached_as_the_order_falls_to_one():
    claimed = to_concentrated(pure(1.0)).rho
    assert claimed < 0.5
    assert to_renyi(pure(1.0), orders=(1.0001,)).divergences[0] == pytest.approx(claimed, rel=2e-4)


@pytest.mark.parametrize("order", [1.5, 3.0, 20.0])
def test_the_renyi_curve_of_a_gaussian_guarantee_is_the_integral(order):
    mu = 0.7
    exact = math.log(quad(lambda x: math.exp(order * norm.logpdf(x, mu) + (1 - order) * norm.logpdf(x)), order * mu - 12, order * mu + 12)[0]) / (
        order - 1
    )
    assert to_renyi(gaussian(mu), orders=(order,)).divergences[0] == pytest.approx(exact, rel=1e-7)


@given(st.floats(1.02, 900.0))
def test_between_orders_a_renyi_curve_is_bounded_from_above(order):
    for coarse, exact in ((renyi(0.1), 0.1 * order), (to_renyi(pure(1.0)), to_renyi(pure(1.0), orders=(order,)).divergences[0])):
        assert exact * (1 - 1e-9) <= coarse.divergence(order) <= 1.05 * exact
    assert renyi(0.1).divergence(1e9) == math.inf


@pytest.mark.parametrize("rho", [1e-3, 0.1, 2.0])
def test_the_concentrated_curve_is_the_minimum_over_all_orders(rho):
    for epsilon in (0.0, 0.5, 2.0, 8.0):
        excess = np.geomspace(1e-3, 1e5, 200_000)
        exponents = excess * (rho * (1 + excess) - epsilon) + excess * np.log(excess) - (1 + excess) * np.log1p(excess)
        best = min(1.0, math.exp(min(1.0, float(exponents.min()))))
        assert concentrated(rho).delta(epsilon) == pytest.approx(best, rel=1e-6, abs=1e-299)


def test_there_is_no_way_back_up():
    for part in (approximate(1.0, 1e-6), profile(0.5), renyi(0.1), bits(0.1), EVERY["none"]):
        with pytest.raises(InvalidInput, match="does not follow"):
            to_concentrated(part)
    for part in (approximate(1.0, 1e-6), profile(0.5), bits(0.1), EVERY["none"]):
        with pytest.raises(InvalidInput, match="does not follow"):
            to_renyi(part)
    for convert in (to_renyi, to_concentrated, to_profile, lambda part: to_approximate(part, delta=0.1)):
        with pytest.raises(InvalidInput, match="does not follow"):
            convert(cramer_rao(1.0))


def test_replace_one_is_two_steps_and_never_the_other_way():
    assert to_replace_one(pure(0.5)).epsilon == 1.0
    assert to_replace_one(gaussian(0.5)).mu == 1.0
    assert to_replace_one(concentrated(0.1)).rho == pytest.approx(0.4)
    assert to_replace_one(pure(0.5)).neighbours is REPLACE_ONE
    with pytest.raises(InvalidInput, match="an add-remove guarantee is needed to convert to"):
        to_replace_one(pure(0.5, neighbours=REPLACE_ONE))


def test_a_local_guarantee_becomes_central_and_keeps_its_numbers():
    local = pure(0.5, neighbours=REPLACE_ONE, local=True)
    central = to_central(local)
    assert (central.epsilon, central.local, central.neighbours) == (0.5, False, REPLACE_ONE)
    assert compose([central, pure(0.5, neighbours=REPLACE_ONE)]).epsilon == 1.0
    with pytest.raises(InvalidInput, match="local"):
        pure(0.5, neighbours=ADD_REMOVE, local=True)


@pytest.mark.parametrize("part", EVERY.values(), ids=EVERY.keys())
def test_post_processing_changes_nothing(part):
    assert post_processed(part) is part


# The same checks, met by planted faults.


def test_a_conversion_that_gains_is_caught():
    with pytest.raises(AssertionError):
        never_below(ConcentratedDP(rho=0.25, neighbours=ADD_REMOVE, theorem="half of it"), gaussian(1.0))
    with pytest.raises(AssertionError):
        never_below(pure(1.0), approximate(1.0, 1e-6))
    with pytest.raises(AssertionError):
        never_below(pure(0.5), to_replace_one(pure(0.5)))


def test_the_common_conversion_without_its_last_term_would_not_be_below_but_the_tight_one_is_used():
    """epsilon = rho + 2 sqrt(rho ln(1/delta)) (Bun and Steinke 2016) is looser."""
    loose = 0.5 + 2 * math.sqrt(0.5 * math.log(1e6))
    tight = epsilon_for(concentrated(0.5), 1e-6)
    exact = epsilon_for(gaussian(1.0), 1e-6)
    assert exact < tight < loose
    assert gaussian_delta(tight, 1.0) < 1e-6


def test_many_gaussians_by_three_routes_are_ordered():
    exact = n_fold(gaussian(0.1), 100)
    grid = n_fold(profile(0.1), 100, planned=True)
    orders = n_fold(renyi(0.005), 100)
    for epsilon in (0.5, 1.0, 3.0):
        assert exact.delta(epsilon) <= grid.delta(epsilon) <= orders.delta(epsilon)
