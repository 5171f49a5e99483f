"""The sum that is minimised over a constraint set, on given records:  F(theta) = sum_i l(<x_i, theta>; y_i).

    grad F(theta) = sum_i s_i x_i,    s_i = clip(l'(<x_i, theta>; y_i), -B, B)

B is the slope bound of the problem. Clipping slopes changes nothing where B is a Lipschitz constant, and makes another convex loss of the same
prediction where it is less (the squared loss becomes a Huber loss).

What is computed, and how near. Let p_i be the computed predictions and s*_i = clip(exact l'(p_i; y_i), -B, B). Either the loss has a kink; then
predictions are computed in a fixed order (matrices/ordered.py), so that p_i and the computed slope depend on record i alone. Or it is smooth with
constant c; then s*_i is within c |p_i - <x_i, theta>| of the slope at the exact prediction. In both cases the computed gradient is close to a
sum over the records of one vector each, a function of this record and theta, of norm at most B |x_i|: that is what the sensitivity of a rounded
gradient needs. With u = 2^-53, gamma_k = k u / (1 - k u), r the bound of |<x_i, theta>|, n records, in units of B R (R_2 or R_inf, as the norm is):

    predictions          n c (gamma_(d+8) r + 12 u (1 + r b)) / B      smooth losses; 0 with a kink
    slopes               32 n u
    one product X^T s    n gamma_(n+8)                                  up to SINGLE_PRODUCT records; beyond, with K blocks of at most 1024 rows,
                         n (gamma_(1032) + 4 u + gamma_K^2)             added by the compensated sum Sum2 (Ogita, Rump, Oishi 2005, prop. 4.5)

`rounding_share` adds them up. The problem allows ROUNDING of B R and refuses tables so long that the sum could exceed it. Of a table in parts (module
`summed_predictions`) the sum over parts is compensated, and products are as short as here.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discreet.core.arrays import Floats, two_sum
from discreet.losses.predictions import PredictionLoss
from discreet.matrices import BLOCK_ROWS, Matrix
from discreet.matrices.base import Columns
from discreet.problems.certified_sums import UNIT, chunks, gamma

SINGLE_PRODUCT = 1 << 18
"""Most records whose gradient is one matrix product: n gamma_n is then below 2^-17."""


class PredictionSum(Protocol):
    """F for records that are held or read in blocks: what mechanisms over a set ask for. `predictions` are those of the same point."""

    @property
    def records(self) -> int:
        """n; private under add-remove."""

    @property
    def at_zero(self) -> Floats:
        """`predictions` of the point 0, without a pass."""

    def predictions(self, point: Floats) -> Floats:
        """<x_i, theta>, (n,), or what stands for them."""

    def value(self, point: Floats) -> float:
        """F(theta), of the loss itself: clipped slopes do not enter."""

    def value_of(self, predictions: Floats) -> float:
        """F from predictions."""

    def gradient(self, point: Floats, included: Floats | None = None) -> Floats:
        """grad F(theta), (d,); of the records with included_i = 1.0 only, where `included` (n,) of 0.0 and 1.0 is given."""

    def gradient_of(self, predictions: Floats, included: Floats | None = None) -> Floats:
        """The same from predictions."""

    def columns(self) -> Columns | None:
        """Single columns of the table, where they are cheap; None where predictions are no vector that they could be added to."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PredictionObjective:
    """F for fixed records: `matrix` (n, d), `targets` (n,), slopes clipped to [-slope_bound, slope_bound]. Private: it holds records."""

    matrix: Matrix
    targets: Floats
    loss: PredictionLoss
    slope_bound: float
    kink: bool
    """Whether predictions are computed in a fixed order."""

    def predictions(self, point: Floats) -> Floats:
        """<x_i, theta>, (n,)."""
        return self.matrix.ordered_matvec(point) if self.kink else self.matrix.matvec(point)

    def value(self, point: Floats) -> float:
        """F(theta), of the loss itself: clipped slopes do not enter."""
        return self.value_of(self.predictions(point))

    def value_of(self, predictions: Floats) -> float:
        """F from predictions."""
        return math.fsum(float(self.loss.value(predictions[rows], self.targets[rows]).sum()) for rows in chunks(len(predictions)))

    def gradient(self, point: Floats, included: Floats | None = None) -> Floats:
        """grad F(theta), (d,); of the records with included_i = 1.0 only, where `included` (n,) of 0.0 and 1.0 is given."""
        return self.gradient_of(self.predictions(point), included)

    def gradient_of(self, predictions: Floats, included: Floats | None = None) -> Floats:
        """The same from predictions (n,)."""
        high, low = self.sums_of(predictions, included, single=len(predictions) <= SINGLE_PRODUCT)
        return high + low

    def gradient_sums(self, point: Floats, included: Floats | None = None, *, single: bool = False) -> tuple[Floats, Floats]:
        """grad F(theta) as high + low, (d,) each: what sums over parts of a table are made of.

        From one product with `single`, for tables of at most SINGLE_PRODUCT records, otherwise from products of at most 1024 rows.
        """
        return self.sums_of(self.predictions(point), included, single=single)

    def sums_of(self, predictions: Floats, included: Floats | None = None, *, single: bool = False) -> tuple[Floats, Floats]:
        """The same from predictions (n,)."""
        slopes = self._slopes(predictions)
        if included is not None:
            slopes *= included
        if single:
            return self.matrix.rmatvec(slopes), np.zeros(self.matrix.shape[1])
        return self._block_sums(slopes)

    @property
    def records(self) -> int:
        """n."""
        return len(self.targets)

    @property
    def at_zero(self) -> Floats:
        """`predictions` of the point 0, without a pass."""
        return np.zeros(self.records)

    def columns(self) -> Columns | None:
        """Single columns of the table."""
        return self.matrix.columns()

    def _block_sums(self, slopes: Floats) -> tuple[Floats, Floats]:
        high = np.zeros(self.matrix.shape[1])
        low = np.zeros_like(high)
        for rows, block in self.matrix.blocks():
            high, error = two_sum(high, block.rmatvec(slopes[rows]))
            low += error
        return high, low

    def _slopes(self, predictions: Floats) -> Floats:
        slopes = np.empty_like(predictions)
        for rows in chunks(len(predictions)):
            np.clip(self.loss.slope(predictions[rows], self.targets[rows]), -self.slope_bound, self.slope_bound, out=slopes[rows])
        return slopes


def rounding_share(records: int, *, dimension: int, reach: float, target_bound: float, smoothness: float, slope_bound: float) -> float:
    """Bound of the error of a gradient over `records` records, in units of B R; `smoothness` is 0 for a loss with a kink. See module docstring."""
    predictions = smoothness / slope_bound * (gamma(dimension + 8) * reach + 12 * UNIT * (1.0 + reach * max(1.0, target_bound)))
    if records <= SINGLE_PRODUCT:
        sums = gamma(records + 8)
    else:
        sums = gamma(BLOCK_ROWS + 8) + 4 * UNIT + gamma(records // BLOCK_ROWS + 2) ** 2
    return records * (predictions + 32 * UNIT + sums) * (1.0 + 2.0**-10)
