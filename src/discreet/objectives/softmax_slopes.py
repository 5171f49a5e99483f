"""The slopes of many classes together over a set, shortened record by record: see `problems/softmax_risk.py`."""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.data import Records
from discreet.losses.softmax import Softmax
from discreet.objectives.certified_sums import chunks
from discreet.objectives.prediction_sum import OfRecords


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftmaxSlopes(OfRecords):
    """The loss of every record, and what its slopes are shortened to."""

    loss: Softmax
    wrong: float = math.inf
    length: float = math.inf

    @property
    def unclipped(self) -> "SoftmaxSlopes":
        """See OfRecords."""
        return SoftmaxSlopes(loss=self.loss)

    def at_zero(self, records: int) -> Floats:
        """See OfRecords."""
        return np.zeros((records, self.loss.classes))

    def predictions(self, block: Records, point: Floats) -> Floats:
        """z, (n, K)."""
        return block.matrix.matvec(np.ascontiguousarray(point.reshape(self.loss.classes, -1).T))

    def value(self, block: Records, predictions: Floats) -> float:
        """See OfRecords."""
        weights = block.weights
        losses = ((rows, self.loss.value(predictions[rows], block.targets[rows])) for rows in chunks(len(predictions)))
        return math.fsum(float((each if weights is None else each * weights[rows]).sum()) for rows, each in losses)

    def slopes(self, block: Records, predictions: Floats, rows: slice) -> Floats:
        """See OfRecords."""
        return self.loss.slopes(predictions, block.targets[rows], wrong=self.wrong, length=self.length)
