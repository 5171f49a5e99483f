"""Uniform integers below a bound, and uniform orders, exactly.

    uniform_below(words, n, count):    each of 0 .. n - 1 with probability 1 / n
    shuffled(words, n):                each of the n! orders of 0 .. n - 1 equally likely

A word below the largest multiple of n that fits in 64 bits is taken modulo n; others are drawn again. An order is that of the indices by independent
words; if two words are equal, all are drawn again, so that no order is favoured.
"""

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.noise.discrete import checked_count
from discreet.noise.exponential import WORD
from discreet.noise.words import Integers, Words


def uniform_below(words: Words, bound: int, *, count: int) -> Integers:
    """`count` independent uniform integers of [0, bound), 0 < bound < 2^63."""
    if not 0 < bound < 1 << (WORD - 1):
        raise InvalidInput(f"uniform integers need a bound of at least 1 and below 2^63; {bound!r} was given.")
    last = np.uint64((1 << WORD) // bound * bound - 1)
    out = np.empty(checked_count(count), dtype=np.int64)
    pending = np.arange(len(out))
    while len(pending):
        drawn = words(len(pending))
        kept = drawn <= last
        out[pending[kept]] = (drawn[kept] % np.uint64(bound)).view(np.int64)
        pending = pending[~kept]
    return out


def shuffled(words: Words, count: int) -> Integers:
    """0 .. count - 1 in a uniformly random order."""
    while True:
        keys = words(checked_count(count))
        order = np.argsort(keys, kind="stable")
        ranked = keys[order]
        if not np.any(ranked[1:] == ranked[:-1]):
            return order.astype(np.int64)
