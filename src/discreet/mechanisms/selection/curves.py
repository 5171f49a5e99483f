"""The whole privacy curve behind a certificate that states one point of it.

A certificate of Gaussian noise states (epsilon, delta). Its theorem holds at every epsilon, with the noise that is recorded:

    delta(a + epsilon_2) <= delta_1(a) + delta_2(epsilon_2)      for all a >= 0;    or that of both stages composed (residual_stage.md, theorem 3)

with delta_1 that of theorem T1 (objective perturbation, over a set too; of M1 and O1 for more classes), of its two signs (of residuals and
predictions, regression/objective.md) or of one Gaussian (output perturbation), and (epsilon_2, delta_2) the last stage, which stays at the epsilon it
was calibrated for (proof notes of `learning`). A selection asks for the curve far below the stated epsilon, and is charged much less for it. Other
mechanisms: what their certificate states, and nothing more, is used.
"""

import math
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np

from discreet.accounting import ApproximateDP, Guarantee, Json, Profile, PureDP, compose, guarantee_from_dict, through
from discreet.accounting.profile import hull
from discreet.core.fields import real, text
from discreet.core.neighbours import Neighbours, Persons
from discreet.core.rounding import raising
from discreet.data import Domain
from discreet.losses import loss_named
from discreet.mechanisms.constrained import ObjectivePerturbationOverSet
from discreet.mechanisms.counting import GaussianCounting, Queries, ScoredClasses
from discreet.mechanisms.learning import (
    GaussianMultinomialPerturbation,
    GaussianObjectivePerturbation,
    GaussianOneVsRest,
    GaussianOutputPerturbation,
)
from discreet.mechanisms.learning.base import GaussianGrid
from discreet.mechanisms.learning.perturbation import GaussianPerturbation, TwoStages
from discreet.mechanisms.regression.objective import ResidualObjectivePerturbation
from discreet.mechanisms.regression.prediction import PredictionObjectivePerturbation
from discreet.mechanisms.regression.several_targets import TargetsObjectivePerturbation
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.problems import AnyRisk, ConstrainedRisk, MultinomialRisk, OneVsRestRisk, PredictionRisk, RegularisedRisk, SeveralTargets
from discreet.problems.prior import Prior
from discreet.statements.base import SCORES_WITH_FIT, filled, mapping
from discreet.words.constrained import constrained_problem
from discreet.words.learning import target_units
from discreet.words.regression import prediction_problem

_KNOTS = 81
_ALL = 1.0 - 2.0**-53
_BEYOND = 1.6
"""Knots end at this multiple of the stated epsilon: a search reads its curve below it."""


def whole_curve(mechanism: str, parameters: Mapping[str, Json], problem: Mapping[str, Json], stated: Guarantee) -> Guarantee:
    """The curve of one release with this record, or `stated` where no more is known. Raises ValueError or TypeError for an unreadable record."""
    if not isinstance(stated, ApproximateDP):
        return stated
    plain = tuple(sorted((key, value) for key, value in parameters.items() if not isinstance(value, dict | list)))
    if mechanism in _OF_NUMBERS:
        return _profile(mechanism, plain, _of_numbers(mechanism, problem), stated)
    if mechanism == SCORES_WITH_FIT:
        return _with_scores(parameters, stated)
    if mechanism == ObjectivePerturbationOverSet.name:
        return _profile.__wrapped__(mechanism, plain, constrained_problem(problem), stated)  # sets are no keys of a cache
    return _profile(mechanism, plain, problem_from(problem), stated) if mechanism in _KINDS else stated


def _of_numbers(mechanism: str, problem: Mapping[str, Json]) -> LeastSquares | PredictionRisk | SeveralTargets:
    """The public problem of a regression."""
    if mechanism == ResidualObjectivePerturbation.name:
        return _least_squares_from(problem)
    each = prediction_problem(problem)
    return each if mechanism == PredictionObjectivePerturbation.name else SeveralTargets(each=each, units=target_units(problem))


