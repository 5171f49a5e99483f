"""From noisy counts of runs of cells to counts of cells, by least squares, and what is known of any sum of them.

    y_l = w_l A_l c + noise of deviation s,  for the levels l of a table:    c^ = C sum_l w_l A_l^T y_l,   C = (sum_l w_l^2 A_l^T A_l)^-1

so that any f c^ is unbiased for f c, of variance s^2 f C f^T, the least of all that are linear in the answers (Hay, Rastogi, Miklau, Suciu 2010 for
trees of equal weights). Every table tells how many records there are; those are put together by their variances, and each table is brought to that
total by its own regression on it: c' = c^ + v (N - 1 c^), v = C 1 / (1 C 1). What is left of c^ is independent of all totals, hence

    variance of f c'  =  s^2 (f C f^T - (f C 1)^2 / (1 C 1)) + (f v)^2 var N

All groups have one C; of the sum of k groups noise has k times the variance.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.mechanisms.counting import Cells
from discreet.mechanisms.counting.summaries import Summary


class Total(NamedTuple):
    """How many records a part of the table has: one group, or several together."""

    number: float
    variance: float
    """0 where it is public."""
    groups: int
    """That are added up."""


@dataclass(frozen=True, slots=True, eq=False)
class Solver:
    """C of the module docstring for levels of one table, in squares of the noise's deviation."""

    cells: Cells
    matrix: Floats | None
    """(m, m); None where it is `single` times the identity."""
    single: float

    def times(self, functions: Floats) -> Floats:
        """f C, (k, m) from (k, m)."""
        return functions * self.single if self.matrix is None else functions @ self.matrix

    def fit(self, levels: Sequence[Floats]) -> Floats:
        """c^ (R, m) from the answers of the levels, (R, runs) each."""
        gathered = np.zeros((len(levels[0]), self.cells.cells))
        for (width, weight), answers in zip(self.cells.levels, levels, strict=True):
            gathered += weight * np.repeat(answers, width, axis=1)[:, : self.cells.cells]
        return self.times(gathered)


@lru_cache(maxsize=64)
def below(cells: Cells, edges: int) -> tuple[Floats, Floats]:
    """What sums up the cells below each of the first so many edges, (edges, m), and that times C."""
    functions = np.tril(np.ones((edges, cells.cells)), -1)
    return functions, solver(cells).times(functions)


@lru_cache(maxsize=64)
def solver(cells: Cells) -> Solver:
    """The solver for a table of these cells."""
    if len(cells.levels) == 1 and cells.levels[0][0] == 1:
        return Solver(cells, None, 1.0 / cells.levels[0][1] ** 2)
    places, total = np.arange(cells.cells), np.zeros((cells.cells, cells.cells))
    for width, weight in cells.levels:
        runs = places // width
        total += float(weight) ** 2 * (runs[:, np.newaxis] == runs)
    inverse = np.linalg.inv(total).astype(np.float64)
    return Solver(cells, inverse, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """One table in every part: counts of its cells that agree with the totals."""

    solver: Solver
    counts: Floats
    """(R, m)."""
    totals: tuple[Total, ...]
    deviation: float
    """s."""

    def variances(self, part: int, functions: Floats, moved: Floats | None = None) -> Floats:
        """Of f c' for functions f (k, m), by the noise alone; `moved` is f C, where that is known."""
        ones = np.ones((1, self.solver.cells.cells))
        regressed = self.solver.times(ones)[0]
        of_total = float(regressed.sum())
        moved = self.solver.times(functions) if moved is None else moved
        total = self.totals[part]
        kept = np.maximum(np.einsum("ij,ij->i", moved, functions) - np.square(functions @ regressed) / of_total, 0.0)
        found: Floats = total.groups * self.deviation**2 * kept + np.square(functions @ regressed / of_total) * total.variance
        return found


def fit_tables(query: Summary, answer: Floats, *, deviation: float, public: float | None) -> tuple[list[Fitted], list[Total]]:
    """Every table of the query, in each group and, where there are several, in all of them together as the last part.

    `answer` (size,) is what was released, in parts of a record over which `deviation` is too; `public` is the number of records where it is that.
    """
    tables = [[_with_sum(level) for level in levels] for levels in query.tables_of(answer)]
    solvers = [solver(cells) for cells in query.tables]
    fits = [one.fit(levels) for one, levels in zip(solvers, tables, strict=True)]
    spreads = [float(one.times(np.ones((1, one.cells.cells))).sum()) for one in solvers]
    precision = sum(1.0 / spread for spread in spreads)
    numbers = sum((fit.sum(axis=1) / spread for fit, spread in zip(fits, spreads, strict=True)), start=np.zeros(len(fits[0]))) / precision
    one = deviation**2 / precision
    groups = query.groups
    if public is not None:
        numbers[:groups] += (public - numbers[:groups].sum()) / groups
        numbers[groups:] = public
    alone = one if public is None else one * (1.0 - 1.0 / groups)
    totals = [Total(float(number), alone, 1) for number in numbers[:groups]]
    totals += [Total(float(number), groups * one if public is None else 0.0, groups) for number in numbers[groups:]]
    fitted = []
    for solved, fit in zip(solvers, fits, strict=True):
        regressed = solved.times(np.ones((1, solved.cells.cells)))
        off = numbers - fit.sum(axis=1)
        fitted.append(Fitted(solved, fit + off[:, np.newaxis] * regressed / float(regressed.sum()), tuple(totals), deviation))
    return fitted, totals


def sums_with_all(query: Summary, answer: Floats) -> Floats:
    """The sums, (columns of sums, R, 2): of every group and, where there are several, of all together."""
    return np.stack([_with_sum(one) for one in query.sums_of(answer)]) if query.sums else np.zeros((0, query.groups, 2))


def _with_sum(answers: Floats) -> Floats:
    """(R, k) from (groups, k)."""
    return answers if len(answers) == 1 else np.vstack((answers, answers.sum(axis=0)))


def whole_numbers(values: Floats, total: int) -> list[int]:
    """The nearest integers to numbers that are at least 0 and add up to `total`, which they add up to as well: largest remainders first."""
    floors = np.floor(values + 1e-9)
    left = total - int(floors.sum())
    order = np.argsort(-(values - floors), kind="stable")
    floors[order[: max(left, 0)]] += 1
    while left < 0:  # what was rounded up on the way
        floors[int(np.argmax(floors))] -= 1
        left += 1
    return [int(one) for one in floors]


def rounded_total(number: float) -> int:
    """How many records are shown: none below 0."""
    return max(0, math.floor(number + 0.5))
