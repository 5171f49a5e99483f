"""What a stranger computes of sketches where persons own several rows (sketch.md, theorem 6): the bound again, by other lines.

The calibration has incomplete gamma functions, Y below a chord, and steps towards the best u. Here losses are integrated over the densities of the
norms of normal rows, Y is a maximum over a scan of splits, and u comes from a search.
"""

import math
from collections.abc import Callable

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.normal import ndtr
from discreet.verification.numerics import least_tangent, panels

_REACH = 13.0
_SPLITS = np.geomspace(1e-3, 1.0, 60)


def shared_integral(neighbours: Neighbours, epsilon: float, rows: int, ratio: float) -> float:
    """The divergence at `epsilon` of k = `rows` rows from those without, or with another, person; h = `ratio`."""
    if neighbours is ADD_REMOVE:
        return max(least_tangent(epsilon, _excess_of_one(rows, ratio, more=True)), least_tangent(epsilon, _excess_of_one(rows, ratio, more=False)))
    return least_tangent(epsilon, _excess_of_two(rows, ratio))


def shared_composed(neighbours: Neighbours, epsilon: float, rows: int, ratio: float, mu: float) -> float:
    """The same of the sketch and of mu-GDP answers together, whose loss is added to a mixture of losses and so to each of them."""
    low, high = max(0.0, math.sqrt(rows) - _REACH), math.sqrt(rows) + _REACH
    roots, masses = panels(np.linspace(low, high, 41))
    masses = masses * _density(roots, rows)
    gains, losses = _gain(roots, rows, ratio), _loss(roots, rows, ratio)

    def of(given: Floats, weights: Floats) -> float:
        def excess(tau: float, _: float) -> float:
            away = (tau - given - 0.5 * mu**2) / mu
            return mu * float(weights @ (np.exp(-0.5 * np.square(away)) / math.sqrt(2.0 * math.pi) - away * ndtr(-away)))

        return least_tangent(epsilon, excess)

    if neighbours is ADD_REMOVE:
        return max(of(gains, masses), of(losses, masses))
    return of(np.add.outer(gains, losses).ravel(), np.multiply.outer(masses, masses).ravel())


def _gain(roots: Floats, rows: int, ratio: float) -> Floats:
    """X: the loss of one record more, over the norm of k normal numbers."""
    return 0.5 * (ratio * np.square(roots) - rows * math.log1p(ratio))


def _loss(roots: Floats, rows: int, ratio: float) -> Floats:
    """Y: the largest loss of one person less, over splits."""
    parts = ratio * _SPLITS[:, np.newaxis]
    found: Floats = np.max((rows * np.log1p(parts) - parts / (1.0 + parts) * np.square(roots)) / (2.0 * _SPLITS[:, np.newaxis]), axis=0)
    return found


def _excess_of_one(rows: int, ratio: float, *, more: bool) -> Callable[[float, float], float]:
    def excess(tau: float, _: float) -> float:
        low, high = max(0.0, math.sqrt(rows) - _REACH), math.sqrt(rows) + _REACH
        if more:
            start = math.sqrt(max(0.0, (2.0 * tau + rows * math.log1p(ratio)) / ratio))
            low = min(max(low, start), high)
        roots, masses = panels(np.linspace(low, high, 61))
        losses = _gain(roots, rows, ratio) if more else _loss(roots, rows, ratio)
        return float((masses * _density(roots, rows)) @ np.maximum(losses - tau, 0.0))

    return excess


def _excess_of_two(rows: int, ratio: float) -> Callable[[float, float], float]:
    low, high = max(0.0, math.sqrt(rows) - _REACH), math.sqrt(rows) + _REACH
    outer, weights = panels(np.linspace(low, high, 31))
    weights, lost = weights * _density(outer, rows), _loss(outer, rows, ratio)
    nodes, widths = panels(np.linspace(0.0, 1.0, 7))

    def excess(tau: float, _: float) -> float:
        starts = np.sqrt(np.maximum(0.0, (2.0 * (tau - lost) + rows * math.log1p(ratio)) / ratio))
        starts = np.clip(starts, low, high)[:, np.newaxis]
        roots = starts + (high - starts) * nodes
        gains = np.maximum(_gain(roots, rows, ratio) + lost[:, np.newaxis] - tau, 0.0)
        inner = ((high - starts) * widths * _density(roots, rows) * gains).sum(axis=1)
        return float(weights @ inner)

    return excess


def _density(roots: Floats, rows: int) -> Floats:
    """Of the norm of k normal numbers."""
    logs = (rows - 1.0) * np.log(roots) - 0.5 * np.square(roots) - (0.5 * rows - 1.0) * math.log(2.0) - math.lgamma(0.5 * rows)
    return np.exp(logs)
