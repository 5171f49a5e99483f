"""From names and a target to a calibrated mechanism; and the lambda and the noise of those who choose none.

Where nobody chooses one, lambda is taken from public numbers alone, close to the best for tables of many kinds (`default_ridge`).

    lambda = max( few c_max L R^2 max(sigma / G, .3)^(5/4) (d / 100)^(2/5) / 4,  least )

    sigma / G     noise of the mechanism without slack, per coordinate, over the gradient bound G = c_max L R of one record:
                  k / mu(epsilon, delta) for Gaussian noise, k sqrt(d) / epsilon for spherical noise (its norm is about sqrt(d) times that), the
                  smaller one where delta > 0;
                  k = 1 under add-remove and 2 under replace-one
    least         a share max(.1, .45 / (1 + epsilon / 4)) of the lambda at which the theorem has no slack: below it noise is bought with noise,
                  the sooner the smaller epsilon is. Persons with several rows and two classes, whose slack costs more: three quarters of it. More
                  classes: half. Losses that always have slack: all of it. Two classes, mechanism "auto": the theorem is that of spherical noise
                  where this is the smaller one, since it is the one that is taken; so a delta that is of no use changes nothing
    .3            noise below which less of it is no reason for less lambda: from epsilon 10 to 40 on, lambda stays, and epsilon = infinity has
                  what every large epsilon has. A smaller one is worth nothing to records, and the last stage hides a distance that grows like
                  lambda^(-3/2), whatever epsilon is: it was noise for that which ruined fits of a large epsilon
    few           min(2, max(1, (4000 / n)^(1/3))) where the number n of records is public (or of persons) and there are two classes; where it is
                  secret and counted with noise beside the fit (`count_share`) the same of the noisy number; 1 elsewhere

The temperature of the softplus hinge, where nobody chooses one: `least` is as 1 / T. Where half of what is slack-free would be the larger of the
two at T = .35, T is such that they are equal, and 1 where that would be more: few features or little noise ask for little lambda, and a bend so sharp
that only more lambda hides it is of no use then. It biases, and tells probabilities badly. Output perturbation, which divides its noise by lambda,
has 1/4.

    T = min(1, max(.35, .35 half(.35) / rule)),  rule the other number without `few`;    .35 for more classes

This is no theorem, and privacy does not rest on it: every lambda is private, with every T. It is a summary of measurements. Test errors over lambda
were measured on Adult (2,000 to 36,177 records, d = 105), KDD Cup 99 (d = 118), w8a (d = 300), MNIST 4 against 9 (d = 784), farm ads and two groups
of news20 (d = 55,000 and 62,000), epsilon 0.1 to 4, pure and delta = 1 / n^2, both relations; the best lambda of each grew with the noise like
sigma^1.2 to sigma^1.6, with the dimension like d^0.3 to d^0.4, and hardly with n: more records want less regularisation only where the error is flat
in lambda anyway. Within a factor of 2 of the rule the error moves by a few percent of itself. That lambda needs no n is what makes it usable under
add-remove, where n is private. Below some thousand records more of it is better, and where n is public it follows. Of that, of `least` and of T:
docs/defaults.md.

More than two classes: the multinomial loss has one problem with G = sqrt(2) c_max R in K d dimensions. One-vs-rest has K problems in d dimensions,
whose records are shared, so each has sqrt(K) times the noise. MNIST, ten classes, d = 784, agrees.

Output perturbation divides its noise by lambda itself, never by lambda plus curvature, and wants about eight times as much, of the rule without `few`
and of half the lambda without slack; never less than the rule has at the least noise.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from discreet.accounting import gaussian_mu
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Privacy
from discreet.core.parts import module_of
from discreet.core.remembered import remembered
from discreet.core.validate import share_below_one, small_delta
from discreet.losses import SoftplusHinge
from discreet.mechanisms.learning.base import LearningMechanism, one_of, solved_apart
from discreet.mechanisms.learning.counted import more_of_few, standard_share
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.learning.multinomial import MULTINOMIAL
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
from discreet.mechanisms.learning.one_vs_rest import ONE_VS_REST
from discreet.mechanisms.learning.output_perturbation import GaussianOutputPerturbation, NonPrivate, PureOutputPerturbation
from discreet.mechanisms.learning.perturbation import Head
from discreet.problems import AnyRisk, MultinomialRisk, OneVsRestRisk, RegularisedRisk
from discreet.problems.prior import Prior

_CURVATURE = 0.5
"""What the records' curvature is at least trusted to do to the noise of objective perturbation."""
_MOST_NOISE = 1e100
_SHARP, _WARM = 0.35, 1.0
"""Temperatures between which the default one is."""
_OF_OUTPUT = 0.25
"""The temperature of output perturbation."""
_HALF, _OF_PERSONS = 0.5, 0.75
_OUTPUT_FACTOR = 8.0
_LEAST_NOISE = 0.3
"""sigma / G that the rule goes by where there is less."""

