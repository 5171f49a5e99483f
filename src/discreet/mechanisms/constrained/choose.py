"""Which mechanism over a set, from public numbers: by the best bound of risk that is proved for it, or of the two Frank-Wolfe methods alone.

    objective-perturbation-set   theorem 4.1: s G_C + lambda D^2 / 2, or s^2 d / (2 lambda), and the last stage   (delta > 0; smooth losses)
    mirror-descent          theorem 3.2 at its T and step size                        (delta > 0; any loss)
    frank-wolfe-gaussian    Gamma (1 + ln T) / (2 T) + regret of a noisy gradient, least over T    (delta > 0; smooth losses)
    frank-wolfe-polytope    Gamma (1 + ln T) / (2 T) + regret of a private choice, least over T    (smooth losses, sets with a list of vertices)

Losses that are none of the margin pay a larger ridge for the first, and on tables its error was up to four times that of mirror descent where both
bounds were alike: it is taken by its name only, or with a ridge of the caller's own. A ridge leaves the first two, and a mirror map the second.

Gamma = n c spread^2, all on the mean loss here. A bound is a worst case: where the minimum lies at a corner of the set the Frank-Wolfe methods are
often better than theirs, and they run fewer steps than their bounds want (base.py). Expected regret of one of T private choices of a walk:

    vertices    S' (ln k / e + fine)     e the range of one of T choices, as the Renyi curve proves it (epsilon / T for delta = 0)
    gaussian    sigma G_C                sigma the deviation of the discrete noise on the gradient

S' = k' B spread bounds how far one neighbour moves differences of scores (k' = 1 add-remove, 2 replace-one). The mechanism's own range, by the
optimal recursion, is a little larger, so its regret a little less. Of the two Frank-Wolfe methods alone (learning notes, A4: the geometry rule), at
the same T and budget mu the regret of a step is at most

    exponential mechanism over the vertices S     (k' B spread / 2) ln|S| sqrt(T) / mu
    Gaussian noise on the gradient                 k' B R_2 G_C sqrt(T) / mu

so over the l1 ball the first wins when R_inf ln(2 d) < R_2 sqrt(2 ln 2 d): entries bounded one by one, rows long. Rows that are bounded in
Euclidean norm only are the other case, by a factor of sqrt(ln(2 d) / 2). Without delta, or with one below 1e-300, there is the first only.
"""

import math
from functools import lru_cache, partial
from typing import NamedTuple

from discreet.accounting import bounded_range_width
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Privacy
from discreet.core.parts import module_of
from discreet.mechanisms.constrained.base import NOMINAL, ConstrainedMechanism, checked_steps
from discreet.mechanisms.constrained.excess import averaged_frank_wolfe, averaged_steps
from discreet.mechanisms.constrained.frank_wolfe import GaussianFrankWolfe, NonPrivateFrankWolfe, PolytopeFrankWolfe
from discreet.mechanisms.constrained.mirror_descent import NoisyMirrorDescent
from discreet.mechanisms.constrained.objective_set import ObjectivePerturbationOverSet, require_factors, why_not, without_set
from discreet.problems import SetRisk
from discreet.sets import Polytope

AUTO = "auto"
"""Of a mechanism or a mirror map: chosen from public numbers."""
OBJECTIVE, MIRROR = "objective-perturbation-set", "mirror-descent"
GAUSSIAN, VERTICES = "frank-wolfe-gaussian", "frank-wolfe-polytope"
TIGHT, PUBLISHED = "tight", "published"
"""Calibrations."""
GRID = 1.004
"""What rounding scores to the grid adds to the spread, at most."""
FINE = 2.0**-10
"""The largest step of the grid, as a share of the spread."""
TRIED = 100
"""The number of steps at which the factor of the power law is read off."""


class Candidate(NamedTuple):
    """One mechanism and what is proved of it."""

    name: str
    risk: float
    """Bound of the expected excess of the mean loss; infinity where there is none."""
    remark: str
    """Steps and map, or why there is no bound."""


def mechanism_names_over_sets() -> tuple[str, ...]:
    """What `mechanism` may be."""
    return (AUTO, OBJECTIVE, MIRROR, GAUSSIAN, VERTICES)


