"""Ledgers: a view in notebooks, spending over time as a picture, and the report.

The picture has one panel for epsilon and, where the total has a delta, one for delta. The line is what was spent after each entry, a step at the time
of its reservation; the pale part on top of it is reserved and was never settled; the dashed line is the total in force.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import NamedTuple

from discreet.core.errors import DiscreetError
from discreet.display.pages import FOOT, Block, Facts, Page, Picture, Pictures, Section, Table, Text, Tone, view_html
from discreet.display.plots import LIGHT_BLUE, QUARTERS, RED, SAND, Axis, Drawing, Panel, Shape, key, svg, words
from discreet.ledger import Amount, DataSet, Ledger
from discreet.ledger.entries import priced, relation
from discreet.ledger.records import Spending, taken
from discreet.ledger.tallies import Tallies

_WIDTH, _HEIGHT, _ABOVE = 760, 260, 34
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 24, 62, 44
_MOST_STEPS = 200
"""That are drawn; of a longer history every k-th entry."""
_MOST_DRAWN = 6
"""Data sets whose spending a notebook shows as a picture."""
_MOST_LISTED = 200
"""Releases that are listed."""


def view(ledger: Ledger) -> str:
    """HTML: every data set with what is spent, what is left, and how many entries it has."""
    name = f"Ledger {ledger.path.name}"
    try:
        found = [ledger.standing(one.name) for one in ledger.data_sets()]
        drawn = [spending(*ledger.spendings(one.name)) for one, *_ in found[:_MOST_DRAWN]]
    except DiscreetError as error:
        return view_html(name, Text(str(error), Tone.BAD))
    rows = [(one.name, relation(one.neighbours, one.unit), str(one.total), str(spent), str(left), str(count)) for one, spent, left, count in found]
    header = ("Data set", "Protected", "Total", "Spent", "Left", "Entries")
    if not rows:
        return view_html(name, Text("No data set is declared in it."))
    pictures = [Picture(one, f"{known.name}: {spent} of {known.total}") for one, (known, spent, _, _) in zip(drawn, found, strict=False)]
    left_out = [Text(f"Of the first {_MOST_DRAWN} data sets; plot(name) draws any.", Tone.NOTE)] if len(found) > _MOST_DRAWN else []
    return view_html(name, Table("Data sets", header, rows, {5}), Pictures(pictures), *left_out)


def plot(ledger: Ledger, name: str) -> str:
    """The picture as text, to be written to a file with the ending .svg."""
    return svg(spending(*ledger.spendings(name)))


class _Step(NamedTuple):
    """After one entry: everything that counts, and what of it is settled."""

    time: datetime
    all: Amount
    settled: Amount


def spending(data_set: DataSet, spendings: Sequence[Spending]) -> Drawing:
    """The picture."""
    steps = _steps(data_set, spendings)
    never_settled = sum(not settled for _, settled, _, _ in spendings)
    title = f"{data_set.name}: spent {steps[-1].all if steps else Amount(epsilon=0.0)} of {data_set.total}"
    line = f"{relation(data_set.neighbours, data_set.unit)}; {len(spendings)} entries that count, {never_settled} of them never settled"
    shapes = [words(_LEFT, 24, title if len(title) <= 84 else f"{title[:81]}...", size=15), words(_LEFT, 44, line)]
    names = ("epsilon", "delta") if data_set.total.delta > 0 else ("epsilon",)
    for place, name in enumerate(names):
        shapes += _panel(name, getattr(data_set.total, name), steps, _ABOVE + _HEIGHT * place)
    return Drawing(title=title, width=_WIDTH, height=_ABOVE + _HEIGHT * len(names), shapes=shapes)


def _steps(data_set: DataSet, spendings: Sequence[Spending]) -> list[_Step]:
    every = max(1, -(-len(spendings) // _MOST_STEPS))
    by_time = sorted(spendings, key=itemgetter(0))
    settled, others = Tallies(data_set.accountant), Tallies(data_set.accountant)
    steps = []
    for begin in range(0, len(by_time), every):
        drawn = by_time[begin : begin + every]
        for _, is_settled, part, guarantee in drawn:
            (settled if is_settled else others).add(part, guarantee)
        everything = Tallies(data_set.accountant).add_all(settled).add_all(others)
        spent, done = (taken(data_set, each.guarantees()) for each in (everything, settled))
        steps.append(_Step(datetime.fromisoformat(drawn[-1][0]), spent, done))
    return steps


def _panel(name: str, total: float, steps: Sequence[_Step], above: float) -> Iterator[Shape]:
    first = steps[0].time if steps else datetime.now(UTC)
    last = max(steps[-1].time if steps else first, first + timedelta(milliseconds=1))
    seconds = (last - first).total_seconds()
    highest = max([total, *(getattr(step.all, name) for step in steps if getattr(step.all, name) < float("inf"))])
    top, floor, right = above + _TOP, above + _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    # Half of the first tenth is left free, so that a first step is seen as a step.
    across = Axis(low=-seconds / 18.0, high=seconds * 19.0 / 18.0, start=_LEFT, end=right, ticks=(), label=str)
    up = Axis(low=0.0, high=1.08 * highest, start=floor, end=top, ticks=[share * total for share in QUARTERS], label="{:.4g}".format)
    panel = Panel(across=across, up=up)
    yield from panel.frame()
    yield words(_LEFT, top - 14, name)
    for which, colour in (("all", SAND), ("settled", LIGHT_BLUE)):
        corners, height = [(across.low, 0.0)], 0.0
        for step in steps:
            time, after = (step.time - first).total_seconds(), getattr(getattr(step, which), name)
            corners += [(time, height), (time, after)]
            height = after
        yield panel.area([*corners, (across.high, height), (across.high, 0.0)], colour)
    yield panel.dashed((across.low, total), (across.high, total), RED, width=2.0)
    ends = [_time(step.time, last - first) for step in (steps[0], steps[-1])] if steps else []
    yield from (words(across.place(0.0), floor + 20, label) for label in ends[:1])
    yield from (words(right, floor + 20, label, anchor="end") for label in ends[1:] if len(steps) > 1)
    for offset, colour, what in ((330, LIGHT_BLUE, "settled"), (245, SAND, "reserved, never settled"), (66, RED, "total")):
        yield from key(right - offset, top - 14, colour, what)


def _time(time: datetime, span: timedelta) -> str:
    """As exact as it takes to tell the ends of a span apart."""
    if span >= timedelta(days=3):
        return time.strftime("%Y-%m-%d")
    return time.strftime("%Y-%m-%d %H:%M UTC" if span >= timedelta(minutes=10) else "%Y-%m-%d %H:%M:%S UTC")


def page(ledger: Ledger) -> Page:
    """The report; one section a data set."""
    data_sets = ledger.data_sets()
    sentence = (
        "The privacy losses of all releases about the same people add up. This ledger keeps the sum for each table. Before any noise is "
        "drawn, it refuses a release that would exceed the agreed total."
    )
    standings = [ledger.standing(one.name) for one in data_sets]
    rows = [(one.name, str(one.total), str(spent), str(left), str(count)) for one, spent, left, count in standings]
    table = Table("All data sets", ("Data set", "Total", "Spent", "Left", "Entries"), rows, {4})
    lead = [Text(sentence, Tone.LEAD), table if rows else Text("No data set is declared in it yet.")]
    return Page(f"Ledger: {ledger.path.name}", lead, [_data_set(ledger, one) for one in data_sets], FOOT)


def _data_set(ledger: Ledger, data_set: DataSet) -> Section:
    rows = [
        ("Protected", f"one {data_set.unit}, {data_set.neighbours}"),
        ("Total agreed on", str(data_set.total)),
        ("Spent", str(ledger.spent(data_set.name))),
        ("Left", str(ledger.left(data_set.name))),
        ("Added up by", data_set.accountant),
    ]
    amended = [(one.created[:19].replace("T", " "), str(one.total), one.reason) for one in ledger.amendments(data_set.name)]
    if amended:
        rows.append(("Total as first declared", str(data_set.declared)))
    if data_set.parts:
        left = [f"{part}: {ledger.left(data_set.name, part=part)}" for part in data_set.parts]
        rows.append(("Disjoint parts, and what is left for each", "; ".join(left)))
    if data_set.aliases:
        rows.append(("Also known as", ", ".join(data_set.aliases)))
    entries = ledger.history(data_set.name)
    shown = [
        (entry.reserved_at[:19].replace("T", " "), entry.purpose or "-", priced(entry.guarantee), str(entry.state), entry.id)
        for entry in entries[-_MOST_LISTED:]
    ]
    more = f"; the last {_MOST_LISTED} of {len(entries):,}" if len(entries) > _MOST_LISTED else ""
    header = ("Reserved (UTC)", "Purpose", "Guarantee", "State", "Entry")
    releases = Table(f"Releases, in order of reservation{more}", header, shown)
    changes = [Table("Changes of the total", ("Changed (UTC)", "Total", "Reason"), amended)] if amended else []
    found = releases if shown else Text("Nothing has been released on it.")
    return Section(data_set.name, [Facts("The budget", rows), picture(ledger, data_set), *changes, found])


def picture(ledger: Ledger, data_set: DataSet) -> Block:
    """The spending over time of one data set, for a page."""
    caption = f"Spending on {data_set.name} over time: {ledger.spent(data_set.name)} of {data_set.total}. The dashed line is the total."
    return Picture(spending(*ledger.spendings(data_set.name)), caption)
