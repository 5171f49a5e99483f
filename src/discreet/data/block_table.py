"""A table as row blocks, wherever its rows are: in a file, on other machines, or computed when they are asked for.

    map(f) = f(0, block_0), f(1, block_1), ..        in the order of the rows

That is all that is asked: every algorithm here is a sum over blocks, or handles one block after the other. Blocks are made anew in every pass, and
none is held longer than the function runs; where they are worked on is the table's choice.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records_of_a_block
from discreet.core.workers import map_in_order
from discreet.matrices import DenseMatrix, Matrix
from discreet.matrices.base import Numbers

R = TypeVar("R")
BLOCK_BYTES = 32 * 2**20
"""About the size of a block, as float64 numbers."""
CHANGED = "the table changed while it was being read. Every pass must find the same records: use a copy that nobody writes to."


@holds_records_of_a_block
class Block(NamedTuple):
    """Some consecutive records, in memory. Private."""

    rows: Matrix
    """(b, d)."""
    targets: npt.NDArray[Any] | None
    """Labels, signs or numbers, (b,), of several numbers (b, m); None where the table has none."""
    weights: Floats | None = None
    """Public weights of the records, (b,), or None for ones."""
    persons: Any = None
    """Whose the rows are, (b,): ids as an array or a column of polars; None where nobody says."""
    shares: Floats | None = None
    """What was drawn of `persons`: a_i of every row, (b,); None where a row is a record."""

    def part(self, rows: slice) -> "Block":
        """Records rows.start .. rows.stop - 1: views, not copies."""
        return Block(self.rows.rows(rows), *self._columns(rows))

    def chosen(self, numbers: Numbers) -> "Block":
        """The records `numbers`, in their order."""
        return Block(self.rows.chosen(numbers), *self._columns(numbers))

    def _columns(self, rows: slice | Numbers) -> list[Any]:
        return [None if column is None else column[rows] for column in self[1:]]

    def __repr__(self) -> str:
        """Nothing: a log may print what a worker was given."""
        return "Block(private)"


class BlockTable(ABC):
    """Records in blocks. Every pass must give the same blocks, for any `jobs`."""

    __slots__ = ("__weakref__", "encoded", "ends", "features", "remote", "rule", "slow", "targets")
    encoded: bool
    """Whether a schema made the rows and their targets, so that numbers lie in [-1, 1] by its word."""
    ends: tuple[float, ...]
    """Of the periods of times, as a schema says; empty where it says nothing, or there is none."""
    features: int
    """d, the columns of every block."""
    remote: bool
    """Whether blocks are worked on outside this process."""
    slow: bool
    """Whether making or reaching a block takes longer than a Gram matrix of its rows: then more is done in fewer passes."""
    targets: int
    """m, the numbers that are learnt of each record; 1 for one number, a class or a time, or where there is none."""
    rule: Persons | None
    """What a schema says of whose rows are whose; None where it says nothing, or there is none."""

    def __init__(
        self,
        features: int,
        *,
        remote: bool = False,
        slow: bool = True,
        rule: Persons | None = None,
        ends: tuple[float, ...] = (),
        targets: int = 1,
        encoded: bool = False,
    ) -> None:
        """State what is known of every block."""
        self.ends, self.targets, self.encoded = ends, targets, encoded
        self.features, self.remote, self.slow, self.rule = features, remote, slow, rule

    def say(self, table: "BlockTable") -> None:
        """State of targets and persons what is known of those of another table, whose records these are."""
        self.ends, self.targets, self.encoded, self.rule = table.ends, table.targets, table.encoded, table.rule

    @property
    def source(self) -> "BlockTable":
        """The table whose rows a ledger knows: this one, unless its rows are computed from those of another."""
        return self

    @property
    def source_rows(self) -> int | None:
        """How many rows `source` has, where it is another table and they were counted; private under add-remove."""
        return None

    @abstractmethod
    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """work(number of the block, block) for every block, in order, by at most `jobs` threads where they run in this process.

        Raises what `work` raises.
        """

    def nothing(self) -> Block:
        """A block without records, which stands for a table that has no block, so that sums have their shapes."""
        return Block(DenseMatrix(np.empty((0, self.features))), np.empty(0 if self.targets == 1 else (0, self.targets)))

    def quick(self) -> "SomeBlocks | None":
        """The blocks that every pass finds in memory, or as quickly, told by sizes and options alone; None where there are none, or nobody knows."""
        return None

    def map_rows(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """As `map`, for results as large as the blocks: a table that would let many of them wait somewhere asks for fewer at a time."""
        return self.map(work, jobs)

    def few(self, every: int) -> "BlockTable | None":  # noqa: ARG002 - of most, blocks are reached in their order
        """Blocks 0, every, 2 every, .. as a table, or None where they are not reached without the others."""
        return None


class SomeBlocks:
    """Some blocks of a table, evenly spaced or all: `numbers` says which, in order, and `block` makes one."""

    __slots__ = ("block", "numbers")

    def __init__(self, numbers: Sequence[int], block: Callable[[int], Block]) -> None:
        """Hold both."""
        self.numbers = numbers
        self.block = block

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable; numbers are those in the whole table."""
        block = self.block
        yield from map_in_order(lambda number: work(number, block(number)), self.numbers, jobs)


class PerBlock(ABC, Generic[R]):
    """Work that takes along something for every block: where blocks are on other machines, a task is sent what its own blocks need."""

    __slots__ = ()

    @abstractmethod
    def __call__(self, number: int, block: Block) -> R:
        """See BlockTable.map."""

    @abstractmethod
    def only(self, numbers: Sequence[int]) -> "PerBlock[R]":
        """The same for these blocks alone."""


def work_on(work: Callable[[int, Block], R], numbers: Sequence[int]) -> Callable[[int, Block], R]:
    """What to send to where the blocks `numbers` are."""
    return work.only(numbers) if isinstance(work, PerBlock) else work


def block_rows(features: int) -> int:
    """Rows of a block of about BLOCK_BYTES, from 1024 to a million."""
    return int(min(max(BLOCK_BYTES // (8 * max(1, features)), 1 << 10), 1 << 20))
