"""From names and a target to a calibrated mechanism."""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.objective_perturbation import (
    GaussianMultinomialPerturbation,
    GaussianObjective,
    GaussianObjectivePerturbation,
    GaussianOneVsRest,
    PureMultinomialPerturbation,
    PureObjectivePerturbation,
    PureOneVsRest,
    SphericalObjective,
)
from discreet.mechanisms.learning.output_perturbation import GaussianOutputPerturbation, NonPrivate, PureOutputPerturbation
from discreet.mechanisms.learning.published import published_objective, published_output
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk

_CURVATURE = 0.5
"""What the records' curvature is at least trusted to do to the noise of objective perturbation."""

Calibrator: TypeAlias = Callable[..., LearningMechanism[Any]]
"""From (problem, epsilon=, delta=, neighbours=) to a mechanism."""


def _by_delta(
    gaussian: type[GaussianObjective[Any] | GaussianOutputPerturbation], spherical: type[SphericalObjective[Any] | PureOutputPerturbation]
) -> Calibrator:
    """Gaussian noise where delta allows it, spherical noise where there is none."""

    def calibrated(problem: Any, *, epsilon: float, delta: float, neighbours: Neighbours) -> LearningMechanism[Any]:  # noqa: ANN401 - of their kind
        if delta > 0:
            return gaussian.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        return spherical.calibrate(problem, epsilon=epsilon, neighbours=neighbours)

    return calibrated


_objective = _by_delta(GaussianObjectivePerturbation, PureObjectivePerturbation)
_output = _by_delta(GaussianOutputPerturbation, PureOutputPerturbation)
_multinomial = _by_delta(GaussianMultinomialPerturbation, PureMultinomialPerturbation)
_one_vs_rest = _by_delta(GaussianOneVsRest, PureOneVsRest)


def _auto(problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> LearningMechanism[RegularisedRisk]:
    """Objective perturbation, or output perturbation where lambda is so small that its noise is less than half as large; spherical noise if shorter.

    Half, because the curvature of the records shrinks the noise of objective perturbation and never that of the output: equal bounds are in favour of
    the former. In few dimensions the noise of a pure guarantee is the shorter one: what needs no delta is also (epsilon, delta)-private. Raises
    InfeasibleTarget where objective perturbation has no noise at all to offer: lambda is then too small for either to be of use.
    """
    deltas = (delta, 0.0) if delta > 0 else (0.0,)
    objective, output = (
        min(
            (each(problem, epsilon=epsilon, delta=least, neighbours=neighbours) for least in deltas),
            key=lambda mechanism: mechanism.weight_noise(problem),
        )
        for each in (_objective, _output)
    )
    return output if output.weight_noise(problem) < _CURVATURE * objective.weight_noise(problem) else objective


_CALIBRATORS: dict[tuple[str, str], Calibrator] = {
    ("auto", "tight"): _auto,
    ("auto", "published"): published_objective,
    ("objective", "tight"): _objective,
    ("objective", "published"): published_objective,
    ("output", "tight"): _output,
    ("output", "published"): published_output,
}


def mechanism_names() -> list[str]:
    """Names accepted by `calibrate`."""
    return sorted({mechanism for mechanism, _ in _CALIBRATORS})


def calibrate(
    problem: RegularisedRisk, *, mechanism: str, calibration: str, epsilon: float, delta: float, neighbours: Neighbours
) -> LearningMechanism[RegularisedRisk]:
    """The named mechanism with the least noise that reaches (epsilon, delta); epsilon = infinity gives the non-private fit.

    Raises InvalidInput for unknown names or an (epsilon, delta) that is no target, InfeasibleTarget when no noise reaches it.
    """
    _check_target(epsilon, delta)
    for names, given, what in ((mechanism_names(), mechanism, "mechanism"), (["published", "tight"], calibration, "calibration")):
        if given not in names:
            raise InvalidInput(f"{what} must be one of {names}; {given!r} was given.")
    if math.isinf(epsilon):
        return NonPrivate.calibrate(problem, neighbours=neighbours)
    return _CALIBRATORS[mechanism, calibration](problem, epsilon=epsilon, delta=delta, neighbours=neighbours)


def calibrate_classes(
    problem: MultinomialRisk | OneVsRestRisk, *, mechanism: str, calibration: str, epsilon: float, delta: float, neighbours: Neighbours
) -> LearningMechanism[Any]:
    """The mechanism for K classes with the least noise that reaches (epsilon, delta); epsilon = infinity gives the non-private fit.

    Raises InvalidInput for names that are not for more than two classes or an (epsilon, delta) that is no target, InfeasibleTarget when no noise
    reaches it.
    """
    _check_target(epsilon, delta)
    if mechanism not in {"auto", "objective"} or calibration != "tight":
        raise InvalidInput(
            "Only binary classification is supported. The type of the target is multiclass: more than two classes need mechanism='objective' and "
            f"calibration='tight'; {mechanism!r} and {calibration!r} were given. Leave both out, or keep two classes."
        )
    if math.isinf(epsilon):
        return NonPrivate.calibrate(problem, neighbours=neighbours)
    calibrated = _multinomial if isinstance(problem, MultinomialRisk) else _one_vs_rest
    return calibrated(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)


def _check_target(epsilon: float, delta: float) -> None:
    if math.isnan(epsilon) or epsilon <= 0:
        raise InvalidInput(f"epsilon must be greater than 0; {epsilon!r} was given. Use epsilon=inf for a fit without privacy.")
    if not 0 <= delta < 1:
        raise InvalidInput(f"delta must be at least 0 and less than 1; {delta!r} was given. Take delta well below 1 / n.")
