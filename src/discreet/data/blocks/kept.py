"""Blocks that stay in memory between passes, up to a number of bytes: the others are made anew each time.

    block i of n rows is kept if the blocks so far, times memory / bytes of all, have reached another whole block

so that those that stay are spread evenly over the table: what is found in memory stands for the rest. Bytes are told before a row is read, by an
upper bound for a row; where blocks turn out smaller, others stay too. What is kept is what was read, so a pass gives the same blocks whether they are
kept or not; nothing is written anywhere.
"""

import threading
from collections.abc import Callable, Sequence

from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.data.blocks.base import Block

MEMORY = 2**30
"""Bytes of blocks that a table of files keeps unless told otherwise."""


@holds_records
class KeptBlocks:
    """At most `memory` bytes of blocks, by number. Raises InvalidInput for a negative number of bytes."""

    __slots__ = ("_blocks", "_expected", "_lock", "_reserved", "_room", "memory", "planned")

    planned: tuple[int, ...]
    """Numbers of the blocks that are sure to find room, in order."""

    def __init__(self, memory: int, sizes: Sequence[int] = ()) -> None:
        """Keep nothing yet. `sizes`: upper bounds of the bytes of every block, where they are known."""
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 0:
            raise InvalidInput(f"memory is a number of bytes, an integer >= 0; {memory!r} was given.")
        self.memory = memory
        self._room = memory
        self.planned = _spread(memory, sizes)
        self._expected = {number: sizes[number] for number in self.planned}
        self._reserved = sum(self._expected.values())
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
            self._reserved -= self._expected.pop(number, 0)
            if number not in self._blocks and size <= self._room - self._reserved:
                self._blocks[number] = made
                self._room -= size
        return made


def _spread(memory: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """Blocks of at most `memory` bytes together, evenly spaced."""
    total = sum(sizes)
    if total <= memory:
        return tuple(range(len(sizes)))
    found = [number for number in range(len(sizes)) if (number + 1) * memory // total > number * memory // total]
    while sum(sizes[number] for number in found) > memory:  # blocks of different lengths
        found.pop()
    return tuple(found)


def _bytes(block: Block) -> int:
    columns = sum(int(column.nbytes) for column in (block.targets, block.weights) if column is not None)
    return block.rows.held_bytes + columns
