"""Equations with a noisy matrix: the closed form is the fixed point, Fieller's interval for one weight, coverage, and nothing where noise drowns."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from discreet.solvers import NoisyMatrix


def positive(size, seed, *, scale=1.0):
    root = np.random.default_rng(seed).normal(size=(size, size))
    return scale * (root @ root.T / size + np.eye(size))


@pytest.mark.parametrize("metric", [None, positive(4, 1)], ids=["every basis", "rows"])
def test_the_closed_form_is_the_fixed_point(metric):
    matrix, remainder = positive(4, 2, scale=10.0), positive(4, 3)
    weight, deviations = np.eye(4) if metric is None else metric, 1.96
    noisy = NoisyMatrix(matrix=matrix, variance=0.4, metric=metric)
    (found,) = noisy.errors(remainder, deviations=deviations)
    inverse, error = np.linalg.inv(matrix), np.zeros((4, 4))
    for _ in range(2000):
        met = deviations**2 * 0.4 * (np.trace(error @ weight) * weight + weight @ error @ weight)
        error = inverse @ (remainder + met) @ inverse
    assert np.allclose(found, error, rtol=1e-8)
    twice = noisy.errors(remainder, 2.0 * remainder, deviations=deviations)
    assert np.allclose(twice[1], 2.0 * twice[0])


def test_what_a_known_vector_meets_is_the_covariance_of_the_noise():
    """40,000 draws of a symmetric matrix, a hundredth and more off by six deviations."""
    draw, known = np.random.default_rng(0), np.array([1.0, -2.0, 0.5])
    off = math.sqrt(0.3) * draw.normal(size=(40_000, 3, 3))
    noise = (off + off.transpose(0, 2, 1)) / math.sqrt(2.0)
    met = noise @ known
    assert np.allclose(met.T @ met / 40_000, NoisyMatrix(matrix=np.eye(3), variance=0.3).met(known), atol=0.06)


def test_for_one_weight_its_end_is_fiellers():
    """Weights u with (M u)^2 <= q^2 (s^2 + 2 h u^2)."""
    (found,) = NoisyMatrix(matrix=np.array([[5.0]]), variance=1.5).errors(np.array([[2.0]]), deviations=1.5)
    assert 1.5 * math.sqrt(found[0, 0]) == pytest.approx(math.sqrt(1.5**2 * 2.0 / (25.0 - 1.5**2 * 3.0)))


def test_where_the_matrix_does_not_stand_out_of_its_noise_nothing_is_known():
    remainder = np.eye(3)
    for matrix in (np.diag([10.0, 10.0, 1.0]), np.diag([10.0, 10.0, -10.0]), 3.0 * np.eye(3)):
        assert NoisyMatrix(matrix=matrix, variance=1.0).errors(remainder, deviations=1.96) is None
    assert NoisyMatrix(matrix=np.diag([10.0, 10.0, 1.0]), variance=0.0).errors(remainder, deviations=1.96) is not None


@pytest.mark.parametrize("strength", [3.0, 6.0, 20.0])
def test_intervals_cover_from_drowned_to_clear(strength):
    """2,000 draws, 93 % asked of intervals that say 95 %; ones that leave out what the noise does to the solution cover 80 % at 6."""
    draw, truth, size = np.random.default_rng(1), np.array([2.0, -1.0, 0.0, 1.0]), 4
    inside, plain = np.zeros(size), np.zeros(size)
    for _ in range(2000):
        off = draw.normal(size=(size, size))
        noisy = NoisyMatrix(matrix=strength * np.eye(size) + (off + off.T) / math.sqrt(2.0), variance=1.0)
        right = strength * truth + draw.normal(size=size)
        solution = np.linalg.solve(noisy.matrix, right)
        found = noisy.errors(np.eye(size) + noisy.met(solution), deviations=1.959964)
        inside += 1.0 if found is None else np.abs(solution - truth) <= 1.959964 * np.sqrt(np.diag(found[0]))
        inverse = np.linalg.inv(noisy.matrix)
        plain += np.abs(solution - truth) <= 1.959964 * np.sqrt(np.diag(inverse @ inverse))
    least = binom.ppf(1e-9, 2000, 0.93)
    assert inside.min() > least
    assert plain.min() < least, "the test can fail"
