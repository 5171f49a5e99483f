"""The words of fits of linear models, of two classes or more."""

import math
from functools import partial

from discreet.accounting import Json
from discreet.core.fields import count, finite, flag, not_negative, numbers, positive, sha256, text, whole
from discreet.core.neighbours import Neighbours
from discreet.losses import loss_named
from discreet.statements.base import (
    Fields,
    Hypothesis,
    Record,
    Words,
    among,
    counted,
    noise_hypothesis,
    optional,
    power_of_two,
    read_fields,
    register_words,
    relation,
    relation_of,
)
from discreet.statements.declared import KERNEL

LAPLACE_GRID = "discrete Laplace integers, exactly (staircase rejection in integer arithmetic)"
GAUSSIAN_GRID = "discrete Gaussian integers, exactly (staircase rejection in integer arithmetic)"
OBJECTIVE_PURE = "objective perturbation, theorem T2, released on a grid"
OBJECTIVE_GAUSSIAN = "objective perturbation, theorem T1, released on a grid"
OUTPUT_PURE = "output perturbation, spherical noise, released on a grid"
OUTPUT_GAUSSIAN = "output perturbation, analytic Gaussian noise, released on a grid"
MULTINOMIAL_PURE = "multinomial objective perturbation, theorem M3, released on a grid"
MULTINOMIAL_GAUSSIAN = "multinomial objective perturbation, theorems M1 and M2, released on a grid"
NON_PRIVATE = "epsilon=inf was asked for: this is the ordinary fit, without privacy"

TWO_CLASSES: Fields = {
    "loss": text,
    "loss_parameters": numbers,
    "ridge": positive,
    "features": whole,
    "data_norm": positive,
    "intercept_scale": not_negative,
    "records": optional(whole),
    "max_weight": positive,
}
_MANY: Fields = {**TWO_CLASSES, "classes": whole}
_MULTINOMIAL: Fields = {**_MANY, "scheme": among("multinomial")}
_ONE_VS_REST: Fields = {**_MANY, "scheme": among("one-vs-rest")}
_COMPUTED: Fields = {"tolerance": positive, "noise_error": positive, "grid_step": power_of_two, "grid_scale": positive, "neighbours": relation}
_PURE: Fields = {"rate": positive, **_COMPUTED}
GAUSSIAN: Fields = {"scale": positive, "epsilon": positive, "grid_epsilon": positive, **_COMPUTED}