def _with_scores(parameters: Mapping[str, Json], stated: ApproximateDP) -> Guarantee:
    """Of a fit and counts of classes by its score: both curves, composed, at knots; `stated` where that of the fit is not known."""
    counts, fit = mapping(parameters["scores"]), mapping(parameters["fit"])
    own = guarantee_from_dict(mapping(fit["guarantee"]))
    whole = whole_curve(text(fit["mechanism"]), mapping(fit["parameters"]), mapping(fit["problem"]), own)
    if isinstance(whole, ApproximateDP | PureDP):
        return stated
    (question,), noise = filled(mapping(counts["problem"])["queries"]), mapping(counts["parameters"])
    made = GaussianCounting(
        scales=tuple(real(scale) for scale in filled(noise["scales"])), neighbours=stated.neighbours, epsilon=real(noise["epsilon"])
    )
    persons = Persons.from_dict(mapping(counts["problem"])["persons"]) if "persons" in mapping(counts["problem"]) else None
    asked = Queries([ScoredClasses(bins=int(real(mapping(question)["bins"])), classes=int(real(mapping(question).get("classes", 2))))], persons)
    both = compose([made.curve(asked), whole], planned=True)
    knots = np.unique(np.append(np.linspace(0.0, _BEYOND * stated.epsilon, _KNOTS), stated.epsilon))
    epsilons, deltas = hull(knots, np.array([both.delta(at) for at in knots.tolist()]))
    return Profile(epsilons=epsilons, deltas_at=deltas, neighbours=stated.neighbours, unit=stated.unit, theorem=stated.theorem)


def problem_from(record: Mapping[str, Json]) -> AnyRisk:
    """The public problem that its `to_dict` wrote down."""
    given = record["loss_parameters"]
    if not isinstance(given, dict):
        raise TypeError("the parameters of a loss are a mapping")
    records, scheme = record["records"], record.get("scheme")
    if scheme not in (None, "multinomial", "one-vs-rest"):
        raise ValueError("no such scheme of classes")
    domain = Domain(
        features=int(real(record["features"])),
        norm_bound=real(record["data_norm"]),
        intercept_scale=real(record["intercept_scale"]),
        records=None if records is None else int(real(records)),
        classes=2 if scheme is None else int(real(record["classes"])),
        persons=Persons.from_dict(record["persons"]) if "persons" in record else None,
    )
    shared: dict[str, Any] = {
        "ridge": real(record["ridge"]),
        "domain": domain,
        "max_weight": real(record["max_weight"]),
        "prior": Prior.stated(record["prior"]) if "prior" in record else None,
    }
    if scheme == "multinomial":
        return MultinomialRisk(**shared)
    loss = loss_named(str(record["loss"]), {str(key): real(value) for key, value in given.items()})
    return RegularisedRisk(loss=loss, **shared) if scheme is None else OneVsRestRisk(loss=loss, **shared)


def _least_squares_from(record: Mapping[str, Json]) -> LeastSquares:
    """The same of a regression, as far as its curve asks: dimension and radius, of rows that are all of different persons."""
    entry, norm = (math.inf if record[name] is None else real(record[name]) for name in ("entry_bound", "norm_bound"))
    domain = Domain(
        features=int(real(record["features"])),
        entry_bound=entry,
        norm_bound=norm,
        target_bound=real(record["target_bound"]),
        intercept_scale=real(record["intercept_scale"]),
        persons=Persons.from_dict(record["persons"]) if "persons" in record else None,
    )
    prior = Prior.stated(record["prior"]) if "prior" in record else None
    return LeastSquares(domain=domain, most_records=int(real(record["most_records"])), prior=prior)


