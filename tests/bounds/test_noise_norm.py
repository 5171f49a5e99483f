"""Quantiles of the length of noise: exact, above no simulation, never above the paper's bound."""

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.bounds import ChiNorm, GammaNorm, NoiseNorm, lemma_4
from discreet.core.errors import InvalidInput
from discreet.noise import SeededNoise


@pytest.mark.parametrize("dimension", [1, 2, 30, 1000])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-9])
def test_quantiles_are_exact_and_rounded_up(dimension, delta):
    with mpmath.workdps(40):
        gamma = GammaNorm(dimension=dimension, rate=0.7).quantile(delta)
        tail = mpmath.gammainc(dimension, mpmath.mpf(gamma) * mpmath.mpf(0.7), mpmath.inf, regularized=True)
        assert tail <= delta
        assert float(tail) == pytest.approx(delta, rel=1e-6)
        chi = ChiNorm(dimension=dimension, scale=3.0).quantile(delta)
        tail = mpmath.gammainc(mpmath.mpf(dimension) / 2, (mpmath.mpf(chi) / 3) ** 2 / 2, mpmath.inf, regularized=True)
        assert tail <= delta
        assert float(tail) == pytest.approx(delta, rel=1e-6)


@given(dimension=st.integers(1, 5000), delta=st.floats(1e-12, 0.99), rate=st.floats(1e-6, 1e6))
def test_the_exact_quantile_is_never_above_lemma_4(dimension, delta, rate):
    exact, published = GammaNorm(dimension=dimension, rate=rate).quantile(delta), lemma_4(dimension, 1.0 / rate, delta)
    assert exact <= published * (1 + 1e-9)
    if dimension >= 50:
        assert published > 2.0 * exact


@pytest.mark.parametrize("kind", ["gamma", "chi"])
def test_the_sampler_exceeds_it_as_often_as_stated_and_half_of_it_more_often(kind):
    """20,000 draws in 5 dimensions, false alarm below 1e-8."""
    noise, delta = SeededNoise(0), 0.1
    if kind == "gamma":
        law, drawn = GammaNorm(dimension=5, rate=2.0), noise.spherical(rate=2.0, dimension=5, draws=20_000)
    else:
        law, drawn = ChiNorm(dimension=5, scale=2.0), noise.gaussian(scale=2.0, dimension=5, draws=20_000)
    lengths = (drawn**2).sum(axis=0) ** 0.5
    assert isinstance(law, NoiseNorm)
    exceeded = float((lengths > law.quantile(delta)).mean())
    assert exceeded == pytest.approx(delta, abs=6 * math.sqrt(delta / 20_000))
    assert float((lengths > 0.5 * law.quantile(delta)).mean()) > 0.5


@pytest.mark.parametrize("settings", [{"dimension": 0}, {"dimension": 1.5}, {"size": 0.0}, {"size": math.inf}, {"delta": 0.0}, {"delta": 1.0}])
def test_numbers_that_are_no_law_are_refused(settings):
    given_ = {"dimension": 3, "size": 1.0, "delta": 0.1} | settings
    for ask in (
        lambda: GammaNorm(dimension=given_["dimension"], rate=given_["size"]).quantile(given_["delta"]),
        lambda: ChiNorm(dimension=given_["dimension"], scale=given_["size"]).quantile(given_["delta"]),
        lambda: lemma_4(given_["dimension"], given_["size"], given_["delta"]),
    ):
        with pytest.raises(InvalidInput):
            ask()
