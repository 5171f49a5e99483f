"""A plan of a linear classifier in words and in JSON, as the answers of `discreet plan` begin."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.planning import Plan


def numbers_of(made: "Plan") -> dict[str, object]:
    """For JSON."""
    return {
        "epsilon": made.epsilon,
        "delta": made.delta,
        "neighbours": str(made.neighbours),
        "features": made.features,
        "norm": made.norm,
        "data_norm": made.data_norm,
        "intercept_scale": made.intercept_scale,
        "loss": made.loss,
        "mechanism": made.mechanism,
        "failure": made.failure,
    }


def problem_of(made: "Plan") -> str:
    """What is to be learnt."""
    intercept = " and an intercept" if made.intercept_scale else ""
    return f"{made.loss}, {made.features} features{intercept}, |f0| <= {made.norm:g}, |x| <= {made.data_norm:g}"


def privacy_of(made: "Plan") -> str:
    """What it is to promise."""
    return f"epsilon {made.epsilon:g}, delta {made.delta:g}, {made.neighbours}, {made.mechanism} perturbation"


def of_invented_records(made: "Plan") -> str:
    """What a simulation is of."""
    return (
        "on invented records: uniform directions,\n"
        f"classes by a logistic model of norm {made.norm:g}. Your table will be another one; a bound holds for every table."
    )
