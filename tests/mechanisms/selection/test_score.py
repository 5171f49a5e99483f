"""The curve of a noisy count, against sums over its law; half the noise is caught."""

import math

import numpy as np
import pytest

from discreet.accounting import PureDP, gaussian_delta
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.selection import CountNoise
from discreet.mechanisms.selection.score import GAUSSIAN, LAPLACE
from discreet.noise import SeededNoise


def exact_curve(scale, epsilon):
    k = np.arange(-20_000, 20_001, dtype=float)
    p = np.exp(-0.5 * (k / scale) ** 2)
    p /= p.sum()
    return float(np.maximum(p[1:] - math.exp(epsilon) * p[:-1], 0.0).sum())


def check(claimed, drawn):
    part = CountNoise(law=GAUSSIAN, scale=claimed).guarantee(REPLACE_ONE)
    for epsilon in np.linspace(0.0, 6.0 / claimed + 0.5 / claimed**2, 23):
        exact = exact_curve(drawn, epsilon)
        assert exact <= part.delta(epsilon) * (1 + 1e-9)


@pytest.mark.parametrize("scale", [0.4, 1.0, 7.3, 100.0])
def test_the_curve_of_a_discrete_gaussian_count_is_exact(scale):
    check(scale, scale)
    part = CountNoise(law=GAUSSIAN, scale=scale).guarantee(REPLACE_ONE)
    for epsilon in (0.0, 1.0 / scale, 3.0 / scale):
        assert part.delta(epsilon) <= exact_curve(scale, epsilon) * 1.05 + 1e-12


@pytest.mark.parametrize("scale", [1.0, 7.3, 100.0])
def test_half_the_noise_is_caught(scale):
    with pytest.raises(AssertionError):
        check(scale, 0.5 * scale)
    with pytest.raises(AssertionError):
        check(scale, 0.95 * scale)


def test_a_large_scale_has_the_concentrated_guarantee_of_its_noise():
    part = CountNoise(law=GAUSSIAN, scale=5000.0).guarantee(REPLACE_ONE)
    near = CountNoise(law=GAUSSIAN, scale=4096.0).guarantee(REPLACE_ONE)
    for epsilon in (1e-5, 2e-4, 1e-3):
        assert gaussian_delta(epsilon, 1 / 5000) <= part.delta(epsilon)
    assert gaussian_delta(2e-4, 1 / 4096) == pytest.approx(near.delta(2e-4), rel=0.05)


def test_laplace_noise_is_pure():
    part = CountNoise(law=LAPLACE, scale=20.0).guarantee(ADD_REMOVE)
    assert isinstance(part, PureDP)
    assert part.epsilon == pytest.approx(0.05)


@pytest.mark.parametrize("law", [LAPLACE, GAUSSIAN])
def test_scores_are_counts_with_noise_of_the_scale(law):
    noise, made = SeededNoise(1), CountNoise(law=law, scale=30.0)
    drawn = np.array([made.score(1000, noise) for _ in range(800)])
    assert drawn.mean() == pytest.approx(1000, abs=8)
    assert drawn.std() == pytest.approx(30.0 * (math.sqrt(2) if law == LAPLACE else 1.0), rel=0.15)


@pytest.mark.parametrize(("law", "scale"), [("laplace", 1.0), (GAUSSIAN, 0.0), (GAUSSIAN, math.nan), (LAPLACE, 2.0**50)])
def test_noise_of_no_known_law_or_size_is_refused(law, scale):
    with pytest.raises(InvalidInput, match="noise of a score"):
        CountNoise(law=law, scale=scale)
