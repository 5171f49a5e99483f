"""Tables and sums of all columns of a table as one query, group by group: what a description is computed from.

A record is in one group, in one cell of every table, and has a number b in [-L, L] of every column of sums, L = 2^20 (or none where that is missing,
MISSING). It adds the vector of these terms, each to the answers of its own group:

    a table, at each of its levels     weight                          to the run of `width` cells that its cell is in
    a column of sums                   first b / L,  second (b / L)^2  each rounded down, in integers

One record moves all of them together, with independent noise of one scale on each; weights say which answers are known how well. What one moves:

    one record                 added or removed              replaced by one of the same group        of another group
    a table                    weight^2                      2 weight^2, at each level                the same
    a column of sums           first^2 + second^2            max over d of d^2 (first^2 +             2 (first^2 + second^2)
                                                             second^2 (2 - d)^2), d in [0, 2]

in squares of the l2 norm, which add up; the l1 norm likewise. Proof note: counting.md.
"""

import math
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.counting.queries import LARGEST, Sensitivity, checked_size, counted
from discreet.noise import Integers
from discreet.words.counting import MOST_COLUMNS, NUMBER_BITS

MISSING = np.iinfo(np.int64).max
"""The number of a record that has none."""
_UP = raising(4096)
_SLACK = 2
"""By how much the difference of a rounded term may exceed that of the exact one, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """A table of `cells` cells, of which every record of a group is in exactly one. Raises InvalidInput for levels that are none."""

    cells: int
    levels: tuple[tuple[int, int], ...]
    """(width, weight): runs of so many cells, from the first on, are counted, the last one with what is left."""

    def __post_init__(self) -> None:
        """See class docstring."""
        checked_size("the number of cells of a table", self.cells)
        if not self.levels:
            raise InvalidInput("a table is counted at one level at least.")
        for width, weight in self.levels:
            checked_size("the width of a level", width)
            checked_size("the weight of a level", weight)

    @property
    def runs(self) -> tuple[int, ...]:
        """How many are counted at each level."""
        return tuple(-(-self.cells // width) for width, _ in self.levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The query of the module docstring. Raises InvalidInput for none, or more cells than are counted at once."""

    groups: int = 1
    tables: tuple[Cells, ...] = ()
    sums: tuple[tuple[int, int], ...] = ()
    """(first, second): the weights of a number and of its square."""
    asked: str = ""
    """The SHA-256 of what the cells and numbers are, 64 hexadecimal digits; empty where nobody says."""

    bits: ClassVar[int] = NUMBER_BITS
    """L = 2^bits."""

    def __post_init__(self) -> None:
        """See class docstring."""
        checked_size("the number of groups", self.groups)
        for weight in (weight for pair in self.sums for weight in pair):
            checked_size("the weight of a sum", weight)
        if not self.tables and not self.sums:
            raise InvalidInput("a summary needs a table or a column of sums.")
        if len(self.tables) + len(self.sums) > MOST_COLUMNS or self.size > LARGEST:
            raise InvalidInput(
                f"a summary has at most {MOST_COLUMNS} tables and columns of sums, and {LARGEST} answers; {self.size} were asked for. "
                "Describe fewer columns, groups or pairs."
            )
        if self.asked and not re.fullmatch("[0-9a-f]{64}", self.asked):
            raise InvalidInput("what is asked is named by 64 hexadecimal digits.")

    @property
    def size(self) -> int:
        """See IntegerQuery."""
        return self.groups * (sum(sum(table.runs) for table in self.tables) + 2 * len(self.sums))

    @property
    def columns(self) -> int:
        """Integers of a record: its group, the cell of every table, the number of every column of sums."""
        return 1 + len(self.tables) + len(self.sums)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """See IntegerQuery: in `step` the l2, in `total` the l1 norm of the farthest move, rounded up."""
        moved = 1 if neighbours is ADD_REMOVE else 2
        weights = [weight for table in self.tables for _, weight in table.levels]
        squares = float(moved * sum(weight * weight for weight in weights))
        manhattan = float(moved * sum(weights))
        for pair in self.sums:
            length, total = _added(pair) if neighbours is ADD_REMOVE else _replaced(pair, groups=self.groups)
            squares, manhattan = squares + length, manhattan + total
        terms = 2 * len(self.sums)
        slack = 0 if neighbours is ADD_REMOVE else _SLACK * terms
        step = math.ceil(math.sqrt(squares) * _UP) + math.ceil(_SLACK * math.sqrt(terms) if slack else 0.0)
        return Sensitivity(1, step, spread=moved * (len(weights) + terms), total=math.ceil(manhattan * _UP) + slack)

    def answer(self, records: Integers, shares: Integers | None = None) -> Integers:
        """See IntegerQuery; `records` (n, columns). Raises InvalidInput for integers out of range."""
        if records.ndim != 2 or records.shape[1] != self.columns or records.dtype.kind not in "iu":
            raise InvalidInput(f"a summary needs {self.columns} integers for every record; something else was given.")
        groups, cells, numbers = records[:, 0], records[:, 1 : 1 + len(self.tables)], records[:, 1 + len(self.tables) :]
        sizes = np.array([table.cells for table in self.tables], dtype=np.int64)
        known = np.all((groups >= 0) & (groups < self.groups)) and np.all((cells >= 0) & (cells < sizes))
        if not known or not np.all((np.abs(numbers) <= 1 << self.bits) | (numbers == MISSING)):
            raise InvalidInput("a record of a summary is in a group and a cell of every table, its numbers in range; something else was given.")
        found = [self._of_table(table, groups, places, shares) for table, places in zip(self.tables, cells.T, strict=True)]
        found += [self._of_sums(pair, groups, values, shares) for pair, values in zip(self.sums, numbers.T, strict=True)]
        return np.concatenate(found)

    def _of_table(self, table: Cells, groups: Integers, places: Integers, shares: Integers | None) -> Integers:
        leaves = counted(groups * table.cells + places, self.groups * table.cells, shares).reshape(self.groups, table.cells)
        levels = [weight * np.add.reduceat(leaves, np.arange(0, table.cells, width), axis=1) for width, weight in table.levels]
        return np.concatenate([level.ravel() for level in levels])

    def _of_sums(self, pair: tuple[int, int], groups: Integers, values: Integers, shares: Integers | None) -> Integers:
        number = np.where(values == MISSING, 0, values).astype(np.int64)
        found = np.zeros((self.groups, 2), dtype=np.int64)
        for term, (weight, power) in enumerate(zip(pair, (number, (number * number) >> self.bits), strict=True)):
            added = (weight * power) >> self.bits
            np.add.at(found[:, term], groups, added if shares is None else added * shares)
        return found.ravel()

    def tables_of(self, answer: Floats) -> list[list[Floats]]:
        """The parts of an answer that are of each table, level by level, (groups, runs) each."""
        sizes = [self.groups * runs for table in self.tables for runs in table.runs]
        parts = iter(np.split(answer, np.cumsum(sizes)))
        return [[next(parts).reshape(self.groups, -1) for _ in table.levels] for table in self.tables]

    def sums_of(self, answer: Floats) -> Floats:
        """The parts of an answer that are sums, (columns of sums, groups, 2)."""
        return answer[self.size - 2 * self.groups * len(self.sums) :].reshape(len(self.sums), self.groups, 2)

    def to_dict(self) -> dict[str, Json]:
        """See IntegerQuery."""
        tables: list[Json] = [{"cells": table.cells, "levels": [list(level) for level in table.levels]} for table in self.tables]
        return {"kind": "summary", "groups": self.groups, "tables": tables, "sums": [list(pair) for pair in self.sums], "asked": self.asked}


def _added(pair: tuple[int, int]) -> tuple[float, float]:
    """The square of the l2 norm of what a number adds at most, and the l1 norm: both at b = L, where nothing is rounded."""
    first, second = pair
    return float(first * first + second * second), float(first + second)


def _replaced(pair: tuple[int, int], *, groups: int) -> tuple[float, float]:
    """The same of a number that is replaced by another, or by none, before anything is rounded."""
    first, second = pair
    ratio = (first / second) ** 2
    # d^2 (first^2 + second^2 (2 - d)^2) has a peak before d = 2 where the ratio is below 1/2.
    peaks = [2.0] if ratio >= 0.5 else [2.0, 0.5 * (3.0 - math.sqrt(1.0 - 2.0 * ratio))]
    length = max(d * d * (first * first + second * second * (2.0 - d) ** 2) for d in peaks)
    # first d + second d (2 - d) is a parabola.
    d = min(2.0, 1.0 + 0.5 * first / second)
    total = d * (first + second * (2.0 - d))
    alone = 1.0 if groups == 1 else 2.0
    length_alone, total_alone = _added(pair)
    return max(length, alone * length_alone) * _UP, max(total, alone * total_alone) * _UP
