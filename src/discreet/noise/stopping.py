"""How often a random-stopping search runs: truncated negative binomial integers, exactly.

    P(K = k) proportional to (1 - gamma)^k w_k,    w_k = prod_{j = 1}^{k - 1} (j + eta) / (j + 1),    k >= 1,  -1 < eta <= 1

gamma a multiple of 2^-64, eta rational (a float is the rational that it is). Geometric for eta = 1 (w_k = 1), logarithmic for eta = 0 (w_k = 1 / k).

Theorem. If the words are independent and uniform, K has exactly this law. Proof. A word is below 2^64 gamma with probability gamma, so the number N
of the first such word is geometric: P(N = k) proportional to (1 - gamma)^k. As eta <= 1, w_k is a product of probabilities (j + eta) / (j + 1); N is
kept if k - 1 independent trials with these probabilities all succeed, that is with probability w_k, and drawn again otherwise. The first N that is
kept is k with probability proportional to (1 - gamma)^k w_k. A trial is a uniform integer below q (j + 1) that is less than q j + p, for eta = p / q.
For eta = 0 the product is 1 / k, and one uniform integer does. QED.

No floating-point number takes part. The expected number of words is about E K / gamma at most, and reveals K: whoever can time it knows K, see
docs/tuning.md.
"""

from fractions import Fraction

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.noise.words import WORD, Words, uniform_below

_BLOCK = 1 << 12


def number_of_runs(words: Words, *, eta: Fraction | float, gamma: Fraction | float) -> int:
    """One K of the law in the module docstring. Raises InvalidInput unless -1 < eta <= 1, 0 < gamma < 1, gamma a multiple of 2^-64."""
    shape, stop = Fraction(eta), Fraction(gamma) * (1 << WORD)
    if not (-1 < shape <= 1 and stop.denominator == 1 and 0 < stop < 1 << WORD):
        raise InvalidInput(f"runs are drawn for -1 < eta <= 1 and gamma a multiple of 2^-64 below 1; eta={eta!r}, gamma={gamma!r} were given.")
    while True:
        proposed = _first_below(words, int(stop))
        if _kept(words, proposed, shape):
            return proposed


def _first_below(words: Words, threshold: int) -> int:
    """The number, counted from 1, of the first word below `threshold`."""
    passed = 0
    while True:
        hits = np.flatnonzero(words(_BLOCK) < np.uint64(threshold))
        if len(hits):
            return passed + int(hits[0]) + 1
        passed += _BLOCK


def _kept(words: Words, runs: int, eta: Fraction) -> bool:
    if eta == 1:
        return True
    if eta == 0:
        return int(uniform_below(words, runs, count=1)[0]) == 0
    p, q = eta.numerator, eta.denominator
    return all(int(uniform_below(words, q * (j + 1), count=1)[0]) < q * j + p for j in range(1, runs))
