"""Where noise comes from, and the laws that mechanisms draw.

    gaussian:           N(0, scale^2 I_d), each number surely close to an ideal real one (module `continuous`)
    spherical:          density proportional to exp(-rate |b|_2) on R^d: |b| a sum of d exponential numbers over the rate, direction uniform
                        (Chaudhuri, Monteleoni, Sarwate 2011, eq. 7)
    discrete_gaussian:  integers with probability proportional to exp(-k^2 / (2 scale^2)), exactly (Canonne, Kamath, Steinke 2020)
    discrete_laplace:   integers with probability proportional to exp(-|k| / scale), exactly
    choice:             an index with probability proportional to exp(-rate score), scores integers, exactly

Bits come from ChaCha20 under a fresh 256-bit key for every call, so no state is shared between calls, threads or forked workers, and no key
outlives a call.
"""

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import count

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput, PrivateDataError
from discreet.noise.continuous import EXPONENTIAL_LIMIT, NORMAL_ERROR, NORMAL_LIMIT, standard_exponentials, standard_normals
from discreet.noise.discrete import discrete_gaussian, discrete_laplace
from discreet.noise.tally import select_one
from discreet.noise.words import Integers, Words, keyed_words, system_words

SYSTEM_SOURCE = "ChaCha20, a fresh 256-bit key from the operating system for every draw"
"""What a certificate says of noise from the operating system."""
SEEDED_SOURCE = "ChaCha20 from a seed chosen by the caller: reproducible, therefore not private"
"""What a certificate says of noise from a seed."""


class Noise(ABC):
    """A source of noise. `private` is False when somebody may know or replay what is drawn."""

    __slots__ = ()

    @property
    @abstractmethod
    def private(self) -> bool:
        """Whether a guarantee may rest on this source."""

    @property
    @abstractmethod
    def description(self) -> str:
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

    def gaussian(self, *, scale: float, dimension: int, draws: int) -> Floats:
        """Independent N(0, scale^2 I) vectors as columns, (dimension, draws), each surely within `gaussian_error` of its ideal."""
        numbers = standard_normals(self.words(), draws * dimension).reshape(draws, dimension)
        return np.asfortranarray(numbers.T) * _checked(scale, "scale")

    def spherical(self, *, rate: float, dimension: int, draws: int) -> Floats:
        """Independent vectors of density prop. to exp(-rate |b|_2) as columns, (dimension, draws), each within `spherical_error` of its ideal."""
        words = self.words()
        directions = standard_normals(words, draws * dimension).reshape(draws, dimension)
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

    @property
    def private(self) -> bool:
        """True."""
        return True

    @property
    def description(self) -> str:
        """Names the generator and the origin of its key."""
        return SYSTEM_SOURCE

    def words(self) -> Words:
        """A stream under a fresh key."""
        return system_words()

    def streams(self) -> "Callable[[int], Noise]":
        """This source, for every part: it has no state, so wherever a copy draws, it asks the operating system there for a fresh key."""
        return partial(_itself, self)


@dataclass(frozen=True, slots=True)
class SeededNoise(Noise):
    """Reproducible noise for tests and studies. Whoever knows or guesses the seed can subtract it, so it protects nobody."""

    seed: int
    _calls: "count[int]" = field(default_factory=count, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a seed that is no integer."""
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise InvalidInput(f"a seed must be an integer; {self.seed!r} was given.")

    @property
    def private(self) -> bool:
        """False: a certificate issued under this source never verifies."""
        return False

    @property
    def description(self) -> str:
        """Says that the noise can be replayed."""
        return SEEDED_SOURCE

    def words(self) -> Words:
        """The stream of the next call."""
        text = f"discreet seeded noise {self.seed} {next(self._calls)}"
        return keyed_words(hashlib.sha256(text.encode()).digest())

    def streams(self) -> "Callable[[int], Noise]":
        """Sources that the seed, this call and the number of the part determine, wherever and in whatever order parts are drawn."""
        return partial(_seeded_part, self.seed, next(self._calls))

    def __reduce__(self) -> tuple[object, ...]:
        """Refuse: a copy would replay the same noise from its own counter."""
        raise PrivateDataError("a seeded noise source cannot be copied; make one per worker, with its own seed.")


@dataclass(frozen=True, slots=True)
class _SeededPart(SeededNoise):
    """One part of what a seed gives."""

    part: str = ""

    def words(self) -> Words:
        """The stream of the next call within the part."""
        text = f"discreet seeded noise {self.seed} {self.part} {next(self._calls)}"
        return keyed_words(hashlib.sha256(text.encode()).digest())


def _itself(source: Noise, _number: int) -> Noise:
    return source


def _seeded_part(seed: int, call: int, number: int) -> Noise:
    return _SeededPart(seed, part=f"{call} part {number}")


def gaussian_error(*, scale: float, dimension: int) -> float:
    """The largest Euclidean distance of a drawn Gaussian vector from its ideal: that of the numbers, and one more rounding."""
    return (NORMAL_ERROR + 2.0**-52) * NORMAL_LIMIT * scale * math.sqrt(dimension)


def spherical_error(*, rate: float, dimension: int) -> float:
    """The largest Euclidean distance of a drawn spherical vector from its ideal.

    The length, at most d EXPONENTIAL_LIMIT / rate, is a sum of d numbers y off by 2^-51 (1 + y), added with a relative error below d 2^-53;
    the direction, from numbers off by a relative NORMAL_ERROR, is off by less than 2 NORMAL_ERROR + (d + 8) 2^-53.
    """
    longest = dimension * EXPONENTIAL_LIMIT / rate
    return dimension * 2.0**-51 / rate + longest * (2.0 * NORMAL_ERROR + 2.0**-51 + (2 * dimension + 16) * 2.0**-53)


def _checked(size: float, what: str) -> float:
    """Noise of no size, or of a size that is no number, is refused rather than drawn."""
    if not (is_finite(size) and size > 0):
        raise InvalidInput(f"noise needs a positive finite {what}; {size!r} was given.")
    return size
