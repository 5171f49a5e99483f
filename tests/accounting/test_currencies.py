"""Bits, Cramer-Rao numbers, profiles: reference values and what each refuses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import Profile, PureDP, RenyiDP, Unit
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from tests.accounting.examples import HERE, bits, concentrated, cramer_rao, gaussian


@pytest.mark.parametrize(("epsilon", "factor"), [(0.5, 3.60), (1.0, 2.37), (2.0, 2.009), (3.0, 2.0), (6.0, 2.0)])
def test_the_delta_of_a_small_number_of_bits_has_the_published_factor(epsilon, factor):
    """Showkatbakhsh, Karakus and Diggavi (2018), proposition 2, and its exact inverse."""
    assert bits(1e-6).delta(epsilon) / 1e-6 == pytest.approx(factor, rel=2e-3)


@pytest.mark.parametrize(("number", "shift"), [(0.5, 0.780), (1.0, 1.0), (0.0, 0.0)])
def test_the_largest_shift_has_the_published_value(number, shift):
    assert bits(number).delta(0.0) == pytest.approx(shift, abs=1e-3)


def test_the_shift_is_below_the_bound_of_pinsker():
    for number in (1e-6, 1e-3, 0.1, 0.5):
        assert bits(number).delta(0.0) <= math.sqrt(2 * number * math.log(2)) * (1 + 1e-6)


@given(st.lists(st.floats(0.001, 0.999), min_size=2, max_size=6), st.lists(st.floats(0.001, 0.999), min_size=2, max_size=6), st.floats(0.0, 3.0))
def test_no_channel_exceeds_the_delta_of_its_bits(first, second, epsilon):
    size = min(len(first), len(second))
    p, q = (np.array(masses[:size]) / sum(masses[:size]) for masses in (first, second))
    mixture = (p + q) / 2
    information = 0.5 * float(np.sum(p * np.log2(p / mixture) + q * np.log2(q / mixture)))
    claimed = bits(max(information, 0.0)).delta(epsilon)
    # Below 1e-15 bits the information itself is rounding.
    assert float(np.sum(np.maximum(0.0, p - math.exp(epsilon) * q))) <= claimed * (1 + 1e-9) + 1e-7


def test_bits_are_per_entry_and_replace_one():
    assert bits(0.1).unit is Unit.ENTRY
    with pytest.raises(InvalidInput, match="per entry"):
        bits(0.1, unit=Unit.RECORD)
    with pytest.raises(InvalidInput, match="replace-one"):
        bits(0.1, neighbours=ADD_REMOVE)


def test_the_cramer_rao_number_and_the_van_trees_bound():
    """Unit noise on p = 30 features, Gaussian prior of unit variance: 30 for unbiased estimators, 15 for all of them on average."""
    noise = cramer_rao(3.0, prior=1.0)
    assert noise.unbiased_mse == pytest.approx(6.0)
    assert noise.van_trees_mse == pytest.approx(2.0 / (1.0 + 1.0 / 3.0))
    assert noise.unbiased_mse <= 6.0
    assert noise.delta(100.0) == 1.0
    with pytest.raises(InvalidInput, match="prior"):
        _ = cramer_rao(3.0).van_trees_mse


def test_a_prior_only_lowers_the_number():
    """A constant guess is as good as the prior is narrow, whatever the noise: the reason why the first number is no guarantee."""
    assert cramer_rao(3000.0, prior=0.5).van_trees_mse < 1.0 < cramer_rao(3000.0).unbiased_mse


@pytest.mark.parametrize("rows", [(), ((1.0, 2.0),), ((1.0, 2.0), (0.0, 1.0)), ((-1.0,),), ((math.nan,),)])
def test_what_is_no_information_matrix_is_refused(rows):
    from discreet.accounting import CramerRaoBound

    with pytest.raises(InvalidInput, match="information matrix"):
        CramerRaoBound(information=rows, neighbours=REPLACE_ONE, theorem="t")


def test_a_direction_without_information_has_no_finite_bound():
    from discreet.accounting import CramerRaoBound

    assert CramerRaoBound(information=((0.0,),), neighbours=REPLACE_ONE, theorem="t").unbiased_mse == math.inf


@pytest.mark.parametrize(
    ("epsilons", "deltas"),
    [((), ()), ((0.0,), ()), ((0.1,), (0.1,)), ((0.0, 0.0), (0.1, 0.1)), ((0.0, 1.0), (0.1, 0.2)), ((0.0,), (1.5,)), ((0.0,), (math.nan,))],
)
def test_what_is_no_profile_is_refused(epsilons, deltas):
    with pytest.raises(InvalidInput, match="profile"):
        Profile(epsilons=epsilons, deltas_at=deltas, **HERE)


@pytest.mark.parametrize(("orders", "divergences"), [((), ()), ((1.0,), (0.1,)), ((2.0, 1.5), (0.1, 0.1)), ((2.0,), (math.inf,)), ((2.0,), (-1.0,))])
def test_what_is_no_renyi_curve_is_refused(orders, divergences):
    with pytest.raises(InvalidInput, match="Renyi"):
        RenyiDP(orders=orders, divergences=divergences, **HERE)


@pytest.mark.parametrize("number", [-1.0, math.inf, math.nan, "1", None, True])
def test_numbers_that_bound_nothing_are_refused(number):
    for make in (gaussian, concentrated, bits):
        with pytest.raises(InvalidInput, match="needs"):
            make(number)


def test_between_its_points_a_profile_is_the_chord_over_the_exponential():
    curve = Profile(epsilons=(0.0, 1.0), deltas_at=(0.5, 0.1), **HERE)
    share = (math.exp(0.4) - 1) / (math.e - 1)
    assert curve.delta(0.4) == pytest.approx(0.5 + (0.1 - 0.5) * share)
    assert curve.delta(7.0) == 0.1
    assert Profile(epsilons=(0.0, 900.0), deltas_at=(0.5, 0.1), **HERE).delta(100.0) == pytest.approx(0.5)


def test_pure_points_make_the_pure_curve():
    """With points at 0 and epsilon the chord is the curve of randomised response itself."""
    exact = PureDP(epsilon=1.3, **HERE)
    curve = Profile(epsilons=(0.0, 1.3), deltas_at=(exact.delta(0.0), 0.0), **HERE)
    for epsilon in np.linspace(0, 1.3, 14):
        assert curve.delta(epsilon) == pytest.approx(exact.delta(epsilon), abs=1e-13)
