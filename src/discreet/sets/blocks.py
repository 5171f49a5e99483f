"""Coordinates in consecutive blocks: sums and largest entries by block."""

from collections.abc import Sequence

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import whole


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


def spread(values: Floats, sizes: tuple[int, ...]) -> Floats:
    """Each block's number in all its coordinates, shape (d,)."""
    return np.repeat(values, sizes)
