"""The Laplacian kernel.

    k(x, x') = exp(-gamma |x - x'|_1),   w_k = gamma c_k,  c_k independent standard Cauchy

Rahimi and Recht (2007), figure 1. Its functions are rough, so it wants more features than a smooth kernel.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from discreet.core.arrays import Floats
from discreet.kernels.base import Kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplacian(Kernel):
    """exp(-gamma |x - x'|_1)."""

    name = "laplacian"
    rotation_invariant = False
    gamma: float = 1.0
    """One over a length, > 0."""

    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """Cauchy of scale gamma in every coordinate."""
        return self.gamma * generator.standard_cauchy((count, features))

    def value(self, rows: Floats, others: Floats) -> Floats:
        """See Kernel."""
        return np.exp(-self.gamma * cdist(rows, others, "cityblock"))
