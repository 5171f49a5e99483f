"""The exact curves: reference values to every printed digit, other roads to the same numbers, and pairs of tables below and on them."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from scipy.special import gammainc, gammaincc
from scipy.stats import chi2

from discreet.accounting import gaussian_delta
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.release.profiles import largest, mixture_delta, replace_delta, zero_out_delta
from discreet.verification.sketch import integral


@pytest.mark.parametrize(
    ("curve", "epsilon", "rows", "ratio", "printed"),
    [
        (zero_out_delta, 0.5, 20, 0.3, "1.8782667567e-01"),
        (zero_out_delta, 1.0, 50, 1 / 22.98, "1.0015185345e-05"),
        (zero_out_delta, 0.0, 100, 0.01, "2.8016843294e-02"),
        (replace_delta, 0.5, 20, 0.3, "3.0200220337e-01"),
        (replace_delta, 1.0, 50, 1 / 27.43, "9.9771805899e-06"),
        (replace_delta, 0.0, 100, 0.01, "3.9580633076e-02"),
    ],
)
def test_curves_have_the_reference_values(curve, epsilon, rows, ratio, printed):
    assert f"{curve(epsilon, rows, ratio).value:.10e}" == printed


@pytest.mark.parametrize(
    ("epsilon", "delta", "rows", "zero_out", "replace"),
    [(1.0, 1e-5, 50, 22.98261, 27.42574), (1.0, 1e-5, 1000, 87.60801, 117.85226), (0.5, 1e-5, 200, 78.22625, 100.32397)],
)
def test_calibrations_have_the_reference_values(epsilon, delta, rows, zero_out, replace):
    assert round(1 / largest(lambda ratio: zero_out_delta(epsilon, rows, ratio), delta), 5) == zero_out
    assert round(1 / largest(lambda ratio: replace_delta(epsilon, rows, ratio), delta), 5) == replace


@pytest.mark.parametrize(("rows", "epsilon", "printed"), [(10, 0.5, 32.19046), (50, 0.9, 35.36024)])
def test_fresh_projections_have_the_reference_values(rows, epsilon, printed):
    assert round(1 / largest(lambda slope: mixture_delta(epsilon, rows, slope), 1e-6), 5) == printed


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize(
    ("epsilon", "rows", "ratio"), [(0.1, 1, 2.0), (0.5, 20, 0.3), (1.0, 1000, 0.01), (3.0, 5, 1.0), (0.3, 4000, 0.001), (0.5, 100_000, 0.0012)]
)
def test_the_difference_of_densities_integrates_to_the_same_number(neighbours, epsilon, rows, ratio):
    curve = zero_out_delta if neighbours is ADD_REMOVE else replace_delta
    other = integral(neighbours, epsilon, rows, ratio)
    assert curve(epsilon, rows, ratio).value == pytest.approx(other, rel=1e-7, abs=1e-25)


def divergence(epsilon, rows, first, second, draws=200_000):
    """A simulated hockey stick of `rows` rows N(0, first) over N(0, second), and three standard errors."""
    scales = eigh(first, second, eigvals_only=True)
    squares = np.random.default_rng(0).chisquare(rows, (draws, len(scales)))
    loss = 0.5 * (squares * (scales - 1.0)).sum(axis=1) - 0.5 * rows * np.log(scales).sum()
    gains = np.maximum(0.0, -np.expm1(epsilon - loss))
    return gains.mean(), 3.0 * gains.std() / math.sqrt(draws)


@pytest.mark.parametrize("seed", range(6))
def test_no_pair_of_tables_is_above_the_curves(seed):
    draw = np.random.default_rng(seed)
    beta, norm, rows, epsilon = 4.0, 1.0, 15, 0.3
    rest = draw.standard_normal((draw.integers(0, 4), 3))
    base = beta * np.eye(3) + rest.T @ rest
    z, u = (v / np.linalg.norm(v) * norm * draw.uniform(0.5, 1.0) for v in draw.standard_normal((2, 3)))
    bounds = zero_out_delta(epsilon, rows, norm / beta).up, replace_delta(epsilon, rows, norm / beta).up
    for first, second, bound in (
        (base + np.outer(z, z), base, bounds[0]),
        (base, base + np.outer(z, z), bounds[0]),
        (base + np.outer(z, z), base + np.outer(u, u), bounds[1]),
    ):
        found, error = divergence(epsilon, rows, first, second)
        assert found <= bound + error


def test_the_worst_pairs_are_on_the_curves_and_a_smaller_ratio_is_caught():
    beta, rows, epsilon = 4.0, 15, 0.3
    base, z, u = beta * np.eye(2), np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    more, error = max(divergence(epsilon, rows, base + z, base), divergence(epsilon, rows, base, base + z))
    assert abs(more - zero_out_delta(epsilon, rows, 0.25).value) <= error
    replaced, error = divergence(epsilon, rows, base + z, base + u)
    assert abs(replaced - replace_delta(epsilon, rows, 0.25).value) <= error
    # Planted faults: the ratio of twice the noise, and the curve of one relation under the other.
    assert replaced - error > replace_delta(epsilon, rows, 0.125).up
    assert replaced - error > zero_out_delta(epsilon, rows, 0.25).up


@given(epsilon=st.floats(0.01, 5.0), rows=st.integers(1, 3000), ratio=st.floats(1e-4, 10.0))
def test_curves_rise_with_the_ratio_and_fall_with_epsilon(epsilon, rows, ratio):
    for curve in (zero_out_delta, replace_delta):
        here = curve(epsilon, rows, ratio)
        assert curve(epsilon, rows, 1.1 * ratio).up >= here.value - here.error
        assert min(curve(1.1 * epsilon, rows, ratio).value, 1.0) <= here.up
        assert 0 <= here.up <= 1


def test_the_mean_over_projections_is_that_of_a_simulation():
    rows, epsilon, slope = 12, 0.5, 0.2
    squares = chi2.rvs(rows, size=20_000, random_state=1)
    simulated = np.array([gaussian_delta(epsilon, slope * math.sqrt(value)) for value in squares])
    assert mixture_delta(epsilon, rows, slope).value == pytest.approx(simulated.mean(), abs=4 * simulated.std() / math.sqrt(20_000))
    assert mixture_delta(epsilon, rows, slope, 0.01).value > mixture_delta(epsilon, rows, slope).up


def test_targets_that_cannot_be_computed_are_refused():
    with pytest.raises(InfeasibleTarget, match="1e-30"):
        largest(lambda ratio: zero_out_delta(1.0, 10, ratio), 1e-31)
    for rows in (0, 100_001, 2.5):
        for curve in (replace_delta, zero_out_delta, mixture_delta):
            with pytest.raises(InvalidInput, match="from 1 to 100000"):
                curve(1.0, rows, 0.1)


@pytest.mark.parametrize("rows", [40, 1000, 100_000])
@pytest.mark.parametrize("place", [-10.0, -4.0, -1.0, 1.0, 4.0, 10.0])
def test_distribution_functions_are_as_accurate_as_is_claimed(rows, place):
    """Against forty digits; from about a million rows on, SciPy's lower tail is wrong in its eighth digit and worse."""
    half = mpmath.mpf(rows) / 2
    with mpmath.workdps(40):
        x = max(float(half + place * mpmath.sqrt(half)), 0.05 * rows)
        root, log_gamma = mpmath.sqrt(half), mpmath.loggamma(half)

        def density(t):
            return mpmath.exp((half - 1) * mpmath.log(t) - t - log_gamma)

        upper = mpmath.quad(density, [x + k * root for k in range(26)])
        lower = mpmath.quad(density, [max(x - k * root, mpmath.mpf("1e-30")) for k in range(25, -1, -1)])
    for computed, exact in ((gammaincc(rows / 2, x), upper), (gammainc(rows / 2, x), lower)):
        if exact > 1e-30:
            assert abs(computed / exact - 1) < 1e-12
