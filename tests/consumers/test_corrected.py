"""Second moments without their noise, positive definite whatever the noise did.

The conditional score: right for skewed features on weak noise, not used on strong noise.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from discreet.consumers import NoisyLogisticRegression
from discreet.consumers.corrected import SHARE, refined, spectrum
from discreet.core.errors import InvalidInput
from tests.consumers.tables import correlated, noisy


@given(seed=st.integers(0, 10_000), size=st.integers(1, 8), rows=st.integers(2, 200), scale=st.floats(1e-3, 1e3))
def test_the_matrix_is_positive_definite_and_the_transport_reaches_it(seed, size, rows, scale):
    draw = np.random.default_rng(seed)
    root = draw.standard_normal((size, size)) * scale
    noise = root @ root.T + 1e-3 * scale**2 * np.eye(size)
    table = draw.standard_normal((rows, size)) @ np.linalg.cholesky(noise).T
    moments = table.T @ table
    found = spectrum(moments, noise, removed=float(rows), rows=rows)
    matrix = found.matrix()
    assert np.linalg.eigvalsh(matrix)[0] > 0
    assert np.all(found.floored >= SHARE * 2 * np.sqrt(rows * size))
    if rows > 2 * size:  # the released moments are invertible
        moved = table @ found.transport()
        assert np.allclose(moved.T @ moved, matrix, rtol=1e-4, atol=1e-6 * np.trace(matrix))


def test_nothing_is_changed_where_noise_is_small():
    draw = np.random.default_rng(0)
    table = draw.standard_normal((10_000, 3))
    noise = np.diag([0.1, 0.2, 0.3])
    found = spectrum(table.T @ table, noise, removed=10_000.0, rows=10_000)
    assert found.raised == 0
    assert np.allclose(found.matrix(), table.T @ table - 10_000 * noise, rtol=1e-9, atol=1e-5)


def test_features_without_noise_are_left_as_they_are():
    draw = np.random.default_rng(1)
    table = draw.standard_normal((5000, 3))
    noise = np.diag([0.5, 0.0, 0.5])
    matrix = spectrum(table.T @ table, noise, removed=5000.0, rows=5000).matrix()
    assert matrix[1, 1] == pytest.approx(table[:, 1] @ table[:, 1], rel=1e-6)
    assert np.allclose(matrix, table.T @ table - 5000 * noise, rtol=1e-5, atol=1e-2)


def test_directions_that_noise_drowned_are_raised_and_counted():
    draw = np.random.default_rng(2)
    table = draw.standard_normal((1000, 4)) * 10.0 + np.outer(draw.standard_normal(1000), [100.0, 0.0, 0.0, 0.0])
    found = spectrum(table.T @ table, 100.0 * np.eye(4), removed=1000.0, rows=1000)
    assert found.raised == 3


def test_without_noise_columns_must_not_be_collinear():
    table = np.ones((10, 2))
    with pytest.raises(InvalidInput, match="collinear"):
        spectrum(table.T @ table, np.zeros((2, 2)), removed=10.0, rows=10)
    exact = spectrum(np.diag([3.0, 1.0]), np.zeros((2, 2)), removed=10.0, rows=10)
    assert np.allclose(exact.matrix(), np.diag([3.0, 1.0]))
    assert np.allclose(exact.transport(), np.eye(2))


WEIGHTS = np.array([1.2, -0.8, 0.5])


def skewed(count, seed):
    rows = np.exp(0.7 * correlated(count, seed)) - 1.28
    return rows, (np.random.default_rng(seed).random(count) < expit(rows @ WEIGHTS - 0.4)).astype(float)


def test_the_truth_is_a_root_whatever_the_law_of_the_features():
    rows, hits = skewed(200_000, 0)
    covariance = np.array([[0.5, 0.2, 0.0], [0.2, 0.4, 0.0], [0.0, 0.0, 0.3]])
    released = noisy(rows, covariance, 0)
    found, constant = refined(released, hits, covariance, 0.8 * WEIGHTS, 0.0)
    assert np.linalg.norm(found - WEIGHTS) < 0.06
    assert abs(constant + 0.4) < 0.04
    wrong, _ = refined(released, hits, 0.5 * covariance, 0.8 * WEIGHTS, 0.0)
    assert np.linalg.norm(wrong - WEIGHTS) > 0.15, "a planted fault: half of the noise"


def test_strong_noise_and_far_roots_leave_the_start():
    rows, hits = skewed(2000, 1)
    assert refined(rows, hits, np.zeros((3, 3)), WEIGHTS, 0.3) == (WEIGHTS, 0.3)
    assert refined(noisy(rows, 4.0, 1), hits, 4.0 * np.eye(3), WEIGHTS, 0.3) == (WEIGHTS, 0.3)
    start = 0.2 * WEIGHTS
    found, _ = refined(noisy(rows, 0.1, 1), hits, 0.1 * np.eye(3), start, 0.0)
    assert found is start, "the root is farther than half of the start's length"


def test_logistic_regression_uses_it():
    rows, hits = skewed(50_000, 2)
    released = noisy(rows, 0.3, 2)
    error = np.linalg.norm(NoisyLogisticRegression(feature_noise=0.3).fit(released, hits).coef_[0] - WEIGHTS)
    naive = np.linalg.norm(NoisyLogisticRegression().fit(released, hits).coef_[0] - WEIGHTS)
    assert error < 0.15 * naive
