"""The report on a plan of a linear classifier: what is proved and simulated, what other budgets would buy, the mechanisms side by side.

Public numbers only. No table is read for it, and no privacy is spent.
"""

from collections.abc import Sequence
from dataclasses import replace

from discreet.core.errors import DiscreetError
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.display.reports.plan_words import EPSILONS, epsilons, lead, never, planned_guarantee
from discreet.display.reports.promise import odds_table
from discreet.display.reports.release_report import public_foot
from discreet.pages import Block, Bullets, Facts, Page, Picture, Section, Table
from discreet.planning import Plan, PlannedBound, Simulated, SimulatedEpsilon, bracket, plan_plot
from discreet.planning.plan import MECHANISMS


def plan_page(
    plan: Plan,
    found: PlannedBound,
    bounds: Sequence[PlannedBound],
    simulated: Sequence[Simulated],
    *,
    excess: float | None,
    tried: Sequence[SimulatedEpsilon] | None = None,
) -> Page:
    """The page. `found` is the answer; `bounds` are those of the picture; `excess` is what was asked for, None where the records were.

    Where both were, and the epsilon of `plan` is the answer, `tried` are the epsilons that were simulated, which may be none.
    """
    confidence = f"with probability {100 * (1 - plan.failure):g} %"
    if excess is None:
        said = f"With {found.records:,} records the expected loss is at most {found.excess:.4g} above that of the best classifier, {confidence}."
        beside = f"Without privacy the same proof gives {found.without_privacy:.4g}."
    elif tried is not None:
        said = f"Epsilon {plan.epsilon:g} is proved to be enough for an expected loss of at most {excess:g} above that of the best, {confidence}."
        least = plan.records_without_privacy(excess)
        beside = f"That is with {found.records:,} records; with fewer than {least:,} this proof reaches that at no epsilon."
    else:
        said = f"{found.records:,} records are proved to be enough for an expected loss of at most {excess:g} above that of the best, {confidence}."
        beside = f"Without privacy the same proof asks for {plan.records_without_privacy(excess):,}."
    rows = [
        ("Model", f"linear classifier with the {plan.loss} loss on {plan.features:,} features{' and an intercept' if plan.intercept_scale else ''}"),
        ("Rows", f"of norm at most {plan.data_norm:g}"),
        ("The best classifier", f"the best of all whose weights have norm at most {plan.norm:g}"),
        ("Privacy", f"epsilon {plan.epsilon:g}, delta {plan.delta:g}, {plan.neighbours}, {plan.mechanism} perturbation"),
        ("Strength of regularisation for which it is proved", f"alpha = {found.alpha:.4g}"),
    ]
    epsilon_needed = [] if excess is None or not tried else [Section(title="The epsilon that is needed", blocks=[_tried(tried, found, excess)])]
    other = excess if tried is None else None
    sections = [
        Section(title="What is planned", blocks=[Facts(caption="In public numbers", rows=rows)]),
        *epsilon_needed,
        Section(title="Error against the number of records", blocks=_picture(plan, found, bounds, simulated)),
        Section(title="What other budgets would buy", blocks=[_budgets(plan, found, other), odds_table(planned_guarantee(plan))]),
        Section(title="The mechanisms side by side", blocks=[_mechanisms(plan, found, other)]),
        Section(title="What it does not say", blocks=[Bullets(items=[*_LIMITS, *never()])]),
    ]
    return Page(title="Plan: how many records for which error", lead=lead(f"{said} {beside}"), sections=sections, foot=public_foot())


_LIMITS = (
    "A bound holds for every table within the declared norms, and is therefore far above what a usual table gives.",
    "A simulation is about one kind of invented table, and yours will be another one.",
    "The loss is not the share of wrong answers: a classifier may be right more often, or less, than its loss suggests.",
)


