"""What a stranger computes from the certificate of a search: every setting's guarantee, then that of the whole, by other roads.

Settings are rechecked by the rechecks of their own mechanisms; so is the whole curve of each that the search used, at a point near where C is read,
besides the one that is stated. The mean number of runs is summed from the probabilities of the law, and the constant C of random stopping is scanned
over probabilities instead of read at three of them.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np
from scipy.special import gammaln

from discreet.arrays import Floats
from discreet.certificates import Check, register_recheck
from discreet.certificates.rechecks import recheck
from discreet.guarantees import ApproximateDP, Guarantee, Json, Profile, PureDP, compose, guarantee_from_dict
from discreet.guarantees.discretise import reach_of
from discreet.guarantees.selection import drawn_at_random
from discreet.mechanisms.selection.curves import has_whole_curve, whole_curve
from discreet.mechanisms.selection.score import CountNoise
from discreet.mechanisms.selection.stopping import RANDOM_STOPPING
from discreet.neighbours import ADD_REMOVE, Neighbours

ALGORITHM_4 = "algorithm-4"
"""Name in certificates of the search by parts (exponential.md)."""
_AGREEMENT = 1e-9
_POINTS = 1025
_PROBABILITIES = 2001
_PLACES = (0.35,)
"""Where, besides the stated point, the curve of a setting is compared with its recheck: about these multiples of its epsilon, near where C is."""


@register_recheck("exponential-mechanism")
def _exponential(parameters: Mapping[str, Json], _problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield _same_relation(parameters, guarantee)
    yield _epsilon(releases * _selection_epsilon(parameters, guarantee), guarantee, "largest log ratio of two softmax laws")


@register_recheck(ALGORITHM_4)
def _algorithm_4(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    candidates = _candidates(parameters)
    yield _same_relation(parameters, guarantee)
    yield _chosen(parameters, problem, candidates)
    yield from _settings(candidates, guarantee)
    stated = [guarantee_from_dict(_record(each["guarantee"])) for each in candidates]
    epsilons = [part.epsilon for part in stated if isinstance(part, PureDP | ApproximateDP)]
    if len(epsilons) < len(stated) or releases != 1:
        yield Check("epsilon", False, "pure or (epsilon, delta) guarantees of the parts and one release were expected")
        return
    delta = max((part.delta_at_epsilon for part in stated if isinstance(part, ApproximateDP)), default=0.0)
    total = max(*epsilons, _selection_epsilon(parameters, guarantee))
    yield _epsilon(total, guarantee, "the largest of the parts, and the choice on the last one")
    yield Check(
        "delta", guarantee.delta(total * (1.0 + _AGREEMENT)) >= delta * (1.0 - _AGREEMENT), f"recomputed {delta:.6g}, the largest of the parts"
    )


@register_recheck(RANDOM_STOPPING)
def _random_stopping(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    candidates = _candidates(parameters)
    yield _same_relation(parameters, guarantee)
    yield _chosen(parameters, problem, candidates)
    yield from _settings(candidates, guarantee)
    curves = [_curve(each) for each in candidates]
    for each, curve in zip(candidates, curves, strict=True):
        if has_whole_curve(str(each["mechanism"])):
            yield _curve_agrees(each, curve)
    score = CountNoise(law=str(parameters["score_noise"]), scale=_number(parameters["score_scale"]))
    eta, gamma = _number(parameters["eta"]), _number(parameters["gamma"])
    mean = _mean_of_runs(eta, gamma)
    base_score = score.guarantee(guarantee.neighbours)
    if releases != 1:
        yield Check("releases", False, "one release was expected")
    elif isinstance(guarantee, PureDP):
        worst = max(curve.epsilon if isinstance(curve, PureDP) else math.inf for curve in curves) + 1.0 / score.scale
        yield _epsilon(worst + _scanned_tilt(eta, gamma, np.array([worst]), np.array([0.0])), guarantee, "one run, and C scanned over probabilities")
    elif isinstance(guarantee, ApproximateDP):
        base = compose([drawn_at_random(curves), base_score], planned=True)
        points = np.linspace(0.0, max(reach_of(base), 1e-9), _POINTS)
        tilt = _scanned_tilt(eta, gamma, points, np.array([base.delta(float(point)) for point in points]))
        delta = mean * base.delta(max(0.0, guarantee.epsilon - tilt)) if guarantee.epsilon >= tilt else 1.0
        ok = delta <= guarantee.delta_at_epsilon * (1.0 + 1e-6)
        stated = f"stated {guarantee.delta_at_epsilon:.6g} at epsilon {guarantee.epsilon:.6g}"
        yield Check("delta", bool(ok), f"{stated}, recomputed {delta:.6g} ({mean:.6g} runs expected, ln C = {tilt:.6g} scanned over probabilities)")
    else:
        yield Check("delta", False, "a pure or an (epsilon, delta) guarantee was expected")


def _settings(candidates: list[dict[str, Json]], guarantee: Guarantee) -> Iterator[Check]:
    """The recheck of every setting at what its own certificate stated."""
    for number, each in enumerate(candidates):
        stated = guarantee_from_dict(_record(each["guarantee"]))
        checks = recheck(str(each["mechanism"]), _record(each["parameters"]), _record(each["problem"]), stated, 1)
        failed = [f"{check.name}: {check.detail}" for check in checks if not check.ok]
        same = stated.neighbours is guarantee.neighbours
        yield Check(f"setting {number}", same and not failed, "; ".join(failed) or f"{each['mechanism']}, rechecked")


def _curve_agrees(candidate: dict[str, Json], curve: Guarantee) -> Check:
    """The recheck of a setting's mechanism, at points of the curve that the search used: its corners, between which chords hold."""
    parameters, problem = _record(candidate["parameters"]), _record(candidate["problem"])
    last = _number(parameters["grid_epsilon"])
    corners = np.array([knot for knot in curve.epsilons if knot > 1.5 * last] if isinstance(curve, Profile) else [])
    if len(corners) == 0:
        return Check("curve of a setting", False, "a profile was expected")
    for place in _PLACES:
        corner = float(corners[np.argmin(np.abs(corners - place * _number(parameters["epsilon"])))])
        stated = min(curve.delta(corner), 1.0 - 1e-16)
        point = ApproximateDP(epsilon=corner, delta_at_epsilon=stated, neighbours=curve.neighbours, theorem=curve.theorem)
        checks = recheck(str(candidate["mechanism"]), {**parameters, "epsilon": (corner - last) * (1.0 - 1e-14)}, problem, point, 1)
        if not all(check.ok for check in checks):
            return Check("curve of a setting", False, "; ".join(check.detail for check in checks if not check.ok))
    return Check("curve of a setting", True, f"rechecked at {len(_PLACES)} points")


