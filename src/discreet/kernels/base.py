"""Kernels k(x - x') with k(0) = 1, as laws of random frequencies.

    k(x - x') = E cos(<w, x - x'>),   w drawn from the spectral measure of k

(Bochner: a continuous shift-invariant function is a kernel exactly when it is the Fourier transform of a measure; the measure has mass k(0) = 1 and
is symmetric, since k is real.) A kernel here *is* that law. It knows nothing of records: whatever it draws is public.
"""

from typing import Protocol, runtime_checkable

import numpy as np

from discreet.core.arrays import Floats


@runtime_checkable
class Kernel(Protocol):
    """A shift-invariant kernel with k(x, x) = 1."""

    @property
    def name(self) -> str:
        """Standard name, used in certificates and by `kernel_named`."""

    @property
    def parameters(self) -> dict[str, float]:
        """Constructor arguments, for certificates; `gamma`, the scale, is one of every kernel's."""

    @property
    def rotation_invariant(self) -> bool:
        """Whether k depends on |x - x'|_2 only; then the direction of a frequency is uniform, and independent of its length."""

    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """`count` independent draws from the spectral measure on R^features, as rows: (count, features), in radians per unit of x."""

    def value(self, rows: Floats, others: Floats) -> Floats:
        """k(x, x') for every pair of `rows` (n, d) and `others` (m, d): shape (n, m). O(n m d); what random features approximate."""
