"""The public cells that records are counted in before cuts are chosen, and the query that counts them in all columns at once.

    edges of a column = equal steps from lower to upper, and on both of its sides 20 steps that halve towards the bound

Equal steps serve columns that fill their bounds, halving ones those whose values crowd at a bound (an income, a capital gain). There are as many
equal steps as the noise allows: the less of it, the smaller the crowd around one value that still shows. A value is in cell j if
edges[j] <= value < edges[j + 1], the last cell with its end; values beyond the bounds are in the first or last one, as an encoding clips them; a
missing value is in a cell of its own, the last. So a record is in exactly one cell of every column, and of c columns

    one record          added or removed        replaced
    ColumnHistograms    c cells by 1            2 c cells by 1 (or fewer)
"""

import math
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.validate import whole
from discreet.mechanisms.counting.queries import LARGEST, Sensitivity, counted
from discreet.noise import Integers
from discreet.words.counting import MOST_COLUMNS

_STEPS = ((16.0, 1024), (1000.0, 256), (math.inf, 64))
"""Up to which standard deviation of the noise in a cell there are how many equal steps; on Adult (docs/cuts.md) 64 cost accuracy where the noise is
small, and 1024 where it is not."""
_MOST_HALVINGS = 1000
_LEAST_STEP = 2.0**-40
"""Of the width: closer edges are one, so that they differ as numbers."""


@dataclass(frozen=True, kw_only=True)
class ColumnCells:
    """The cells of one column. Raises InvalidInput for bounds between which they would not rise, or numbers of steps that are none."""

    name: str
    lower: float
    upper: float
    steps: int
    """Equal ones."""
    halvings: int = 20
    """Steps that halve towards each bound."""

    def __post_init__(self) -> None:
        """See class docstring."""
        whole(self.steps, "the number of equal steps")
        if not (math.isfinite(self.upper - self.lower) and self.lower < self.upper and 0 <= self.halvings <= _MOST_HALVINGS):
            raise InvalidInput("the cells of a column need lower < upper, both finite.")

    @cached_property
    def edges(self) -> tuple[float, ...]:
        """Of the cells, rising from bound to bound: those of the module docstring."""
        width = self.upper - self.lower
        halves = [0.5**power for power in range(1, self.halvings + 1)]
        places = sorted({step / self.steps for step in range(1, self.steps)} | set(halves) | {1.0 - half for half in halves})
        edges = [self.lower]
        for place in places:
            edge = self.lower + place * width
            if edge - edges[-1] > _LEAST_STEP * width and self.upper - edge > _LEAST_STEP * width:
                edges.append(edge)
        return (*edges, self.upper)

    @property
    def size(self) -> int:
        """How many cells, that of missing values included."""
        return len(self.edges)

    def cells_of(self, values: Floats) -> Integers:
        """The cell of each value (n,), NaN being a missing one."""
        found = np.searchsorted(np.asarray(self.edges[1:-1]), values, side="right")
        return np.where(np.isnan(values), self.size - 1, found).astype(np.int64)


def equal_steps(deviation: float) -> int:
    """How many, for this standard deviation of the noise in a cell."""
    return next(steps for most, steps in _STEPS if deviation <= most)


@dataclass(frozen=True, slots=True)
class ColumnHistograms:
    """How many records are in each cell, of all columns one after the other (an IntegerQuery).

    Raises InvalidInput for no columns, too many, or two of one name.
    """

    columns: tuple[ColumnCells, ...]

    def __post_init__(self) -> None:
        """See class docstring."""
        names = {column.name for column in self.columns}
        if not names or len(names) < len(self.columns):
            raise InvalidInput("a choice of cuts needs at least one column, and columns with different names.")
        if len(self.columns) > MOST_COLUMNS:
            raise InvalidInput(f"cuts are chosen for at most {MOST_COLUMNS} columns together; {len(self.columns)} were given.")
        if self.size > LARGEST:
            raise InvalidInput(f"a choice of cuts needs at most {LARGEST} cells in all; {self.size} were given. Choose cuts of fewer columns.")

    @property
    def size(self) -> int:
        """See IntegerQuery."""
        return sum(column.size for column in self.columns)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """See the module docstring."""
        return Sensitivity((1 if neighbours is ADD_REMOVE else 2) * len(self.columns), 1)

    def cells_of(self, values: Floats) -> Integers:
        """The cells (n, c) of values (n, c) in the columns' own units."""
        return np.stack([column.cells_of(each) for column, each in zip(self.columns, values.T, strict=True)], axis=1)

    def answer(self, records: Integers, shares: Integers | None = None) -> Integers:
        """The exact answer (size,) from the cells (n, c), of rows that count once or their share. Raises InvalidInput for others, without any."""
        sizes = np.array([column.size for column in self.columns])
        if records.ndim != 2 or records.shape[1] != len(sizes) or records.dtype.kind not in "iu" or not np.all((records >= 0) & (records < sizes)):
            raise InvalidInput("histograms of columns need one cell of each column for every record; something else was given.")
        return np.concatenate([counted(cells, size, shares) for cells, size in zip(records.T, sizes.tolist(), strict=True)])

    def split(self, answer: Floats) -> list[Floats]:
        """The part of an answer (size,) that each column has."""
        return np.split(answer, np.cumsum([column.size for column in self.columns])[:-1])

    def to_dict(self) -> dict[str, Json]:
        """See IntegerQuery."""
        return {"kind": "column-histograms", "columns": [{**asdict(column), "cells": column.size} for column in self.columns]}
