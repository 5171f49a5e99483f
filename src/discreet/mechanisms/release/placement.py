"""Where noise is added to rows, whatever its law: in the order of the records, or among slots in a secret order (proof note rows.md).

Slots hide the number of rows: of records under add-remove, and of each person where persons are told apart, under either relation.

    block b of the table  ->  a(b) + K_b,      K_b from a source of its own (`Noise.streams`), independent of all others

The law of all rows together is that of rows handled one after the other, whoever drew which (a thread of this process, or a worker of a cluster), in
whatever order. Every pass over a table gives one answer a block, so one noisy copy of every block leaves; a copy that is drawn again, since a worker
died, takes the place of one that nobody has seen. What travels to a block is public (query, mechanism, where to ask for noise), never noise or a key.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.workers import map_in_order
from discreet.data import Records
from discreet.matrices.base import cuts
from discreet.mechanisms.base import Drawn
from discreet.mechanisms.release.answers import answers
from discreet.noise import Noise
from discreet.noise.words import shuffled
from discreet.queries import RowQuery, Target

Add: TypeAlias = Callable[[Floats, Noise], Floats]
"""Computed rows (b, c) and a source of noise to noisy rows (b, c); public numbers only, and able to travel."""

_ROWS = 1024
"""That are drawn at a time among slots."""
ORDERED_BYTES = 2**29
"""Of rows that are put into their secret order at a time."""


def placed(query: RowQuery, data: Records, noise: Noise, add: Add, slots: int | None = None) -> Drawn:
    """The noisy rows of all records, in their order, a target in clear as the last column; or `slots` rows, those of no record's made of zeros."""
    if slots is None:
        blocks = data.map_rows(partial(_noisy, query=query, add=add, streams=noise.streams()))
        return Drawn((data.records, query.columns + (query.read.target is Target.CLEAR)), blocks)
    return Drawn((slots, query.columns), _among_slots(query, data, noise, add, slots))


def check_placement(query: RowQuery, neighbours: Neighbours, slots: int | None) -> None:
    """Raise InvalidInput for a placement that would tell what the relation hides."""
    if neighbours is ADD_REMOVE and query.read.target is Target.CLEAR:
        raise InvalidInput("targets without noise reveal the number of records. Under add-remove, use target='noisy' or 'omitted'.")
    if not query.read.in_order and slots is None:
        raise InvalidInput(
            "the released rows would reveal how many rows each person has, and where. Pass slots (--slots), a public number of rows to "
            "release; unused ones are zeros with noise, in secret order. The number of persons times the rows kept per person is always "
            "enough."
        )
    if query.read.in_order and (neighbours is ADD_REMOVE) != (slots is not None):
        raise InvalidInput(
            "one released row per record reveals their number. Under add-remove, pass slots (--slots), a public number of rows to release; "
            "unused ones are zeros with noise, in secret order. Under replace-one the number of records is public: leave slots out."
        )


def require_slots(data: Records, slots: int | None) -> None:
    """Raise InvalidInput for more records than slots."""
    if slots is not None and data.records > slots:
        raise InvalidInput(f"{slots} rows were to be released, but the table has more records; declare more slots.")


def _noisy(first: int, block: Records, *, query: RowQuery, add: Add, streams: Callable[[int], Noise]) -> Floats:
    """Where the block is; `first` is the number of its first row, which no other block with rows has."""
    source = streams(first)
    noisy = [add(answer, source) for _, answer in answers(query, block)] or [np.empty((0, query.columns))]
    released = noisy[0] if len(noisy) == 1 else np.concatenate(noisy)
    return np.column_stack((released, block.targets)) if query.read.target is Target.CLEAR else released


def _among_slots(query: RowQuery, data: Records, noise: Noise, add: Add, slots: int) -> Iterator[Floats]:
    """In a secret order, so many places at a time as fit into ORDERED_BYTES, each time from a pass over the table."""
    order = shuffled(noise.words(), slots)
    streams = noise.streams()
    most = max(_ROWS, ORDERED_BYTES // (8 * query.columns))
    for first in range(0, slots, most):
        table = np.zeros((min(most, slots - first), query.columns))
        for rows, block in answers(query, data):
            places = order[rows] - first
            here = (places >= 0) & (places < len(table))
            table[places[here]] = block[here]
        yield from map_in_order(partial(_of_places, table, first, add, streams), cuts(len(table), _ROWS), data.jobs)


def _of_places(table: Floats, first: int, add: Add, streams: Callable[[int], Noise], places: slice) -> Floats:
    return add(table[places], streams(first + places.start))
