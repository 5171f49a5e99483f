"""Records that are read anew in every pass: a table of row blocks, and the function that brings a block within the domain.

The first pass counts the records and brings every block within the domain once, so that what is wrong with a record is known before anything is
spent. Every later pass counts again: a table that has changed, or lost a block on its way, is an error and never a wrong sum.
"""

import hashlib
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Generic, Protocol, TypeVar

import numpy as np

from discreet.data.blocks.base import Block, BlockTable
from discreet.designs import DenseDesign, Design
from discreet.errors import InvalidInput

NOT_HELD = (
    "this needs all records in memory at once, and the table is read in blocks. Load it into an array, or use a method that goes block by block."
)


class Bounded(Protocol):
    """A small data set, made of one block."""

    @property
    def records(self) -> int:
        """How many."""


D = TypeVar("D", bound=Bounded)
R = TypeVar("R")


class Stream(Generic[D]):
    """Blocks of `table`, each turned into a data set by `bound`, which knows public numbers only."""

    __slots__ = ("_bound", "_counts", "_starts", "_table", "records")

    def __init__(self, table: BlockTable, bound: Callable[[Block], D], jobs: int, *, may_be_empty: bool = False) -> None:
        """Read everything once. Raises what reading and `bound` raise, InvalidInput for a table without records unless it `may_be_empty`."""
        self._table = table
        self._bound = bound
        self._counts = list(table.map(lambda _, block: bound(block).records, jobs))
        self._starts = [0, *accumulate(self._counts)]
        self.records: int = self._starts[-1]
        if self.records == 0 and not may_be_empty:
            raise InvalidInput("the table has no records; at least one is needed.")

    def rebound(self, bound: Callable[[Block], D]) -> "Stream[D]":
        """The same blocks, brought within another domain; not read again."""
        other: Stream[D] = Stream.__new__(Stream)
        other._table, other._bound, other._counts, other._starts, other.records = self._table, bound, self._counts, self._starts, self.records
        return other

    @property
    def blocks(self) -> int:
        """How many."""
        return len(self._counts)

    def map(self, work: Callable[[int, D], R], jobs: int) -> Iterator[R]:
        """work(number of the first row, data set) for every block, in order. Raises InvalidInput when blocks are not as long as in the first pass."""
        return self._counted(self._table.map, work, jobs)

    def map_rows(self, work: Callable[[int, D], R], jobs: int) -> Iterator[R]:
        """As `map`, for results as large as the blocks: few exist at a time."""
        return self._counted(self._table.map_rows, work, jobs)

    def few(self, every: int) -> "Stream[D] | None":
        """Blocks 0, every, 2 every, ..; None where these are not reached without the others."""
        table = self._table.few(every)
        if table is None:
            return None
        counts = self._counts[::every]
        starts = [0, *accumulate(counts)]
        other: Stream[D] = Stream.__new__(Stream)
        other._table, other._bound, other._counts, other._starts, other.records = table, self._bound, counts, starts, starts[-1]
        return other

    def _counted(
        self, over: Callable[[Callable[[int, Block], tuple[int, R]], int], Iterator[tuple[int, R]]], work: Callable[[int, D], R], jobs: int
    ) -> Iterator[R]:
        bound, starts = self._bound, self._starts

        def counted(number: int, block: Block) -> tuple[int, R]:
            data = bound(block)
            return data.records, work(starts[number] if number < len(starts) else 0, data)

        seen = []
        for count, result in over(counted, jobs):
            seen.append(count)
            yield result
        if seen != self._counts:
            raise InvalidInput("the table changed while it was read. Every pass must find the same records: work on a copy that nobody writes to.")

    def content(self, jobs: int) -> Iterator[bytes]:
        """Rows and targets as they are in the table, for a ledger's keyed digest: for numbers, the bytes of the same table in memory.

        Of blocks that are on other machines, digests come instead of the bytes.
        """
        remote = self._table.remote
        yield repr(("rows", (self.records, self._table.features))).encode()
        for parts in self._table.map(lambda _, block: _sealed(_row_bytes(block.rows), remote=remote), jobs):
            yield from parts

    @property
    def remote(self) -> bool:
        """Whether blocks are worked on outside this process."""
        return self._table.remote

    @property
    def slow(self) -> bool:
        """Whether making a block takes longer than a Gram matrix of its rows."""
        return self._table.slow

    @property
    def features(self) -> int:
        """d."""
        return self._table.features


def _row_bytes(rows: Design) -> Iterator[bytes]:
    parts = rows.content()
    if isinstance(rows, DenseDesign):
        next(parts)  # the shape of the block alone
    return parts


def _sealed(parts: Iterator[bytes], *, remote: bool) -> list[bytes]:
    if not remote:
        return list(parts)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return [digest.digest()]


def column_bytes(column: "np.ndarray[tuple[int], np.dtype[np.generic]]", *, remote: bool) -> bytes:
    """A column of numbers, or its digest."""
    return _sealed(iter((column.tobytes(),)), remote=remote)[0]
