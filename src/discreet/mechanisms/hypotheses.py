"""The public record of a problem, and the hypotheses that all learning theorems here share, in words for certificates."""

from discreet.certificates import Hypothesis
from discreet.guarantees import Json
from discreet.neighbours import ADD_REMOVE, Neighbours
from discreet.problems import RegularisedRisk


def problem_record(problem: RegularisedRisk) -> dict[str, Json]:
    """Everything that a recheck needs to know of the problem."""
    domain = problem.domain
    return {
        "loss": problem.loss.name,
        "loss_parameters": dict(problem.loss.parameters),
        "ridge": problem.strong_convexity,
        "features": domain.features,
        "data_norm": domain.norm_bound,
        "intercept_scale": domain.intercept_scale,
        "records": domain.records,
        "max_weight": problem.max_weight,
    }


def problem_hypotheses(problem: RegularisedRisk, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
    """Conditions on the records, the loss and the objective."""
    counted = (
        "the number of records may itself be secret" if neighbours is ADD_REMOVE else "the number of records is public: neighbours have equally many"
    )
    return (
        Hypothesis(required=counted, enforced=f"relation {neighbours}: nothing that is released was computed from a secret number of records"),
        Hypothesis(
            required=f"every row has Euclidean norm at most {problem.domain.radius:.10g}, the intercept's constant feature included",
            enforced="rows are shortened to data_norm one by one when the data set is built, before anything is computed from them",
        ),
        Hypothesis(
            required=f"the loss is convex in the margin, slope at most {problem.loss.lipschitz:g}, curvature at most {problem.loss.smoothness:g}",
            enforced=f"the type of the loss ({problem.loss.name}) and its law tests; no record weighs more than {problem.max_weight:g}",
        ),
        Hypothesis(
            required=f"the objective is strongly convex, lambda >= {problem.strong_convexity:.10g}, on all coordinates, the intercept's included",
            enforced="the L2 regulariser covers the constant feature like any other",
        ),
    )


def minimiser_hypothesis(tolerance: float) -> Hypothesis:
    """The condition on the solver."""
    return Hypothesis(
        required=f"the returned minimiser has gradient norm at most {tolerance:.6g}, rounding errors included",
        enforced="the solver bounds its rounding errors and raises when it cannot certify this; noise covers the distance to the exact minimiser",
    )


def computing_hypotheses(tolerance: float, step: float, sampler: str) -> tuple[Hypothesis, ...]:
    """The conditions on the solver and on the arithmetic."""
    exact = Hypothesis(
        required=f"the weights are released on the grid of step {step:.6g}, plus {sampler}, in every coordinate",
        enforced="integers drawn without floating-point decisions; their scale covers how far solver, noise and rounding are from real numbers",
    )
    return (minimiser_hypothesis(tolerance), exact)


def noise_hypothesis(law: str) -> Hypothesis:
    """The condition on the noise, `law` in words."""
    return Hypothesis(
        required=f"the noise is secret and {law}", enforced="drawn by the noise source anew for every release, surely close to an ideal real draw"
    )
