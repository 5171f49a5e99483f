"""What a description will be worth, said before anything is spent: from public numbers alone.

    count   of a category in a group, of a cell of a pair: the deviation s of the noise over the weight of its table; in all groups sqrt(groups) of it
    mean    of a column over n records: half its width times s sqrt(groups) / (w n), w the weight of its sum
    rank    of a median, in shares of n records: s sqrt(groups f C f^T) / n, f the cells below the middle (fitted.py)

What all tables tell together of their total lowers each of these a little, and is left out.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.accounting import Json
from discreet.core.foreseen import SAY, in_range, some_of
from discreet.core.short import short_repr
from discreet.core.validate import whole
from discreet.descriptions.asked import Asked, Column
from discreet.descriptions.fitted import below, solver
from discreet.mechanisms.counting import CountingMechanism, deviation_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionOutlook:
    """What a description will be worth. Built by `Prepared.outlook`."""

    asked: Asked
    mechanism: CountingMechanism
    records: int
    """That it is said of: their public number, or SAY."""
    public: bool
    """Whether that is their public number."""

    __repr__ = short_repr

    @classmethod
    def of(cls, asked: Asked, mechanism: CountingMechanism, records: int | None) -> "DescriptionOutlook":
        """`records` is their number, where it is public. Raises InvalidInput for what is no number of records."""
        known = SAY if records is None else whole(records, "records")
        return cls(asked=asked, mechanism=mechanism, records=known, public=records is not None)

    @property
    def counts(self) -> tuple[float | None, float | None]:
        """The noise on a category's count and on one of a pair, in one group; None where there are none."""
        names = [column.numeric for column in self.asked.described]
        tables = [math.sqrt(solver(cells).single) * self._deviation for cells in self.asked.query.tables]
        of_categories = [size for numeric, size in zip(names, tables, strict=False) if not numeric]
        return max(of_categories, default=None), max(tables[len(names) :], default=None)

    @property
    def means(self) -> dict[str, float]:
        """The noise on the mean of every number, over all records, in its unit or in days."""
        sums = zip(self.asked.numbers, (sums for sums, _ in self.asked.query.sums), strict=True)
        return {column.name: 0.5 * (column.upper - column.lower) * self._in_all / weight / self.records for column, weight in sums}

    @property
    def rank(self) -> float | None:
        """The noise on the share of records below the middle of a number's cells."""
        found = []
        for column, cells in zip(self.asked.described, self.asked.query.tables, strict=False):
            if column.numeric:
                middle = len(self.asked.cells_of(column).edges) // 2
                functions, moved = below(cells, middle + 1)
                found.append(self._in_all * math.sqrt(float(np.vdot(functions[middle], moved[middle]))) / self.records)
        return max(found, default=None)

    def lines(self) -> list[tuple[str, str]]:
        """For people: (label, words)."""
        asked, (category, pair), rank = self.asked, self.counts, self.rank
        groups, rows = len(asked.groups), f"{self.records:,} records" + ("" if self.public else ", say")
        noise = [
            f"standard deviation {size:.3g} on every count of {what}{_in_groups(size, groups)}"
            for size, what in ((category, "a category"), (pair, "two categories together"))
            if size is not None
        ]
        means = self.means
        found = [f"{column.name} {means[column.name]:.3g}{_unit(column)}" for column in asked.numbers]
        return [
            *(("" if place else "Noise", words) for place, words in enumerate(noise)),
            *([("Mean", f"of {rows}, deviation of the noise: {some_of(found)}")] if found else []),
            *([] if rank is None else [("Median", f"of {rows}, deviation of its rank: {100 * rank:.2g} % of them")]),
            *([("Less", "with fewer columns: the noise grows with the root of their number")] if len(asked.described) > 1 else []),
        ]

    def to_dict(self) -> dict[str, Json]:
        """For programs."""
        category, pair = self.counts
        return {
            "records": self.records,
            "records_public": self.public,
            "groups": len(self.asked.groups),
            "noise_of_counts": category,
            "noise_of_pairs": pair,
            "noise_of_means": dict(self.means),
            "noise_of_ranks": self.rank,
        }

    @property
    def _deviation(self) -> float:
        """In records, over the weight that a number is asked with."""
        rule = self.asked.persons
        rows = rule.rows if rule is not None and self.asked.by_rows else 1
        return deviation_of(self.mechanism) * rows / self.asked.queries.parts

    @property
    def _in_all(self) -> float:
        return self._deviation * math.sqrt(len(self.asked.groups))


def _in_groups(size: float, groups: int) -> str:
    return "" if groups == 1 else f" in each of {groups} groups, {size * math.sqrt(groups):.3g} in all"


def _unit(column: Column) -> str:
    return " days" if column.kind == "date" else in_range(column.lower, column.upper)
