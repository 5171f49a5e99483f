"""Blocks that are held in a list."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from discreet.core.workers import map_in_order
from discreet.data.block_table import Block, BlockTable

R = TypeVar("R")


class ListTable(BlockTable):
    """One block after the other, from memory."""

    __slots__ = ("_blocks",)

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Hold them."""
        super().__init__(blocks[0].rows.shape[1])
        self._blocks = tuple(blocks)

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable."""
        yield from map_in_order(lambda place: work(*place), enumerate(self._blocks), jobs)
