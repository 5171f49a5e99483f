"""From names and a target to a calibrated mechanism for K classes."""

import math

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.mechanisms.learning.multinomial_gaussian import GaussianMultinomialPerturbation
from discreet.mechanisms.learning.multinomial_pure import PureMultinomialPerturbation
from discreet.mechanisms.learning.non_private import NonPrivateClasses
from discreet.mechanisms.learning.one_vs_rest import GaussianOneVsRest, PureOneVsRest
from discreet.problems import MultinomialRisk, OneVsRestRisk

AnyClassMechanism = LearningMechanism[MultinomialRisk] | LearningMechanism[OneVsRestRisk] | NonPrivateClasses


def calibrate_classes(
    problem: MultinomialRisk | OneVsRestRisk, *, mechanism: str, calibration: str, epsilon: float, delta: float, neighbours: Neighbours
) -> AnyClassMechanism:
    """The mechanism with the least noise that reaches (epsilon, delta); epsilon = infinity gives the non-private fit.

    Raises InvalidInput for names that are not for more than two classes or an (epsilon, delta) that is no target, InfeasibleTarget when no noise
    reaches it.
    """
    if math.isnan(epsilon) or epsilon <= 0:
        raise InvalidInput(f"epsilon must be greater than 0; {epsilon!r} was given. Use epsilon=inf for a fit without privacy.")
    if not 0 <= delta < 1:
        raise InvalidInput(f"delta must be at least 0 and less than 1; {delta!r} was given. Take delta well below 1 / n.")
    if mechanism not in {"auto", "objective"} or calibration != "tight":
        raise InvalidInput(
            "Only binary classification is supported. The type of the target is multiclass: more than two classes need mechanism='objective' and "
            f"calibration='tight'; {mechanism!r} and {calibration!r} were given. Leave both out, or keep two classes."
        )
    if math.isinf(epsilon):
        return NonPrivateClasses.calibrate(problem, neighbours=neighbours)
    if isinstance(problem, MultinomialRisk):
        if delta > 0:
            return GaussianMultinomialPerturbation.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        return PureMultinomialPerturbation.calibrate(problem, epsilon=epsilon, neighbours=neighbours)
    if delta > 0:
        return GaussianOneVsRest.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    return PureOneVsRest.calibrate(problem, epsilon=epsilon, neighbours=neighbours)
