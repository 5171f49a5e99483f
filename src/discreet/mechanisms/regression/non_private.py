"""No privacy: ordinary least squares, as epsilon = infinity asks. Its certificate says that there is no guarantee."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from discreet.accounting import NoGuarantee
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours
from discreet.data import Records
from discreet.mechanisms.regression.base import Fitted, RegressionMechanism
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.noise import Noise
from discreet.statements.learning import NON_PRIVATE


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivateLeastSquares(RegressionMechanism):
    """The shortest weights of least squares (by the normal equations, singular directions left at zero)."""

    name = "least-squares-non-private"
    neighbours: Neighbours

    def guarantee(self, problem: LeastSquares) -> NoGuarantee:  # noqa: ARG002 - the same for any problem
        """None."""
        return NoGuarantee(neighbours=self.neighbours, theorem=NON_PRIVATE)

    def explained(self, problem: LeastSquares) -> str:  # noqa: ARG002 - the same for any problem
        """See RegressionMechanism."""
        return "Ordinary least squares without noise: epsilon is infinite, and nothing is protected."

    def fitted(self, problem: LeastSquares, data: Records, noise: Noise) -> Fitted:  # noqa: ARG002 - no noise is drawn
        """See RegressionMechanism."""
        size = problem.domain.dimension
        products, targets = np.zeros((size, size)), np.zeros(size)
        for of_rows, of_targets in data.map(_normal_equations):
            products += of_rows
            targets += of_targets
        inverse = np.asarray(np.linalg.pinv(products, rcond=1e-11, hermitian=True), dtype=np.float64)
        weights: Floats = inverse @ targets
        left = sum(data.map(partial(_squares, weights=weights))) / max(data.records - size, 1)
        return Fitted(weights, left * inverse, math.sqrt(left))


def _normal_equations(_: int, block: Records) -> tuple[Floats, Floats]:
    return np.asarray(block.matrix.gram(np.ones(block.records)), dtype=np.float64), block.matrix.rmatvec(block.targets)


def _squares(_: int, block: Records, *, weights: Floats) -> float:
    return float(np.square(block.targets - block.matrix.matvec(weights)).sum())
