"""The public record of a problem over a set, and the hypotheses that all theorems here share, in words for certificates."""

from discreet.certificates import Hypothesis
from discreet.guarantees import Json
from discreet.neighbours import ADD_REMOVE, Neighbours
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


def constrained_hypotheses(problem: ConstrainedRisk, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
    """Conditions on the records, the loss, the set and the arithmetic."""
    domain = problem.domain
    counted = (
        "the number of records may itself be secret" if neighbours is ADD_REMOVE else "the number of records is public: neighbours have equally many"
    )
    slopes = f"every record's slope is at most {problem.slope_bound:.10g}, for predictions up to {problem.reach:.10g}"
    return (
        Hypothesis(required=counted, enforced=f"relation {neighbours}: nothing that is released was computed from a secret number of records"),
        Hypothesis(
            required=f"entries of rows are at most {domain.largest_entry:.10g}, Euclidean norms at most {domain.radius:.10g}, targets at most "
            f"{domain.target_bound:.10g} in size",
            enforced="entries, rows and targets are brought within the declared bounds, record by record, before anything is computed from them",
        ),
        Hypothesis(required=slopes, enforced=f"slopes of the loss ({problem.loss.name}) are clipped to it, record by record"),
        Hypothesis(
            required=f"the set ({problem.constraint.name}) and the starting point are public",
            enforced="arguments of the caller; the start is the point of the set that is nearest to 0",
        ),
        Hypothesis(
            required=f"rounding moves a gradient by at most {problem.gradient_error:.6g} (l2), and a coordinate by {problem.coordinate_error:.6g}",
            enforced=f"an analysis of the arithmetic, up to {problem.most_records} records; longer tables are refused, and the noise covers it",
        ),
    )


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
