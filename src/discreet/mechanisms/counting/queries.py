"""Queries whose answer is a vector of integers, and how far one record moves it.

    Histogram(cells)      answer_j = number of records in cell j          one record is in exactly one cell
    BoundedSum(largest)   answer   = sum of contributions                 one record contributes an integer in [0, largest]

    one record          added or removed            replaced
    Histogram           one cell by 1               two cells by 1, in opposite directions (or none)
    BoundedSum          by at most `largest`        by at most `largest`

Real-valued sums become bounded sums by rounding each record's clipped contribution to an integer *before* it is added, so that no floating-point
sum, whose sensitivity nobody knows, is ever taken. Contributions outside their range are refused, so the table above holds for every input.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from discreet.accounting import Json
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.mechanisms.base import Numbers
from discreet.noise import Integers

LARGEST = 1 << 20
"""Of cells and of a contribution: sums of 2^40 records still fit 64 bits."""


class Sensitivity(NamedTuple):
    """The worst move of an answer between neighbours: `coordinates` of its integers move, each by at most `step`."""

    coordinates: int
    step: int

    @property
    def manhattan(self) -> int:
        """The L1 sensitivity."""
        return self.coordinates * self.step

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

    def answer(self, records: Integers) -> Integers:
        """The exact answer (size,) from one integer a record (n,). Raises InvalidInput, without any of them, for one out of range."""

    def to_dict(self) -> dict[str, Json]:
        """For certificates; `discreet.statements.counting` reads it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """How many records are in each of `cells` cells; a record is the number of its cell, from 0."""

    cells: int

    def __post_init__(self) -> None:
        """Refuse numbers of cells that are none."""
        _checked("the number of cells of a histogram", self.cells)

    @property
    def size(self) -> int:
        """See IntegerQuery."""
        return self.cells

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """See IntegerQuery. Raises InvalidInput for a single cell under replace-one: that is the number of records, which is public."""
        if neighbours is ADD_REMOVE:
            return Sensitivity(1, 1)
        if self.cells == 1:
            raise InvalidInput("a histogram of one cell is the number of records, which is public under replace-one: no noise is needed.")
        return Sensitivity(2, 1)

    def answer(self, records: Integers) -> Integers:
        """See IntegerQuery."""
        return np.bincount(_in_range(records, self.cells - 1), minlength=self.cells).astype(np.int64)

    def to_dict(self) -> dict[str, Json]:
        """See IntegerQuery."""
        return {"kind": "histogram", "cells": self.cells}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedSum:
    """The sum of one integer in [0, largest] a record; with largest = 1, a count."""

    largest: int

    def __post_init__(self) -> None:
        """Refuse bounds that are none."""
        _checked("the largest contribution to a bounded sum", self.largest)

    @property
    def size(self) -> int:
        """See IntegerQuery."""
        return 1

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:  # noqa: ARG002 - the same for both
        """See IntegerQuery."""
        return Sensitivity(1, self.largest)

    def answer(self, records: Integers) -> Integers:
        """See IntegerQuery."""
        return np.array([np.sum(_in_range(records, self.largest), dtype=np.int64)])

    def to_dict(self) -> dict[str, Json]:
        """See IntegerQuery."""
        return {"kind": "bounded-sum", "largest": self.largest}


@dataclass(frozen=True, slots=True)
class Queries:
    """The public problem: all that is asked under one certificate. Raises InvalidInput where nothing is."""

    each: Sequence[IntegerQuery]

    def __post_init__(self) -> None:
        """See class docstring."""
        object.__setattr__(self, "each", tuple(self.each))
        if not self.each:
            raise InvalidInput("a mechanism that counts needs at least one query.")

    def answered(self, records: Sequence[Integers], content: Iterable[bytes] | None = None) -> Numbers[Sequence[Integers]]:
        """The exact answers; `records[j]` (n,) holds what query j reads of each record. Raises InvalidInput for records out of range.

        `content` is what the ledger's digest of the table is made from.
        """
        if len(records) != len(self.each) or len({len(column) for column in records}) > 1:
            raise InvalidInput("each query needs one integer for every record.")
        return Numbers(tuple(query.answer(column) for query, column in zip(self.each, records, strict=True)), content)

    def require(self, data: Numbers[Sequence[Integers]]) -> None:
        """Raise InvalidInput unless `data` holds an answer to each query."""
        found = data.held
        if [answer.shape for answer in found] != [(query.size,) for query in self.each] or any(answer.dtype.kind != "i" for answer in found):
            raise InvalidInput("each query needs its answer, as many integers as it asks for.")

    def to_dict(self) -> dict[str, Json]:
        """For certificates."""
        return {"queries": [query.to_dict() for query in self.each]}

    def checked_shares(self, shares: Sequence[float] | None) -> tuple[float, ...]:
        """Positive shares of the budget, one for each query, that sum to 1; equal ones where None. Raises InvalidInput for others."""
        count = len(self.each)
        given = (1.0 / count,) * count if shares is None else tuple(shares)
        if len(given) != count or not all(share > 0 for share in given) or abs(sum(given) - 1.0) > 1e-9:
            raise InvalidInput(f"the budget is divided by positive shares that sum to 1, one for each of {count} queries; {shares!r} was given.")
        return given


def _checked(what: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST:
        raise InvalidInput(f"{what} must be an integer from 1 to {LARGEST}; {value!r} was given.")


def _in_range(records: Integers, largest: int) -> Integers:
    if records.ndim != 1 or records.dtype.kind not in "iu" or not np.all((records >= 0) & (records <= largest)):
        raise InvalidInput(f"a query needs one integer from 0 to {largest} for every record; something else was given.")
    return records