class Choices(NamedTuple):
    """What a caller may choose beside a mechanism and its steps; the defaults are taken from public numbers."""

    ridge: float | None = None
    """lambda, on the sum of losses."""
    factors: tuple[float, ...] = ()
    """What it is multiplied by, coefficient by coefficient; none where all are pulled alike."""
    mirror_map: str = AUTO
    calibration: str = TIGHT
    """"tight", or "published" for the noise that the paper prints (`discreet.papers`)."""


UNCHOSEN = Choices()


def candidates(problem: SetRisk, *, epsilon: float, delta: float, neighbours: Neighbours, choices: Choices = UNCHOSEN) -> tuple[Candidate, ...]:
    """All mechanisms, the smallest bound first; without a bound those that do not take what was chosen.

    Raises InvalidInput for epsilon or delta out of range, and for a map that the set has not.
    """
    if not (0 < epsilon < math.inf and 0 <= delta < 1):
        raise InvalidInput(f"a comparison needs 0 < epsilon < infinity and 0 <= delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
    without = "takes no ridge" if choices.ridge is not None or choices.factors else "takes no mirror map" if choices.mirror_map != AUTO else ""
    found = [
        _objective(problem, epsilon, delta, neighbours, choices),
        _none(MIRROR, "takes no factors of a ridge") if choices.factors else _mirror(problem, epsilon, delta, neighbours, choices),
        _none(GAUSSIAN, without) if without else _gaussian(problem, epsilon, delta, neighbours),
        _none(VERTICES, without) if without else _vertices(problem, epsilon, delta, neighbours),
    ]
    return tuple(sorted(found, key=lambda candidate: candidate.risk))


def calibrate_over_set(
    problem: SetRisk,
    *,
    mechanism: str = AUTO,
    epsilon: float,
    delta: float,
    neighbours: Neighbours,
    steps: int | None = None,
    choices: Choices = UNCHOSEN,
) -> ConstrainedMechanism:
    """The mechanism of this name, or the one with the smallest bound, calibrated; without noise for epsilon = infinity.

    Raises InvalidInput for unknown names, numbers out of range and mechanisms that the problem has not, InfeasibleTarget where none has a bound.
    """
    if mechanism not in mechanism_names_over_sets():
        raise InvalidInput(f"mechanism must be one of {list(mechanism_names_over_sets())}; {mechanism!r} was given.")
    if choices.calibration not in (TIGHT, PUBLISHED):
        raise InvalidInput(f"calibration must be one of {[PUBLISHED, TIGHT]}; {choices.calibration!r} was given.")
    if epsilon == math.inf:
        return _without_noise(problem, neighbours=neighbours, steps=steps, choices=choices)
    if choices.calibration == PUBLISHED:
        if choices.ridge is not None or choices.factors:
            raise InvalidInput(
                "calibration='published' uses the ridge printed in the paper; leave alpha and penalty_factor out, or use calibration='tight'."
            )
        privacy = Privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)
        made: ConstrainedMechanism = module_of("papers").published_over_set(
            problem, privacy, mechanism=mechanism, steps=steps, mirror_map=choices.mirror_map
        )
        return made
    chosen = mechanism
    if mechanism == AUTO:
        chosen = _best(problem, candidates(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, choices=choices), delta, steps, choices)
    _require_taken(chosen, steps, choices)
    if chosen == OBJECTIVE:
        ridge, factors = choices.ridge, choices.factors
        return ObjectivePerturbationOverSet.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, ridge=ridge, factors=factors)
    if chosen == MIRROR:
        return NoisyMirrorDescent.calibrate(
            problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps, mirror_map=choices.mirror_map, ridge=choices.ridge or 0.0
        )
    return calibrate_frank_wolfe(problem, mechanism=chosen, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)


def _best(problem: SetRisk, found: tuple[Candidate, ...], delta: float, steps: int | None, choices: Choices) -> str:
    """The name of the mechanism with the smallest bound. Raises InfeasibleTarget where none has a bound."""
    best = next(each for each in found if steps is None or each.name != OBJECTIVE or choices.factors)
    if best.risk < math.inf:
        return best.name
    if choices.factors:
        why = next(each.remark for each in found if each.name == OBJECTIVE)
        raise InfeasibleTarget(f"penalty_factor is for objective perturbation, which here {why}. Change that, or leave penalty_factor out.")
    raise InfeasibleTarget(
        f"no mechanism over the set {problem.constraint.name!r} with the loss {problem.loss.name!r} reaches delta={delta!r}. Pass "
        "delta > 0, for example 1e-6."
    )


