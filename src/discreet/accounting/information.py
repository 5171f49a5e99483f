"""What releases tell of numbers, in other currencies than differential privacy: bits about an entry, and Cramer-Rao numbers of features.

Mutual information about one entry, in bits: sup over all priors of I(entry; release | all other entries) <= bits.

It bounds what is learned on average over outcomes, and is weaker than differential privacy: `bits` per ENTRY of a table, nothing about
whole records, and a single outcome may reveal the entry. Adaptive releases add their bits (chain rule: given the first outcome, the entry has
some prior, and the second release is bounded for every prior). No bound for groups of entries follows.

What it implies, one way only. Two values of the entry with equal prior probabilities give posteriors pi with E pi = 1/2 and E (1 - h2(pi)) <=
bits, h2 the binary entropy, and with g = e^epsilon the hockey stick is E (2 (1 + g) pi - 2 g)_+. Hence

    delta(epsilon) <= bits sup over pi > g/(1 + g) of 2 ((1 + g) pi - g) / (1 - h2(pi))
    delta(epsilon) <= delta(0) <= the solution d of 1 - h2((1 + d)/2) = bits                     (1 - h2 is convex: Jensen)

A delta of 1e-6 at epsilon = 1 needs 4.2e-7 bits: bits are never to be shown as a small delta. Nothing leads back from a delta to bits here.

Showkatbakhsh, Karakus, Diggavi 2018 define the currency; the bounds of delta are proved in the note composition.md.

The Cramer-Rao number of a noisy release of one record's features: a bound on estimators, not a privacy guarantee.

With the Fisher information matrix I of the release about the features x,

    E |x - estimate|^2 >= Tr(I^-1)              for unbiased estimators only                       (Cramer, Rao)
    E |x - estimate|^2 >= Tr((J + I)^-1)        for every estimator, averaged over a prior of information J   (van Trees)

The first says nothing about an adversary who uses what is already known (a constant guess is biased, and may be far better: note fisher_noise.md);
the second does, for the prior that is stated. Neither bounds what a single outcome reveals, so `delta` is 1 everywhere.

Independent releases of the same features add their information matrices. Inverses are computed by eigenvalues, and the numbers are lowered by
more than their rounding errors: a smaller number promises less.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from discreet.accounting.base import Statement, Unit, require_finite
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import lowering, raising, up
from discreet.core.short import short_repr

_CELLS = 20_000
Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MutualInformation(Statement):
    """At most `bits` bits about any one entry, whatever is known about the others. The unit is always the entry."""

    kind: ClassVar[str] = "mutual-information"
    bits: float
    unit: Unit = Unit.ENTRY

    def __post_init__(self) -> None:
        """Refuse other units, and numbers that bound nothing."""
        Statement.__post_init__(self)
        if self.unit is not Unit.ENTRY:
            raise InvalidInput(f"mutual information is stated per entry; the unit {str(self.unit)!r} was given.")
        require_finite("bits", self.bits)

    def delta(self, epsilon: float) -> float:
        """See the module docstring."""
        if self.bits == 0 or self.bits >= 1:
            return min(1.0, self.bits)
        return min(up(self.bits * _delta_per_bit(epsilon)), _largest_shift(self.bits))


def _information(posteriors: Floats) -> Floats:
    """1 - h2(pi) for pi >= 1/2; near 1/2 from below, by two terms of its series in lean = 2 pi - 1, where the closed form would cancel."""
    lean = 2.0 * posteriors - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        against = np.where(lean < 1.0, (1.0 - lean) * np.log1p(-np.minimum(lean, 1.0)), 0.0)
    nats = np.where(lean < 1e-2, np.square(lean) / 2.0 + lean**4 / 12.0, 0.5 * ((1.0 + lean) * np.log1p(lean) + against))
    information: Floats = nats / math.log(2.0)
    return information


@lru_cache(maxsize=1024)
def _delta_per_bit(epsilon: float) -> float:
    """The supremum of the module docstring from above: in each small cell the largest numerator over the smallest denominator."""
    if epsilon == 0:
        return math.inf
    odds = math.exp(-epsilon)
    start = 1.0 / (1.0 + odds)
    posteriors = start + (1.0 - start) * np.linspace(0.0, 1.0, _CELLS + 1)
    # With pi = (g + u) / (1 + g), (1 + g) pi - g is u.
    gains = np.linspace(0.0, 1.0, _CELLS + 1)
    costs = _information(posteriors) * (1.0 - 1e-9)
    with np.errstate(divide="ignore"):
        return float(np.max(2.0 * gains[1:] / costs[:-1]))


@lru_cache(maxsize=1024)
def _largest_shift(bits: float) -> float:
    """The solution d of 1 - h2((1 + d)/2) = bits, rounded up."""
    low, high = 0.0, 1.0
    while high - low > 1e-15 + 1e-12 * high:
        middle = 0.5 * (low + high)
        if float(_information(np.array([0.5 + 0.5 * middle]))[0]) * (1.0 - 1e-9) >= bits:
            high = middle
        else:
            low = middle
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class CramerRaoBound(Statement):
    """Fisher information of a release about the features of one record, and of a prior, if stated."""

    kind: ClassVar[str] = "cramer-rao"
    information: Rows
    """I, row by row; (1/sigma^2) times the identity for Gaussian noise of standard deviation sigma on every feature."""
    prior_information: Rows = ()
    """J, row by row; the inverse covariance for a Gaussian prior. Empty: no prior is stated."""
    unit: Unit = Unit.FEATURES

    __repr__ = short_repr

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
