"""Ledgers as the page shows them: totals, what is left, and every entry."""

from discreet.core.errors import InvalidInput
from discreet.core.files.lookup import exists, is_file
from discreet.ledger import Amount, Ledger
from discreet.ledger.entries import declaration, priced

MOST_ENTRIES = 500


def opened(path: str) -> Ledger:
    """The ledger in this file. Raises InvalidInput where there is none: a mistyped path never becomes a new one."""
    if not is_file(path):
        raise InvalidInput(f"there is no ledger {path!r}. Check the path, or make one below.")
    return Ledger(path)


def ledger_record(ledger: Ledger) -> dict[str, object]:
    """Everything that the page shows of it."""
    return {"path": str(ledger.path), "data_sets": [_data_set(ledger, one.name) for one in ledger.data_sets()]}


def declared(path: str, name: str, *, epsilon: float, delta: float, neighbours: str) -> Ledger:
    """A data set with its total, in a ledger that is made where there is none. Raises as `Ledger.declare`; then no empty ledger is left behind."""
    wanted = declaration(name, epsilon=epsilon, delta=delta, neighbours=neighbours)
    ledger = Ledger(path) if exists(path) else Ledger.create(path)
    ledger.add(wanted)
    return ledger


def _data_set(ledger: Ledger, name: str) -> dict[str, object]:
    data_set, spent, left, count = ledger.standing(name)
    entries = [
        {"when": one.reserved_at, "purpose": one.purpose, "state": str(one.state), "cost": priced(one.guarantee), "part": one.part}
        for one in reversed(ledger.history(name)[-MOST_ENTRIES:])
    ]
    return {
        "name": data_set.name,
        "neighbours": str(data_set.neighbours),
        "accountant": data_set.accountant,
        "total": _amount(data_set.total),
        "spent": _amount(spent),
        "left": _amount(left),
        "parts": list(data_set.parts),
        "entries": entries,
        "more": max(0, count - MOST_ENTRIES),
    }


def _amount(amount: Amount) -> dict[str, object]:
    """Of an infinite epsilon nothing is left to say: it is shown as null."""
    return {"epsilon": amount.epsilon if amount.epsilon < float("inf") else None, "delta": amount.delta}
