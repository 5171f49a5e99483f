"""Blocks that stay in memory between passes, the first ones that come, up to a number of bytes: the others are made anew each time.

What is kept is what was read, so a pass gives the same blocks whether they are kept or not; nothing is written anywhere.
"""

import threading
from collections.abc import Callable

from discreet.data.blocks.base import Block
from discreet.designs.held import held_bytes
from discreet.errors import InvalidInput

MEMORY = 2**30
"""Bytes of blocks that a table of files keeps unless told otherwise."""


class KeptBlocks:
    """At most `memory` bytes of blocks, by number. Raises InvalidInput for a negative number of bytes."""

    __slots__ = ("_blocks", "_lock", "_room", "memory")

    def __init__(self, memory: int) -> None:
        """Keep nothing yet."""
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 0:
            raise InvalidInput(f"memory is a number of bytes, an integer >= 0; {memory!r} was given.")
        self.memory = memory
        self._room = memory
        self._blocks: dict[int, Block] = {}
        self._lock = threading.Lock()

    def block(self, number: int, make: Callable[[int], Block]) -> Block:
        """The block of this number: kept, or made, and then kept where there is room."""
        found = self._blocks.get(number)
        if found is not None:
            return found
        made = make(number)
        size = _bytes(made)
        with self._lock:
            if number not in self._blocks and size <= self._room:
                self._blocks[number] = made
                self._room -= size
        return made


def _bytes(block: Block) -> int:
    columns = sum(int(column.nbytes) for column in (block.targets, block.weights) if column is not None)
    return held_bytes(block.rows) + columns
