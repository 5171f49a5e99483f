"""Blocks that a function makes: simulated tables, and any storage that this package does not know."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from discreet.core.errors import InvalidInput
from discreet.core.workers import map_in_order
from discreet.data.blocks.base import Block, BlockTable

R = TypeVar("R")


class FunctionTable(BlockTable):
    """Blocks make(0), ..., make(blocks - 1), in this order.

    `make` is called in every pass, from several threads where several work, and must give the same block for the same number each time. Raises
    InvalidInput unless there is at least one block with at least one feature. `targets` m where blocks have m numbers of each record, (b, m).
    """

    __slots__ = ("_blocks", "_make")

    def __init__(self, make: Callable[[int], Block], *, blocks: int, features: int, targets: int = 1) -> None:
        """Hold the function."""
        if blocks < 1 or features < 1 or targets < 1:
            raise InvalidInput(f"a table needs at least one block, one feature and one target; {blocks}, {features} and {targets} were given.")
        super().__init__(features, targets=targets)
        self._make = make
        self._blocks = blocks

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable."""
        make = self._make
        yield from map_in_order(lambda number: work(number, make(number)), range(self._blocks), jobs)
