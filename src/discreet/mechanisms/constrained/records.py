"""The public record of a problem over a set."""

from discreet.accounting import Json
from discreet.problems import ConstrainedRisk


def constrained_record(problem: ConstrainedRisk) -> dict[str, Json]:
    """Everything that a recheck needs to know of the problem."""
    domain = problem.domain
    return {
        "loss": problem.loss.name,
        "loss_parameters": as_json(problem.loss.parameters),
        "constraint": problem.constraint.name,
        "constraint_parameters": as_json(problem.constraint.parameters),
        "max_slope": problem.max_slope,
        "features": domain.features,
        "entry_bound": domain.entry_bound,
        "norm_bound": domain.norm_bound,
        "target_bound": domain.target_bound,
        "intercept_scale": domain.intercept_scale,
        "records": domain.records,
    }


def as_json(value: object) -> Json:
    """Numbers, texts, lists and dictionaries as they are. Raises TypeError for anything else."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [as_json(each) for each in value]
        case dict():
            return {str(key): as_json(each) for key, each in value.items()}
        case _:
            raise TypeError(f"a {type(value).__name__} has no place in a certificate")
