"""The words of linear regressions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.core.fields import Json, count, not_negative, positive, text, whole
from discreet.core.lazily import lazily
from discreet.data.domain import Domain
from discreet.losses.predictions import prediction_loss_named
from discreet.problems.prior import Prior
from discreet.queries import SecondMoments, Target
from discreet.statements.base import (
    PRIOR,
    Fields,
    Hypothesis,
    Record,
    Words,
    among,
    condition,
    counted_by_fit,
    mapping,
    noise_hypothesis,
    register_words,
    relation,
)
from discreet.statements.spec import Positive, PowerOfTwo, Text, Whole, absent, declared, problem_with
from discreet.words.constrained import REAL_TARGETS, declared_bounds, real_domain, require_same
from discreet.words.fits import CountedFit, GaussianFit
from discreet.words.learning import (
    GAUSSIAN_GRID,
    NON_PRIVATE,
    NORMAL_LAW,
    computing_hypotheses,
    counting_hypotheses,
    dimension_of,
    prior_hypothesis,
    target_units,
    who_says,
)
from discreet.words.sketch import SECRET, GaussianSketchSpec, sketch_words

if TYPE_CHECKING:
    from discreet import problems
    from discreet.problems import PredictionRisk
else:
    problems = lazily("discreet.problems")

MOMENTS = "joint Gaussian answer of second moments, then of clipped gradients (refined.md)"
ADASSP = "joint Gaussian answer of second moments, and of their least eigenvalue (adassp.md)"
HESSIAN_MIXING = "Gaussian sketch, then clipped gradients, numerical composition (hessian_mixing.md)"
PREDICTION = "objective perturbation of predictions, theorem 1 of objective.md, released on a grid"
TARGETS = "objective perturbation of several targets, theorem 1 of several_targets.md, released on a grid"
OBJECTIVE = "objective perturbation of residuals, theorem 1 of objective.md, released on a grid"
COUNTED_OBJECTIVE = "objective perturbation of residuals beside a noisy number of records, theorems 1 and 4 of objective.md, released on a grid"

_PROBLEM: Fields = {"loss": among("squared"), **REAL_TARGETS, "most_records": whole}
_NOISE: Fields = {"moment_noise": positive, "target_weight": positive, "epsilon": positive, "neighbours": relation}


def _hypotheses(parameters: Record, problem: Record) -> tuple[Hypothesis, ...]:
    """Conditions on the records."""
    bounded = condition(
        "rows of {features} features, at most {most_records} of them, have Euclidean norm at most {radius:.10g}, the constant feature included, "
        "targets at most {target_bound:.10g} in size; the bounds are public",
        "rows and targets are brought within the declared bounds ({bounds}), record by record; where the bounds come from is the caller's word",
        problem,
        radius=real_domain(problem).radius,
        bounds=declared_bounds(problem),
    )
    return (counted_by_fit(parameters, problem), bounded)


_WEIGHTED: Fields = {"max_weight": positive}
"""Of a problem whose records have weights."""
_AROUND: Fields = {"prior": Prior.stated, **_WEIGHTED}
"""Of one whose ridge may pull towards a point, too."""


def _weights(problem: Record) -> tuple[Hypothesis, ...]:
    """The condition on weights of records, where there are any."""
    required = "no record weighs more than {max_weight:.10g}, which is public; weights are in units of it, so that 1 is the most"
    enforced = "weights are cut to it and divided by it, record by record; where it comes from is the caller's word"
    return (condition(required, enforced, problem),) if "max_weight" in problem else ()


_DRAWN = "integers drawn anew without floating-point decisions"


@register_words(
    "least-squares-moments",
    parameters={**_NOISE, "square_weight": positive, "step_noise": not_negative, "steps": count},
    problem=_PROBLEM,
    shared=True,
)
def _moments(parameters: Record, problem: Record) -> Words:
    exact = condition(
        "sums are exact, of at most {most_records} records, and a record's part of a gradient is no longer than its bound",
        "records are rounded to integers one by one, residuals are clipped record by record, and sums are those of integers",
        problem,
    )
    steps = " and {step_noise:.10g} times its bound on each of {steps} gradients" if parameters["steps"] else ""
    noise = condition(
        "noise is secret and discrete Gaussian, of deviation {moment_noise:.10g} R^2 on moments, those with the target weighed by "
        "{target_weight:.10g} and {square_weight:.10g}" + steps,
        _DRAWN,
        parameters,
    )
    return Words(MOMENTS, (*_hypotheses(parameters, problem), exact, noise))


@register_words("least-squares-adassp", parameters={**_NOISE, "eigenvalue_noise": positive}, problem=_PROBLEM, shared=True)
def _adassp(parameters: Record, problem: Record) -> Words:
    exact = condition(
        "sums are exact, of at most {most_records} records; the least eigenvalue is known to a public error",
        "records are rounded to integers one by one, sums are those of integers, eigenvalues are checked by their residuals",
        problem,
    )
    noise = condition(
        "noise is secret and discrete Gaussian, of deviation {moment_noise:.10g} R^2 on moments, those with the target weighed by "
        "{target_weight:.10g}, and {eigenvalue_noise:.10g} R^2 on their least eigenvalue",
        _DRAWN,
        parameters,
    )
    return Words(ADASSP, (*_hypotheses(parameters, problem), exact, noise))


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualFit(CountedFit):
    """Objective perturbation of a regression with bounded slopes, perhaps beside a noisy number of records."""

    name = "least-squares-objective"
    theorem = OBJECTIVE
    problem_of = staticmethod(problem_with(_PROBLEM, _AROUND))
    follows = "unit"

    loss: Text
    width: Positive
    """The largest slope."""
    ridge: Positive
    """What the mechanism adds: the least curvature of the objective."""
    records: Whole
    """Of which the objective is at most."""
    unit: PowerOfTwo | None = absent()
    """What follows from it: width, noise, tolerance and grid are multiplied by this."""

    @property
    def own_ridge(self) -> float:
        """See FitSpec."""
        return self.ridge

    def statement(self, problem: Record) -> Words:
        """See Spec, and CountedFit."""
        self.require_counted(problem)
        parameters = self.parameters()
        slopes = condition(
            "slopes are at most {width:.10g} in size, and the objective of at most {records} records is {ridge:.10g}-strongly convex in all weights",
            "the loss is {loss} of residuals with this width, the mechanism adds the ridge, the intercept included",
            parameters,
        )
        computing = computing_hypotheses(parameters, GAUSSIAN_GRID, dimension_of(problem))
        hypotheses = (
            *_hypotheses(parameters, problem),
            *_weights(problem),
            *counting_hypotheses(
                parameters,
                same="the fit is the same for any number that was counted, but for a public unit of its targets",
                by="width, noise, tolerance and grid are multiplied by that unit, a power of two that follows from the noisy number alone",
            ),
            slopes,
            *prior_hypothesis(problem),
            noise_hypothesis(NORMAL_LAW, parameters),
            *computing,
        )
        theorem = self.theorem if self.count_scale is None else COUNTED_OBJECTIVE
        return Words(theorem, hypotheses, (PRIOR,) if "prior" in problem else ())


OF_PREDICTIONS: Fields = {"loss": text, "loss_parameters": mapping, **REAL_TARGETS}


def prediction_problem(problem: Record) -> "PredictionRisk":
    """The public problem, from its record."""
    loss = prediction_loss_named(text(problem["loss"]), mapping(problem["loss_parameters"]))
    require_same("loss", loss.parameters, problem["loss_parameters"])
    return problems.PredictionRisk(loss=loss, domain=real_domain(problem), prior=Prior.stated(problem["prior"]) if "prior" in problem else None)


def convex_prediction(made: "PredictionRisk") -> Hypothesis:
    """The condition on the loss."""
    return condition(
        "the loss is convex in the prediction, with slopes of at most {of.slope_bound:.10g} and a second derivative of at most {of.smoothness:.10g}",
        "{says}",
        of=made,
        says=who_says(made.loss),
    )


def _of_predictions(parameters: Record, problem: Record, *, one: str = "the objective is") -> tuple[Hypothesis, ...]:
    """Conditions on records, loss, ridge and noise; `one` objective of perhaps several."""
    made = prediction_problem(problem)
    bounded = condition(
        "rows of {features} features, at most {records} of them, have Euclidean norm at most {radius:.10g}, the constant feature included, targets "
        "at most {target_bound:.10g} in size; the bounds are public",
        "rows and targets are brought within the declared bounds ({bounds}), record by record; where the bounds come from is the caller's word",
        {**problem, "records": parameters["records"]},
        radius=made.domain.radius,
        bounds=declared_bounds(problem),
    )
    ridge = condition(one + " {ridge:.10g}-strongly convex in all weights", "the mechanism adds the ridge, the intercept included", parameters)
    computing = computing_hypotheses(parameters, GAUSSIAN_GRID, dimension_of(problem))
    return (
        counted_by_fit(parameters, problem),
        bounded,
        *_weights(problem),
        convex_prediction(made),
        ridge,
        *prior_hypothesis(problem),
        noise_hypothesis(NORMAL_LAW, parameters),
        *computing,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ConvexFit(GaussianFit):
    """Objective perturbation of convex losses of predictions."""

    ridge: Positive
    """What the mechanism adds: the least curvature of the objective."""
    records: Whole
    """Of which the objective is at most."""

    @property
    def own_ridge(self) -> float:
        """See FitSpec."""
        return self.ridge


@declared
class PredictionFit(_ConvexFit):
    """Objective perturbation of a regression by a convex loss of predictions."""

    __slots__ = ()

    name = "prediction-objective"
    theorem = PREDICTION
    problem_of = staticmethod(problem_with(OF_PREDICTIONS, _AROUND))

    def statement(self, problem: Record) -> Words:
        """See Spec."""
        return Words(self.theorem, _of_predictions(self.parameters(), problem), (PRIOR,) if "prior" in problem else ())


def _units(stated: Json) -> tuple[float, ...]:
    return target_units({"target_units": stated})


TARGET_UNITS: Fields = {"target_units": _units}
_OF_TARGETS: Fields = {**OF_PREDICTIONS, **TARGET_UNITS}


@declared
class TargetsFit(_ConvexFit):
    """Objective perturbation of a regression of several targets."""

    __slots__ = ()

    name = "targets-objective"
    theorem = TARGETS
    problem_of = staticmethod(problem_with(_OF_TARGETS, _WEIGHTED))

    def statement(self, problem: Record) -> Words:
        """See Spec."""
        apart = targets_apart(problem, "with noise of their own")
        return Words(self.theorem, (*_of_predictions(self.parameters(), problem, one="each objective is"), apart))


def targets_apart(problem: Record, how: str) -> Hypothesis:
    """The condition on the units of several targets."""
    return condition(
        f"{{targets}} targets, each in a public unit, are learnt from the same records {how}",
        "targets are divided by their units record by record; where the units come from is the caller's word",
        {"targets": len(target_units(problem))},
    )


@register_words("targets-non-private", parameters={"ridge": not_negative, "neighbours": relation}, problem=_OF_TARGETS, sometimes=_WEIGHTED)
def _targets_non_private(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - the same for any problem
    return Words(NON_PRIVATE, ())


@register_words(
    "prediction-non-private", parameters={"ridge": not_negative, "neighbours": relation}, problem=OF_PREDICTIONS, sometimes=_AROUND, shared=True
)
def _prediction_non_private(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - the same for any problem
    return Words(NON_PRIVATE, (), (PRIOR,) if "prior" in problem else ())


def sketched_query(problem: Record, target_weight: float | None) -> SecondMoments:
    """What a sketch reads of the records of a regression: the constant feature as a column like the others, and scaled targets, or none."""
    domain = real_domain(problem)
    bound = domain.target_bound if target_weight is None else target_weight * domain.radius
    inner = Domain(features=domain.dimension, norm_bound=domain.radius, target_bound=bound, records=domain.records, persons=domain.persons)
    target = Target.OMITTED if target_weight is None else Target.NOISY
    return SecondMoments(domain=inner, target=target, most_records=whole(problem["most_records"]))


@register_words("least-squares-mixing", parameters={**GaussianSketchSpec.readers(), "target_weight": positive}, problem=_PROBLEM, shared=True)
def _mixing(parameters: Record, problem: Record) -> Words:
    sketch = sketch_words(GaussianSketchSpec.within(parameters), sketched_query(problem, positive(parameters["target_weight"])))
    return sketch._replace(hypotheses=(*_hypotheses(parameters, problem), *sketch.hypotheses[1:]))


_OF_SKETCH: Fields = {f"sketch_{name}": reader for name, reader in GaussianSketchSpec.readers().items() if name != "neighbours"}
_HESSIAN: Fields = {**_OF_SKETCH, "step_noise": positive, "steps": whole, "epsilon": positive, "neighbours": relation}


@register_words("least-squares-hessian-mixing", parameters=_HESSIAN, problem=_PROBLEM, shared=True)
def _hessian_mixing(parameters: Record, problem: Record) -> Words:
    of_sketch = {name.removeprefix("sketch_"): value for name, value in parameters.items() if name.startswith("sketch_")}
    sketch = sketch_words(GaussianSketchSpec.read({**of_sketch, "neighbours": parameters["neighbours"]}), sketched_query(problem, None))
    steps = condition(
        "beside the sketch, which by itself has epsilon {sketch_epsilon:.10g}, a record's part of each of {steps} gradients is no longer than its "
        "bound; noise is discrete Gaussian, {step_noise:.10g} times it",
        "residuals are clipped record by record, sums are those of integers, integers are drawn anew",
        parameters,
    )
    return Words(HESSIAN_MIXING, (*_hypotheses(parameters, problem), *sketch.hypotheses[2:], steps), secret=SECRET)


@register_words("least-squares-non-private", parameters={"neighbours": relation}, problem=_PROBLEM, sometimes=_WEIGHTED, shared=True)
def _non_private(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - the same for any problem
    return Words(NON_PRIVATE, ())
