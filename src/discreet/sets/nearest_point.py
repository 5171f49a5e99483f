"""The nearest point to the origin in the convex hull of given points: Wolfe's algorithm (1976).

    x = argmin { |x|_2 : x in conv{p_1 .. p_k} },      x is optimal if and only if   gap(x) = |x|_2^2 - min_i <x, p_i> <= 0

A corral, a set of affinely independent points with x in the relative interior of its hull, is enlarged by the point with the smallest <x, p_i>, then
x moves to the point nearest to the origin in the affine hull of the corral; where that leaves the hull, x stops at its boundary and points drop out.
|x| falls with every enlargement, so no corral returns and the method ends.

For any x in the hull, |x - x*|_2^2 <= <x, x - x*> <= gap(x) (<x*, x - x*> >= 0): what is returned has a gap of at most 1e-13 max_i |p_i|^2, hence
lies within 4e-7 max_i |p_i| of the answer for certain. Usually it is far closer: the last corral is right, and its affine problem is solved to
rounding errors.
"""

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure

_GAP = 1e-13
"""Largest gap that is accepted, over the largest squared length."""
_ZERO = 1e-14
"""Weights below this have left the corral."""


def nearest_to_origin(points: Floats) -> Floats:
    """The weights (k,), >= 0 with sum 1, of the point of the hull nearest to the origin; `points` (k, d).

    Raises SolverFailure where the gap cannot be brought down, as with points of very unlike lengths.
    """
    scale = float(np.max(np.abs(points)))
    weights = np.zeros(len(points))
    if scale == 0.0:
        weights[0] = 1.0
        return weights
    points = points / scale
    lengths = np.einsum("ij,ij->i", points, points)
    enough = _GAP * float(lengths.max())
    corral = [int(np.argmin(lengths))]
    shares = np.ones(1)
    best, best_gap = (list(corral), shares), np.inf
    for _ in range(20 * sum(points.shape) + 100):
        nearest = shares @ points[corral]
        scores = points @ nearest
        gap = float(nearest @ nearest - scores.min())
        if gap < best_gap:
            best, best_gap = (list(corral), shares.copy()), gap
        entering = int(np.argmin(scores))
        if gap <= 1e-3 * enough or entering in corral:
            break
        larger, shares = _enlarged(points, corral, shares, entering)
        if sorted(larger) == sorted(corral):  # what entered left at once: rounding errors are all that is left to gain
            break
        corral = larger
    if best_gap > enough:
        raise SolverFailure("the projection onto a convex hull did not reach its gap; rescale the vertices, or leave out those inside the hull.")
    weights[best[0]] = best[1]
    return weights / weights.sum()


def _enlarged(points: Floats, corral: list[int], shares: Floats, entering: int) -> tuple[list[int], Floats]:
    """The next corral and its weights, all positive."""
    corral = [*corral, entering]
    shares = np.append(shares, 0.0)
    while True:
        target = _affine_weights(points[corral])
        if (target > _ZERO).all():
            return corral, target / target.sum()
        leaving = target <= _ZERO
        fractions = np.where(leaving & (shares - target > 0.0), shares / np.where(shares - target > 0.0, shares - target, 1.0), np.inf)
        fraction = min(float(fractions.min()), 1.0)
        shares = shares + fraction * (target - shares)
        kept = shares > _ZERO
        if fraction < 1.0:
            kept[np.argmin(fractions)] = False
        elif kept.all():
            return corral, shares / shares.sum()
        if not kept.any():
            kept[np.argmax(shares)] = True
        corral = [index for index, stays in zip(corral, kept, strict=True) if stays]
        shares = shares[kept] / shares[kept].sum()


def _affine_weights(points: Floats) -> Floats:
    """Weights with sum 1, of any sign, of the point nearest to the origin in the affine hull of `points` (s, d)."""
    edges = points[1:] - points[0]
    steps = np.linalg.lstsq(edges.T, -points[0], rcond=None)[0]
    return np.concatenate([[1.0 - steps.sum()], steps])
