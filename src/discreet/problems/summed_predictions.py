"""The sum that is minimised over a constraint set, for records that are read in blocks:  F(theta) = sum_k F_k(theta), F_k that of block k.

One pass a gradient. Within a block, products of at most 1024 rows are added by TwoSum, and so are blocks, in order: J additions in all are off by
u |sum| + gamma_J^2 sum of absolute values (module `certified_sums`). In the bound of module `prediction_objective` K = J then, and J is at most
n / 1024 + 2 m for m blocks. The bound lets n reach 2^29 at most, so that with m <= MOST_BLOCKS gamma_J^2 < 2^-63 a record is far below its reserve of
2^-10 of 32 u, and it holds as it is. (A table of at most 2^18 records has a larger bound there, for one product.)

What stands in for predictions at a point is the point itself: a pass makes them anew.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from discreet.arrays import Floats, two_sum
from discreet.data import RealDataset
from discreet.designs.columns import Columns
from discreet.errors import InvalidInput
from discreet.losses.predictions import PredictionLoss
from discreet.problems.prediction_objective import PredictionObjective

MOST_BLOCKS = 1 << 20
"""Of a table in blocks: more are refused."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SummedPredictions:
    """F for records that are read in blocks; methods as those of PredictionObjective."""

    data: RealDataset
    loss: PredictionLoss
    slope_bound: float
    kink: bool

    @property
    def records(self) -> int:
        """n."""
        return self.data.records

    def predictions(self, point: Floats) -> Floats:
        """The point."""
        return point

    def value(self, point: Floats) -> float:
        """F(theta)."""
        part = self._part()
        return math.fsum(self.data.map(lambda _, block: part(block).value(point)))

    def value_of(self, predictions: Floats) -> float:
        """The same."""
        return self.value(predictions)

    def gradient(self, point: Floats, included: Floats | None = None) -> Floats:
        """grad F(theta), (d,); of the records with included_i = 1.0 only, where `included` (n,) is given."""
        part = self._part()

        def sums(start: int, block: RealDataset) -> tuple[Floats, Floats]:
            return part(block).gradient_sums(point, None if included is None else included[start : start + block.records])

        total: tuple[Floats, Floats] | None = None
        for high, low in self.data.map(sums):
            if total is None:
                total = high, low
            else:
                upper, error = two_sum(total[0], high)
                total = upper, total[1] + low + error
        if total is None:
            raise InvalidInput("the table has no records; at least one is needed.")
        return total[0] + total[1]

    def gradient_of(self, predictions: Floats, included: Floats | None = None) -> Floats:
        """The same."""
        return self.gradient(predictions, included)

    @property
    def at_zero(self) -> Floats:
        """The point 0."""
        return np.zeros(self.data.domain.dimension)

    def columns(self) -> Columns | None:
        """None: single columns of a table in blocks cost a pass each."""
        return None

    def _part(self) -> Callable[[RealDataset], PredictionObjective]:
        """F_k of a block: public numbers only, so that it may travel to where the block is."""
        return partial(_held, loss=self.loss, slope_bound=self.slope_bound, kink=self.kink)


def _held(block: RealDataset, *, loss: PredictionLoss, slope_bound: float, kink: bool) -> PredictionObjective:
    return PredictionObjective(design=block.design, targets=block.targets, loss=loss, slope_bound=slope_bound, kink=kink)
