"""How many records of either class there are, and how many of either class have a score in each bin: one query (scores.md, lemma 1).

    answer = (count of class 0, of class 1, counts of class 0 by bin, counts of class 1 by bin)

A record is one integer, class * bins + bin, and counts once among the classes and once among the bins: added or removed it moves 2 integers by 1,
replaced 4. The classes are counted apart since the sum of noisy bins has the noise of all of them.
"""

from dataclasses import dataclass

import numpy as np

from discreet.accounting import Json
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.mechanisms.counting.queries import Sensitivity, checked_size, counted
from discreet.noise import Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredClasses:
    """Two classes, and `bins` public bins of a score (an IntegerQuery). Raises InvalidInput for fewer than two bins."""

    bins: int

    def __post_init__(self) -> None:
        """See class docstring."""
        checked_size("the number of bins of a score", self.bins)
        if self.bins < 2:
            raise InvalidInput("scores need at least two bins.")

    @property
    def size(self) -> int:
        """See IntegerQuery."""
        return 2 + 2 * self.bins

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """See the module docstring."""
        return Sensitivity(2 if neighbours is ADD_REMOVE else 4, 1)

    def answer(self, records: Integers, shares: Integers | None = None) -> Integers:
        """See IntegerQuery; `records` (n,) from 0 to 2 bins - 1. Raises InvalidInput for others, without any."""
        if records.ndim != 1 or records.dtype.kind not in "iu" or not np.all((records >= 0) & (records < 2 * self.bins)):
            raise InvalidInput("scored classes need one integer for every record: class times bins, plus bin; something else was given.")
        cells = counted(records, 2 * self.bins, shares)
        return np.concatenate((cells.reshape(2, self.bins).sum(axis=1), cells))

    def to_dict(self) -> dict[str, Json]:
        """See IntegerQuery."""
        return {"kind": "scored-classes", "bins": self.bins}
