"""Uniform 64-bit words, the only randomness that the exact samplers see, and what is decided by them without a floating-point number.

    words(count) -> count independent uniform integers of [0, 2^64), in an array of uint64

A sampler draws from what it is given, so that a test can feed it words of its choice. In use they are the output of ChaCha20 (module `source`).

Integers and orders, exactly: a word below the largest multiple of n that fits in 64 bits is taken modulo n; others are drawn again. An order is that
of the indices by independent words; if two words are equal, all are drawn again, so that no order is favoured.

    uniform_below(words, n, count):    each of 0 .. n - 1 with probability 1 / n
    shuffled(words, n):                each of the n! orders of 0 .. n - 1 equally likely

exp(-x) between two integers, and the exact comparison of a uniform real number with a real number:

    exp_bounds(x, bits) = (low, high):    low <= 2^bits exp(-x) <= high,    high - low <= 3                        (x >= 0 rational)
    below(words, point, bits, bounds):    true exactly if U < t, where U is uniform on [point, point + 1) / 2^bits

Theorem. If bounds(b) = (l, h) with l <= 2^b t <= h and (h - l) 2^-b -> 0, then `below` ends with probability one and is true with probability
exactly P(U < t).
Proof. U = (point + W_1 2^-64 + W_2 2^-128 + ...) / 2^bits with independent uniform words W_i is uniform on its interval. After some words, U lies
in [v, v + 1) / 2^b for the integer v read so far, and the answer is given when v + 1 <= l (then U < t surely) or v >= h (then U >= t surely): it
is the answer to "U < t?", whichever word settles it. Unsettled at b means |U - t| <= (h - l + 1) 2^-b, of a probability that tends to zero. QED.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.errors import InvalidInput
from discreet.core.validate import whole

WordArray: TypeAlias = npt.NDArray[np.uint64]
"""Uniform words."""
Integers: TypeAlias = npt.NDArray[np.int64]
"""What the samplers return."""

Bounds: TypeAlias = Callable[[int], tuple[int, int]]
"""bits -> two integers around 2^bits t."""

WORD = 64
DRAWS = "the number of draws"


class Words(Protocol):
    """A stream of uniform words: every call goes on where the last one ended."""

    def __call__(self, count: int, /) -> WordArray:
        """The next `count` words."""


def uniform_below(words: Words, bound: int, *, count: int) -> Integers:
    """`count` independent uniform integers of [0, bound), 0 < bound < 2^63."""
    if not 0 < bound < 1 << (WORD - 1):
        raise InvalidInput(f"uniform integers need a bound of at least 1 and below 2^63; {bound!r} was given.")
    last = np.uint64((1 << WORD) // bound * bound - 1)
    out = np.empty(whole(count, DRAWS, least=0), dtype=np.int64)
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
        keys = words(whole(count, DRAWS, least=0))
        order = np.argsort(keys, kind="stable")
        ranked = keys[order]
        if not np.any(ranked[1:] == ranked[:-1]):
            return order.astype(np.int64)


def exp_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers around 2^bits exp(-x), at most 3 apart, for a rational x >= 0 (and (0, 1) for x >= bits, where exp(-x) < 2^-bits).

    With y = x 2^-s < 2^-8 and w fractional bits, Taylor's terms are cut to integers. A cut term is short by at most 2 units (what its predecessor
    lacked, times y / i, and 1), so that n terms, the cut of y and the rest of the series together are off by less than 2 n + 6. Then s squarings,
    the lower bound rounded down and the upper one up; each at most doubles the error and adds 1. The guard bits hold all of it.
    """
    if x < 0:
        raise ValueError("exp_bounds is for exp(-x) with x >= 0.")
    if x >= bits:
        return 0, 1
    numerator, denominator = x.numerator, x.denominator
    halvings = (numerator // denominator).bit_length() + 8
    work = bits + halvings + 12
    y = (numerator << (work - halvings)) // denominator
    total = term = 1 << work
    count = 0
    while term:
        count += 1
        term = term * y // (count << work)
        total += -term if count & 1 else term
    low, high = total - 2 * count - 6, min(total + 2 * count + 6, 1 << work)
    for _ in range(halvings):
        low = low * low >> work
        high = (high * high >> work) + 1
    spare = work - bits
    return low >> spare, -(-high >> spare)


def scaled_exp(x: Fraction, factor: Fraction) -> Bounds:
    """Bounds of t = factor exp(-x), for factor > 0."""
    guard = factor.numerator.bit_length()
    divisor = factor.denominator << guard

    def bounds(bits: int) -> tuple[int, int]:
        low, high = exp_bounds(x, bits + guard)
        return low * factor.numerator // divisor, -(-high * factor.numerator // divisor)

    return bounds


def below(words: Words, point: int, bits: int, bounds: Bounds) -> bool:
    """Whether a number uniform on [point, point + 1) / 2^bits is below the number that `bounds` encloses; draws the further bits it needs."""
    while True:
        low, high = bounds(bits)
        if point + 1 <= low:
            return True
        if point >= high:
            return False
        point = point << WORD | int(words(1)[0])
        bits += WORD
