"""Any sequence of reservations, settlements, crashes and restarts, against a model of a few lines."""

import tempfile
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, precondition, rule

from discreet.core.errors import InvalidInput
from discreet.ledger import BudgetExceeded, Ledger, State
from tests.ledger.guarantees import pure

EIGHTHS = st.integers(0, 12).map(lambda count: count / 8)
"""Sums of eighths are exact."""
PARTS = st.sampled_from([None, "a", "b"])


def die_within(ledger):
    with ledger._file.writing() as connection:
        connection.execute("DELETE FROM entry")
        raise ZeroDivisionError


class Spending(RuleBasedStateMachine):
    """The model: a dict from ids to [part, epsilon, state]."""

    pending = Bundle("pending")
    closed = Bundle("closed")

    @initialize(total=st.integers(1, 24))
    def begin(self, total):
        self.folder = tempfile.TemporaryDirectory()
        self.total = Fraction(total, 8)
        self.ledger = Ledger.create(Path(self.folder.name) / "ledger")
        self.ledger.declare("adult", epsilon=total / 8, delta=0.0, parts=["a", "b"], part_of_a_record_stays=True)
        self.model = {}
        self.drawn = Fraction(0)

    def counted(self, part):
        return sum((Fraction(each[1]) for each in self.model.values() if each[2] is not State.CANCELLED and each[0] in (None, part)), Fraction(0))

    @rule(target=pending, epsilon=EIGHTHS, part=PARTS)
    def reserve(self, epsilon, part):
        fits = all(self.counted(each) + Fraction(epsilon) <= self.total for each in ("a", "b") if part in (None, each))
        try:
            reservation = self.ledger.reserve("adult", pure(epsilon), purpose="", part=part)
        except BudgetExceeded:
            assert not fits
            return multiple()
        assert fits
        self.model[reservation.id] = [part, epsilon, State.RESERVED]
        return reservation

    @rule(target=closed, reservation=consumes(pending))
    def settle(self, reservation):
        reservation.settle()
        self.model[reservation.id][2] = State.SETTLED
        return reservation

    @rule(target=closed, reservation=consumes(pending))
    def cancel(self, reservation):
        reservation.cancel(no_noise_was_drawn=True)
        self.model[reservation.id][2] = State.CANCELLED
        return reservation

    @rule(reservation=consumes(pending))
    def crash(self, reservation):
        """Nobody holds the reservation any more; it counts for ever."""

    @rule(reservation=closed)
    def settle_again(self, reservation):
        if self.model[reservation.id][2] is State.CANCELLED:
            with pytest.raises(InvalidInput):
                reservation.settle()
            self.model[reservation.id][2] = State.SETTLED
        else:
            reservation.settle()

    @rule(reservation=closed)
    def cancel_again(self, reservation):
        if self.model[reservation.id][2] is State.SETTLED:
            with pytest.raises(InvalidInput):
                reservation.cancel(no_noise_was_drawn=True)
        else:
            reservation.cancel(no_noise_was_drawn=True)

    @rule(epsilon=EIGHTHS, part=PARTS, fails=st.booleans())
    def spend(self, epsilon, part, fails):
        fits = all(self.counted(each) + Fraction(epsilon) <= self.total for each in ("a", "b") if part in (None, each))
        entered = []
        with suppress(BudgetExceeded, ZeroDivisionError), self.ledger.spending("adult", pure(epsilon), purpose="", part=part) as reservation:
            entered.append(reservation.id)
            if fails:
                raise ZeroDivisionError
        assert len(entered) == fits
        for entry in entered:
            self.model[entry] = [part, epsilon, State.RESERVED if fails else State.SETTLED]

    @rule()
    def reopen(self):
        self.ledger = Ledger(self.ledger.path)

    @rule()
    def transaction_that_dies(self):
        with pytest.raises(ZeroDivisionError):
            die_within(self.ledger)

    @precondition(lambda self: self.model)
    @rule()
    def move(self):
        """To a new file, through an export, twice."""
        other = Ledger.create(self.ledger.path.with_name(f"{self.ledger.path.name}x"))
        assert other.import_(self.ledger.export()) == len(self.model)
        assert other.import_(self.ledger.export()) == 0
        assert other.history("adult") == self.ledger.history("adult")
        other.path.rename(self.ledger.path)

    @invariant()
    def the_ledger_says_what_the_model_says(self):
        history = self.ledger.history("adult")
        assert {entry.id: [entry.part, entry.guarantee.epsilon, entry.state] for entry in history} == self.model
        spent = max(self.counted("a"), self.counted("b"))
        assert Fraction(self.ledger.spent("adult").epsilon) == spent
        assert Fraction(self.ledger.left("adult").epsilon) == max(Fraction(0), self.total - spent)

    def teardown(self):
        self.folder.cleanup()


Spending.TestCase.settings = settings(max_examples=max(20, settings.default.max_examples // 5), stateful_step_count=25)
TestSpending = Spending.TestCase
