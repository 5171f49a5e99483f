"""The public record of a problem."""

from typing import TypeAlias

from discreet.accounting import Json
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
