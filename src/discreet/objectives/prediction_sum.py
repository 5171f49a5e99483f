"""The sum that is minimised over a constraint set, on given records:  F(theta) = sum_i l(<x_i, theta>; y_i).

    grad F(theta) = sum_i s_i x_i,    s_i = clip(l'(<x_i, theta>; y_i), -B, B)

B is the slope bound of the problem. Clipping slopes changes nothing where B is a Lipschitz constant, and makes another convex loss of the same
prediction where it is less (the squared loss becomes a Huber loss).

What is computed, and how near. Let p_i be the computed predictions and s*_i = clip(exact l'(p_i; y_i), -B, B). Either the loss has a kink; then
predictions are computed in a fixed order (matrices/base.py), so that p_i and the computed slope depend on record i alone. Or it is smooth with
constant c; then s*_i is within c |p_i - <x_i, theta>| of the slope at the exact prediction. In both cases the computed gradient is close to a
sum over the records of one vector each, a function of this record and theta, of norm at most B |x_i|: that is what the sensitivity of a rounded
gradient needs. With u = 2^-53, gamma_k = k u / (1 - k u), r the bound of |<x_i, theta>|, n records, in units of B R (R_2 or R_inf, as the norm is):

    predictions          n c (gamma_(d+8) r + 12 u (1 + r b)) / B      smooth losses; 0 with a kink
    slopes               32 n u
    one product X^T s    n gamma_(n+8)                                  up to SINGLE_PRODUCT records; beyond, with K blocks of at most 1024 rows,
                         n (gamma_(1032) + 4 u + gamma_K^2)             added by the compensated sum Sum2 (Ogita, Rump, Oishi 2005, prop. 4.5)

`rounding_share` (`problems/set_risk.py`) adds them up. The problem allows ROUNDING of B R and refuses tables so long that the sum could exceed it.

Of a table in blocks, read or held, F is a sum over the blocks in their order, the same to the last bit for any number of threads. Within a block,
products of at most 1024 rows are added by TwoSum, and so are blocks: J additions in all are off by u |sum| + gamma_J^2 sum of absolute values (module
`certified_sums`). In the bound above K = J then. A block is worked on in parts of at least 4096 rows, so J is at most n / 1024 + n / 4096 + 2 m for m
blocks. The bound lets n reach 2^29 at most, so that with m <= MOST_BLOCKS gamma_J^2 < 2^-63 a record is far below its reserve of 2^-10 of 32 u, and
it holds as it is. In a table of at most SINGLE_PRODUCT records a part is one product, of no more rows than the whole, for which the bound has room.

Rows of persons have weights a_i (Records.weights), and a_i s_i stands for s_i. Those of one person add up to at most 1 exactly, so that its part
of the sum is a convex combination of such vectors, and of length at most B R. A weight is 1, with which nothing is rounded, or at most 1/2, with
which a product has another u of itself, and all errors of the record are halved: the bound above holds, n counting rows.

What stands in for predictions at a point is the point itself where the table is read: a pass makes them anew. Where it is held they are a vector
(n,), so that a walk may move them by columns and a gradient takes one product instead of two.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.core.arrays import Floats, two_sum
from discreet.core.errors import InvalidInput
from discreet.data import Records
from discreet.losses.predictions import PredictionLoss
from discreet.matrices.base import Columns
from discreet.objectives.certified_sums import chunks
from discreet.problems.set_risk import SINGLE_PRODUCT

Sums = tuple[Floats, Floats]
"""high + low, (d,) each."""


class OfRecords(ABC):
    """The loss of every record: public numbers only, so that it may travel to where a block is."""

    __slots__ = ()
    columnwise: ClassVar[bool] = False
    """Whether predictions are one number a record, so that a walk may move them by columns of the table."""

    @property
    def unclipped(self) -> Self:
        """With slopes as they are, where clipped ones are no gradient of a convex function."""
        return self

    @abstractmethod
    def at_zero(self, records: int) -> Floats:
        """`predictions` of the point 0."""

    @abstractmethod
    def predictions(self, block: Records, point: Floats) -> Floats:
        """What the model at `point` says of records that are held, (n,) or (n, K): an array of its own."""

    @abstractmethod
    def value(self, block: Records, predictions: Floats) -> float:
        """The sum of the loss itself: clipped slopes do not enter."""

    @abstractmethod
    def slopes(self, block: Records, predictions: Floats, rows: slice) -> Floats:
        """Of some rows, (rows,) or (rows, K)."""

    def gradient(self, block: Records, predictions: Floats, included: Floats | None, *, single: bool) -> Sums:
        """The sum of s_i x_i, (d,) or (d, K): one product if `single`, for at most SINGLE_PRODUCT records, else products of at most 1024 rows."""
        slopes = np.empty_like(predictions)
        for rows in chunks(len(predictions)):
            slopes[rows] = self.slopes(block, predictions[rows], rows)
        for times in (included, block.weights):
            if times is not None:
                slopes *= times.reshape(-1, *([1] * (slopes.ndim - 1)))
        zero = np.zeros((block.matrix.shape[1], *slopes.shape[1:]))
        if single:
            return block.matrix.rmatvec(slopes), zero
        return _added([(zero, zero), *((part.rmatvec(slopes[rows]), zero) for rows, part in block.matrix.blocks())])

    def of_parts(self, block: Records, point: Floats, included: Floats | None, *, single: bool) -> Sums:
        """The same from a point, over parts that fit the processor's caches."""
        return _added(
            self.gradient(part, self.predictions(part, point), None if included is None else included[rows], single=single)
            for rows, part in _places(block.parts())
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipped(OfRecords):
    """A loss of one prediction."""

    columnwise = True
    loss: PredictionLoss
    slope_bound: float
    """Slopes are clipped to [-slope_bound, slope_bound]."""
    kink: bool
    """Whether predictions are computed in a fixed order."""

    def at_zero(self, records: int) -> Floats:
        """See OfRecords."""
        return np.zeros(records)

    def predictions(self, block: Records, point: Floats) -> Floats:
        """<x_i, theta>, (n,)."""
        return block.matrix.ordered_matvec(point) if self.kink else block.matrix.matvec(point)

    def value(self, block: Records, predictions: Floats) -> float:
        """See OfRecords."""
        weights = block.weights
        losses = ((rows, self.loss.value(predictions[rows], block.targets[rows])) for rows in chunks(len(predictions)))
        return math.fsum(float((each if weights is None else each * weights[rows]).sum()) for rows, each in losses)

    def slopes(self, block: Records, predictions: Floats, rows: slice) -> Floats:
        """See OfRecords."""
        found: Floats = np.clip(self.loss.slope(predictions, block.targets[rows]), -self.slope_bound, self.slope_bound)
        return found


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PredictionSum:
    """F for records that are held or read in blocks. Private: it holds records. `predictions` are those of the same point."""

    data: Records
    each: OfRecords
    dimension: int
    """Of a point."""
    single: int = SINGLE_PRODUCT
    """Most records whose gradient is one matrix product."""

    @property
    def records(self) -> int:
        """n; private under add-remove."""
        return self.data.records

    @property
    def total_weight(self) -> float:
        """Sum of the weights of all rows: n, where they have none, else to rounding."""
        return math.fsum(self.data.map(lambda _, block: float(block.records if block.weights is None else math.fsum(block.weights))))

    @property
    def at_zero(self) -> Floats:
        """`predictions` of the point 0, without a pass."""
        return self.each.at_zero(self.records) if self.data.in_memory else np.zeros(self.dimension)

    def predictions(self, point: Floats) -> Floats:
        """<x_i, theta>, (n,), where the records are held, or the point."""
        if not self.data.in_memory:
            return point
        found = list(self.data.map(lambda _, block: self.each.predictions(block, point)))
        return found[0] if len(found) == 1 else np.concatenate(found)

    def value(self, point: Floats) -> float:
        """F(theta), of the loss itself: clipped slopes do not enter."""
        each, data = self.each, self.data
        if data.in_memory:
            known = self.predictions(point)
            return math.fsum(data.map(lambda start, block: each.value(block, known[start : start + block.records])))
        return math.fsum(data.map(lambda _, block: math.fsum(each.value(part, each.predictions(part, point)) for part in block.parts())))

    def gradient(self, point: Floats, included: Floats | None = None) -> Floats:
        """grad F(theta), (d,); of the records with included_i = 1.0 only, where `included` (n,) of 0.0 and 1.0 is given."""
        if self.data.in_memory and self.data.blocks == 1:
            return self.gradient_of(self.predictions(point), included)
        each, single = self.each, self.records <= self.single
        return _summed(self.data.map(lambda start, block: each.of_parts(block, point, _some(included, start, block), single=single)))

    def gradient_of(self, predictions: Floats, included: Floats | None = None) -> Floats:
        """The same from predictions."""
        if not self.data.in_memory:
            return self.gradient(predictions, included)
        each, single = self.each, self.records <= self.single

        def sums(start: int, block: Records) -> Sums:
            return each.gradient(block, predictions[start : start + block.records], _some(included, start, block), single=single)

        return _summed(self.data.map(sums))

    def columns(self) -> Columns | None:
        """Single columns of a table that is held; None where they cost a pass each, and predictions are no vector that they could be added to."""
        return self.data.matrix.columns() if self.data.in_memory and self.each.columnwise else None


def _some(included: Floats | None, start: int, block: Records) -> Floats | None:
    return None if included is None else included[start : start + block.records]


def _places(parts: list[Records]) -> Iterator[tuple[slice, Records]]:
    start = 0
    for part in parts:
        yield slice(start, start + part.records), part
        start += part.records


def _added(sums: Iterable[Sums]) -> Sums:
    """The sum of `sums`, in order."""
    total: Sums | None = None
    for high, low in sums:
        if total is None:
            total = high, low
        else:
            upper, error = two_sum(total[0], high)
            total = upper, total[1] + low + error
    if total is None:
        raise InvalidInput("the table has no records; at least one is needed.")
    return total


def _summed(sums: Iterable[Sums]) -> Floats:
    high, low = _added(sums)
    return (high + low).ravel(order="F")  # K columns one after the other
