"""Costs of guarantees, rounding, and accountants as strategies."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import NoGuarantee, Unit, gaussian_delta
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.ledger import Amount
from discreet.ledger.accountants import basic
from discreet.ledger.amounts import cost, cost_of_all
from tests.ledger.guarantees import approximate, pure

epsilons = st.floats(0.0, 5.0)
deltas = st.floats(0.0, 1e-3)


@dataclass(frozen=True)
class Curve:
    """A Gaussian guarantee: a curve that is neither pure nor a single pair."""

    mu: float
    neighbours: Neighbours = REPLACE_ONE
    unit: Unit = Unit.RECORD
    theorem: str = "a test"

    def delta(self, epsilon):
        return gaussian_delta(epsilon, self.mu)

    def to_dict(self):
        return {"kind": "curve", "mu": self.mu}


def test_pairs_cost_what_they_state():
    assert cost(pure(0.5), 1e-6) == Amount(epsilon=0.5)
    assert cost(approximate(0.5, 1e-7), 1e-6) == Amount(epsilon=0.5, delta=1e-7)
    assert cost(NoGuarantee(neighbours=REPLACE_ONE, theorem=""), 1e-6) == Amount(epsilon=math.inf, delta=1.0)


@given(mu=st.floats(1e-3, 5.0), delta=st.floats(1e-12, 1e-2))
def test_a_curve_costs_the_least_epsilon_at_the_delta_of_the_total_rounded_up(mu, delta):
    price = cost(Curve(mu), delta)
    assert gaussian_delta(price.epsilon, mu) <= delta == price.delta
    assert price.epsilon < 1e-11 or gaussian_delta(price.epsilon * (1 - 1e-6), mu) > delta


def test_a_curve_that_never_reaches_the_delta_costs_everything():
    assert cost(Curve(1.0), 0.0) == Amount(epsilon=math.inf, delta=1.0)


@given(st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), epsilons, deltas), max_size=8))
def test_parts_cost_the_largest_sum_that_touches_one_record(spent):
    entries = [(part, approximate(epsilon, delta)) for part, epsilon, delta in spent]
    together = cost_of_all(entries, 1e-2, accountant=basic)

    def along(part, column):
        return sum(entry[column] for entry in spent if entry[0] in (None, part))

    assert together.epsilon == pytest.approx(max(along(part, 1) for part in "abc"))
    assert together.delta == pytest.approx(max(along(part, 2) for part in "abc"))
    for part in "abc":
        assert cost_of_all(entries, 1e-2, accountant=basic, part=part).epsilon == pytest.approx(along(part, 1))


@given(epsilons, deltas, epsilons, deltas)
def test_more_never_costs_less(epsilon, delta, more, chance):
    one = [(None, approximate(epsilon, delta))]
    two = [*one, (None, approximate(more, chance))]
    before, after = (cost_of_all(entries, 1e-2, accountant=basic) for entries in (one, two))
    assert not before.exceeds(after)


def test_nan_exceeds_every_total():
    assert Amount(epsilon=math.nan).exceeds(Amount(epsilon=1.0))
    assert Amount(epsilon=0.0, delta=math.nan).exceeds(Amount(epsilon=1.0))


def test_rounding_errors_of_sums_do_not_exceed_but_a_billionth_does():
    assert not Amount(epsilon=0.1 + 0.2).exceeds(Amount(epsilon=0.3))
    assert Amount(epsilon=1.0 + 2e-9).exceeds(Amount(epsilon=1.0))
