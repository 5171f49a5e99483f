"""The epsilon that is needed: the least whose own bound reaches the excess, and a simulation that brackets it."""

import math
from dataclasses import replace

import pytest

from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.ledger import Ledger, using
from discreet.noise import SeededNoise
from discreet.planning import Plan, SimulatedEpsilon, bracket, least_epsilon, proved_at, simulate_epsilons
from tests.planning.test_plan import KINDS


def plan(**settings):
    return Plan(**{"epsilon": 1.0, "features": 4, "norm": 2.0, **settings})


@pytest.mark.at_most(3)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(("records", "excess"), [(1000, 1.0), (100_000, 0.08)])
def test_the_epsilon_is_enough_and_a_little_less_is_not(kind, records, excess):
    found = least_epsilon(plan(**kind), records=records, excess=excess)
    assert found.bound(records).excess <= excess
    assert proved_at(found, 0.997 * found.epsilon, records) > excess
    assert found == replace(plan(**kind), epsilon=found.epsilon)
    assert found.epsilon == float(f"{found.epsilon:.4g}")


def test_the_epsilon_of_the_plan_plays_no_part():
    assert least_epsilon(plan(epsilon=0.01), records=1000, excess=1.0) == least_epsilon(plan(epsilon=50.0), records=1000, excess=1.0)


def test_it_inverts_the_number_of_records():
    asked = plan(epsilon=0.3, delta=1e-6)
    records = asked.records_for(0.2).records
    assert least_epsilon(asked, records=records, excess=0.2).epsilon == pytest.approx(0.3, rel=0.05)


def test_no_epsilon_reaches_what_the_proof_without_privacy_misses():
    alone = plan().records_without_privacy(0.1)
    with pytest.raises(InfeasibleTarget, match="the bound does not reach an excess of"):
        least_epsilon(plan(), records=alone - 1, excess=0.1)
    for excess in (0.0, -1.0, math.nan):
        with pytest.raises(InvalidInput, match="excess"):
            least_epsilon(plan(), records=100, excess=excess)
    with pytest.raises(InvalidInput, match="records"):
        least_epsilon(plan(), records=0, excess=1.0)


def test_a_target_that_needs_an_absurd_epsilon_is_infeasible():
    alone = plan(mechanism="output").bound(1000).without_privacy
    with pytest.raises(InfeasibleTarget, match="the bound does not reach an excess of"):
        least_epsilon(plan(mechanism="output"), records=1000, excess=alone * (1 + 1e-7))


def test_simulated_means_fall_lie_in_their_intervals_and_are_repeated_by_the_seed(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=1.0)
    with using(ledger, "people"):
        first, second = (simulate_epsilons(plan(delta=1e-6), 800, SeededNoise(3), epsilons=(0.2, 2.0, 20.0), repeats=6) for _ in range(2))
    assert first == second
    assert ledger.history("people") == ()
    means = [one.mean for one in first]
    assert means == sorted(means, reverse=True)
    for one in first:
        assert one.low < one.mean < one.high
        assert 0 < one.mean < plan(delta=1e-6, epsilon=one.epsilon).bound(800).excess
        assert one.repeats == 6


def test_more_repeats_and_less_confidence_make_shorter_intervals():
    def width(**settings):
        (one,) = simulate_epsilons(plan(delta=1e-6), 300, SeededNoise(1), epsilons=(1.0,), **settings)
        return one.high - one.low

    assert width(repeats=5, confidence=0.8) < width(repeats=5, confidence=0.95)
    assert width(repeats=20) < width(repeats=3)
    for repeats in (0, 1):
        with pytest.raises(InvalidInput, match="repeats"):
            width(repeats=repeats)


def seen(*intervals):
    return [
        SimulatedEpsilon(epsilon=float(place + 1), mean=(low + high) / 2, low=low, high=high, repeats=9)
        for place, (low, high) in enumerate(intervals)
    ]


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        ([(5, 6), (2, 3), (0, 0.5)], (2.0, 3.0)),
        ([(5, 6), (0.5, 2), (0, 0.5)], (1.0, 3.0)),
        ([(0, 0.5), (0, 0.5)], (None, 1.0)),
        ([(5, 6), (2, 3)], (2.0, None)),
        ([(0.5, 2), (0.5, 2)], (None, None)),
        ([(0, 0.5), (5, 6), (0, 0.5)], (None, 3.0)),
        ([], (None, None)),
    ],
)
def test_a_bracket_holds_what_is_shown_with_all_beyond_it(intervals, expected):
    assert bracket(seen(*intervals), 1.0) == expected
