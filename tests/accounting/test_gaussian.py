"""The Gaussian profile against quadrature and published values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy.integrate import quad
from scipy.stats import norm

from discreet.accounting import gaussian_delta, gaussian_deltas, gaussian_mu
from discreet.core.errors import InvalidInput


@pytest.mark.parametrize(("epsilon", "delta", "sigma"), [(1.0, 1e-6, 4.2247), (0.1, 1e-6, 36.30), (4.0, 1e-6, 1.1935)])
def test_noise_for_unit_sensitivity_has_the_published_values(epsilon: float, delta: float, sigma: float) -> None:
    assert 1.0 / gaussian_mu(epsilon, delta) == pytest.approx(sigma, rel=2e-4)


@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("mu", [0.05, 0.3, 1.0, 4.0])
def test_profile_is_the_hockey_stick_integral_rounded_up(epsilon: float, mu: float) -> None:
    start = epsilon / mu - mu / 2
    exact = quad(lambda g: norm.pdf(g) * -math.expm1(epsilon - mu * g - mu * mu / 2), max(start, -12.0), max(start, -12.0) + 30, epsabs=0, limit=400)[
        0
    ]
    assert gaussian_delta(epsilon, mu) >= exact * (1 - 1e-8)
    assert gaussian_delta(epsilon, mu) == pytest.approx(exact, rel=1e-7, abs=1e-300)


def _exact(epsilon: float, mu: float) -> mp.mpf:
    """The profile in sixty digits, and as many more as the difference of its two terms loses."""
    with mp.workdps(60 + 10 + round(abs(math.log10(mu)))):
        quotient, half = mp.mpf(epsilon) / mp.mpf(mu), mp.mpf(mu) / 2
        first, second = (mp.erfc((quotient + sign * half) / mp.sqrt(2)) / 2 for sign in (-1, 1))
        return +(first - mp.exp(mp.mpf(epsilon)) * second)


def _extremes() -> list[tuple[float, float]]:
    """Pairs (epsilon, mu) all over the plane, and most of them where the normal tails are neither 0 nor 1."""
    dice = np.random.default_rng(2026)
    mus = 10.0 ** dice.uniform(-9.0, 6.0, 1_000)
    thresholds = np.where(dice.random(1_000) < 0.5, dice.uniform(-38.0, 39.0, 1_000), dice.normal(0.0, 3.0, 1_000))
    along = zip((thresholds * mus + 0.5 * mus * mus).tolist(), mus.tolist(), strict=True)
    sizes = 10.0 ** dice.uniform(-12.0, 12.0, 250) * dice.choice((-1.0, 1.0), 250)
    return [*along, *zip(sizes.tolist(), mus[:250].tolist(), strict=True)]


def test_the_profile_is_never_below_its_value_in_sixty_digits() -> None:
    for epsilon, mu in _extremes():
        exact = _exact(epsilon, mu)
        for computed in (gaussian_delta(epsilon, mu), float(gaussian_deltas(np.array([epsilon]), mu)[0])):
            assert computed >= exact, (epsilon, mu)


@given(epsilon=st.floats(0.001, 20.0), log_delta=st.floats(-40.0, -0.1))
def test_returned_mu_reaches_the_target_and_a_little_more_does_not(epsilon: float, log_delta: float) -> None:
    delta = math.exp(log_delta)
    mu = gaussian_mu(epsilon, delta)
    assert gaussian_delta(epsilon, mu) <= delta
    assert gaussian_delta(epsilon, mu * (1 + 1e-7)) > delta


@given(epsilon=st.floats(0.0, 10.0), mu=st.floats(1e-3, 10.0), factor=st.floats(1.001, 3.0))
def test_profile_falls_with_epsilon_and_grows_with_mu(epsilon: float, mu: float, factor: float) -> None:
    assert gaussian_delta(epsilon + 0.1, mu) <= gaussian_delta(epsilon, mu)
    assert gaussian_delta(epsilon, mu * factor) >= gaussian_delta(epsilon, mu)


@pytest.mark.parametrize(("epsilon", "mu", "value"), [(1.0, 0.0, 0.0), (-1.0, 0.0, 1 - math.exp(-1)), (1.0, math.inf, 1.0)])
def test_limits(epsilon: float, mu: float, value: float) -> None:
    assert gaussian_delta(epsilon, mu) == pytest.approx(value)


@pytest.mark.parametrize("bad", [(1.0, 0.0), (1.0, 1.0), (-1.0, 0.1), (math.nan, 0.1), (math.inf, 0.1)])
def test_impossible_targets_are_refused(bad: tuple[float, float]) -> None:
    with pytest.raises(InvalidInput):
        gaussian_mu(*bad)
    with pytest.raises(InvalidInput):
        gaussian_delta(1.0, np.nan)


@pytest.mark.parametrize("mu", [0.0, 1e-300, 1e-9, 0.2, 1.0, 30.0, 1e300, math.inf])
def test_the_profile_of_an_array_is_that_of_its_numbers(mu: float) -> None:
    epsilons = np.array([-1e9, -800.0, -3.0, -1e-9, 0.0, 1e-9, 0.1, 1.0, 40.0, 800.0, 1e9])
    each = np.array([gaussian_delta(float(epsilon), mu) for epsilon in epsilons])
    room = 1e-12 * each + 1e-15 * (each > 1e-10)  # small differences of large terms may differ by the terms' last bit
    assert np.all(np.abs(gaussian_deltas(epsilons, mu) - each) <= room)  # and warns of nothing
