"""The words of learning over a constraint set."""

import hashlib
import json

from discreet.accounting import Json
from discreet.core.fields import flag, not_negative, positive, text, whole
from discreet.core.neighbours import Neighbours
from discreet.data import RealDomain
from discreet.losses.predictions import prediction_loss_named
from discreet.problems import ConstrainedRisk
from discreet.sets import constraint_named
from discreet.statements.base import (
    Fields,
    Hypothesis,
    Record,
    Words,
    counted,
    noise_hypothesis,
    optional,
    power_of_two,
    register_words,
    relation,
    relation_of,
)
from discreet.statements.learning import GAUSSIAN, GAUSSIAN_GRID, NON_PRIVATE, computing_hypotheses, dimension_of, normal_law

FRANK_WOLFE = "private Frank-Wolfe, discrete Gaussian noise on gradients"
POLYTOPE = "private Frank-Wolfe over a polytope, exponential mechanism of bounded range"
MIRROR_DESCENT = "noisy mirror descent, discrete Gaussian noise on gradients"
MIRROR_SAMPLED = "noisy mirror descent on Poisson batches, discrete Gaussian noise"
OBJECTIVE_SET = "objective perturbation over a set, theorem T1 and its limit, released on a grid"


def mapping(value: Json) -> dict[str, Json]:
    """A JSON object; what is in it is read where it is used."""
    if not isinstance(value, dict):
        raise TypeError
    return value


_PROBLEM: Fields = {
    "loss": text,
    "loss_parameters": mapping,
    "constraint": text,
    "constraint_parameters": mapping,
    "max_slope": optional(positive),
    "features": whole,
    "entry_bound": optional(positive),
    "norm_bound": optional(positive),
    "target_bound": positive,
    "intercept_scale": not_negative,
    "records": optional(whole),
}
_STEPS: Fields = {"steps": whole, "scale": positive, "grid_step": power_of_two, "epsilon": positive, "neighbours": relation}
_MAP: Fields = {"mirror_map": text, "schedule": text, "step_size": positive}


def declared_bounds(problem: Record) -> str:
    """Those of entries and of rows, as they were declared; one of them may follow from the other."""
    bounds = {"entries": problem["entry_bound"], "rows": problem["norm_bound"]}
    return ", ".join(f"{name} {positive(bound):.17g}" for name, bound in bounds.items() if bound is not None)


def real_domain(problem: Record) -> RealDomain:
    """The public domain of records with real targets, from its record."""
    entry, norm, records = problem["entry_bound"], problem["norm_bound"], problem["records"]
    return RealDomain(
        features=whole(problem["features"]),
        entry_bound=None if entry is None else positive(entry),
        norm_bound=None if norm is None else positive(norm),
        target_bound=positive(problem["target_bound"]),
        intercept_scale=not_negative(problem["intercept_scale"]),
        records=None if records is None else whole(records),
    )


def constrained_problem(problem: Record) -> ConstrainedRisk:
    """The public problem, from its record."""
    slope = problem["max_slope"]
    made = ConstrainedRisk(
        loss=prediction_loss_named(text(problem["loss"]), mapping(problem["loss_parameters"])),
        constraint=constraint_named(text(problem["constraint"]), mapping(problem["constraint_parameters"])),
        domain=real_domain(problem),
        max_slope=None if slope is None else positive(slope),
    )
    for name, named in (("loss", made.loss), ("constraint", made.constraint)):
        if json.dumps(dict(named.parameters), sort_keys=True) != json.dumps(problem[f"{name}_parameters"], sort_keys=True):
            raise ValueError(f"problem: the parameters of the {name} are not those that it has")
    return made


