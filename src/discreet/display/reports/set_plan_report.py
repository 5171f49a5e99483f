"""The report on a plan over a set: what is proved of every mechanism, over the number of records and at other budgets. Public numbers only."""

import math
from collections.abc import Sequence
from dataclasses import replace

from discreet.core.errors import DiscreetError
from discreet.display.reports.odds import numbers_shown
from discreet.display.reports.plan_words import epsilons, lead, never, planned_guarantee
from discreet.display.reports.promise import odds_table
from discreet.display.reports.release_report import public_foot
from discreet.pages import Block, Bullets, Facts, Page, Picture, Section, Table
from discreet.pages.svg import BLUE, INK, LIGHT_BLUE, PALE, RED, LogAxis, line, path, picture, words
from discreet.planning import NeededRecords, SetBound, SetPlan, SimulatedOverSet

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 400, 84, 24, 108, 56
_COLOURS = (BLUE, RED, LIGHT_BLUE, INK)
_LADDER = (-6, -5, -4, -3, -2, -1, 0, 1, 2)
"""Sizes of the picture: thirds of powers of ten times the records that were asked for."""


def set_plan_page(
    plan: SetPlan, found: SetBound, needed: Sequence[NeededRecords], simulated: Sequence[SimulatedOverSet], *, radius: float, excess: float | None
) -> Page:
    """The page. `found` is the answer, `needed` what each mechanism needs where an excess was asked for."""
    domain = plan.problem(found.records).domain
    if excess is None:
        said = f"With {found.records:,} records the mean loss is expected to be at most {found.best.risk:.4g} above its least value on the set."
    else:
        said = (
            f"{found.records:,} records are proved to be enough for a mean loss that is expected at most {excess:g} above its least value on the set."
        )
    bounds = [f"every entry at most {plan.entry_bound:g}"] if plan.entry_bound is not None else []
    bounds += [f"norm at most {plan.data_norm:g}"] if plan.data_norm is not None else []
    rows = [
        ("Model", f"{plan.loss} loss over {plan.constraint.name} of radius {radius:g}, {domain.features:,} features"),
        ("Rows", ", ".join(bounds)),
        ("Privacy", f"epsilon {plan.epsilon:g}, delta {plan.delta:g}, {plan.neighbours}"),
        ("No point of the set exceeds the least loss by more than", f"{found.trivial:.4g}"),
        ("What a fit takes by itself", f"{found.auto}, of which {numbers_shown(found.of(found.auto).own_risk)} is proved"),
    ]
    sections = [
        Section(title="What is planned", blocks=[Facts(caption="In public numbers", rows=rows)]),
        Section(title="The mechanisms side by side", blocks=[_mechanisms(found, needed), *_simulations(simulated)]),
        Section(title="Error against the number of records", blocks=_picture(plan, found)),
        Section(title="What other budgets would buy", blocks=[_budgets(plan, found, excess), odds_table(planned_guarantee(plan))]),
        Section(title="What it does not say", blocks=[Bullets(items=[*_LIMITS, *never()])]),
    ]
    return Page(title=f"Plan over {plan.constraint.name}: how many records for which error", lead=lead(said), sections=sections, foot=public_foot())


_LIMITS = (
    "It is about the mean loss on the records themselves, in expectation over the noise; how the model does on others is another question.",
    "A bound holds for every table within the declared bounds, and is therefore above what a usual table gives.",
)


def _mechanisms(found: SetBound, needed: Sequence[NeededRecords]) -> Table:
    counts = {one.mechanism: one for one in needed}
    header = ["Mechanism", "Proved", "Steps", "Proved of a fit by itself", "Its steps", *(["Records needed"] if needed else []), "Remark"]
    rows = []
    for one in found.mechanisms:
        count = counts.get(one.mechanism)
        enough = [] if count is None else ["-" if count.records is None else f"{count.records:,}"]
        steps = ["-" if number is None else f"{number:,}" for number in (one.steps, one.own_steps)]
        rows.append([one.mechanism, numbers_shown(one.risk), steps[0], numbers_shown(one.own_risk), steps[1], *enough, one.remark or "-"])
    caption = f"Expected excess of the mean loss with {found.records:,} records"
    return Table(caption=caption, header=header, rows=rows, numbers=frozenset(range(1, len(header) - 1)))


