"""Composition and files of guarantees."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import FileFormatError, InvalidInput
from discreet.guarantees import ApproximateDP, Guarantee, NoGuarantee, PureDP, compose, guarantee_from_dict
from discreet.neighbours import ADD_REMOVE, REPLACE_ONE

epsilons = st.floats(0.0, 5.0)
guarantees = st.one_of(
    epsilons.map(lambda epsilon: PureDP(epsilon=epsilon, neighbours=ADD_REMOVE, theorem="a")),
    st.tuples(epsilons, st.floats(1e-9, 0.1)).map(
        lambda pair: ApproximateDP(epsilon=pair[0], delta_at_epsilon=pair[1], neighbours=ADD_REMOVE, theorem="b")
    ),
)


@given(st.lists(guarantees, min_size=1, max_size=4), st.randoms())
def test_composition_does_not_depend_on_order_or_grouping(parts: list[Guarantee], random: object) -> None:
    whole = compose(parts)
    shuffled = list(parts)
    random.shuffle(shuffled)
    for other in (compose(shuffled), compose([compose(parts[:1]), *parts[1:]])):
        assert other.epsilon == pytest.approx(whole.epsilon)
        assert other.delta(other.epsilon) == pytest.approx(whole.delta(whole.epsilon))


@given(guarantees, st.integers(1, 50))
def test_n_fold_composition_is_n_times(part: Guarantee, count: int) -> None:
    whole = compose([part] * count)
    if isinstance(whole, NoGuarantee):
        assert count * part.delta(part.epsilon) > 0.999
        return
    assert whole.epsilon == pytest.approx(count * part.epsilon)
    assert whole.delta(whole.epsilon) == pytest.approx(count * part.delta(part.epsilon))


@given(guarantees, st.floats(0.0, 6.0), st.floats(0.0, 6.0))
def test_curves_never_rise(part: Guarantee, first: float, second: float) -> None:
    low, high = sorted((first, second))
    assert 0.0 <= part.delta(high) <= part.delta(low) <= 1.0


def test_randomised_response_attains_the_pure_curve() -> None:
    """Answer truly with probability e / (1 + e): at epsilon' its delta is exactly p - e^epsilon' (1 - p)."""
    import math

    epsilon, smaller = 1.0, 0.4
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    claimed = PureDP(epsilon=epsilon, neighbours=ADD_REMOVE, theorem="t").delta(smaller)
    assert claimed == pytest.approx(truth - math.exp(smaller) * (1 - truth))


def test_unlike_relations_do_not_mix() -> None:
    parts = [PureDP(epsilon=1.0, neighbours=relation, theorem="t") for relation in (ADD_REMOVE, REPLACE_ONE)]
    with pytest.raises(InvalidInput, match="different neighbouring relations"):
        compose(parts)


def test_nothing_composes_to_nothing() -> None:
    with pytest.raises(InvalidInput):
        compose([])


def test_one_part_without_guarantee_leaves_none() -> None:
    parts = [PureDP(epsilon=1.0, neighbours=ADD_REMOVE, theorem="t"), NoGuarantee(neighbours=ADD_REMOVE, theorem="why")]
    assert isinstance(compose(parts), NoGuarantee)
    assert compose(parts).delta(100.0) == 1.0


@given(guarantees)
def test_files_give_back_what_was_written(part: Guarantee) -> None:
    assert guarantee_from_dict(part.to_dict()) == part


@pytest.mark.parametrize(
    "broken",
    [{}, {"kind": "pure"}, {"kind": "magic", "neighbours": "add-remove", "unit": "record", "theorem": "t"}]
    + [
        {"kind": "pure", "epsilon": value, "neighbours": relation, "unit": "record", "theorem": "t"}
        for value, relation in itertools.product((-1.0, float("inf"), float("nan"), "1", None, True), ("add-remove", "both"))
    ],
)
def test_broken_records_are_refused(broken: dict[str, object]) -> None:
    with pytest.raises(FileFormatError):
        guarantee_from_dict(broken)
