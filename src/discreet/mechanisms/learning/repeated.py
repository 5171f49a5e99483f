"""Several fits of one model, each with noise of its own, as one release (theorem 4 of residual_stage.md).

    delta(epsilon) <= [the curve of all ideal minimisers together, before one last stage of count d integers that move by sqrt(count) as much]

The first curve is the composition of theorem T1's (or M1's, O1's) whole curves, of which no more is taken near 0 than a symmetric relation can
have; under replace-one, at each epsilon, the lesser of that and of two steps of the composed add-remove curve. What is stated is the least epsilon
that this gives for the sum of the deltas: never more than the sum of the epsilons, and for many fits about their square root's multiple.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from discreet.accounting import ApproximateDP, Guarantee, Profile, both_ways, gaussian_epsilon, gaussian_mu, n_fold, to_replace_one
from discreet.accounting.profile import hull
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.statements.base import COMPOSED

_KNOTS = 129
_SMALL, _LIKELY = 1e-5, 0.5
"""Of delta, which the curve of one fit falls to; and a delta above which sums are stated."""
_REACH, _WIDER, _LARGEST = 12.0, 1.3, 600.0
"""Deviations of a loss, what they may be more than is reckoned, and losses beyond which exponentials are no numbers: sums are stated there."""
_MOST = 10_000
"""Fits whose curves are composed."""
_HALVINGS = 44
_ROOM = 1.0 + 3e-4
"""What is stated leaves so much of epsilon to a recheck, whose grid is another."""

Curve = Callable[[Floats], Floats]


def together(
    each: ApproximateDP,
    count: int,
    ideal: Callable[[Neighbours], Curve],
    after: Callable[[Curve, float], float],
) -> Guarantee:
    """What `count` fits promise together, of which one promises `each`.

    `ideal(relation)` is the curve of one ideal minimiser under a relation; `after(curve, epsilon)` the delta of all fits where all ideal minimisers
    together have this curve. Sums where that is not less, or where no composition is made: above 10,000 fits, or losses beyond 600.
    """
    sums = n_fold(each, count)
    if count < 2 or not isinstance(sums, ApproximateDP) or count > _MOST or not 0 < each.delta_at_epsilon < _LIKELY:
        return sums
    mu = gaussian_mu(each.epsilon, each.delta_at_epsilon)
    farthest = gaussian_epsilon(mu, _SMALL * each.delta_at_epsilon, most=mu * (0.5 * mu + _REACH))
    first = _composed(each, count, ideal, max(farthest, 1.5 * each.epsilon))
    if first is None:
        return sums
    low, high = 0.0, sums.epsilon
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if after(first, middle) <= sums.delta_at_epsilon else (middle, high)
    if high * _ROOM >= sums.epsilon:
        return sums
    return replace(sums, epsilon=high * _ROOM, theorem=f"{each.theorem}; {COMPOSED}")


def _composed(each: ApproximateDP, count: int, ideal: Callable[[Neighbours], Curve], farthest: float) -> Curve | None:
    """The curve of all ideal minimisers together; None where their losses are too large for one."""
    curves = []
    for relation in dict.fromkeys((ADD_REMOVE, each.neighbours)):
        one = _profile(ideal(relation), relation, farthest)
        spread = _WIDER * math.sqrt(count) * _deviation(one.deltas_at[0])
        if min(count * farthest, spread * (0.5 * spread + _REACH)) > _LARGEST:
            continue
        all_of_them = n_fold(one, count, planned=True)
        curves.append(all_of_them if relation is each.neighbours else to_replace_one(all_of_them))
    found = [curve.deltas for curve in curves if isinstance(curve, Profile)]
    return (lambda epsilons: np.minimum.reduce([curve(epsilons) for curve in found])) if found else None


def _deviation(variation: float) -> float:
    """mu of the Gaussian mechanism with this total variation; that of a loss is about as large."""
    return 2.0 * float(ndtri(0.5 + 0.5 * variation)) if variation < 1 else math.inf


def _profile(curve: Curve, neighbours: Neighbours, farthest: float) -> Profile:
    knots = farthest * np.linspace(0.0, 1.0, _KNOTS) ** 1.3
    deltas = np.minimum.accumulate(np.clip(curve(knots), 0.0, 1.0))
    epsilons, bounded = hull(knots, both_ways(knots, deltas))  # what is composed is convex, or raised to where it is
    return Profile(epsilons=epsilons, deltas_at=bounded, neighbours=neighbours, theorem="")
