"""The report on a ledger: every data set with its total, what is spent and left, its spending over time and its releases."""

from discreet.display.reports.budget import amount, spending
from discreet.display.reports.release_report import foot
from discreet.ledger import DataSet, Ledger
from discreet.ledger.entries import priced
from discreet.pages import Block, Facts, Page, Section, Table, Text, Tone

_MOST = 200
"""Releases that are listed."""


def ledger_page(ledger: Ledger) -> Page:
    """The page; one section a data set."""
    data_sets = ledger.data_sets()
    words = (
        "Whatever is released about the same people adds up. This ledger keeps the sum for each table, and refuses a release that would exceed "
        "the total agreed on, before any noise is drawn."
    )
    lead: list[Block] = [Text(words=words, tone=Tone.LEAD)]
    if data_sets:
        rows = [
            (one.name, amount(one.total), amount(ledger.spent(one.name)), amount(ledger.left(one.name)), str(len(ledger.history(one.name))))
            for one in data_sets
        ]
        header = ("Data set", "Total", "Spent", "Left", "Entries")
        lead.append(Table(caption="All data sets", header=header, rows=rows, numbers=frozenset({4})))
    else:
        lead.append(Text(words="No data set is declared in it yet."))
    return Page(title=f"Ledger: {ledger.path.name}", lead=lead, sections=[_data_set(ledger, one) for one in data_sets], foot=foot())


def _data_set(ledger: Ledger, data_set: DataSet) -> Section:
    rows = [
        ("Protected", f"one {data_set.unit}, {data_set.neighbours}"),
        ("Total agreed on", amount(data_set.total)),
        ("Spent", amount(ledger.spent(data_set.name))),
        ("Left", amount(ledger.left(data_set.name))),
        ("Added up by", data_set.accountant),
    ]
    if data_set.total != data_set.declared:
        rows.append(("Total when it was declared", f"{amount(data_set.declared)}; it was changed since, see the export for the reasons"))
    if data_set.parts:
        left = [f"{part}: {amount(ledger.left(data_set.name, part=part))}" for part in data_set.parts]
        rows.append(("Disjoint parts, and what is left on each", "; ".join(left)))
    if data_set.aliases:
        rows.append(("Also known as", ", ".join(data_set.aliases)))
    entries = ledger.history(data_set.name)
    shown = [
        (entry.reserved_at[:19].replace("T", " "), entry.purpose or "-", priced(entry.guarantee), str(entry.state), entry.id)
        for entry in entries[-_MOST:]
    ]
    blocks: list[Block] = [Facts(caption="The budget", rows=rows), spending(ledger, data_set)]
    if shown:
        caption = "Releases, in the order of their reservation" + (f"; the last {_MOST} of {len(entries):,}" if len(entries) > _MOST else "")
        blocks.append(Table(caption=caption, header=("Reserved (UTC)", "Purpose", "Guarantee", "State", "Entry"), rows=shown))
    else:
        blocks.append(Text(words="Nothing has been released on it."))
    return Section(title=data_set.name, blocks=blocks)
