"""The exact samplers have the law they claim, with the system's randomness; and each planted fault is caught by the same tests."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from discreet.noise.discrete import discrete_gaussian, discrete_laplace, draw
from discreet.noise.envelope import Exponent, envelope_for
from discreet.noise.source import system_words
from tests.noise.discrete_laws import DRAWS, LEVEL, Gaussian, Laplace, check, spread

LAWS = [Gaussian(sigma) for sigma in (0.01, 0.5, 1.0, 10.0, 64.0, 1e6, 2.0**40, 2.0**51)] + [
    Laplace(scale) for scale in (0.01, 0.7, 1.0, 100.0, 2.0**40)
]
MORE = [Gaussian(sigma) for sigma in (0.2, 3.3, 63.0, 1e3, 1e9)] + [Laplace(scale) for scale in (0.1, 10.0, 1e6)]


def sample(law, count=DRAWS):
    if isinstance(law, Gaussian):
        return discrete_gaussian(system_words(), variance=Fraction(law.sigma) ** 2, count=count)
    return discrete_laplace(system_words(), scale=law.scale, count=count)


@pytest.mark.at_most(6)
@pytest.mark.parametrize("law", [*LAWS, *(pytest.param(law, marks=pytest.mark.more) for law in MORE)], ids=str)
def test_the_sampler_has_its_law(law):
    check(sample(law), sample(law), law)


def wrong_scale(law):
    return sample(type(law)(1.02 * spread(law)))


def small_scale(law):
    return sample(type(law)(0.98 * spread(law)))


def biased_sign(law):
    k = sample(law)
    flip = np.random.default_rng(1).random(DRAWS) < 0.02
    return np.where(flip, np.abs(k), k)


def truncated(law):
    k = sample(law, DRAWS + DRAWS // 8)
    return k[np.abs(k) < 4 * spread(law)][:DRAWS]


def shifted(law):
    return sample(law) + max(1, int(0.02 * spread(law)))


def repeated(law):
    k = sample(law)
    k[1::2] = k[::2]
    return k


def zero_twice_as_likely(law):
    """What drawing a sign and a size without refusing minus zero does."""
    k = sample(law, 2 * DRAWS)
    return np.concatenate([k[:DRAWS], k[DRAWS:][k[DRAWS:] == 0]])


FAULTS = [wrong_scale, small_scale, biased_sign, truncated, shifted, repeated]


@pytest.mark.parametrize("law", [Gaussian(1.0), Gaussian(10.0), Gaussian(1e3), Gaussian(1e9), Laplace(1.0), Laplace(1e3)], ids=str)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_caught(fault, law):
    with pytest.raises(AssertionError):
        check(fault(law), sample(law), law)


@pytest.mark.parametrize("law", [Gaussian(0.5), Gaussian(3.3), Laplace(1.0)], ids=str)
def test_zero_counted_twice_is_caught(law):
    with pytest.raises(AssertionError):
        check(zero_twice_as_likely(law), sample(law), law)


def test_the_same_key_twice_is_caught():
    k = sample(Gaussian(10.0))
    with pytest.raises(AssertionError, match="dependent"):
        check(k, k, Gaussian(10.0))


def test_a_stuck_last_bit_is_caught():
    with pytest.raises(AssertionError):
        check(sample(Gaussian(1e6)) & ~np.int64(1), sample(Gaussian(1e6)), Gaussian(1e6))


@pytest.mark.parametrize("sigma", [0.2, 0.5, 1.0])
def test_a_rounded_gaussian_is_another_law(sigma):
    """Its variance is sigma^2 + 1/12, and its tails are heavier."""
    rounded = np.round(np.random.default_rng(2).normal(0.0, sigma, DRAWS)).astype(np.int64)
    with pytest.raises(AssertionError):
        check(rounded, sample(Gaussian(sigma)), Gaussian(sigma))


@pytest.mark.parametrize("sigma", [10.0, 1e3, 1e6])
def test_wedges_that_are_always_kept_are_caught(sigma, monkeypatch):
    def always(words, envelope, wedge, k):
        words(len(wedge))
        return np.full(len(wedge), True)

    monkeypatch.setattr("discreet.noise.discrete._under", always)
    with pytest.raises(AssertionError):
        check(sample(Gaussian(sigma)), sample(Gaussian(sigma)), Gaussian(sigma))


@pytest.mark.parametrize("law", [Gaussian(1e6), Laplace(10.0), pytest.param(Gaussian(1.0), marks=pytest.mark.more)], ids=str)
def test_tails_that_are_never_drawn_are_caught(law, monkeypatch):
    """The staircase ends at 5 sigma (12 scales of Laplace), so that it takes sixteen million draws to see what is beyond."""
    envelope = envelope_for(Exponent(square=law.exponent(1)) if isinstance(law, Gaussian) else Exponent(linear=law.exponent(1)))
    expected = 16_000_000 * 2 * float(sum_tail(law, envelope.edge))
    seen = int((np.abs(draw(system_words(), envelope, 16_000_000)) > envelope.edge).sum())
    assert stats.poisson.cdf(seen, expected) > LEVEL
    assert stats.poisson.sf(seen - 1, expected) > LEVEL
    monkeypatch.setattr("discreet.noise.discrete._tail", lambda words, envelope: None)
    assert not (np.abs(draw(system_words(), envelope, 1_000_000)) > envelope.edge).any()


def sum_tail(law, edge):
    """P(X > edge)."""
    if isinstance(law, Laplace):
        q = np.exp(-1.0 / law.scale)
        return q ** (edge + 1) / (1 + q)
    if law.sigma > 1000:
        return stats.norm.sf((edge + 0.5) / law.sigma)
    weights = np.exp(-(np.arange(-edge - 100, edge + 100) ** 2) / (2 * law.sigma**2))
    return np.exp(-(np.arange(edge + 1, edge + 100) ** 2) / (2 * law.sigma**2)).sum() / weights.sum()