_Problem = AnyRisk | LeastSquares | PredictionRisk | SeveralTargets | ConstrainedRisk
_Parameters = tuple[tuple[str, Json], ...]
_KINDS: dict[str, type[GaussianPerturbation[Any]]] = {
    "objective-perturbation-gaussian": GaussianObjectivePerturbation,
    "output-perturbation-gaussian": GaussianOutputPerturbation,
    "multinomial-perturbation-gaussian": GaussianMultinomialPerturbation,
    "one-vs-rest-gaussian": GaussianOneVsRest,
}

_PREDICTIONS: dict[str, type[PredictionObjectivePerturbation | TargetsObjectivePerturbation]] = {
    known.name: known for known in (PredictionObjectivePerturbation, TargetsObjectivePerturbation)
}
_OF_NUMBERS = {ResidualObjectivePerturbation.name, *_PREDICTIONS}


@lru_cache(maxsize=256)
def _profile(name: str, parameters: _Parameters, problem: _Problem, stated: ApproximateDP) -> Profile:
    mechanism = _mechanism(name, dict(parameters))
    return _two_stages(mechanism, problem, stated)


def _mechanism(name: str, parameters: Mapping[str, Json]) -> TwoStages[Any]:
    numbers: dict[str, Any] = {
        "scale": real(parameters["scale"]),
        "epsilon": real(parameters["epsilon"]),
        "tolerance": real(parameters["tolerance"]),
        "noise_error": real(parameters["noise_error"]),
        "grid": GaussianGrid(step=real(parameters["grid_step"]), scale=real(parameters["grid_scale"]), epsilon=real(parameters["grid_epsilon"])),
        "neighbours": Neighbours(str(parameters["neighbours"])),
    }
    if "count_scale" in parameters:
        numbers["count_scale"] = real(parameters["count_scale"])
    if name in _KINDS:
        return _KINDS[name](**numbers)
    numbers["ridge"] = real(parameters["ridge"])
    if name == ObjectivePerturbationOverSet.name:
        return ObjectivePerturbationOverSet(**numbers)
    numbers["records"] = int(real(parameters["records"]))
    if name in _PREDICTIONS:
        return _PREDICTIONS[name](**numbers)
    return ResidualObjectivePerturbation(loss=str(parameters["loss"]), width=real(parameters["width"]), **numbers)


def _two_stages(mechanism: TwoStages[Any], problem: _Problem, stated: ApproximateDP) -> Profile:
    """The curve of the module docstring at knots up to a little beyond the stated epsilon."""
    grid, first, promised = mechanism.grid, mechanism.ideal_curve(problem), mechanism.promise(problem)
    knots = np.linspace(0.0, _BEYOND * mechanism.epsilon, _KNOTS)
    knots = knots[np.abs(knots - mechanism.epsilon) > 1e-9 * mechanism.epsilon]
    of_first = np.array([first(float(knot)) for knot in knots])
    after = partial(mechanism.last_stage(problem), through(knots, of_first))
    last = mechanism.last_delta(problem) * raising(4_096) + 1e-14 * stated.delta_at_epsilon
    deltas = np.minimum(1.0, np.minimum(of_first + last, [after(epsilon) for epsilon in (knots + grid.epsilon).tolist()]))
    epsilons, place = (knots + grid.epsilon) * raising(5), int(np.searchsorted(knots, mechanism.epsilon))
    # What is promised, from knots that are nearer to it.
    epsilons, deltas = np.insert(epsilons, place, promised.epsilon), np.insert(deltas, place, promised.delta_at_epsilon)
    # Below the last stage's epsilon: what is known there, with randomised response up to it.
    at_zero = ApproximateDP(epsilon=float(epsilons[0]), delta_at_epsilon=min(deltas[0], _ALL), neighbours=stated.neighbours, theorem="").delta(0.0)
    points, values = hull(np.append(0.0, epsilons), np.append(min(1.0, at_zero * raising(64)), deltas))
    return Profile(epsilons=points, deltas_at=values, neighbours=stated.neighbours, unit=stated.unit, theorem=stated.theorem)
