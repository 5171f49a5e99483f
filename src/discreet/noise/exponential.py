"""exp(-x) between two integers, and the exact comparison of a uniform real number with a real number.

    exp_bounds(x, bits) = (low, high):    low <= 2^bits exp(-x) <= high,    high - low <= 3                        (x >= 0 rational)
    below(words, point, bits, bounds):    true exactly if U < t, where U is uniform on [point, point + 1) / 2^bits

Theorem. If bounds(b) = (l, h) with l <= 2^b t <= h and (h - l) 2^-b -> 0, then `below` ends with probability one and is true with probability
exactly P(U < t).
Proof. U = (point + W_1 2^-64 + W_2 2^-128 + ...) / 2^bits with independent uniform words W_i is uniform on its interval. After some words, U lies
in [v, v + 1) / 2^b for the integer v read so far, and the answer is given when v + 1 <= l (then U < t surely) or v >= h (then U >= t surely): it
is the answer to "U < t?", whichever word settles it. Unsettled at b means |U - t| <= (h - l + 1) 2^-b, of a probability that tends to zero. QED.

Everything is Python's integers; no floating-point number takes part.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from discreet.noise.words import Words

Bounds: TypeAlias = Callable[[int], tuple[int, int]]
"""bits -> two integers around 2^bits t."""

WORD = 64


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
