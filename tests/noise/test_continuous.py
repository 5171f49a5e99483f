"""Normal and exponential numbers against their ideals, computed to 60 digits from the same bits."""

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import expon, kstest, norm

from discreet.noise.source import standard_exponentials, standard_normals, system_words
from discreet.noise.stated import EXPONENTIAL_LIMIT, NORMAL_ERROR, NORMAL_LIMIT

mp.mp.dps = 60


class Script:
    """Words of our choice, in order."""

    def __init__(self, *words: int) -> None:
        self.words = list(words)

    def __call__(self, count: int) -> np.ndarray:
        taken, self.words = self.words[:count], self.words[count:]
        return np.array(taken, dtype=np.uint64)


def ideal_normal(sign: int, tail: int, bits: list[int], lengths: list[int]) -> mp.mpf:
    u, position = mp.mpf(0), 0
    for word, length in zip(bits, lengths, strict=True):
        position += length
        u += mp.mpf(word) / mp.mpf(2) ** position
    size = -mp.sqrt(2) * mp.erfinv(u / 2 - 1) if tail and u > 1e-30 else mp.sqrt(2) * mp.erfinv(u / 2)
    if tail and u <= 1e-30:
        size = mp.findroot(lambda x: mp.log(mp.erfc(x / mp.sqrt(2)) / 2) - mp.log(u / 4), mp.sqrt(-2 * mp.log(u / 4)))
    return -size if sign else size


@pytest.mark.parametrize("tail", [0, 1])
@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("upper", [1, 2, 12345, 2**40 + 7, 2**60 + 12345678901, 2**61, 3 * 2**60 + 1, 2**62 - 1])
def test_normals_are_surely_close_to_their_ideals(sign: int, tail: int, upper: int) -> None:
    lower = 0x9E3779B97F4A7C15
    drawn = standard_normals(Script((sign << 63) | (tail << 62) | upper, lower), 1)[0]
    ideal = ideal_normal(sign, tail, [upper, lower], [62, 64])
    assert abs(mp.mpf(float(drawn)) - ideal) <= NORMAL_ERROR * abs(ideal)


@pytest.mark.parametrize("zero_words", [0, 1, 5])
def test_leading_zeros_are_replaced_by_further_words(zero_words: int) -> None:
    tail = standard_normals(Script(1 << 62, *[0] * zero_words, 3, 2**63), 1)[0]
    ideal = ideal_normal(0, 1, [0, *[0] * zero_words, 3, 2**63], [62, *[64] * zero_words, 64, 64])
    assert abs(mp.mpf(float(tail)) - ideal) <= NORMAL_ERROR * abs(ideal)
    assert 9 < tail < NORMAL_LIMIT


def test_a_source_of_zeros_is_refused() -> None:
    with pytest.raises(RuntimeError, match="broken"):
        standard_normals(Script(*[0] * 40), 1)


@pytest.mark.parametrize("upper", [1, 2**20, 2**63, 2**64 - 1])
def test_exponentials_are_surely_close_to_their_ideals(upper: int) -> None:
    drawn = standard_exponentials(Script(upper, 77), 1)[0]
    ideal = -mp.log(mp.mpf(upper) / mp.mpf(2) ** 64 + mp.mpf(77) / mp.mpf(2) ** 128)
    assert abs(mp.mpf(float(drawn)) - ideal) <= mp.mpf(2) ** -51 * (1 + ideal)
    assert drawn <= EXPONENTIAL_LIMIT


def test_laws() -> None:
    """Each passes by chance failure with probability 1e-9 at most."""
    assert kstest(standard_normals(system_words(), 200_000), norm.cdf).pvalue > 1e-9
    assert kstest(standard_exponentials(system_words(), 200_000), expon.cdf).pvalue > 1e-9


def test_a_scale_three_percent_off_would_be_seen() -> None:
    assert kstest(1.03 * standard_normals(system_words(), 600_000), norm.cdf).pvalue < 1e-6
    assert kstest(1.03 * standard_exponentials(system_words(), 600_000), expon.cdf).pvalue < 1e-6
