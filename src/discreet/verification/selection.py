"""What a stranger computes from the certificate of a search: every setting's guarantee, then that of the whole, by other roads.

Settings are rechecked by the rechecks of their own mechanisms, which also give the whole curve of each. The score is composed with them by a sum
over its noise, whose law is discrete. The mean number of runs is summed from the probabilities of the law, and the constant C of random stopping is
scanned over probabilities instead of read at three of them.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import gammaln

from discreet.accounting import ApproximateDP, Guarantee, Json, PureDP, closeness, guarantee_from_dict
from discreet.core.arrays import Floats
from discreet.core.fields import finite, positive
from discreet.core.neighbours import ADD_REMOVE
from discreet.verification.learning import objective_stages, output_stages
from discreet.verification.parts import covers, same_relation
from discreet.verification.registry import Check, recheck, register_recheck

ALGORITHM_4 = "algorithm-4"
"""Name in certificates of the search by parts (exponential.md)."""
_AGREEMENT = 1e-9
_POINTS = 257
_KNOTS = 97
_ENUMERATED = 2.0**12
_AGREEMENT_OF_CURVES = 1e-4
"""Relative room for the curves of settings, interpolated between knots here and chords of a hull there."""
LAPLACE, GAUSSIAN = "discrete-laplace", "discrete-gaussian"
Curve: TypeAlias = Callable[[Floats], Floats]
"""epsilons -> deltas."""
_STAGES = {"objective-perturbation-gaussian": objective_stages, "output-perturbation-gaussian": output_stages}
_PROBABILITIES = 2001


@register_recheck("exponential-mechanism")
def _exponential(parameters: Mapping[str, Json], _problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    yield _epsilon(releases * _selection_epsilon(parameters, guarantee), guarantee, "largest log ratio of two softmax laws")


@register_recheck(ALGORITHM_4)
def _algorithm_4(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    candidates = _candidates(parameters)
    yield same_relation(parameters, guarantee)
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


@register_recheck("random-stopping")
def _random_stopping(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    candidates = _candidates(parameters)
    yield same_relation(parameters, guarantee)
    yield _chosen(parameters, problem, candidates)
    yield from _settings(candidates, guarantee)
    law, scale = str(parameters["score_noise"]), positive(parameters["score_scale"])
    eta, gamma = finite(parameters["eta"]), finite(parameters["gamma"])
    mean = _mean_of_runs(eta, gamma)
    if releases != 1 or law not in (LAPLACE, GAUSSIAN):
        yield Check("releases", False, "one release was expected, and a score with discrete Laplace or discrete Gaussian noise")
    elif isinstance(guarantee, PureDP):
        stated = [guarantee_from_dict(_record(each["guarantee"])) for each in candidates]
        worst = max(part.epsilon if isinstance(part, PureDP) and law == LAPLACE else math.inf for part in stated) + 1.0 / scale
        yield _epsilon(worst + _scanned_tilt(eta, gamma, np.array([worst]), np.array([0.0])), guarantee, "one run, and C scanned over probabilities")
    elif isinstance(guarantee, ApproximateDP):
        # Where C is read, and what is left of epsilon after it.
        one_run = _with_score([_curve(each, guarantee.epsilon) for each in candidates], law, scale)
        points = np.linspace(0.0, guarantee.epsilon, _POINTS)
        tilt = _scanned_tilt(eta, gamma, points, one_run(points))
        delta = mean * float(one_run(np.array([guarantee.epsilon - tilt]))[0]) if guarantee.epsilon >= tilt else 1.0
        ok = covers(guarantee.delta_at_epsilon, delta, room=_AGREEMENT_OF_CURVES)
        stated_there = f"stated {guarantee.delta_at_epsilon:.6g} at epsilon {guarantee.epsilon:.6g}"
        yield Check(
            "delta", bool(ok), f"{stated_there}, recomputed {delta:.6g} ({mean:.6g} runs expected, ln C = {tilt:.6g} scanned over probabilities)"
        )
    else:
        yield Check("delta", False, "a pure or an (epsilon, delta) guarantee was expected")


def _with_score(settings: list[Curve], law: str, scale: float) -> Curve:
    """The curve of one run, whose setting a public die picks, with its noisy score: the mean of the settings' curves, over the loss of the score."""

    def of_setting(epsilons: Floats) -> Floats:
        known = np.mean([curve(np.abs(epsilons)) for curve in settings], axis=0)
        # At -e: 1 - e^{-e} + e^{-e} delta(e), the two data sets having changed places.
        found: Floats = np.where(epsilons >= 0, known, -np.expm1(np.minimum(epsilons, 0.0)) + np.exp(np.minimum(epsilons, 0.0)) * known)
        return found

    losses, masses = _score_losses(law, scale)

    def one_run(epsilons: Floats) -> Floats:
        return np.array([float(masses @ of_setting(epsilon - losses)) for epsilon in epsilons]) + max(0.0, 1.0 - float(masses.sum()))

    return one_run


