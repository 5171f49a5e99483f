"""The laws of noise, each a frozen object that says all of itself: name and words, sampler, variance, and how its probabilities compare.

    DiscreteLaplace(t)     integers, P(k) proportional to exp(-|k| / t)                 variance 1 / (2 sinh(1 / (2 t))^2), at most 2 t^2
    DiscreteGaussian(s)    integers, P(k) proportional to exp(-k^2 / (2 s^2))           variance at most s^2
    Normal(s)              numbers, N(0, s^2) each                                      variance s^2
    Spherical(r)           vectors, density proportional to exp(-r |b|_2) on R^d        variance (d + 1) / r^2 of every number

The probabilities are written from these formulas, and no sampler uses them: audits hold the one against the other (`normal_scores`). The declaration
of a mechanism has a law; whoever verifies a certificate computes with formulas of their own.

A uniform number between P(X < x) and P(X <= x) is uniform whatever the law of X is, which turns a value into a standard normal score: exactly, where
the law is continuous or its masses are summed. Discrete Gaussian integers of a scale beyond 64 are taken for rounded normal numbers, which moves a
probability by less than 1e-5.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.lazily import lazily

if TYPE_CHECKING:
    from discreet.noise.source import Noise
    from discreet.noise.words import Integers

special = lazily("scipy.special")
_LARGEST_SUMMED_SCALE = 64.0
_LEAST_PROBABILITY = 2.0**-53


class Law(ABC):
    """A law that is symmetric around 0, of a public size."""

    __slots__ = ()
    name: ClassVar[str]
    """In sentences."""

    @abstractmethod
    def __str__(self) -> str:
        """The law with its size, in words."""

    @abstractmethod
    def variance(self, dimension: int = 1) -> float:
        """The variance of each number of a draw of this many, or a close upper bound."""

    @abstractmethod
    def draw(self, noise: "Noise", dimension: int, draws: int) -> "Floats | Integers":
        """Independent draws as columns, (dimension, draws)."""

    @abstractmethod
    def resized(self, factor: float) -> Self:
        """The law of so many times its size."""

    @abstractmethod
    def log_mass(self, values: npt.ArrayLike) -> Floats:
        """The logarithm of the probability, or density, up to a constant: of each number, or of a vector of each length."""

    @abstractmethod
    def normal_scores(self, values: npt.ArrayLike, uniform: Callable[[tuple[int, ...]], Floats]) -> Floats:
        """Standard normal numbers that are independent where the `values` (runs, numbers) have this law.

        `uniform` gives uniform numbers on (0, 1) in a shape, independent of the values.
        """

    def log_ratio(self, values: npt.ArrayLike, moved: float) -> Floats:
        """ln p(x) - ln p(x + moved) for each x of `values`."""
        return self.log_mass(values) - self.log_mass(np.asarray(values, dtype=np.float64) + moved)


class IntegerLaw(Law):
    """A law on the integers, of some scale."""

    __slots__ = ()
    scale: float
    reach: ClassVar[float]
    """Scales beyond which less than 1e-17 of it lies."""

    def __str__(self) -> str:
        """See Law."""
        return f"{self.name} of scale {self.scale:.6g}"

    @abstractmethod
    def draw(self, noise: "Noise", dimension: int, draws: int) -> "Integers":
        """See Law."""

    @property
    @abstractmethod
    def largest_deviation(self) -> float:
        """A bound of the standard deviation, close where the scale is large."""

    @abstractmethod
    def tails(self, *, grid: int, count: int) -> Floats:
        """P(|K| > grid j) for j = 0, ..., count - 1."""

    @abstractmethod
    def bound(self, failure: float) -> float:
        """A number that |K| exceeds with this probability at most."""

    def masses(self) -> tuple[Floats, Floats]:
        """Integers within reach, and their probabilities, which add up to 1."""
        last = int(self.reach * self.scale) + 2
        k = np.arange(-last, last + 1, dtype=np.float64)
        relative: Floats = np.exp(self.log_mass(k))
        return k, relative / relative.sum()


@dataclass(frozen=True, slots=True)
class DiscreteLaplace(IntegerLaw):
    """Independent integers with P(k) proportional to exp(-|k| / scale)."""

    scale: float
    name: ClassVar[str] = "discrete Laplace"
    reach: ClassVar[float] = 40.0

    def variance(self, dimension: int = 1) -> float:  # noqa: ARG002 - the same for any number of them
        """See Law; exact."""
        return 0.5 / math.sinh(0.5 / self.scale) ** 2

    @property
    def largest_deviation(self) -> float:
        """See IntegerLaw."""
        return math.sqrt(2.0) * self.scale

    def draw(self, noise: "Noise", dimension: int, draws: int) -> "Integers":
        """See Law."""
        return noise.discrete_laplace(scale=self.scale, dimension=dimension, draws=draws)

    def resized(self, factor: float) -> Self:
        """See Law."""
        return replace(self, scale=factor * self.scale)

    def log_mass(self, values: npt.ArrayLike) -> Floats:
        """See Law."""
        return -np.abs(np.asarray(values, dtype=np.float64)) / self.scale

    def tails(self, *, grid: int, count: int) -> Floats:
        """See IntegerLaw: P(|K| > m) = 2 r^(m + 1) / (1 + r) with r = exp(-1 / scale)."""
        return 2.0 * np.exp(-(grid * np.arange(count) + 1.0) / self.scale) / (1.0 + math.exp(-1.0 / self.scale))

    def bound(self, failure: float) -> float:
        """See IntegerLaw: P(|K| >= m) <= 2 exp(-m / scale)."""
        return self.scale * math.log(2.0 / failure)

    def normal_scores(self, values: npt.ArrayLike, uniform: Callable[[tuple[int, ...]], Floats]) -> Floats:
        """See Law."""
        drawn = np.rint(np.asarray(values, dtype=np.float64))
        tail = np.exp(-np.abs(drawn) / self.scale) / (1.0 + math.exp(-1.0 / self.scale))  # P(K <= -|k|)
        mass = tail * -math.expm1(-1.0 / self.scale)
        return scores_of(np.where(drawn <= 0, tail - mass, 1.0 - tail) + uniform(drawn.shape) * mass)


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(IntegerLaw):
    """Independent integers with P(k) proportional to exp(-k^2 / (2 scale^2))."""

    scale: float
    name: ClassVar[str] = "discrete Gaussian"
    reach: ClassVar[float] = 9.5

    def variance(self, dimension: int = 1) -> float:  # noqa: ARG002 - the same for any number of them
        """See Law: an upper bound, exact to 1e-8 from a scale of 1 on."""
        return self.scale**2

    @property
    def largest_deviation(self) -> float:
        """See IntegerLaw."""
        return self.scale

    def draw(self, noise: "Noise", dimension: int, draws: int) -> "Integers":
        """See Law."""
        return noise.discrete_gaussian(scale=self.scale, dimension=dimension, draws=draws)

    def resized(self, factor: float) -> Self:
        """See Law."""
        return replace(self, scale=factor * self.scale)

    def log_mass(self, values: npt.ArrayLike) -> Floats:
        """See Law."""
        return -0.5 * np.square(np.asarray(values, dtype=np.float64) / self.scale)

    def tails(self, *, grid: int, count: int) -> Floats:
        """See IntegerLaw; on a grid beyond a scale of 64, those of a rounded normal number."""
        if grid > 1:
            return 2.0 * special.ndtr(-(grid * np.arange(count) + 0.5) / self.scale)
        weights = np.exp(self.log_mass(np.arange(max(count, int(self.reach * self.scale) + 2) + 1)))
        total = 2.0 * float(np.sum(weights)) - 1.0
        return (2.0 * (np.cumsum(weights[::-1])[::-1] / total)[1:])[:count]

    def bound(self, failure: float) -> float:
        """See IntegerLaw: P(|K| >= m) <= 2 exp(-m^2 / (2 scale^2))."""
        return self.scale * math.sqrt(2.0 * math.log(2.0 / failure))

    def normal_scores(self, values: npt.ArrayLike, uniform: Callable[[tuple[int, ...]], Floats]) -> Floats:
        """See Law."""
        drawn = np.rint(np.asarray(values, dtype=np.float64))
        if self.scale > _LARGEST_SUMMED_SCALE:
            return (drawn + uniform(drawn.shape) - 0.5) / math.sqrt(self.scale**2 + 1.0 / 12.0)
        k, masses = self.masses()
        places = (np.clip(drawn, k[0], k[-1]) - k[0]).astype(np.int64)
        return scores_of_masses(places, masses, np.arange(len(masses)), uniform)


@dataclass(frozen=True, slots=True)
class Normal(Law):
    """Independent numbers N(0, scale^2)."""

    scale: float
    """The standard deviation."""
    name: ClassVar[str] = "Gaussian"

    def __str__(self) -> str:
        """See Law."""
        return f"Gaussian, standard deviation {self.scale:.6g}"

    def variance(self, dimension: int = 1) -> float:  # noqa: ARG002 - the same for any number of them
        """See Law; exact."""
        return self.scale**2

    def draw(self, noise: "Noise", dimension: int, draws: int) -> Floats:
        """See Law."""
        return noise.gaussian(scale=self.scale, dimension=dimension, draws=draws)

    def resized(self, factor: float) -> Self:
        """See Law."""
        return replace(self, scale=factor * self.scale)

    def log_mass(self, values: npt.ArrayLike) -> Floats:
        """See Law."""
        return -0.5 * np.square(np.asarray(values, dtype=np.float64) / self.scale)

    def normal_scores(self, values: npt.ArrayLike, uniform: Callable[[tuple[int, ...]], Floats]) -> Floats:  # noqa: ARG002 - they are normal already
        """See Law."""
        return np.asarray(values, dtype=np.float64) / self.scale


@dataclass(frozen=True, slots=True)
class Spherical(Law):
    """Vectors of density proportional to exp(-rate |b|_2): the length is Gamma distributed, the direction uniform."""

    rate: float
    name: ClassVar[str] = "spherical"

    def __str__(self) -> str:
        """See Law."""
        return f"density proportional to exp(-{self.rate:.6g} |b|)"

    def variance(self, dimension: int = 1) -> float:
        """See Law; exact: E |b|^2 = d (d + 1) / rate^2."""
        return (dimension + 1) / self.rate**2

    def draw(self, noise: "Noise", dimension: int, draws: int) -> Floats:
        """See Law."""
        return noise.spherical(rate=self.rate, dimension=dimension, draws=draws)

    def resized(self, factor: float) -> Self:
        """See Law."""
        return replace(self, rate=self.rate / factor)

    def log_mass(self, values: npt.ArrayLike) -> Floats:
        """See Law; of vectors of these lengths, or of places on a line through 0."""
        return -self.rate * np.abs(np.asarray(values, dtype=np.float64))

    def normal_scores(self, values: npt.ArrayLike, uniform: Callable[[tuple[int, ...]], Floats]) -> Floats:
        """See Law: of a vector in each row, the length, then each number over the root mean square of those after it, a Student variable."""
        vectors = np.asarray(values, dtype=np.float64)
        runs, dimension = vectors.shape
        scores = [scores_of(special.gammainc(dimension, self.rate * np.linalg.norm(vectors, axis=1)))]
        for place in range(dimension - 1):
            later = np.sqrt(np.mean(np.square(vectors[:, place + 1 :]), axis=1))
            scores.append(scores_of(special.stdtr(dimension - place - 1, vectors[:, place] / later)))
        scores.append(scores_of(0.5 * ((vectors[:, -1] > 0) + uniform((runs,)))))
        return np.column_stack(scores)


LAWS_BY_NAME: dict[str, type[DiscreteLaplace | DiscreteGaussian]] = {
    "discrete-laplace": DiscreteLaplace,
    "discrete-gaussian": DiscreteGaussian,
}
"""As certificates name the law of a score."""


def scores_of(uniform: npt.ArrayLike) -> Floats:
    """Normal scores of uniform numbers, kept off 0 and 1 by a rounding error."""
    kept = np.clip(np.asarray(uniform, dtype=np.float64), _LEAST_PROBABILITY, 1.0 - _LEAST_PROBABILITY)
    return np.asarray(special.ndtri(kept), dtype=np.float64)


def scores_of_masses(
    places: npt.NDArray[np.int64], masses: Floats, order: npt.NDArray[np.integer], uniform: Callable[[tuple[int, ...]], Floats]
) -> Floats:
    """Normal scores of outcomes (their places among `masses`, which add up to 1), counted in this order."""
    lower = np.zeros(len(masses))
    lower[order[1:]] = np.cumsum(masses[order])[:-1]
    return scores_of(lower[places] + uniform(places.shape) * masses[places])
