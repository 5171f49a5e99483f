"""The words of linear regressions."""

from discreet.core.fields import count, not_negative, positive, text, whole
from discreet.core.neighbours import Neighbours
from discreet.data import RealDomain
from discreet.queries import SecondMoments, Target
from discreet.statements.base import (
    Fields,
    Hypothesis,
    Record,
    Words,
    among,
    counted,
    noise_hypothesis,
    optional,
    register_words,
    relation,
    relation_of,
)
from discreet.statements.constrained import declared_bounds, real_domain
from discreet.statements.learning import GAUSSIAN, GAUSSIAN_GRID, NON_PRIVATE, computing_hypotheses, dimension_of, normal_law
from discreet.statements.sketch import SECRET, SKETCH, sketch_words

MOMENTS = "joint Gaussian answer of second moments, then of clipped gradients (refined.md)"
ADASSP = "joint Gaussian answer of second moments, and of their least eigenvalue (adassp.md)"
HESSIAN_MIXING = "Gaussian sketch, then clipped gradients, numerical composition (hessian_mixing.md)"
OBJECTIVE = "objective perturbation of residuals, theorem 1 of objective.md, released on a grid"

_PROBLEM: Fields = {
    "loss": among("squared"),
    "features": whole,
    "entry_bound": optional(positive),
    "norm_bound": optional(positive),
    "target_bound": positive,
    "intercept_scale": not_negative,
    "records": optional(whole),
    "most_records": whole,
}


