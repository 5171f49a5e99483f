"""How far one record moves sums of powers of an error and of a target, and summaries, searched over a grid of records, not derived.

Records are pairs (x, t), x in [0, 1] and t in [-1, 1], and what they add is written down term by term. The farthest pair of a coarse grid of all
pairs of targets is looked for again on finer and finer grids around it, and so is the farthest pair of errors, which moves other terms.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours

Curve: TypeAlias = Callable[[Floats], Floats]
_POINTS, _FINER = 201, 8
_TERMS: dict[str, Curve] = {"absolute": lambda x: x, "square": lambda x: x**2, "fourth": lambda x: 0.5 * x**4}


def farthest_moments(errors: Sequence[str], neighbours: Neighbours, *, targets: bool, counted: bool) -> tuple[float, float]:
    """The l2 and the l1 norm of the farthest move, in records. Raises KeyError for a power that is not known."""
    of_errors = _curve([_TERMS[name] for name in errors])
    of_targets = _curve([lambda t: 0.5 * t, lambda t: t**2, lambda t: 0.25 * t**3, lambda t: 0.5 * t**4] if targets else [])
    counts = 0.5 if counted else 0.0
    found = []
    for norm in (2, 1):
        # Against a record that adds nothing: all there is, where records come and go, or persons whose rows weigh less than a record.
        one = [counts, *(_farthest(curve, low, norm, alone=True) for curve, low in ((of_errors, 0.0), (of_targets, -1.0)))]
        two = [_farthest(curve, low, norm, alone=False) for curve, low in ((of_errors, 0.0), (of_targets, -1.0))]
        reached = [float(np.linalg.norm(parts, norm)) for parts in ([one] if neighbours is ADD_REMOVE else [one, two])]
        found.append(max(reached))
    return found[0], found[1]


def farthest_summary(weights: Sequence[float], numbers: Sequence[tuple[float, float]], neighbours: Neighbours, *, groups: int) -> tuple[float, float]:
    """The l2 and the l1 norm of the farthest move of tables, counted with these weights, and of numbers and their squares, with theirs."""
    found = []
    for norm in (2, 1):
        # A record that comes or goes moves one cell at each level of each table; one that is replaced another one, too.
        parts = list(weights) if neighbours is ADD_REMOVE else [*weights, *weights]
        for first, second in numbers:
            curve = _number(first, second)
            alone = _farthest(curve, -1.0, norm, alone=True)
            if neighbours is ADD_REMOVE:
                parts.append(alone)
                continue
            elsewhere = [alone, alone] if groups > 1 else [alone]
            here = _farthest(curve, -1.0, norm, alone=False) + (3.0 if norm == 1 else math.sqrt(5.0))  # of what is rounded
            parts.append(max(here, float(np.linalg.norm(elsewhere, norm))))
        found.append(float(np.linalg.norm(parts, norm)))
    return found[0], found[1]


def _number(first: float, second: float) -> Curve:
    return _curve([lambda t: first * t, lambda t: second * t**2])


def _curve(terms: Sequence[Curve]) -> Curve:
    def curve(points: Floats) -> Floats:
        return np.stack([term(points) for term in terms]) if terms else np.zeros((1, len(points)))

    return curve


def _farthest(curve: Curve, low: float, norm: int, *, alone: bool) -> float:
    """The longest difference of two points of the curve over [low, 1], or the longest point."""
    first = second = np.linspace(low, 1.0, _POINTS)
    width, best = 1.0 - low, 0.0
    for _ in range(_FINER):
        here, there = curve(first), curve(second)
        apart = here[:, :, np.newaxis] - (0.0 if alone else there[:, np.newaxis, :])
        lengths = np.linalg.norm(apart, norm, axis=0)
        place = np.unravel_index(int(np.argmax(lengths)), lengths.shape)
        best = max(best, float(lengths[place]))
        width *= 4.0 / (_POINTS - 1)
        middles = first[place[0]], second[0 if alone else place[1]]
        first, second = (np.clip(np.linspace(middle - width, middle + width, _POINTS), low, 1.0) for middle in middles)
    return best