def _scanned_tilt(eta: float, gamma: float, epsilons: Floats, deltas: Floats) -> float:
    """Least over points of the curve of the largest (eta + 1) ln((1 - c x) / (1 - c U(x))), c = 1 - gamma, over probabilities x."""
    kept = 1.0 - gamma
    best = math.inf
    for epsilon, delta in zip(epsilons.tolist(), deltas.tolist(), strict=True):
        turn = (1.0 - delta) / (1.0 + math.exp(min(epsilon, 700.0)))
        x = np.unique(np.concatenate((np.linspace(0.0, 1.0, _PROBABILITIES), [turn, 1.0 - delta])))
        missed = np.minimum(1.0 - np.minimum(1.0, math.exp(min(epsilon, 700.0)) * x + delta), 1.0)
        missed = np.maximum(0.0, np.maximum(np.where(x <= turn, missed, 0.0), math.exp(-epsilon) * (1.0 - x - delta)))
        worst = (eta + 1.0) * float(np.max(np.log((gamma + kept * (1.0 - x)) / (gamma + kept * missed))))
        best = min(best, worst)
    return max(0.0, best)


def _mean_of_runs(eta: float, gamma: float) -> float:
    """sum k p_k / sum p_k, p_k = (1 - gamma)^k Gamma(k + eta) / (k! Gamma(1 + eta)), far enough into the tail."""
    if not (eta > -1 and 1e-7 <= gamma < 1):
        raise ValueError
    k = np.arange(1.0, math.ceil(60.0 / gamma) + 2.0)
    log_p = k * math.log1p(-gamma) + gammaln(k + eta) - gammaln(k + 1.0)
    p = np.exp(log_p - log_p.max())
    return float(k @ p / p.sum())


def _selection_epsilon(parameters: Mapping[str, Json], guarantee: Guarantee) -> float:
    """The largest log ratio of softmax laws on two candidates whose scores move against each other, or together if they are monotone."""
    move = _number(parameters["rate"]) * _number(parameters["sensitivity"])
    if parameters["monotone"] is True:
        if guarantee.neighbours is not ADD_REMOVE:
            raise ValueError
        return move
    gaps = np.linspace(-60.0, 60.0, 4001)
    return float(np.max(np.logaddexp(0.0, gaps + 2.0 * move) - np.logaddexp(0.0, gaps)))


def _chosen(parameters: Mapping[str, Json], problem: Mapping[str, Json], candidates: list[dict[str, Json]]) -> Check:
    chosen = parameters["chosen"]
    ok = isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < len(candidates) and candidates[chosen]["problem"] == dict(problem)
    return Check("chosen setting", bool(ok), f"number {chosen} of {len(candidates)}, whose problem is the one that is stated")


def _curve(candidate: dict[str, Json]) -> Guarantee:
    stated = guarantee_from_dict(_record(candidate["guarantee"]))
    return whole_curve(str(candidate["mechanism"]), _record(candidate["parameters"]), _record(candidate["problem"]), stated)


def _candidates(parameters: Mapping[str, Json]) -> list[dict[str, Json]]:
    found = parameters["candidates"]
    if not isinstance(found, list) or not found:
        raise TypeError
    return [_record(each) for each in found]


def _record(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise TypeError
    return value


def _same_relation(parameters: Mapping[str, Json], guarantee: Guarantee) -> Check:
    same = Neighbours(str(parameters["neighbours"])) is guarantee.neighbours
    return Check("neighbouring relation", same, f"guarantee stated for {guarantee.neighbours}, search calibrated for {parameters['neighbours']}")


def _epsilon(computed: float, guarantee: Guarantee, how: str) -> Check:
    stated = guarantee.epsilon if isinstance(guarantee, PureDP | ApproximateDP) else math.nan
    ok = 0 < computed <= stated * (1.0 + _AGREEMENT)
    return Check("epsilon", bool(ok), f"stated {stated:.10g}, recomputed {computed:.10g} ({how})")


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError
    return float(value)
