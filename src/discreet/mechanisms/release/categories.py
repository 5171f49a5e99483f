"""One person's categories, randomised by their owner: k-ary response or optimised unary encoding (proof note categories.md).

    response   the own category with probability a / N, each of the other k - 1 with b / N,     N = a + (k - 1) b; leaves as k bits with a single 1
    unary      k bits: the own one is 1 with probability 1/2, each other one with b / (a + b)   (Wang, Blocki, Li, Jha 2017)

a and b are integers, b = 2^40, a even: each draw compares one uniform integer with integers. Both have pure epsilon = ln(a / b), which is reached;
several columns of one record add up. a is the largest even integer for which the stated epsilon, which is rounded up, is not above the one that was
asked: that loses less than 2^-38 of an epsilon a column.

With p the probability of the own bit and q that of another, (bit - q) / (p - q) is an unbiased answer to "is it this category?", of a variance over
many persons, of whom a share f is in the category, of

    q (1 - q) / (p - q)^2 + f (1 - p - q) / (p - q)      a person

The mean of this over the k categories is the same whatever the shares are, since these add up to 1: the law with the smaller one is taken, from k and
epsilon alone.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, Json, PureDP
from discreet.accounting.shuffling import LARGEST_EPSILON, LEAST_DELTA, Answered, shuffled_reports
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.core.rounding import up
from discreet.core.validate import number, whole
from discreet.mechanisms.base import Drawn, Mechanism, Numbers
from discreet.noise import Integers, Noise
from discreet.noise.words import uniform_below
from discreet.words.categories import CATEGORIES, MOST_CATEGORIES, RESPONSE, UNARY, UNIT, asked_columns, kept_of, laws_of

SHUFFLED_REPORTS = "reports of categories in a secret order (shuffled_rows.md)"
OWNERS = "whose report is whose"
FEWEST = 20.0
"""Reports that look alike on average: with fewer the order is worth next to nothing, and is not counted."""
_NEAR = 1e-4
_FALL, _TRIED = 0.8, 60
MOST_EPSILON = 9.0
"""Of one column: the own answer is then right but for a few in ten thousand, and a is below 2^53."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories:
    """The public question: in which category of each of these columns a record is."""

    columns: tuple[tuple[str, int], ...]
    """Name and number of categories of each."""

    def __post_init__(self) -> None:
        """Raise InvalidInput for no column, and for one of fewer than 2 or more than 4,096 categories."""
        if not self.columns:
            raise InvalidInput("at least one column of categories is needed; none was given.")
        for name, cells in self.columns:
            if not 2 <= cells <= MOST_CATEGORIES:
                raise InvalidInput(f"column {name!r} has {cells} categories; from 2 to {MOST_CATEGORIES} are needed. Merge rare ones.")

    @property
    def size(self) -> int:
        """Bits of a report."""
        return sum(cells for _, cells in self.columns)

    def to_dict(self) -> dict[str, Json]:
        """See Public."""
        return {"categories": [{"name": name, "cells": cells} for name, cells in self.columns]}

    def require(self, data: Numbers[Integers]) -> None:
        """See Public: one place in each column."""
        sizes = np.array([cells for _, cells in self.columns])
        if data.held.shape != sizes.shape or np.any(data.held < 0) or np.any(data.held >= sizes):
            raise InvalidInput(f"the place of one category in each of {len(sizes)} columns is needed; something else was given.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisedCategories(Mechanism[Categories, Numbers[Integers]]):
    """A report of one person, by that person; its value is (1, bits) of zeros and ones, column after column."""

    laws: tuple[str, ...]
    """RESPONSE or UNARY, of each column."""
    kept: tuple[int, ...]
    """a of each column."""
    unit: int = UNIT
    """b."""
    neighbours: Neighbours = REPLACE_ONE

    name = "release-categories"

    @classmethod
    def calibrate(cls, problem: Categories, *, epsilon: float) -> Self:
        """The law of the smaller variance for each column, all columns with the same share of epsilon.

        Raises InvalidInput for an epsilon that is none or above 9 a column; InfeasibleTarget for one that is too small for the integers.
        """
        count, epsilon = len(problem.columns), number(epsilon, "epsilon")
        if not 0 < epsilon <= MOST_EPSILON * count:
            raise InvalidInput(f"epsilon must be positive and at most {MOST_EPSILON * count:g}, {MOST_EPSILON:g} a column; {epsilon!r} was given.")
        kept = math.floor(UNIT * math.exp(epsilon / count)) // 2 * 2
        while _spent((kept,) * count, UNIT) > epsilon:
            kept -= 2
        if kept <= UNIT:
            raise InfeasibleTarget(
                f"epsilon={epsilon!r} is too small for {count} columns: the answers would be pure noise. Raise it, or use fewer columns."
            )
        laws = tuple(min((RESPONSE, UNARY), key=lambda law: mean_variance(law, cells, kept / UNIT)) for _, cells in problem.columns)
        return cls(laws=laws, kept=(kept,) * count)

    @classmethod
    def calibrate_shuffled(cls, problem: Categories, *, epsilon: float, delta: float, shuffled: int) -> Self:
        """The least noise with which `shuffled` reports in a secret order, or shares that follow from them, have (epsilon, delta) together.

        Each report by itself has a larger epsilon, that of its certificate. Raises InvalidInput for a target that is none.
        """
        whole(shuffled, "the number of shuffled reports")
        epsilon, delta = number(epsilon, "epsilon"), number(delta, "delta")
        most = MOST_EPSILON * len(problem.columns)
        if not 0 < epsilon <= min(most, LARGEST_EPSILON) or not LEAST_DELTA <= delta < 1:
            raise InvalidInput(f"shuffled reports need 0 < epsilon <= {min(most, LARGEST_EPSILON):g} and {LEAST_DELTA:g} <= delta < 1.")
        low, high = epsilon, most
        while high - low > _NEAR * low:
            middle = 0.5 * (low + high)
            enough = cls.calibrate(problem, epsilon=middle).shuffled_delta(problem, epsilon=epsilon, shuffled=shuffled) <= delta
            low, high = (middle, high) if enough else (low, middle)
        return cls.calibrate(problem, epsilon=low)

    def shuffled_delta(self, problem: Categories, *, epsilon: float, shuffled: int) -> float:
        """Of so many reports in a secret order (shuffled_rows.md, theorem 5), or of one alone where it is smaller."""
        alone = 0.0 if self.promise(problem).epsilon <= epsilon else 1.0
        sizes = [cells for _, cells in problem.columns]
        answers = [Answered(law == RESPONSE, cells, one / self.unit) for law, cells, one in zip(self.laws, sizes, self.kept, strict=True)]
        if alone == 0 or math.prod(each.share for each in answers) * shuffled < FEWEST:
            return alone
        return shuffled_reports(epsilon, answers, shuffled)

    def shuffled(self, problem: Categories, *, delta: float, shuffled: int) -> ApproximateDP:
        """What so many owners are promised of those who see their reports in a secret order, or what follows from these: the least epsilon for delta.

        Raises InvalidInput for a delta that is none, and for reports of which too few look alike to be counted: then each has its own promise alone.
        """
        whole(shuffled, "the number of shuffled reports")
        own = self.promise(problem).epsilon
        if not LEAST_DELTA <= number(delta, "delta") < 1:
            raise InvalidInput(f"shuffled reports need {LEAST_DELTA:g} <= delta < 1; {delta!r} was given.")
        tried = min(own, LARGEST_EPSILON) * _FALL ** np.arange(_TRIED)
        high = next((each for each in tried.tolist() if self.shuffled_delta(problem, epsilon=each * (1.0 - _NEAR), shuffled=shuffled) <= delta), None)
        if high is None:
            raise InvalidInput(
                f"{shuffled} of these reports do not hide each other at delta = {delta:g}: each owner has epsilon = {own:.4g} as it is, and no less. "
                "Leave the order uncounted, or ask more people."
            )
        low = _FALL * high
        while high - low > _NEAR * high and self.shuffled_delta(problem, epsilon=low, shuffled=shuffled) <= delta:
            low, high = _FALL * low, low
        while high - low > _NEAR * high:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.shuffled_delta(problem, epsilon=middle, shuffled=shuffled) <= delta else (middle, high)
        return ApproximateDP(epsilon=high, delta_at_epsilon=delta, neighbours=self.neighbours, theorem=SHUFFLED_REPORTS, secret=(OWNERS,))

    def promise(self, problem: Categories) -> PureDP:
        """See the module docstring."""
        if not len(self.laws) == len(self.kept) == len(problem.columns):
            raise InvalidInput(f"one distribution per column is needed; {len(self.laws)} were given for {len(problem.columns)} columns.")
        return PureDP(epsilon=_spent(self.kept, self.unit), neighbours=self.neighbours, local=True, theorem=CATEGORIES)

    def draw(self, problem: Categories, data: Numbers[Integers], noise: Noise) -> Drawn:
        """See Mechanism."""
        columns = zip(self.laws, self.kept, problem.columns, data.held.tolist(), strict=True)
        bits = [(_response if law == RESPONSE else _unary)(code, cells, kept, self.unit, noise) for law, kept, (_, cells), code in columns]
        return Drawn.of(np.concatenate(bits).astype(np.float64)[np.newaxis])


def probabilities(law: str, cells: int, odds: float) -> tuple[float, float]:
    """p and q of the module docstring, for a / b."""
    return (odds / (odds + cells - 1), 1.0 / (odds + cells - 1)) if law == RESPONSE else (0.5, 1.0 / (odds + 1.0))


def variance(law: str, cells: int, odds: float, *, share: float = 0.0) -> float:
    """Of one person's unbiased answer for a category with this share of all persons; from 0, the noise of a rare one."""
    own, other = probabilities(law, cells, odds)
    return other * (1.0 - other) / (own - other) ** 2 + share * (1.0 - own - other) / (own - other)


def mean_variance(law: str, cells: int, odds: float) -> float:
    """The mean over all categories, whatever their shares."""
    return variance(law, cells, odds, share=1.0 / cells)


def columns_of(parameters: Mapping[str, Json], problem: Mapping[str, Json]) -> Iterator[tuple[str, int, float]]:
    """Law, number of categories and a / b of each column of a certificate. Raises KeyError, TypeError or ValueError for the record of another one."""
    laws, kept, sizes = laws_of(parameters["laws"]), kept_of(parameters["kept"]), asked_columns(problem["categories"])
    for law, one, cells in zip(laws, kept, sizes, strict=True):
        yield law, cells, one / UNIT


def _spent(kept: tuple[int, ...], unit: int) -> float:
    """The sum of ln(a / b), rounded up; a / b is a float, exactly."""
    return up(math.fsum(math.log(one / unit) for one in kept), len(kept) + 32)


def _response(code: int, cells: int, kept: int, unit: int, noise: Noise) -> Integers:
    place = int(uniform_below(noise.words(), kept + (cells - 1) * unit, count=1)[0])
    other = max(place - kept, 0) // unit
    answer = code if place < kept else other + (other >= code)
    return (np.arange(cells) == answer).astype(np.int64)


def _unary(code: int, cells: int, kept: int, unit: int, noise: Noise) -> Integers:
    ends = np.full(cells, unit)
    ends[code] = (kept + unit) // 2
    return (uniform_below(noise.words(), kept + unit, count=cells) < ends).astype(np.int64)


def unbiased(law: str, cells: int, odds: float, shares: Floats) -> Floats:
    """Frequencies from the shares of reports with each bit, without bias; or any other probabilities of bits."""
    own, other = probabilities(law, cells, odds)
    return np.asarray((shares - other) / (own - other))
