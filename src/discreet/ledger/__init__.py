"""The ledger: what has been spent on which data set, in a file, outside of estimators."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.ledger.account import Account, check_may_travel, current, last_reservation, spending_on, using, without_ledger
    from discreet.ledger.accountants import Amount, register_accountant
    from discreet.ledger.entries import DataSet, Entry, State, declaration
    from discreet.ledger.file import LedgerUnavailable
    from discreet.ledger.ledger import Ledger, Reservation
    from discreet.ledger.records import BudgetExceeded
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "Account",
    "Amount",
    "BudgetExceeded",
    "DataSet",
    "Entry",
    "Ledger",
    "LedgerUnavailable",
    "Reservation",
    "State",
    "check_may_travel",
    "current",
    "declaration",
    "last_reservation",
    "register_accountant",
    "spending_on",
    "using",
    "without_ledger",
]
