"""The budget before and after a release, from the ledger that it was reserved on."""

from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput
from discreet.ledger import Amount, DataSet, Ledger, State
from discreet.ledger.spending import counted_of, taken
from discreet.pages import Block, Facts, Picture, Section, Text, Tone


def budget_section(certificate: Certificate, ledger: Ledger | None) -> Section:
    """What was in the ledger before this release, what it took and what was left, and what is left now.

    Without a ledger, that nothing adds this release up. Raises InvalidInput where the ledger does not hold the certificate's entry.
    """
    entry = certificate.ledger_entry
    if entry is None:
        words = "No ledger was in use: nobody adds this release up with others about the same people."
        return Section(title="The budget", blocks=[Text(words=words, tone=Tone.BAD)])
    if ledger is None:
        words = "The budget was reserved on a ledger before any noise was drawn. Whoever keeps the ledger can say what is left of it."
        return Section(title="The budget", blocks=[Text(words=words), Facts(caption="In the ledger", rows=[("Entry", entry)])])
    found = ledger.entry(entry)
    data_set, history = ledger.data_set(found.data_set), ledger.history(found.data_set)
    if found.guarantee.to_dict() != certificate.guarantee.to_dict():
        raise InvalidInput(
            "the ledger's entry states another guarantee than the certificate, so it is not of this release. Give the ledger of the fit."
        )
    place = next(number for number, one in enumerate(history) if one.id == entry)
    before, after, now = (taken(data_set, counted_of(history[:end]), part=found.part) for end in (place, place + 1, None))
    where = data_set.name if found.part is None else f"{data_set.name}, part {found.part}"
    rows = [
        ("Data set", f"{where}; {data_set.neighbours}, one {data_set.unit}"),
        ("Total agreed on", amount(data_set.total)),
        ("Spent before this release", amount(before)),
        ("Spent after it", amount(after)),
        ("Left after it", amount(after.left_of(data_set.total))),
        ("Left when this page was written", amount(now.left_of(data_set.total))),
        ("Entry", f"{found.id}, {found.reserved_at} UTC"),
    ]
    blocks: list[Block] = [Facts(caption="In the ledger", rows=rows), spending(ledger, data_set)]
    if now.exceeds(data_set.total):
        blocks.insert(0, Text(words="More has been spent on this data set than its total allows.", tone=Tone.BAD))
    if found.state is State.CANCELLED:
        blocks.insert(0, Text(words="The ledger says that this release was cancelled, yet there it is.", tone=Tone.BAD))
    return Section(title="The budget", blocks=blocks)


def spending(ledger: Ledger, data_set: DataSet) -> Picture:
    """The spending over time of one data set."""
    spent, total = ledger.spent(data_set.name), data_set.total
    caption = f"Spending on {data_set.name} over time: {amount(spent)} of {amount(total)}. The dashed line is the total."
    return Picture(svg=ledger.plot(data_set.name), caption=caption)


def amount(value: Amount) -> str:
    """A pair in words."""
    return f"epsilon {value.epsilon:.6g}, delta {value.delta:.3g}"
