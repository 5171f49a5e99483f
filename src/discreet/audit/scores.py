"""Numbers that tell two output laws apart, learnt from samples: where the threshold events of a statistical audit come from.

    coordinates      each number of the output, and its negative
    LDA              <Sigma^-1 (mean_1 - mean_2), phi(z)>,  z the outputs in robust units (median 0, quartiles about +-0.67), phi(z) = z
    quadratic        the log likelihood ratio of two normal laws with the means and covariances of the samples
    logistic         a fitted log odds ratio, linear in z, |z|^2 and squares (and products, where there are few numbers)
    histogram        log ratio of the shares in bins of equal mass, of a coordinate or of the scores above; in two dimensions in cells
    tree             the same in cells that are cut where they tell most

The best event between two laws is a threshold on their likelihood ratio (Neyman, Pearson 1933), and each of these is an estimate of it, or a function
of one number. A bad score costs power and never soundness: what is tested with it are samples that it has not seen.

The tree is for output laws that differ in a small region of several numbers at once, where no projection shows it. Cells are split, one after the
other, where the information about the table grows most (Breiman, Friedman, Olshen, Stone 1984), along single outputs and along sums and differences
of two: weights share a unit, and what matters in a linear model is often a margin, a sum of them. The score of a cell is its smoothed log ratio of
shares.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from discreet.core.arrays import Floats

Score: TypeAlias = Callable[[Floats], Floats]
"""From outputs (n, k) to numbers (n,), large where the first table is likelier."""

_MOST_COORDINATES = 12
_MOST_PAIRED = 8
_BINS = 24
_CELLS = 9
_STEPS = 30
_RIDGE = 1e-3
_LEAVES, _LEAST, _CUTS = 24, 20, 64
"""Of a tree: cells, outputs in the smallest, and places at which one is cut."""


class Named(NamedTuple):
    """A score and its name in reports."""

    name: str
    score: Score


def learnt(first: Floats, second: Floats) -> Iterator[Named]:
    """Scores learnt from outputs (m, k) on the first table and on the second; the negative of each says the opposite."""
    units = _units(np.concatenate((first, second)))
    near, far = units(first), units(second)
    columns = near.shape[1]
    base: list[Named] = []
    if columns == 1:
        base.append(Named("output", lambda z: z[:, 0]))
    else:
        base += [Named(f"output {index + 1}", _coordinate(index)) for index in range(min(columns, _MOST_COORDINATES))]
        base.append(Named("linear discriminant", _after(units, _linear(near, far))))
        if len(near) > 3 * columns:
            base.append(Named("quadratic discriminant", _after(units, _quadratic(near, far))))
    expand = _expansion(columns)
    logistic = _logistic(expand(near), expand(far))
    base.append(Named("logistic score", lambda z: logistic(expand(units(z)))))
    for named in base:
        yield named
        yield Named(f"histogram of the {named.name}", _histogram(named.score, first, second))
    if columns > 1:
        yield Named("tree of cells", _tree(first, second))
    if columns == 2:
        yield Named("histogram of both outputs", _cells(first, second))


def _units(pooled: Floats) -> Score:
    """Outputs in robust units, far ones drawn near by asinh, so that heavy tails have no leverage."""
    centre = np.median(pooled, axis=0)
    low, high = np.quantile(pooled, [0.25, 0.75], axis=0)
    spread = (high - low) / 1.35
    spread = np.where(spread > 0, spread, np.std(pooled, axis=0))
    spread = np.where(spread > 0, spread, 1.0)

    def units(z: Floats) -> Floats:
        near = (z - centre) / spread
        return np.asarray(np.where(np.abs(near) < 3.0, near, np.sign(near) * (3.0 + np.arcsinh(np.abs(near) - 3.0))))

    return units


def _coordinate(index: int) -> Score:
    return lambda z: z[:, index]


def _after(units: Score, score: Score) -> Score:
    return lambda z: score(units(z))


def _linear(near: Floats, far: Floats) -> Score:
    columns = near.shape[1]
    joint = 0.5 * (np.cov(near, rowvar=False) + np.cov(far, rowvar=False)).reshape(columns, columns)
    # A tiny ridge: where outputs share noise, the direction without noise is the one that gives the record away.
    direction = np.linalg.lstsq(joint + 1e-10 * np.trace(joint) / columns * np.eye(columns), near.mean(axis=0) - far.mean(axis=0), rcond=None)[0]
    return lambda z: z @ direction


def _quadratic(near: Floats, far: Floats) -> Score:
    """Difference of squared Mahalanobis distances. Directions with next to no variance on one table, of equal columns say, count most."""
    (centre, inverse), (other, other_inverse) = (_whitener(side) for side in (near, far))
    return lambda z: np.sum(np.square((z - other) @ other_inverse), axis=1) - np.sum(np.square((z - centre) @ inverse), axis=1)


def _whitener(side: Floats) -> tuple[Floats, Floats]:
    """Mean, and a matrix after which the covariance is the identity."""
    values, vectors = np.linalg.eigh(np.cov(side, rowvar=False))
    return side.mean(axis=0), vectors / np.sqrt(np.maximum(values, 1e-10 * max(float(values.max()), 1e-300)))


def _expansion(columns: int) -> Score:
    """1, z, squares, and products where they are few."""
    pairs = _pairs(columns)
    return lambda z: np.column_stack((np.ones(len(z)), z, np.square(z), *(z[:, i] * z[:, j] for i, j in pairs)))


def _directions(columns: int) -> Score:
    """Outputs, and sums and differences of two where they are few."""
    pairs = _pairs(columns)
    return lambda z: np.column_stack((z, *(z[:, i] + z[:, j] for i, j in pairs), *(z[:, i] - z[:, j] for i, j in pairs)))


def _pairs(columns: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(columns) for j in range(i)] if columns <= _MOST_PAIRED else []


def _logistic(near: Floats, far: Floats) -> Score:
    """Newton's method on the regularised log loss; what it has after a few steps is a score, converged or not."""
    rows = np.concatenate((near, far))
    signs = np.concatenate((np.ones(len(near)), -np.ones(len(far))))
    weights = np.zeros(rows.shape[1])
    ridge = _RIDGE * len(rows)
    for _ in range(_STEPS):
        chance = 0.5 * (1.0 - np.tanh(0.5 * np.clip(signs * (rows @ weights), -60.0, 60.0)))
        gradient = -rows.T @ (signs * chance) + ridge * weights
        hessian = (rows * (chance * (1.0 - chance))[:, np.newaxis]).T @ rows + ridge * np.eye(len(weights))
        step = np.linalg.solve(hessian, gradient)
        weights = weights - step / max(1.0, float(np.linalg.norm(step)) / 4.0)
        if np.linalg.norm(step) < 1e-6:
            break
    return lambda z: z @ weights


