"""Which mechanism over a set, by the best bound of risk that is proved for it, from public numbers.

    objective-perturbation-set   theorem 4.1: s G_C + lambda D^2 / 2, or s^2 d / (2 lambda), and the last stage   (delta > 0; losses of the margin)
    mirror-descent          theorem 3.2 at its T and step size                        (delta > 0; any loss)
    frank-wolfe-gaussian    Gamma (1 + ln T) / (2 T) + regret of a noisy gradient, least over T    (delta > 0; smooth losses)
    frank-wolfe-polytope    Gamma (1 + ln T) / (2 T) + regret of a private choice, least over T    (smooth losses, sets with a list of vertices)

Gamma = n c spread^2, regrets in `regret.py`, all on the mean loss here. A bound is a worst case: where the minimum lies at a corner of the set the
Frank-Wolfe methods are often better than theirs, and they run fewer steps than their bounds want (base.py).
"""

import math
from dataclasses import dataclass

from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.constrained.base import NOMINAL, ConstrainedMechanism
from discreet.mechanisms.constrained.choose import calibrate_frank_wolfe
from discreet.mechanisms.constrained.mirror_descent import NoisyMirrorDescent
from discreet.mechanisms.constrained.objective_set import ObjectivePerturbationOverSet, why_not
from discreet.mechanisms.constrained.regret import least_walk
from discreet.problems import ConstrainedRisk
from discreet.sets import Polytope

AUTO = "auto"
OBJECTIVE, MIRROR = "objective-perturbation-set", "mirror-descent"
GAUSSIAN, VERTICES = "frank-wolfe-gaussian", "frank-wolfe-polytope"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One mechanism and what is proved of it."""

    name: str
    risk: float
    """Bound of the expected excess of the mean loss; infinity where there is none."""
    remark: str
    """Steps and map, or why there is no bound."""


def mechanism_names_over_sets() -> tuple[str, ...]:
    """What `mechanism` may be."""
    return (AUTO, OBJECTIVE, MIRROR, GAUSSIAN, VERTICES)


def candidates(problem: ConstrainedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> tuple[Candidate, ...]:
    """All mechanisms, the smallest bound first. Raises InvalidInput for epsilon or delta out of range."""
    if not (0 < epsilon < math.inf and 0 <= delta < 1):
        raise InvalidInput(f"a comparison needs 0 < epsilon < infinity and 0 <= delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
    found = [
        _objective(problem, epsilon, delta, neighbours),
        _mirror(problem, epsilon, delta, neighbours),
        _gaussian(problem, epsilon, delta, neighbours),
        _vertices(problem, epsilon, delta, neighbours),
    ]
    return tuple(sorted(found, key=lambda candidate: candidate.risk))


def calibrate_over_set(
    problem: ConstrainedRisk, *, mechanism: str = AUTO, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None
) -> ConstrainedMechanism:
    """The mechanism of this name, or the one with the smallest bound, calibrated; without noise for epsilon = infinity.

    Raises InvalidInput for unknown names, numbers out of range and mechanisms that the problem has not, InfeasibleTarget where none has a bound.
    """
    if mechanism not in mechanism_names_over_sets():
        raise InvalidInput(f"mechanism must be one of {list(mechanism_names_over_sets())}; {mechanism!r} was given.")
    chosen = mechanism
    if mechanism == AUTO and epsilon < math.inf:
        found = candidates(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        best = next(each for each in found if steps is None or each.name != OBJECTIVE)
        if best.risk == math.inf:
            raise InfeasibleTarget(
                f"no mechanism over the set {problem.constraint.name!r} with the loss {problem.loss.name!r} reaches delta={delta!r}: pass delta > 0, "
                "for example 1e-6."
            )
        chosen = best.name
    if chosen == OBJECTIVE and epsilon < math.inf:
        if steps is not None:
            raise InvalidInput("objective perturbation takes no number of steps: leave it out, or choose another mechanism.")
        return ObjectivePerturbationOverSet.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    if chosen == MIRROR and epsilon < math.inf:
        return NoisyMirrorDescent.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)
    name = AUTO if epsilon == math.inf else chosen
    return calibrate_frank_wolfe(problem, mechanism=name, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)


def _objective(problem: ConstrainedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> Candidate:
    reason = "needs delta > 0" if delta == 0 else why_not(problem)
    if reason:
        return _none(OBJECTIVE, reason)
    made = ObjectivePerturbationOverSet.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    return Candidate(name=OBJECTIVE, risk=made.risk_bound(problem), remark=f"lambda = {made.ridge:.4g} on the sum of losses")


def _mirror(problem: ConstrainedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> Candidate:
    if delta == 0:
        return _none(MIRROR, "needs delta > 0")
    made = NoisyMirrorDescent.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours).plan
    return Candidate(
        name=MIRROR, risk=made.excess / made.records, remark=f"{made.noisy_gradients} steps, {made.mirror_map} map, {made.schedule} schedule"
    )


def _gaussian(problem: ConstrainedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> Candidate:
    if delta == 0 or math.isinf(problem.smoothness):
        return _none(GAUSSIAN, "needs delta > 0" if delta == 0 else "needs a smooth loss")
    return _walk(GAUSSIAN, problem, epsilon, delta, neighbours)


def _vertices(problem: ConstrainedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> Candidate:
    if not isinstance(problem.constraint, Polytope) or math.isinf(problem.smoothness):
        return _none(VERTICES, "needs a list of vertices" if not isinstance(problem.constraint, Polytope) else "needs a smooth loss")
    return _walk(VERTICES, problem, epsilon, delta, neighbours)


def _walk(name: str, problem: ConstrainedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> Candidate:
    records = _records(problem)
    excess, steps = least_walk(problem, vertices=name == VERTICES, records=records, epsilon=epsilon, delta=delta, neighbours=neighbours)
    return Candidate(name=name, risk=excess / records, remark=f"at {steps} steps")


def _records(problem: ConstrainedRisk) -> int:
    return NOMINAL if problem.domain.records is None else problem.domain.records


def _none(name: str, why: str) -> Candidate:
    return Candidate(name=name, risk=math.inf, remark=why)
