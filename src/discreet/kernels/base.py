"""Kernels k(x - x') with k(0) = 1, as laws of random frequencies.

    k(x - x') = E cos(<w, x - x'>),   w drawn from the spectral measure of k

(Bochner: a continuous shift-invariant function is a kernel exactly when it is the Fourier transform of a measure; the measure has mass k(0) = 1 and
is symmetric, since k is real.) A kernel here *is* that law. It knows nothing of records: whatever it draws is public.
"""

from abc import ABC, abstractmethod

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.fields import Named

_SMALLEST, _LARGEST = 1e-30, 1e30
"""Beyond these, squares and ratios of frequencies would leave the range in which angles are exact (module `feature_map`)."""


class Kernel(Named, ABC):
    """A shift-invariant kernel with k(x, x) = 1: a frozen dataclass of its parameters, one of which is `gamma`, the scale."""

    __slots__ = ()
    gamma: float
    """One over a length, or over the square of one, > 0."""

    def __post_init__(self) -> None:
        """Refuse a scale that is none."""
        checked_scale(self.gamma, self.name)

    @property
    @abstractmethod
    def rotation_invariant(self) -> bool:
        """Whether k depends on |x - x'|_2 only; then the direction of a frequency is uniform, and independent of its length."""

    @abstractmethod
    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """`count` independent draws from the spectral measure on R^features, as rows: (count, features), in radians per unit of x."""

    @abstractmethod
    def value(self, rows: Floats, others: Floats) -> Floats:
        """k(x, x') for every pair of `rows` (n, d) and `others` (m, d): shape (n, m). O(n m d); what random features approximate."""


def checked_scale(value: float, kernel: str, *, what: str = "gamma") -> None:
    """Raise InvalidInput unless `value` is a positive number of sensible size."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value) or not _SMALLEST <= value <= _LARGEST:
        raise InvalidInput(f"the {kernel} kernel needs a {what} between {_SMALLEST:g} and {_LARGEST:g}; {value!r} was given. Try 1 / d.")