def _without_noise(problem: SetRisk, *, neighbours: Neighbours, steps: int | None, choices: Choices) -> NonPrivateFrankWolfe:
    if choices.factors and choices.ridge is None:
        raise InvalidInput("penalty_factor multiplies the ridge, and a fit without privacy has no ridge by default. Set alpha too.")
    require_factors(choices.factors, problem.dimension)
    counted = {} if steps is None else {"steps": checked_steps(steps)}
    return NonPrivateFrankWolfe(neighbours=neighbours, ridge=choices.ridge or 0.0, factors=choices.factors, **counted)


def _require_taken(mechanism: str, steps: int | None, choices: Choices) -> None:
    """Refuse what the mechanism of this name does not take."""
    if mechanism == OBJECTIVE and steps is not None:
        raise InvalidInput("objective perturbation has no steps: leave n_iter out, or choose another mechanism.")
    if mechanism != OBJECTIVE and choices.factors:
        raise InvalidInput(
            f"mechanism={mechanism!r} takes no penalty_factor: leave one of the two out, or take mechanism='objective-perturbation-set'."
        )
    if mechanism != MIRROR and choices.mirror_map != AUTO:
        raise InvalidInput(f"mechanism={mechanism!r} takes no mirror_map: leave one of the two out, or take mechanism='mirror-descent'.")
    if mechanism not in (OBJECTIVE, MIRROR) and choices.ridge is not None:
        raise InvalidInput(f"mechanism={mechanism!r} takes no alpha: leave one of the two out, or take mechanism='mirror-descent'.")


def _objective(problem: SetRisk, epsilon: float, delta: float, neighbours: Neighbours, choices: Choices) -> Candidate:
    reason = "needs delta > 0" if delta == 0 else "takes no mirror map" if choices.mirror_map != AUTO else why_not(problem)
    if not reason and choices.ridge is None and not choices.factors and without_set(problem, 1.0) is None:
        reason = "for this loss by its name, or with alpha"
    if reason:
        return _none(OBJECTIVE, reason)
    try:
        ridge, factors = choices.ridge, choices.factors
        made = ObjectivePerturbationOverSet.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, ridge=ridge, factors=factors)
    except InfeasibleTarget:
        if choices.ridge is None:
            raise
        return _none(OBJECTIVE, "needs a larger alpha at this epsilon")
    return Candidate(name=OBJECTIVE, risk=made.risk_bound(problem), remark=f"lambda = {made.ridge:.4g} on the sum of losses")


def _mirror(problem: SetRisk, epsilon: float, delta: float, neighbours: Neighbours, choices: Choices) -> Candidate:
    if delta == 0:
        return _none(MIRROR, "needs delta > 0")
    made = NoisyMirrorDescent.calibrate(
        problem, epsilon=epsilon, delta=delta, neighbours=neighbours, mirror_map=choices.mirror_map, ridge=choices.ridge or 0.0
    ).plan
    return Candidate(
        name=MIRROR, risk=made.excess / made.records, remark=f"{made.noisy_gradients} steps, {made.mirror_map} map, {made.schedule} schedule"
    )


def _gaussian(problem: SetRisk, epsilon: float, delta: float, neighbours: Neighbours) -> Candidate:
    if delta == 0 or math.isinf(problem.smoothness):
        return _none(GAUSSIAN, "needs delta > 0" if delta == 0 else "needs a smooth loss")
    return _walk(GAUSSIAN, problem, epsilon, delta, neighbours)


def _vertices(problem: SetRisk, epsilon: float, delta: float, neighbours: Neighbours) -> Candidate:
    if not isinstance(problem.constraint, Polytope) or math.isinf(problem.smoothness):
        return _none(VERTICES, "needs a list of vertices" if not isinstance(problem.constraint, Polytope) else "needs a smooth loss")
    return _walk(VERTICES, problem, epsilon, delta, neighbours)


