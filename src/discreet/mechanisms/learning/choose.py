"""From names and a target to a calibrated mechanism."""

import math
from collections.abc import Callable
from typing import TypeAlias

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.non_private import NonPrivate
from discreet.mechanisms.learning.objective_gaussian import GaussianObjectivePerturbation
from discreet.mechanisms.learning.objective_pure import PureObjectivePerturbation
from discreet.mechanisms.learning.output_gaussian import GaussianOutputPerturbation
from discreet.mechanisms.learning.output_pure import PureOutputPerturbation
from discreet.mechanisms.learning.published import published_objective, published_output
from discreet.problems import RegularisedRisk

_CURVATURE = 0.5
"""What the records' curvature is at least trusted to do to the noise of objective perturbation."""

Calibrator: TypeAlias = Callable[[RegularisedRisk, float, float, Neighbours], LearningMechanism[RegularisedRisk]]
"""From (problem, epsilon, delta, neighbours) to a mechanism."""


def _objective(problem: RegularisedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> LearningMechanism[RegularisedRisk]:
    if delta > 0:
        return GaussianObjectivePerturbation.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    return PureObjectivePerturbation.calibrate(problem, epsilon=epsilon, neighbours=neighbours)


def _output(problem: RegularisedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> LearningMechanism[RegularisedRisk]:
    if delta > 0:
        return GaussianOutputPerturbation.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    return PureOutputPerturbation.calibrate(problem, epsilon=epsilon, neighbours=neighbours)


def _published_objective(problem: RegularisedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> LearningMechanism[RegularisedRisk]:
    return published_objective(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)


def _published_output(problem: RegularisedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> LearningMechanism[RegularisedRisk]:
    return published_output(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)


def _auto(problem: RegularisedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> LearningMechanism[RegularisedRisk]:
    """Objective perturbation, or output perturbation where lambda is so small that its noise is less than half as large; spherical noise if shorter.

    Half, because the curvature of the records shrinks the noise of objective perturbation and never that of the output: equal bounds are in favour of
    the former. In few dimensions the noise of a pure guarantee is the shorter one: what needs no delta is also (epsilon, delta)-private. Raises
    InfeasibleTarget where objective perturbation has no noise at all to offer: lambda is then too small for either to be of use.
    """
    deltas = (delta, 0.0) if delta > 0 else (0.0,)
    objective, output = (
        min((each(problem, epsilon, least, neighbours) for least in deltas), key=lambda mechanism: mechanism.weight_noise(problem))
        for each in (_objective, _output)
    )
    return output if output.weight_noise(problem) < _CURVATURE * objective.weight_noise(problem) else objective


_CALIBRATORS: dict[tuple[str, str], Calibrator] = {
    ("auto", "tight"): _auto,
    ("auto", "published"): _published_objective,
    ("objective", "tight"): _objective,
    ("objective", "published"): _published_objective,
    ("output", "tight"): _output,
    ("output", "published"): _published_output,
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
    if math.isnan(epsilon) or epsilon <= 0:
        raise InvalidInput(f"epsilon must be greater than 0; {epsilon!r} was given. Use epsilon=inf for a fit without privacy.")
    if not 0 <= delta < 1:
        raise InvalidInput(f"delta must be at least 0 and less than 1; {delta!r} was given. Take delta well below 1 / n.")
    for names, given, what in ((mechanism_names(), mechanism, "mechanism"), (["published", "tight"], calibration, "calibration")):
        if given not in names:
            raise InvalidInput(f"{what} must be one of {names}; {given!r} was given.")
    if math.isinf(epsilon):
        return NonPrivate.calibrate(problem, neighbours=neighbours)
    return _CALIBRATORS[mechanism, calibration](problem, epsilon, delta, neighbours)
