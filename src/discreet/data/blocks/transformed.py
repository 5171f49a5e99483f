"""Rows that are computed from those of another table, by a public function of one row: features of a kernel, for example.

    rows of block k  =  f(rows x_a, .., x_b of a block of the other table),       targets and weights as they are there

The blocks are cut anew, since computed rows may be many times as wide: about `BLOCK_BYTES` of them are at hand in a thread, however long the blocks
below are. A fixed function of single rows takes neighbouring tables to neighbouring tables; that `function` is one is the caller's word.
"""

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import TypeVar

from discreet.core.errors import InvalidInput
from discreet.data.blocks.base import CHANGED, Block, BlockTable, block_rows
from discreet.matrices import Matrix
from discreet.matrices.base import cuts

R = TypeVar("R")


class TransformedTable(BlockTable):
    """`function` of the rows of `table`, with `features` columns.

    `function` takes a Matrix (b, d) to a Matrix (b, features), each row by itself and the same way in every pass; with a table whose blocks are on
    other machines it travels there, and holds public numbers only. Reads the table once, by `jobs` threads, to know how long its blocks are. Raises
    InvalidInput for less than one feature.
    """

    __slots__ = ("_counts", "_first", "_function", "_rows", "_table")

    def __init__(self, table: BlockTable, function: Callable[[Matrix], Matrix], *, features: int, jobs: int = 1) -> None:
        """Count the rows of every block."""
        if features < 1:
            raise InvalidInput(f"a table has at least one feature; {features} were given.")
        super().__init__(features, remote=table.remote)  # slow: rows are computed in every pass
        self._table = table
        self._function = function
        self._rows = block_rows(max(features, table.features))
        self._counts = list(table.map(lambda _, block: block.rows.shape[0], jobs))
        self._first = [0, *accumulate(len(cuts(count, self._rows)) for count in self._counts)]

    @property
    def source(self) -> BlockTable:
        """The table below, whatever is made of its rows."""
        return self._table.source

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable. Raises InvalidInput when a block below is not as long as it was when it was counted."""
        function, size, counts, first = self._function, self._rows, self._counts, self._first

        def pieces(number: int, block: Block) -> list[R]:
            if number >= len(counts) or block.rows.shape[0] != counts[number]:
                raise InvalidInput(CHANGED)
            return [work(first[number] + place, _piece(block, rows, function)) for place, rows in enumerate(cuts(counts[number], size))]

        seen = 0
        for results in self._table.map(pieces, jobs):
            seen += 1
            yield from results
        if seen != len(counts):
            raise InvalidInput(CHANGED)


def _piece(block: Block, rows: slice, function: Callable[[Matrix], Matrix]) -> Block:
    targets = None if block.targets is None else block.targets[rows]
    weights = None if block.weights is None else block.weights[rows]
    return Block(function(block.rows.rows(rows)), targets, weights)
