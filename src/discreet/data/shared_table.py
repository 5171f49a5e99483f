"""Rows of several persons in blocks: what was drawn of whose rows are whose goes back with the blocks (module `persons`).

    block k  ->  its rows that are kept, each with its share a_i of one record's weight

The whole table has one number a row here, of 1 to 4 bytes: how many rows of its person are kept. Where blocks are on other machines, a task takes
along those of its own blocks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.data.block_table import CHANGED, Block, BlockTable, PerBlock, SomeBlocks, work_on
from discreet.data.persons import Counts, Draw, Keys, PersonCodes, Source, key_codes, keyed, weights_of

R = TypeVar("R")
NOT_TOLD = (
    "the table has a column of person ids, but this method was not told that a person may have several rows. Declare the persons, or leave "
    "their column out."
)


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Kept:
    """What was drawn of whose rows are whose; private."""

    table: "SharedTable"
    """The rows that are kept."""
    persons: int
    """Their number."""
    lengths: list[int]
    """Rows of every block, kept or not."""
    rows: list[int]
    """Rows of every block that are kept."""
    counts: list[Counts]
    """As `SharedTable` takes them, of every block."""
    codes: list[PersonCodes]
    """Whose the rows of every block are."""

    @classmethod
    def of(cls, table: BlockTable, persons: Persons, *, number: int, counts: list[Counts], codes: list[PersonCodes]) -> "Kept":
        """What was drawn of so many persons in `table`."""
        rows = [int(np.count_nonzero(part)) for part in counts]
        return cls(table=SharedTable(table, counts, persons), persons=number, lengths=list(map(len, counts)), rows=rows, counts=counts, codes=codes)


def kept_blocks(table: BlockTable, persons: Persons, noise: Source, *, jobs: int, check: Callable[[Block], object] | None = None) -> Kept:
    """What `noise` keeps of rows that are told apart, after a pass that brings keys of ids and calls `check` for every block.

    Raises InvalidInput for a table that does not say whose rows are whose.
    """
    draw = Draw(noise)
    found = list(table.map(partial(_keyed, key=draw.key, check=check), jobs))
    codes = key_codes(np.concatenate(found) if found else np.empty((0, 2), dtype=np.uint64))
    drawn = draw.shares(codes, persons)
    lengths = [len(keys) for keys in found]
    ends = np.cumsum(lengths)[:-1]
    counts = np.split(drawn.counts, ends) if found else []
    owners = np.split(codes.astype(np.min_scalar_type(drawn.persons)), ends) if found else []
    return Kept.of(table, persons, number=drawn.persons, counts=counts, codes=owners)


def _keyed(_: int, block: Block, *, key: bytes, check: Callable[[Block], object] | None) -> Keys:
    """Whose the rows of a block are, once it is checked."""
    if block.persons is None:
        raise InvalidInput("the table needs a column of person ids; it has none.")
    keys = keyed(block.persons, key)
    if len(keys) != block.rows.shape[0]:
        raise InvalidInput("rows and person ids must have the same length.")
    if check is not None:
        check(block)
    return keys


@holds_records
class SharedTable(BlockTable):
    """The rows of `table` that are kept, with their shares: `counts` (b,) of every block, as `Shares` has them, and the rule of `persons`."""

    __slots__ = ("_counts", "_persons", "_table")

    def __init__(self, table: BlockTable, counts: Sequence[Counts], persons: Persons) -> None:
        """Hold them; nothing is read."""
        super().__init__(table.features, remote=table.remote, slow=table.slow)
        self.say(table)
        self._table, self._counts, self._persons = table, list(counts), persons

    @property
    def source(self) -> BlockTable:
        """That of the table below."""
        return self._table.source

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable. Raises InvalidInput when a block below is not as long as it was when persons were counted."""
        return self._counted(self._table.map, work, jobs)

    def map_rows(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable."""
        return self._counted(self._table.map_rows, work, jobs)

    def nothing(self) -> Block:
        """See BlockTable: nobody has a row, and a row would have its share."""
        return super().nothing()._replace(shares=np.empty(0))

    def quick(self) -> SomeBlocks | None:
        """See BlockTable: those below."""
        found = self._table.quick()
        if found is None:
            return None
        block, counts, persons = found.block, self._counts, self._persons
        return SomeBlocks(found.numbers, lambda number: _shared(block(number), counts[number], persons))

    def few(self, every: int) -> "SharedTable | None":
        """See BlockTable."""
        table = self._table.few(every)
        return None if table is None else SharedTable(table, self._counts[::every], self._persons)

    def _counted(self, over: Callable[[Callable[[int, Block], R], int], Iterator[R]], work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        seen = 0
        for result in over(_OnShared(work, dict(enumerate(self._counts)), self._persons), jobs):
            seen += 1
            yield result
        if seen != len(self._counts):
            raise InvalidInput(CHANGED)


@dataclass(frozen=True, slots=True, repr=False)
class _OnShared(PerBlock[R]):
    """`work` on blocks of rows that are kept."""

    work: Callable[[int, Block], R]
    counts: Mapping[int, Counts]
    persons: Persons

    def __call__(self, number: int, block: Block) -> R:
        """See BlockTable.map."""
        if number not in self.counts:
            raise InvalidInput(CHANGED)
        return self.work(number, _shared(block, self.counts[number], self.persons))

    def only(self, numbers: Sequence[int]) -> "_OnShared[R]":
        """See PerBlock."""
        return _OnShared(work_on(self.work, numbers), {number: self.counts[number] for number in numbers if number in self.counts}, self.persons)


def _shared(block: Block, counts: Counts, persons: Persons) -> Block:
    if block.rows.shape[0] != len(counts):
        raise InvalidInput(CHANGED)
    kept = np.flatnonzero(counts)
    rows = block if len(kept) == len(counts) else block.chosen(kept)
    return rows._replace(persons=None, shares=weights_of(counts[kept], persons))
