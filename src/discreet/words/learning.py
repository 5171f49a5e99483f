"""Declarations of fits of linear models, of two classes or more."""

import math

from discreet.accounting import Json
from discreet.core.fields import Named, count, flag, is_own, not_negative, numbers, positive, sha256, text, whole
from discreet.losses import loss_named
from discreet.losses.softmax import Softmax
from discreet.problems.made_rows import ORDERED, MadeRows
from discreet.problems.prior import Prior
from discreet.statements.base import (
    Fields,
    Hypothesis,
    Record,
    Words,
    among,
    condition,
    counted_by_fit,
    mapping,
    noise_hypothesis,
    optional,
    read_fields,
    register_words,
    relation,
)

LAPLACE_GRID = "discrete Laplace integers, exactly (staircase rejection in integer arithmetic)"
GAUSSIAN_GRID = "discrete Gaussian integers, exactly (staircase rejection in integer arithmetic)"
OBJECTIVE_PURE = "objective perturbation, theorem T2, released on a grid"
OBJECTIVE_GAUSSIAN = "objective perturbation, theorem T1, released on a grid"
COUNTED_OBJECTIVE = "objective perturbation beside a noisy number of records, theorems T1 and T4, released on a grid"
OUTPUT_PURE = "output perturbation, spherical noise, released on a grid"
OUTPUT_GAUSSIAN = "output perturbation, analytic Gaussian noise, released on a grid"
MULTINOMIAL_PURE = "multinomial objective perturbation, theorem M3, released on a grid"
MULTINOMIAL_GAUSSIAN = "multinomial objective perturbation, theorems M1 and M2, released on a grid"
ONE_VS_REST_PURE = "objective perturbation of {classes} problems, theorem T2, released on a grid; epsilons add"
ONE_VS_REST_GAUSSIAN = "objective perturbation of {classes} problems, theorems T1 and O1, released on a grid"
NON_PRIVATE = "epsilon=inf was asked for: this is the ordinary fit, without privacy"
NORMAL_LAW = "Gaussian with standard deviation {scale:.10g} in every coordinate"
_COUNT_LAW = "discrete Gaussian of scale {count_scale:.10g} records on their number, in parts of 2^-20 of a record"
DENSITY = "of density proportional to exp(-{rate:.10g} |%s|)"

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
MANY_CLASSES: Fields = {**TWO_CLASSES, "classes": whole}
OF_MULTINOMIAL: Fields = {**MANY_CLASSES, "scheme": among("multinomial")}
OF_ONE_VS_REST: Fields = {**MANY_CLASSES, "scheme": among("one-vs-rest")}
_MAP: Fields = {"kernel": text, "kernel_parameters": numbers, "orthogonal": flag, "seed": count, "frequencies": sha256}


def feature_map_of(value: Json) -> dict[str, Json]:
    """The record of a kernel's features. Raises ValueError for another one."""
    read = mapping(value)
    read_fields("feature_map", read, _MAP)
    return read


def prior_hypothesis(problem: Record) -> tuple[Hypothesis, ...]:
    """The condition on the point that the ridge pulls towards, where there is one."""
    if "prior" not in problem:
        return ()
    prior = Prior.stated(problem["prior"])
    fixed = f"the ridge pulls towards one point, of norm at most {prior.norm:.10g}, that was public before any record was read"
    return (Hypothesis(required=fixed, enforced=f"the caller declares it; SHA-256 of its numbers: {prior.digest}"),)


def mapped_hypothesis(features: int, feature_map: Record) -> Hypothesis:
    """The condition on rows that are features of other rows; so many cosines and sines."""
    return condition(
        "every row is a function of one record alone, fixed before any record was read",
        "cosines and sines of {frequencies} frequencies of the {kernel} kernel ({of_kernel}; {drawn}), drawn from the public seed {seed}; the same "
        "floats in every pass, of norm 1, measured and shortened like other rows",
        feature_map,
        frequencies=features // 2,
        of_kernel=", ".join(f"{name} = {value:.10g}" for name, value in numbers(feature_map["kernel_parameters"]).items()),
        drawn="orthogonal" if flag(feature_map["orthogonal"]) else "independent",
    )


def made_hypothesis(problem: Record) -> tuple[Hypothesis, ...]:
    """The condition on rows of which a record has several, where it has. Raises ValueError where these are not those of the problem."""
    if "made_rows" not in problem:
        return ()
    made = MadeRows.stated(problem["made_rows"])
    persons = mapping(problem.get("persons"))
    if whole(problem["features"]) <= made.rows + 1 or persons.get("rows") != made.rows or positive(problem["data_norm"]) < made.norm:
        raise ValueError("problem: 'made_rows' are not those of the problem")
    ends = ", ".join(repr(end).removesuffix(".0") for end in made.ends)
    periods = f"one for each of {made.rows} periods, as far as seen, that end at {ends}, chosen without the records"
    each = f"one for each of {made.rows} thresholds between classes" if made.of == ORDERED else periods
    required = f"the rows of a person here are yes-or-no questions about one record: {each}; they are functions of that record alone"
    place = f"beside its features, of norm at most {made.bound:.10g}, a row has a constant of size {made.bound:.10g} and one of {made.step:.10g}"
    return (Hypothesis(required=required, enforced=f"made one by one when the table is read: {place} that tells which question it is"),)


