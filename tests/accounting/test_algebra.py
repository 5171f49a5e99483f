"""Composition, its laws, and files of guarantees."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.accounting import (
    ApproximateDP,
    ConcentratedDP,
    GaussianDP,
    MutualInformation,
    NoGuarantee,
    Profile,
    PureDP,
    compose,
    group,
    guarantee_from_dict,
    n_fold,
    to_renyi,
)
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from tests.accounting.examples import (
    EVERY,
    HERE,
    POINTS,
    PRIVATE,
    agree,
    approximate,
    bits,
    concentrated,
    cramer_rao,
    gaussian,
    pure,
    renyi,
)

SUMS = st.one_of(POINTS.filter(lambda part: isinstance(part, PureDP)), st.floats(0.0, 2.0).map(gaussian), st.floats(0.0, 1.0).map(concentrated))
few = settings(max_examples=25)


@given(st.lists(st.one_of(POINTS), min_size=1, max_size=4), st.randoms())
def test_basic_composition_does_not_depend_on_order_or_grouping(parts, random):
    whole = compose(parts)
    shuffled = list(parts)
    random.shuffle(shuffled)
    for other in (compose(shuffled), compose([compose(parts[:1]), *parts[1:]])):
        assert other.epsilon == pytest.approx(whole.epsilon)
        assert other.delta(other.epsilon) == pytest.approx(whole.delta(whole.epsilon))


@few
@given(st.lists(SUMS, min_size=2, max_size=4), st.randoms())
def test_sums_commute_and_associate(parts, random):
    whole = compose(parts)
    shuffled = list(parts)
    random.shuffle(shuffled)
    agree(compose(shuffled), whole)
    if {type(part) for part in parts} in ({GaussianDP}, {PureDP}, {ConcentratedDP}):
        agree(compose([compose(parts[:2]), *parts[2:]]), whole)


@given(POINTS, st.integers(1, 50))
def test_basic_n_fold_composition_is_n_times(part, count):
    whole = compose([part] * count)
    assert n_fold(part, count) == whole
    if isinstance(whole, NoGuarantee):
        assert count * part.delta(part.epsilon) > 0.999
        return
    assert whole.epsilon == pytest.approx(count * part.epsilon)
    assert whole.delta(whole.epsilon) == pytest.approx(count * part.delta(part.epsilon))


@pytest.mark.parametrize(("mu", "count"), [(0.01, 100), (0.5, 4)])
def test_gaussian_parts_are_one_gaussian(mu, count):
    assert n_fold(gaussian(mu), count).mu == pytest.approx(mu * math.sqrt(count), rel=1e-14)
    assert n_fold(gaussian(mu), count).mu >= mu * math.sqrt(count) * (1 - 1e-16)


def test_renyi_curves_add_at_every_order():
    first, second = renyi(0.1), to_renyi(pure(0.5))
    whole = compose([first, second, second])
    for order, value, a, b in zip(whole.orders, whole.divergences, first.divergences, second.divergences, strict=True):
        assert order > 1
        assert value == pytest.approx(a + 2 * b)


def test_bits_add_and_information_matrices_add():
    assert n_fold(bits(0.01), 5).bits == pytest.approx(0.05)
    assert n_fold(cramer_rao(2.0), 4).unbiased_mse == pytest.approx(cramer_rao(0.5).unbiased_mse)
    with pytest.raises(InvalidInput, match="bits of mutual information compose only with"):
        compose([bits(0.01), pure(0.1, neighbours=REPLACE_ONE, unit=bits(0.01).unit)])


@given(PRIVATE, st.floats(0.0, 6.0), st.floats(0.0, 6.0))
def test_curves_never_rise(part, first, second):
    low, high = sorted((first, second))
    assert 0.0 <= part.delta(high) <= part.delta(low) * (1 + 1e-9) <= 1.0 + 1e-9


def test_randomised_response_attains_the_pure_curve():
    """Answer truly with probability e / (1 + e): at epsilon' its delta is exactly p - e^epsilon' (1 - p)."""
    epsilon, smaller = 1.0, 0.4
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert pure(epsilon).delta(smaller) == pytest.approx(truth - math.exp(smaller) * (1 - truth))


@pytest.mark.parametrize(
    "other",
    [
        pure(1.0, neighbours=REPLACE_ONE),
        pure(1.0, neighbours=REPLACE_ONE, local=True),
        pure(1.0, neighbours=REPLACE_ONE, unit="entry"),
    ],
)
@pytest.mark.parametrize("planned", [False, True])
def test_unlike_relations_units_and_trust_do_not_mix(other, planned):
    with pytest.raises(InvalidInput, match="guarantees compose only with the same neighbouring"):
        compose([pure(1.0), other], planned=planned)
    if other.local:
        with pytest.raises(InvalidInput, match="local"):
            compose([pure(1.0, neighbours=REPLACE_ONE), other], planned=planned)


def test_nothing_composes_to_nothing():
    with pytest.raises(InvalidInput):
        compose([])


@pytest.mark.parametrize("planned", [False, True])
def test_one_part_without_guarantee_leaves_none(planned):
    composed = compose([pure(1.0), NoGuarantee(neighbours=ADD_REMOVE, theorem="why")], planned=planned)
    assert isinstance(composed, NoGuarantee)
    assert composed.theorem == "why"
    assert composed.delta(100.0) == 1.0


def test_secrets_and_theorems_are_kept_together():
    first = pure(1.0, theorem="a", secret=("the sketch",))
    second = pure(1.0, theorem="b", secret=("the sketch", "the seed"))
    composed = compose([first, second])
    assert composed.theorem == "a; b; basic composition"
    assert composed.secret == ("the sketch", "the seed")
    assert compose([composed, first]).theorem == "a; b; basic composition"


@pytest.mark.parametrize("part", EVERY.values(), ids=EVERY.keys())
def test_files_give_back_what_was_written(part):
    assert guarantee_from_dict(part.to_dict()) == part


@given(PRIVATE)
def test_files_give_back_any_numbers(part):
    assert guarantee_from_dict(part.to_dict()) == part


def test_the_record_of_a_point_is_as_it_was():
    """Certificates that exist keep their meaning: nothing new appears unless it says something."""
    assert pure(1.0).to_dict() == {"kind": "pure", "epsilon": 1.0, "neighbours": "add-remove", "unit": "record", "theorem": "test"}


@pytest.mark.parametrize(
    "broken",
    [{}, {"kind": "pure"}, {"kind": "magic", "neighbours": "add-remove", "unit": "record", "theorem": "t"}]
    + [
        {"kind": "pure", "epsilon": value, "neighbours": relation, "unit": "record", "theorem": "t"}
        for value, relation in itertools.product((-1.0, float("inf"), float("nan"), "1", None, True), ("add-remove", "both"))
    ]
    + [{**part.to_dict(), "secret": wrong} for part in EVERY.values() for wrong in ("text", [1], None)]
    + [{**EVERY["profile"].to_dict(), "deltas": [0.1]}, {**EVERY["profile"].to_dict(), "deltas": [0.1] * 300}, {**pure(1.0).to_dict(), "local": True}]
    + [{**EVERY["renyi"].to_dict(), "orders": "all"}, {**EVERY["cramer-rao"].to_dict(), "information": [[1.0, 2.0]]}],
)
def test_broken_records_are_refused(broken):
    with pytest.raises(FileFormatError):
        guarantee_from_dict(broken)


# A law that cannot fail is not a law: the same checks, met by planted faults.


def test_a_forgotten_count_is_caught():
    forgetful = compose({pure(0.1): 37}.keys())
    with pytest.raises(AssertionError):
        agree(forgetful, compose([pure(0.1)] * 37))


def test_a_delta_that_is_not_multiplied_is_caught():
    faulty = ApproximateDP(epsilon=0.1 * 5, delta_at_epsilon=1e-3, **HERE)
    with pytest.raises(AssertionError):
        agree(faulty, n_fold(approximate(0.1, 1e-3), 5))


def test_a_sum_of_mu_instead_of_its_square_is_seen():
    assert n_fold(gaussian(0.1), 100).mu == pytest.approx(1.0)
    assert group(gaussian(0.1), 100).mu == pytest.approx(10.0)


def test_a_kind_is_never_lost_in_silence():
    assert isinstance(n_fold(concentrated(0.1), 3), ConcentratedDP)
    assert isinstance(n_fold(bits(0.1), 3), MutualInformation)
    assert isinstance(compose([pure(0.1), gaussian(0.1)], planned=True), Profile)
