"""Blocks of another table, moved to a device one at a time, each for as long as it is worked on: a table need not fit there, nor into memory.

work(k, block_k)  ->  work(k, block_k on the device)
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from discreet.core.errors import InvalidInput
from discreet.data.block_table import Block, BlockTable
from discreet.device.move import check_device, on_device

R = TypeVar("R")


class MovedTable(BlockTable):
    """The blocks of `table`, their rows on `device`. Raises InvalidInput for a table that other machines work on, and for what is no device."""

    __slots__ = ("_device", "_table")

    def __init__(self, table: BlockTable, device: str) -> None:
        """Hold the table; nothing is read."""
        if table.remote:
            raise InvalidInput("a cluster processes blocks on its own workers; leave device out, or read the files in this process.")
        # slow: moving a block takes longer than its Gram matrix
        super().__init__(table.features)
        self.say(table)
        self._table, self._device = table, check_device(device)

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable."""
        device = self._device
        return self._table.map(lambda number, block: work(number, block._replace(rows=on_device(block.rows, device))), jobs)
