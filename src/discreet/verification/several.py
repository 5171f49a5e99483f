"""What a stranger computes from the certificate of several fits whose curves were composed: their delta again, by other lines.

The curve of one ideal minimiser is the recheck's own (module `learning`, `classes`), at 161 knots and along the lower hull of these and of
their complements below 0. The pair of measures with that convex curve is folded on a grid by one transform, tilted to the stated epsilon. Under
replace-one the lesser of this and of two steps of the add-remove curve counts, split at the best point. One last stage of all integers comes after it
(residual_stage.md, theorem 4). What each fit alone promises, of which the stated delta is the sum, is rechecked as a single one is.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from discreet.accounting import ApproximateDP
from discreet.core.arrays import Floats
from discreet.core.fields import positive
from discreet.core.lazily import lazily
from discreet.core.neighbours import ADD_REMOVE
from discreet.statements.base import COMPOSED
from discreet.verification.base import Check, Stated, covers
from discreet.verification.compositions import two_steps
from discreet.verification.numerics import chords
from discreet.verification.stages import STAGES, LastStage, each

fft = lazily("scipy.fft")
_MOST = 10_000
_KNOTS, _POINTS, _POINTS_OF_MANY = 161, 1500, 400
"""Of one curve; on either side of 0 of its grid, and where more than a thousand fits are composed."""
_MANY = 1000
_LITTLE = 1e-7
"""Of delta, for each fit, below which a loss counts as infinite."""
_STILL, _LOW = 1.0 - 1e-6, 1e-9
"""Of itself, what a curve that falls no more is a quarter further on, at the least, and of what it is at 0, at most: there a tail falls much."""
_FARTHEST, _LARGEST = 300.0, 700.0
_STEEPEST = 80.0
"""Tilts, over the largest loss of one."""
Curve = Callable[[Floats], Floats]


def composed(stated: Stated) -> bool:
    """Whether a certificate says that the curves of its releases were composed."""
    return stated.releases > 1 and COMPOSED in stated.guarantee.theorem.split("; ")


def checks(stated: Stated) -> Iterator[Check]:
    """Whether the stated delta covers that of one fit, or of all of them and of each."""
    stages = STAGES[stated.mechanism]
    if not composed(stated):
        yield from stages(stated).checks(stated)
        return
    yield from together(stated)
    guarantee, epsilon = _approximate(stated), math.fsum(positive(stated.parameters[name]) for name in ("epsilon", "grid_epsilon"))
    each_alone = replace(guarantee, epsilon=epsilon, delta_at_epsilon=guarantee.delta_at_epsilon / stated.releases)
    alone = replace(stated, releases=1, guarantee=each_alone)
    yield from (check._replace(name="one fit") for check in stages(alone).checks(alone))


def together(stated: Stated) -> Iterator[Check]:
    """Whether the stated delta covers that of all fits."""
    guarantee, count = _approximate(stated), stated.releases
    if not 2 <= count <= _MOST or not 0 < guarantee.delta_at_epsilon < 1:
        raise ValueError
    alone = replace(stated, guarantee=replace(guarantee, neighbours=ADD_REMOVE))
    last, delta = _delta(alone, guarantee, focus=guarantee.epsilon * (1.0 if guarantee.neighbours is ADD_REMOVE else 0.5))
    if guarantee.neighbours is not ADD_REMOVE and not covers(guarantee.delta_at_epsilon, delta):
        delta = min(delta, _delta(stated, guarantee, focus=guarantee.epsilon)[1])
    ok = covers(guarantee.delta_at_epsilon, delta)
    said = f"stated {guarantee.delta_at_epsilon:.6g} at epsilon {guarantee.epsilon:.6g}, recomputed {delta:.6g}"
    yield Check("delta", bool(ok), f"{said} ({count} fits, whole curves composed, before one last stage of {last.integers} integers)")


def _approximate(stated: Stated) -> ApproximateDP:
    """The guarantee, which has a delta."""
    if not isinstance(stated.guarantee, ApproximateDP):
        raise TypeError
    return stated.guarantee


def _delta(stated: Stated, guarantee: ApproximateDP, *, focus: float) -> tuple[LastStage, float]:
    """The last stage of all fits, and delta at the stated epsilon; by two steps where `stated` is of a record that comes."""
    epsilon, count, alone = guarantee.epsilon, stated.releases, stated.guarantee.neighbours is guarantee.neighbours
    stages = STAGES[stated.mechanism](stated)
    beyond = _LITTLE * guarantee.delta_at_epsilon / count
    if not alone:  # a step's delta is multiplied by up to e^epsilon
        beyond *= math.exp(-min(epsilon, _LARGEST))
    curve = _several(stages.first[-1].curve, count, focus, beyond)
    one = stages.last
    last = one._replace(mu=one.mu * math.sqrt(count), integers=one.integers * count)
    if alone:
        return last, last.after(curve, epsilon)
    return last, last.after(each(two_steps(curve, min(_FARTHEST, 2.0 * epsilon))), epsilon)


def _several(first: Callable[[float], float], count: int, focus: float, beyond: float) -> Curve:
    """epsilons >= 0 -> delta of so many ideal minimisers, exact about `focus`; losses count as infinite where `first` is less than `beyond`.

    And where it falls no more, which one computed on a grid does when only the infinite losses of that are left, or beyond `_FARTHEST`.
    """
    reach = min(focus / count, _FARTHEST)
    least, low = first(reach), _LOW * first(0.0)
    while least > beyond and reach < _FARTHEST:
        wider = min(1.25 * reach, _FARTHEST)
        before, least = least, first(wider)
        if low >= least >= before * _STILL:
            break
        reach = wider
    knots = reach * np.linspace(0.0, 1.0, _KNOTS) ** 1.4
    known = np.minimum.accumulate(np.minimum([first(knot) for knot in knots.tolist()], 1.0))
    mirrored = -np.expm1(-knots) + np.exp(-knots) * known
    upper = chords(np.append(-knots[:0:-1], knots), np.append(mirrored[:0:-1], known))
    half = _POINTS if count <= _MANY else _POINTS_OF_MANY
    losses, masses, infinite = _folded(upper, reach, half, count, focus)
    above, against = (np.append(np.cumsum(terms[::-1])[::-1], 0.0) for terms in (masses, masses * np.exp(-np.minimum(losses, _LARGEST))))

    def curve(epsilons: Floats) -> Floats:
        at = np.searchsorted(losses, epsilons, side="right")
        found = infinite + np.maximum(above[at] - np.exp(np.minimum(epsilons, _LARGEST)) * against[at], 0.0)
        return np.where(epsilons < 0, 1.0, np.minimum(found, 1.0))

    return curve


def _folded(upper: Curve, reach: float, half: int, count: int, focus: float) -> tuple[Floats, Floats, float]:
    """Losses above 0, their masses, and the infinite mass, of so many pairs whose curve is along chords of this one on the grid.

    Masses of one pair are the bends of its curve over e^epsilon. The transform is of masses tilted so that their sum has its mean near `focus`.
    """
    step = reach / half
    losses = np.clip(step * np.arange(-half, half + 1), -reach, reach)
    curve = np.minimum(upper(losses), 1.0)
    falls = -np.diff(np.append(1.0, curve)) / np.diff(np.append(0.0, np.exp(losses)))
    slopes = np.maximum.accumulate(np.append(np.maximum(falls, 0.0), 0.0)[::-1])[::-1]
    likely = (slopes[:-1] - slopes[1:]) * np.exp(losses)
    tilts = np.linspace(0.0, _STEEPEST, 400) / losses[-1]
    logs = np.log(np.maximum(likely, 1e-300))
    moments = np.array([_log_sum(logs + tilt * losses) for tilt in tilts])
    place = int(np.argmin(count * moments - tilts * focus))
    tilted = np.exp(logs + tilts[place] * losses - moments[place])
    longest = count * half
    length = 1 << math.ceil(math.log2(2 * longest + 1))
    folded = np.maximum(fft.irfft(fft.rfft(tilted, length) ** count, length)[longest + 1 : 2 * longest + 1], 0.0)
    sums = step * np.arange(1, longest + 1, dtype=np.float64)
    masses = folded * np.exp(np.clip(count * moments[place] - tilts[place] * sums, -_LARGEST, _LARGEST))
    return sums, masses, -math.expm1(count * math.log1p(-float(curve[-1])))


def _log_sum(terms: Floats) -> float:
    largest = float(terms.max())
    return largest + math.log(float(np.exp(terms - largest).sum()))