def _feature_map(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise TypeError
    read_fields("feature_map", value, _MAP)
    return value


_MAP: Fields = {"kernel": text, "kernel_parameters": numbers, "orthogonal": flag, "seed": count, "frequencies": sha256}
_register = partial(register_words, sometimes={"feature_map": _feature_map})


def mapped_hypothesis(features: int, feature_map: Record) -> Hypothesis:
    """The condition on rows that are features of other rows; so many cosines and sines."""
    return Hypothesis(
        required="every row is a function of one record alone, fixed before any record was read",
        enforced=f"cosines and sines of {features // 2} frequencies of the {text(feature_map['kernel'])} kernel "
        f"({', '.join(f'{name} = {value:.10g}' for name, value in numbers(feature_map['kernel_parameters']).items())}; "
        f"{'orthogonal' if flag(feature_map['orthogonal']) else 'independent'}), drawn from the public seed {count(feature_map['seed'])}; the same "
        "floats in every pass, of norm 1, measured and shortened like other rows",
    )


def one_vs_rest(classes: int, *, pure: bool) -> str:
    """The theorem of so many problems of two classes."""
    of = "theorem T2, released on a grid; epsilons add" if pure else "theorems T1 and O1, released on a grid"
    return f"objective perturbation of {classes} problems, {of}"


def minimiser_hypothesis(tolerance: float) -> Hypothesis:
    """The condition on the solver."""
    return Hypothesis(
        required=f"the returned minimiser has gradient norm at most {tolerance:.6g}, rounding errors included",
        enforced="the solver bounds its rounding errors and raises when it cannot certify this; noise covers the distance to the exact minimiser",
    )


def computing_hypotheses(parameters: Record, sampler: str, dimension: int) -> tuple[Hypothesis, ...]:
    """The conditions on the solver and on the arithmetic."""
    tolerance, error = positive(parameters["tolerance"]), positive(parameters["noise_error"])
    step, scale = positive(parameters["grid_step"]), positive(parameters["grid_scale"])
    exact = Hypothesis(
        required=f"the {dimension} weights are released on the grid of step {step:.6g}, plus {sampler} of scale {scale:.10g}, in every coordinate",
        enforced=f"integers drawn without floating-point decisions; their scale covers how far solver, noise ({error:.6g}) and rounding are from "
        "real numbers",
    )
    return (minimiser_hypothesis(tolerance), exact)


def problem_hypotheses(problem: Record, neighbours: Neighbours, *, extra_ridge: float = 0.0) -> tuple[Hypothesis, ...]:
    """Conditions on the records, the loss and the objective."""
    radius = math.hypot(positive(problem["data_norm"]), not_negative(problem["intercept_scale"]))
    ridge = positive(problem["ridge"]) + extra_ridge
    if problem["loss"] == "multinomial-logistic":
        if problem["loss_parameters"] != {}:
            raise ValueError("problem: 'loss_parameters' are not those of the loss")
        convex = f"the loss is the multinomial logistic one of {problem['classes']} classes: gradient x (p - e_y), Hessian S(p) (x) x x^T"
        by = "the type of the problem, and tests of its derivatives"
    else:
        loss = loss_named(text(problem["loss"]), numbers(problem["loss_parameters"]))
        if dict(loss.parameters) != problem["loss_parameters"]:
            raise ValueError("problem: 'loss_parameters' are not those of the loss")
        convex = f"the loss is convex in the margin, slope at most {loss.lipschitz:g}, curvature at most {loss.smoothness:g}"
        by = f"the type of the loss ({loss.name}) and its law tests"
    return (
        counted(neighbours, ": nothing that is released was computed from a secret number of records", records=problem["records"]),
        Hypothesis(
            required=f"every row has Euclidean norm at most {radius:.10g}, the intercept's constant feature included",
            enforced="rows are shortened to data_norm one by one when the data set is built, before anything is computed from them",
        ),
        Hypothesis(required=convex, enforced=f"{by}; no record weighs more than {positive(problem['max_weight']):g}"),
        Hypothesis(
            required=f"the objective is strongly convex, lambda >= {ridge:.10g}, on all coordinates, the intercept's included",
            enforced="the L2 regulariser covers the constant feature like any other",
        ),
    )


def dimension_of(problem: Record) -> int:
    """How many weights a model has, those of all classes together."""
    each = whole(problem["features"]) + (not_negative(problem["intercept_scale"]) > 0)
    return each * whole(problem.get("classes", 1))


def _fit(parameters: Record, problem: Record, theorem: str, law: str, sampler: str, extra_ridge: float = 0.0) -> Words:
    hypotheses = (
        *problem_hypotheses(problem, relation_of(parameters), extra_ridge=extra_ridge),
        noise_hypothesis(law),
        *computing_hypotheses(parameters, sampler, dimension_of(problem)),
    )
    if "feature_map" not in problem:
        return Words(theorem, hypotheses)
    mapped = mapped_hypothesis(whole(problem["features"]), _feature_map(problem["feature_map"]))
    return Words(theorem, (*hypotheses, mapped), (KERNEL,))


def _density(parameters: Record, of: str) -> str:
    return f"of density proportional to exp(-{positive(parameters['rate']):.10g} |{of}|)"


def normal_law(parameters: Record) -> str:
    """The law of Gaussian noise of the recorded scale."""
    return f"Gaussian with standard deviation {positive(parameters['scale']):.10g} in every coordinate"


@_register("objective-perturbation-pure", parameters={**_PURE, "extra_ridge": not_negative}, problem=TWO_CLASSES)
def _objective_pure(parameters: Record, problem: Record) -> Words:
    return _fit(parameters, problem, OBJECTIVE_PURE, _density(parameters, "b"), LAPLACE_GRID, finite(parameters["extra_ridge"]))


@_register("objective-perturbation-gaussian", parameters=GAUSSIAN, problem=TWO_CLASSES)
def _objective_gaussian(parameters: Record, problem: Record) -> Words:
    return _fit(parameters, problem, OBJECTIVE_GAUSSIAN, normal_law(parameters), GAUSSIAN_GRID)


@_register("output-perturbation-pure", parameters=_PURE, problem=TWO_CLASSES)
def _output_pure(parameters: Record, problem: Record) -> Words:
    return _fit(parameters, problem, OUTPUT_PURE, _density(parameters, "N"), LAPLACE_GRID)


@_register("output-perturbation-gaussian", parameters=GAUSSIAN, problem=TWO_CLASSES)
def _output_gaussian(parameters: Record, problem: Record) -> Words:
    return _fit(parameters, problem, OUTPUT_GAUSSIAN, normal_law(parameters), GAUSSIAN_GRID)


@_register("multinomial-perturbation-pure", parameters=_PURE, problem=_MULTINOMIAL)
def _multinomial_pure(parameters: Record, problem: Record) -> Words:
    return _fit(parameters, problem, MULTINOMIAL_PURE, f"{_density(parameters, 'B')}, B the classes together", LAPLACE_GRID)


@_register("multinomial-perturbation-gaussian", parameters=GAUSSIAN, problem=_MULTINOMIAL)
def _multinomial_gaussian(parameters: Record, problem: Record) -> Words:
    return _fit(parameters, problem, MULTINOMIAL_GAUSSIAN, f"{normal_law(parameters)} of every class", GAUSSIAN_GRID)


@_register("one-vs-rest-pure", parameters=_PURE, problem=_ONE_VS_REST)
def _one_vs_rest_pure(parameters: Record, problem: Record) -> Words:
    theorem = one_vs_rest(whole(problem["classes"]), pure=True)
    return _fit(parameters, problem, theorem, f"{_density(parameters, 'b')}, independent for every class", LAPLACE_GRID)


@_register("one-vs-rest-gaussian", parameters=GAUSSIAN, problem=_ONE_VS_REST)
def _one_vs_rest_gaussian(parameters: Record, problem: Record) -> Words:
    theorem = one_vs_rest(whole(problem["classes"]), pure=False)
    return _fit(parameters, problem, theorem, f"{normal_law(parameters)}, independent for every class", GAUSSIAN_GRID)


@register_words("non-private", parameters={"tolerance": positive, "neighbours": relation}, problem=None)
def _non_private(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - the same for any problem
    return Words(NON_PRIVATE, (minimiser_hypothesis(positive(parameters["tolerance"])),))
