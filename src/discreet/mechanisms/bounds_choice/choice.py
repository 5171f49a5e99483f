"""The exponential mechanism for bounds: few records outside, few steps outwards (proof note bounds_choice.md).

    z_j = number of records above upper_j + toll (j + 2 [j > 0])        P(j) = exp(-rate z_j) / sum_k exp(-rate z_k)        (below lower_j likewise)

for every column. One record moves all z_j of one side in one direction, by 0 or 1, so a choice has range `rate` (and not 2 rate): its log ratio lies
in an interval of that length. Under add-remove a record lies on one side only, and both choices of a column have range `rate` together. So with
c columns and s sides that there is a choice of, the release is T choices of range `rate`, T = c under add-remove and s under replace-one:

    pure:          epsilon = T rate
    (eps, delta):  the Renyi curve of bounded range, T times (Durfee and Rogers 2019; accounting/bounded_range.py)

Rows that share one person's weight count 2^20 times their weight each, rounded down, in scores that are 2^20 times as fine: then z_j moves by a
number in [0, 1] that falls along the list, and everything above holds for persons.

toll = ceil(1.5 / rate) records: what one more step outwards must save, and three times that for leaving the centre, which often is a natural bound
such as 0. It keeps the choice from wandering off where no record is any more. Tolls are public: privacy does not rest on them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, Json, PureDP, bounded_range_renyi, bounded_range_width
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons, unit_of
from discreet.mechanisms.base import Drawn, Mechanism, Numbers, at_epsilon
from discreet.mechanisms.bounds_choice.grid import BoundsGrid
from discreet.mechanisms.counting.queries import counted, parts_of, shares_of
from discreet.noise import Integers, Noise
from discreet.words.counting import WHOLE, BoundsSpec

BOUNDS_CHOICE = "bounds-choice"
_ROUNDING = 1e-15
_LARGEST_TOLL = 1 << 40
_WORTH = 1.02
"""How much larger a rate has to be to be worth a delta."""
_TOLL = 1.5
"""Times 1 / rate; with less, bounds ten times too wide become likely (5 % at 1, 1 % at 1.5), with more, small tables are cut."""
_TIMES = 20.0
"""One choice in so many may go astray where it is told to be more than noise."""
_LEAVING = 2
"""Tolls for the first step, besides its own."""


@dataclass(frozen=True, slots=True)
class OpenColumns:
    """The public problem: candidates for each column, by its name. Raises InvalidInput for no column at all."""

    grids: Mapping[str, BoundsGrid]
    persons: Persons | None = None
    """Whose rows are whose; None where the unit of privacy is a row."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if not self.grids:
            raise InvalidInput("no column has bounds to choose.")

    @property
    def parts(self) -> int:
        """What one record counts: 1, or as many parts as rows of one person share."""
        return parts_of(self.persons)

    def choices(self, neighbours: Neighbours) -> int:
        """T of the module docstring."""
        return len(self.grids) if neighbours is ADD_REMOVE else sum(grid.sides for grid in self.grids.values())

    def require(self, data: Numbers[Sequence[Floats]]) -> None:
        """Raise InvalidInput for columns that are fewer or more, or of unlike length."""
        if len(data.held) != len(self.grids) or len({len(column) for column in data.held}) > 1:
            raise InvalidInput("a choice of bounds needs a column of values for each of its columns, all of equal length.")
        shares = shares_of(self.persons, data.weights)
        if shares is not None and shares.shape != data.held[0].shape:
            raise InvalidInput("every record needs its weight.")

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {"columns": [{"name": name, **grid.to_dict()} for name, grid in self.grids.items()], **unit_of(self.persons)}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsChoice(BoundsSpec, Mechanism[OpenColumns, Numbers[Sequence[Floats]]]):
    """A calibrated choice. Raises InvalidInput for numbers that promise nothing."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if not 0 < self.rate < math.inf or (self.epsilon is not None and not 0 < self.epsilon < math.inf):
            raise InvalidInput("the choice of bounds needs a positive finite rate, and a positive finite epsilon where delta is stated.")
        if isinstance(self.toll, bool) or not isinstance(self.toll, int) or not 0 <= self.toll <= _LARGEST_TOLL:
            raise InvalidInput(f"the toll of a step must be an integer from 0 to 2^40; {self.toll!r} was given.")

    @classmethod
    def calibrate(cls, problem: OpenColumns, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The largest rate for (epsilon, delta); pure where that is it. Raises InvalidInput for a target outside 0 < epsilon, 0 <= delta < 1."""
        if not (is_finite(epsilon) and epsilon > 0 and 0 <= delta < 1):
            raise InvalidInput(f"the choice of bounds needs 0 < epsilon < infinity and 0 <= delta < 1; {epsilon!r} and {delta!r} were given.")
        count = problem.choices(neighbours)
        pure = epsilon / count * (1.0 - 4.0 * _ROUNDING)
        wide = 0.0 if delta == 0.0 else bounded_range_width(epsilon, delta, count=count, optimal=False) * (1.0 - 4.0 * _ROUNDING)
        rate, stated = (wide, epsilon) if wide > _WORTH * pure else (pure, None)
        return cls(rate=rate, toll=min(math.ceil(_TOLL / rate), _LARGEST_TOLL), neighbours=neighbours, epsilon=stated)

    def promise(self, problem: OpenColumns) -> PureDP | ApproximateDP:
        """What one release promises; needs no records."""
        count = problem.choices(self.neighbours)
        width = self.rate * (1.0 + _ROUNDING)
        if self.epsilon is None:
            return PureDP(epsilon=count * width * (1.0 + _ROUNDING), neighbours=self.neighbours, theorem=self.theorem)
        pure = count * width * (1.0 + _ROUNDING) <= self.epsilon
        delta = 0.0 if pure else bounded_range_renyi(width, count, neighbours=self.neighbours).delta(self.epsilon)
        return at_epsilon(self.epsilon, delta, self.neighbours, self.theorem)

    def least_records(self, problem: OpenColumns) -> dict[str, int]:
        """Of each column, how many records it takes until a choice goes to where they are, up to the middle of its longer list; 0 for no choice.

        All n beyond candidate j - 1 outweigh the tolls of j steps but for one time in twenty where rate n >= rate toll (j + 2) + ln 20.
        """
        middle = {name: (max(len(grid.lower), len(grid.upper)) + 1) // 2 for name, grid in problem.grids.items() if grid.sides}
        tolls = {name: self.toll * (steps + _LEAVING) + math.ceil(math.log(_TIMES) / self.rate) for name, steps in middle.items()}
        return {name: tolls.get(name, 0) for name in problem.grids}

    def scores(self, grid: BoundsGrid, column: Floats, shares: Integers | None = None) -> tuple[Integers, Integers]:
        """z of both sides, exact integers, in parts where rows count their `shares` (n,); NaN counts as inside. Private."""
        parts = 1 if shares is None else WHOLE
        below, above = _below(grid, column, shares), _above(grid, column, shares)
        return below + self._tolls(len(grid.lower), parts), above + self._tolls(len(grid.upper), parts)

    def draw(self, problem: OpenColumns, data: Numbers[Sequence[Floats]], noise: Noise) -> Drawn:
        """See Mechanism: bounds for every column, (c, 2), lower < upper; `data` holds columns (n,) of float64, NaN where a value is missing."""
        pairs, shares = zip(problem.grids.values(), data.held, strict=True), shares_of(problem.persons, data.weights)
        return Drawn.of(np.array([self._chosen(grid, column, shares, noise) for grid, column in pairs]))

    def _tolls(self, count: int, parts: int) -> Integers:
        steps = np.arange(count, dtype=np.int64)
        return min(self.toll * parts, _LARGEST_TOLL) * (steps + _LEAVING * (steps > 0))  # 64 bits hold a million such steps

    def _chosen(self, grid: BoundsGrid, column: Floats, shares: Integers | None, noise: Noise) -> tuple[float, float]:
        rate = self.rate if shares is None else self.rate / WHOLE  # a power of two: exact
        low, high = (noise.choice(scores, rate=rate) if len(scores) > 1 else 0 for scores in self.scores(grid, column, shares))
        if grid.lower[low] == grid.upper[high]:  # both at the centre: one step outwards, which is post-processing
            low, high = (low, high + 1) if len(grid.upper) > 1 else (low + 1, high)
        return grid.lower[low], grid.upper[high]


def _above(grid: BoundsGrid, column: Floats, shares: Integers | None) -> Integers:
    """How many records, or parts of them, lie above each candidate, (m,); comparisons of floats are exact."""
    present = ~np.isnan(column)
    places = np.searchsorted(np.array(grid.upper), column[present], side="left")
    counts = counted(places, len(grid.upper) + 1, None if shares is None else shares[present])
    # A record at place p is above the candidates 0 .. p - 1.
    return np.asarray(counts.sum() - np.cumsum(counts)[:-1], dtype=np.int64)


def _below(grid: BoundsGrid, column: Floats, shares: Integers | None) -> Integers:
    mirrored = BoundsGrid(lower=tuple(-edge for edge in grid.upper), upper=tuple(-edge for edge in grid.lower))
    return _above(mirrored, -column, shares)
