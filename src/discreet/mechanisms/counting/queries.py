"""Queries whose answer is a vector of integers, and how far one record moves it.

    Histogram(cells)      answer_j = number of records in cell j          one record is in exactly one cell
    BoundedSum(largest)   answer   = sum of contributions                 one record contributes an integer in [0, largest]
    Moments               sums of powers of an error and of a target      one record moves all of them together (module `moments`)
    Summary               tables and sums of all columns, by groups       as above (module `summaries`)

    one record          added or removed            replaced
    Histogram           one cell by 1               two cells by 1, in opposite directions (or none)
    BoundedSum          by at most `largest`        by at most `largest`

Rows that share one person's weight count S = 2^20 times their weight each, rounded down, in integers that are S times as fine: what a person adds to
an answer is S times a convex combination of what one record may add (and of nothing), so that it moves no farther than S times the table above in L1
and in L2 norm, in whatever coordinates.

Real-valued sums become bounded sums by rounding each record's clipped contribution to an integer *before* it is added, so that no floating-point
sum, whose sensitivity nobody knows, is ever taken. Contributions outside their range are refused, so the table above holds for every input.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons, unit_of
from discreet.mechanisms.base import Numbers
from discreet.noise import Integers
from discreet.words.counting import WHOLE

LARGEST = 1 << 20
"""Of cells and of a contribution: sums of 2^40 records still fit 64 bits."""


class Sensitivity(NamedTuple):
    """The worst move of an answer between neighbours: `coordinates` of its integers move, each by at most `step`."""

    coordinates: int
    step: int
    spread: int = 0
    """How many integers may move, at most, where they share that move, in L1 and L2 norm, as rows of one person do; 0 where they do not."""
    total: int = 0
    """The L1 sensitivity, where it is not that of such a move."""

    @property
    def manhattan(self) -> int:
        """The L1 sensitivity."""
        return self.total or self.coordinates * self.step

    @property
    def squared(self) -> int:
        """The square of the L2 sensitivity."""
        return self.coordinates * self.step**2


@runtime_checkable
class IntegerQuery(Protocol):
    """A public question about private records."""

    @property
    def size(self) -> int:
        """How many integers the answer has."""

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """See the module docstring."""

    def answer(self, records: Integers, shares: Integers | None = None) -> Integers:
        """The exact answer (size,) from one integer a record (n,), or some (n, ..), which count once, or as often as its share says.

        Raises InvalidInput, without any of them, for one out of range.
        """

    def to_dict(self) -> dict[str, Json]:
        """For certificates; `discreet.words.counting` reads it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """How many records are in each of `cells` cells; a record is the number of its cell, from 0."""

    cells: int

    def __post_init__(self) -> None:
        """Refuse numbers of cells that are none."""
        checked_size("the number of cells of a histogram", self.cells)

    @property
    def size(self) -> int:
        """See IntegerQuery."""
        return self.cells

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """See IntegerQuery. Raises InvalidInput for a single cell under replace-one: that is the number of records, which is public."""
        if neighbours is ADD_REMOVE:
            return Sensitivity(1, 1)
        if self.cells == 1:
            raise InvalidInput("a histogram with one cell is the number of records, which is public under replace-one and needs no noise.")
        return Sensitivity(2, 1)

    def answer(self, records: Integers, shares: Integers | None = None) -> Integers:
        """See IntegerQuery."""
        return counted(_in_range(records, self.cells - 1), self.cells, shares)

    def to_dict(self) -> dict[str, Json]:
        """See IntegerQuery."""
        return {"kind": "histogram", "cells": self.cells}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedSum:
    """The sum of one integer in [0, largest] a record; with largest = 1, a count."""

    largest: int

    def __post_init__(self) -> None:
        """Refuse bounds that are none."""
        checked_size("the largest contribution to a bounded sum", self.largest)

    @property
    def size(self) -> int:
        """See IntegerQuery."""
        return 1

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:  # noqa: ARG002 - the same for both
        """See IntegerQuery."""
        return Sensitivity(1, self.largest)

    def answer(self, records: Integers, shares: Integers | None = None) -> Integers:
        """See IntegerQuery."""
        parts = _in_range(records, self.largest)
        return np.array([np.sum(parts, dtype=np.int64) if shares is None else np.dot(parts.astype(np.int64), shares)])

    def to_dict(self) -> dict[str, Json]:
        """See IntegerQuery."""
        return {"kind": "bounded-sum", "largest": self.largest}