def _picture(plan: Plan, found: PlannedBound, bounds: Sequence[PlannedBound], simulated: Sequence[Simulated]) -> list[Block]:
    means = {one.records: one for one in simulated}
    rows = []
    for one in bounds:
        seen = means.get(one.records)
        rows.append(
            (
                f"{one.records:,}",
                f"{one.excess:.4g}",
                f"{one.without_privacy:.4g}",
                "-" if seen is None else f"{seen.mean:.4g}",
                "-" if seen is None else f"{seen.upper:.4g}",
            )
        )
    words = (
        f"Excess of expected loss against the number of records, both on logarithmic scales. The private bound falls to {found.excess:.3g} at "
        f"{found.records:,} records"
    )
    if simulated:
        last = simulated[-1]
        words += f"; {last.repeats} simulated fits on {last.records:,} invented records had {last.mean:.3g} on average"
    title = f"{plan.loss}, {plan.features} features, |f0| <= {plan.norm:g}, |x| <= {plan.data_norm:g}"
    subtitle = f"epsilon {plan.epsilon:g}, delta {plan.delta:g}, {plan.neighbours}, {plan.mechanism} perturbation"
    header = ("Records", "Proved", "Proved without privacy", "Simulated, mean", f"Simulated, {100 * (1 - plan.failure):g} % below")
    return [
        Picture(svg=plan_plot(bounds, simulated, title=title, subtitle=subtitle), caption=f"{words}."),
        Table(caption="Excess of expected loss over that of the best classifier", header=header, rows=rows, numbers=frozenset(range(1, 5))),
    ]


def _tried(tried: Sequence[SimulatedEpsilon], found: PlannedBound, excess: float) -> Table:
    small, enough = bracket(tried, excess)
    low = "none was shown to be too small" if small is None else f"epsilon {small:g} was too small"
    high = "none was shown to be enough" if enough is None else f"epsilon {enough:g} was enough"
    caption = (
        f"{tried[0].repeats} simulated fits each on {found.records:,} invented records: for a mean excess of {excess:g}, {low}, and {high}. "
        "The intervals hold together with about 95 % confidence"
    )
    rows = [(f"{one.epsilon:g}", f"{one.mean:.4g}", f"{one.low:.4g} to {one.high:.4g}") for one in tried]
    return Table(caption=caption, header=("Epsilon", "Simulated, mean", "Interval of the mean"), rows=rows, numbers=frozenset({1}))


def _answer(plan: Plan, records: int, excess: float | None) -> tuple[str, str]:
    """The excess for these records, or the records for this excess; and alpha."""
    try:
        found = plan.bound(records) if excess is None else plan.records_for(excess)
    except DiscreetError:
        return "not reached", "-"
    return (f"{found.excess:.4g}" if excess is None else f"{found.records:,}"), f"{found.alpha:.4g}"


def _asked(found: PlannedBound, excess: float | None) -> str:
    return f"Excess with {found.records:,} records" if excess is None else f"Records for an excess of {excess:g}"


def _budgets(plan: Plan, found: PlannedBound, excess: float | None) -> Table:
    rows = []
    for epsilon in epsilons(plan.epsilon):
        answer, alpha = _answer(replace(plan, epsilon=epsilon), found.records, excess)
        rows.append((f"{epsilon:g}" + (" (asked for)" if epsilon == plan.epsilon else ""), answer, alpha))
    caption = f"The same plan at other epsilons: {', '.join(f'{each:g}' for each in EPSILONS)} and the one that was asked for"
    return Table(caption=caption, header=("Epsilon", _asked(found, excess), "alpha"), rows=rows, numbers=frozenset({1, 2}))


def _mechanisms(plan: Plan, found: PlannedBound, excess: float | None) -> Table:
    rows = []
    for mechanism in MECHANISMS:
        for neighbours in (REPLACE_ONE, ADD_REMOVE):
            other = replace(plan, mechanism=mechanism, neighbours=neighbours)
            mark = " (asked for)" if other == plan else ""
            rows.append((f"{mechanism} perturbation, {neighbours}{mark}", *_answer(other, found.records, excess)))
    header = ("Mechanism and relation", _asked(found, excess), "alpha")
    caption = "What is proved of each mechanism. Under add-remove the number of records is a secret too; it is then one that you expect"
    return Table(caption=caption, header=header, rows=rows, numbers=frozenset({1, 2}))
