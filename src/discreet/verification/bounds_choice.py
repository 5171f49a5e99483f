"""What a stranger computes from the certificate of chosen bounds: its guarantee again, by another road.

The number of choices is counted from what one record can do: the largest number of scores lists that it moves, over a record at each place of the
grid. The Renyi divergence of a choice is the largest over a scan of two-point laws, instead of a closed form; pure epsilons add up.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np
from scipy.special import logsumexp

from discreet.accounting import Guarantee, Json, PureDP
from discreet.core.arrays import Floats
from discreet.core.fields import finite, positive
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.verification.parts import CLOSE, covers, delta_check, same_relation
from discreet.verification.registry import Check, register_recheck

_AGREEMENT = 1e-9
_AGREEMENT_OF_SCANS = 1e-5
"""Relative room for two scans over orders and laws."""
_ORDERS = 1.0 + np.geomspace(0.01, 1e4, 1200)


@register_recheck("bounds-choice")
def _bounds_choice(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    count, width = _count(problem, guarantee.neighbours), positive(parameters["rate"])
    if isinstance(guarantee, PureDP):
        total = releases * count * width
        ok = releases >= 1 and parameters["epsilon"] is None and covers(guarantee.epsilon, total, most=CLOSE)
        yield Check("epsilon", bool(ok), f"stated {guarantee.epsilon:.10g}, recomputed {total:.10g} ({count} choices of range {width:.6g})")
        return
    epsilon = positive(parameters["epsilon"])
    computed = 0.0 if count * width <= epsilon * (1.0 + _AGREEMENT) else _delta(width, count, epsilon)
    how = f"{count} choices of range {width:.6g}, Renyi divergences scanned over two-point laws"
    yield delta_check(epsilon, computed, guarantee, releases, how, room=_AGREEMENT_OF_SCANS)


def _count(problem: Mapping[str, Json], neighbours: Neighbours) -> int:
    """Over all columns, the most lists of scores that one record (or the two contents of a replaced one) moves."""
    columns = problem["columns"]
    if not isinstance(columns, list) or not columns:
        raise TypeError
    return sum(_moved(column, neighbours) for column in columns)


def _moved(column: Json, neighbours: Neighbours) -> int:
    if not isinstance(column, dict):
        raise TypeError
    lower, upper = (_numbers(column[side]) for side in ("lower", "upper"))
    if not (np.all(np.diff(lower) < 0) and np.all(np.diff(upper) > 0) and lower[0] <= upper[0]):
        raise ValueError
    places = np.concatenate((lower, upper, [-np.inf, np.inf]))
    moves = [(bool(np.any(place < lower)) and len(lower) > 1, bool(np.any(place > upper)) and len(upper) > 1) for place in places]
    if neighbours is ADD_REMOVE:
        return max(1, *(below + above for below, above in moves))
    return max(below or other_below for below, _ in moves for other_below, _ in moves) + max(above for _, above in moves)


def _numbers(values: Json) -> Floats:
    if not isinstance(values, list) or not values:
        raise TypeError
    return np.array([finite(value) for value in values])


def _delta(width: float, count: int, epsilon: float) -> float:
    """From Renyi divergences to delta (Canonne, Kamath, Steinke 2020, proposition 12), the least over orders.

    A choice of this range takes, at worst, the log ratios t and t - width only, with the probabilities that make both laws sum to one.
    """
    high = np.linspace(0.0, width, 2002)[1:-1]
    log_share = np.log(-np.expm1(high - width)) - math.log(-math.expm1(-width))
    log_rest = np.log(-np.expm1(-high)) + high - width - math.log(-math.expm1(-width))
    best = math.inf
    for order in _ORDERS.tolist():
        excess = order - 1.0
        moments: Floats = logsumexp(np.stack((log_share + excess * high, log_rest + excess * (high - width))), axis=0)
        divergence = count * float(np.max(moments)) / excess
        best = min(best, excess * (divergence - epsilon) + excess * math.log(excess) - order * math.log(order))
    return min(1.0, math.exp(best))
