"""Some rows of a table in blocks: what a cut takes of each block, without the blocks of which it takes nothing.

work(p, block_p) -> work(p, cut(k, block_k)),    k the number of the block in the whole table, p its place among those that are kept
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

from discreet.data.block_table import Block, BlockTable, PerBlock, work_on

R = TypeVar("R")


class Cut(Protocol):
    """Rows of each block, by the number of the block; where blocks are on other machines it travels there."""

    def __call__(self, number: int, block: Block, /) -> Block:
        """Those of one block."""

    def only(self, numbers: Sequence[int], /) -> Self:
        """What is needed for these blocks."""


class CutTable(BlockTable):
    """What `cut` takes of the blocks `kept`, given by their numbers, of `table`."""

    __slots__ = ("_cut", "_places", "_table")

    def __init__(self, table: BlockTable, cut: Cut, kept: Sequence[int]) -> None:
        """Hold the table; nothing is read."""
        super().__init__(table.features, remote=table.remote, slow=table.slow)
        self.say(table)
        self._table, self._cut = table, cut
        self._places = {number: place for place, number in enumerate(kept)}

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable."""
        for result in self._table.map(_OnCut(work, self._cut, self._places), jobs):
            yield from result


@dataclass(frozen=True, slots=True, repr=False)
class _OnCut(PerBlock[tuple[R, ...]]):
    """`work` on what is cut."""

    work: Callable[[int, Block], R]
    cut: Cut
    places: Mapping[int, int]
    """Of these blocks among those that are kept, by their numbers in the whole table."""

    def __call__(self, number: int, block: Block) -> tuple[R, ...]:
        """See BlockTable.map."""
        return (self.work(self.places[number], self.cut(number, block)),) if number in self.places else ()

    def only(self, numbers: Sequence[int]) -> "_OnCut[R]":
        """See PerBlock."""
        places = {number: self.places[number] for number in numbers if number in self.places}
        return _OnCut(work_on(self.work, list(places.values())), self.cut.only(numbers), places)
