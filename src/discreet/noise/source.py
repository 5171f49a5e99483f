"""Where noise comes from, and the laws that mechanisms draw.

    gaussian:           N(0, scale^2 I_d), each number surely close to an ideal real one
    spherical:          density proportional to exp(-rate |b|_2) on R^d: |b| a sum of d exponential numbers over the rate, direction uniform
                        (Chaudhuri, Monteleoni, Sarwate 2011, eq. 7)
    discrete_gaussian:  integers with probability proportional to exp(-k^2 / (2 scale^2)), exactly (Canonne, Kamath, Steinke 2020)
    discrete_laplace:   integers with probability proportional to exp(-|k| / scale), exactly
    choice:             an index with probability proportional to exp(-rate score), scores integers, exactly

Bits come from ChaCha20 under a fresh 256-bit key for every call, so no state is shared between calls, threads or forked workers, and no key
outlives a call.

Normal and exponential numbers are within a sure distance of ideal real ones. A float cannot be a normal variable, but it can be
surely close to one. The ideal variable is a function of infinitely many random bits; what is returned is the same function of the first hundred or
so, evaluated in floating point:

    normal       x = s sqrt(2) erfinv(v) for v < 1/2,   x = -s Phi^{-1}((1 - v) / 2) otherwise,   s a random sign, v uniform on (0, 1)
    exponential  y = -ln(v)

v, or 1 - v in the tail, is known to a relative 2^-52 however small it is: leading zero bits are replaced by further words. Both branches of
x have a condition number below 1.2, and SciPy's erfinv and ndtri are within 2^-50 of the true values (tested against 60 digits), so

    |x - ideal x| <= NORMAL_ERROR |ideal x|,  NORMAL_ERROR = 2^-48,    |ideal x| <= NORMAL_LIMIT
    |y - ideal y| <= 2^-51 (1 + ideal y),                              ideal y <= EXPONENTIAL_LIMIT

The limits hold because at most 960 leading zero bits are read; more have a probability of 2^-960, and raise. Mechanisms charge these
distances to the budget (proof note residual_stage.md), so that a guarantee proved for real noise holds for what the computer does.
"""

import hashlib
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import count
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput, PrivateDataError
from discreet.core.lazily import lazily
from discreet.noise.chacha import KEY_BYTES, keyed_words
from discreet.noise.choice import select_one
from discreet.noise.discrete import discrete_gaussian, discrete_laplace
from discreet.noise.stated import SEEDED_SOURCE, SYSTEM_SOURCE
from discreet.noise.words import Integers, WordArray, Words

special = lazily("scipy.special")
_ZERO_BITS = 900


class Noise(ABC):
    """A source of noise."""

    __slots__ = ()
    private: ClassVar[bool]
    """Whether a guarantee may rest on this source: False when somebody may know or replay what is drawn."""
    description: ClassVar[str]
    """One line for certificates."""

    @abstractmethod
    def words(self) -> Words:
        """A new stream of uniform 64-bit words, independent of all others of this source."""

    @abstractmethod
    def streams(self) -> "Callable[[int], Noise]":
        """For a release that is drawn in parts, by several threads or on several machines: a source for every part, by its number.

        The sources are independent of each other and of this one. What is returned may travel to another machine: it holds no key, and whoever has it
        cannot tell what will be drawn, unless this source can be replayed anyway.
        """

    @abstractmethod
    def beside(self, what: str) -> "Noise":
        """A source for `what` is drawn beside a release, independent of this one, and which leaves this one as it is: nothing else changes by it."""

    def gaussian(self, *, scale: float, dimension: int, draws: int) -> Floats:
        """Independent N(0, scale^2 I) vectors as columns, (dimension, draws), each surely within `gaussian_error` of its ideal."""
        numbers = standard_normals(self.words(), draws * dimension).reshape(draws, dimension)
        return np.asfortranarray(numbers.T) * _checked(scale, "scale")

    def spherical(self, *, rate: float, dimension: int, draws: int) -> Floats:
        """Independent vectors of density prop. to exp(-rate |b|_2) as columns, (dimension, draws), each within `spherical_error` of its ideal."""
        words = self.words()
        directions = standard_normals(words, draws * dimension).reshape(draws, dimension)
        # A normal vector has a uniform direction, independent of its length.
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        lengths = standard_exponentials(words, draws * dimension).reshape(draws, dimension).sum(axis=1, keepdims=True)
        return np.asfortranarray((directions * (lengths / _checked(rate, "rate"))).T)

    def discrete_gaussian(self, *, scale: float, dimension: int, draws: int) -> Integers:
        """Independent integers with P(k) proportional to exp(-k^2 / (2 scale^2)), exactly, (dimension, draws)."""
        variance = Fraction(_checked(scale, "scale")) ** 2
        return discrete_gaussian(self.words(), variance=variance, count=draws * dimension).reshape(dimension, draws)

    def discrete_laplace(self, *, scale: float, dimension: int, draws: int) -> Integers:
        """Independent integers with P(k) proportional to exp(-|k| / scale), exactly, (dimension, draws)."""
        return discrete_laplace(self.words(), scale=_checked(scale, "scale"), count=draws * dimension).reshape(dimension, draws)

    def choice(self, scores: npt.NDArray[np.integer], *, rate: float) -> int:
        """One index i with P(i) proportional to exp(-rate scores[i]), exactly, for integer scores (n,)."""
        return select_one(self.words(), scores, rate=_checked(rate, "rate"))