def _histogram(score: Score, first: Floats, second: Floats) -> Score:
    a, b = score(first), score(second)
    edges = np.unique(np.quantile(np.concatenate((a, b)), np.linspace(0.0, 1.0, _BINS + 1)[1:-1]))
    ratios = _ratios(np.searchsorted(edges, a, side="right"), np.searchsorted(edges, b, side="right"), len(edges) + 1)
    return lambda z: ratios[np.searchsorted(edges, score(z), side="right")]


def _cells(first: Floats, second: Floats) -> Score:
    pooled = np.concatenate((first, second))
    edges = [np.unique(np.quantile(pooled[:, axis], np.linspace(0.0, 1.0, _CELLS + 1)[1:-1])) for axis in (0, 1)]
    across = len(edges[1]) + 1

    def place(z: Floats) -> np.ndarray:
        return np.searchsorted(edges[0], z[:, 0], side="right") * across + np.searchsorted(edges[1], z[:, 1], side="right")

    ratios = _ratios(place(first), place(second), (len(edges[0]) + 1) * across)
    return lambda z: ratios[place(z)]


def _ratios(first: np.ndarray, second: np.ndarray, cells: int) -> Floats:
    """Log ratio of smoothed shares, (cells,), and a little of the count so that cells are told apart."""
    near, far = (np.bincount(places, minlength=cells) + 0.5 for places in (first, second))
    return np.asarray(np.log(near / (len(first) + 0.5 * cells)) - np.log(far / (len(second) + 0.5 * cells)))


class _Split(NamedTuple):
    gain: float
    column: int
    cut: float


def _tree(first: Floats, second: Floats) -> Score:
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
