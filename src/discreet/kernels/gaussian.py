"""The Gaussian kernel.

    k(x, x') = exp(-gamma |x - x'|_2^2),   w ~ N(0, 2 gamma I)

Chaudhuri, Monteleoni and Sarwate (2011), equation (88); Rahimi and Recht (2007). Features x of size about 1 each: gamma near 1 / d.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from discreet.core.arrays import Floats
from discreet.kernels.base import Kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(Kernel):
    """exp(-gamma |x - x'|^2)."""

    name = "gaussian"
    rotation_invariant = True
    gamma: float = 1.0
    """One over the square of a length, > 0."""

    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """Normal with variance 2 gamma in every coordinate."""
        return np.sqrt(2.0 * self.gamma) * generator.standard_normal((count, features))

    def value(self, rows: Floats, others: Floats) -> Floats:
        """See Kernel."""
        return np.exp(-self.gamma * cdist(rows, others, "sqeuclidean"))
