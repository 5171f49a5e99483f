"""A gradient summed over blocks, with a bound of its rounding error that adds up as the gradient does.

    gradient = sum_k p_k + ridge w + linear,       k = 1..K blocks of rows, p_k computed

    |computed - exact|_2 <= sum_k e_k + gamma_J^2 sum_k |p_k| + 4 u (|sum| + ridge |w| + |linear|)

e_k bounds the error of p_k itself (module `objective`, items 1 to 3; `softmax_objective`). The sum of the p_k is kept as `high + low`: every addition
of two parts is a TwoSum, whose error is exact and goes into `low`. Whatever the order and the nesting of J additions, the exact sum is high + (sum of
the J errors), each error is at most u times a partial sum, so that they come to at most gamma_J sum |p_k|, and adding them up loses at most gamma_J
of that: the bound of Sum2 (Ogita, Rump, Oishi 2005, prop. 4.5) for any tree of additions. So tables may be cut anywhere, and worked on anywhere.
"""

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, two_sum
from discreet.designs.base import BLOCK_ROWS
from discreet.problems.rounding import UNIT, gamma, norms_above


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CertifiedSums:
    """Sums over some blocks for several points, one a column. Functions of the records, every field."""

    high: Floats
    """(d, k): the rounded sum of the blocks' gradients."""
    low: Floats
    """(d, k): the errors of its additions."""
    sizes: Floats
    """(d, k): the sum of absolute values."""
    errors: Floats
    """(k,): an upper bound of sum_k e_k."""
    additions: int
    """J: how often parts were added."""

    def __add__(self, other: "CertifiedSums") -> "CertifiedSums":
        """The sums over both."""
        high, error = two_sum(self.high, other.high)
        return CertifiedSums(
            high=high,
            low=self.low + other.low + error,
            sizes=self.sizes + other.sizes,
            errors=(self.errors + other.errors) * (1 + 4 * UNIT),
            additions=self.additions + other.additions + 1,
        )

    def gradients(self, points: Floats, linears: Floats | None, ridge: float) -> tuple[Floats, Floats]:
        """Gradients (d, k) with ridge and linear terms at the `points` (d, k), and upper bounds (k,) of the norms of the exact ones."""
        total = self.high + self.low
        shrink = ridge * points
        gradients = total + shrink if linears is None else total + (shrink + linears)
        rounding = self.errors + gamma(self.additions) ** 2 * norms_above(self.sizes)
        rounding += 4 * UNIT * (norms_above(total) + norms_above(shrink) + (0.0 if linears is None else norms_above(linears)))
        return gradients, (norms_above(gradients) + rounding) * (1 + 8 * UNIT)


class RunningSum:
    """The p_k of one table, added one after the other."""

    __slots__ = ("additions", "high", "longest_sum", "low", "sizes")

    def __init__(self, shape: tuple[int, int]) -> None:
        """Begin with zero, of `shape` (d, k)."""
        self.high, self.low, self.sizes = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.additions = self.longest_sum = 0

    def add(self, part: Floats, rows: int) -> None:
        """Add the gradient (d, k) of a band of so many rows."""
        self.high, error = two_sum(self.high, part)
        self.low += error
        self.sizes += np.abs(part)
        self.additions += 1
        self.longest_sum = max(self.longest_sum, min(rows, BLOCK_ROWS) + -(-rows // BLOCK_ROWS))
