"""How a ledger looks: a table of its data sets for notebooks, and the spending on one of them over time as an SVG picture.

The picture has one panel for epsilon and, where the total has a delta, one for delta. The line is what was spent after each entry, a step at the time
of its reservation; the pale part on top of it is reserved and was never settled; the dashed line is the total in force.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from discreet.core.errors import DiscreetError
from discreet.ledger.accountants import Amount
from discreet.ledger.entries import DataSet, relation
from discreet.ledger.records import Spending
from discreet.ledger.spending import taken
from discreet.ledger.tallies import Tallies
from discreet.pages import Table, Text, Tone, view_html
from discreet.pages.svg import LIGHT_BLUE, PALE, RED, SAND, picture, words

_WIDTH, _HEIGHT = 760, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 24, 62, 44
_MOST = 200
"""Steps that are drawn; of a longer history every k-th entry."""
_SETTLED, _RESERVED, _TOTAL = LIGHT_BLUE, SAND, RED


class _Step(NamedTuple):
    """After one entry: everything that counts, and what of it is settled."""

    time: datetime
    all: Amount
    settled: Amount


def spending_plot(data_set: DataSet, spendings: Sequence[Spending]) -> str:
    """The picture as text, to be written to a file with the ending .svg."""
    steps = _steps(data_set, spendings)
    panels = [_panel("epsilon", data_set.total.epsilon, [(step.time, step.all.epsilon, step.settled.epsilon) for step in steps])]
    if data_set.total.delta > 0:
        panels.append(_panel("delta", data_set.total.delta, [(step.time, step.all.delta, step.settled.delta) for step in steps]))
    height = 34 + _HEIGHT * len(panels)
    never_settled = sum(not settled for _, settled, _, _ in spendings)
    title = f"{data_set.name}: spent {steps[-1].all if steps else Amount(epsilon=0.0)} of {data_set.total}"
    line = f"{relation(data_set.neighbours, data_set.unit)}; {len(spendings)} entries that count, {never_settled} of them never settled"
    body = "\n".join(f'<g transform="translate(0 {34 + _HEIGHT * index})">\n{panel}\n</g>' for index, panel in enumerate(panels))
    words_above = f"{words(_LEFT, 24, _short(title, 84), size=15)}\n{words(_LEFT, 44, line)}\n{body}"
    return picture(words_above, width=_WIDTH, height=height, title=title)


def _steps(data_set: DataSet, spendings: Sequence[Spending]) -> list[_Step]:
    every = max(1, -(-len(spendings) // _MOST))
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


def _panel(name: str, total: float, steps: Sequence[tuple[datetime, float, float]]) -> str:
    first = steps[0][0] if steps else datetime.now(UTC)
    last = max(steps[-1][0] if steps else first, first + timedelta(milliseconds=1))
    top = 1.08 * max([total, *(spent for _, spent, _ in steps if spent < float("inf"))])
    floor, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT

    def across(time: datetime) -> float:
        # Half of the first tenth is left free, so that a first step is seen as a step.
        return _LEFT + (right - _LEFT) * (0.05 + 0.9 * ((time - first) / (last - first)))

    def up(value: float) -> float:
        return floor - (floor - _TOP) * min(value, top) / top

    def staircase(column: int) -> str:
        corners, height = [f"M{_LEFT} {floor}"], floor * 1.0
        for step in steps:
            x, y = across(step[0]), up(step[column])  # type: ignore[arg-type]
            corners.append(f"L{x:.1f} {height:.1f} L{x:.1f} {y:.1f}")
            height = y
        corners.append(f"L{right} {height:.1f} L{right} {floor} Z")
        return " ".join(corners)

    lines = [
        f'<line x1="{_LEFT}" x2="{right}" y1="{up(share * total):.1f}" y2="{up(share * total):.1f}" stroke="{PALE}"/>'
        + words(_LEFT - 8, up(share * total) + 4, f"{share * total:.4g}", anchor="end")
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    budget = up(total)
    shown = "milliseconds" if last - first < timedelta(seconds=10) else "seconds"
    ends = [step[0].replace(tzinfo=None).isoformat(" ", shown) + " UTC" for step in (steps[0], steps[-1])] if steps else []
    return "\n".join(
        [
            words(_LEFT, _TOP - 14, name),
            *lines,
            f'<path d="{staircase(1)}" fill="{_RESERVED}"/>',
            f'<path d="{staircase(2)}" fill="{_SETTLED}"/>',
            f'<line x1="{_LEFT}" x2="{right}" y1="{budget:.1f}" y2="{budget:.1f}" stroke="{_TOTAL}" stroke-width="2" stroke-dasharray="7 4"/>',
            *(words(across(first), floor + 20, label) for label in ends[:1]),
            *(words(right, floor + 20, label, anchor="end") for label in ends[1:] if len(steps) > 1),
            *_legend(right),
        ]
    )


def _legend(right: float) -> list[str]:
    marks = []
    for offset, colour, name in ((330, _SETTLED, "settled"), (245, _RESERVED, "reserved, never settled"), (66, _TOTAL, "total")):
        marks.append(f'<rect x="{right - offset}" y="{_TOP - 24}" width="12" height="12" fill="{colour}"/>')
        marks.append(words(right - offset + 18, _TOP - 14, name))
    return marks


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


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