def _hypotheses(problem: Record, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
    """Conditions on the records."""
    domain = real_domain(problem)
    return (
        counted(neighbours, ": nothing that is released was computed from a secret number of records", records=problem["records"]),
        Hypothesis(
            required=f"rows of {domain.features} features, at most {whole(problem['most_records'])} of them, have Euclidean norm at most "
            f"{domain.radius:.10g}, the constant feature included, targets at most {domain.target_bound:.10g} in size; the bounds are public",
            enforced=f"rows and targets are brought within the declared bounds ({declared_bounds(problem)}), record by record; where the bounds come "
            "from is the caller's word",
        ),
    )


_MOMENTS: Fields = {
    "moment_noise": positive,
    "target_weight": positive,
    "square_weight": positive,
    "step_noise": not_negative,
    "steps": count,
    "epsilon": positive,
    "neighbours": relation,
}
_DRAWN = "integers drawn anew without floating-point decisions"


@register_words("least-squares-moments", parameters=_MOMENTS, problem=_PROBLEM)
def _moments(parameters: Record, problem: Record) -> Words:
    steps, noise = count(parameters["steps"]), positive(parameters["moment_noise"])
    of_steps = f" and {not_negative(parameters['step_noise']):.10g} times its bound on each of {steps} gradients" if steps else ""
    weights = f"{positive(parameters['target_weight']):.10g} and {positive(parameters['square_weight']):.10g}"
    return Words(
        MOMENTS,
        (
            *_hypotheses(problem, relation_of(parameters)),
            Hypothesis(
                required=f"sums are exact, of at most {whole(problem['most_records'])} records, and a record's part of a gradient is no longer than "
                "its bound",
                enforced="records are rounded to integers one by one, residuals are clipped record by record, and sums are those of integers",
            ),
            Hypothesis(
                required=f"noise is secret and discrete Gaussian, of deviation {noise:.10g} R^2 on moments, those with the target weighed by "
                f"{weights}{of_steps}",
                enforced=_DRAWN,
            ),
        ),
    )


_ADASSP: Fields = {"moment_noise": positive, "target_weight": positive, "eigenvalue_noise": positive, "epsilon": positive, "neighbours": relation}


@register_words("least-squares-adassp", parameters=_ADASSP, problem=_PROBLEM)
def _adassp(parameters: Record, problem: Record) -> Words:
    noise, of_eigenvalue = positive(parameters["moment_noise"]), positive(parameters["eigenvalue_noise"])
    return Words(
        ADASSP,
        (
            *_hypotheses(problem, relation_of(parameters)),
            Hypothesis(
                required=f"sums are exact, of at most {whole(problem['most_records'])} records; the least eigenvalue is known to a public error",
                enforced="records are rounded to integers one by one, sums are those of integers, eigenvalues are checked by their residuals",
            ),
            Hypothesis(
                required=f"noise is secret and discrete Gaussian, of deviation {noise:.10g} R^2 on moments, those with the target weighed by "
                f"{positive(parameters['target_weight']):.10g}, and {of_eigenvalue:.10g} R^2 on their least eigenvalue",
                enforced=_DRAWN,
            ),
        ),
    )


_OBJECTIVE: Fields = {**GAUSSIAN, "loss": text, "width": positive, "ridge": positive, "records": whole}


@register_words("least-squares-objective", parameters=_OBJECTIVE, problem=_PROBLEM)
def _objective(parameters: Record, problem: Record) -> Words:
    width, ridge = positive(parameters["width"]), positive(parameters["ridge"])
    return Words(
        OBJECTIVE,
        (
            *_hypotheses(problem, relation_of(parameters)),
            Hypothesis(
                required=f"slopes are at most {width:.10g} in size, and the objective of at most {whole(parameters['records'])} records is "
                f"{ridge:.10g}-strongly convex in all weights",
                enforced=f"the loss is {text(parameters['loss'])} of residuals with this width, the mechanism adds the ridge, the intercept included",
            ),
            noise_hypothesis(normal_law(parameters)),
            *computing_hypotheses(parameters, GAUSSIAN_GRID, dimension_of(problem)),
        ),
    )


def sketched_query(problem: Record, target_weight: float | None) -> SecondMoments:
    """What a sketch reads of the records of a regression: the constant feature as a column like the others, and scaled targets, or none."""
    domain = real_domain(problem)
    bound = domain.target_bound if target_weight is None else target_weight * domain.radius
    inner = RealDomain(features=domain.dimension, norm_bound=domain.radius, target_bound=bound, records=domain.records)
    target = Target.OMITTED if target_weight is None else Target.NOISY
    return SecondMoments(domain=inner, target=target, most_records=whole(problem["most_records"]))


@register_words("least-squares-mixing", parameters={**SKETCH, "target_weight": positive}, problem=_PROBLEM)
def _mixing(parameters: Record, problem: Record) -> Words:
    sketch = sketch_words(parameters, sketched_query(problem, positive(parameters["target_weight"])))
    return sketch._replace(hypotheses=(*_hypotheses(problem, relation_of(parameters)), *sketch.hypotheses[1:]))


_OF_SKETCH: Fields = {f"sketch_{name}": reader for name, reader in SKETCH.items() if name != "neighbours"}
_HESSIAN: Fields = {**_OF_SKETCH, "step_noise": positive, "steps": whole, "epsilon": positive, "neighbours": relation}


@register_words("least-squares-hessian-mixing", parameters=_HESSIAN, problem=_PROBLEM)
def _hessian_mixing(parameters: Record, problem: Record) -> Words:
    of_sketch = {name.removeprefix("sketch_"): value for name, value in parameters.items() if name.startswith("sketch_")}
    sketch = sketch_words({**of_sketch, "neighbours": parameters["neighbours"]}, sketched_query(problem, None))
    return Words(
        HESSIAN_MIXING,
        (
            *_hypotheses(problem, relation_of(parameters)),
            *sketch.hypotheses[2:],
            Hypothesis(
                required=f"beside the sketch, which by itself has epsilon {positive(parameters['sketch_epsilon']):.10g}, a record's part of each of "
                f"{whole(parameters['steps'])} gradients is no longer than its bound; noise is discrete Gaussian, "
                f"{positive(parameters['step_noise']):.10g} times it",
                enforced="residuals are clipped record by record, sums are those of integers, integers are drawn anew",
            ),
        ),
        secret=SECRET,
    )


@register_words("least-squares-non-private", parameters={"neighbours": relation}, problem=_PROBLEM)
def _non_private(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - the same for any problem
    return Words(NON_PRIVATE, ())
