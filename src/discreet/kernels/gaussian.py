"""The Gaussian kernel.

    k(x, x') = exp(-gamma |x - x'|_2^2),   w ~ N(0, 2 gamma I)

Chaudhuri, Monteleoni and Sarwate (2011), equation (88); Rahimi and Recht (2007). Features x of size about 1 each: gamma near 1 / d.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from discreet.core.arrays import Floats
from discreet.kernels.scale import checked_scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """exp(-gamma |x - x'|^2)."""

    gamma: float = 1.0
    """One over the square of a length, > 0."""

    def __post_init__(self) -> None:
        """Refuse a scale that is none."""
        checked_scale(self.gamma, self.name)

    @property
    def name(self) -> str:
        """Name in certificates."""
        return "gaussian"

    @property
    def parameters(self) -> dict[str, float]:
        """The scale."""
        return {"gamma": self.gamma}

    @property
    def rotation_invariant(self) -> bool:
        """It is."""
        return True

    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """Normal with variance 2 gamma in every coordinate."""
        return np.sqrt(2.0 * self.gamma) * generator.standard_normal((count, features))

    def value(self, rows: Floats, others: Floats) -> Floats:
        """See Kernel."""
        return np.exp(-self.gamma * cdist(rows, others, "sqeuclidean"))
