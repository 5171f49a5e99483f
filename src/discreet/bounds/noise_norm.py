"""How long the noise vector is, but for a probability delta.

    density prop. to exp(-rate |b|_2) on R^d     |b| ~ Gamma(d, 1 / rate)
    N(0, scale^2 I_d)                            |b| / scale ~ chi with d degrees of freedom

Chaudhuri et al. (2011), lemma 4, bounds Gamma(k, theta) by k theta ln(k / delta) (a union bound over k exponentials). The exact quantile is smaller
by a factor of about ln(d / delta) for large d. Quantiles are found by special functions, and checked and rounded up from the other side.
"""

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from scipy.special import chdtrc, chdtri, gammaincc, gammainccinv

from discreet.core.rounding import raising
from discreet.core.validate import positive, probability, whole


@runtime_checkable
class NoiseNorm(Protocol):
    """The law of |b|."""

    def quantile(self, delta: float) -> float:
        """The least q with P(|b| > q) <= delta, to 1e-9 of itself from above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GammaNorm:
    """Of spherical noise."""

    dimension: int
    rate: float

    def __post_init__(self) -> None:
        """Refuse numbers that are no law."""
        whole(self.dimension, "dimension")
        positive(self.rate, "rate")

    def quantile(self, delta: float) -> float:
        """See NoiseNorm."""
        probability(delta, "delta")
        reached = float(gammainccinv(self.dimension, delta))
        while not float(gammaincc(self.dimension, reached)) <= delta:
            reached *= raising(450_000)
        return reached / self.rate * raising(4_096)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChiNorm:
    """Of Gaussian noise."""

    dimension: int
    scale: float

    def __post_init__(self) -> None:
        """Refuse numbers that are no law."""
        whole(self.dimension, "dimension")
        positive(self.scale, "scale")

    def quantile(self, delta: float) -> float:
        """See NoiseNorm."""
        probability(delta, "delta")
        reached = float(chdtri(self.dimension, delta))
        while not float(chdtrc(self.dimension, reached)) <= delta:
            reached *= raising(450_000)
        return math.sqrt(reached) * self.scale * raising(4_096)


def lemma_4(shape: int, scale: float, delta: float) -> float:
    """k theta ln(k / delta): P(Gamma(k, theta) < this) >= 1 - delta (Chaudhuri et al. 2011, lemma 4)."""
    whole(shape, "shape")
    positive(scale, "scale")
    probability(delta, "delta")
    return shape * scale * math.log(shape / delta)
