"""`discreet plan`: before there are records, how many for which excess error at which epsilon.

What is proved (discreet/bounds, discreet/planning) is printed beside a simulation on invented records, which shows how loose the proof is. Public
numbers only: no table is read, and no privacy is spent.
"""

from typing import TYPE_CHECKING, Any

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, heading, json_option, step
from discreet.cli.plan_epsilon import report_epsilon, simulated_epsilons
from discreet.cli.plan_over import plan_over
from discreet.cli.plan_words import numbers_of, of_invented_records, privacy_of, problem_of
from discreet.cli.report import check_report, report_option

if TYPE_CHECKING:
    from discreet.planning import Plan, PlannedBound, Simulated

_EXAMPLES = examples(
    "discreet plan --excess 0.05 --epsilon 1 --delta 1e-6 --features 20 --norm 3",
    "discreet plan --records 50000 --epsilon 0.5 --features 20 --norm 3 --loss softplus-hinge",
    "discreet plan --excess 0.05 --records 400000 --delta 1e-6 --features 20 --norm 3",
    "discreet plan --excess 0.1 --epsilon 1 --features 100 --norm 5 --no-simulation --json",
    "discreet plan --records 20000 --epsilon 1 --features 20 --norm 3 --plot plan.svg",
    "discreet plan over l1-ball --features 1000 --entry-bound 1 --records 20000 --epsilon 1 --delta 1e-6",
)
_ENTRIES = 2_000_000
"""The largest simulated table, in numbers."""
_LARGEST = 100_000
_LARGEST_OF_EPSILONS = 30_000
"""Where the epsilon is asked for: 24 tables, each with a fit at every epsilon."""


class _OrOver(click.Command):
    """`discreet plan`, whose first argument may be `over`: then the rest is for that command, which has options of its own."""

    def make_context(self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any) -> click.Context:  # noqa: ANN401 - click's signature
        """As click's."""
        if args and args[0] == "over":
            return plan_over.make_context(f"{info_name} over", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=_OrOver, short_help="How many records for which error, before there are any.", epilog=_EXAMPLES)
