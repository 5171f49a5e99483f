"""A data set of a ledger, and amounts of privacy, in words and as JSON."""

import math
from typing import TYPE_CHECKING

from discreet.cli.output import heading

if TYPE_CHECKING:
    from discreet.ledger import Amount, DataSet, Ledger


def document_of(ledger: "Ledger", data_set: "DataSet") -> dict[str, object]:
    """Everything that `discreet budget` tells about a data set, for --json; the amounts of parts are what is left on them."""
    entries = ledger.history(data_set.name)
    return {
        "name": data_set.name,
        "aliases": list(data_set.aliases),
        "neighbours": str(data_set.neighbours),
        "unit": str(data_set.unit),
        "accountant": data_set.accountant,
        "declared": as_json_pair(data_set.declared),
        "total": as_json_pair(data_set.total),
        "spent": as_json_pair(ledger.spent(data_set.name)),
        "left": as_json_pair(ledger.left(data_set.name)),
        "parts": {part: as_json_pair(ledger.left(data_set.name, part=part)) for part in data_set.parts},
        "releases": sum(entry.state.counts for entry in entries),
        "never_settled": sum(entry.state == "reserved" for entry in entries),
    }


def lines_of(ledger: "Ledger", data_set: "DataSet") -> list[str]:
    """The same in words."""
    entries = [entry for entry in ledger.history(data_set.name) if entry.state.counts]
    unsettled = sum(entry.state == "reserved" for entry in entries)
    amended = "" if data_set.total == data_set.declared else f", amended from {in_words(data_set.declared)}"
    return [
        "",
        heading(data_set.name) + "".join(f", also {alias}" for alias in data_set.aliases),
        f"  Total      {in_words(data_set.total)} ({data_set.neighbours}, one {data_set.unit}; {data_set.accountant} accountant){amended}",
        f"  Spent      {in_words(ledger.spent(data_set.name))} by {len(entries)} {'release' if len(entries) == 1 else 'releases'}",
        f"  Left       {in_words(ledger.left(data_set.name))}" + (" on all parts together" if data_set.parts else ""),
        *(f"  Left       {in_words(ledger.left(data_set.name, part=part))} on part {part!r}" for part in data_set.parts),
        *([f"  Unsettled  {unsettled}: reserved and never settled, by a release under way or a crash; counted"] if unsettled else []),
    ]


def in_words(amount: "Amount") -> str:
    """An amount in a line of text."""
    return f"epsilon {amount.epsilon:.6g}, delta {amount.delta:.3g}"


def as_json_pair(amount: "Amount") -> dict[str, float | None]:
    """An amount in a document; null for an infinite epsilon, which JSON does not have."""
    return {"epsilon": amount.epsilon if math.isfinite(amount.epsilon) else None, "delta": amount.delta}
