"""How many records of each class there are, and how many have a score in each bin: one query (scores.md, lemma 1).

    two classes     answer = (count of class 0, of class 1, counts of class 0 by bin, counts of class 1 by bin)
    K > 2           answer = (count of every class, counts by bin of records whose class was not told, and of those whose class was)

A record is one integer, and counts once among the classes and once among the 2 bins cells: added or removed it moves 2 integers by 1, replaced 4. The
classes are counted apart since the sum of noisy bins has the noise of all of them.
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
    """`classes` classes, and `bins` public bins of a score (an IntegerQuery). Raises InvalidInput for fewer than two of either."""

    bins: int
    classes: int = 2

    def __post_init__(self) -> None:
        """See class docstring."""
        for what, value in (("bins of a score", self.bins), ("classes", self.classes)):
            checked_size(f"the number of {what}", value)
            if value < 2:
                raise InvalidInput(f"scores need at least two {what}; {value} was given.")

    @property
    def size(self) -> int:
        """See IntegerQuery."""
        return self.classes + 2 * self.bins

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """See the module docstring."""
        return Sensitivity(2 if neighbours is ADD_REMOVE else 4, 1)

    def answer(self, records: Integers, shares: Integers | None = None) -> Integers:
        """See IntegerQuery; `records` (n,): class times bins, plus bin; of K > 2 classes twice the class, or 1 more where it was told, times bins.

        Raises InvalidInput for others, without any.
        """
        cells = 2 * self.bins
        each = self.bins if self.classes == 2 else cells  # places of one class
        if records.ndim != 1 or records.dtype.kind not in "iu" or not np.all((records >= 0) & (records < self.classes * each)):
            raise InvalidInput("scored classes need one integer for every record, of its class and its bin; something else was given.")
        return np.concatenate((counted(records // each, self.classes, shares), counted(records % cells, cells, shares)))

    def to_dict(self) -> dict[str, Json]:
        """See IntegerQuery."""
        return {"kind": "scored-classes", "bins": self.bins, **({} if self.classes == 2 else {"classes": self.classes})}
