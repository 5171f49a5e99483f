"""The words of learning over a constraint set."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.core.fields import flag, is_own, not_negative, positive, text, whole
from discreet.core.lazily import lazily
from discreet.data.domain import Domain
from discreet.losses.predictions import prediction_loss_named
from discreet.losses.softmax import Softmax
from discreet.statements.base import (
    Fields,
    Hypothesis,
    Record,
    Words,
    condition,
    counted_by_fit,
    filled,
    mapping,
    noise_hypothesis,
    optional,
    persons_of,
    power_of_two,
    read_fields,
    register_words,
    relation,
)
from discreet.words.fits import GaussianFit
from discreet.words.learning import GAUSSIAN_GRID, NON_PRIVATE, NORMAL_LAW, computing_hypotheses, dimension_of

if TYPE_CHECKING:
    from discreet import problems, sets
    from discreet.problems import SetRisk
else:
    problems, sets = lazily("discreet.problems"), lazily("discreet.sets")

FRANK_WOLFE = "private Frank-Wolfe, discrete Gaussian noise on gradients"
POLYTOPE = "private Frank-Wolfe over a polytope, exponential mechanism of bounded range"
MIRROR_DESCENT = "noisy mirror descent, discrete Gaussian noise on gradients"
MIRROR_SAMPLED = "noisy mirror descent on Poisson batches, discrete Gaussian noise"
OBJECTIVE_SET = "objective perturbation over a set, theorem T1 and its limit, released on a grid"
OBJECTIVE_SET_CLASSES = "objective perturbation over a set, theorem M1 and its limit, released on a grid"
MOST_FACTOR = 1e6
"""Of a ridge, for one coefficient: the solver's steps grow with its root."""
OBJECTIVE_SET_SIGNS = "objective perturbation over a set, both signs of slopes and the limit, released on a grid"

REAL_TARGETS: Fields = {
    "features": whole,
    "entry_bound": optional(positive),
    "norm_bound": optional(positive),
    "target_bound": positive,
    "intercept_scale": not_negative,
    "records": optional(whole),
}
"""Of the domain of records with real targets."""
_LOSS: Fields = {"loss": text, "loss_parameters": mapping, "max_slope": optional(positive)}
_PROBLEM: Fields = {**_LOSS, "constraint": text, "constraint_parameters": mapping, **REAL_TARGETS}
_STEPS: Fields = {"steps": whole, "scale": positive, "grid_step": power_of_two, "epsilon": positive, "neighbours": relation}
_MAP: Fields = {"mirror_map": text, "schedule": text, "step_size": positive}


def declared_bounds(problem: Record) -> str:
    """Those of entries and of rows, as they were declared; one of them may follow from the other."""
    bounds = {"entries": problem["entry_bound"], "rows": problem["norm_bound"]}
    return ", ".join(f"{name} {positive(bound):.17g}" for name, bound in bounds.items() if bound is not None)


def real_domain(problem: Record) -> Domain:
    """The public domain of records with real targets, from its record."""
    entry, norm, records = problem["entry_bound"], problem["norm_bound"], problem["records"]
    return Domain(
        features=whole(problem["features"]),
        entry_bound=math.inf if entry is None else positive(entry),
        norm_bound=math.inf if norm is None else positive(norm),
        target_bound=positive(problem["target_bound"]),
        intercept_scale=not_negative(problem["intercept_scale"]),
        records=None if records is None else whole(records),
        largest_weight=positive(problem["max_weight"]) if "max_weight" in problem else None,
        persons=persons_of(problem) if "persons" in problem else None,
    )


