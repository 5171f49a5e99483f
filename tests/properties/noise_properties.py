"""What every noise source must satisfy, as functions that raise AssertionError.

Each is a test of distribution at level LEVEL: with the operating system's randomness an honest source fails one of them in about ten million
runs of the whole suite, while a scale that is 2 % off fails all but surely (test_noise.py shows it).
"""

import numpy as np
from scipy import stats

LEVEL = 1e-9
"""Probability that one test rejects an honest source."""
DRAWS = 100_000


def check_gaussian(noise, *, scale=3.0, dimension=4):
    """Columns are N(0, scale^2 I): size, shape, mean, no correlation between coordinates, columns or calls."""
    first, second = (noise.gaussian(scale=scale, dimension=dimension, draws=DRAWS) for _ in range(2))
    assert first.shape == (dimension, DRAWS)
    assert first.dtype == np.float64
    standard = first / scale
    assert _two_sided(stats.chi2(standard.size), np.sum(standard**2)) > LEVEL, "the scale is wrong"
    assert _two_sided(stats.norm(scale=np.sqrt(standard.size)), standard.sum()) > LEVEL, "the mean is not zero"
    for coordinate in standard:
        _matches(coordinate, stats.norm.cdf)
    _uncorrelated(first, second)


def check_spherical(noise, *, rate=0.7, dimension=4):
    """Columns have |b| ~ Gamma(d, 1 / rate) and an independent uniform direction."""
    first, second = (noise.spherical(rate=rate, dimension=dimension, draws=DRAWS) for _ in range(2))
    assert first.shape == (dimension, DRAWS)
    assert first.dtype == np.float64
    lengths = np.linalg.norm(first, axis=0)
    assert _two_sided(stats.gamma(dimension * DRAWS), rate * lengths.sum()) > LEVEL, "the rate is wrong"
    _matches(rate * lengths, stats.gamma(dimension).cdf)
    directions = first / lengths
    if dimension > 1:
        for coordinate in directions:
            # A coordinate of a uniform direction: (u + 1) / 2 ~ Beta((d - 1) / 2, (d - 1) / 2).
            _matches(0.5 * (coordinate + 1.0), stats.beta(0.5 * (dimension - 1), 0.5 * (dimension - 1)).cdf)
        _uncorrelated(directions, lengths * second / np.linalg.norm(second, axis=0))
    else:
        heads = int(np.sum(first > 0))
        assert stats.binomtest(heads, DRAWS).pvalue > LEVEL, "the sign is not fair"
    _uncorrelated(first, second)


def _uncorrelated(first, second):
    """Between coordinates, between neighbouring columns, and between calls (also of squares, which sees shared lengths of different signs)."""
    pairs = [(first[:, :-1].ravel(), first[:, 1:].ravel()), (first.ravel(), second.ravel()), (first.ravel(), second[:, ::-1].ravel())]
    pairs += [(first[i], first[j]) for i in range(len(first)) for j in range(i)]
    for left, right in pairs:
        assert stats.pearsonr(left, right).pvalue > LEVEL, "draws are correlated"
    for left, right in pairs[:3]:
        assert stats.spearmanr(np.abs(left), np.abs(right)).pvalue > LEVEL, "sizes of draws are correlated"


def _two_sided(law, observed):
    return 2.0 * min(law.cdf(observed), law.sf(observed))


def _matches(sample, cdf):
    assert stats.kstest(sample, cdf, method="asymp").pvalue > LEVEL, "the distribution is wrong (Kolmogorov-Smirnov)"
