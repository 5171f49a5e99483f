"""Coordinates in consecutive blocks: sums and largest entries by block, and what balls of norms over blocks share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import whole
from discreet.sets.base import Ball


def checked_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """The sizes as a tuple; raises InvalidInput unless there is one at least, and all are positive integers."""
    found = tuple(sizes)
    if not found:
        raise InvalidInput("the sizes of groups must be a non-empty sequence of positive integers; none was given.")
    for size in found:
        whole(size, "the size of a group")
    return tuple(int(size) for size in found)


def starts(sizes: tuple[int, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The first index of each block."""
    return np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64)


def block_norms(values: Floats, sizes: tuple[int, ...]) -> Floats:
    """|values_B|_2 for each block, shape (m,)."""
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0:
        return np.zeros(len(sizes))
    return largest * np.sqrt(np.add.reduceat(np.square(values / largest), starts(sizes)))


def block_sums(values: Floats, sizes: tuple[int, ...]) -> Floats:
    """The sum of each block, shape (m,)."""
    return np.add.reduceat(values, starts(sizes))


def block_largest(values: Floats, sizes: tuple[int, ...]) -> Floats:
    """The largest entry of each block, shape (m,)."""
    return np.maximum.reduceat(values, starts(sizes))


def block_slice(index: int, sizes: tuple[int, ...]) -> slice:
    """Where a block is among the coordinates."""
    first = sum(sizes[:index])
    return slice(first, first + sizes[index])


def spread(values: Floats, sizes: tuple[int, ...]) -> Floats:
    """Each block's number in all its coordinates, shape (d,)."""
    return np.repeat(values, sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBall(Ball):
    """Points whose blocks have norms that sum to at most `radius`."""

    sizes: tuple[int, ...]
    """How many coordinates each block has, in order; they sum to d."""
    radius: float = 1.0
    """r > 0."""

    def __post_init__(self) -> None:
        """Refuse empty groups."""
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        Ball.__post_init__(self)

    @property
    def dimension(self) -> int:
        """d."""
        return sum(self.sizes)

    @property
    def width_is_exact(self) -> bool:
        """Only where there is one group."""
        return len(self.sizes) == 1
