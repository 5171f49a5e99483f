"""Invented records that the tests of this folder share."""

import numpy as np

SLOPES = np.array([1.0, -2.0, 0.5])


def correlated(count, seed, *, mean=0.0):
    """Normal features (count, 3) with correlations of a half."""
    draw = np.random.default_rng(seed)
    return mean + np.sqrt(0.5) * (draw.standard_normal((count, 3)) + draw.standard_normal((count, 1)))


def regression(count, seed, *, spread=1.0):
    """Features of mean 1 and targets 0.5 + <SLOPES, x> + normal errors."""
    rows = correlated(count, seed, mean=1.0)
    return rows, rows @ SLOPES + 0.5 + spread * np.random.default_rng(seed + 10_000).standard_normal(count)


def noisy(array, covariance, seed):
    """Plus normal noise of this variance, or covariance."""
    draw = np.random.default_rng(seed + 20_000)
    if np.ndim(covariance) == 0:
        return array + np.sqrt(covariance) * draw.standard_normal(np.shape(array))
    return array + draw.multivariate_normal(np.zeros(len(covariance)), covariance, len(array))
