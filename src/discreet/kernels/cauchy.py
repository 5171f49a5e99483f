"""The Cauchy kernel.

    k(x, x') = prod_k 1 / (1 + gamma^2 (x_k - x'_k)^2),   w_k = gamma l_k,  l_k independent standard Laplace (density e^{-|l|} / 2)

Rahimi and Recht (2007), figure 1 (there without normalisation: their factor 2 would make k(x, x) = 2^d).
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.kernels.base import Kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class Cauchy(Kernel):
    """prod_k 1 / (1 + gamma^2 (x_k - x'_k)^2)."""

    name = "cauchy"
    rotation_invariant = False
    gamma: float = 1.0
    """One over a length, > 0."""

    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """Laplace of scale gamma in every coordinate."""
        return self.gamma * generator.laplace(size=(count, features))

    def value(self, rows: Floats, others: Floats) -> Floats:
        """See Kernel."""
        product = np.ones((len(rows), len(others)))
        for left, right in zip(rows.T, others.T, strict=True):
            product /= 1.0 + np.square(self.gamma * (left[:, np.newaxis] - right))
        return product
