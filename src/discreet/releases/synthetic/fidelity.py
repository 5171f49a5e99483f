"""How far the rows of synthetic tables are from the noisy counts that they were drawn from: public, found anew by whoever has both.

distance    half the sum over cells of |share of the rows - share of the noisy counts|, of the rows of all tables together
noise       what the noise of the measurement alone adds to it, about: half of cells E|N(0, scale^2)| over the noisy total
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from discreet.mechanisms.margins import pair_scale
from discreet.mechanisms.margins.problem import Margins, Rounds, Table
from discreet.releases.synthetic.cells import CellColumn
from discreet.words.counting import WHOLE

_CLOSE = 1e-9
"""Sums of shares of other machines may differ by less."""


class Fidelity(NamedTuple):
    """The distance of the rows from the measured counts of one table."""

    columns: tuple[str, ...]
    distance: float
    noise: float

    def agrees_with(self, other: "Fidelity") -> bool:
        """Whether both are of the same table and the same numbers."""
        pairs = zip(self[1:], other[1:], strict=True)
        return self.columns == other.columns and all(math.isclose(one, again, rel_tol=_CLOSE, abs_tol=_CLOSE) for one, again in pairs)


def fidelity_of(
    problem: Margins, rounds: Rounds, pairs: Sequence[Table], scales: Sequence[float], columns: Sequence[CellColumn], frames: Sequence[pl.DataFrame]
) -> list[Fidelity]:
    """The distance of every table that was fitted, from the rows of all tables, whose values are those of the columns."""
    codes = [[column.codes(frame.get_column(column.name)) for column in columns] for frame in frames]
    measured = [*zip(problem.tables, rounds.tables, scales, strict=False)]
    measured += [(pair, each, pair_scale(scales, len(pairs))) for pair, each in zip(pairs, rounds.pairs, strict=True)]
    found = []
    for table, noisy, scale in measured:
        if table[-1] >= len(columns):
            continue  # of fine cells
        shape, cells = problem.shape(table), problem.cells(table)
        drawn = np.sum([np.bincount(np.ravel_multi_index(tuple(each[one] for one in table), shape), minlength=cells) for each in codes], axis=0)
        total = max(1.0, float(noisy.sum()))
        distance = 0.5 * float(np.abs(drawn / max(1, drawn.sum()) - noisy / total).sum())
        noise = 0.5 * len(noisy) * float(np.sqrt(2.0 / np.pi)) * scale / WHOLE / total
        found.append(Fidelity(tuple(columns[one].name for one in table), distance, noise))
    return found
