"""The law of a sum of independent noise integers, which is public, for error bars.

    N = K_1 + ... + K_m,     K_i discrete Laplace or discrete Gaussian of one scale

The masses of one K are enumerated and convolved by a Fourier transform. Where the scale is large they are taken on a coarser grid, each K rounded
away from zero: that makes N a little larger, and error bars a little wider, never narrower. Nothing here touches privacy.
"""

import math
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtr

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput

_FINE = 32.0
_NEGLIGIBLE = 1e-10
_WIDEST = 1e9
"""Beyond it an answer says nothing about any table, and its law is not needed."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoiseLaw:
    """A symmetric law on multiples of `step`: masses[i] is the probability of (i - middle) step."""

    step: float
    masses: Floats = field(repr=False)

    @classmethod
    def laplace(cls, scale: float, *, count: int = 1) -> Self:
        """The sum of `count` integers of P(k) proportional to exp(-|k| / scale)."""
        grid, last = _grid(scale, reach=26.0)
        ratio = math.exp(-1.0 / scale)
        # P(|K| > m) = 2 ratio^(m + 1) / (1 + ratio)
        tails = 2.0 * np.exp(-(grid * np.arange(last + 1) + 1.0) / scale) / (1.0 + ratio)
        return cls._of((1.0 - ratio) / (1.0 + ratio), tails, grid, count)

    @classmethod
    def gaussian(cls, scale: float, *, count: int = 1) -> Self:
        """The sum of `count` integers of P(k) proportional to exp(-k^2 / (2 scale^2))."""
        grid, last = _grid(scale, reach=7.5)
        if grid == 1:
            k = np.arange(last + 2, dtype=np.float64)
            weights = np.exp(-0.5 * (k / scale) ** 2)
            total = 2.0 * float(np.sum(weights)) - 1.0
            tails = 2.0 * (np.cumsum(weights[::-1])[::-1] / total)[1:]
            return cls._of(1.0 / total, tails, grid, count)
        tails = 2.0 * ndtr(-(grid * np.arange(last + 1) + 0.5) / scale)
        return cls._of(1.0 - float(tails[0]), tails, grid, count)

    @classmethod
    def _of(cls, at_zero: float, tails: Floats, grid: int, count: int) -> Self:
        """From P(K = 0) and P(|K| > grid j) for j = 0, 1, ..."""
        if count < 1:
            raise InvalidInput(f"a sum of noise has at least one term; {count!r} was given.")
        half = 0.5 * np.append(tails[:-1] - tails[1:], tails[-1])
        single = np.concatenate((half[::-1], [at_zero], half))
        size = next_fast_len((len(single) - 1) * count + 1, real=True)
        summed = single if count == 1 else np.maximum(irfft(rfft(single, size) ** count, size)[: (len(single) - 1) * count + 1], 0.0)
        return cls(step=float(grid), masses=_trimmed(0.5 * (summed + summed[::-1])))

    @property
    def values(self) -> Floats:
        """What N may be, as many as there are masses."""
        middle = len(self.masses) // 2
        return self.step * np.arange(-middle, middle + 1, dtype=np.float64)

    @property
    def deviation(self) -> float:
        """The standard deviation of N."""
        return math.sqrt(float(np.square(self.values) @ self.masses))

    def quantile(self, tail: float) -> float:
        """The least q with P(|N| > q) <= tail."""
        middle = len(self.masses) // 2
        beyond = 2.0 * np.cumsum(self.masses[middle + 1 :][::-1])[::-1]
        return self.step * int(np.sum(beyond > tail))

    def halved(self) -> "NoiseLaw":
        """The law of N / 2."""
        return NoiseLaw(step=0.5 * self.step, masses=self.masses)


def _grid(scale: float, *, reach: float) -> tuple[int, int]:
    if not (math.isfinite(scale) and 0 < scale <= _WIDEST):
        raise InvalidInput(
            f"the law of noise is known for scales up to {_WIDEST:g}; {scale!r} was given. Such an answer says nothing: raise epsilon."
        )
    grid = max(1, math.floor(scale / _FINE))
    return grid, math.ceil(reach * scale / grid) + 4


def _trimmed(masses: Floats) -> Floats:
    """Without the ends that hold less than _NEGLIGIBLE, whose mass moves to the new ends; normalised."""
    middle = len(masses) // 2
    beyond = np.cumsum(masses[: middle + 1])
    cut = min(int(np.searchsorted(beyond, _NEGLIGIBLE)), middle)
    kept = masses[cut : len(masses) - cut].copy()
    if cut:
        kept[0] += beyond[cut - 1]
        kept[-1] += beyond[cut - 1]
    return kept / float(np.sum(kept))
