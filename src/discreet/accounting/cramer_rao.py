"""The Cramer-Rao number of a noisy release of one record's features: a bound on estimators, not a privacy guarantee.

With the Fisher information matrix I of the release about the features x,

    E |x - estimate|^2 >= Tr(I^-1)              for unbiased estimators only                       (Cramer, Rao)
    E |x - estimate|^2 >= Tr((J + I)^-1)        for every estimator, averaged over a prior of information J   (van Trees)

The first says nothing about an adversary who uses what is already known (a constant guess is biased, and may be far better: note fisher_noise.md);
the second does, for the prior that is stated. Neither bounds what a single outcome reveals, so `delta` is 1 everywhere.

Independent releases of the same features add their information matrices. Inverses are computed by eigenvalues, and the numbers are lowered by
more than their rounding errors: a smaller number promises less.
"""

from dataclasses import dataclass

import numpy as np

from discreet.accounting.base import Statement, Unit
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.fields import Json
from discreet.core.rounding import lowering, raising

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CramerRaoBound(Statement):
    """Fisher information of a release about the features of one record, and of a prior where one is stated."""

    information: Rows
    """I, row by row; (1/sigma^2) times the identity for Gaussian noise of standard deviation sigma on every feature."""
    prior_information: Rows = ()
    """J, row by row; the inverse covariance for a Gaussian prior. Empty: no prior is stated."""
    unit: Unit = Unit.FEATURES

    def __post_init__(self) -> None:
        """Refuse what is not a symmetric positive semidefinite matrix."""
        Statement.__post_init__(self)
        size = len(_spectrum(self.information))
        if self.prior_information and len(_spectrum(self.prior_information)) != size:
            raise InvalidInput("the information matrices of the release and of the prior must have the same size.")

    @property
    def unbiased_mse(self) -> float:
        """Tr(I^-1), rounded down; infinity when I is singular. Holds for unbiased estimators only."""
        return _inverse_trace(_spectrum(self.information))

    @property
    def van_trees_mse(self) -> float:
        """Tr((J + I)^-1), rounded down: holds for every estimator on average over the prior. Raises InvalidInput when no prior is stated."""
        if not self.prior_information:
            raise InvalidInput("the van Trees bound needs the information matrix of a prior; none is stated.")
        return _inverse_trace(_spectrum(added(self.information, self.prior_information)))

    def delta(self, epsilon: float) -> float:  # noqa: ARG002 - no epsilon is enough
        """1 everywhere: no differential privacy is claimed."""
        return 1.0

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        prior: dict[str, Json] = {"prior_information": [list(row) for row in self.prior_information]} if self.prior_information else {}
        return self.stated("cramer-rao", information=[list(row) for row in self.information], **prior)


def added(first: Rows, second: Rows) -> Rows:
    """The sum of two matrices."""
    if len(first) != len(second):
        raise InvalidInput("information matrices of different sizes do not add.")
    return tuple(tuple(a + b for a, b in zip(left, right, strict=True)) for left, right in zip(first, second, strict=True))


def _spectrum(rows: Rows) -> Floats:
    lengths = {len(row) for row in rows}
    if lengths != {len(rows)}:
        raise InvalidInput("an information matrix must be square, with at least one row.")
    matrix = np.asarray(rows, dtype=float)
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0.0):
        raise InvalidInput("an information matrix must be finite and symmetric.")
    values: Floats = np.linalg.eigvalsh(matrix)
    if values[0] < -1e-9 * max(abs(values[-1]), 1e-300):
        raise InvalidInput("an information matrix must have no negative eigenvalue.")
    return values


def _inverse_trace(values: Floats) -> float:
    """Sum of 1 / eigenvalue, each eigenvalue first raised by more than its error."""
    raised = np.maximum(values, 0.0) * raising(4_096) + 1e-13 * len(values) * max(float(values[-1]), 0.0)
    with np.errstate(divide="ignore"):
        return float(np.sum(1.0 / raised)) * lowering(4_096)
