"""Plans: views in notebooks, bounds and simulations as pictures, and the reports on a plan of a linear classifier and on one over a set.

A report says what is proved and simulated, what other budgets would buy, and puts the mechanisms side by side. Public numbers only: no table is read
for it, and no privacy is spent.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

from discreet.accounting import ApproximateDP, Guarantee, PureDP, Unit
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.display.pages import PUBLIC_FOOT, Block, Bullets, Facts, Page, Picture, Section, Table, Text, Tone, view_html
from discreet.display.plots import BLUE, INK, LIGHT_BLUE, RED, Drawing, Panel, Point, Shape, dot, key, line, log_axis, svg, words
from discreet.display.promise import count_shown, numbers_shown, odds_table
from discreet.planning import NeededRecords, Plan, PlannedBound, SetBound, SetPlan, Simulated, SimulatedEpsilon, SimulatedOverSet, Way, bracket
from discreet.planning.plan import MECHANISMS
from discreet.sets import Constraint

_EPSILONS = (0.1, 0.3, 1.0, 3.0)
"""Budgets that are compared with the one that was asked for."""
_LADDER = (-6, -5, -4, -3, -2, -1, 0, 1, 2)
"""Sizes of the picture over a set: thirds of powers of ten times the records that were asked for."""
_SHOWN = tuple(10**power for power in range(3, 9))
"""Numbers of records in a notebook."""
_LEFT, _RIGHT, _TOP, _FLOOR, _WIDTH, _HEIGHT = 84, 736, 112, 364, 760, 420
WAYS_CAPTION = "Three ways to give one person the same guarantee. The noise is on the mean objective, relative to one row per person"
WAYS = ("Way", "Epsilon", "Rows", "Noise")
_WAYS = {"shared": "rows share a record's weight", "groups": "rows one by one, by groups", "one row": "one row of each person"}
_COLOURS = (BLUE, RED, LIGHT_BLUE, INK)


def view(plan: Plan | SetPlan) -> str:
    """HTML of the public numbers of a plan."""
    rows = [(field.name.replace("_", " "), _told(getattr(plan, field.name))) for field in fields(plan)]
    facts = Facts("Public numbers; bound(records) says what is proved", rows)
    if isinstance(plan, SetPlan):
        return view_html("SetPlan", facts)
    bounds = [plan.bound(records) for records in _SHOWN]
    drawing = _bounds(bounds, (), title=problem(plan), subtitle=privacy(plan))
    last = bounds[-1]
    caption = (
        f"What is proved against the number of records, both on logarithmic scales: at most {last.excess:.3g} above the best with {last.records:,}."
    )
    return view_html("Plan", facts, Picture(drawing, caption))


def _told(value: object) -> str:
    if isinstance(value, Constraint):
        return f"{value.name} in {value.dimension:,} dimensions"
    return f"{value:g}" if isinstance(value, float) else "none" if value is None else str(value)


def bound_view(bound: PlannedBound) -> str:
    """HTML of what is proved for n records."""
    numbers = {
        "Excess of expected loss, at most": bound.excess,
        "The same without privacy": bound.without_privacy,
        "of which noise on the objective or weights": bound.parts.empirical,
        "of which sampling": bound.parts.generalisation,
        "of which regularisation": bound.parts.regularisation,
        "alpha": bound.alpha,
    }
    rows = [("Records", f"{bound.records:,}"), *((name, f"{value:.4g}") for name, value in numbers.items())]
    return view_html("Planned bound", Facts("What is proved", rows))


def set_bound_view(bound: SetBound) -> str:
    """HTML of what is proved of every mechanism over a set."""
    rows = [
        (one.mechanism, numbers_shown(one.risk), count_shown(one.steps), numbers_shown(one.own_risk), one.remark or "-") for one in bound.mechanisms
    ]
    caption = f"Expected excess of the mean loss with {bound.records:,} records; no point of the set exceeds {bound.trivial:.4g}"
    return view_html(
        "Bound over a set", Table(caption, ("Mechanism", "Proved", "Steps", "Proved for a fit with default settings", "Remark"), rows, {1, 2, 3})
    )


def plot(bounds: Sequence[PlannedBound], simulated: Sequence[Simulated], *, title: str, subtitle: str = "") -> str:
    """Bounds and simulations over the number of records, as text to be written to a file with the ending .svg. Raises InvalidInput for no bounds."""
    return svg(_bounds(bounds, simulated, title=title, subtitle=subtitle))


def _panel(points: Sequence[Point]) -> Panel:
    across = log_axis([x for x, _ in points], _LEFT, _RIGHT, label="{:,.0f}".format)
    return Panel(across=across, up=log_axis([y for _, y in points], _FLOOR, _TOP))


def _bounds(bounds: Sequence[PlannedBound], simulated: Sequence[Simulated], *, title: str, subtitle: str) -> Drawing:
    if not bounds:
        raise InvalidInput("a picture of a plan needs at least one bound.")
    seen = [(one.records, value) for one in bounds for value in (one.excess, one.without_privacy)]
    panel = _panel(seen + [(one.records, value) for one in simulated for value in (one.mean, one.upper) if value > 0])
    ordered = sorted(bounds, key=lambda one: one.records)
    shapes = [words(_LEFT, 26, title, size=15), words(_LEFT, 46, subtitle), words(_LEFT, _TOP - 12, "excess of expected loss")]
    shapes += panel.frame(across="records")
    shapes.append(panel.curve([(one.records, one.excess) for one in ordered], BLUE))
    shapes.append(panel.curve([(one.records, one.without_privacy) for one in ordered], LIGHT_BLUE, dashed=True))
    for one in simulated:
        shapes += [line(panel.at((one.records, one.mean)), panel.at((one.records, one.upper)), colour=RED, width=2.0)]
        shapes += [dot(panel.at((one.records, one.mean)), RED)]
    shapes += key(_LEFT, _TOP - 28, BLUE, "bound, private")
    shapes += key(_LEFT + 150, _TOP - 28, LIGHT_BLUE, "bound without privacy")
    shapes += key(_LEFT + 340, _TOP - 28, RED, "simulated: mean and upper quantile")
    return Drawing(title=title, width=_WIDTH, height=_HEIGHT, shapes=shapes)


def best_possible(plan: Plan, found: PlannedBound) -> tuple[float, float | None, str]:
    """The excess that no private method is below, how many times that the proved one is (None where it is 0), and both in words."""
    least = plan.least(found.records)
    given = f"with {found.records:,} {plan.counted} and these numbers"
    if least <= 0:
        return least, None, f"What no private method can do {given} is not known."
    times = found.excess / least
    proved = f"the proved one is {times:,.3g} times that ({found.without_privacy / least:,.3g} times without privacy)"
    return least, times, f"No private method can guarantee an excess below {least:.3g} {given}; {proved}."


def plan_page(
    plan: Plan,
    found: PlannedBound,
    bounds: Sequence[PlannedBound],
    simulated: Sequence[Simulated],
    *,
    excess: float | None,
    tried: Sequence[SimulatedEpsilon] | None = None,
    ways: Sequence[Way] = (),
) -> Page:
    """The report on a plan. `found` is the answer; `bounds` are those of the picture; `excess` is what was asked for, None where the records were.

    Where both were, and the epsilon of `plan` is the answer, `tried` are the epsilons that were simulated, which may be none. `ways` are those to
    protect persons with several rows, where the plan is for such.
    """
    many = plan.counted
    confidence = f"with probability {100 * (1 - plan.failure):g} %"
    if excess is None:
        said = f"With {found.records:,} {many}, the expected loss is at most {found.excess:.4g} above that of the best classifier, {confidence}."
        beside = f"Without privacy, the same proof gives {found.without_privacy:.4g}."
    elif tried is not None:
        said = f"Epsilon {plan.epsilon:g} is proved to be enough for an expected loss of at most {excess:g} above that of the best, {confidence}."
        least = plan.records_without_privacy(excess)
        beside = f"This is with {found.records:,} {many}; with fewer than {least:,}, this proof gives it at no epsilon."
    else:
        said = f"{found.records:,} {many} are proved to be enough for an expected loss of at most {excess:g} above that of the best, {confidence}."
        beside = f"Without privacy, the same proof needs {plan.records_without_privacy(excess):,}."
    rows = [
        ("Model", f"linear classifier with the {plan.loss} loss on {plan.features:,} features{' and an intercept' if plan.intercept_scale else ''}"),
        ("Rows", f"of norm at most {plan.data_norm:g}"),
        ("The best classifier", f"the best of all whose weights have norm at most {plan.norm:g}"),
        ("Privacy", privacy(plan)),
        ("Strength of regularisation in the proof", f"alpha = {found.alpha:.4g}"),
        ("The best that any method can do", best_possible(plan, found)[2]),
    ]
    epsilon_needed = [Section("The epsilon that is needed", [_tried(tried, found, excess)])] if excess is not None and tried else []
    other = excess if tried is None else None
    mechanisms = []
    for each in (replace(plan, mechanism=name, neighbours=relation) for name in MECHANISMS for relation in (REPLACE_ONE, ADD_REMOVE)):
        mark = " (asked for)" if each == plan else ""
        mechanisms.append((f"{each.mechanism} perturbation, {each.neighbours}{mark}", *_answer(each, found.records, other)))
    caption = "What is proved for each mechanism. Under add-remove the number of records is secret too; the plan uses the number that you expect"
    header = ("Mechanism and relation", _asked(found.records, other), "alpha")
    sections = [
        Section("What is planned", [Facts("In public numbers", rows)]),
        *epsilon_needed,
        Section("Error against the number of records", _against_records(plan, found, bounds, simulated)),
        *([Section("Several rows of one person", [Table(WAYS_CAPTION, WAYS, by_ways(ways), range(1, 4))])] if ways else []),
        _budgets(plan, found.records, other, "alpha"),
        Section("The mechanisms side by side", [Table(caption, header, mechanisms, {1, 2})]),
    ]
    limits = (
        "A bound holds for every table within the declared norms, so it is far above what a typical table gives.",
        "A simulation covers one kind of invented table, and yours will differ.",
        "The loss is not the share of wrong answers: a classifier may be right more or less often than its loss suggests.",
    )
    return _page("Plan: how many records for which error", f"{said} {beside}", sections, limits)


def set_plan_page(
    plan: SetPlan, found: SetBound, needed: Sequence[NeededRecords], simulated: Sequence[SimulatedOverSet], *, radius: float, excess: float | None
) -> Page:
    """The report on a plan over a set. `found` is the answer, `needed` what each mechanism needs where an excess was asked for."""
    said = f"With {found.records:,} records the mean loss is expected to be at most {found.best.risk:.4g} above its least value on the set."
    if excess is not None:
        enough = f"{found.records:,} records are proved to be enough for a mean loss that is expected at most {excess:g}"
        said = f"{enough} above its least value on the set."
    bounds = [f"every entry at most {plan.entry_bound:g}"] if plan.entry_bound is not None else []
    bounds += [f"norm at most {plan.data_norm:g}"] if plan.data_norm is not None else []
    features = plan.problem(found.records).domain.features
    rows = [
        ("Model", f"{plan.loss} loss over {plan.constraint.name} of radius {radius:g}, {features:,} features"),
        ("Rows", ", ".join(bounds)),
        ("Privacy", privacy(plan)),
        ("The loss of any point of the set exceeds the smallest loss by at most", f"{found.trivial:.4g}"),
        ("What a fit uses by default", f"{found.auto}, of which {numbers_shown(found.of(found.auto).own_risk)} is proved"),
    ]
    sections = [
        Section("What is planned", [Facts("In public numbers", rows)]),
        Section("The mechanisms side by side", _over_set(found, needed, simulated)),
        Section("Error against the number of records", [_set_picture(plan, found)]),
        _budgets(plan, found.records, excess, "By"),
    ]
    limits = (
        "It covers the mean loss on the records themselves, in expectation over the noise, not how well the model does on other records.",
        "A bound holds for every table within the declared bounds, so it is above what a typical table gives.",
    )
    return _page(f"Plan over {plan.constraint.name}: how many records for which error", said, sections, limits)


def _page(title: str, said: str, sections: Sequence[Section], limits: Sequence[str]) -> Page:
    never = (
        "The bounds, norms and numbers of records in a plan must be public: never take them from the private table.",
        "A plan guarantees no privacy; the fit does, with its own certificate.",
    )
    spent = Text("Nothing has been spent: no table was read for this page, and every number in it is public.", Tone.NOTE)
    return Page(title, [Text(said, Tone.LEAD), spent], [*sections, Section("What it does not say", [Bullets([*limits, *never])])], PUBLIC_FOOT)


def problem(plan: Plan, *, intercept: str = "") -> str:
    """What is to be learnt, in a few signs."""
    return f"{plan.loss}, {plan.features} features{intercept}, |f0| <= {plan.norm:g}, |x| <= {plan.data_norm:g}"


def privacy(plan: Plan | SetPlan) -> str:
    """What it is to promise."""
    stated = f"epsilon {plan.epsilon:g}, delta {plan.delta:g}, {plan.neighbours}"
    if not isinstance(plan, Plan):
        return stated
    rows = plan.rows_per_person
    whose = "" if rows is None else ", one row a person" if rows == 1 else f", at most {rows} rows a person"
    return f"{stated}{whose}, {plan.mechanism} perturbation"


def by_ways(ways: Sequence[Way]) -> list[tuple[str, ...]]:
    """A row for each way to protect persons with several rows: what it is, epsilon of a record, rows, noise over that of one row a person."""
    alone = ways[-1].noise
    return [
        (
            _WAYS[one.name] + (", at best" if one.name == "groups" and one.rows is None else ""),
            f"{one.epsilon:.4g}",
            "-" if one.rows is None else f"{one.rows:,}",
            "-" if one.noise is None or not alone else f"{one.noise / alone:.4g}",
        )
        for one in ways
    ]


def _asked(records: int, excess: float | None) -> str:
    return f"Excess with {records:,} records" if excess is None else f"Records for an excess of {excess:g}"


def _answer(plan: Plan | SetPlan, records: int, excess: float | None) -> tuple[str, str]:
    """The excess for these records, or the records for this excess; and alpha, or the mechanism."""
    try:
        found = plan.bound(records) if excess is None else plan.records_for(excess)
    except DiscreetError:
        return "not reached", "-"
    risk, how = (found.excess, f"{found.alpha:.4g}") if isinstance(found, PlannedBound) else (found.best.risk, found.best.mechanism)
    return (f"{risk:.4g}" if excess is None else f"{found.records:,}"), how


def _budgets(plan: Plan | SetPlan, records: int, excess: float | None, how: str) -> Section:
    rows, asked = [], plan.epsilon
    for epsilon in sorted({*_EPSILONS, asked}):
        mark = " (asked for)" if epsilon == asked else ""
        rows.append((f"{epsilon:g}{mark}", *_answer(replace(plan, epsilon=epsilon), records, excess)))
    caption = f"The same plan at other epsilons: {', '.join(f'{each:g}' for each in _EPSILONS)} and the one that was asked for"
    table = Table(caption, ("Epsilon", _asked(records, excess), how), rows, {1, 2} if how == "alpha" else {1})
    unit = Unit.PERSON if isinstance(plan, Plan) and plan.rows_per_person is not None else Unit.RECORD
    promised: Guarantee = PureDP(epsilon=plan.epsilon, neighbours=plan.neighbours, theorem="as planned", unit=unit)
    if plan.delta > 0:
        promised = ApproximateDP(epsilon=plan.epsilon, delta_at_epsilon=plan.delta, neighbours=plan.neighbours, theorem="as planned", unit=unit)
    return Section("What other budgets would buy", [table, odds_table(promised)])


def _against_records(plan: Plan, found: PlannedBound, bounds: Sequence[PlannedBound], simulated: Sequence[Simulated]) -> list[Block]:
    sentence = (
        f"Excess of expected loss against the number of records, both on logarithmic scales. The private bound falls to {found.excess:.3g} at "
        f"{found.records:,} records"
    )
    if simulated:
        last = simulated[-1]
        sentence += f"; {last.repeats} simulated fits on {last.records:,} invented records had {last.mean:.3g} on average"
    header = ("Records", "Proved", "Proved without privacy", "Simulated, mean", f"Simulated, {100 * (1 - plan.failure):g} % below")
    return [
        Picture(_bounds(bounds, simulated, title=problem(plan), subtitle=privacy(plan)), f"{sentence}."),
        Table("Excess of expected loss over that of the best classifier", header, by_records(bounds, simulated), range(1, 5)),
    ]


def by_records(bounds: Sequence[PlannedBound], simulated: Sequence[Simulated]) -> list[tuple[str, ...]]:
    """A row for each bound: records, what is proved, the same without privacy, and mean and upper quantile of what was simulated there."""
    seen = {one.records: (f"{one.mean:.4g}", f"{one.upper:.4g}") for one in simulated}
    return [(f"{one.records:,}", f"{one.excess:.4g}", f"{one.without_privacy:.4g}", *seen.get(one.records, ("-", "-"))) for one in bounds]


def by_fits(simulated: Sequence[SimulatedOverSet]) -> list[tuple[str, ...]]:
    """A row for each simulation over a set: records, what is proved, mean and largest of what was simulated, and the mechanism."""
    return [(f"{one.records:,}", f"{one.own_risk:.4g}", f"{one.mean:.4g}", f"{one.largest:.4g}", one.mechanism) for one in simulated]


def needs(tried: Sequence[SimulatedEpsilon], excess: float, *, that_was_tried: str = "") -> str:
    """Which epsilons were too small for an excess, and which were enough."""
    small, enough = bracket(tried, excess)
    low = f"none{that_was_tried} was shown to be too small" if small is None else f"epsilon {small:g} was too small"
    return f"{low}, and " + (f"none{that_was_tried} was shown to be enough" if enough is None else f"epsilon {enough:g} was enough")


def _tried(tried: Sequence[SimulatedEpsilon], found: PlannedBound, excess: float) -> Table:
    caption = (
        f"{tried[0].repeats} simulated fits each on {found.records:,} invented records: for a mean excess of {excess:g}, {needs(tried, excess)}. "
        "The intervals hold together with about 95 % confidence"
    )
    rows = [(f"{one.epsilon:g}", f"{one.mean:.4g}", f"{one.low:.4g} to {one.high:.4g}") for one in tried]
    return Table(caption, ("Epsilon", "Simulated, mean", "Interval of the mean"), rows, {1})


def _over_set(found: SetBound, needed: Sequence[NeededRecords], simulated: Sequence[SimulatedOverSet]) -> list[Block]:
    counts = {one.mechanism: count_shown(one.records) for one in needed}
    header = [
        "Mechanism",
        "Proved",
        "Steps",
        "Proved for a fit with default settings",
        "Its steps",
        *(["Records needed"] if needed else []),
        "Remark",
    ]
    rows = []
    for one in found.mechanisms:
        proved = (numbers_shown(one.risk), count_shown(one.steps), numbers_shown(one.own_risk), count_shown(one.own_steps))
        rows.append([one.mechanism, *proved, *([counts[one.mechanism]] if needed else []), one.remark or "-"])
    blocks: list[Block] = [Table(f"Expected excess of the mean loss with {found.records:,} records", header, rows, range(1, len(header) - 1))]
    if simulated:
        columns = ("Records", "Proved", "Simulated, mean", "Simulated, largest", "Mechanism")
        blocks.append(Table("Fits with default settings, on invented records", columns, by_fits(simulated), {1, 2, 3}))
    return blocks


def _set_picture(plan: SetPlan, found: SetBound) -> Block:
    most = plan.problem(1).most_records
    counts = sorted({min(most, max(1, round(found.records * 10.0 ** (power / 3.0)))) for power in _LADDER})
    proved: dict[str, list[Point]] = {}
    for count in counts:
        for one in plan.bound(count).mechanisms:
            if math.isfinite(one.risk):
                proved.setdefault(one.mechanism, []).append((float(count), one.risk))
    if len(counts) < 2 or not proved:
        return Table("There are too few sizes to draw", ("Records",), [(f"{count:,}",) for count in counts])
    caption = (
        "What is proved of each mechanism against the number of records, both on logarithmic scales; lower is better. No point of the set lies above "
        f"the dashed line. At {found.records:,} records the best is {found.best.mechanism} with {found.best.risk:.3g}."
    )
    title = "Proved excess of the mean loss against records, for each mechanism"
    return Picture(Drawing(title=title, width=_WIDTH, height=_HEIGHT, shapes=_lines(proved, found.trivial)), caption)


def _lines(proved: Mapping[str, Sequence[Point]], trivial: float) -> list[Shape]:
    points = [point for curve in proved.values() for point in curve]
    panel = _panel([*points, (points[0][0], trivial)])
    shapes = [words(_LEFT, 26, "Expected excess of the mean loss, proved", size=15), *panel.frame(across="records")]
    shapes.append(panel.dashed((panel.across.low, trivial), (panel.across.high, trivial), INK))
    for place, (name, curve) in enumerate(proved.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        shapes += [panel.curve(curve, colour), *(dot(panel.at(point), colour, radius=3 + place % 2) for point in curve)]
        shapes += key(_LEFT + 330 * (place % 2), 50 + 20 * (place // 2), colour, name)
    return shapes
