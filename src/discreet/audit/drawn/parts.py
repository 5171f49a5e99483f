"""Whether what leaves a mechanism has the law that its certificate states: tests whose false alarms are bounded without an approximation.

A recovered number x of stated law F becomes a normal score z = Phi^{-1}(F(x)) (module `normal_scores`). Under the stated law the scores of all runs
are independent standard normal numbers, whatever F was, so four tests serve every mechanism. Of N scores, with p an upper bound of the probability
that the stated law gives as much:

    centre         |sum z| / sqrt(N), a standard normal number                                      of each column, and of all together
    spread         sum z^2, chi-square with N degrees of freedom                                    of each column, and of all together
    shape          largest distance of empirical and stated law: p = 2 exp(-2 N D^2)                (Massart 1990, corollary 1)
    independence   |sum of m disjoint products z z'|: p = 2 min_t (1 - t^2)^{-m/2} e^{-t s}         of neighbouring columns, and of neighbouring runs

The last is Chernoff's bound with E e^{t z z'} = (1 - t^2)^{-1/2}. p of all tests is their number times the least (Bonferroni).
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtr, chdtrc, ndtr

from discreet.accounting import Json
from discreet.core.arrays import Floats

FALSE_ALARM = 1e-9
"""Probability, at most, with which a watch of a mechanism that draws as stated says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """One kind of noise that was recovered from what left."""

    what: str
    """Which noise, in words."""
    stated: str
    """The law of the certificate, in words."""
    scores: Floats
    """Normal scores, (runs, numbers of one run)."""

    @property
    def spread(self) -> float:
        """Root mean square of the scores: near 1 as stated, near 1/2 for normal noise of half the size."""
        return math.sqrt(float(np.mean(np.square(self.scores))))

    @property
    def chance(self) -> float:
        """p of all tests together: the stated law gives scores as odd as these with at most this probability."""
        found = list(_tests(self.scores))
        return min(1.0, len(found) * min(found))

    def __str__(self) -> str:
        """For people."""
        runs, numbers = self.scores.shape
        return f"{self.what}, {runs * numbers} numbers: {self.stated}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What left a mechanism in many runs, noise recovered. `as_stated` is False with probability FALSE_ALARM at most where all laws are as stated."""

    mechanism: str
    """Name in certificates."""
    parts: tuple[Part, ...]

    @property
    def as_stated(self) -> bool:
        """Whether no part is odder than chance makes them, counted together."""
        return not self.odd

    @property
    def odd(self) -> tuple[Part, ...]:
        """Parts that do not have their stated law."""
        return tuple(part for part in self.parts if part.chance * len(self.parts) < FALSE_ALARM)

    def lines(self) -> list[str]:
        """For people; numbers that chance makes are shown of parts that are odd only."""
        odd = self.odd
        return [
            f"{part}; " + (f"drawn otherwise: spread {part.spread:.3g} times that, chance {part.chance:.2g}" if part in odd else "drawn so")
            for part in self.parts
        ]

    def to_dict(self) -> dict[str, Json]:
        """For files."""
        return {
            "mechanism": self.mechanism,
            "as_stated": self.as_stated,
            "false_alarm": FALSE_ALARM,
            "parts": [
                {"what": part.what, "stated": part.stated, "numbers": part.scores.size, "spread": part.spread, "chance": part.chance}
                for part in self.parts
            ],
        }


def _tests(scores: Floats) -> Iterator[float]:
    """p of every test."""
    for some in (scores.ravel(), *(scores.T if scores.shape[1] > 1 else ())):
        yield _centre(some)
        yield _spread(some)
    yield _shape(scores.ravel())
    runs, numbers = scores.shape
    if numbers > 1:
        even = numbers // 2 * 2
        yield _independence(scores[:, 0:even:2], scores[:, 1:even:2])
    if runs > 1:
        even = runs // 2 * 2
        yield _independence(scores[0:even:2], scores[1:even:2])


def _centre(scores: Floats) -> float:
    return 2.0 * float(ndtr(-abs(float(np.sum(scores))) / math.sqrt(len(scores))))


def _spread(scores: Floats) -> float:
    total = float(np.sum(np.square(scores)))
    return min(1.0, 2.0 * min(float(chdtr(len(scores), total)), float(chdtrc(len(scores), total))))


def _shape(scores: Floats) -> float:
    below: Floats = np.sort(np.asarray(ndtr(scores), dtype=np.float64))
    count = len(below)
    places = np.arange(count + 1) / count
    distance = max(float(np.max(places[1:] - below)), float(np.max(below - places[:-1])))
    return min(1.0, 2.0 * math.exp(-2.0 * count * distance**2))


def _independence(first: Floats, second: Floats) -> float:
    count, total = first.size, abs(float(np.sum(first * second)))
    if total == 0:
        return 1.0
    best = (math.sqrt(count**2 + 4.0 * total**2) - count) / (2.0 * total)
    return min(1.0, 2.0 * math.exp(-0.5 * count * math.log1p(-(best**2)) - best * total))


def number(parameters: Mapping[str, Json], name: str) -> float:
    """A number that the certificate states."""
    value = parameters[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"the certificate states no number {name!r}")
    return float(value)
