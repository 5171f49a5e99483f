"""What a stranger computes from the certificate of a search: every setting's guarantee, then that of the whole, by other roads.

Settings are rechecked by the rechecks of their own mechanisms, which also give the whole curve of each. The score is composed with them by a sum
over its noise, whose law is discrete. The mean number of runs is summed from the probabilities of the law, and the constant C of random stopping is
scanned over probabilities instead of read at three of them.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.special import gammaln, ndtr

from discreet.accounting import ApproximateDP, PureDP, closeness
from discreet.core.arrays import Floats
from discreet.core.fields import finite, positive
from discreet.core.lazily import registered
from discreet.core.neighbours import ADD_REMOVE
from discreet.statements.base import filled, scored_persons
from discreet.verification.base import AGREEMENT, Check, Stated, covers, epsilon_check, part_of, recheck, register_recheck
from discreet.verification.numerics import at_every_epsilon, chords
from discreet.verification.stages import STAGES
from discreet.words.counting import WHOLE

ALGORITHM_4 = "algorithm-4"
"""Name in certificates of the search by parts (exponential.md)."""
_POINTS = 1025
_FALL = 0.125
"""Of the logarithm of delta between knots: chords are above the curve by an eighth of its square, or less."""
_UNSEEN, _FALL_OF_UNSEEN = 1e-4, 0.5
"""The share of a stated delta below which a curve hardly counts, and such a fall there: chords are above that share of delta by a thirtieth of it."""
_HALVINGS = 20
_MOST_KNOTS = 400
_SEEN, _FAR = 5.0, 700.0
"""Deviations of the last stage's loss (and epsilon) beyond which the first stage's curve is taken for what it is there. A curve falls, so that is a
bound; and a normal loss is beyond with probability 2.9e-7, so that it adds at most 6e-7 of delta, twice that: half of them are above 0."""
_NOTHING = 1e-60
_ENUMERATED = 2.0**12
_FARTHEST, _SLICES = 9.0, 6000
"""Of wide noise, in scales, and the slices of its law."""
AGREEMENT_OF_CURVES = 1e-4
"""Relative room for the curves of settings, chords here and chords of a hull there."""
LAPLACE, GAUSSIAN = "discrete-laplace", "discrete-gaussian"
Curve: TypeAlias = Callable[[Floats], Floats]
"""epsilons -> deltas."""
_PROBABILITIES = 2001


@register_recheck("exponential-mechanism")
def _exponential(stated: Stated) -> Iterator[Check]:
    yield epsilon_check(stated, _selection_epsilon(stated), "largest log ratio of two softmax laws", most=math.inf)


@register_recheck(ALGORITHM_4)
def _algorithm_4(stated: Stated) -> Iterator[Check]:
    settings = _settings(stated)
    yield from _searched(stated, settings)
    parts = [setting.guarantee for setting in settings]
    epsilons = [part.epsilon for part in parts if isinstance(part, PureDP | ApproximateDP)]
    if len(epsilons) < len(parts) or stated.releases != 1:
        yield Check("epsilon", False, "pure or (epsilon, delta) guarantees of the parts and one release were expected")
        return
    delta = max((part.delta_at_epsilon for part in parts if isinstance(part, ApproximateDP)), default=0.0)
    total = max(*epsilons, _selection_epsilon(stated))
    yield epsilon_check(stated, total, "the largest of the parts, and the choice on the last one", most=math.inf, approximate=True)
    covered = stated.guarantee.delta(total * (1.0 + AGREEMENT)) >= delta * (1.0 - AGREEMENT)
    yield Check("delta", covered, f"recomputed {delta:.6g}, the largest of the parts")


@register_recheck("random-stopping")
def _random_stopping(stated: Stated) -> Iterator[Check]:
    settings, guarantee = _settings(stated), stated.guarantee
    yield from _searched(stated, settings)
    law, scale = str(stated.parameters["score_noise"]), positive(stated.parameters["score_scale"])
    persons, fine = scored_persons(stated.problem), "scored" in stated.parameters
    eta, gamma = finite(stated.parameters["eta"]), finite(stated.parameters["gamma"])
    mean = _mean_of_runs(eta, gamma)
    if stated.releases != 1 or law not in (LAPLACE, GAUSSIAN):
        yield Check("releases", False, "one release was expected, and a score with discrete Laplace or discrete Gaussian noise")
    elif isinstance(guarantee, PureDP):
        parts = [setting.guarantee for setting in settings]
        worst = max(part.epsilon if isinstance(part, PureDP) and law == LAPLACE else math.inf for part in parts) + 1.0 / scale
        total = worst + _scanned_tilt(eta, gamma, np.array([worst]), np.array([0.0]))
        yield epsilon_check(stated, total, "one run, and C scanned over probabilities", most=math.inf)
    elif isinstance(guarantee, ApproximateDP):
        # Where C is read, and what is left of epsilon after it.
        one_run = _with_score(
            [curve_of_setting(setting, guarantee.epsilon) for setting in settings], _score_losses(law, scale, rows=persons.rows, fine=fine)
        )
        points = np.linspace(0.0, guarantee.epsilon, _POINTS)
        tilt = _scanned_tilt(eta, gamma, points, one_run(points))
        delta = mean * float(one_run(np.array([guarantee.epsilon - tilt]))[0]) if guarantee.epsilon >= tilt else 1.0
        ok = covers(guarantee.delta_at_epsilon, delta, room=AGREEMENT_OF_CURVES)
        said = f"stated {guarantee.delta_at_epsilon:.6g} at epsilon {guarantee.epsilon:.6g}"
        yield Check("delta", bool(ok), f"{said}, recomputed {delta:.6g} ({mean:.6g} runs expected, ln C = {tilt:.6g} scanned over probabilities)")
    else:
        yield Check("delta", False, "a pure or an (epsilon, delta) guarantee was expected")


def _settings(stated: Stated) -> list[Stated]:
    """What the certificate of a fit of every setting states."""
    return [part_of(stated, each) for each in filled(stated.parameters["candidates"])]


def _searched(stated: Stated, settings: list[Stated]) -> Iterator[Check]:
    """Whether a setting of the list was chosen, and the recheck of every one at what its own certificate stated."""
    chosen = stated.parameters["chosen"]
    known = isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < len(settings)
    same = known and settings[int(chosen)].problem == dict(stated.problem)  # type: ignore[arg-type]
    yield Check("chosen setting", same, f"number {chosen} of {len(settings)}, whose problem is the one that is stated")
    for number, setting in enumerate(settings):
        failed = [f"{check.name}: {check.detail}" for check in recheck(setting) if not check.ok]
        related = setting.guarantee.neighbours is stated.guarantee.neighbours
        yield Check(f"setting {number}", related and not failed, "; ".join(failed) or f"{setting.mechanism}, rechecked")


def _with_score(settings: list[Curve], score: tuple[Floats, Floats]) -> Curve:
    """The curve of one run, whose setting a public die picks, with its noisy score: the mean of the settings' curves, over the loss of the score."""
    of_setting = at_every_epsilon(lambda epsilons: np.asarray(np.mean([curve(epsilons) for curve in settings], axis=0)))
    losses, masses = score

    def one_run(epsilons: Floats) -> Floats:
        return np.array([float(masses @ of_setting(epsilon - losses)) for epsilon in epsilons]) + max(0.0, 1.0 - float(masses.sum()))

    return one_run


