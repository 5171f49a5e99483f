"""Records that are read anew in every pass: a table of row blocks, and the function that brings a block within the domain.

The first pass counts the records and brings every block within the domain once, so that what is wrong with a record is known before anything is
spent. Every later pass counts again: a table that has changed, or lost a block on its way, is an error and never a wrong sum.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.data.block_table import CHANGED, Block, BlockTable
from discreet.matrices import BLOCK_ROWS, DenseMatrix, Matrix
from discreet.matrices.base import cuts

NOT_HELD = (
    "this method needs all records in memory, but the table is read in blocks. Load it into an array, or use a method that works block by block."
)
_SHARE = 16
"""One record of so many is sampled, where there are as many blocks, or blocks that are reached quickly."""
_FEWEST = 1 << 16
"""Records of a table that is sampled in its quick blocks."""


class Bounded(Protocol):
    """A small data set, made of one block."""

    @property
    def records(self) -> int:
        """How many records there are."""


D = TypeVar("D", bound=Bounded)
E = TypeVar("E", bound=Bounded)
R = TypeVar("R")


@holds_records
class Stream(Generic[D]):
    """Blocks of `table`, each turned into a data set by `bound`, which knows public numbers only."""

    __slots__ = ("_bound", "_counts", "_starts", "_table", "_whole", "records")

    def __init__(self, table: BlockTable, bound: Callable[[Block], D], jobs: int) -> None:
        """Read everything once; perhaps there are no records. Raises what reading and `bound` raise."""
        self._hold(table, bound, list(table.map(lambda _, block: bound(block).records, jobs)))

    def _hold(self, table: BlockTable, bound: Callable[[Block], D], counts: list[int], whole: "Stream[Any] | None" = None) -> None:
        self._table, self._bound, self._counts, self._whole = table, bound, counts, whole
        self._starts = [0, *accumulate(counts)]
        self.records: int = self._starts[-1]

    @classmethod
    def counted(cls, table: BlockTable, bound: Callable[[Block], D], counts: list[int], *, whole: "Stream[Any] | None" = None) -> "Stream[D]":
        """Blocks whose records a pass has counted already, while it did something else; not read again, and perhaps none.

        `whole`: the table before anything was drawn of it, by which a ledger knows it.
        """
        stream: Stream[D] = cls.__new__(cls)
        stream._hold(table, bound, counts, whole)
        return stream

    @property
    def whole(self) -> "Stream[Any]":
        """The table before anything was drawn of it: this one, unless rows of persons were left out."""
        return self if self._whole is None else self._whole

    def rebound(self, bound: Callable[[Block], E]) -> "Stream[E]":
        """The same blocks, brought within another domain; not read again."""
        return Stream.counted(self._table, bound, self._counts, whole=self._whole)

    def then(self, change: Callable[[D], D]) -> "Stream[D]":
        """The same blocks, changed once more, record by record; not read again."""
        return self.rebound(partial(_changed, first=self._bound, change=change))

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self._counts)

    @property
    def lengths(self) -> list[int]:
        """Records of every block; private under add-remove."""
        return list(self._counts)

    def map(self, work: Callable[[int, D], R], jobs: int) -> Iterator[R]:
        """work(number of the first row, data set) for every block, in order. Raises InvalidInput when blocks are not as long as in the first pass."""
        return self._counted(self._table.map, work, jobs)

    def map_rows(self, work: Callable[[int, D], R], jobs: int) -> Iterator[R]:
        """As `map`, for results as large as the blocks: few exist at a time."""
        return self._counted(self._table.map_rows, work, jobs)

    def few(self, every: int) -> "Stream[D] | None":
        """Blocks 0, every, 2 every, ..; None where these are not reached without the others."""
        table = self._table.few(every)
        return None if table is None else Stream.counted(table, self._bound, self._counts[::every])

    def _counted(
        self, over: Callable[[Callable[[int, Block], tuple[int, R]], int], Iterator[tuple[int, R]]], work: Callable[[int, D], R], jobs: int
    ) -> Iterator[R]:
        bound, starts = self._bound, self._starts
        if not self._counts:  # no block at all: one without records, so that sums have their shapes
            yield work(0, bound(self._table.nothing()))
            return

        def counted(number: int, block: Block) -> tuple[int, R]:
            data = bound(block)
            return data.records, work(starts[number] if number < len(starts) else 0, data)

        seen = []
        for count, result in over(counted, jobs):
            seen.append(count)
            yield result
        if seen != self._counts:
            raise InvalidInput(CHANGED)

    def sample(self, jobs: int) -> list[D]:
        """Some of the records, held: one in sixteen, evenly spaced over the blocks that are reached quickly; or the first of sixteen blocks or more.

        Which ones is told by the shape of the table and by its options alone. Empty for a table that is short, or on other machines.
        """
        quick = None if self._table.remote or self.records <= _FEWEST else self._table.quick()
        if quick is not None and quick.numbers:
            step = max(1, _SHARE * sum(self._counts[number] for number in quick.numbers) // self.records)
            return [few for some in quick.map(lambda number, block: self._sampled(number, block, step), jobs) for few in some]
        if self._table.remote or self.blocks < _SHARE:
            return []
        return next(self._table.map(lambda number, block: self._sampled(number, block, 1), 1))

    def _sampled(self, number: int, block: Block, step: int) -> list[D]:
        """Every so many-th of the parts of a block, none longer than fits the processor's caches."""
        count = block.rows.shape[0]
        if count != self._counts[number]:
            raise InvalidInput(CHANGED)
        size = min(block.rows.cache_rows, max(BLOCK_ROWS, count // step))
        before = self._starts[number] // size
        return [self._bound(block.part(rows)) for place, rows in enumerate(cuts(count, size), before) if place % step == 0]

    def content(self, jobs: int) -> Iterator[bytes]:
        """Rows as they are in the table, for a ledger's keyed digest: for numbers, the bytes of the same table in memory.

        Of blocks that are on other machines, digests come instead of the bytes; of rows that were computed from others, those others.
        """
        table = self._table.source
        remote = table.remote
        if self.records == 0:
            return
        below = self._table.source_rows
        yield repr(("rows", (self.records if below is None else below, table.features))).encode()
        for parts in table.map(lambda _, block: _sealed(_row_bytes(block.rows), remote=remote), jobs):
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
        """d, the number of features."""
        return self._table.features


def _changed(block: Block, *, first: Callable[[Block], D], change: Callable[[D], D]) -> D:
    return change(first(block))


def _row_bytes(rows: Matrix) -> Iterator[bytes]:
    parts = rows.content()
    if isinstance(rows, DenseMatrix):
        next(parts, None)  # the shape of the block alone
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
