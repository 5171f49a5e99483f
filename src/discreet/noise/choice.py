"""The exponential mechanism on integer scores: one index of many, with exactly the probabilities of the theorem.

    P(i) = exp(-rate score_i) / sum_j exp(-rate score_j),    score_i integers, rate > 0 rational

A small score is a good one. (McSherry, Talwar 2007, theorem 6, with -score as the utility.) With scores counted in steps of a public grid, and of
sensitivity Delta steps, rate = epsilon / (2 Delta) is epsilon-differentially private, with no correction for rounding: what is compared is integers.

Theorem. If the words are independent and uniform, the indices are independent and have exactly these probabilities, for any integer scores.
Proof. Let x_i = rate (score_i - min score) and t_i = 2^31 exp(-x_i). `weights` gives integers n_i >= max(t_i, 1) and l_i <= t_i. A uniform
integer u below N = sum n_i (a word below the largest multiple of N, modulo N) names an index i and a level v in {0, .., n_i - 1}, each pair with
probability 1 / N. It is kept if v + U < t_i, with U uniform on [0, 1): surely if v + 1 <= l_i, otherwise by `below` (words.py). So i is
proposed and kept with probability t_i / N, and the first proposal that is kept is i with probability t_i / sum t_j. Places are independent, since
each is filled from words of its own. QED.

The weights: the digits d_j of a gap to base 256 give exp(-x) = product of exp(-rate d_j 256^j). Each table holds T with t <= T <= t + 2 for
t = 2^31 exp(-rate d 256^j); a product is (n T >> 31) + 1, never too small, and too large by at most 2 after the first digit and 4 more with each
further one: (n + e)(t + 2) / 2^31 + 1 <= n t / 2^31 + e + 3 + tiny. An index with x_i >= 23 > log 2^31 has t_i < 1: n_i = 1, l_i = 0. Rejections and
slow comparisons are fewer than n 2^-26 of the proposals, for n scores. No floating-point number takes part.

Very many scores, one index, in a few passes (`select_one`). Only a few hundred thousand values of gap_i = score_i - smallest score matter: beyond
FAR / rate a weight is below 2^-31. So gaps are counted by value, a value v is proposed with weight count_v n_v (n_v, l_v the integers around 2^31
exp(-rate v)), and one of its members uniformly. All farther gaps share one value, with n = 1, l = 0,
and the exact comparison looks at the member's own gap.

Theorem. As above: a uniform integer below sum_v count_v n_v names a value, a member and a level in {0, .., n_v - 1}, each triple with
the same probability, and is kept if level + U < 2^31 exp(-rate gap), surely so if level + 1 <= l_v. So an index is proposed and kept with
probability proportional to exp(-rate gap_i). QED.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.validate import whole
from discreet.noise.discrete import exact
from discreet.noise.words import DRAWS, WORD, Integers, WordArray, Words, below, exp_bounds, scaled_exp

WEIGHT_BITS = 31
DIGIT_BITS = 8
TABLE_BITS = 96
FAR = 23
"""exp(-23) < 2^-31."""
MOST = 1 << 31
"""Scores: the sum of their weights stays below 2^63."""
MANY = 1 << 15
"""Scores from which counting pays."""
MOST_VALUES = 1 << 22
"""Values that are counted, at most."""


def select(words: Words, scores: npt.NDArray[np.integer], *, rate: Fraction | float, count: int) -> Integers:
    """`count` independent indices i of P(i) proportional to exp(-rate scores[i]); scores of shape (n,), integers of at most 64 bits, n < 2^31."""
    gaps = gaps_of(scores)
    c = exact(rate, "rate")
    upper, lower = weights(gaps, c)
    ends = np.cumsum(upper)
    total = int(ends[-1])
    # Words above are drawn again: the rest of the division would favour small places.
    last = np.uint64((1 << WORD) // total * total - 1)
    out = np.empty(whole(count, DRAWS, least=0), dtype=np.int64)
    pending = np.arange(len(out))
    while len(pending):
        drawn = words(len(pending))
        place = (drawn % np.uint64(total)).view(np.int64)
        index = np.searchsorted(ends, place, side="right")
        level = place - (ends[index] - upper[index])
        kept = (drawn <= last) & (level < lower[index])
        # Fewer than n 2^-26 of the proposals: a level between the two integers, which further words settle.
        for i in np.flatnonzero((drawn <= last) & ~kept):
            kept[i] = below(words, int(level[i]), 0, scaled_exp(c * int(gaps[index[i]]), Fraction(1 << WEIGHT_BITS)))
        out[pending[kept]] = index[kept]
        pending = pending[~kept]
    return out


def select_one(words: Words, scores: npt.NDArray[np.integer], *, rate: Fraction | float) -> int:
    """One index i of P(i) proportional to exp(-rate scores[i]), by counting where that pays; scores as for `select`."""
    c = exact(rate, "rate")
    far = -(-FAR * c.denominator // c.numerator)
    if len(scores) < MANY or far > MOST_VALUES:
        return int(select(words, scores, rate=c, count=1)[0])
    gaps = gaps_of(scores)
    values = np.minimum(gaps, np.uint64(far)).view(np.int64)
    counts = np.bincount(values, minlength=far + 1)
    upper, lower = _weights_of_values(far, c)
    ends = np.cumsum(counts * upper)
    total = int(ends[-1])
    last = (1 << WORD) // total * total - 1
    while True:
        drawn = int(words(1)[0])
        if drawn > last:
            continue
        place = drawn % total
        value = int(np.searchsorted(ends, place, side="right"))
        member, level = divmod(place - int(ends[value] - counts[value] * upper[value]), int(upper[value]))
        sure = level < int(lower[value])
        # The usual case needs no list of members.
        if sure and counts[value] == 1:
            return int(np.argmax(values == value))
        index = int(np.flatnonzero(values == value)[member])
        if sure or below(words, level, 0, scaled_exp(c * int(gaps[index]), Fraction(1 << WEIGHT_BITS))):
            return index


@lru_cache(maxsize=2)
def _weights_of_values(far: int, rate: Fraction) -> tuple[Integers, Integers]:
    """Weights of the gaps 0 .. far: functions of public numbers, the same for every step of a method that chooses many times."""
    return weights(np.arange(far + 1, dtype=np.uint64), rate)


def weights(gaps: WordArray, rate: Fraction) -> tuple[Integers, Integers]:
    """Integers above (at least 1) and below (at least 0) 2^31 exp(-rate gap), a few units apart."""
    far = -(-FAR * rate.denominator // rate.numerator)
    reach = min(far, int(gaps.max()) + 1)
    near = gaps < reach
    rest = np.where(near, gaps, 0)
    upper = np.full(len(gaps), 1 << WEIGHT_BITS, dtype=np.int64)
    digits = max(1, -(-(reach - 1).bit_length() // DIGIT_BITS))
    for digit in range(digits):
        table = _powers(rate * (1 << (DIGIT_BITS * digit)))
        factor = table[(rest & np.uint64((1 << DIGIT_BITS) - 1)).view(np.int64)]
        upper = factor if digit == 0 else (upper * factor >> WEIGHT_BITS) + 1
        rest = rest >> np.uint64(DIGIT_BITS)
    lower = np.where(near, np.maximum(upper - 4 * digits, 0), 0)
    return np.where(near, upper, 1), lower


def _powers(rate: Fraction) -> Integers:
    """Integers T_d with t <= T_d <= t + 2, t = 2^31 exp(-rate d), for d = 0 .. 255: powers of an upper bound of exp(-rate) at 96 bits, rounded up."""
    step = min(exp_bounds(rate, TABLE_BITS)[1], 1 << TABLE_BITS)
    power = 1 << TABLE_BITS
    table = []
    for _ in range(1 << DIGIT_BITS):
        table.append(-(-power >> (TABLE_BITS - WEIGHT_BITS)))
        power = -(-power * step >> TABLE_BITS)
    return np.array(table, dtype=np.int64)


def gaps_of(scores: npt.NDArray[np.integer]) -> WordArray:
    """score - smallest score, exactly, as unsigned 64-bit integers."""
    if not isinstance(scores, np.ndarray) or not np.issubdtype(scores.dtype, np.integer):
        raise InvalidType("exact selection needs an array of integer scores: divide by the step of a public grid and round first.")
    if scores.ndim != 1 or not 0 < len(scores) < MOST:
        raise InvalidInput(f"exact selection needs scores of shape (n,) with 0 < n < 2^31; the shape was {scores.shape}.")
    wide = scores if scores.dtype == np.uint64 else scores.astype(np.int64).view(np.uint64)
    return wide - wide[np.argmin(scores)]