def constrained_problem(problem: Record) -> "SetRisk":
    """The public problem, from its record."""
    slope, of_loss = problem["max_slope"], mapping(problem["loss_parameters"])
    constraint = sets.constraint_named(text(problem["constraint"]), mapping(problem["constraint_parameters"]))
    made: SetRisk
    if problem["loss"] == Softmax.name:
        made = problems.SoftmaxRisk(loss=Softmax(classes=whole(of_loss["classes"])), constraint=constraint, domain=real_domain(problem))
        if slope is not None:
            raise ValueError("problem: slopes of a softmax are not clipped")
    else:
        made = problems.ConstrainedRisk(
            loss=prediction_loss_named(text(problem["loss"]), of_loss),
            constraint=constraint,
            domain=real_domain(problem),
            max_slope=None if slope is None else positive(slope),
        )
    for name, named in (("loss", made.loss), ("constraint", made.constraint)):
        require_same(name, named.parameters, problem[f"{name}_parameters"])
    return made


def objective_theorem(problem: "SetRisk") -> str:
    """What objective perturbation rests on."""
    if isinstance(problem, problems.SoftmaxRisk):
        return OBJECTIVE_SET_CLASSES
    return OBJECTIVE_SET if problem.one_signed else OBJECTIVE_SET_SIGNS


def require_same(what: str, parameters: Mapping[str, object], recorded: object) -> None:
    """Raise ValueError for recorded parameters that are not those of the thing that was made from them."""
    if json.dumps(dict(parameters), sort_keys=True) != json.dumps(recorded, sort_keys=True):
        raise ValueError(f"problem: the parameters of the {what} are not those that it has")


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _hypotheses(parameters: Record, record: Record) -> tuple[Hypothesis, ...]:
    """Conditions on the records, the loss, the set and the arithmetic."""
    problem = constrained_problem(record)
    digest = _digest(record["constraint_parameters"])
    own = [part for part in (problem.loss, problem.constraint) if is_own(part)]
    declared = "" if record["max_slope"] is None else f"; {positive(record['max_slope']):.17g} was declared"
    return (
        counted_by_fit(parameters, record),
        condition(
            "entries of the {domain.features} features are at most {domain.largest_entry:.10g}, Euclidean norms at most {domain.radius:.10g}, "
            "targets at most {domain.target_bound:.10g} in size",
            "entries, rows and targets are brought within the declared bounds ({bounds}), record by record, before anything is computed from them",
            domain=problem.domain,
            bounds=declared_bounds(record),
        ),
        condition(
            "every record's slope is at most {of.slope_bound:.10g}, for predictions up to {of.reach:.10g}",
            "slopes of the loss ({of.loss.name}) are clipped to it, record by record{declared}",
            of=problem,
            declared=declared,
        ),
        condition(
            "the set ({of.constraint.name}, parameters of SHA-256 {digest}) and the starting point are public",
            "arguments of the caller; the start is the point of the set that is nearest to 0",
            of=problem,
            digest=digest,
        ),
        condition(
            "rounding moves a gradient by at most {of.gradient_error:.6g} (l2), and a coordinate by {of.coordinate_error:.6g}",
            "an analysis of the arithmetic, up to {of.most_records} records; longer tables are refused, and the noise covers it",
            of=problem,
        ),
        *(
            condition("{part.name} is what it states", "the caller registered it: it was compared at many places, which is no proof", part=part)
            for part in own
        ),
    )


def _public_steps(parameters: Record) -> Hypothesis:
    steps = "the number of steps, {steps}, was chosen without the records"
    if "mirror_map" in parameters:
        steps = (
            "the map ({mirror_map}), the step sizes ({schedule}, {step_size:.10g}) and the number of steps, {steps}, were chosen without the records"
        )
    return condition(steps, "from public numbers, or by the caller before the fit", parameters)


_GRADIENTS = f"{GAUSSIAN_GRID} of scale {{scale:.10g}} steps of {{grid_step:.6g}} on every coordinate of {{steps}} gradients"
_VERTICES = (
    "vertex i with probability proportional to exp(-{rate:.10g} z_i), z_i its score in steps of {grid_step:.6g}, {steps} times, exactly (selection "
    "in integer arithmetic)"
)

