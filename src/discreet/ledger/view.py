"""Ledgers in notebooks."""

from collections.abc import Sequence
from pathlib import Path

from discreet.core.errors import DiscreetError
from discreet.ledger.amounts import Amount
from discreet.ledger.entries import DataSet, relation
from discreet.pages import Table, Text, Tone, view_html


def ledger_view(path: Path, sums: Sequence[tuple[DataSet, Amount, Amount, int]]) -> str:
    """HTML: every data set with what is spent, what is left, and how many entries it has."""
    name = f"Ledger {path.name}"
    if not sums:
        return view_html(name, [Text(words="No data set is declared in it.")])
    rows = [(one.name, relation(one.neighbours, one.unit), str(one.total), str(spent), str(left), str(count)) for one, spent, left, count in sums]
    header = ("Data set", "Protected", "Total", "Spent", "Left", "Entries")
    return view_html(name, [Table(caption="Data sets", header=header, rows=rows, numbers=frozenset({5}))])


def unreadable_view(path: Path, error: DiscreetError) -> str:
    """HTML for a ledger that cannot be read now."""
    return view_html(f"Ledger {path.name}", [Text(words=str(error), tone=Tone.BAD)])
