"""The law of sums of noise against direct convolution, and against the sampler.

Intervals cover as often as they say, computed exactly over all outcomes where that is possible, and less careful ones do not.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from discreet.core.errors import InvalidInput
from discreet.evaluation import NoiseLaw, mean_interval, proportion_interval, ratio_interval
from discreet.evaluation.intervals import noisy_range
from discreet.noise import SeededNoise
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace

KINDS = {"laplace": DiscreteLaplace, "gaussian": DiscreteGaussian}


def single(kind, scale, reach):
    k = np.arange(-reach, reach + 1, dtype=float)
    weights = np.exp(-np.abs(k) / scale) if kind == "laplace" else np.exp(-0.5 * (k / scale) ** 2)
    return weights / weights.sum()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0.2, 1.0, 7.3, 31.0])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_sums_are_convolutions(kind, scale, count):
    law = NoiseLaw.of(KINDS[kind](scale), count=count)
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
    law = NoiseLaw.of(KINDS[kind](scale), count=count)
    assert np.sum(law.masses) == pytest.approx(1.0)
    assert law.masses == pytest.approx(law.masses[::-1])
    assert law.values[len(law.values) // 2] == 0.0
    quantiles = [law.quantile(tail) for tail in (1e-6, 1e-3, 0.05, 0.5, 1.0)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert quantiles[-1] == 0.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [40.0, 1000.0, 54321.0])
def test_a_coarse_law_is_a_little_wider_and_never_narrower(kind, scale):
    law = NoiseLaw.of(KINDS[kind](scale))
    masses = single(kind, scale, int(20 * scale))
    beyond = 2 * np.cumsum(masses[::-1])
    for tail in (0.3, 0.05, 1e-3, 1e-6):
        exact = int(20 * scale) - np.searchsorted(beyond, tail, side="right")
        assert exact <= law.quantile(tail) <= exact + law.step


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_noise_exceeds_its_quantiles_as_often_as_stated(kind):
    noise = SeededNoise(1)
    drawn = (noise.discrete_laplace if kind == "laplace" else noise.discrete_gaussian)(scale=5.0, dimension=4, draws=40_000).sum(axis=0)
    law = NoiseLaw.of(KINDS[kind](5.0), count=4)
    for tail in (0.5, 0.1, 0.01):
        width = law.quantile(tail)
        share, stated = np.mean(np.abs(drawn) > width), 1.0 - float(law.masses[np.abs(law.values) <= width].sum())
        assert stated <= tail + 1e-12
        assert share == pytest.approx(stated, abs=6 * np.sqrt(tail / 40_000))


def test_half_of_the_noise_is_half_as_wide():
    law = NoiseLaw.of(DiscreteGaussian(9.0), count=3)
    assert law.halved().quantile(0.05) == law.quantile(0.05) / 2


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan"), 1e12])
def test_scales_that_are_none_are_refused(scale):
    for kind in KINDS.values():
        with pytest.raises(InvalidInput):
            NoiseLaw.of(kind(scale))
    with pytest.raises(InvalidInput):
        NoiseLaw.of(DiscreteLaplace(1.0), count=0)


LAWS = {
    "laplace": NoiseLaw.of(DiscreteLaplace(4.0)),
    "gaussian": NoiseLaw.of(DiscreteGaussian(6.0)),
    "sum": NoiseLaw.of(DiscreteGaussian(3.0), count=10),
}


def test_without_noise_it_is_clopper_and_pearson():
    law = NoiseLaw.of(DiscreteGaussian(0.05))
    found = proportion_interval(30, 100, law, level=0.9)
    assert found.low == pytest.approx(beta.ppf(0.05, 30, 71), rel=1e-6)
    assert found.high == pytest.approx(beta.ppf(0.95, 31, 70), rel=1e-6)
    assert (found.noise_low, found.value, found.noise_high) == (0.3, 0.3, 0.3)


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.93])
@pytest.mark.parametrize("trials", [25, 150])
def test_a_proportion_is_covered_exactly_as_often_as_stated_or_more(kind, share, trials):
    """Summed over all counts and all noise."""
    law, level = LAWS[kind], 0.9
    masses = np.convolve(binom.pmf(np.arange(trials + 1), trials, share), law.masses)
    first = int(law.values[0])
    missed = careless = 0.0
    for place, mass in enumerate(masses):
        if mass > 1e-7:
            found = proportion_interval(first + place, trials, law, level=level)
            missed += mass * (not found.low <= share <= found.high)
            shown = min(max((first + place) / trials, 0.0), 1.0)
            width = 1.645 * math.sqrt(shown * (1 - shown) / trials)
            careless += mass * (not shown - width <= share <= shown + width)
    assert missed <= 1 - level + 1e-4
    assert careless > 1.3 * (1 - level)  # the interval that forgets the noise


def test_more_noise_and_fewer_records_widen_it():
    widths = [proportion_interval(80, 100, NoiseLaw.of(DiscreteGaussian(scale))) for scale in (0.5, 3.0, 10.0)]
    assert sorted(one.high - one.low for one in widths) == [one.high - one.low for one in widths]
    sizes = [proportion_interval(0.8 * n, n, LAWS["gaussian"]) for n in (50, 500, 5000)]
    assert sorted((one.high - one.low for one in sizes), reverse=True) == [one.high - one.low for one in sizes]


def test_noise_beyond_the_counts_gives_the_whole_range():
    law = NoiseLaw.of(DiscreteGaussian(400.0))
    for found in (proportion_interval(-300, 10, law), ratio_interval(-300, 10, law, law), ratio_interval(5, -9, law, law)):
        assert 0.0 <= found.low <= found.high <= 1.0
        assert found.high - found.low > 0.7


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize(("share", "trials"), [(0.1, 60), (0.8, 60), (0.8, 2000), (0.5, 2000)])
def test_a_ratio_with_a_secret_total_is_covered(kind, share, trials):
    """1000 drawings; a false alarm needs 190 misses of 100 expected at most."""
    law, draw, level = LAWS[kind], np.random.default_rng(5), 0.9
    successes = draw.binomial(trials, share, 1000)
    noise = draw.choice(law.values, (2, 1000), p=law.masses)
    missed = [
        not found.low <= share <= found.high
        for found in (
            ratio_interval(float(a), float(b), law, law, level=level)
            for a, b in zip(successes + noise[0], trials - successes + noise[1], strict=True)
        )
    ]
    assert sum(missed) < 190
    alone = [
        not found.noise_low <= count / trials <= found.noise_high
        for count, found in (
            (count, ratio_interval(float(a), float(b), law, law, level=level))
            for count, a, b in zip(successes, successes + noise[0], trials - successes + noise[1], strict=True)
        )
    ]
    assert sum(alone) < 190


@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize("records", [40, 3000])
def test_a_mean_is_covered(secret, records):
    draw, level, unit = np.random.default_rng(6), 0.9, 64
    law, count_law = NoiseLaw.of(DiscreteLaplace(100.0)), NoiseLaw.of(DiscreteLaplace(3.0))
    mean, missed, narrow = 0.15, 0, 0
    for _ in range(400):
        sample = draw.choice([0.0, 0.2, 1.0], records, p=[0.5, 0.4375, 0.0625])
        total = float(np.sum(np.rint(unit * sample)) + draw.choice(law.values, p=law.masses))
        known = (float(records),) * 3
        stated = noisy_range(records + float(draw.choice(count_law.values, p=count_law.masses)), count_law, level) if secret else known
        found = mean_interval(total, stated, law, unit=unit, level=level)
        missed += not found.low <= mean <= found.high
        narrow += not found.noise_low <= mean <= found.noise_high
    assert missed < 85
    assert narrow > (2 if records == 40 else 20)  # the noise alone does not cover the population's mean


def test_a_mean_of_nothing_known_is_between_its_bounds():
    found = mean_interval(3.0, (-2.0, 1.0, 4.0), NoiseLaw.of(DiscreteLaplace(3.0)), unit=8)
    assert (found.low, found.high) == (0.0, 1.0)


@pytest.mark.parametrize("level", [0.0, 0.4, 1.0, "0.9", True, float("nan")])
def test_levels_that_are_none_are_refused(level):
    with pytest.raises(InvalidInput, match="level"):
        proportion_interval(1, 2, LAWS["gaussian"], level=level)


def test_noise_that_is_drawn_is_the_noise_that_is_assumed():
    """End to end with the real sampler: 200 drawings at level 0.9."""
    noise, law, draw = SeededNoise(2), NoiseLaw.of(DiscreteGaussian(8.0)), np.random.default_rng(7)
    added = noise.discrete_gaussian(scale=8.0, dimension=1, draws=200)[0]
    counts = draw.binomial(300, 0.7, 200) + added
    missed = sum(not found.low <= 0.7 <= found.high for found in (proportion_interval(float(count), 300, law, level=0.9) for count in counts))
    assert 4 < missed < 40


@pytest.mark.parametrize("released", [-9000.0, -700.0, 0.0, 60.0, 100.0, 800.0, 9000.0])
def test_noise_that_hides_everything_leaves_everything_open(released):
    """Whatever came out: a released count far beyond the possible ones must not be read as certainty."""
    law = NoiseLaw.of(DiscreteGaussian(3000.0))
    proportion = proportion_interval(released, 100, law)
    assert (proportion.low, proportion.high, proportion.noise_low, proportion.noise_high) == (0.0, 1.0, 0.0, 1.0)
    mean = mean_interval(released, (100.0,) * 3, law, unit=1.0)
    assert (mean.low, mean.high, mean.noise_low, mean.noise_high) == (0.0, 1.0, 0.0, 1.0)
    for other in (-9000.0, 40.0, 9000.0):
        ratio = ratio_interval(released, other, law, law)
        assert ratio.high - ratio.low > 0.4
        assert ratio.noise_high - ratio.noise_low > 0.4
