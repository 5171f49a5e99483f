"""Answers to queries, computed from the records. What is asked, and how far a record moves it, is public and stands in `discreet.queries`.

Computed rows z are functions of one record, to the last bit, and an answer is one of z; second moments are exact integers, whatever the order in
which blocks are added (see the module of each query).
"""

from collections.abc import Callable, Iterator

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.rounding import lowering
from discreet.data import Records
from discreet.noise import Integers
from discreet.queries import RowQuery, SecondMoments, Target
from discreet.queries.base import RecordQuery


def rows_read(query: RecordQuery, data: Records, of: Callable[[Floats], Floats] | None = None) -> Iterator[tuple[slice, Floats]]:
    """The rows z of the records, or what `of` makes of them, in order, a thousand or so at a time: (slice of row numbers, rows).

    `of` is public and works where the block is. Raises InvalidInput for records of another domain.
    """
    query.read.require(data)
    noisy = query.target is Target.NOISY
    if data.in_memory:
        yield from _read(0, data, noisy, of)
        return
    for chunks in data.map_rows(lambda start, block: list(_read(start, block, noisy, of))):
        yield from chunks


def _read(start: int, data: Records, noisy: bool, of: Callable[[Floats], Floats] | None) -> Iterator[tuple[slice, Floats]]:  # noqa: FBT001
    """The rows of records that are held, the first of which has number `start`."""
    for rows, entries in data.matrix.chunks():
        whole = np.column_stack((entries, data.targets[rows])) if noisy else entries
        yield slice(start + rows.start, start + rows.stop), whole if of is None else of(whole)


def answers(query: RowQuery, data: Records) -> Iterator[tuple[slice, Floats]]:
    """The computed rows, in order: (slice of row numbers, rows). Each is a function of its record, to the last bit."""
    return rows_read(query, data, query.answer)


def exact_moments(query: SecondMoments, data: Records) -> Integers:
    """M / q^2, (m, m), exactly. Raises InvalidInput as the query's `require` does."""
    query.require(data)
    total = np.zeros((query.columns, query.columns), dtype=np.int64)
    spread = data.map_rows if data.in_memory else data.map  # held records are cut too, for threads
    for part in spread(lambda _, block: _products(query, block)):
        total += part
    return total


def _products(query: SecondMoments, data: Records) -> Integers:
    """Those of records that are held."""
    query.read.require(data)
    roots = None if data.weights is None else np.sqrt(data.weights) * lowering(8)
    targets = data.targets if query.target is Target.NOISY else None
    if not query.counted:
        return data.matrix.integer_gram(targets, unit=query.unit, factors=roots)
    constant = np.full(data.records, query.constant)
    beside = constant if targets is None else np.column_stack((targets, constant))
    return np.roll(data.matrix.integer_gram(beside, unit=query.unit, factors=roots), 1, axis=(0, 1))