def _score_losses(law: str, scale: float) -> tuple[Floats, Floats]:
    """Privacy losses of a count that moves by one, and their probabilities; of wide Gaussian noise by quadrature, the lemma's price included."""
    if law == LAPLACE:
        return np.array([1.0, -1.0]) / scale, np.array([1.0, math.exp(-1.0 / scale)]) / (1.0 + math.exp(-1.0 / scale))
    if scale <= _ENUMERATED:
        k = np.arange(-math.ceil(9.0 * scale) - 2, math.ceil(9.0 * scale) + 3, dtype=np.float64)
        masses = np.exp(-0.5 * np.square(k / scale))
        return (0.5 - k) / scale**2, masses / masses.sum()
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    mu, apart = 1.0 / scale, closeness(1, scale)
    return mu * nodes + 0.5 * mu * mu + apart.total, weights / weights.sum()


def _settings(candidates: list[dict[str, Json]], guarantee: Guarantee) -> Iterator[Check]:
    """The recheck of every setting at what its own certificate stated."""
    for number, each in enumerate(candidates):
        stated = guarantee_from_dict(_record(each["guarantee"]))
        checks = recheck(str(each["mechanism"]), _record(each["parameters"]), _record(each["problem"]), stated, 1)
        failed = [f"{check.name}: {check.detail}" for check in checks if not check.ok]
        same = stated.neighbours is guarantee.neighbours
        yield Check(f"setting {number}", same and not failed, "; ".join(failed) or f"{each['mechanism']}, rechecked")


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
    move = finite(parameters["rate"]) * finite(parameters["sensitivity"])
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


def _curve(candidate: dict[str, Json], farthest: float) -> Curve:
    """Of one setting, recomputed from its record where its two stages are known, and what is stated of it otherwise; for epsilons from 0 on."""
    stated = guarantee_from_dict(_record(candidate["guarantee"]))
    maker = _STAGES.get(str(candidate["mechanism"]))
    problem = _record(candidate["problem"])
    if maker is None or not isinstance(stated, ApproximateDP) or "scheme" in problem:
        return lambda epsilons: np.array([stated.delta(float(epsilon)) for epsilon in epsilons])
    stages = maker(_record(candidate["parameters"]), problem, stated.neighbours)
    # Below the last stage's epsilon: at 0 randomised response at that epsilon on top, and a chord in e^epsilon in between, the curve being convex.
    start = stages.last_epsilon
    at_start = stages.curve(start)
    at_zero = min(1.0, at_start + math.tanh(0.5 * start))
    knots = np.linspace(start, start + max(farthest, 1e-9), _KNOTS)
    logs = np.log(np.maximum([stages.curve(float(knot)) for knot in knots], 1e-300))
    smooth = PchipInterpolator(knots, logs)

    def curve(epsilons: Floats) -> Floats:
        inside = np.exp(smooth(np.clip(epsilons, start, knots[-1])))
        share = np.expm1(np.minimum(epsilons, start)) / math.expm1(start)
        found: Floats = np.where(epsilons >= start, inside, at_zero + share * (at_start - at_zero))
        return found

    return curve


def _candidates(parameters: Mapping[str, Json]) -> list[dict[str, Json]]:
    found = parameters["candidates"]
    if not isinstance(found, list) or not found:
        raise TypeError
    return [_record(each) for each in found]


def _record(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise TypeError
    return value


def _epsilon(computed: float, guarantee: Guarantee, how: str) -> Check:
    stated = guarantee.epsilon if isinstance(guarantee, PureDP | ApproximateDP) else math.nan
    ok = computed > 0 and covers(stated, computed)
    return Check("epsilon", bool(ok), f"stated {stated:.10g}, recomputed {computed:.10g} ({how})")
