"""Where noise comes from, and the two laws that mechanisms draw.

    gaussian:   N(0, scale^2 I_d)
    spherical:  density proportional to exp(-rate |b|_2) on R^d: |b| ~ Gamma(d, 1/rate), direction uniform
                (Chaudhuri, Monteleoni, Sarwate 2011, eq. 7)

Bits come from ChaCha20 under a fresh 256-bit key for every call, so no state is shared between calls, threads or forked workers, and no key
outlives a call. Draws are double-precision numbers, not exact real ones: see the page on sharp edges for what that means.
"""

import hashlib
import math
import os
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol, runtime_checkable

import numpy as np
from randomgen import ChaCha

from discreet.arrays import Floats
from discreet.errors import InvalidInput, PrivateDataError


@runtime_checkable
class Noise(Protocol):
    """A source of noise. `private` is False when somebody may know or replay what is drawn."""

    @property
    def private(self) -> bool:
        """Whether a guarantee may rest on this source."""

    @property
    def description(self) -> str:
        """One line for certificates."""

    def gaussian(self, *, scale: float, dimension: int, draws: int) -> Floats:
        """Independent N(0, scale^2 I) vectors as columns, shape (dimension, draws)."""

    def spherical(self, *, rate: float, dimension: int, draws: int) -> Floats:
        """Independent vectors of density proportional to exp(-rate |b|_2) as columns, shape (dimension, draws)."""


@dataclass(frozen=True, slots=True)
class SystemNoise:
    """Noise keyed by the operating system's randomness: the only source under which a certificate is valid."""

    @property
    def private(self) -> bool:
        """True."""
        return True

    @property
    def description(self) -> str:
        """Names the generator and the origin of its key."""
        return "ChaCha20, a fresh 256-bit key from the operating system for every draw"

    def gaussian(self, *, scale: float, dimension: int, draws: int) -> Floats:
        """See Noise."""
        return _gaussian(_generator(os.urandom(32)), scale, dimension, draws)

    def spherical(self, *, rate: float, dimension: int, draws: int) -> Floats:
        """See Noise."""
        return _spherical(_generator(os.urandom(32)), rate, dimension, draws)


@dataclass(frozen=True, slots=True)
class SeededNoise:
    """Reproducible noise for tests and studies. Whoever knows or guesses the seed can subtract it, so it protects nobody."""

    seed: int
    _calls: "count[int]" = field(default_factory=count, init=False, repr=False, compare=False)

    @property
    def private(self) -> bool:
        """False: a certificate issued under this source never verifies."""
        return False

    @property
    def description(self) -> str:
        """Says that the noise can be replayed."""
        return "ChaCha20 from a seed chosen by the caller: reproducible, therefore not private"

    def gaussian(self, *, scale: float, dimension: int, draws: int) -> Floats:
        """See Noise."""
        return _gaussian(self._next(), scale, dimension, draws)

    def spherical(self, *, rate: float, dimension: int, draws: int) -> Floats:
        """See Noise."""
        return _spherical(self._next(), rate, dimension, draws)

    def _next(self) -> np.random.Generator:
        text = f"discreet seeded noise {self.seed} {next(self._calls)}"
        return _generator(hashlib.sha256(text.encode()).digest())

    def __post_init__(self) -> None:
        """Refuse a seed that is no integer."""
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise InvalidInput(f"a seed must be an integer; {self.seed!r} was given.")

    def __reduce__(self) -> tuple[object, ...]:
        """Refuse: a copy would replay the same noise from its own counter."""
        raise PrivateDataError("a seeded noise source cannot be copied; make one per worker, with its own seed.")


def _generator(key: bytes) -> np.random.Generator:
    return np.random.Generator(ChaCha(key=int.from_bytes(key, "little"), rounds=20))


def _checked(size: float, what: str) -> float:
    """Noise of no size, or of a size that is no number, is refused rather than drawn."""
    if not (math.isfinite(size) and size > 0):
        raise InvalidInput(f"noise needs a positive finite {what}; {size!r} was given.")
    return size


def _gaussian(generator: np.random.Generator, scale: float, dimension: int, draws: int) -> Floats:
    return np.asfortranarray(generator.standard_normal((draws, dimension)).T) * _checked(scale, "scale")


def _spherical(generator: np.random.Generator, rate: float, dimension: int, draws: int) -> Floats:
    directions = generator.standard_normal((draws, dimension))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lengths = generator.gamma(shape=dimension, scale=1.0 / _checked(rate, "rate"), size=(draws, 1))
    return np.asfortranarray((directions * lengths).T)
