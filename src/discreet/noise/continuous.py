"""Normal and exponential numbers within a sure distance of ideal real ones.

A float cannot be a normal variable, but it can be surely close to one. The ideal variable is a function of infinitely many random bits;
what is returned is the same function of the first hundred or so, evaluated in floating point:

    normal       x = s sqrt(2) erfinv(v) for v < 1/2,   x = -s Phi^{-1}((1 - v) / 2) otherwise,   s a random sign, v uniform on (0, 1)
    exponential  y = -ln(v)

v, or 1 - v in the tail, is known to a relative 2^-52 however small it is: leading zero bits are replaced by further words. Both branches of
x have a condition number below 1.2, and SciPy's erfinv and ndtri are within 2^-50 of the true values (tested against 60 digits), so

    |x - ideal x| <= NORMAL_ERROR |ideal x|,  NORMAL_ERROR = 2^-48,    |ideal x| <= NORMAL_LIMIT
    |y - ideal y| <= 2^-51 (1 + ideal y),                              ideal y <= EXPONENTIAL_LIMIT

The limits hold because at most 960 leading zero bits are read; more have a probability of 2^-960, and raise. Mechanisms charge these
distances to the budget (proof note residual_stage.md), so that a guarantee proved for real noise holds for what the computer does.
"""

import math

import numpy as np
from scipy.special import erfinv, ndtri

from discreet.core.arrays import Floats
from discreet.noise.words import WordArray, Words

NORMAL_ERROR = 2.0**-48
"""Relative distance of a normal number from its ideal."""
NORMAL_LIMIT = 37.0
"""No ideal normal number is larger."""
EXPONENTIAL_LIMIT = 700.0
"""No ideal exponential number is larger."""
_ZERO_BITS = 900


def standard_normals(words: Words, count: int) -> Floats:
    """`count` standard normal numbers, each within NORMAL_ERROR of its ideal."""
    first, second = words(count), words(count)
    negative, tail = (first >> np.uint64(63)).astype(bool), (first >> np.uint64(62) & np.uint64(1)).astype(bool)
    uniform = _uniforms(first << np.uint64(2), second, 62, words)
    size = np.empty(count)
    size[tail] = -ndtri(0.25 * uniform[tail])
    size[~tail] = math.sqrt(2.0) * erfinv(0.5 * uniform[~tail])
    return np.where(negative, -size, size)


def standard_exponentials(words: Words, count: int) -> Floats:
    """`count` exponential numbers of mean 1, each within 2^-51 (1 + itself) of its ideal."""
    return -np.log(_uniforms(words(count), words(count), 64, words))


def _uniforms(leading: WordArray, following: WordArray, bits: int, words: Words) -> Floats:
    """Numbers of (0, 1) to a relative 2^-52: `bits` upper bits of `leading`, 64 of `following`, and more words where the former are all zero."""
    uniform: Floats = leading.astype(np.float64) * 2.0**-64 + following.astype(np.float64) * 2.0 ** -(bits + 64)
    for index in np.flatnonzero(leading == 0):
        uniform[index] = _small(int(following[index]), bits, words)
    return uniform


def _small(word: int, zeros: int, words: Words) -> float:
    """The number that begins with `zeros` zero bits and goes on with `word`."""
    while word == 0:
        zeros += 64
        if zeros > _ZERO_BITS:
            raise RuntimeError("the random source returned hundreds of zero bits in a row: it is broken.")
        word = int(words(1)[0])
    return math.ldexp(float((word << 64) + int(words(1)[0])), -(zeros + 128))
