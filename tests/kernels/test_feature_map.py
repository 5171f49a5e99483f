"""The feature map gives the same floats however it is asked, and they are the right ones."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput
from discreet.kernels import Gaussian, Laplacian, draw_frequencies
from discreet.kernels import feature_map as module
from discreet.kernels.feature_map import FeatureMap, circle

SIZES = [1e-310, 1e-200, 1e-12, 1.0, 1e12, 1e200, 1e300]


def table(seed, rows, columns, size=1.0):
    return np.random.default_rng(seed).standard_normal((rows, columns)) * size


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    columns=st.sampled_from([1, 2, 3, 17, 500, 1025]),
    size=st.sampled_from(SIZES),
    scale=st.sampled_from([1e-60, 1e-3, 1.0, 1e5]),
)
def test_angles_are_the_exact_products_of_the_rounded_numbers(seed, columns, size, scale):
    feature_map = FeatureMap(frequencies=table(seed, 3, columns, scale))
    assert exact(feature_map, table(seed + 1, 2, columns, size), 53 - math.ceil(math.log2(columns)))


def exact(feature_map, rows, bits):
    """Whether the angles are the products of the rounded numbers in rational arithmetic, modulo one turn."""
    gaps = []
    for row, angles in zip(rows, feature_map.turns(rows), strict=True):
        for frequency, angle in zip(feature_map.frequencies / (2.0 * math.pi), angles, strict=True):
            products = zip(rounded(row, bits - bits // 2, -400), rounded(frequency, bits // 2, -300), strict=True)
            gaps.append(Fraction(angle) - sum((left * right for left, right in products), Fraction(0)))
    return all(gap.denominator == 1 for gap in gaps)


def rounded(numbers, bits, least):
    """The numbers as multiples of 2^(e - bits), all below 2^e in size, as fractions."""
    exponent = max(math.frexp(np.abs(numbers).max())[1] - bits, least)
    unit = Fraction(2) ** exponent
    return [round(Fraction(float(number)) / unit) * unit for number in numbers]


def test_more_bits_than_a_float_has_would_not_be_exact(monkeypatch):
    monkeypatch.setattr(module, "_MANTISSA", 60)
    assert not exact(FeatureMap(frequencies=table(0, 3, 64)), table(1, 20, 64), 54)


@pytest.mark.parametrize("order", ["C", "F", "reversed", "strided"])
def test_the_same_floats_in_any_blocks_order_and_layout(order):
    rows = table(0, 3000, 37)
    feature_map = FeatureMap(frequencies=draw_frequencies(Laplacian(), seed=0, features=37, count=64))
    whole = feature_map.features(rows)
    given = {"C": rows, "F": np.asfortranarray(rows), "reversed": rows[::-1].copy()[::-1], "strided": np.repeat(rows, 2, axis=1)[:, ::2]}[order]
    for size in (1, 7, 1024, 3000):
        parts = [feature_map.features(given[start : start + size]) for start in range(0, 3000 if size > 1 else 50, size)]
        np.testing.assert_array_equal(np.concatenate(parts), whole[: sum(map(len, parts))])


def test_a_library_product_would_not_give_the_same_floats():
    """What the rounding is for: without it, one row alone and the same row in a table differ in their last digits."""
    rows, frequencies = table(0, 3000, 37), table(1, 64, 37)
    alone = np.array([[math.fsum(row * frequency) for frequency in frequencies] for row in rows[:50]])
    assert not np.array_equal((rows @ frequencies.T)[:50], alone)
    integers = np.rint(rows * 2.0**18), np.rint(frequencies * 2.0**18)
    exact = np.array([[math.fsum(row * frequency) for frequency in integers[1]] for row in integers[0][:50]])
    np.testing.assert_array_equal((integers[0] @ integers[1].T)[:50], exact)


def test_features_are_cosines_and_sines():
    rows, frequencies = table(0, 200, 5), draw_frequencies(Gaussian(), seed=0, features=5, count=30)
    angles = rows @ frequencies.T
    expected = np.hstack((np.cos(angles), np.sin(angles))) / math.sqrt(30)
    np.testing.assert_allclose(FeatureMap(frequencies=frequencies).features(rows), expected, atol=1e-6)


@pytest.mark.parametrize("size", SIZES)
def test_rows_have_norm_one_whatever_their_size(size):
    features = FeatureMap(frequencies=table(0, 50, 9)).features(table(1, 40, 9, size))
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), 1.0, rtol=1e-14)


def test_angles_of_any_size_keep_their_right_sign():
    """Signs of x only turn the sines; zero rows have cosine one."""
    feature_map = FeatureMap(frequencies=table(0, 6, 3))
    rows = table(1, 20, 3)
    here, there = feature_map.features(rows), feature_map.features(-rows)
    np.testing.assert_array_equal(here[:, :6], there[:, :6])
    np.testing.assert_array_equal(here[:, 6:], -there[:, 6:])
    assert feature_map.features(np.zeros((1, 3)))[0] == pytest.approx([1 / math.sqrt(6)] * 6 + [0.0] * 6, abs=1e-15)


def test_the_circle_is_right_to_the_last_digits():
    turns = np.concatenate((np.linspace(-1.5, 1.5, 241), 10.0 ** np.arange(-20.0, 15.0), [0.25, 0.5, 0.75, 123456.125]))[:, np.newaxis]
    cosines, sines = np.empty_like(turns), np.empty_like(turns)
    circle(turns, 3.0, cosines, sines)
    with mpmath.workdps(40):
        for turn, cosine, sine in zip(turns[:, 0], cosines[:, 0], sines[:, 0], strict=True):
            assert abs(3 * mpmath.cospi(2 * mpmath.mpf(turn)) - cosine) < 3 * 2e-15
            assert abs(3 * mpmath.sinpi(2 * mpmath.mpf(turn)) - sine) < 3 * 2e-15


@pytest.mark.parametrize(
    "frequencies", [np.zeros(3), np.zeros((0, 3)), np.zeros((3, 0)), np.full((1, 1), np.nan), np.full((1, 1), np.inf), np.full((1, 2), 1e300)]
)
def test_impossible_frequencies_are_refused(frequencies):
    with pytest.raises(InvalidInput, match="a feature map needs"):
        FeatureMap(frequencies=frequencies)