_BATCHES = (
    "every record takes part in a step with probability {rate} / 2^20, independently, and nobody learns in which",
    "bits of the noise source, compared as integers; batches and their sizes are never shown",
)


def _register_steps(mechanism: str, theorem: str, law: str, fields: Fields, *, shared: bool = True) -> None:
    """Steps of a number that was chosen before, each with noise of this law."""

    @register_words(mechanism, parameters=fields, problem=_PROBLEM, shared=shared)
    def steps(parameters: Record, problem: Record) -> Words:
        batches = (condition(*_BATCHES, parameters),) if theorem == MIRROR_SAMPLED else ()
        return Words(theorem, (*_hypotheses(parameters, problem), *batches, _public_steps(parameters), noise_hypothesis(law, parameters)))


_CHOICES: Fields = {"steps": whole, "rate": positive, "grid_step": power_of_two, "epsilon": positive, "pure": flag, "neighbours": relation}
_register_steps("frank-wolfe-gaussian", FRANK_WOLFE, _GRADIENTS, _STEPS)
_register_steps("frank-wolfe-polytope", POLYTOPE, _VERTICES, _CHOICES)
_register_steps("mirror-descent", MIRROR_DESCENT, _GRADIENTS, {**_STEPS, **_MAP})
_register_steps("mirror-descent-sampled", MIRROR_SAMPLED, _GRADIENTS, {"rate": whole, **_STEPS, **_MAP}, shared=False)  # batches are of rows


_SOMETIMES: Fields = {"ridge": positive, "factors": filled}
_FACTORS = "the factors are an argument of the caller, at least 1 each; what they add to the objective is convex and the same for every table"


def factors_of(parameters: Record, dimension: int) -> list[float]:
    """What the ridge of each coefficient is multiplied by; none where all are alike. Raises ValueError for what is no such list."""
    if "factors" not in parameters:
        return []
    found = [positive(factor) for factor in filled(parameters["factors"])]
    if len(found) != dimension or not all(1 <= factor <= MOST_FACTOR for factor in found):
        raise ValueError("parameters: 'factors' holds what it cannot hold")
    return found


@register_words("objective-perturbation-set", parameters=None, problem=_PROBLEM, shared=True)
def _objective_set(parameters: Record, problem: Record) -> Words:
    fields: Fields = {**GaussianFit.readers(), **{name: read for name, read in _SOMETIMES.items() if name == "ridge" or name in parameters}}
    read_fields("parameters", parameters, fields)
    factors = factors_of(parameters, constrained_problem(problem).dimension)
    convex = condition(
        "the objective is strongly convex, lambda = {ridge:.10g}, and minimised over {constraint}",
        "the mechanism adds the ridge; the set is an argument of the caller",
        parameters,
        problem,
    )
    pulled: tuple[Hypothesis, ...] = ()
    if factors:
        words = "coefficients are pulled towards zero by {least:.10g} to {most:.10g} times lambda (SHA-256 of the factors {digest})"
        named = {"least": min(factors), "most": max(factors), "digest": _digest(factors)}
        pulled = (condition(words, _FACTORS, **named),)
    computing = computing_hypotheses(parameters, GAUSSIAN_GRID, dimension_of(problem))
    theorem = objective_theorem(constrained_problem(problem))
    return Words(theorem, (*_hypotheses(parameters, problem), convex, *pulled, noise_hypothesis(NORMAL_LAW, parameters), *computing))


@register_words("frank-wolfe-non-private", parameters=None, problem=_PROBLEM, shared=True)
def _non_private(parameters: Record, problem: Record) -> Words:
    fields: Fields = {"steps": whole, "neighbours": relation, **{name: read for name, read in _SOMETIMES.items() if name in parameters}}
    read_fields("parameters", parameters, fields)
    factors_of(parameters, constrained_problem(problem).dimension)
    return Words(NON_PRIVATE, ())