def _score_losses(law: str, scale: float, *, rows: int, fine: bool) -> tuple[Floats, Floats]:
    """Privacy losses of a count that moves by one, and their probabilities; of wide Gaussian noise by quadrature, the lemma's price included.

    The noise of persons with several rows, and of `fine` scores, is drawn in so many parts of a record that it is wide.
    """
    if law == LAPLACE:
        return np.array([1.0, -1.0]) / scale, np.array([1.0, math.exp(-1.0 / scale)]) / (1.0 + math.exp(-1.0 / scale))
    in_parts = fine or rows > 1
    if not in_parts and scale <= _ENUMERATED:
        k = np.arange(-math.ceil(9.0 * scale) - 2, math.ceil(9.0 * scale) + 3, dtype=np.float64)
        masses = np.exp(-0.5 * np.square(k / scale))
        return (0.5 - k) / scale**2, masses / masses.sum()
    mu, apart = 1.0 / scale, closeness(rows, scale * WHOLE if in_parts else scale)
    ends = np.linspace(-_FARTHEST, _FARTHEST, _SLICES + 1)
    return 0.5 * mu * (ends[1:] + ends[:-1]) + 0.5 * mu * mu + apart.total, np.diff(ndtr(ends))


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


def _selection_epsilon(stated: Stated) -> float:
    """The largest log ratio of softmax laws on two candidates whose scores move against each other, or together if they are monotone."""
    move = finite(stated.parameters["rate"]) * finite(stated.parameters["sensitivity"])
    if stated.parameters["monotone"] is True:
        if stated.guarantee.neighbours is not ADD_REMOVE:
            raise ValueError
        return move
    gaps = np.linspace(-60.0, 60.0, 4001)
    return float(np.max(np.logaddexp(0.0, gaps + 2.0 * move) - np.logaddexp(0.0, gaps)))


