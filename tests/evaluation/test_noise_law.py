"""The law of sums of noise against direct convolution, and against the sampler."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput
from discreet.evaluation import NoiseLaw
from discreet.noise import SeededNoise

KINDS = {"laplace": NoiseLaw.laplace, "gaussian": NoiseLaw.gaussian}


def single(kind, scale, reach):
    k = np.arange(-reach, reach + 1, dtype=float)
    weights = np.exp(-np.abs(k) / scale) if kind == "laplace" else np.exp(-0.5 * (k / scale) ** 2)
    return weights / weights.sum()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0.2, 1.0, 7.3, 31.0])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_sums_are_convolutions(kind, scale, count):
    law = KINDS[kind](scale, count=count)
    masses = single(kind, scale, 1500)
    expected = masses
    for _ in range(count - 1):
        expected = np.convolve(expected, masses)
    middle, half = len(expected) // 2, len(law.masses) // 2
    assert law.step == 1.0
    assert law.masses == pytest.approx(expected[middle - half : middle + half + 1], abs=1e-9)
    assert law.deviation == pytest.approx(np.sqrt(count * np.square(np.arange(-1500, 1501)) @ masses), rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@given(scale=st.floats(0.1, 1e6), count=st.integers(1, 40))
def test_it_is_a_symmetric_law_whose_quantiles_fall(kind, scale, count):
    law = KINDS[kind](scale, count=count)
    assert np.sum(law.masses) == pytest.approx(1.0)
    assert law.masses == pytest.approx(law.masses[::-1])
    assert law.values[len(law.values) // 2] == 0.0
    quantiles = [law.quantile(tail) for tail in (1e-6, 1e-3, 0.05, 0.5, 1.0)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert quantiles[-1] == 0.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [40.0, 1000.0, 54321.0])
def test_a_coarse_law_is_a_little_wider_and_never_narrower(kind, scale):
    law = KINDS[kind](scale)
    masses = single(kind, scale, int(20 * scale))
    beyond = 2 * np.cumsum(masses[::-1])
    for tail in (0.3, 0.05, 1e-3, 1e-6):
        exact = int(20 * scale) - np.searchsorted(beyond, tail, side="right")
        assert exact <= law.quantile(tail) <= exact + law.step


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_noise_exceeds_its_quantiles_as_often_as_stated(kind):
    noise = SeededNoise(1)
    drawn = (noise.discrete_laplace if kind == "laplace" else noise.discrete_gaussian)(scale=5.0, dimension=4, draws=40_000).sum(axis=0)
    law = KINDS[kind](5.0, count=4)
    for tail in (0.5, 0.1, 0.01):
        width = law.quantile(tail)
        share, stated = np.mean(np.abs(drawn) > width), 1.0 - float(law.masses[np.abs(law.values) <= width].sum())
        assert stated <= tail + 1e-12
        assert share == pytest.approx(stated, abs=6 * np.sqrt(tail / 40_000))


def test_half_of_the_noise_is_half_as_wide():
    law = NoiseLaw.gaussian(9.0, count=3)
    assert law.halved().quantile(0.05) == law.quantile(0.05) / 2


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan"), 1e12])
def test_scales_that_are_none_are_refused(scale):
    for kind in KINDS.values():
        with pytest.raises(InvalidInput):
            kind(scale)
    with pytest.raises(InvalidInput):
        NoiseLaw.laplace(1.0, count=0)
