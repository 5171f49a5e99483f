"""Declaring, reserving, settling, cancelling; relations and totals."""

import copy
import pickle

import pytest

from discreet.accounting import NoGuarantee, to_persons
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.ledger import Amount, BudgetExceeded, Ledger, State
from tests.canary import CANARY, assert_silent
from tests.ledger.guarantees import added, approximate, pure


def test_what_is_reserved_counts_before_it_is_settled(ledger):
    ledger.reserve("adult", pure(0.75), purpose="a fit")
    assert ledger.spent("adult") == Amount(epsilon=0.75)
    assert ledger.left("adult") == Amount(epsilon=0.25)
    with pytest.raises(BudgetExceeded):
        ledger.reserve("adult", pure(0.5), purpose="too much")
    assert len(ledger.history("adult")) == 1


def test_a_refusal_names_what_was_asked_spent_and_left_and_has_its_own_exit_code(ledger):
    ledger.reserve("adult", pure(0.75), purpose="a fit")
    with pytest.raises(BudgetExceeded) as caught:
        ledger.reserve("adult", pure(0.5), purpose="too much")
    assert caught.value.exit_code == 7
    assert isinstance(caught.value, DiscreetError)
    for words in (
        "epsilon 0.5",
        "epsilon 0.25",
        "epsilon 0.75",
        "epsilon 1",
        "'adult'",
        "replace-one",
        "Request less, or agree on a larger total and amend it",
    ):
        assert words in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301 - a worker process sends it


def test_the_total_itself_can_be_spent_in_decimal_steps(ledger):
    for _ in range(10):
        ledger.reserve("adult", pure(0.1), purpose="")
    assert ledger.left("adult") == Amount(epsilon=0.0)
    with pytest.raises(BudgetExceeded):
        ledger.reserve("adult", pure(1e-8), purpose="")


def test_a_release_without_a_guarantee_is_refused(ledger):
    nothing = NoGuarantee(neighbours=REPLACE_ONE, theorem="no noise")
    with pytest.raises(BudgetExceeded, match="no guarantee"):
        ledger.reserve("adult", nothing, purpose="a plain fit")


def test_delta_is_a_budget_of_its_own(ledger):
    ledger.declare("other", epsilon=5.0, delta=1e-6)
    ledger.reserve("other", approximate(1.0, 6e-7), purpose="")
    with pytest.raises(BudgetExceeded, match="delta 4e-07 is left"):
        ledger.reserve("other", approximate(1.0, 6e-7), purpose="")
    with pytest.raises(BudgetExceeded):
        ledger.reserve("adult", approximate(0.1, 1e-9), purpose="")


def test_the_end_of_a_block_settles_and_settling_again_changes_nothing(ledger):
    with ledger.spending("adult", pure(0.5), purpose="a fit") as reservation:
        assert ledger.entry(reservation.id).state is State.RESERVED
    before = ledger.entry(reservation.id)
    reservation.settle()
    assert before.state is State.SETTLED
    assert ledger.entry(reservation.id) == before


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit])
def test_whatever_a_block_raises_leaves_its_reservation_counted(ledger, error):
    with pytest.raises(error), ledger.spending("adult", pure(0.75), purpose="a fit"):
        raise error
    (entry,) = ledger.history("adult")
    assert entry.state is State.RESERVED
    assert "reserved, never settled" in str(entry)
    assert ledger.left("adult") == Amount(epsilon=0.25)


def test_cancelling_needs_the_callers_word_and_gives_the_budget_back(ledger):
    reservation = ledger.reserve("adult", pure(1.0), purpose="")
    for word in (False, None, 1, "yes"):
        with pytest.raises(InvalidInput, match="no_noise_was_drawn=True"):
            reservation.cancel(no_noise_was_drawn=word)
    reservation.cancel(no_noise_was_drawn=True)
    reservation.cancel(no_noise_was_drawn=True)
    assert ledger.left("adult") == Amount(epsilon=1.0)
    assert ledger.history("adult")[0].state is State.CANCELLED


def test_a_block_that_cancels_is_not_settled_at_its_end(ledger):
    with ledger.spending("adult", pure(1.0), purpose="") as reservation:
        reservation.cancel(no_noise_was_drawn=True)
    assert ledger.spent("adult") == Amount(epsilon=0.0)


def test_a_settled_entry_stays(ledger):
    with ledger.spending("adult", pure(1.0), purpose="") as reservation:
        pass
    with pytest.raises(InvalidInput, match="settled"):
        reservation.cancel(no_noise_was_drawn=True)
    assert ledger.spent("adult") == Amount(epsilon=1.0)


def test_settling_what_was_cancelled_counts_it_again_even_beyond_the_total(ledger):
    first = ledger.reserve("adult", pure(1.0), purpose="")
    first.cancel(no_noise_was_drawn=True)
    ledger.reserve("adult", pure(1.0), purpose="")
    with pytest.raises(InvalidInput, match="a cancelled reservation was settled, so noise"):
        first.settle()
    assert ledger.spent("adult") == Amount(epsilon=2.0)
    assert ledger.left("adult") == Amount(epsilon=0.0)


