"""Groups of records and disjoint parts."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.accounting import NoGuarantee, Profile, Unit, compose, gaussian_delta, group, parallel, to_persons, to_profile, to_replace_one
from discreet.accounting.groups import is_to_persons
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from tests.accounting.examples import EPSILONS, EVERY, PRIVATE, approximate, bits, concentrated, cramer_rao, gaussian, profile, pure, renyi, witness


@settings(max_examples=20)
@given(PRIVATE, st.integers(2, 4))
def test_larger_groups_are_promised_less(part, size):
    curves = [group(part, count) for count in (1, size - 1, size)]
    assert curves[0] == part or size == 1
    for epsilon in EPSILONS:
        one, fewer, more = (curve.delta(epsilon) for curve in curves)
        assert one * (1 - 1e-9) <= fewer * (1 + 1e-9)
        assert fewer <= more * (1 + 1e-9) + 1e-300


@pytest.mark.parametrize("size", [2, 3, 5])
def test_groups_of_the_exact_kinds(size):
    assert group(pure(0.3), size).epsilon == pytest.approx(0.3 * size)
    assert group(gaussian(0.3), size).mu == pytest.approx(0.3 * size)
    assert group(concentrated(0.3), size).rho == pytest.approx(0.3 * size**2)
    failures = sum(math.exp(0.3 * step) for step in range(size))
    assert group(approximate(0.3, 1e-5), size).delta_at_epsilon == pytest.approx(1e-5 * failures)


@pytest.mark.parametrize("size", [2, 3])
def test_the_curve_of_a_group_is_exact_for_a_gaussian(size):
    """As a profile it is known by its curve alone, and the least curve is that of size * mu (Dong, Roth, Su 2022)."""
    grouped = group(profile(0.5), size)
    for epsilon in EPSILONS:
        true = gaussian_delta(epsilon, 0.5 * size)
        assert grouped.delta(epsilon) >= true * (1 - 1e-12)
        if true > 1e-10:
            assert grouped.delta(epsilon) <= 1.05 * true


@given(st.floats(0.05, 2.0), st.floats(0.0, 3.0))
def test_the_curve_of_two_steps_of_randomised_response_is_below_the_pure_one(epsilon, at):
    curve = group(to_profile(pure(epsilon)), 2)
    assert curve.delta(at) <= pure(2 * epsilon).delta(at) * 1.001 + 1e-3
    assert curve.delta(0.0) >= -math.expm1(-epsilon) * (1 - 1e-6)


def test_the_renyi_curve_of_a_group_is_near_the_concentrated_one():
    """k^2 rho is exact for a Gaussian; the triangle inequality with the best exponent reaches it for two steps."""
    curve = group(renyi(0.1), 2)
    assert curve.orders[-1] < renyi(0.1).orders[-1]
    for order, divergence in zip(curve.orders[10:], curve.divergences[10:], strict=True):
        assert 0.4 * order * (1 - 1e-9) <= divergence <= 0.4 * order * 1.05


def test_a_group_too_large_for_its_delta_is_promised_nothing():
    assert isinstance(group(approximate(5.0, 0.1), 3), NoGuarantee)


@pytest.mark.parametrize("part", [bits(0.1), cramer_rao(1.0)])
def test_bits_and_cramer_rao_numbers_say_nothing_of_groups(part):
    with pytest.raises(InvalidInput, match="nothing follows"):
        group(part, 2)


@pytest.mark.parametrize("size", [0, -1, 1.5, True])
def test_a_group_is_a_positive_number_of_records(size):
    with pytest.raises(InvalidInput, match="integer of at least 1"):
        group(pure(1.0), size)


@settings(max_examples=30)
@given(st.lists(PRIVATE, min_size=1, max_size=3))
def test_parallel_parts_promise_the_worst_of_them(parts):
    whole = parallel(parts)
    for epsilon in EPSILONS:
        worst = max(part.delta(epsilon) for part in parts)
        assert whole.delta(epsilon) >= max(witness(part).delta(epsilon) for part in parts) * (1 - 1e-9)
        assert whole.delta(epsilon) <= 1.05 * worst + 2e-3
    assert parallel(parts[::-1]).delta(0.7) == pytest.approx(whole.delta(0.7), rel=1e-6)


def test_parallel_parts_keep_their_kind():
    assert parallel([pure(0.3), pure(0.5)]).epsilon == 0.5
    assert parallel([gaussian(0.3), gaussian(0.5)]).mu == 0.5
    assert parallel([renyi(0.3), renyi(0.5)]).divergences == renyi(0.5).divergences
    assert isinstance(parallel([pure(0.3), gaussian(0.5)]), Profile)
    assert isinstance(parallel([pure(0.3), EVERY["none"]]), NoGuarantee)
    assert parallel([bits(0.1), bits(0.2)], part_of_a_record_stays=True).bits == 0.2


def test_under_replace_one_the_caller_says_that_records_stay():
    """Two parts that publish their sizes are perfectly private each; a record that moves is seen with certainty."""
    sizes = [pure(0.0, neighbours=REPLACE_ONE), pure(0.0, neighbours=REPLACE_ONE)]
    with pytest.raises(InvalidInput, match="may move"):
        parallel(sizes)
    assert parallel(sizes, part_of_a_record_stays=True).epsilon == 0.0
    assert to_replace_one(parallel([pure(0.2), pure(0.3)])).epsilon == 0.6


def test_unlike_scopes_are_not_parallel():
    with pytest.raises(InvalidInput, match="guarantees compose only with the same neighbouring"):
        parallel([pure(0.1), pure(0.1, neighbours=REPLACE_ONE)])
    with pytest.raises(InvalidInput, match="Cramer-Rao"):
        parallel([cramer_rao(1.0)], part_of_a_record_stays=True)


@settings(max_examples=20)
@given(PRIVATE, st.integers(1, 4))
def test_a_person_with_rows_is_promised_what_a_group_of_records_is(part, rows):
    owned, grouped = to_persons(part, rows), group(part, rows)
    assert owned.unit is Unit.PERSON
    for epsilon in EPSILONS:
        assert owned.delta(epsilon) == grouped.delta(epsilon)
    assert is_to_persons(owned, part) or isinstance(owned, NoGuarantee)
    assert not is_to_persons(part, part)
    with pytest.raises(InvalidInput, match="guarantees compose only with the same"):
        compose([owned, part])


def test_a_conversion_to_persons_is_known_again_and_no_other_number_passes_for_it():
    part = approximate(0.5, 1e-6)
    assert not is_to_persons(to_persons(part, 3), approximate(0.4, 1e-6))
    assert not is_to_persons(approximate(1.0, 1e-6, theorem="test; all rows of one person, a group of 2 records", unit=Unit.PERSON), part)
    assert not is_to_persons(approximate(1.0, 1e-6, theorem="all rows of one person, a group of \u00b2 records"), part)


def test_rows_of_a_person_that_replace_one_does_not_hide_must_be_stated_public():
    part = pure(0.5, neighbours=REPLACE_ONE)
    with pytest.raises(InvalidInput, match="numbers_are_public=True"):
        to_persons(part, 7)
    assert to_persons(part, 7, numbers_are_public=True).epsilon == 3.5
    assert to_persons(part, 1).epsilon == 0.5
    assert to_replace_one(to_persons(pure(0.5), 7)).epsilon == 7.0


@pytest.mark.parametrize("unit", [Unit.ENTRY, Unit.FEATURES, Unit.PERSON])
def test_only_guarantees_about_records_become_those_of_persons(unit):
    with pytest.raises(InvalidInput, match="about one record"):
        to_persons(pure(0.5, neighbours=REPLACE_ONE, unit=unit), 1)


def test_a_group_of_persons_is_called_so():
    assert "group of 3 persons" in group(to_persons(pure(0.1), 2), 3).theorem


def test_parallel_parts_of_persons_need_that_nobody_has_rows_in_two():
    """A person with a row in each of two parts is in both: epsilons add then."""
    parts = [to_persons(pure(0.5), 2), to_persons(pure(0.25), 2)]
    with pytest.raises(InvalidInput, match="several parts"):
        parallel(parts)
    assert parallel(parts, part_of_a_record_stays=True).epsilon == 1.0