def _simulations(simulated: Sequence[SimulatedOverSet]) -> list[Block]:
    if not simulated:
        return []
    rows = [(f"{one.records:,}", f"{one.own_risk:.4g}", f"{one.mean:.4g}", f"{one.largest:.4g}", one.mechanism) for one in simulated]
    header = ("Records", "Proved", "Simulated, mean", "Simulated, largest", "Mechanism")
    return [Table(caption="Fits that are left to themselves, on invented records", header=header, rows=rows, numbers=frozenset({1, 2, 3}))]


def _budgets(plan: SetPlan, found: SetBound, excess: float | None) -> Table:
    rows = []
    for epsilon in epsilons(plan.epsilon):
        other = replace(plan, epsilon=epsilon)
        mark = " (asked for)" if epsilon == plan.epsilon else ""
        try:
            bound = other.bound(found.records) if excess is None else other.records_for(excess)
        except DiscreetError:
            rows.append((f"{epsilon:g}{mark}", "not reached", "-"))
            continue
        rows.append((f"{epsilon:g}{mark}", f"{bound.best.risk:.4g}" if excess is None else f"{bound.records:,}", bound.best.mechanism))
    asked = f"Excess with {found.records:,} records" if excess is None else f"Records for an excess of {excess:g}"
    return Table(caption="The same plan at other epsilons", header=("Epsilon", asked, "By"), rows=rows, numbers=frozenset({1}))


def _picture(plan: SetPlan, found: SetBound) -> list[Block]:
    most = plan.problem(1).most_records
    counts = sorted({min(most, max(1, round(found.records * 10.0 ** (power / 3.0)))) for power in _LADDER})
    lines: dict[str, list[tuple[float, float]]] = {}
    for count in counts:
        for one in plan.bound(count).mechanisms:
            if math.isfinite(one.risk):
                lines.setdefault(one.mechanism, []).append((float(count), one.risk))
    if len(counts) < 2 or not lines:
        return [Table(caption="There are too few sizes to draw", header=("Records",), rows=[(f"{count:,}",) for count in counts])]
    caption = (
        "What is proved of each mechanism against the number of records, both on logarithmic scales; lower is better. The dashed line is what no "
        f"point of the set exceeds. At {found.records:,} records the best is {found.best.mechanism} with {found.best.risk:.3g}."
    )
    return [Picture(svg=_drawn(lines, found), caption=caption)]


def _drawn(lines: dict[str, list[tuple[float, float]]], found: SetBound) -> str:
    points = [point for line_ in lines.values() for point in line_]
    across = LogAxis([x for x, _ in points], _LEFT, _WIDTH - _RIGHT)
    up = LogAxis([*(y for _, y in points), found.trivial], _HEIGHT - _BOTTOM, _TOP)
    body = [words(_LEFT, 26, "Expected excess of the mean loss, proved", size=15)]
    for tick in across.ticks():
        body += [line((across.place(tick), _TOP), (across.place(tick), _HEIGHT - _BOTTOM), colour=PALE)]
        body += [words(across.place(tick), _HEIGHT - _BOTTOM + 18, f"{tick:,.0f}", anchor="middle")]
    for tick in up.ticks():
        body += [line((_LEFT, up.place(tick)), (_WIDTH - _RIGHT, up.place(tick)), colour=PALE)]
        body += [words(_LEFT - 8, up.place(tick) + 4, f"{tick:g}", anchor="end")]
    body.append(line((_LEFT, up.place(found.trivial)), (_WIDTH - _RIGHT, up.place(found.trivial)), colour=INK, dashed=True))
    for place, (name, values) in enumerate(lines.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        corners = [(across.place(x), up.place(min(max(y, up.low), up.high))) for x, y in values]
        body.append(f'<path d="{path(corners)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + place % 2}" fill="{colour}"/>' for x, y in corners]
        x, y = _LEFT + 330 * (place % 2), 50 + 20 * (place // 2)
        body += [f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{colour}"/>', words(x + 18, y, name)]
    body.append(words((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 14, "records", anchor="middle"))
    return picture("\n".join(body), width=_WIDTH, height=_HEIGHT, title="Proved excess of the mean loss against records, for each mechanism")