def test_another_relation_is_refused_in_words(ledger):
    with pytest.raises(InvalidInput, match="replace-one, one record; the release is private for add-remove, one record"):
        ledger.reserve("adult", added(0.1), purpose="")


def test_unknown_names_and_entries_are_refused(ledger):
    for call in (ledger.spent, ledger.left, ledger.history, ledger.plot, ledger.data_set):
        with pytest.raises(InvalidInput, match="Declare it first, with its total"):
            call("adlut")
    with pytest.raises(InvalidInput, match="the history of the data set lists its ids"):
        ledger.settle("nothing")


def test_declaring_again_is_harmless_with_the_same_numbers_only(ledger):
    ledger.reserve("adult", pure(0.5), purpose="")
    assert ledger.declare("adult", epsilon=1.0, delta=0.0) == ledger.data_set("adult")
    for other in (
        {"epsilon": 2.0},
        {"epsilon": 1.0, "delta": 1e-6},
        {"epsilon": 1.0, "neighbours": ADD_REMOVE},
        {"epsilon": 1.0, "parts": ["a", "b"], "part_of_a_record_stays": True},
    ):
        with pytest.raises(InvalidInput, match="amend"):
            ledger.declare("adult", **other)
    assert ledger.spent("adult") == Amount(epsilon=0.5)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("inf"), float("nan"), True, "1"])
def test_a_total_is_a_positive_finite_number(ledger, epsilon):
    with pytest.raises(InvalidInput):
        ledger.declare("other", epsilon=epsilon, delta=0.0)


@pytest.mark.parametrize("name", ["", " a", "a\n", "a\x1b[2J", "a" * 201, 3, None])
def test_names_and_purposes_are_one_printable_line(ledger, name):
    with pytest.raises(InvalidInput, match="printable"):
        ledger.declare(name, epsilon=1.0, delta=0.0)
    if name != "":
        with pytest.raises(InvalidInput, match="printable"):
            ledger.reserve("adult", pure(0.1), purpose=name)


def test_an_unknown_relation_is_refused_in_words(ledger):
    with pytest.raises(InvalidInput, match="replace-one"):
        ledger.declare("other", epsilon=1.0, delta=0.0, neighbours="substitute")


def test_an_amended_total_is_in_force_and_remembered(ledger):
    ledger.reserve("adult", pure(1.0), purpose="")
    ledger.amend("adult", epsilon=1.5, delta=0.0, reason="agreed on 3 March")
    ledger.reserve("adult", pure(0.5), purpose="")
    assert ledger.amend("adult", epsilon=0.5, delta=0.0, reason="a mistake").total == Amount(epsilon=0.5)
    assert ledger.left("adult") == Amount(epsilon=0.0)
    assert ledger.declare("adult", epsilon=1.0, delta=0.0).declared == Amount(epsilon=1.0)


def test_a_ledger_is_a_value(ledger, monkeypatch, tmp_path):
    for other in (copy.deepcopy(ledger), pickle.loads(pickle.dumps(ledger))):  # noqa: S301 - it is ours
        assert other == ledger
        assert other.left("adult") == Amount(epsilon=1.0)
    monkeypatch.chdir(tmp_path)
    assert Ledger("x/../team.ledger").path == ledger.path


def test_no_private_value_reaches_a_message_or_the_file(ledger):
    table = [repr(CANARY).encode() * 100]
    ledger.declare("copy", epsilon=1.0, delta=0.0)
    ledger.reserve("adult", pure(0.1), purpose="a fit", digest=ledger.digest(table))
    with pytest.raises(InvalidInput) as caught:
        ledger.reserve("copy", pure(0.1), purpose="a fit", digest=ledger.digest(table))
    assert_silent(caught.value)
    assert_silent(ledger.export())
    assert_silent(ledger.path.read_bytes().decode("latin-1"))
    assert ledger.digest(table) not in ledger.export()


def test_persons_and_records_do_not_mix_and_the_refusal_says_what_to_do(ledger):
    ledger.declare("visits", epsilon=1.0, delta=0.0, unit="person")
    with pytest.raises(InvalidInput, match=r"one person; .* one record\. .*\[person\].*rows_per_person = 1 if each person has one row.*group_rows=k"):
        ledger.reserve("visits", pure(0.1), purpose="")
    of_a_person = to_persons(pure(0.1), 7, numbers_are_public=True)
    with pytest.raises(InvalidInput, match=r"one record; .* one person\. Declare a data set of persons"):
        ledger.reserve("adult", of_a_person, purpose="")
    assert [len(ledger.history(name)) for name in ("visits", "adult")] == [0, 0]
    ledger.reserve("visits", of_a_person, purpose="")
    assert ledger.spent("visits").epsilon == pytest.approx(0.7)
    with pytest.raises(InvalidInput, match="the release is private for add-remove, one"):
        ledger.reserve("visits", added(0.1), purpose="")
