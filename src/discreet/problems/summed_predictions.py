"""The sum that is minimised over a constraint set, for records in blocks:  F(theta) = sum_k F_k(theta), F_k that of block k.

Blocks are those of a table that is read, or of a long one that is held: one function of a block, and a sum in the order of the blocks, which is the
same to the last bit for any number of threads. Within a block, products of at most 1024 rows are added by TwoSum, and so are blocks: J additions in
all are off by u |sum| + gamma_J^2 sum of absolute values (module `certified_sums`). In the bound of module `prediction_objective` K = J then. A block
is worked on in parts of at least 4096 rows, so J is at most n / 1024 + n / 4096 + 2 m for m blocks. The bound lets n reach 2^29 at most, so that with
m <= MOST_BLOCKS gamma_J^2 < 2^-63 a record is far below its reserve of 2^-10 of 32 u, and it holds as it is. In a table of at most SINGLE_PRODUCT
records a part is one product, of no more rows than the whole, for which the bound has room.

What stands in for predictions at a point is the point itself where the table is read: a pass makes them anew. Where it is held they are a vector
(n,), so that a walk may move them by columns and a gradient takes one product instead of two.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from discreet.core.arrays import Floats, two_sum
from discreet.core.errors import InvalidInput
from discreet.data import Records
from discreet.losses.predictions import PredictionLoss
from discreet.matrices.base import Columns
from discreet.problems.prediction_objective import SINGLE_PRODUCT, PredictionObjective

MOST_BLOCKS = 1 << 20
"""Of a table in blocks: more are refused."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SummedPredictions:
    """F for records in blocks; methods as those of PredictionObjective."""

    data: Records
    loss: PredictionLoss
    slope_bound: float
    kink: bool

    @property
    def records(self) -> int:
        """n."""
        return self.data.records

    def predictions(self, point: Floats) -> Floats:
        """The point, or <x_i, theta>, (n,), where the records are held."""
        if not self.data.in_memory:
            return point
        part = self._part()
        return np.concatenate(list(self.data.map(lambda _, block: part(block).predictions(point))))

    def value(self, point: Floats) -> float:
        """F(theta)."""
        part = self._part()
        return math.fsum(self.data.map(lambda _, block: math.fsum(part(piece).value(point) for piece in block.parts())))

    def value_of(self, predictions: Floats) -> float:
        """The same from predictions."""
        if not self.data.in_memory:
            return self.value(predictions)
        part = self._part()
        return math.fsum(self.data.map(lambda start, block: part(block).value_of(predictions[start : start + block.records])))

    def gradient(self, point: Floats, included: Floats | None = None) -> Floats:
        """grad F(theta), (d,); of the records with included_i = 1.0 only, where `included` (n,) is given."""
        part, single = self._part(), self.records <= SINGLE_PRODUCT

        def sums(start: int, block: Records) -> tuple[Floats, Floats]:
            chosen = None if included is None else included[start : start + block.records]
            return _added(part(piece).gradient_sums(point, some, single=single) for piece, some in _with(block.parts(), chosen))

        return _sum(self.data.map(sums))

    def gradient_of(self, predictions: Floats, included: Floats | None = None) -> Floats:
        """The same from predictions."""
        if not self.data.in_memory:
            return self.gradient(predictions, included)
        part, single = self._part(), self.records <= SINGLE_PRODUCT

        def sums(start: int, block: Records) -> tuple[Floats, Floats]:
            rows = slice(start, start + block.records)
            return part(block).sums_of(predictions[rows], None if included is None else included[rows], single=single)

        return _sum(self.data.map(sums))

    @property
    def at_zero(self) -> Floats:
        """`predictions` of the point 0, without a pass."""
        return np.zeros(self.records if self.data.in_memory else self.data.domain.dimension)

    def columns(self) -> Columns | None:
        """Single columns of a table that is held; None where they cost a pass each."""
        return self.data.matrix.columns() if self.data.in_memory else None

    def _part(self) -> Callable[[Records], PredictionObjective]:
        """F_k of a block: public numbers only, so that it may travel to where the block is."""
        return partial(_held, loss=self.loss, slope_bound=self.slope_bound, kink=self.kink)


def _held(block: Records, *, loss: PredictionLoss, slope_bound: float, kink: bool) -> PredictionObjective:
    return PredictionObjective(matrix=block.matrix, targets=block.targets, loss=loss, slope_bound=slope_bound, kink=kink)


def _with(pieces: list[Records], chosen: Floats | None) -> Iterable[tuple[Records, Floats | None]]:
    start = 0
    for piece in pieces:
        yield piece, None if chosen is None else chosen[start : start + piece.records]
        start += piece.records


def _added(sums: Iterable[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """high + low of sums that are given so, in order."""
    total: tuple[Floats, Floats] | None = None
    for high, low in sums:
        if total is None:
            total = high, low
        else:
            upper, error = two_sum(total[0], high)
            total = upper, total[1] + low + error
    if total is None:
        raise InvalidInput("the table has no records; at least one is needed.")
    return total


def _sum(sums: Iterable[tuple[Floats, Floats]]) -> Floats:
    high, low = _added(sums)
    return high + low
