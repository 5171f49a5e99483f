"""Ledgers as the page shows them: what was spent and what is left, a new data set, another total. No table is opened."""

from discreet.core.errors import InvalidInput
from discreet.core.files.reading import exists, is_file
from discreet.ledger import Ledger, declaration
from discreet.ledger.entries import priced
from discreet.workbench.places import place
from discreet.workbench.wire import Fields

_MOST_ENTRIES = 500
"""Of a data set that the page shows."""


def open_ledger(path: str) -> Ledger:
    """The ledger in this file. Raises InvalidInput where there is none: a mistyped path never becomes a new one."""
    if not is_file(path):
        raise InvalidInput(f"there is no ledger {path!r}. Check the path, or make one at the step Ledger.")
    return Ledger(path)


def shown(asked: Fields) -> dict[str, object]:
    """What a ledger holds."""
    return _record(open_ledger(_path(asked.only("path"))))


def declared(asked: Fields) -> dict[str, object]:
    """A data set with its total, in a ledger that is made where there is none."""
    path = _path(asked.only("path", "data_set", "epsilon", "delta", "neighbours", "unit"))
    wanted = declaration(  # before a file is made, so that a refusal leaves no empty ledger behind
        asked.needed("data_set", "The name of a data set"),
        epsilon=asked.number("epsilon", "The total epsilon", least=0.0, most=1e6, inclusive=False),
        delta=asked.number("delta", "The total delta", least=0.0, most=1.0),
        neighbours=asked.choice("neighbours", "What is hidden", ("replace-one", "add-remove")),
        unit=asked.choice("unit", "Whose total it is", ("record", "person")),
    )
    ledger = Ledger(path) if exists(path) else Ledger.create(path)
    ledger.add(wanted)
    return _record(ledger)


def amended(asked: Fields) -> dict[str, object]:
    """Another total of a data set, with the reason, which stays in the ledger."""
    ledger = open_ledger(_path(asked.only("path", "data_set", "epsilon", "delta", "reason")))
    ledger.amend(
        asked.needed("data_set", "The name of a data set"),
        epsilon=asked.number("epsilon", "The total epsilon", least=0.0, most=1e6, inclusive=False),
        delta=asked.number("delta", "The total delta", least=0.0, most=1.0),
        reason=asked.needed("reason", "The reason"),
    )
    return _record(ledger)


def _path(asked: Fields) -> str:
    return place(asked.needed("path", "The path of a ledger"))


def _record(ledger: Ledger) -> dict[str, object]:
    return {"path": str(ledger.path), "data_sets": [_data_set(ledger, one.name) for one in ledger.data_sets()]}


def _data_set(ledger: Ledger, name: str) -> dict[str, object]:
    data_set, spent, left, count = ledger.standing(name)
    entries = [
        {"when": one.reserved_at, "purpose": one.purpose, "state": str(one.state), "cost": priced(one.guarantee), "part": one.part}
        for one in reversed(ledger.history(name)[-_MOST_ENTRIES:])
    ]
    return {
        "name": data_set.name,
        "neighbours": str(data_set.neighbours),
        "unit": str(data_set.unit),
        "accountant": data_set.accountant,
        "total": data_set.total.to_dict(),
        "spent": spent.to_dict(),
        "left": left.to_dict(),
        "parts": list(data_set.parts),
        "entries": entries,
        "more": max(0, count - _MOST_ENTRIES),
    }
