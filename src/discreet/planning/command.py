"""`discreet plan`: before there are records, how many for which excess error at which epsilon.

What is proved (discreet/bounds, discreet/planning) is printed beside a simulation on invented records, which shows how loose the proof is. Public
numbers only: no table is read, and no privacy is spent.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

import click

import discreet
from discreet.cli.options import Delta, File, Hidden, Option, Report, command, flag, usage_error
from discreet.cli.output import Outcome, check_output, check_report, labelled, step, styled, table
from discreet.core.files.whole_file import write_whole
from discreet.core.neighbours import DELTA
from discreet.planning.command_over import Simulation, plan_over, reached

_ENTRIES = 2_000_000
"""The largest simulated table, in numbers."""
_LARGEST = 100_000
_LARGEST_OF_EPSILONS = 30_000
"""Where the epsilon is asked for: 24 tables, each with a fit at every epsilon."""


class _OrOver(click.Command):
    """`discreet plan`, whose first argument may be `over`: then the rest is for that command, which has options of its own."""

    def make_context(self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any) -> click.Context:
        """As click's."""
        if args and args[0] == "over":
            return plan_over.make_context(f"{info_name} over", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@dataclass(frozen=True, kw_only=True)
class _Problem:
    """By the names that they have in a plan, but for `no_intercept`."""

    delta: Delta = DELTA
    neighbours: Annotated[Hidden, "What is hidden."] = "replace-one"
    schema: Annotated[File | None, "The schema of the table, which gives --features, --data-norm and --rows-per-person."] = None
    features: Annotated[int | None, "Number of features d of a row."] = None
    norm: Annotated[float, "Largest norm of the predictors f0 to compare with; a predictor that separates the classes has margin 1 / norm."] = 3.0
    data_norm: Annotated[float | None, "Bound on the norm of a row.  [default: 1]"] = None
    no_intercept: Annotated[bool, "Plan a fit without intercept."] = False
    loss: Annotated[Literal["logistic", "softplus-hinge"], None] = "logistic"
    mechanism: Annotated[Literal["objective", "output"], None] = "objective"
    failure: Annotated[float, "Probability with which the bound may fail."] = 0.05
    rows_per_person: Annotated[int | None, "Largest number of rows kept per person; --records then counts persons."] = None

    def numbers(self) -> dict[str, Any]:
        """By name, those of the schema in their places. Raises a usage error where they are missing, or said twice; else as `Schema.load`."""
        stated = asdict(self) | {"neighbours": discreet.Neighbours(self.neighbours)}
        del stated["schema"]
        if self.schema is None:
            if self.features is None:
                raise usage_error("--features is needed, or a --schema, which says it")
            return stated | {"data_norm": 1.0 if self.data_norm is None else self.data_norm}
        schema = discreet.Schema.load(self.schema)
        rows = schema.persons.rows if schema.persons is not None and schema.persons.several else None
        said = {"features": schema.features, "data_norm": schema.norm_bound, "rows_per_person": rows}
        for name, number in said.items():
            if number is not None and stated[name] is not None:
                raise usage_error(f"{flag(name)} comes from the schema; leave it out")
        return stated | {name: number for name, number in said.items() if number is not None}


@command(
    "How many records you need for which error.",
    "discreet plan --excess 0.05 --epsilon 1 --delta 1e-6 --features 20 --norm 3",
    "discreet plan --records 20000 --epsilon 1 --schema people.toml --norm 3",
    "discreet plan --records 50000 --epsilon 0.5 --features 20 --norm 3 --loss softplus-hinge",
    "discreet plan --excess 0.05 --records 400000 --delta 1e-6 --features 20 --norm 3",
    "discreet plan --excess 0.1 --epsilon 1 --features 100 --norm 5 --no-simulation --json",
    "discreet plan --records 20000 --epsilon 1 --features 20 --norm 3 --plot plan.svg",
    "discreet plan --records 20000 --epsilon 1 --features 20 --norm 3 --rows-per-person 7 --row-counts 1:12000,3:6000,15:2000",
    "discreet plan over l1-ball --features 1000 --entry-bound 1 --records 20000 --epsilon 1 --delta 1e-6",
    cls=_OrOver,
)
def plan(
    *,
    excess: Annotated[float | None, "The largest excess of expected loss that you accept."] = None,
    records: Annotated[int | None, "Number of records."] = None,
    epsilon: Annotated[float | None, "Privacy loss of the fit, > 0."] = None,
    problem: _Problem,
    row_counts: Annotated[
        str | None,
        Option(metavar="ROWS:PERSONS,..", help="With --rows-per-person: how many persons have how many rows, if that is public: 1:5000,3:200."),
    ] = None,
    simulation: Simulation,
    plot: Annotated[File | None, "Write bounds and simulation to this SVG file."] = None,
    report: Report = None,
    overwrite: Annotated[bool, "Overwrite these files if they exist."] = False,
) -> Outcome:
    """Give two of --excess, --records and --epsilon; the command computes the third, and proves that it is enough.

    The excess is how far the expected loss of the private classifier lies above that of the best linear predictor with a norm of at most --norm. No
    table is read: all numbers are public. Beside the proved bound, a simulation on invented records shows what is typical.

    For a model over a constraint set, see `discreet plan over SET --help`.
    """
    if sum(number is None for number in (excess, records, epsilon)) != 1:
        raise usage_error("give exactly two of --excess, --records and --epsilon; the plan computes the third")
    owned = None if row_counts is None else _counts(row_counts)
    numbers = problem.numbers()
    if owned is not None and numbers["rows_per_person"] is None:
        raise usage_error("--row-counts needs --rows-per-person, the largest number of rows kept per person")
    with step("Calibrating"):
        check_output(plot, overwrite=overwrite)
        check_report(report, plot, overwrite=overwrite)
        scale = 0.0 if numbers.pop("no_intercept") else None
        made = discreet.planning.Plan(epsilon=1.0 if epsilon is None else epsilon, intercept_scale=scale, **numbers)
        if epsilon is None:
            made = discreet.planning.least_epsilon(made, records=records or 0, excess=float(excess or 0.0))
        found = made.bound(records) if records is not None else made.records_for(float(excess or 0.0))
        ways = () if made.rows_per_person is None else discreet.planning.ways_of(made, found.records, owned)
    wanted = float(excess or 0.0) if epsilon is None else None
    tried: list[discreet.planning.SimulatedEpsilon] = []
    simulated: list[discreet.planning.Simulated] = []
    if wanted is None:
        simulated = _simulated(made, found, excess, simulation)
    elif not simulation.no_simulation and found.records <= _most_of_epsilons(made):
        with step(f"Simulating {found.records:,} records"):
            tried = discreet.planning.simulate_epsilons(made, found.records, discreet.SeededNoise(simulation.seed), n_jobs=simulation.jobs)
    ladder = _ladder(found.records) if plot is not None or report is not None else []
    counts = sorted({found.records, *(one.records for one in simulated), *ladder})
    bounds = [found if count == found.records else made.bound(count) for count in counts]
    from discreet.display import reports
    from discreet.planning import views

    least, times, could = views.best_possible(made, found)
    planned, promised = views.problem(made, intercept=" and an intercept" if made.intercept_scale else ""), views.privacy(made)
    if plot is not None:
        write_whole(plot, views.plot(bounds, simulated, title=planned, subtitle=promised), overwrite=overwrite)
    if report is not None:
        with step("Writing the report"):
            page = views.plan_page(made, found, bounds, simulated, excess=excess, tried=None if wanted is None else tried, ways=ways)
            reports.write_page(page, report, overwrite=overwrite)
    if wanted is not None:
        stated, lines = _needed_epsilon(made, found, tried, wanted)
    else:
        shown = [one for one in bounds if one.records == found.records or any(one.records == other.records for other in simulated)]
        stated, lines = _needed_records(made, found, shown, simulated, excess)
    document = {
        "plan": asdict(made) | {"neighbours": str(made.neighbours)},
        "excess": excess,
        "bound": found.to_dict(),
        "any_method": {"excess": least, "times": times},
        **stated,
        **_of_persons(made, ways, owned, lines),
        "plot": plot,
        "report": report,
    }
    lines += ["", could, made.outlook(found.records).words]
    files = labelled(("Picture", plot and f"written to {plot}"), ("Report", report and f"written to {report}"))
    return Outcome(document=document, lines=[*labelled(("Plan", f"{planned}; {promised}")), *lines, *(part for one in files for part in ("", one))])


def _counts(text: str) -> dict[int, int]:
    """How many persons have how many rows."""
    parts = [part.split(":") for part in text.split(",")]
    if not all(len(part) == 2 and all(one.strip().isdecimal() and len(one) < 16 for one in part) for part in parts):
        raise usage_error(f"--row-counts needs a list of ROWS:PERSONS, such as 1:5000,3:200; {text[:60]!r} was given")
    return {int(rows): int(persons) for rows, persons in parts}


def _of_persons(
    made: "discreet.planning.Plan", ways: "Sequence[discreet.planning.Way]", counts: dict[int, int] | None, lines: list[str]
) -> dict[str, object]:
    """What the rows of persons cost and gain: for JSON, and added to the lines."""
    if made.rows_per_person is None:
        return {}
    from discreet.planning.views import WAYS, WAYS_CAPTION, by_ways

    document: dict[str, object] = {"ways": [one.to_dict() for one in ways]}
    lines += ["", styled(WAYS_CAPTION), *table((-38, 10, 12, 10), [name.lower() for name in WAYS], *by_ways(ways))]
    if counts is not None:
        every = discreet.planning.rows_kept(counts, max(counts))
        shares = {rows: discreet.planning.rows_kept(counts, rows) / every for rows in sorted({1, 2, 5, 10, 20, made.rows_per_person})}
        document["rows_kept"] = [{"rows_per_person": rows, "share": share} for rows, share in shares.items()]
        told = ", ".join(f"{100 * share:.3g} % with {rows}" for rows, share in shares.items())
        lines.append(f"Rows kept, by the limit per person: {told}.")
    return {"persons": document}


def _simulated(
    made: "discreet.planning.Plan", found: "discreet.planning.PlannedBound", excess: float | None, asked: Simulation
) -> "list[discreet.planning.Simulated]":
    """At a few sizes: up to the one where the excess is reached, or below the number of records that was given."""
    if asked.no_simulation:
        return []
    from discreet.planning.simulation import simulate, usual_ridge

    noise, ridge = discreet.SeededNoise(asked.seed), usual_ridge(made)
    largest = _most(made)
    if excess is None:
        counts = sorted({max(10, min(largest, found.records // share)) for share in (100, 10, 1)})
    else:
        counts = [count for count in (100, 300, 1000, 3000, 10_000, 30_000, 100_000) if count <= min(largest, found.records)]
    done: list[discreet.planning.Simulated] = []
    for count in counts:
        with step(f"Simulating {count:,} records"):
            done += simulate(made, [count], noise, ridge=ridge, n_jobs=asked.jobs)
        if excess is not None and done[-1].upper <= excess:
            break
    return done


def _most(made: "discreet.planning.Plan") -> int:
    return min(_LARGEST, max(1000, _ENTRIES // (made.features + 1)))


def _most_of_epsilons(made: "discreet.planning.Plan") -> int:
    return min(_LARGEST_OF_EPSILONS, _most(made))


def _ladder(records: int) -> list[int]:
    """Sizes at which a picture shows the bound."""
    return sorted({max(1, round(records * 10.0 ** (power / 3.0))) for power in range(-9, 3)})


def _needed_records(
    made: "discreet.planning.Plan",
    found: "discreet.planning.PlannedBound",
    bounds: "list[discreet.planning.PlannedBound]",
    simulated: "list[discreet.planning.Simulated]",
    excess: float | None,
) -> tuple[dict[str, object], list[str]]:
    """What was found where the records or the excess were asked for."""
    from discreet.planning.views import by_records

    enough = next((one.records for one in simulated if excess is not None and one.upper <= excess), None)
    alone = None if excess is None else made.records_without_privacy(excess)
    number, scaling = _printed_theorem(made, found.excess if excess is None else excess)
    document: dict[str, object] = {
        "records_without_privacy": alone,
        "printed_theorem": {"number": number, "records_over_C": scaling},
        "bounds": [one.to_dict() for one in bounds],
        "simulated": [one.to_dict() for one in simulated],
        "simulated_enough": enough,
    }
    confidence = f"with probability {100 * (1 - made.failure):g} %"
    if excess is None:
        said = f"with {found.records:,} {made.counted} the excess of expected loss is at most {found.excess:.4g}, {confidence}"
        beside = f"the same bound without privacy: {found.without_privacy:.4g}"
    else:
        said = f"{found.records:,} {made.counted} are provably enough for an excess of {excess:g}, {confidence}"
        beside = f"the same bound without privacy: {alone:,} {made.counted}"
    header = (made.counted, "bound", "no privacy", "simulated", f"{100 * (1 - made.failure):g} % below")
    lines = [
        *labelled(
            ("Proved", said),
            ("", f"{beside}; at alpha = {found.alpha:.4g}"),
            ("As printed", f"theorem {number} of Chaudhuri et al. (2011) asks for C x {scaling:,.0f} records, C unspecified, at delta = 0"),
        ),
        "",
        styled("Excess of expected loss"),
        *table((12, 12, 12, 12, 14), header, *by_records(bounds, simulated)),
    ]
    if simulated:
        lines += ["", *_of_invented_records(made, simulated[0].repeats)]
        if made.loss != "logistic":
            lines.append("With a loss other than the logistic one, that model is not the best predictor, so the simulated excess may be negative.")
        lines += reached(enough, simulated[-1].records, excess)
    return document, lines


def _needed_epsilon(
    made: "discreet.planning.Plan", found: "discreet.planning.PlannedBound", simulated: "Sequence[discreet.planning.SimulatedEpsilon]", excess: float
) -> tuple[dict[str, object], list[str]]:
    """What was found where the epsilon was asked for. `made` has the one that is proved, `found` is its bound at these records."""
    from discreet.planning import EPSILONS, bracket, proved_at
    from discreet.planning.views import needs

    small, enough = bracket(simulated, excess)
    seen = {one.epsilon: one for one in simulated}
    proved = {epsilon: proved_at(made, epsilon, found.records) for epsilon in sorted({*EPSILONS, made.epsilon})}
    document: dict[str, object] = {
        "epsilon_needed": made.epsilon,
        "epsilons": [{"epsilon": epsilon, "proved": value} for epsilon, value in proved.items()],
        "simulated": [one.to_dict() for one in simulated],
        "simulated_too_small": small,
        "simulated_enough": enough,
    }
    rows = [
        (
            f"{epsilon:.4g}",
            "-" if value is None else f"{value:.4g}",
            *(("-",) if one is None else (f"{one.mean:.4g}", f"{one.low:.4g} to {one.high:.4g}")),
        )
        for epsilon, value, one in ((epsilon, value, seen.get(epsilon)) for epsilon, value in proved.items())
    ]
    confidence = f"with probability {100 * (1 - made.failure):g} %"
    lines = [
        *labelled(
            ("Proved", f"epsilon {made.epsilon:g} is enough for an excess of {excess:g} with {found.records:,} {made.counted}, {confidence}"),
            ("", f"without privacy the same bound is {found.without_privacy:.4g}; at alpha = {found.alpha:.4g}"),
        ),
        "",
        styled(f"Excess of expected loss, {found.records:,} {made.counted}"),
        *table((12, 12, 12, 26), ("epsilon", "bound", "simulated", "interval of the mean"), *rows),
    ]
    if simulated:
        lines += [
            "",
            *_of_invented_records(made, simulated[0].repeats),
            f"In the simulation, for a mean excess of {excess:g}, {needs(simulated, excess, that_was_tried=' that was tried')}.",
            "The intervals hold together with about 95 % confidence.",
        ]
    if found.records > _most_of_epsilons(made):
        lines += ["", f"Not simulated: with so many features, only up to {_most_of_epsilons(made):,} records are."]
    return document, lines


def _printed_theorem(made: "discreet.planning.Plan", excess: float) -> tuple[int, float]:
    """Number of the theorem, and what it asks for with C = 1."""
    from discreet.bounds import theorem_3, theorem_4

    number, theorem = (4, theorem_4) if made.mechanism == "objective" else (3, theorem_3)
    domain = made.problem(1, 1.0).domain
    # Rows of norm R and predictors of norm B are rows of norm 1 and predictors of norm R B.
    return number, theorem(
        norm=made.norm * domain.radius,
        excess=excess,
        epsilon=made.epsilon,
        dimension=domain.dimension,
        smoothness=made.margin_loss.smoothness,
        delta=0.5 * made.failure,
        constant=1.0,
    )


def _of_invented_records(made: "discreet.planning.Plan", repeats: int) -> tuple[str, str]:
    """What a simulation is of."""
    return (
        f"Simulated: {repeats} private fits each, with the default alpha, on invented records: uniform directions,",
        f"classes by a logistic model of norm {made.norm:g}. Your table will differ; a bound holds for every table.",
    )
