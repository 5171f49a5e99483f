"""The public record of a problem, and the hypotheses that all learning theorems here share, in words for certificates."""

from typing import TypeAlias

from discreet.certificates import Hypothesis
from discreet.guarantees import Json
from discreet.neighbours import ADD_REMOVE, Neighbours
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk

AnyRisk: TypeAlias = RegularisedRisk | MultinomialRisk | OneVsRestRisk
"""Problems that mechanisms are for."""


def problem_record(problem: AnyRisk) -> dict[str, Json]:
    """Everything that a recheck needs to know of the problem; the number of classes only where it is not two."""
    domain = problem.domain
    many: dict[str, Json] = {}
    match problem:
        case MultinomialRisk():
            name, parameters = "multinomial-logistic", dict[str, Json]()
            many = {"classes": domain.classes, "scheme": "multinomial"}
        case OneVsRestRisk(each=each):
            name, parameters = each.loss.name, dict[str, Json](each.loss.parameters)
            many = {"classes": domain.classes, "scheme": "one-vs-rest"}
        case _:
            name, parameters = problem.loss.name, dict[str, Json](problem.loss.parameters)
    return {
        "loss": name,
        "loss_parameters": parameters,
        "ridge": problem.strong_convexity,
        "features": domain.features,
        "data_norm": domain.norm_bound,
        "intercept_scale": domain.intercept_scale,
        "records": domain.records,
        "max_weight": problem.max_weight,
        **many,
    }


def problem_hypotheses(problem: AnyRisk, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
    """Conditions on the records, the loss and the objective."""
    counted = (
        "the number of records may itself be secret" if neighbours is ADD_REMOVE else "the number of records is public: neighbours have equally many"
    )
    match problem:
        case MultinomialRisk():
            convex = f"the loss is the multinomial logistic one of {problem.classes} classes: gradient x (p - e_y), Hessian S(p) (x) x x^T"
            by = "the type of the problem, and tests of its derivatives"
        case _:
            loss = problem.each.loss if isinstance(problem, OneVsRestRisk) else problem.loss
            convex = f"the loss is convex in the margin, slope at most {loss.lipschitz:g}, curvature at most {loss.smoothness:g}"
            by = f"the type of the loss ({loss.name}) and its law tests"
    return (
        Hypothesis(required=counted, enforced=f"relation {neighbours}: nothing that is released was computed from a secret number of records"),
        Hypothesis(
            required=f"every row has Euclidean norm at most {problem.domain.radius:.10g}, the intercept's constant feature included",
            enforced="rows are shortened to data_norm one by one when the data set is built, before anything is computed from them",
        ),
        Hypothesis(required=convex, enforced=f"{by}; no record weighs more than {problem.max_weight:g}"),
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
