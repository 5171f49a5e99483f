"""The conditional score: right for skewed features on weak noise, not used on strong noise."""

import numpy as np
from scipy.special import expit

from discreet.consumers import NoisyLogisticRegression
from discreet.consumers.reconstruction import refined
from tests.consumers.tables import correlated, noisy

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