@dataclass(frozen=True, slots=True)
class Queries:
    """The public problem: all that is asked under one certificate. Raises InvalidInput where nothing is."""

    each: Sequence[IntegerQuery]
    persons: Persons | None = None
    """Whose rows are whose; None where the unit of privacy is a row."""

    def __post_init__(self) -> None:
        """See class docstring."""
        object.__setattr__(self, "each", tuple(self.each))
        if not self.each:
            raise InvalidInput("a counting mechanism needs at least one query.")

    @property
    def parts(self) -> int:
        """What one record counts: 1, or as many parts as rows of one person share."""
        return parts_of(self.persons)

    def sensitivities(self, neighbours: Neighbours) -> list[Sensitivity]:
        """Of each query: that of a person whose rows share one record's weight, where there are such (see the module docstring)."""
        moves = [query.sensitivity(neighbours) for query in self.each]
        if self.persons is None or not self.persons.several:
            return moves
        rows = self.persons.rows
        spread = (rows * max(move.coordinates, move.spread) for move in moves)
        return [Sensitivity(move.coordinates, WHOLE * move.step, many, WHOLE * move.total) for move, many in zip(moves, spread, strict=True)]

    def answers(self, records: Sequence[Integers], weights: Floats | None = None) -> list[Integers]:
        """The exact answers; `records[j]` (n, ..) is what query j reads of each record, `weights` (n,) their weights where persons have several rows.

        Raises InvalidInput for records out of range, and for weights where there must be none, or none where there must be some.
        """
        if len(records) != len(self.each) or len({len(column) for column in records}) > 1:
            raise InvalidInput("each query needs one integer for every record.")
        shares = shares_of(self.persons, weights)
        if shares is not None and shares.shape != records[0].shape[:1]:
            raise InvalidInput("every record needs its weight.")
        return [query.answer(column, shares) for query, column in zip(self.each, records, strict=True)]

    def answered(
        self, records: Sequence[Integers], content: Iterable[bytes] | None = None, *, weights: Floats | None = None
    ) -> Numbers[Sequence[Integers]]:
        """`answers`, and `content`, what the ledger's digest of the table is made from."""
        return Numbers(tuple(self.answers(records, weights)), content)

    def require(self, data: Numbers[Sequence[Integers]]) -> None:
        """Raise InvalidInput unless `data` holds an answer to each query."""
        found = data.held
        if [answer.shape for answer in found] != [(query.size,) for query in self.each] or any(answer.dtype.kind != "i" for answer in found):
            raise InvalidInput("each query needs its answer, as many integers as it asks for.")

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {"queries": [query.to_dict() for query in self.each], **unit_of(self.persons)}

    def checked_shares(self, shares: Sequence[float] | None) -> tuple[float, ...]:
        """Positive shares of the budget, one for each query, that sum to 1; equal ones where None. Raises InvalidInput for others."""
        count = len(self.each)
        given = (1.0 / count,) * count if shares is None else tuple(shares)
        if len(given) != count or not all(share > 0 for share in given) or abs(sum(given) - 1.0) > 1e-9:
            raise InvalidInput(f"the budget is divided by positive shares that sum to 1, one for each of {count} queries; {shares!r} was given.")
        return given


def parts_of(persons: Persons | None) -> int:
    """What one record counts: 1, or as many parts as rows of one person share."""
    return WHOLE if persons is not None and persons.several else 1


def shares_of(persons: Persons | None, weights: Floats | None) -> Integers | None:
    """What rows of these weights count, (n,) integers: WHOLE times each, rounded down; None where nobody has several rows.

    The weights of one person's rows add up to at most 1 exactly (`discreet.data.persons`), so what they count adds up to at most WHOLE. Raises
    InvalidInput for weights outside [0, 1], where persons have several rows and none are given, and where some are given and nobody has.
    """
    several = persons is not None and persons.several
    if several != (weights is not None):
        raise InvalidInput(f"rows need weights exactly when persons may have several; {'none' if weights is None else 'some'} were given.")
    if weights is None:
        return None
    if weights.ndim != 1 or not np.all((weights >= 0.0) & (weights <= 1.0)):
        raise InvalidInput("the weights of rows must be numbers from 0 to 1, one per row.")
    return np.floor(weights * WHOLE).astype(np.int64)


def counted(places: Integers, cells: int, shares: Integers | None) -> Integers:
    """How many records, or parts of them, are in each place, (cells,); exact, since no block of rows has 2^33 persons."""
    return np.bincount(places, weights=shares, minlength=cells).astype(np.int64)


def checked_size(what: str, value: int) -> None:
    """Raise InvalidInput unless it is an integer from 1 to LARGEST."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST:
        raise InvalidInput(f"{what} must be an integer from 1 to {LARGEST}; {value!r} was given.")


def _in_range(records: Integers, largest: int) -> Integers:
    if records.ndim != 1 or records.dtype.kind not in "iu" or not np.all((records >= 0) & (records <= largest)):
        raise InvalidInput(f"a query needs one integer from 0 to {largest} for every record; something else was given.")
    return records
