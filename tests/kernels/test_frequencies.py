"""Orthogonal frequencies: the same law one by one, better together."""

import numpy as np
import pytest
from scipy import stats

from discreet.core.errors import InvalidInput
from discreet.kernels import Cauchy, Gaussian, Laplacian, Matern, draw_frequencies

DRAWS = 3000
ROTATION_INVARIANT = [Gaussian(gamma=0.5), Matern(gamma=0.5, nu=1.5), Matern(gamma=0.5, nu=0.5)]


def estimates(kernel, *, orthogonal, features=5, length=1.0, change=None):
    """Estimates of k at a distance of `length`, one a public seed, from as many frequencies as there are columns."""
    found = np.empty(DRAWS)
    for seed in range(DRAWS):
        frequencies = draw_frequencies(kernel, seed=seed, features=features, count=features, orthogonal=orthogonal)
        found[seed] = np.mean(np.cos(length * (frequencies if change is None else change(frequencies))[:, 0]))
    return found


def exact(kernel, *, features=5, length=1.0):
    return float(kernel.value(np.zeros((1, features)), length * np.eye(1, features))[0, 0])


def check_unbiased(found, value):
    assert abs(found.mean() - value) < 5.0 * found.std() / np.sqrt(DRAWS), "the estimate is biased"


@pytest.mark.more
@pytest.mark.parametrize("kernel", ROTATION_INVARIANT, ids=repr)
@pytest.mark.parametrize("length", [0.5, 1.0])
def test_orthogonal_features_are_unbiased_and_vary_less(kernel, length):
    independent, orthogonal = (estimates(kernel, orthogonal=choice, length=length) for choice in (False, True))
    check_unbiased(independent, exact(kernel, length=length))
    check_unbiased(orthogonal, exact(kernel, length=length))
    assert orthogonal.var() < 0.9 * independent.var()


def test_directions_without_their_own_lengths_are_seen():
    """Orthonormal directions times the mean length, which some implementations use, are biased."""
    kernel = Matern(gamma=0.5, nu=0.5)

    def same_length(frequencies):
        lengths = np.linalg.norm(frequencies, axis=1, keepdims=True)
        return frequencies / lengths * np.sqrt(5.0)

    with pytest.raises(AssertionError, match="biased"):
        check_unbiased(estimates(kernel, orthogonal=True, change=same_length), exact(kernel))


@pytest.mark.parametrize("kernel", [Gaussian(gamma=1e-30), Laplacian(gamma=1e30), Matern(gamma=0.1)], ids=repr)
def test_frequencies_have_few_digits_so_that_every_machine_draws_the_same(kernel):
    """What two machines compute may differ in the last of 53 bits, and is rounded to the same 24 but for one in 2^28."""
    drawn = draw_frequencies(kernel, seed=3, features=7, count=11)
    digits = np.frexp(drawn)[0] * 2.0**24
    np.testing.assert_array_equal(digits, np.rint(digits))


@pytest.mark.parametrize("count", [1, 4, 6, 17])
def test_directions_are_orthogonal_within_blocks(count):
    frequencies = draw_frequencies(Gaussian(), seed=0, features=6, count=count)
    assert frequencies.shape == (count, 6)
    for start in range(0, count, 6):
        block = frequencies[start : start + 6]
        gram = block @ block.T
        np.testing.assert_allclose(gram - np.diag(np.diag(gram)), 0.0, atol=1e-5)


def test_one_coordinate_of_an_orthogonal_frequency_has_the_law_of_the_kernel():
    """Every row of the block, the last one too: the signs of the decomposition must not show."""
    frequencies = np.array([draw_frequencies(Gaussian(gamma=0.5), seed=seed, features=3, count=3) for seed in range(DRAWS)])
    for row in range(3):
        for column in range(3):
            assert stats.kstest(frequencies[:, row, column], "norm").pvalue > 1e-6


@pytest.mark.parametrize("kernel", [Laplacian(), Cauchy()], ids=repr)
def test_kernels_without_rotations_get_independent_frequencies(kernel):
    asked, plain = (draw_frequencies(kernel, seed=0, features=3, count=9, orthogonal=choice) for choice in (True, False))
    np.testing.assert_array_equal(asked, plain)


def test_laws_of_single_frequencies():
    for kernel, law in ((Laplacian(gamma=0.3), stats.cauchy(scale=0.3)), (Cauchy(gamma=0.3), stats.laplace(scale=0.3))):
        drawn = draw_frequencies(kernel, seed=0, features=2, count=5000)
        assert stats.kstest(drawn.ravel(), law.cdf).pvalue > 1e-6
        assert stats.kstest(drawn.ravel() * 1.1, law.cdf).pvalue < 1e-3


def test_impossible_sizes_and_scales_are_refused():
    for features, count in ((0, 1), (1, 0)):
        with pytest.raises(InvalidInput, match="at least one"):
            draw_frequencies(Gaussian(), seed=0, features=features, count=count)
    for kind in (Gaussian, Laplacian, Cauchy, Matern):
        for gamma in (0.0, -1.0, np.nan, np.inf, 1e-300, "1", True):
            with pytest.raises(InvalidInput, match="gamma between"):
                kind(gamma=gamma)
    for nu in (0.0, 0.1, 51.0, np.nan):
        with pytest.raises(InvalidInput, match="smoothness"):
            Matern(nu=nu)
    with pytest.raises(InvalidInput, match="length scale"):
        Matern.of_length(0.0)


def test_matern_by_length_scale():
    kernel = Matern.of_length(0.5, nu=0.5)
    rows = np.array([[0.0], [1.0]])
    assert kernel.value(rows, rows)[0, 1] == pytest.approx(np.exp(-2.0))
    smooth = Matern.of_length(0.5, nu=1.5)
    assert smooth.value(rows, rows)[0, 1] == pytest.approx((1 + np.sqrt(3) * 2) * np.exp(-np.sqrt(3) * 2))
