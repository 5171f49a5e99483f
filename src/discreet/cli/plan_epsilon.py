"""`discreet plan --excess X --records N`: the epsilon that is needed, proved and simulated. Public numbers only, as in `plan`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.cli.output import answer, heading, step
from discreet.cli.plan_words import numbers_of, of_invented_records, privacy_of, problem_of

if TYPE_CHECKING:
    from discreet.planning import Plan, PlannedBound, SimulatedEpsilon


def simulated_epsilons(made: "Plan", records: int, seed: int, jobs: int | None) -> "list[SimulatedEpsilon]":
    """At the epsilons of `discreet.planning.EPSILONS`."""
    from discreet.noise import SeededNoise  # noqa: PLC0415 - imports of the library wait until they are needed
    from discreet.planning import simulate_epsilons  # noqa: PLC0415

    with step(f"Simulating {records:,} records"):
        return simulate_epsilons(made, records, SeededNoise(seed), n_jobs=jobs)


def report_epsilon(
    made: "Plan",
    found: "PlannedBound",
    simulated: "Sequence[SimulatedEpsilon]",
    *,
    excess: float,
    most_simulated: int,
    plot: str | None,
    page: str | None,
    as_json: bool,
) -> None:
    """The answer. `made` has the epsilon that was found, `found` is its bound at these records."""
    from discreet.planning import EPSILONS, bracket, proved_at  # noqa: PLC0415

    small, enough = bracket(simulated, excess)
    seen = {one.epsilon: one for one in simulated}
    proved = {epsilon: proved_at(made, epsilon, found.records) for epsilon in sorted({*EPSILONS, made.epsilon})}
    document = {
        "command": "plan",
        "plan": numbers_of(made),
        "excess": excess,
        "epsilon_needed": made.epsilon,
        "bound": found.to_dict(),
        "epsilons": [{"epsilon": epsilon, "proved": value} for epsilon, value in proved.items()],
        "simulated": [one.to_dict() for one in simulated],
        "simulated_too_small": small,
        "simulated_enough": enough,
        "plot": plot,
        "report": page,
    }
    rows = []
    for epsilon, value in proved.items():
        one = seen.get(epsilon)
        bound = "-" if value is None else f"{value:.4g}"
        rows.append(f"{epsilon:>12.4g}{bound:>12}" + (f"{'-':>12}" if one is None else f"{one.mean:>12.4g}{f'{one.low:.4g} to {one.high:.4g}':>26}"))
    confidence = f"with probability {100 * (1 - made.failure):g} %"
    lines = [
        f"Plan         {problem_of(made)}; {privacy_of(made)}",
        f"Proved       epsilon {made.epsilon:g} is enough for an excess of {excess:g} with {found.records:,} records, {confidence}",
        f"             without privacy the same bound is {found.without_privacy:.4g}; at alpha = {found.alpha:.4g}",
        "",
        heading(f"Excess of expected loss, {found.records:,} records"),
        f"{'epsilon':>12}{'bound':>12}{'simulated':>12}{'interval of the mean':>26}",
        *rows,
        *_about(made, simulated, small, enough, excess),
        *([] if found.records <= most_simulated else ["", f"Not simulated: that is done up to {most_simulated:,} records of so many features."]),
        *([] if plot is None else ["", f"Picture      written to {plot}"]),
        *([] if page is None else ["", f"Report       written to {page}"]),
    ]
    answer(document, lines, as_json=as_json)


def _about(made: "Plan", simulated: "Sequence[SimulatedEpsilon]", small: float | None, enough: float | None, excess: float) -> list[str]:
    if not simulated:
        return []
    low = "none that was tried was shown to be too small" if small is None else f"epsilon {small:g} was too small"
    high = "none that was tried was shown to be enough" if enough is None else f"epsilon {enough:g} was enough"
    return [
        "",
        f"Simulated: {simulated[0].repeats} private fits each, with the alpha that a fit takes by itself, {of_invented_records(made)}",
        f"There, for a mean excess of {excess:g}, {low}, and {high}.",
        "The intervals hold together with about 95 % confidence.",
    ]
