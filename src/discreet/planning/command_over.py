"""`discreet plan over SET`: how many records for which excess risk, where the model must lie in a set.

The bounds of Talwar, Thakurta and Zhang (2014) with every constant (discreet/planning/set_plan.py), for each mechanism that there is, beside a
simulation on invented records. Public numbers only: no table is read, and no privacy is spent.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import discreet
from discreet.cli.options import Argument, Delta, Hidden, Report, command, usage_error
from discreet.cli.output import Outcome, check_report, labelled, step, styled, table
from discreet.core.neighbours import DELTA

_ENTRIES = 2_000_000
"""The largest simulated table, in numbers."""
_WORK = 2.0e9
"""Numbers that the simulated fits of one size may read."""
_A_STEP = 5e4
"""What a step takes on no records, in numbers that it could read."""
_TABLES = 2
_NUMBERS = ("entry_bound", "data_norm", "target_bound", "intercept_scale", "loss", "epsilon", "delta", "steps")


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """Whether and how a plan is tried on invented records."""

    no_simulation: Annotated[bool, "Only the proved bound, in about a second."] = False
    seed: Annotated[int, "Seed of the invented records and their noise."] = 0
    jobs: Annotated[int | None, "Threads that share the simulated tables; -1 for every processor.  [default: 1]"] = None


@command(
    "The same over a set.",
    "discreet plan over l1-ball --features 1000 --entry-bound 1 --target-bound 1 --records 20000 --epsilon 1 --delta 1e-6",
    "discreet plan over l1-ball --features 100 --data-norm 1 --radius 5 --loss logistic --excess 0.05 --epsilon 1 --delta 1e-6",
    "discreet plan over simplex --features 50 --entry-bound 1 --target-bound 1 --loss absolute --excess 0.1 --epsilon 1 --delta 1e-6 --json",
)
def plan_over(
    *,
    set: Annotated[Literal["l1-ball", "l2-ball", "linfinity-ball", "simplex"], Argument(metavar="SET")],  # noqa: A002 - the name of the argument
    radius: Annotated[float, "Radius of the set: the bound on the norm, or the sum of the simplex."] = 1.0,
    features: Annotated[int, "Number of features d of a row."],
    entry_bound: Annotated[float | None, "Bound on every entry of a row (data_bound of a fit)."] = None,
    data_norm: Annotated[float | None, "Bound on the Euclidean norm of a row. One of the two is needed."] = None,
    target_bound: Annotated[float | None, "Bound on |y|, needed for losses of numbers."] = None,
    intercept: Annotated[bool, "Plan a fit with an intercept; its coefficient lies in the set too."] = False,
    loss: Annotated[str, "A loss of numbers, such as squared, huber or pinball, or of classes, such as logistic or hinge."] = "squared",
    excess: Annotated[float | None, "Largest excess of the mean loss; the answer is a number of records."] = None,
    records: Annotated[int | None, "Number of records; the answer is an excess of the mean loss."] = None,
    epsilon: Annotated[float, "Privacy loss of the fit, > 0."],
    delta: Delta = DELTA,
    neighbours: Annotated[Hidden, "What is hidden."] = "replace-one",
    steps: Annotated[int | None, "Number of steps (n_iter of a fit). Default: the best for the bound."] = None,
    simulation: Simulation,
    report: Report = None,
    overwrite: Annotated[bool, "Overwrite that file if it exists."] = False,
) -> Outcome:
    """Compute how many records are proved to be enough for an excess risk over a set, or the excess risk for a number of records.

    The model lies in the l1, l2 or l-infinity ball or in the simplex. The excess is how far the mean loss on the records is above its least value on
    the set, in expectation over the noise. Every mechanism is listed with its proved bound. No table is read: all numbers are public.
    """
    if (excess is None) == (records is None):
        raise usage_error("give either --excess (how many records are enough?) or --records (what excess do they allow?), not both")
    bounds = [bound for bound in (entry_bound, data_norm) if bound is not None]
    if not bounds:
        raise usage_error("rows need a public bound: --entry-bound, --data-norm, or both")
    with step("Calibrating"):
        from discreet.core.validate import whole

        check_report(report, overwrite=overwrite)
        whole(features, "features")
        made = discreet.planning.SetPlan(
            constraint=discreet.sets.constraint_named(set, {"dimension": features + intercept, "radius": radius}),
            loss=loss,
            epsilon=epsilon,
            delta=delta,
            neighbours=discreet.Neighbours(neighbours),
            entry_bound=entry_bound,
            data_norm=data_norm,
            target_bound=target_bound,
            intercept_scale=min(bounds) if intercept else 0.0,
            steps=steps,
        )
        needed = () if excess is None else made.needed(excess)
        found = made.records_for(excess) if excess is not None else made.bound(int(records or 0))
    simulated = _simulated(made, found, excess, simulation)
    if report is not None:
        from discreet.display.reports import write_page
        from discreet.planning.views import set_plan_page

        with step("Writing the report"):
            page = set_plan_page(made, found, needed, simulated, radius=radius, excess=excess)
            write_page(page, report, overwrite=overwrite)
    enough = next((one.records for one in simulated if excess is not None and one.largest <= excess), None)
    return Outcome(
        document={
            "plan": {
                "set": made.constraint.name,
                "radius": radius,
                "features": made.problem(found.records).domain.features,
                "neighbours": str(made.neighbours),
                **{name: getattr(made, name) for name in _NUMBERS},
                "target_bound": made.problem(1).domain.target_bound,
            },
            "excess": excess,
            "bound": found.to_dict(),
            "needed": [one.to_dict() for one in needed],
            "simulated": [one.to_dict() for one in simulated],
            "simulated_enough": enough,
            "report": report,
        },
        lines=[
            *labelled(("Plan", _problem(made, radius))),
            *_proved(found, needed, excess),
            *_tried(made, simulated, enough, excess),
            *([] if report is None else ["", f"Report       written to {report}"]),
        ],
    )


def _simulated(
    made: "discreet.planning.SetPlan", found: "discreet.planning.SetBound", excess: float | None, asked: Simulation
) -> "list[discreet.planning.SimulatedOverSet]":
    """At a few sizes: up to the one where the excess is reached, or up to the number of records that was given; no more than takes seconds."""
    if asked.no_simulation:
        return []
    noise = discreet.SeededNoise(asked.seed)
    wanted = (100, 300, 1000, 3000, 10_000, 30_000, 100_000) if excess is not None else (found.records // 100, found.records // 10, found.records)
    done: list[discreet.planning.SimulatedOverSet] = []
    largest = max(10, _ENTRIES // made.constraint.dimension)
    for count in sorted({_affordable(made, max(10, min(found.records, largest, one))) for one in wanted}):
        if done and count < 2 * done[-1].records:
            continue
        with step(f"Simulating {count:,} records"):
            done += discreet.planning.simulate_over_set(
                made, [count], noise, tables=_TABLES, draws=_draws(_own_steps(made, count)), n_jobs=asked.jobs
            )
        if excess is not None and done[-1].largest <= excess:
            break
    return done


def _affordable(made: "discreet.planning.SetPlan", records: int) -> int:
    """This number of records, or a third, a ninth and so on, so that fits take seconds."""
    steps = _own_steps(made, records)
    kink = made.problem(records).smoothness == float("inf")  # predictions in a fixed order take about three times as long
    work = _TABLES * _draws(steps) * steps * (_A_STEP + records * (made.constraint.dimension + 10) * (3 if kink else 1))
    return records if work <= _WORK or records <= 30 else _affordable(made, records // 3)


def _own_steps(made: "discreet.planning.SetPlan", records: int) -> int:
    """Of a fit, or about the passes that a solver takes."""
    bound = made.bound(records)
    return bound.of(bound.auto).own_steps or 200


def _draws(steps: int) -> int:
    """Fits on each table."""
    return 3 if steps <= 1000 else 1


def _proved(found: "discreet.planning.SetBound", needed: "tuple[discreet.planning.NeededRecords, ...]", excess: float | None) -> list[str]:
    """The bounds of all mechanisms."""
    from discreet.display.promise import count_shown, numbers_shown

    best, auto = found.best, found.of(found.auto)
    at = "" if best.steps is None else f" at {best.steps:,} steps"
    if excess is None:
        said = f"with {found.records:,} records the expected excess of the mean loss is at most {best.risk:.4g}"
    else:
        said = f"{found.records:,} records are provably enough for an expected excess of the mean loss of {excess:g}"
    own = "" if auto.own_steps is None else f", at {auto.own_steps:,} steps"
    counts, widths = {one.mechanism: one for one in needed}, (-28, 10, 9, 11, 9, 14 if needed else 0)
    lines = [
        *labelled(
            ("Proved", said),
            ("", f"by {best.mechanism}{at}; no point of the set exceeds {found.trivial:.4g}"),
            ("Auto", f"takes {found.auto}; for a fit with default settings{own}, the proof gives {auto.own_risk:.4g}"),
        ),
        "",
        styled(f"Expected excess of the mean loss, {found.records:,} records"),
        *table(widths, ("mechanism", "bound", "steps", "by itself", "steps", "needed" if needed else "")),
    ]
    for one in found.mechanisms:
        count = counts.get(one.mechanism)
        remark = one.remark if count is None or count.records is not None else count.remark
        enough = "" if count is None else count_shown(count.records)
        cells = (one.mechanism, numbers_shown(one.risk), count_shown(one.steps), numbers_shown(one.own_risk), count_shown(one.own_steps), enough)
        lines += [line + (f"  {remark}" if remark else "") for line in table(widths, cells)]
    return lines


def _tried(
    made: "discreet.planning.SetPlan", simulated: "list[discreet.planning.SimulatedOverSet]", enough: int | None, excess: float | None
) -> list[str]:
    """The simulation, where there was one."""
    if not simulated:
        return []
    from discreet.planning.views import by_fits

    rows = "uniform directions" if made.entry_bound is None else "entries of random sign"
    most = max(one.repeats for one in simulated)
    return [
        "",
        styled("Simulated"),
        *table(
            (12, 12, 12, 12, -2),
            ("records", "proved", "simulated", "largest", "  mechanism"),
            *((*numbers, f"  {mechanism}") for *numbers, mechanism in by_fits(simulated)),
        ),
        "",
        f"Up to {most} fits each with default settings, on invented records: {rows}, targets by a model of the set.",
        f"The minima are accurate to {max(one.error for one in simulated):.1g}. Your table will differ; a bound holds for every table.",
        *reached(enough, simulated[-1].records, excess),
    ]


def reached(enough: int | None, most: int, excess: float | None) -> list[str]:
    """Whether a simulation of at most so many records came below the excess that was asked for, if one was."""
    if excess is None:
        return []
    if enough is not None:
        return [f"In the simulation, {enough:,} records were enough for an excess of {excess:g}."]
    return [f"In the simulation, {most:,} records, the largest number tried, were not enough for an excess of {excess:g}."]


def _problem(made: "discreet.planning.SetPlan", radius: float) -> str:
    domain = made.problem(1).domain
    bounds = [f"|x_j| <= {made.entry_bound:g}"] if made.entry_bound is not None else []
    bounds += [f"|x| <= {made.data_norm:g}"] if made.data_norm is not None else []
    bounds += [] if made.problem(1).loss.signed_targets else [f"|y| <= {made.problem(1).domain.target_bound:g}"]
    intercept = " and an intercept" if made.intercept_scale > 0 else ""
    where = f"{made.loss} over {made.constraint.name} of radius {radius:g}, {domain.features} features{intercept}, {', '.join(bounds)}"
    return f"{where}; epsilon {made.epsilon:g}, delta {made.delta:g}, {made.neighbours}"
