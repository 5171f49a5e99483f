"""The Gaussian profile and its inverse, and what discrete noise costs instead, against sixty digits."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy.integrate import quad
from scipy.stats import norm

from discreet.accounting import beyond, closeness, discrete_delta, gaussian_delta, gaussian_deltas, gaussian_epsilon, gaussian_mu
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


@pytest.mark.parametrize("mu", [0.0, 1e-9, 0.2, 3.0])
def test_the_epsilon_of_a_mu_is_the_least_at_its_delta(mu: float) -> None:
    found = gaussian_epsilon(mu, 1e-6, most=100.0)
    assert gaussian_delta(found, mu) <= 1e-6
    assert found < 1e-15 or gaussian_delta(found * (1.0 - 1e-9), mu) > 1e-6
    assert gaussian_epsilon(mu, 1e-6, most=found / 2.0) == found / 2.0 or found < 1e-15


@pytest.mark.parametrize(("delta", "most"), [(math.nan, 1.0), (0.0, 1.0), (1.0, 1.0), (0.1, math.nan), (0.1, math.inf), (0.1, -1.0), (0.1, 10**400)])
def test_no_epsilon_is_stated_for_numbers_that_are_no_target(delta: float, most: float) -> None:
    with pytest.raises(InvalidInput, match=r"0 < delta < 1 and a finite most >= 0; delta=.*, most=.* were given"):
        gaussian_epsilon(1.0, delta, most=most)


@pytest.mark.parametrize("mu", [0.0, 1e-300, 1e-9, 0.2, 1.0, 30.0, 1e300, math.inf])
def test_the_profile_of_an_array_is_that_of_its_numbers(mu: float) -> None:
    epsilons = np.array([-1e9, -800.0, -3.0, -1e-9, 0.0, 1e-9, 0.1, 1.0, 40.0, 800.0, 1e9])
    each = np.array([gaussian_delta(float(epsilon), mu) for epsilon in epsilons])
    room = 1e-12 * each + 1e-15 * (each > 1e-10)  # small differences of large terms may differ by the terms' last bit
    assert np.all(np.abs(gaussian_deltas(epsilons, mu) - each) <= room)  # and warns of nothing


SCALES = [1.0, 1.5, 4.0, 32.0, 4096.0]


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mpmath.workdps(60):
        yield


def discrete(k, s):
    """P(K = k), by Poisson summation where the plain sum is long."""
    s = mpmath.mpf(s)
    total = mpmath.jtheta(3, 0, mpmath.exp(-2 * mpmath.pi**2 * s**2)) * s * mpmath.sqrt(2 * mpmath.pi)
    return mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * s**2)) / total


def rounded(k, s):
    """P(round(N(0, s^2)) = k)."""
    s, k = mpmath.mpf(s), mpmath.mpf(abs(k))
    return (mpmath.erfc((k - 0.5) / (s * mpmath.sqrt(2))) - mpmath.erfc((k + 0.5) / (s * mpmath.sqrt(2)))) / 2


def places(s, reach):
    """Integers from 0 to `reach` scales: all of them where they are few."""
    last = math.floor(reach * s)
    return sorted({round(last * share / 400) for share in range(401)}) if last > 400 else range(last + 1)


@pytest.mark.parametrize("s", SCALES)
def test_the_law_used_here_sums_to_one(s):
    if s <= 32:
        assert abs(mpmath.fsum(discrete(k, s) for k in range(-round(20 * s) - 3, round(20 * s) + 4)) - 1) < mpmath.mpf(10) ** -40


@pytest.mark.parametrize("s", SCALES)
def test_no_discrete_integer_is_likelier_than_a_rounded_one_by_more_than_e_to_the_upper(s):
    bound = closeness(1, s).upper
    ratios = [mpmath.log(discrete(k, s) / rounded(k, s)) for k in places(s, 42)]
    assert max(ratios) <= bound
    assert max(ratios) >= 0.3 * bound, "a third of it, at 0"


@pytest.mark.parametrize("s", SCALES)
def test_no_rounded_integer_within_reach_is_likelier_than_a_discrete_one_by_more_than_e_to_the_lower(s):
    bound = closeness(1, s).lower
    ratios = [mpmath.log(rounded(k, s) / discrete(k, s)) for k in places(s, 42)]
    assert max(ratios) <= bound
    if s >= 32:
        assert max(ratios) >= 0.3 * bound, "a third of it: the mean of cosh over a cell, whose largest value the lemma takes"


@pytest.mark.parametrize("integers", [1, 2, 10, 1000, 10**6])
def test_what_lies_beyond_the_reach_has_the_probability_that_is_charged(integers):
    # |R| <= |N| + sqrt(d) / 2 <= s (sqrt(d) + 41) unless |N| / s > sqrt(d) + 40.5: a chi-square tail.
    reach = (mpmath.sqrt(integers) + 40) ** 2
    tail = mpmath.gammainc(mpmath.mpf(integers) / 2, reach / 2, mpmath.inf, regularized=True)
    assert tail <= mpmath.exp(-800)


@pytest.mark.parametrize(("integers", "scale", "stages"), [(1, 4096.0, 1), (7, 3.0, 2), (10**6, 1e4, 50), (3, 1e300**0.5, 1), (12, 2.0**40, 3)])
def test_the_factors_are_the_formulas_rounded_up(integers, scale, stages):
    found, s = closeness(integers, scale, stages=stages), mpmath.mpf(scale)
    upper = integers / (8 * s**2)
    lower = ((mpmath.sqrt(integers) + 41 * mpmath.sqrt(stages)) ** 2 + stages) / (8 * s**2)
    for number, exact in ((found.upper, upper), (found.lower, lower)):
        assert exact <= number <= exact * (1 + mpmath.mpf(10) ** -13)


@pytest.mark.parametrize(("integers", "scale"), [(1, 0.9), (17, 4.0), (1, math.nan), (1, 0.0)])
def test_nothing_is_promised_where_the_lemma_does_not_apply(integers, scale):
    assert closeness(integers, scale).total == math.inf
    assert discrete_delta(1.0, 0.5, integers=integers, scale=scale) == 1.0


@pytest.mark.parametrize(("s", "shift", "epsilon"), [(64.0, 64, 1.0), (40.0, 20, 2.0), pytest.param(512.0, 700, 0.9, marks=pytest.mark.more)])
def test_one_integer_costs_no_more_than_is_stated(s, shift, epsilon):
    """The hockey-stick divergence of the discrete law and its shift, summed exactly."""
    span = round(16 * s) + shift
    exact = mpmath.fsum(max(mpmath.mpf(0), discrete(k, s) - mpmath.exp(epsilon) * discrete(k - shift, s)) for k in range(-span, span + 1))
    stated = discrete_delta(epsilon, shift / s, integers=1, scale=s)
    assert exact <= stated <= 4.0 * exact


def test_a_wrong_lemma_would_be_seen():
    """Without B the rounded law is likelier; with half of A the discrete one."""
    assert mpmath.log(rounded(42 * 32, 32.0) / discrete(42 * 32, 32.0)) > 0.3 * closeness(1, 32.0).lower
    assert mpmath.log(discrete(0, 32.0) / rounded(0, 32.0)) > 0.3 * closeness(1, 32.0).upper


def test_wide_noise_costs_what_gaussian_noise_costs():
    assert discrete_delta(1.0, 0.7, integers=5, scale=2.0**30) == pytest.approx(gaussian_delta(1.0, 0.7), rel=1e-9)
    assert beyond(0.0) == 0.0 or beyond(0.0) < 1e-300
    assert beyond(600.0, stages=2) == pytest.approx(2.0 * math.exp(-200.0))
    assert beyond(790.0) == pytest.approx(math.exp(-10.0))
    assert beyond(5000.0) == 1.0