@click.option("--excess", type=NUMBER, help="Excess of expected loss to stay below.")
@click.option("--records", type=int, help="Number of records.")
@click.option("--epsilon", type=NUMBER, help="Privacy loss of the fit, > 0.")
@click.option("--delta", type=NUMBER, default=0.0, show_default=True, help="Probability that the loss is exceeded; well below 1 / records.")
@click.option("--neighbours", type=click.Choice(["replace-one", "add-remove"]), default="replace-one", show_default=True, help="What is hidden.")
@click.option("--features", type=int, required=True, help="Number of features d of a row.")
@click.option("--norm", type=NUMBER, required=True, help="Norm of the predictors f0 to compete with; 1 / norm is the margin of one that separates.")
@click.option("--data-norm", type=NUMBER, default=1.0, show_default=True, help="Bound on the norm of a row.")
@click.option("--no-intercept", is_flag=True, help="Plan a fit without intercept.")
@click.option("--loss", type=click.Choice(["logistic", "softplus-hinge"]), default="logistic", show_default=True)
@click.option("--mechanism", type=click.Choice(["objective", "output"]), default="objective", show_default=True)
@click.option("--failure", type=NUMBER, default=0.05, show_default=True, help="Probability with which the bound may fail.")
@click.option("--no-simulation", is_flag=True, help="Only what is proved; takes a second.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the invented records and their noise.")
@click.option("--jobs", type=int, help="Threads that share the simulated tables; -1 for every processor.  [default: 1]")
@click.option("--plot", type=click.Path(), help="Write bounds and simulation to this SVG file.")
@report_option
@click.option("--overwrite", is_flag=True, help="Replace these files where they exist.")
@json_option
def plan(  # noqa: PLR0913 - one argument an option
    *,
    excess: float | None,
    records: int | None,
    epsilon: float | None,
    delta: float,
    neighbours: str,
    features: int,
    norm: float,
    data_norm: float,
    no_intercept: bool,
    loss: str,
    mechanism: str,
    failure: float,
    no_simulation: bool,
    seed: int,
    jobs: int | None,
    plot: str | None,
    report_path: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Say what follows from two of --excess, --records and --epsilon: how many records are proved to be enough, which excess error, or which epsilon.

    The excess is that of the expected loss of the private classifier over that of the best linear predictor whose norm is at most --norm. No table is
    read: all numbers are public. Beside the bound, a simulation on invented records shows how loose it is.

    For a model that must lie in a set: discreet plan over SET, with options of its own (discreet plan over --help).
    """
    if sum(number is None for number in (excess, records, epsilon)) != 1:
        raise click.UsageError(
            "two of --excess, --records and --epsilon are needed, and not all three: the one that is left out is the answer",
            click.get_current_context(),
        )
    with step("Calibrating"):
        from discreet.core.files.whole_file import check_writable, write_whole  # noqa: PLC0415 - imports of the library wait until they are needed
        from discreet.core.neighbours import Neighbours  # noqa: PLC0415
        from discreet.planning import Plan, least_epsilon, plan_plot  # noqa: PLC0415

        if plot is not None:
            check_writable(plot, overwrite=overwrite)
        check_report(report_path, *([] if plot is None else [plot]), overwrite=overwrite)
        made = Plan(
            epsilon=1.0 if epsilon is None else epsilon,
            delta=delta,
            neighbours=Neighbours(neighbours),
            features=features,
            norm=norm,
            data_norm=data_norm,
            intercept_scale=0.0 if no_intercept else None,
            loss=loss,
            mechanism=mechanism,
            failure=failure,
        )
        if epsilon is None:
            made = least_epsilon(made, records=records or 0, excess=float(excess or 0.0))
        found = made.bound(records) if records is not None else made.records_for(float(excess or 0.0))
    most = min(_LARGEST_OF_EPSILONS, _most_simulated(made))
    wanted = float(excess or 0.0) if epsilon is None else None
    tried = [] if no_simulation or wanted is None or found.records > most else simulated_epsilons(made, found.records, seed, jobs)
    simulated = [] if no_simulation or wanted is not None else _simulated(made, found, excess, seed, jobs)
    ladder = _ladder(found.records) if plot is not None or report_path is not None else []
    counts = sorted({found.records, *(one.records for one in simulated), *ladder})
    bounds = [found if count == found.records else made.bound(count) for count in counts]
    if plot is not None:
        write_whole(plot, plan_plot(bounds, simulated, title=problem_of(made), subtitle=privacy_of(made)), overwrite=overwrite)
    if report_path is not None:
        from discreet.display.reports import plan_page, write_page  # noqa: PLC0415 - imports of the library wait until they are needed

        with step("Writing the report"):
            page = plan_page(made, found, bounds, simulated, excess=excess, tried=None if wanted is None else tried)
            write_page(page, report_path, overwrite=overwrite)
    if wanted is not None:
        report_epsilon(made, found, tried, excess=wanted, most_simulated=most, plot=plot, page=report_path, as_json=as_json)
        return
    shown = [one for one in bounds if one.records == found.records or any(one.records == other.records for other in simulated)]
    _report(made, found, shown, simulated, excess=excess, plot=plot, page=report_path, as_json=as_json)


def _simulated(made: "Plan", found: "PlannedBound", excess: float | None, seed: int, jobs: int | None) -> "list[Simulated]":
    """At a few sizes: up to the one where the excess is reached, or below the number of records that was given."""
    from discreet.noise import SeededNoise  # noqa: PLC0415
    from discreet.planning import simulate  # noqa: PLC0415
    from discreet.planning.simulate import usual_ridge  # noqa: PLC0415

    noise, ridge = SeededNoise(seed), usual_ridge(made)
    largest = _most_simulated(made)
    if excess is None:
        counts = sorted({max(10, min(largest, found.records // share)) for share in (100, 10, 1)})
    else:
        counts = [count for count in (100, 300, 1000, 3000, 10_000, 30_000, 100_000) if count <= min(largest, found.records)]
    done: list[Simulated] = []
    for count in counts:
        with step(f"Simulating {count:,} records"):
            done += simulate(made, [count], noise, ridge=ridge, n_jobs=jobs)
        if excess is not None and done[-1].upper <= excess:
            break
    return done


def _most_simulated(made: "Plan") -> int:
    return min(_LARGEST, max(1000, _ENTRIES // (made.features + 1)))


def _ladder(records: int) -> list[int]:
    """Sizes at which a picture shows the bound."""
    return sorted({max(1, round(records * 10.0 ** (power / 3.0))) for power in range(-9, 3)})


def _report(
    made: "Plan",
    found: "PlannedBound",
    bounds: "list[PlannedBound]",
    simulated: "list[Simulated]",
    *,
    excess: float | None,
    plot: str | None,
    page: str | None,
    as_json: bool,
) -> None:
    by_records = {one.records: one for one in simulated}
    enough = next((one.records for one in simulated if excess is not None and one.upper <= excess), None)
    alone = None if excess is None else made.records_without_privacy(excess)
    number, scaling = _printed_theorem(made, found.excess if excess is None else excess)
    document = {
        "command": "plan",
        "plan": numbers_of(made),
        "excess": excess,
        "bound": found.to_dict(),
        "records_without_privacy": alone,
        "printed_theorem": {"number": number, "records_over_C": scaling},
        "bounds": [one.to_dict() for one in bounds],
        "simulated": [one.to_dict() for one in simulated],
        "simulated_enough": enough,
        "plot": plot,
        "report": page,
    }
    confidence = f"with probability {100 * (1 - made.failure):g} %"
    if excess is None:
        said = f"with {found.records:,} records the excess of expected loss is at most {found.excess:.4g}, {confidence}"
        beside = f"the same bound without privacy: {found.without_privacy:.4g}"
    else:
        said = f"{found.records:,} records are proved to be enough for an excess of {excess:g}, {confidence}"
        beside = f"the same bound without privacy: {alone:,} records"
    header = f"{'records':>12}{'bound':>12}{'no privacy':>12}{'simulated':>12}{f'{100 * (1 - made.failure):g} % below':>14}"
    rows = [
        f"{one.records:>12,}{one.excess:>12.4g}{one.without_privacy:>12.4g}"
        + (f"{by_records[one.records].mean:>12.4g}{by_records[one.records].upper:>14.4g}" if one.records in by_records else f"{'-':>12}{'-':>14}")
        for one in bounds
    ]
    lines = [
        f"Plan         {problem_of(made)}; {privacy_of(made)}",
        f"Proved       {said}",
        f"             {beside}; at alpha = {found.alpha:.4g}",
        f"As printed   theorem {number} of Chaudhuri et al. (2011) asks for C x {scaling:,.0f} records, C unspecified, at delta = 0",
        "",
        heading("Excess of expected loss"),
        header,
        *rows,
        *_about(made, simulated, enough, excess),
        *([] if plot is None else ["", f"Picture      written to {plot}"]),
        *([] if page is None else ["", f"Report       written to {page}"]),
    ]
    answer(document, lines, as_json=as_json)


def _about(made: "Plan", simulated: "list[Simulated]", enough: int | None, excess: float | None) -> list[str]:
    if not simulated:
        return []
    lines = [
        "",
        f"Simulated: {simulated[0].repeats} private fits each, with the alpha that a fit takes by itself, {of_invented_records(made)}",
    ]
    if made.loss != "logistic":
        lines.append("For another loss than the logistic one that model is not the best predictor, so the simulated excess may be negative.")
    if enough is not None:
        lines.append(f"There, {enough:,} records were enough for an excess of {excess:g}.")
    elif excess is not None:
        lines.append(f"There, {simulated[-1].records:,} records, the most that are simulated, were not enough for an excess of {excess:g}.")
    return lines


def _printed_theorem(made: "Plan", excess: float) -> tuple[int, float]:
    """Number of the theorem, and what it asks for with C = 1."""
    from discreet.bounds import theorem_3, theorem_4  # noqa: PLC0415

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
