"""What is minimised over a constraint set: F of a `SetRisk` on records, slopes clipped or shortened record by record as its problem says."""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.data import Records
from discreet.losses.softmax import Softmax
from discreet.objectives.certified_sums import chunks
from discreet.objectives.prediction_sum import Clipped, OfRecords, PredictionSum
from discreet.problems.constrained_risk import ConstrainedRisk
from discreet.problems.set_risk import SetRisk
from discreet.problems.softmax_risk import SoftmaxRisk


def sum_over_set(risk: SetRisk, data: Records) -> PredictionSum:
    """F on these records. Raises as `risk.require` does, and TypeError for a kind of risk that is neither of the two."""
    risk.require(data)
    each: OfRecords
    match risk:
        case ConstrainedRisk():
            each = Clipped(loss=risk.loss, slope_bound=risk.slope_bound, kink=math.isinf(risk.smoothness))
        case SoftmaxRisk():
            wrong, length = risk.loss.largest(risk.margin_spread)
            each = SoftmaxSlopes(loss=risk.loss, wrong=wrong, length=length)
        case _:
            raise TypeError(f"the objective of a {type(risk).__name__} is not known")
    return PredictionSum(data=data, each=each, dimension=risk.dimension)


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
