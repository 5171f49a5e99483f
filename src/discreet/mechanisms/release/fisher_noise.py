"""Gaussian noise of covariance Sigma = Pi^{-1/2} / sqrt(level) on records (Farokhi 2020, theorem 2.4; proof note fisher_noise.md).

    Sigma minimises Tr(Pi^-1 I) + level Tr(Sigma) over all laws of noise, I their Fisher information;  I = Sigma^-1 = sqrt(level) Pi^{1/2}

Two statements, and they are not the same. `guarantee`: (epsilon, delta), exactly as for any Gaussian noise, from the distance of two records in the
metric of Sigma, over the declared domain (the published sufficient condition assumes ranges of 1 without saying so, and fails for
large epsilon). `cramer_rao`: a squared error that UNBIASED estimators cannot beat; it is no privacy guarantee.
"""

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Self

from discreet.accounting import ApproximateDP, CramerRaoBound, NoGuarantee
from discreet.certificates import Release
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.release.placement import Add, placed
from discreet.mechanisms.release.rows import GaussianRelease
from discreet.noise import Noise
from discreet.queries import WeightedRows
from discreet.words.rows import FISHER, FisherRows


@dataclass(frozen=True, slots=True, kw_only=True)
class FisherNoise(FisherRows, Mechanism[WeightedRows, Records]):
    """Gaussian noise shaped by public weights, on the records' own scales."""

    published: str = ""
    """Why a published calibration promises nothing; empty for ours."""

    @property
    def inner(self) -> GaussianRelease:
        """The noise of one size on weighted records."""
        return GaussianRelease(**{one.name: getattr(self, one.name) for one in fields(GaussianRelease)})

    @classmethod
    def _of(cls, made: GaussianRelease) -> Self:
        return cls(level=made.deviation**-4.0, **{one.name: getattr(made, one.name) for one in fields(GaussianRelease)})

    @classmethod
    def calibrate(
        cls, query: WeightedRows, *, epsilon: float, delta: float, neighbours: Neighbours, slots: int | None = None, local: bool = False
    ) -> Self:
        """The largest level, that is the least noise, for (epsilon, delta)."""
        return cls._of(GaussianRelease.calibrate(query, epsilon=epsilon, delta=delta, neighbours=neighbours, slots=slots, local=local))

    @classmethod
    def of_level(cls, query: WeightedRows, *, level: float, epsilon: float, neighbours: Neighbours = REPLACE_ONE) -> Self:
        """A chosen level; what it promises at `epsilon` is stated, and may be nothing."""
        if not (is_finite(level) and level > 0):
            raise InvalidInput(f"the level must be positive and finite; {level!r} was given.")
        return cls._of(GaussianRelease.of_deviation(query, deviation=level**-0.25, epsilon=epsilon, neighbours=neighbours))

    def promise(self, query: WeightedRows) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        return self.inner.promise(query)

    def cramer_rao(self, query: WeightedRows) -> CramerRaoBound:
        """The Cramer-Rao number, of the normal law whose rounding is released, about a record rounded to the grid: T T' / deviation^2."""
        root = query.map.matrix
        information = root @ root.T / self.deviation**2
        return CramerRaoBound(
            information=tuple(tuple(float(value) for value in row) for row in 0.5 * (information + information.T)),
            neighbours=REPLACE_ONE,
            theorem=FISHER,
        )

    def require(self, query: WeightedRows, data: Records) -> None:
        """See Mechanism."""
        self.inner.require(query, data)

    def draw(self, query: WeightedRows, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return placed(query, data, noise, partial(_restored, query=query, add=self.inner.add), self.slots)

    def randomise(self, query: WeightedRows, features: Floats, noise: Noise, *, target: float = 0.0) -> Release:
        """As GaussianRelease.randomise."""
        return self.run(query, self.inner.one_record(query, features, target), noise)

    def with_reason(self, why: str) -> Self:
        """The same noise, promising nothing."""
        return replace(self, published=why)


def _restored(rows: Floats, noise: Noise, *, query: WeightedRows, add: Add) -> Floats:
    return query.restore(add(rows, noise))
