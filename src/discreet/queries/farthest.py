"""How far a linear map takes a record from zeros:  max |z T|  over  |z_j| <= e_j,  |x| <= R,  where z is x, or x and a target.

For any d_j > 0 (Cauchy and Schwarz, of z D^{1/2} and D^{-1/2} T)

    |z T|^2 <= |D^{-1/2} T|_2^2 cost(d),      cost(d) = max of sum d_j z_j^2 over these z: the largest d_j first, while the ball has room

so d may come from anywhere. The least bound over d is the dual of  max tr T' Z T  over Z >= 0 with Z_jj <= e_j^2, sum over x of Z_jj <= R^2, and
equal to it. For a ball, and a target, that is the maximum itself: two constraints have a solution of rank one (Pataki 1998). For a box it is at most
sqrt(pi / 2) times the maximum (Nesterov 1998), which nobody computes for long records: a largest cut of a graph is one.

The d come from a walk on Z = V V', W = T' V V' T. With n_j = (T_j W T_j')^{1/2}, the length of row j of T T' V, and s the z that has the largest
<n, z>, the next V has rows of these directions and of lengths s_j, so that tr T' Z T never falls (it is convex in V), and where it rises no more
d = n / s solves both. In terms of W alone, H = T' diag(s / n) T:

    W <- H W H,      bound^2 = |H| cost(n / s),      what is reached: tr H W H
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats

_STEPS = 512
_CLOSE = 1e-5
"""The walk ends where the bound is this near to what is reached, and so much is added: a recheck with steps of its own comes nearer."""
_LEAST = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reach:
    """The z of one record."""

    entries: Floats
    """e, (m,)."""
    features: int
    """How many of the m numbers are in the ball: all, or all but the target."""
    ball: float
    """R."""

    @property
    def _boxed(self) -> bool:
        return float(np.linalg.norm(self.entries[: self.features])) <= self.ball

    def cost(self, weights: Floats) -> float:
        """cost(d), of d (m,)."""
        squares, within = np.square(self.entries), slice(self.features)
        if not self._boxed:
            order = np.argsort(-weights[within])
            room = self.ball**2 - np.cumsum(squares[within][order]) + squares[within][order]
            squares[within][order] = np.clip(squares[within][order], 0.0, np.maximum(room, 0.0))
        return float(weights @ squares)

    def along(self, lengths: Floats) -> Floats:
        """The s > 0 with the largest <n, s>, of n (m,) > 0, but for 1e-12 of its ends."""
        if self._boxed:
            return self.entries
        limits, own = self.entries[: self.features], lengths[: self.features]
        order = np.argsort(limits / own)
        inside = self.ball**2 - np.cumsum(np.square(limits[order])) + np.square(limits[order])
        levels = np.sqrt(np.maximum(inside, 0.0) / np.cumsum(np.square(own[order])[::-1])[::-1])
        level = levels[np.argmax(levels <= limits[order] / own[order])]
        return np.append(np.clip(level * own, _LEAST * limits, limits), self.entries[self.features :])


def farthest(matrix: Floats, reach: Reach) -> float:
    """An upper bound of max |z T|, T (m, width) not all 0, as the module docstring says."""
    size = float(np.max(np.abs(matrix)))
    matrix, best, walk = matrix / size, math.inf, np.eye(matrix.shape[1])
    for step in range(1, _STEPS + 1):
        lengths = np.sqrt(np.maximum(np.einsum("ij,ij->i", matrix @ walk, matrix), 0.0))
        lengths = np.maximum(lengths, _LEAST * lengths.max())
        sizes = reach.along(lengths)
        turn = matrix.T @ (matrix * (sizes / lengths)[:, np.newaxis])
        walk = turn @ walk @ turn
        reached = float(np.trace(walk))
        if step & (step - 1) == 0:
            best = min(best, float(np.linalg.eigvalsh(turn)[-1]) * reach.cost(lengths / sizes))
            if best <= reached * (1.0 + _CLOSE):
                break
        walk = walk / reached
    return size * math.sqrt(best) * (1.0 + _CLOSE)
