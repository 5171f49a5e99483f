"""Tables whose rows are made of another's: computed by a public function of one row, or several rows of each record.

    rows of block k  =  f(rows x_a, .., x_b of a block of the other table),       all other columns as they are there
    block k          =  g(records a, .., b of the other table, a)                 where there are several rows of each

The blocks are cut anew, since computed rows may be many times as wide: about `BLOCK_BYTES` of them are at hand in a thread, however long the blocks
below are. A fixed function of single rows takes neighbouring tables to neighbouring tables; that `function` is one is the caller's word.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, TypeVar

from discreet.core.errors import InvalidInput
from discreet.core.parts import module_of
from discreet.data.block_table import CHANGED, Block, BlockTable, PerBlock, block_rows, work_on
from discreet.matrices import Matrix
from discreet.matrices.base import cuts

R = TypeVar("R")


class TransformedTable(BlockTable):
    """A table of `function` of the rows of `table`, with `features` columns.

    `function` takes a Matrix (b, d) to a Matrix (b, features), each row by itself and the same way in every pass; with a table whose blocks are on
    other machines it is sent there, so it must contain public numbers only. Reads the table once, by `jobs` threads, to find the lengths of its
    blocks. With `several`, at most this many rows per record, it maps a Block of consecutive records, and the number of the first one, to a Block
    whose person ids are record numbers. Raises InvalidInput for less than one feature.
    """

    __slots__ = ("_counts", "_first", "_function", "_rows", "_starts", "_table")

    def __init__(self, table: BlockTable, function: Callable[..., Any], *, features: int, jobs: int = 1, several: int | None = None) -> None:
        """Count the rows of every block."""
        if features < 1:
            raise InvalidInput(f"a table needs at least one feature; {features} were given.")
        alike = several is None
        # slow: rows are computed in every pass
        super().__init__(
            features, remote=table.remote, rule=table.rule if alike else None, targets=table.targets if alike else 1, encoded=table.encoded
        )
        self._table = table
        self._function = partial(_of_rows, function) if several is None else function
        self._rows = max(1, block_rows(max(features, table.features)) // (several or 1))
        self._counts = list(table.map(lambda _, block: block.rows.shape[0], jobs))
        self._starts = [0, *accumulate(self._counts)]
        self._first = [0, *accumulate(len(cuts(count, self._rows)) for count in self._counts)]

    @property
    def source(self) -> BlockTable:
        """The table below, whatever is made of its rows."""
        return self._table.source

    @property
    def source_rows(self) -> int | None:
        """See BlockTable."""
        below = self._table.source_rows
        return sum(self._counts) if below is None else below

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable. Raises InvalidInput when a block below is not as long as it was when it was counted."""
        seen = 0
        for results in self._table.map(_Pieces(work, self._function, self._rows, self._counts, self._first, self._starts), jobs):
            seen += 1
            yield from results
        if seen != len(self._counts):
            raise InvalidInput(CHANGED)


@dataclass(frozen=True, slots=True, repr=False)
class _Pieces(PerBlock[list[R]]):
    """`work` on the pieces of a block below."""

    work: Callable[[int, Block], R]
    function: Callable[[Block, int], Block]
    size: int
    counts: Sequence[int]
    first: Sequence[int]
    starts: Sequence[int]

    def __call__(self, number: int, block: Block) -> list[R]:
        """See BlockTable.map."""
        if number >= len(self.counts) or block.rows.shape[0] != self.counts[number]:
            raise InvalidInput(CHANGED)
        found, start = [], self.starts[number]
        for place, rows in enumerate(cuts(self.counts[number], self.size)):
            found.append(self.work(self.first[number] + place, self.function(block.part(rows), start + rows.start)))
        return found

    def only(self, numbers: Sequence[int]) -> "_Pieces[R]":
        """See PerBlock."""
        above = [place for number in numbers for place in range(self.first[number], self.first[number + 1])]
        return replace(self, work=work_on(self.work, above))


def _of_rows(function: Callable[[Matrix], Matrix], block: Block, first: int) -> Block:  # noqa: ARG001 - rows are made one by one
    return block._replace(rows=function(block.rows))


def moved_blocks(table: BlockTable, device: str | None) -> BlockTable:
    """`table`, or its blocks on `device`. Raises as `discreet.device.MovedTable` does."""
    if device is None:
        return table
    moved: BlockTable = module_of("device").MovedTable(table, device)
    return moved
