"""A tree of cells as a score: for output laws that differ in a small region of several numbers at once, where no projection shows it.

Cells are split, one after the other, where the information about the table grows most (Breiman, Friedman, Olshen, Stone 1984), along single outputs
and along sums and differences of two: weights share a unit, and what matters in a linear model is often a margin, a sum of them. The score of a
cell is its smoothed log ratio of shares.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats

_LEAVES = 24
_LEAST = 20
_CUTS = 64
_MOST_COLUMNS = 8


class _Split(NamedTuple):
    gain: float
    column: int
    cut: float


def tree_score(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """The score learnt from outputs (m, k) on either table, large where the first is likelier."""
    expand = _directions(first.shape[1])
    rows = expand(np.concatenate((first, second)))
    near = np.arange(len(rows)) < len(first)
    members = {0: np.ones(len(rows), dtype=bool)}
    found = {0: _best(rows, near)}
    splits: list[tuple[int, int, float]] = []
    while len(members) < _LEAVES:
        leaf = max(found, key=lambda name: found[name].gain)
        gain, column, cut = found[leaf]
        if gain <= 0:
            break
        right = members[leaf] & (rows[:, column] >= cut)
        members[leaf] = members[leaf] & ~right
        members[len(members)] = right
        splits.append((leaf, column, cut))
        for name in (leaf, len(members) - 1):
            found[name] = _best(rows[members[name]], near[members[name]])
    ratios = np.array([np.log((near[inside].sum() + 0.5) / ((~near)[inside].sum() + 0.5)) for inside in members.values()])

    def score(z: Floats) -> Floats:
        places, leaves = expand(z), np.zeros(len(z), dtype=np.intp)
        for index, (leaf, column, cut) in enumerate(splits):
            leaves[(leaves == leaf) & (places[:, column] >= cut)] = index + 1
        return np.asarray(ratios[leaves])

    return score


def _directions(columns: int) -> Callable[[Floats], Floats]:
    """Outputs, and sums and differences of two where they are few."""
    pairs = [(i, j) for i in range(columns) for j in range(i)] if columns <= _MOST_COLUMNS else []

    def expand(z: Floats) -> Floats:
        return np.column_stack((z, *(z[:, i] + z[:, j] for i, j in pairs), *(z[:, i] - z[:, j] for i, j in pairs)))

    return expand


def _best(rows: Floats, near: np.ndarray) -> _Split:
    """The split of one cell that tells most about the table, among quantiles of every column."""
    best, total, hits = _Split(0.0, 0, 0.0), len(rows), int(near.sum())
    if total < 2 * _LEAST:
        return best
    whole = _information(np.array([float(hits)]), np.array([float(total)]))[0]
    for column in range(rows.shape[1]):
        order = np.argsort(rows[:, column], kind="stable")
        values, before = rows[order, column], np.concatenate(([0], np.cumsum(near[order])))
        places = np.unique(np.searchsorted(values, values[np.linspace(_LEAST, total - _LEAST, _CUTS).astype(int)]))
        places = places[(places >= _LEAST) & (places <= total - _LEAST)]
        if len(places):
            left = _information(before[places].astype(float), places.astype(float))
            right = _information((hits - before[places]).astype(float), (total - places).astype(float))
            gains = whole - left - right
            at = int(np.argmax(gains))
            if gains[at] > best.gain:
                best = _Split(float(gains[at]), column, float(values[places[at]]))
    return best


def _information(hits: Floats, total: Floats) -> Floats:
    """Log loss of the share of hits in a cell, times its size."""
    share = np.clip(hits / total, 1e-12, 1.0 - 1e-12)
    return np.asarray(-total * (share * np.log(share) + (1.0 - share) * np.log1p(-share)))
