"""How far a linear map takes a record from zeros, as a stranger computes it: bounds |D^{-1/2} T|^2 cost(d) of mechanisms/release/rows.md.

d is looked for with vectors for single numbers, V (m, width) of lengths |V_j| that the record's bounds allow: V turns towards T T' V until the bound
is as near to tr T' V V' T, which it never is below, as asked. cost(d) is that of its own dual: least over levels l of l R^2 + sum (d_j - l)_+ e_j^2.
"""

import math

import numpy as np

from discreet.core.arrays import Floats

_TURNS, _LOOKED_AT = 4096, 8
_NEAR = 4e-6
_HALVINGS = 60


def farthest(matrix: Floats, entries: Floats, ball: float, target: float) -> float:
    """A bound of |x T_x + y t| over |x_j| <= entries (k,), |x| <= ball, |y| <= target (0 where T (m, width) has no row t)."""
    scale = float(np.abs(matrix).max())
    matrix, ends, best = matrix / scale, [target] * (len(matrix) - len(entries)), math.inf
    vectors, held = matrix, np.ones(len(matrix))
    for turn in range(_TURNS):
        along = matrix @ (matrix.T @ vectors)
        long = np.sqrt(np.square(along).sum(axis=1))
        long = np.maximum(long, 1e-12 * long.max())
        if turn and turn % _LOOKED_AT == 0:
            found = _bound(matrix, long / held, entries, ball, target)
            best = min(best, found)
            if best <= float(np.sum(along * vectors)) * (1.0 + _NEAR):
                break
        held = np.append(_lengths(long[: len(entries)], entries, ball), ends)
        vectors = along / long[:, np.newaxis] * held[:, np.newaxis]
    return scale * math.sqrt(best)


def _lengths(wanted: Floats, entries: Floats, ball: float) -> Floats:
    """Of x along `wanted`, cut to its entries and as long as the ball allows."""
    if np.linalg.norm(entries) <= ball:
        return entries
    low, high = 0.0, float(np.max(entries / wanted))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if np.linalg.norm(np.minimum(middle * wanted, entries)) > ball else (middle, high)
    return np.minimum(low * wanted, entries)


def _bound(matrix: Floats, weights: Floats, entries: Floats, ball: float, target: float) -> float:
    own, levels = weights[: len(entries)], np.append(weights[: len(entries)], 0.0)
    beyond = np.array([np.maximum(own - level, 0.0) @ np.square(entries) for level in levels])
    cost = float((levels * ball**2 + beyond).min()) + float(weights[len(entries) :].sum()) * target**2
    return float(np.linalg.norm(matrix / np.sqrt(weights)[:, np.newaxis], 2)) ** 2 * cost
