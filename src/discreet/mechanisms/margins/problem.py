"""What is asked of a table in three rounds, and how the second and the third follow from what the earlier ones released.

    tables    a record is in exactly one cell of each; all of them are counted, first those of the fine cells of columns whose bins are to be chosen:
              as many bins as are public, each of about as many records (`cuts.choose`), or the public ones where noise leaves nothing to be told
    scores    of every pair of linked columns: how far its counts N are from those, e, that the first round makes one expect
                  add-remove    sum over cells of |N - e|            replace-one    sum over cells of (N - e)_+
    chosen    at most `most` pairs that are worth most, which are counted, as long as no clique of what is counted gets too large to be fitted; q of
              them with sqrt(q) times the noise of one

    e_ab = sum over h of n_ah n_bh / n_h        of columns that are tabled with a hub h (a target, say);  n_a n_b / n  without one

The relevance of a column is how far its cells are distributed differently for different cells of the hub, in l1 norm on average; 1 without one. It
makes what is counted serve those who learn the hub from the other columns.

All of it in whole numbers, WHOLE = 2^20 to a record. A record moves one cell of a table by WHOLE (replaced: two), and a score by at most WHOLE under
either relation (margins.md, lemma 1). Under replace-one the sum of absolute values would move by 2 WHOLE, and tells no more: N adds up to a constant.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import pi, prod, sqrt
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons, unit_of
from discreet.core.private import holds_records
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.counting.gaussian_curve import Component
from discreet.mechanisms.cuts.choose import chosen_begins
from discreet.noise import Integers
from discreet.words.counting import WHOLE
from discreet.words.margins import MOST_CELLS

Table: TypeAlias = tuple[int, ...]
"""Numbers of columns, increasing."""


@holds_records
class Counts(Protocol):
    """The records, as far as they are asked; private."""

    def of(self, tables: Sequence[Table]) -> list[Integers]:
        """The exact counts of each table, its cells in the order of its columns, the last one fastest: WHOLE for each record, in all."""

    def binned(self, begins: Sequence[tuple[int, ...]]) -> "Counts":
        """The same records, in bins that begin with these fine cells, in the order of `Margins.cut`."""


class Cut(NamedTuple):
    """A column whose bins are unions of neighbouring fine cells, chosen from the counts of these."""

    column: int
    fine: int
    """The column of its fine cells."""
    gap: bool
    """Whether the last cell of both is for missing values."""
    starts: tuple[int, ...]
    """The fine cell that each public bin begins with."""


class Rounds(NamedTuple):
    """What was released, in numbers of records, by round."""

    tables: list[Floats]
    """(cells,) each."""
    scores: Floats
    """Of `Margins.candidates`."""
    pairs: list[Floats]
    """(cells,) each, of the chosen ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Margins:
    """The public problem. Raises InvalidInput for columns, tables or links that are none."""

    columns: tuple[tuple[str, int], ...]
    """Name and number of cells of each."""
    tables: tuple[Table, ...]
    linked: tuple[int, ...] = ()
    """Columns of which pairs are chosen."""
    hub: int | None = None
    """The column that every linked one is tabled with; None where each is tabled alone."""
    most: int = 0
    """Pairs that may be chosen."""
    largest: int = 1 << 16
    """Cells that the largest clique of tables and chosen pairs may have, once triangulated."""
    persons: Persons | None = None
    """Whose rows are whose; None where the unit of privacy is a row."""
    cut: tuple[Cut, ...] = ()
    asked: str = ""
    """SHA-256 of what gives the cells their meaning; empty where nobody names it."""

    def __post_init__(self) -> None:
        """See class docstring."""
        known = range(len(self.columns))
        for table in (*self.tables, self.linked):
            if list(table) != sorted(set(table)) or not set(table) <= set(known):
                raise InvalidInput("a table is of columns that are there, each once and in their order.")
        if not self.tables or any(not table for table in self.tables) or any(cells < 1 for _, cells in self.columns):
            raise InvalidInput("margins need at least one table, of columns that have cells.")
        if sum(map(self.cells, self.tables)) > MOST_CELLS:
            raise InvalidInput(f"tables of at most {MOST_CELLS} cells in all can be counted together. Take fewer tables, or coarser bins.")
        if not 0 <= self.most <= len(self.candidates) or (self.most == 0) is not (not self.linked) or self.largest < 1:
            raise InvalidInput("of linked columns at least one pair is chosen, and at most as many as there are.")
        if not all(self._can_be_cut(one) for one in self.cut) or len({one.column for one in self.cut}) < len(self.cut):
            raise InvalidInput("a column that is cut needs its bins, a table of its fine cells alone, and one of these for each bin to begin with.")
        if missing := [self.columns[one][0] for one in self.linked if self._with_hub(one) not in self.tables]:
            raise InvalidInput(f"linked columns need their table in the first round; {missing[0]!r} has none.")

    def cells(self, table: Table) -> int:
        """How many cells a table has."""
        return prod(self.columns[one][1] for one in table)

    def shape(self, table: Table) -> tuple[int, ...]:
        """Of the counts of a table."""
        return tuple(self.columns[one][1] for one in table)

    @property
    def candidates(self) -> list[Table]:
        """Pairs of linked columns."""
        return list(combinations(self.linked, 2))

    @property
    def parts(self) -> int:
        """How many scales there are: one a table, and those of scores and of one chosen pair where there are any."""
        return len(self.tables) + (2 if self.linked else 0)

    def moves(self, neighbours: Neighbours, scales: Sequence[float]) -> list[Component]:
        """How far a record, or a person, moves each part (margins.md, lemma 1), under noise of these scales; of chosen pairs, one."""
        one = 1 if neighbours is ADD_REMOVE else 2
        rows = 1 if self.persons is None else self.persons.rows
        coordinates = [one] * len(self.tables) + ([len(self.candidates), one] if self.linked else [])
        return [Component(coordinates=many, step=WHOLE, spread=many * rows, scale=scale) for many, scale in zip(coordinates, scales, strict=True)]

    @property
    def first(self) -> list[int]:
        """The places of tables that are counted before all others."""
        return [self.tables.index((one.fine,)) for one in self.cut]

    def begins(self, counts: Sequence[Floats], scales: Sequence[float]) -> list[tuple[int, ...]]:
        """The fine cell that each bin of each cut column begins with, from the noisy counts of `first`, in numbers of records, and their noise."""
        return [
            chosen_begins(each[: len(each) - one.gap], one.starts, deviation=scale) for one, each, scale in zip(self.cut, counts, scales, strict=True)
        ]

    def expected(self, tables: Sequence[Floats]) -> list[Integers]:
        """e of every candidate, in parts, from the noisy counts of the first round."""
        hub, shares = self._given_hub(tables)
        return [np.rint((shares[a] * (hub * WHOLE)) @ shares[b].T).astype(np.int64).ravel() for a, b in self.candidates]

    def scores(self, counts: Sequence[Integers], expected: Sequence[Integers], neighbours: Neighbours) -> Integers:
        """Of every candidate, exactly, in parts."""
        apart = [found - awaited for found, awaited in zip(counts, expected, strict=True)]
        if neighbours is ADD_REMOVE:
            return np.array([np.abs(each).sum() for each in apart], dtype=np.int64)
        return np.array([np.maximum(each, 0).sum() for each in apart], dtype=np.int64)

    def chosen(self, tables: Sequence[Floats], scores: Floats, scale: float, neighbours: Neighbours) -> list[Table]:
        """The pairs that are worth most, from what the first two rounds released, in numbers of records, and the scale of one pair.

        A pair is worth its score, less half of what noise would add to the score of its own counts, times the relevance of its columns (module
        docstring); pairs that are worth nothing are not chosen. The noise is first taken to be that of `most` pairs, then that of as many as were
        worth something. Without a hub a forest comes first, so that no column is left alone while others have many.
        """
        relevance = self._relevance(tables)
        found, number = [], self.most
        for _ in range(2):
            noise = 0.5 * sqrt(2.0 / pi) * sqrt(max(1, number)) * scale * (1.0 if neighbours is ADD_REMOVE else 0.5)
            worth = [
                ((float(score) - noise * self.cells(pair)) * sqrt(relevance[pair[0]] * relevance[pair[1]]), pair)
                for score, pair in zip(scores, self.candidates, strict=True)
            ]
            waiting = [pair for value, pair in sorted(worth, key=lambda one: (-one[0], one[1])) if value > 0]
            found = self._fitting(waiting, number)
            number = len(found)
        return found

    def _fitting(self, waiting: Sequence[Table], number: int) -> list[Table]:
        """The first so many that can be fitted together."""
        group = {one: one for one in self.linked}
        found: list[Table] = []
        for forest in (True, False) if self.hub is None else (False,):
            for a, b in waiting:
                if len(found) == number or (a, b) in found or (forest and group[a] == group[b]):
                    continue
                if self._largest_clique([*found, (a, b)]) <= self.largest:
                    found.append((a, b))
                    group = {one: group[a] if mark == group[b] else mark for one, mark in group.items()}
        return sorted(found)

    def split(self, value: Floats, pairs: Sequence[Table]) -> Rounds:
        """A released value in numbers of records. Raises InvalidInput where it is not of these tables and pairs."""
        sizes = [*map(self.cells, self.tables), len(self.candidates), *map(self.cells, pairs)]
        if value.shape != (sum(sizes),):
            raise InvalidInput("the released counts are not those of these tables.")
        parts = np.split(value / WHOLE, np.cumsum(sizes)[:-1])
        count = len(self.tables)
        return Rounds(parts[:count], parts[count], parts[count + 1 :])

    def require(self, data: Numbers[Counts]) -> None:
        """Whatever counts: what it counts is checked when it has."""

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {
            "columns": [{"name": name, "cells": cells} for name, cells in self.columns],
            "tables": [list(table) for table in self.tables],
            "linked": list(self.linked),
            "hub": self.hub,
            "most": self.most,
            "largest": self.largest,
            **({"cut": [{**one._asdict(), "starts": list(one.starts)} for one in self.cut]} if self.cut else {}),
            **({"asked": self.asked} if self.asked else {}),
            **unit_of(self.persons),
        }

    def _can_be_cut(self, one: Cut) -> bool:
        if not (0 <= one.column < len(self.columns) and (one.fine,) in self.tables and one.fine != one.column):
            return False
        bins, cells = self.columns[one.column][1] - one.gap, self.columns[one.fine][1] - one.gap
        return len(one.starts) == bins and one.starts[:1] == (0,) and list(one.starts) == sorted(set(one.starts)) and one.starts[-1] < cells

    def _largest_clique(self, pairs: Sequence[Table]) -> int:
        """Cells of the largest clique when columns are eliminated one by one, always that of the smallest clique."""
        beside: dict[int, set[int]] = {one: set() for one in range(len(self.columns))}
        for table in (*self.tables, *pairs):
            for one in table:
                beside[one] |= set(table) - {one}
        largest = 1
        while beside:
            sizes = {one: self.cells((one, *others)) for one, others in beside.items()}
            first = min(sizes, key=lambda one: (sizes[one], one))
            largest = max(largest, sizes[first])
            others = beside.pop(first)
            for one in others:
                beside[one] = (beside[one] | others) - {one, first}
        return largest

    def _with_hub(self, one: int) -> Table:
        return tuple(sorted({one} if self.hub is None else {one, self.hub}))

    def _given_hub(self, tables: Sequence[Floats]) -> tuple[Floats, dict[int, Floats]]:
        """Records by cell of the hub (h,), at least 0; and of every linked column the shares (cells, h) of its cells."""
        by_table = dict(zip(self.tables, tables, strict=True))
        given = {one: self._by_hub(one, by_table) for one in self.linked}
        hub = np.maximum(np.mean([counts.sum(axis=0) for counts in given.values()], axis=0), 0.0)
        kept = {one: np.maximum(counts, 0.0) + _SPECK for one, counts in given.items()}
        return hub, {one: counts / counts.sum(axis=0) for one, counts in kept.items()}

    def _relevance(self, tables: Sequence[Floats]) -> dict[int, float]:
        """Of every linked column: 1 without a hub."""
        if self.hub is None:
            return dict.fromkeys(self.linked, 1.0)
        hub, shares = self._given_hub(tables)
        weights = (hub + _SPECK) / (hub + _SPECK).sum()
        return {one: float(weights @ np.abs(each - (each @ weights)[:, np.newaxis]).sum(axis=0)) for one, each in shares.items()}

    def _by_hub(self, one: int, tables: dict[Table, Floats]) -> Floats:
        """Counts (cells, cells of the hub) of a linked column."""
        table = self._with_hub(one)
        counts = tables[table].reshape(self.shape(table))
        if self.hub is None:
            return counts[:, np.newaxis]
        return counts if table[0] == one else counts.T


_SPECK = 1e-9
"""Of a record, in every cell: no share is undefined."""
