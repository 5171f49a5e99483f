"""`discreet plan over SET`: how many records for which excess risk, where the model must lie in a set.

The bounds of Talwar, Thakurta and Zhang (2014) with every constant (discreet/planning/set_plan.py), for each mechanism that there is, beside a
simulation on invented records. Public numbers only: no table is read, and no privacy is spent.
"""

from typing import TYPE_CHECKING

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, heading, json_option, step
from discreet.cli.report import check_report, report_option

if TYPE_CHECKING:
    from discreet.planning import NeededRecords, SetBound, SetPlan, SimulatedOverSet

_EXAMPLES = examples(
    "discreet plan over l1-ball --features 1000 --entry-bound 1 --records 20000 --epsilon 1 --delta 1e-6",
    "discreet plan over l1-ball --features 100 --data-norm 1 --radius 5 --loss logistic --excess 0.05 --epsilon 1 --delta 1e-6",
    "discreet plan over simplex --features 50 --entry-bound 1 --loss absolute --excess 0.1 --epsilon 1 --delta 1e-6 --json",
)
_SETS = ("l1-ball", "l2-ball", "linfinity-ball", "simplex")
_LOSSES = ("squared", "huber", "log-cosh", "absolute", "logistic", "hinge", "huber-hinge", "smoothed-hinge", "softplus-hinge")
_ENTRIES = 2_000_000
"""The largest simulated table, in numbers."""
_WORK = 2.0e9
"""Numbers that the simulated fits of one size may read."""
_A_STEP = 5e4
"""What a step takes on no records, in numbers that it could read."""
_TABLES = 2


