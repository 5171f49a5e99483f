"""Noise added to rows a block at a time, by whoever has the block: a thread of this process, or a worker of a cluster (proof note rows.md).

    block b of the table  ->  a(b) + K_b,      K_b from a source of its own (`Noise.streams`), independent of all others

The law of all rows together is that of rows handled one after the other, whoever drew which, in whatever order. Every pass over a table gives one
answer a block, so one noisy copy of every block leaves `noisy_blocks`; a copy that is drawn again, since a worker died, takes the place of one that
nobody has seen. What travels to a block is public: query, mechanism, and where to ask for noise, never noise or a key.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from discreet.core.arrays import Floats
from discreet.data import Records
from discreet.noise import Noise
from discreet.queries import RowQuery, Target

Add = Callable[[Floats, Noise], Floats]
"""Computed rows (b, c) and a source of noise to noisy rows (b, c); public numbers only, and able to travel."""


def noisy_blocks(query: RowQuery, data: Records, noise: Noise, add: Add) -> Iterator[Floats]:
    """The noisy rows of all records, in their order, some at a time; with targets in clear as a last column where the query says so."""
    return data.map_rows(partial(_noisy, query=query, add=add, streams=noise.streams()))


def _noisy(first: int, block: Records, *, query: RowQuery, add: Add, streams: Callable[[int], Noise]) -> Floats:
    """Where the block is; `first` is the number of its first row, which no other block with rows has."""
    source, clear = streams(first), query.read.target is Target.CLEAR
    released = np.empty((block.records, query.columns + clear))
    for rows, answer in query.answer(block):
        released[rows, : query.columns] = add(answer, source)
    if clear:
        released[:, -1] = block.targets
    return released
