"""What a ledger refuses with. Every message is made of public numbers: names, budgets, and what was reserved or settled before."""

from discreet.core.errors import DiscreetError


class BudgetExceeded(DiscreetError, RuntimeError):
    """What is asked for does not fit into what is left; nothing was recorded and no noise may be drawn."""

    exit_code = 7


class LedgerUnavailable(DiscreetError, RuntimeError):
    """The ledger cannot be read or written now: locked, read-only, disk full. No noise may be drawn; what was recorded before stays recorded."""

    exit_code = 8