def _walk(name: str, problem: SetRisk, epsilon: float, delta: float, neighbours: Neighbours) -> Candidate:
    records = _records(problem)
    excess, steps = least_walk(problem, vertices=name == VERTICES, records=records, epsilon=epsilon, delta=delta, neighbours=neighbours)
    return Candidate(name=name, risk=excess / records, remark=f"at {steps} steps")


def _records(problem: SetRisk) -> int:
    return NOMINAL if problem.domain.records is None else problem.domain.records


def _none(name: str, why: str) -> Candidate:
    return Candidate(name=name, risk=math.inf, remark=why)


def frank_wolfe_names() -> tuple[str, ...]:
    """What `mechanism` may be."""
    return (AUTO, VERTICES, GAUSSIAN)


def calibrate_frank_wolfe(
    problem: SetRisk, *, mechanism: str = AUTO, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None
) -> PolytopeFrankWolfe | GaussianFrankWolfe | NonPrivateFrankWolfe:
    """The mechanism of this name, or the better one, calibrated; without noise for epsilon = infinity.

    Raises InvalidInput for unknown names and numbers out of range.
    """
    if mechanism not in frank_wolfe_names():
        raise InvalidInput(f"mechanism must be one of {list(frank_wolfe_names())}; {mechanism!r} was given.")
    if epsilon == math.inf:
        return _without_noise(problem, neighbours=neighbours, steps=steps, choices=UNCHOSEN)
    chosen = better(problem, delta=delta) if mechanism == AUTO else mechanism
    if chosen == VERTICES:
        return PolytopeFrankWolfe.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)
    return GaussianFrankWolfe.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)


def better(problem: SetRisk, *, delta: float) -> str:
    """The name of the method with the smaller regret."""
    vertices, gaussian = regrets(problem)
    if delta == 0 and math.isinf(vertices):
        raise InvalidInput(f"with delta = 0 this needs a polytope with a list of vertices, and {problem.constraint.name!r} has none; pass delta > 0.")
    return VERTICES if delta == 0 or vertices <= gaussian else GAUSSIAN


def regrets(problem: SetRisk) -> tuple[float, float]:
    """The two regrets of the module docstring, in units of k sqrt(T) / mu; infinity where there is no list of vertices."""
    gaussian = problem.gradient_bound * problem.constraint.gaussian_width
    if not isinstance(problem.constraint, Polytope):
        return math.inf, gaussian
    return 0.5 * problem.score_spread * math.log(max(2, problem.constraint.vertex_count)), gaussian


def vertex_regret(problem: SetRisk, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int) -> float:
    """Of each of T = `steps` choices among the vertices, for F a sum."""
    count = problem.constraint.vertex_count if isinstance(problem.constraint, Polytope) else 2
    spread = problem.score_spread * (1.0 if neighbours is ADD_REMOVE else 2.0)
    width = epsilon / steps if delta == 0 else _range(epsilon, delta, steps)
    return spread * (GRID * math.log(max(2, count)) / width + FINE)


def gaussian_regret(problem: SetRisk, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int) -> float:
    """Of each of T = `steps` steps with a noisy gradient, for F a sum."""
    made = GaussianFrankWolfe.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)
    return made.noise_steps.deviation * problem.constraint.gaussian_width


def least_walk(problem: SetRisk, *, vertices: bool, records: int, epsilon: float, delta: float, neighbours: Neighbours) -> tuple[float, int]:
    """The bound of the excess of the sum at the T where it is about least, and that T."""
    curvature, power = records * problem.curvature, 1.0 if vertices and delta == 0 else 0.5
    regret = partial(vertex_regret if vertices else gaussian_regret, problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    steps = averaged_steps(curvature=curvature, regret=regret(steps=TRIED) / TRIED**power, power=power)
    return averaged_frank_wolfe(curvature=curvature, regret=regret(steps=steps), steps=steps), steps


@lru_cache(maxsize=4096)
def _range(epsilon: float, delta: float, steps: int) -> float:
    return bounded_range_width(epsilon, delta * (1.0 - 1e-9), count=steps, optimal=False)