def curve_of_setting(setting: Stated, farthest: float) -> Curve:
    """Of one setting, recomputed from its record where its two stages are known, and what is stated of it otherwise; for epsilons from 0 on."""
    if setting.mechanism in CURVES and isinstance(setting.guarantee, ApproximateDP):
        return _known(CURVES[setting.mechanism](setting, farthest), farthest)
    maker = registered(STAGES, setting.mechanism, "discreet.verification") if isinstance(setting.guarantee, ApproximateDP) else None
    if maker is None:
        if isinstance(setting.guarantee, PureDP | ApproximateDP):
            return setting.guarantee.deltas
        return lambda epsilons: np.array([setting.guarantee.delta(float(epsilon)) for epsilon in epsilons])
    stages = maker(setting)
    # Below the last stage's epsilon: at 0 randomised response at that epsilon on top.
    start, width = stages.last.epsilon, max(farthest, 1e-9)
    # Along chords of the first stage's curve, which is asked for at many places around every knot.
    stated = setting.guarantee.delta_at_epsilon if isinstance(setting.guarantee, ApproximateDP) else 0.0
    of_first = chords(*_knots_of(stages.first[-1].curve, 0.0, width + start + min(_SEEN * stages.last.mu, _FAR), seen=stated))
    of_both = partial(stages.total, of_first)
    at_zero = min(1.0, of_both(start) + math.tanh(0.5 * start))
    knots, deltas = _knots_of(of_both, start, width, seen=stated)
    return chords(np.append(0.0, knots), np.append(at_zero, deltas))


CURVES: dict[str, Callable[[Stated, float], Curve]] = {}
"""(what is stated, farthest epsilon) -> the curve, of what is composed of a fit and something more; kept by the modules that recheck them."""


def _known(curve: Curve, farthest: float) -> Curve:
    """On chords between knots, from 0 on."""
    return chords(*_knots_of(lambda epsilon: float(curve(np.array([epsilon]))[0]), 0.0, max(farthest, 1e-9)))


def _knots_of(curve: Callable[[float], float], start: float, width: float, *, seen: float = 0.0) -> tuple[Floats, Floats]:
    """Points of the curve from `start` on, over this width: as many as it takes for it to fall by little from one to the next, wherever it falls.

    Far below `seen`, the delta that matters, a chord may be above the curve by a greater share of it.
    """
    known = {knot: curve(knot) for knot in [start, *(start + width * 0.5 ** np.arange(_HALVINGS, -1.0, -1.0)).tolist()]}
    while True:
        knots = np.array(sorted(known))
        deltas = np.minimum(np.array([known[knot] for knot in knots.tolist()]), 1.0)
        falls = -np.diff(np.log(np.maximum(deltas, max(_NOTHING, _UNSEEN**2 * seen))))
        steep = (falls > np.where(deltas[:-1] > _UNSEEN * seen, _FALL, _FALL_OF_UNSEEN)) & (np.diff(knots) > 1e-12 * knots[1:])
        if not steep.any() or len(knots) > _MOST_KNOTS:
            return knots, deltas
        known |= {middle: curve(middle) for middle in (0.5 * (knots[1:] + knots[:-1]))[steep].tolist()}