def counting_hypotheses(parameters: Record, *, same: str, by: str) -> tuple[Hypothesis, ...]:
    """Conditions on that number: its noise, and what is the `same` whatever it is."""
    return (noise_hypothesis(_COUNT_LAW, parameters), Hypothesis(required=same, enforced=by)) if "count_scale" in parameters else ()


def one_vs_rest(classes: int, *, pure: bool) -> str:
    """The theorem of so many problems of two classes."""
    return (ONE_VS_REST_PURE if pure else ONE_VS_REST_GAUSSIAN).format(classes=classes)


def minimiser_hypothesis(parameters: Record) -> Hypothesis:
    """The condition on the solver."""
    return condition(
        "the returned minimiser has gradient norm at most {tolerance:.6g}, rounding errors included",
        "the solver bounds its rounding errors and raises when it cannot certify this; noise covers the distance to the exact minimiser",
        parameters,
    )


def computing_hypotheses(parameters: Record, sampler: str, dimension: int) -> tuple[Hypothesis, ...]:
    """The conditions on the solver and on the arithmetic."""
    exact = condition(
        "the {dimension} weights are released on the grid of step {grid_step:.6g}, plus {sampler} of scale {grid_scale:.10g}, in every coordinate",
        "integers drawn without floating-point decisions; their scale covers how far solver, noise ({noise_error:.6g}) and rounding are from "
        "real numbers",
        parameters,
        sampler=sampler,
        dimension=dimension,
    )
    return (minimiser_hypothesis(parameters), exact)


def who_says(loss: Named) -> str:
    """What makes the conditions on a loss so."""
    if is_own(loss):
        return f"the caller registered the loss ({loss.name}): its functions and constants were compared at many places, which is no proof"
    return f"the type of the loss ({loss.name}) and its law tests"


def _loss(problem: Record) -> tuple[str, str]:
    """What is true of it, and what makes it so. Raises ValueError for parameters that are not its own."""
    many = problem["loss"] == "multinomial-logistic"
    loss = None if many else loss_named(text(problem["loss"]), numbers(problem["loss_parameters"]))
    if problem["loss_parameters"] != ({} if loss is None else dict(loss.parameters)):
        raise ValueError("problem: 'loss_parameters' are not those of the loss")
    if loss is None:
        convex = f"the loss is the multinomial logistic one of {problem['classes']} classes: gradient x (p - e_y), Hessian S(p) (x) x x^T"
        return convex, "the type of the problem, and tests of its derivatives"
    convex = f"the loss is convex in the margin, slope at most {loss.lipschitz:g}, curvature at most {loss.smoothness:g}"
    return convex, who_says(loss)


def problem_hypotheses(parameters: Record, problem: Record) -> tuple[Hypothesis, ...]:
    """Conditions on the records, the loss and the objective."""
    convex, by = _loss(problem)
    return (
        counted_by_fit(parameters, problem),
        condition(
            "every row has Euclidean norm at most {radius:.10g}, the intercept's constant feature included",
            "rows are shortened to data_norm one by one when the data set is built, before anything is computed from them",
            radius=math.hypot(positive(problem["data_norm"]), not_negative(problem["intercept_scale"])),
        ),
        condition("{convex}", "{by}; no record weighs more than {max_weight:g}", problem, convex=convex, by=by),
        condition(
            "the objective is strongly convex, lambda >= {ridge:.10g}, on all coordinates, the intercept's included",
            "the L2 regulariser covers the constant feature like any other",
            ridge=positive(problem["ridge"]) + not_negative(parameters.get("extra_ridge", 0.0)),
        ),
    )


def dimension_of(problem: Record) -> int:
    """How many weights a model has, those of all classes, or of all targets, together."""
    each = whole(problem["features"]) + (not_negative(problem["intercept_scale"]) > 0)
    return each * whole(problem.get("classes", 1)) * (len(model_units(problem)) or 1)


def model_units(problem: Record) -> tuple[float, ...]:
    """Of models whose weights stand one after the other over rows within bounds: those of several targets, ones for the classes of a softmax."""
    parameters = problem.get("loss_parameters")
    if problem.get("loss") != Softmax.name or not isinstance(parameters, dict):
        return target_units(problem)
    return (1.0,) * Softmax(classes=whole(parameters["classes"])).classes


def target_units(problem: Record) -> tuple[float, ...]:
    """u_k of several targets, as a problem states them; none of one target."""
    stated = problem.get("target_units", [])
    if not isinstance(stated, list) or len(stated) == 1:
        raise TypeError("target_units: units of two or more targets are needed")
    return tuple(map(positive, stated))


@register_words("non-private", parameters={"tolerance": positive, "neighbours": relation}, problem=None, shared=True)
def _non_private(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - the same for any problem
    return Words(NON_PRIVATE, (minimiser_hypothesis(parameters),))
