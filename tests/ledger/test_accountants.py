"""Accountants as strategies with names, the three that are there, costs of guarantees, and rounding."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import ConcentratedDP, GaussianDP, MutualInformation, NoGuarantee, Unit, epsilon_for, gaussian_delta, gaussian_mu
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.ledger import Amount, BudgetExceeded, register_accountant
from discreet.ledger.accountants import accountant_named, cost, cost_of_all
from tests.ledger.guarantees import added, approximate, pure

basic, gaussian, concentrated = map(accountant_named, ("basic", "gaussian", "concentrated"))


def noisy(mu):
    return GaussianDP(mu=mu, neighbours=REPLACE_ONE, theorem="a test")


def largest(parts):
    """Not sound: it only shows whose sum is used."""
    return max(parts, key=lambda part: part.epsilon)


def failing(parts):
    raise ZeroDivisionError


def in_another_relation(parts):
    return added(0.0)


@pytest.fixture
def registered(monkeypatch):
    """Forget afterwards what the test registers."""
    monkeypatch.setattr("discreet.ledger.accountants._REGISTERED", {"basic": basic})
    return register_accountant


def test_an_accountant_is_a_strategy_that_belongs_to_the_data_set(ledger, registered):
    registered("largest", largest)
    ledger.declare("other", epsilon=1.0, delta=0.0, accountant="largest")
    for _ in range(5):
        ledger.reserve("other", pure(0.75), purpose="")
    assert ledger.spent("other") == Amount(epsilon=0.75)
    assert "other: spent epsilon 0.75, delta 0 of epsilon 1" in ledger.plot("other")
    with pytest.raises(InvalidInput, match="accountant largest"):
        ledger.declare("other", epsilon=1.0, delta=0.0)


def test_a_name_is_registered_once(registered):
    registered("largest", largest)
    registered("largest", largest)
    with pytest.raises(InvalidInput, match="is already registered"):
        registered("largest", failing)
    with pytest.raises(InvalidInput, match="is already registered"):
        registered("basic", largest)


def test_a_process_that_does_not_know_the_accountant_cannot_spend(ledger, registered, monkeypatch):
    registered("largest", largest)
    ledger.declare("other", epsilon=1.0, delta=0.0, accountant="largest")
    monkeypatch.setattr("discreet.ledger.accountants._REGISTERED", {"basic": basic})
    for call in (ledger.spent, lambda name: ledger.reserve(name, pure(0.1), purpose="")):
        with pytest.raises(InvalidInput, match="Import the module that registers it, or use a"):
            call("other")
    with pytest.raises(InvalidInput, match="no accountant 'none'"):
        ledger.declare("third", epsilon=1.0, delta=0.0, accountant="none")


@pytest.mark.parametrize(("accountant", "error"), [(failing, ZeroDivisionError), (in_another_relation, InvalidInput)])
def test_an_accountant_that_fails_records_nothing(ledger, registered, accountant, error):
    registered("faulty", accountant)
    ledger.declare("other", epsilon=1.0, delta=0.0, accountant="faulty")
    with pytest.raises(error):
        ledger.reserve("other", pure(0.5), purpose="")
    assert ledger.history("other") == ()
    ledger.reserve("adult", pure(1.0), purpose="")


def test_a_gaussian_data_set_adds_squares_and_takes_its_delta_once(ledger):
    ledger.declare("noisy", epsilon=1.0, delta=1e-6, accountant="gaussian")
    mu = gaussian_mu(1.0, 1e-6)
    for _ in range(4):
        ledger.reserve("noisy", noisy(mu / 2 * (1 - 1e-9)), purpose="")
    assert ledger.spent("noisy") == Amount(epsilon=pytest.approx(1.0, rel=1e-6), delta=1e-6)
    with pytest.raises(BudgetExceeded):
        ledger.reserve("noisy", noisy(mu / 20), purpose="")


def test_concentrated_adds_rho_of_all_that_have_one():
    parts = [pure(0.1), noisy(0.2), ConcentratedDP(rho=0.01, neighbours=REPLACE_ONE, theorem="a test")]
    together = concentrated(parts)
    assert together.rho == pytest.approx(0.1 * math.tanh(0.05) + 0.02 + 0.01, rel=1e-9)
    assert epsilon_for(concentrated([pure(0.1)] * 100), 1e-6) < 100 * 0.1


@pytest.mark.parametrize(
    ("accountant", "part"),
    [
        (basic, noisy(1.0)),
        (basic, MutualInformation(bits=0.1, neighbours=REPLACE_ONE, theorem="a test")),
        (gaussian, pure(0.1)),
        (concentrated, approximate(0.1, 1e-6)),
    ],
)
def test_kinds_that_an_accountant_does_not_add_are_refused(accountant, part):
    with pytest.raises(InvalidInput, match="Convert the guarantee"):
        accountant([part])


@pytest.mark.parametrize("name", ["basic", "gaussian", "concentrated"])
def test_something_without_a_guarantee_costs_everything(ledger, name):
    assert accountant_named(name)
    ledger.declare("other", epsilon=5.0, delta=0.5, accountant=name)
    with pytest.raises(BudgetExceeded):
        ledger.reserve("other", NoGuarantee(neighbours=REPLACE_ONE, theorem="no noise"), purpose="")


def test_a_guarantee_that_does_not_read_back_is_not_recorded(ledger, registered):
    class Secretive(type(pure(0.0))):
        def to_dict(self):
            return super().to_dict() | {"kind": "secret"}

    with pytest.raises(InvalidInput, match="it cannot be read back from a file"):
        ledger.reserve("adult", Secretive(epsilon=0.1, neighbours=REPLACE_ONE, theorem="a test"), purpose="")
    assert ledger.history("adult") == ()


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