def _hypotheses(record: Record, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
    """Conditions on the records, the loss, the set and the arithmetic."""
    problem = constrained_problem(record)
    domain = problem.domain
    parameters = hashlib.sha256(json.dumps(record["constraint_parameters"], sort_keys=True).encode()).hexdigest()
    declared = "" if problem.max_slope is None else f"; {problem.max_slope:.17g} was declared"
    slopes = f"every record's slope is at most {problem.slope_bound:.10g}, for predictions up to {problem.reach:.10g}"
    return (
        counted(neighbours, ": nothing that is released was computed from a secret number of records", records=record["records"]),
        Hypothesis(
            required=f"entries of the {domain.features} features are at most {domain.largest_entry:.10g}, Euclidean norms at most "
            f"{domain.radius:.10g}, targets at most {domain.target_bound:.10g} in size",
            enforced=f"entries, rows and targets are brought within the declared bounds ({declared_bounds(record)}), record by record, before "
            "anything is computed from them",
        ),
        Hypothesis(required=slopes, enforced=f"slopes of the loss ({problem.loss.name}) are clipped to it, record by record{declared}"),
        Hypothesis(
            required=f"the set ({problem.constraint.name}, parameters of SHA-256 {parameters}) and the starting point are public",
            enforced="arguments of the caller; the start is the point of the set that is nearest to 0",
        ),
        Hypothesis(
            required=f"rounding moves a gradient by at most {problem.gradient_error:.6g} (l2), and a coordinate by {problem.coordinate_error:.6g}",
            enforced=f"an analysis of the arithmetic, up to {problem.most_records} records; longer tables are refused, and the noise covers it",
        ),
    )


def _public_steps(parameters: Record) -> Hypothesis:
    chosen = f"the number of steps, {whole(parameters['steps'])}, was chosen without the records"
    if "mirror_map" in parameters:
        schedule, size = text(parameters["schedule"]), positive(parameters["step_size"])
        chosen = (
            f"the map ({text(parameters['mirror_map'])}), the step sizes ({schedule}, {size:.10g}) and the number of steps, "
            f"{whole(parameters['steps'])}, were chosen without the records"
        )
    return Hypothesis(required=chosen, enforced="from public numbers, or by the caller before the fit")


def _gradient_noise(parameters: Record) -> Hypothesis:
    scale, step = positive(parameters["scale"]), positive(parameters["grid_step"])
    steps = whole(parameters["steps"])
    return noise_hypothesis(f"{GAUSSIAN_GRID} of scale {scale:.10g} steps of {step:.6g} on every coordinate of {steps} gradients")


def _steps_words(theorem: str, parameters: Record, problem: Record) -> Words:
    return Words(theorem, (*_hypotheses(problem, relation_of(parameters)), _public_steps(parameters), _gradient_noise(parameters)))


@register_words("frank-wolfe-gaussian", parameters=_STEPS, problem=_PROBLEM)
def _frank_wolfe(parameters: Record, problem: Record) -> Words:
    return _steps_words(FRANK_WOLFE, parameters, problem)


@register_words("mirror-descent", parameters={**_STEPS, **_MAP}, problem=_PROBLEM)
def _mirror_descent(parameters: Record, problem: Record) -> Words:
    return _steps_words(MIRROR_DESCENT, parameters, problem)


@register_words("mirror-descent-sampled", parameters={"rate": whole, **_STEPS, **_MAP}, problem=_PROBLEM)
def _mirror_sampled(parameters: Record, problem: Record) -> Words:
    sampled = Hypothesis(
        required=f"every record takes part in a step with probability {whole(parameters['rate'])} / 2^20, independently, and nobody learns in which",
        enforced="bits of the noise source, compared as integers; batches and their sizes are never shown",
    )
    common = _hypotheses(problem, relation_of(parameters))
    return Words(MIRROR_SAMPLED, (*common, sampled, _public_steps(parameters), _gradient_noise(parameters)))


_POLYTOPE: Fields = {"steps": whole, "rate": positive, "grid_step": power_of_two, "epsilon": positive, "pure": flag, "neighbours": relation}


@register_words("frank-wolfe-polytope", parameters=_POLYTOPE, problem=_PROBLEM)
def _polytope(parameters: Record, problem: Record) -> Words:
    steps, step = whole(parameters["steps"]), positive(parameters["grid_step"])
    law = f"vertex i with probability proportional to exp(-{positive(parameters['rate']):.10g} z_i), z_i its score in steps of {step:.6g}"
    noise = noise_hypothesis(f"{law}, {steps} times, exactly (selection in integer arithmetic)")
    return Words(POLYTOPE, (*_hypotheses(problem, relation_of(parameters)), _public_steps(parameters), noise))


@register_words("objective-perturbation-set", parameters={**GAUSSIAN, "ridge": positive}, problem=_PROBLEM)
def _objective_set(parameters: Record, problem: Record) -> Words:
    convex = Hypothesis(
        required=f"the objective is strongly convex, lambda = {positive(parameters['ridge']):.10g}, and minimised over {text(problem['constraint'])}",
        enforced="the mechanism adds the ridge; the set is an argument of the caller",
    )
    law = noise_hypothesis(normal_law(parameters))
    computing = computing_hypotheses(parameters, GAUSSIAN_GRID, dimension_of(problem))
    return Words(OBJECTIVE_SET, (*_hypotheses(problem, relation_of(parameters)), convex, law, *computing))


@register_words("frank-wolfe-non-private", parameters={"steps": whole, "neighbours": relation}, problem=_PROBLEM)
def _non_private(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - the same for any problem
    return Words(NON_PRIVATE, ())