@click.command(short_help="The same over a set.", epilog=_EXAMPLES)
@click.argument("set_name", metavar="SET", type=click.Choice(_SETS))
@click.option("--radius", type=NUMBER, default=1.0, show_default=True, help="Of the set: the bound on the norm, or the sum of the simplex.")
@click.option("--features", type=int, required=True, help="Number of features d of a row.")
@click.option("--entry-bound", type=NUMBER, help="Bound on every entry of a row (data_bound of a fit).")
@click.option("--data-norm", type=NUMBER, help="Bound on the Euclidean norm of a row. One of the two is needed.")
@click.option("--target-bound", type=NUMBER, help="Bound on |y|, 1 unless given; losses of classes have none.")
@click.option("--intercept", is_flag=True, help="Plan a fit with an intercept; its coefficient lies in the set too.")
@click.option("--loss", type=click.Choice(_LOSSES), default="squared", show_default=True)
@click.option("--excess", type=NUMBER, help="Excess of the mean loss to stay below: the answer is a number of records.")
@click.option("--records", type=int, help="Number of records: the answer is an excess of the mean loss.")
@click.option("--epsilon", type=NUMBER, required=True, help="Privacy loss of the fit, > 0.")
@click.option("--delta", type=NUMBER, default=0.0, show_default=True, help="Probability that the loss is exceeded; well below 1 / records.")
@click.option("--neighbours", type=click.Choice(["replace-one", "add-remove"]), default="replace-one", show_default=True, help="What is hidden.")
@click.option("--steps", type=int, help="Number of steps (n_iter of a fit); the best for the bound unless given.")
@click.option("--no-simulation", is_flag=True, help="Only what is proved; takes a second.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the invented records and their noise.")
@click.option("--jobs", type=int, help="Threads that share the simulated tables; -1 for every processor.  [default: 1]")
@report_option
@click.option("--overwrite", is_flag=True, help="Replace that file where it exists.")
@json_option
def plan_over(  # noqa: PLR0913 - one argument an option
    *,
    set_name: str,
    radius: float,
    features: int,
    entry_bound: float | None,
    data_norm: float | None,
    target_bound: float | None,
    intercept: bool,
    loss: str,
    excess: float | None,
    records: int | None,
    epsilon: float,
    delta: float,
    neighbours: str,
    steps: int | None,
    no_simulation: bool,
    seed: int,
    jobs: int | None,
    report_path: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Say how many records are proved to be enough for an excess risk over a set, or which excess risk for these records.

    The model lies in the l1, l2 or l-infinity ball or in the simplex. The excess is that of the mean loss on the records themselves over its least
    value on the set, in expectation over the noise. Every mechanism is listed with what is proved of it. No table is read: all numbers are public.
    """
    if (excess is None) == (records is None):
        raise click.UsageError(
            "either --excess (how many records are enough?) or --records (for which excess?) is needed, and not both", click.get_current_context()
        )
    if entry_bound is None and data_norm is None:
        raise click.UsageError("rows need a public bound: --entry-bound, --data-norm, or both", click.get_current_context())
    with step("Calibrating"):
        from discreet.core.neighbours import Neighbours  # noqa: PLC0415
        from discreet.core.validate import whole  # noqa: PLC0415 - imports of the library wait until they are needed
        from discreet.planning import SetPlan  # noqa: PLC0415
        from discreet.sets import constraint_named  # noqa: PLC0415

        check_report(report_path, overwrite=overwrite)
        whole(features, "features")
        given = [bound for bound in (entry_bound, data_norm) if bound is not None]
        made = SetPlan(
            constraint=constraint_named(set_name, {"dimension": features + intercept, "radius": radius}),
            loss=loss,
            epsilon=epsilon,
            delta=delta,
            neighbours=Neighbours(neighbours),
            entry_bound=entry_bound,
            data_norm=data_norm,
            target_bound=1.0 if target_bound is None else target_bound,
            intercept_scale=min(given) if intercept else 0.0,
            steps=steps,
        )
        needed = () if excess is None else made.needed(excess)
        found = made.records_for(excess) if excess is not None else made.bound(int(records or 0))
    simulated = [] if no_simulation else _simulated(made, found, excess, seed, jobs)
    if report_path is not None:
        from discreet.display.reports import set_plan_page, write_page  # noqa: PLC0415 - imports of the library wait until they are needed

        with step("Writing the report"):
            write_page(set_plan_page(made, found, needed, simulated, radius=radius, excess=excess), report_path, overwrite=overwrite)
    _report(made, found, needed, simulated, radius=radius, excess=excess, page=report_path, as_json=as_json)


def _simulated(made: "SetPlan", found: "SetBound", excess: float | None, seed: int, jobs: int | None) -> "list[SimulatedOverSet]":
    """At a few sizes: up to the one where the excess is reached, or up to the number of records that was given; no more than takes seconds."""
    from discreet.noise import SeededNoise  # noqa: PLC0415
    from discreet.planning import simulate_over_set  # noqa: PLC0415

    noise = SeededNoise(seed)
    wanted = (100, 300, 1000, 3000, 10_000, 30_000, 100_000) if excess is not None else (found.records // 100, found.records // 10, found.records)
    done: list[SimulatedOverSet] = []
    largest = max(10, _ENTRIES // made.constraint.dimension)
    for count in sorted({_affordable(made, max(10, min(found.records, largest, one))) for one in wanted}):
        if done and count < 2 * done[-1].records:
            continue
        with step(f"Simulating {count:,} records"):
            done += simulate_over_set(made, [count], noise, tables=_TABLES, draws=_draws(_own_steps(made, count)), n_jobs=jobs)
        if excess is not None and done[-1].largest <= excess:
            break
    return done


def _affordable(made: "SetPlan", records: int) -> int:
    """This number of records, or a third, a ninth and so on, so that fits take seconds."""
    steps = _own_steps(made, records)
    kink = made.problem(records).smoothness == float("inf")  # predictions in a fixed order take about three times as long
    work = _TABLES * _draws(steps) * steps * (_A_STEP + records * (made.constraint.dimension + 10) * (3 if kink else 1))
    return records if work <= _WORK or records <= 30 else _affordable(made, records // 3)


def _own_steps(made: "SetPlan", records: int) -> int:
    """Of a fit, or about the passes that a solver takes."""
    bound = made.bound(records)
    return bound.of(bound.auto).own_steps or 200


def _draws(steps: int) -> int:
    """Fits on each table."""
    return 3 if steps <= 1000 else 1


def _report(
    made: "SetPlan",
    found: "SetBound",
    needed: "tuple[NeededRecords, ...]",
    simulated: "list[SimulatedOverSet]",
    *,
    radius: float,
    excess: float | None,
    page: str | None,
    as_json: bool,
) -> None:
    enough = next((one.records for one in simulated if excess is not None and one.largest <= excess), None)
    domain = made.problem(found.records).domain
    document = {
        "command": "plan over",
        "plan": {
            "set": made.constraint.name,
            "radius": radius,
            "features": domain.features,
            "entry_bound": made.entry_bound,
            "data_norm": made.data_norm,
            "target_bound": made.target_bound,
            "intercept_scale": made.intercept_scale,
            "loss": made.loss,
            "epsilon": made.epsilon,
            "delta": made.delta,
            "neighbours": str(made.neighbours),
            "steps": made.steps,
        },
        "excess": excess,
        "bound": found.to_dict(),
        "needed": [one.to_dict() for one in needed],
        "simulated": [one.to_dict() for one in simulated],
        "simulated_enough": enough,
        "report": page,
    }
    best, auto = found.best, found.of(found.auto)
    at = "" if best.steps is None else f" at {best.steps:,} steps"
    if excess is None:
        said = f"with {found.records:,} records the expected excess of the mean loss is at most {best.risk:.4g}"
    else:
        said = f"{found.records:,} records are proved to be enough for an expected excess of the mean loss of {excess:g}"
    own = "" if auto.own_steps is None else f", at {auto.own_steps:,} steps"
    counts = {one.mechanism: one for one in needed}
    lines = [
        f"Plan         {_problem(made, radius)}",
        f"Proved       {said}",
        f"             by {best.mechanism}{at}; no point of the set exceeds {found.trivial:.4g}",
        f"Auto         takes {found.auto}; of a fit that is left to itself{own}, {auto.own_risk:.4g} is proved",
        "",
        heading(f"Expected excess of the mean loss, {found.records:,} records"),
        f"{'mechanism':<28}{'bound':>10}{'steps':>9}{'by itself':>11}{'steps':>9}" + (f"{'needed':>14}" if needed else ""),
    ]
    for one in found.mechanisms:
        count = counts.get(one.mechanism)
        enough_here = "" if count is None else f"{'-' if count.records is None else format(count.records, ','):>14}"
        remark = one.remark if count is None or count.records is not None else count.remark
        numbers = f"{_number(one.risk):>10}{_steps(one.steps):>9}{_number(one.own_risk):>11}{_steps(one.own_steps):>9}{enough_here}"
        lines.append(f"{one.mechanism:<28}{numbers}" + (f"  {remark}" if remark else ""))
    if simulated:
        lines += [
            "",
            heading("Simulated"),
            f"{'records':>12}{'proved':>12}{'simulated':>12}{'largest':>12}  mechanism",
            *(f"{one.records:>12,}{one.own_risk:>12.4g}{one.mean:>12.4g}{one.largest:>12.4g}  {one.mechanism}" for one in simulated),
            *_about(made, simulated, enough, excess),
        ]
    if page is not None:
        lines += ["", f"Report       written to {page}"]
    answer(document, lines, as_json=as_json)


def _about(made: "SetPlan", simulated: "list[SimulatedOverSet]", enough: int | None, excess: float | None) -> list[str]:
    rows = "uniform directions" if made.entry_bound is None else "entries of random sign"
    most = max(one.repeats for one in simulated)
    lines = [
        "",
        f"Up to {most} fits each that are left to themselves, on invented records: {rows}, targets by a model of the set.",
        f"Minima are known to {max(one.error for one in simulated):.1g}. Your table will be another one; a bound holds for every table.",
    ]
    if enough is not None:
        lines.append(f"There, {enough:,} records were enough for an excess of {excess:g}.")
    elif excess is not None:
        lines.append(f"There, {simulated[-1].records:,} records, the most that are simulated, were not enough for an excess of {excess:g}.")
    return lines


def _problem(made: "SetPlan", radius: float) -> str:
    domain = made.problem(1).domain
    bounds = [f"|x_j| <= {made.entry_bound:g}"] if made.entry_bound is not None else []
    bounds += [f"|x| <= {made.data_norm:g}"] if made.data_norm is not None else []
    bounds += [] if made.problem(1).loss.signed_targets else [f"|y| <= {made.target_bound:g}"]
    intercept = " and an intercept" if made.intercept_scale > 0 else ""
    where = f"{made.loss} over {made.constraint.name} of radius {radius:g}, {domain.features} features{intercept}, {', '.join(bounds)}"
    return f"{where}; epsilon {made.epsilon:g}, delta {made.delta:g}, {made.neighbours}"


def _number(value: float) -> str:
    return "-" if value == float("inf") else f"{value:.4g}"


def _steps(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
