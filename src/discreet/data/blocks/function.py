"""Blocks that a function makes: simulated tables, and any storage that this package does not know."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from discreet.core.errors import InvalidInput
from discreet.core.workers import map_in_order
from discreet.data.block_table import Block, BlockTable

R = TypeVar("R")


class FunctionTable(BlockTable):
    """A table of the blocks make(0), ..., make(blocks - 1), in this order.

    `make` is called in every pass, possibly from several threads, and must return the same block for the same number each time. `targets` is m if
    blocks have m target numbers per record, (b, m). Raises InvalidInput unless there is at least one block with at least one feature.
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
