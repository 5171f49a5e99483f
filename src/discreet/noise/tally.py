"""The exponential mechanism over very many scores: one index, with exactly the probabilities of module `choice`, in a few passes.

    P(i) = exp(-rate gap_i) / sum_j exp(-rate gap_j),    gap_i = score_i - smallest score

Scores are integers, and only a few hundred thousand values of the gap matter: beyond FAR / rate a weight is below 2^-31. So gaps are counted by
value, a value v is proposed with weight count_v n_v (n_v, l_v the integers around 2^31 exp(-rate v) of module `choice`), and one of its members
uniformly. All farther gaps share one value, with n = 1, l = 0, and the exact comparison looks at the member's own gap.

Theorem. As in module `choice`: a uniform integer below sum_v count_v n_v names a value, a member and a level in {0, .., n_v - 1}, each triple with
the same probability, and is kept if level + U < 2^31 exp(-rate gap), surely so if level + 1 <= l_v. So an index is proposed and kept with
probability proportional to exp(-rate gap_i). QED. No floating-point number takes part.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.noise.choice import FAR, WEIGHT_BITS, gaps_of, select, weights
from discreet.noise.discrete import exact
from discreet.noise.exponential import WORD, below, scaled_exp
from discreet.noise.words import Integers, Words

MANY = 1 << 15
"""Scores from which counting pays."""
MOST_VALUES = 1 << 22
"""Values that are counted, at most."""


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
        if sure and counts[value] == 1:
            return int(np.argmax(values == value))
        index = int(np.flatnonzero(values == value)[member])
        if sure or below(words, level, 0, scaled_exp(c * int(gaps[index]), Fraction(1 << WEIGHT_BITS))):
            return index


@lru_cache(maxsize=2)
def _weights_of_values(far: int, rate: Fraction) -> tuple[Integers, Integers]:
    """Weights of the gaps 0 .. far: functions of public numbers, the same for every step of a method that chooses many times."""
    return weights(np.arange(far + 1, dtype=np.uint64), rate)