RiskT = TypeVar("RiskT", bound=AnyRisk)
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


def _auto(problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> LearningMechanism[RegularisedRisk]:
    """Objective perturbation, or output perturbation where lambda is so small that its noise is less than half as large; spherical noise if shorter.

    Half, because the curvature of the records shrinks the noise of objective perturbation and never that of the output: equal bounds are in favour of
    the former. In few dimensions the noise of a pure guarantee is the shorter one: what needs no delta is also (epsilon, delta)-private. Raises
    InfeasibleTarget where objective perturbation has no noise at all to offer: lambda is then too small for either to be of use.
    """
    spherical = PureObjectivePerturbation.calibrate(problem, epsilon=epsilon, neighbours=neighbours)
    objective: LearningMechanism[RegularisedRisk] = spherical
    target: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    reach = _moved(neighbours) * problem.gradient_bound / problem.ridge
    least = reach * problem.dimension / epsilon  # no spherical noise on the minimiser is less
    if delta > 0:
        gaussian = reach * math.sqrt(problem.dimension) / gaussian_mu(epsilon, delta)  # nor Gaussian noise, there or in the objective
        least = min(least, gaussian)
        if spherical.weight_noise(problem) > gaussian:
            objective = min(GaussianObjectivePerturbation.calibrate(problem, **target), spherical, key=lambda made: made.weight_noise(problem))
    enough = _CURVATURE * objective.weight_noise(problem)
    if least >= enough:
        return objective
    output: LearningMechanism[RegularisedRisk] = PureOutputPerturbation.calibrate(problem, epsilon=epsilon, neighbours=neighbours)
    if delta > 0:
        output = min(GaussianOutputPerturbation.calibrate(problem, **target), output, key=lambda made: made.weight_noise(problem))
    return output if output.weight_noise(problem) < enough else objective


def _as_printed(algorithm: str) -> Calibrator:
    """The noise of a paper, by the name of its function."""

    def calibrated(problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> LearningMechanism[Any]:
        made: LearningMechanism[Any] = getattr(module_of("papers"), algorithm)(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        return made

    return calibrated


_CALIBRATORS: dict[tuple[str, str], Calibrator] = {
    ("auto", "tight"): _auto,
    ("auto", "published"): _as_printed("published_objective"),
    ("objective", "tight"): _objective,
    ("objective", "published"): _as_printed("published_objective"),
    ("output", "tight"): _output,
    ("output", "published"): _as_printed("published_output"),
}
_OF_CLASSES: dict[type[AnyRisk], Calibrator] = {
    MultinomialRisk: _by_delta(GaussianMultinomialPerturbation, PureMultinomialPerturbation),
    OneVsRestRisk: _by_delta(GaussianOneVsRest, PureOneVsRest),
}
_HEADS: dict[type[AnyRisk], Head[Any]] = {RegularisedRisk: MARGIN, MultinomialRisk: MULTINOMIAL, OneVsRestRisk: ONE_VS_REST}


def mechanism_names() -> list[str]:
    """Names accepted by `calibrate`."""
    return sorted({mechanism for mechanism, _ in _CALIBRATORS})


@remembered
def calibrate(
    problem: AnyRisk, *, mechanism: str, calibration: str, epsilon: float, delta: float, neighbours: Neighbours, count_share: float | None = 0.0
) -> LearningMechanism[Any]:
    """The named mechanism with the least noise that reaches (epsilon, delta); epsilon = infinity gives the non-private fit.

    `count_share` of mu^2 is for a secret number of records, where Gaussian noise is in the objective of two classes; None follows the budget.

    Raises InvalidInput for unknown names, for names that are not for more than two classes and for an (epsilon, delta) that is no target,
    InfeasibleTarget when no noise reaches it.
    """
    _check_target(epsilon, delta)
    if isinstance(problem, RegularisedRisk):
        for names, given, what in ((mechanism_names(), mechanism, "mechanism"), (["published", "tight"], calibration, "calibration")):
            if given not in names:
                raise InvalidInput(f"{what} must be one of {names}; {given!r} was given.")
    elif mechanism not in {"auto", "objective"} or calibration != "tight":
        raise InvalidInput(
            "Only binary classification is supported. The type of the target is multiclass: more than two classes need mechanism='objective' and "
            f"calibration='tight'; {mechanism!r} and {calibration!r} were given. Leave both out, or keep two classes."
        )
    if math.isinf(epsilon):
        return NonPrivate.calibrate(problem, neighbours=neighbours)
    calibrated = _CALIBRATORS[mechanism, calibration] if isinstance(problem, RegularisedRisk) else _OF_CLASSES[type(problem)]
    made = calibrated(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    share = None if count_share is None else share_below_one(count_share, "records_share")
    if share == 0 or not (isinstance(made, GaussianObjectivePerturbation) and isinstance(problem, RegularisedRisk)):
        return made
    share = standard_share(gaussian_mu(epsilon, delta)) if share is None else share
    return GaussianObjectivePerturbation.counting(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, share=share)


@remembered
def plan(
    problem: AnyRisk,
    privacy: Privacy,
    *,
    mechanism: str,
    calibration: str,
    softened: bool,
    ridge: float | None,
    prior: Prior | None,
    count_share: float | None,
) -> tuple[AnyRisk, LearningMechanism[Any]]:
    """The problem with what nobody chose, and its calibrated mechanism, in one call: loss, lambda and noise have the same target.

    `softened`, `ridge` as of `with_defaults`; `prior` a public point, which lambda does not follow; the rest as of `calibrate`. Raises as that does.
    """
    problem = replace(with_defaults(problem, privacy, mechanism=mechanism, softened=softened, ridge=ridge), prior=prior)
    return problem, calibrate(problem, mechanism=mechanism, calibration=calibration, count_share=count_share, **privacy.target)


def with_defaults(problem: RiskT, privacy: Privacy, *, mechanism: str, softened: bool, ridge: float | None) -> RiskT:
    """The problem with lambda of the module docstring where `ridge` is None, and with its temperature where its hinge is `softened` by it."""
    if softened and not isinstance(problem, MultinomialRisk):
        problem = replace(problem, loss=SoftplusHinge(temperature=default_temperature(problem, mechanism=mechanism, **privacy.target)))
    return replace(problem, ridge=default_ridge(problem, mechanism=mechanism, **privacy.target) if ridge is None else ridge)


def _check_target(epsilon: float, delta: float) -> None:
    if math.isnan(epsilon) or epsilon <= 0:
        raise InvalidInput(f"epsilon must be greater than 0; {epsilon!r} was given. Use epsilon=inf for a fit without privacy.")
    small_delta(delta)


@remembered
def default_ridge(problem: AnyRisk, *, epsilon: float, delta: float, neighbours: Neighbours, mechanism: str = "objective") -> float:
    """lambda of the module docstring for this public problem; it does not depend on the problem's own lambda, and on n only where that is public."""
    noise, free = _noise_and_free(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, mechanism=mechanism)
    least, resting = _worth_slack(problem, epsilon, mechanism) * free, _few(problem) * _rule(problem, _LEAST_NOISE)
    if mechanism == "output":
        return max(_OUTPUT_FACTOR * max(_rule(problem, noise), least), resting)
    return max(_few(problem) * _rule(problem, noise), least, resting)


@remembered
def default_temperature(
    problem: RegularisedRisk | OneVsRestRisk, *, epsilon: float, delta: float, neighbours: Neighbours, mechanism: str = "objective"
) -> float:
    """T of the softplus hinge where nobody chooses one, from public numbers. See the module docstring."""
    if mechanism == "output":
        return _OF_OUTPUT
    if not isinstance(problem, RegularisedRisk) or problem.domain.classes != 2:
        return _SHARP
    sharp = replace(problem, loss=SoftplusHinge(temperature=_SHARP))
    noise, free = _noise_and_free(sharp, epsilon=epsilon, delta=delta, neighbours=neighbours, mechanism=mechanism)
    rule, half = _rule(sharp, max(noise, _LEAST_NOISE)), (_OF_PERSONS if problem.several else _HALF) * free
    return _WARM if _SHARP * half >= _WARM * rule else round(max(_SHARP * half / rule, _SHARP), 2)


def _noise_and_free(problem: AnyRisk, *, epsilon: float, delta: float, neighbours: Neighbours, mechanism: str) -> tuple[float, float]:
    """sigma / G, and the lambda from which on the theorem has no slack: both are 0 without privacy, as where epsilon is large."""
    _check_target(epsilon, delta)
    if math.isinf(epsilon):
        return 0.0, 0.0
    noise = relative_noise(problem.dimension, epsilon=epsilon, delta=delta, neighbours=neighbours) * math.sqrt(solved_apart(problem))
    spherical = mechanism == "auto" and isinstance(problem, RegularisedRisk) and _spherical_is_less(problem.dimension, epsilon, delta)
    of_theorem = 0.0 if spherical else delta
    return noise, _HEADS[type(problem)].comfortable_ridge(problem, epsilon=epsilon, delta=of_theorem, neighbours=neighbours)


def _rule(problem: AnyRisk, noise: float) -> float:
    """The first number of the maximum, without `few`."""
    one = one_of(problem)
    return 0.25 * one.gradient_bound * problem.domain.radius * noise**1.25 * (one.dimension / 100.0) ** 0.4


def _worth_slack(problem: AnyRisk, epsilon: float, mechanism: str) -> float:
    """The least lambda of the rule over that without slack."""
    if not isinstance(problem, RegularisedRisk):
        return _HALF
    if not math.isfinite(problem.slack_free_ratio):
        return 1.0
    if problem.several:
        return _OF_PERSONS
    return _HALF if mechanism == "output" else max(0.1, 0.45 / (1.0 + 0.25 * epsilon))


def _few(problem: AnyRisk) -> float:
    """How much more lambda few records ask for, where their number is public."""
    records = problem.domain.records
    return 1.0 if records is None or not isinstance(problem, RegularisedRisk) else more_of_few(records)


def _spherical_is_less(dimension: int, epsilon: float, delta: float) -> bool:
    """Whether noise that needs no delta is the smaller one in so many dimensions."""
    return delta == 0 or math.sqrt(dimension) / epsilon <= 1.0 / gaussian_mu(epsilon, delta)


def relative_noise(dimension: int, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """sigma / G of the module docstring. Raises InfeasibleTarget where it is beyond all that could be drawn, and powers of it beyond float64."""
    moved = _moved(neighbours)
    noise = moved * math.sqrt(dimension) / epsilon if _spherical_is_less(dimension, epsilon, delta) else moved / gaussian_mu(epsilon, delta)
    if not noise < _MOST_NOISE:
        raise InfeasibleTarget("this budget needs more noise than can be drawn: use a larger epsilon or delta.")
    return noise


def _moved(neighbours: Neighbours) -> float:
    """By how many gradient bounds neighbours differ."""
    return 1.0 if neighbours is ADD_REMOVE else 2.0