@dataclass(frozen=True, slots=True)
class SystemNoise(Noise):
    """Noise keyed by the operating system's randomness: the only source under which a certificate is valid."""

    private: ClassVar[bool] = True
    description: ClassVar[str] = SYSTEM_SOURCE

    def words(self) -> Words:
        """A stream under a fresh key."""
        return system_words()

    def streams(self) -> "Callable[[int], Noise]":
        """This source, for every part: it has no state, so wherever a copy draws, it asks the operating system there for a fresh key."""
        return partial(_itself, self)

    def beside(self, what: str) -> "Noise":  # noqa: ARG002 - every call draws under a key of its own
        """This source."""
        return self


@dataclass(frozen=True, slots=True)
class SeededNoise(Noise):
    """Reproducible noise for tests and studies. Whoever knows or guesses the seed can subtract it: no certificate of it verifies."""

    private: ClassVar[bool] = False
    description: ClassVar[str] = SEEDED_SOURCE
    seed: int
    _calls: "count[int]" = field(default_factory=count, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a seed that is no integer."""
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise InvalidInput(f"a seed must be an integer; {self.seed!r} was given.")

    def words(self) -> Words:
        """The stream of the next call."""
        # Each call has a key of its own, as with the system's source: no stream depends on how much another one drew.
        text = f"discreet seeded noise {self.seed} {next(self._calls)}"
        return keyed_words(hashlib.sha256(text.encode()).digest())

    def streams(self) -> "Callable[[int], Noise]":
        """Sources that the seed, this call and the number of the part determine, wherever and in whatever order parts are drawn."""
        return partial(_seeded_part, self.seed, next(self._calls))

    def beside(self, what: str) -> "Noise":
        """The source that the seed and this name determine, from its beginning."""
        return _SeededPart(self.seed, part=what)

    def __reduce__(self) -> tuple[object, ...]:
        """Refuse: a copy would replay the same noise from its own counter."""
        raise PrivateDataError("a seeded noise source cannot be copied; create one per worker, each with its own seed.")


@dataclass(frozen=True, slots=True)
class _SeededPart(SeededNoise):
    """One part of what a seed gives."""

    part: str = ""

    def words(self) -> Words:
        """The stream of the next call within the part."""
        text = f"discreet seeded noise {self.seed} {self.part} {next(self._calls)}"
        return keyed_words(hashlib.sha256(text.encode()).digest())

    def beside(self, what: str) -> "Noise":
        """A source that the seed, this part and the name determine."""
        return _SeededPart(self.seed, part=f"{self.part} {what}")


def _itself(source: Noise, _number: int) -> Noise:
    return source


def _seeded_part(seed: int, call: int, number: int) -> Noise:
    return _SeededPart(seed, part=f"{call} part {number}")


def _checked(size: float, what: str) -> float:
    """Noise of no size, or of a size that is no number, is refused rather than drawn."""
    if not (is_finite(size) and size > 0):
        raise InvalidInput(f"noise needs a positive finite {what}; {size!r} was given.")
    return size


def system_words() -> Words:
    """A stream under a fresh key of the operating system, which no other stream shares."""
    return keyed_words(os.urandom(KEY_BYTES))


def apart(noise: Noise, count: int) -> Sequence[Noise]:
    """`count` sources for work that several threads share, independent of each other and of what `noise` draws later, whoever draws first.

    A source that is keyed by the operating system takes a fresh key for every call, in any thread, so it may be shared. A seeded one counts its
    calls: in threads their order would be a race, and noise would not repeat. It is replaced by sources with seeds drawn from it here, in order.
    """
    if isinstance(noise, SeededNoise):
        return [SeededNoise(int(word)) for word in noise.words()(count)]
    return [noise] * count


def standard_normals(words: Words, count: int) -> Floats:
    """`count` standard normal numbers, each within NORMAL_ERROR of its ideal."""
    # Of the first word the highest bit is the sign, the next says which branch, and 62 are left for the uniform number.
    first, second = words(count), words(count)
    negative, tail = (first >> np.uint64(63)).astype(bool), (first >> np.uint64(62) & np.uint64(1)).astype(bool)
    uniform = _uniforms(first << np.uint64(2), second, 62, words)
    size = np.empty(count)
    size[tail] = -special.ndtri(0.25 * uniform[tail])
    size[~tail] = math.sqrt(2.0) * special.erfinv(0.5 * uniform[~tail])
    return np.where(negative, -size, size)


def standard_exponentials(words: Words, count: int) -> Floats:
    """`count` exponential numbers of mean 1, each within 2^-51 (1 + itself) of its ideal."""
    return -np.log(_uniforms(words(count), words(count), 64, words))


def _uniforms(leading: WordArray, following: WordArray, bits: int, words: Words) -> Floats:
    """Numbers of (0, 1) to a relative 2^-52: `bits` upper bits of `leading`, 64 of `following`, and more words where the former are all zero."""
    uniform: Floats = leading.astype(np.float64) * 2.0**-64 + following.astype(np.float64) * 2.0 ** -(bits + 64)
    for index in np.flatnonzero(leading == 0):
        uniform[index] = _small(int(following[index]), bits, words)
    return uniform


def _small(word: int, zeros: int, words: Words) -> float:
    """The number that begins with `zeros` zero bits and goes on with `word`."""
    while word == 0:
        zeros += 64
        if zeros > _ZERO_BITS:
            raise RuntimeError("the random source returned hundreds of zero bits in a row: it is broken.")
        word = int(words(1)[0])
    return math.ldexp(float((word << 64) + int(words(1)[0])), -(zeros + 128))
