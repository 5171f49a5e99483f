"""The discrete laws by other means than the sampler's, and tests of distribution that a wrong sampler fails.

Probabilities are computed with `decimal` at 60 digits, or in closed form. With the operating system's randomness an honest sampler fails `check`
less than once in 10^9 runs: about forty tests, each at LEVEL, exact ones where few draws are expected.
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from scipy import stats

LEVEL = 1e-11
DRAWS = 1 << 20
BINS = 150
COMMON = 1000
"""Expected draws from which on a chi-square test may be trusted at LEVEL; fewer are tested one by one with their binomial law."""


class Script:
    """A stream that is told its words, and refuses to invent more."""

    def __init__(self, *words):
        self.words = list(words)

    def __call__(self, count):
        assert count <= len(self.words), "more words are asked for than were foreseen"
        taken, self.words = self.words[:count], self.words[count:]
        return np.array(taken, dtype=np.uint64)


def exp_of(x, digits=60):
    """exp(-x) of a rational x, to many digits, as a Fraction (0 beyond x = 5000)."""
    if x > 5000:
        return Fraction(0)
    with localcontext() as context:
        context.prec = digits
        return Fraction((-(Decimal(x.numerator) / Decimal(x.denominator))).exp())


@dataclass(frozen=True)
class Gaussian:
    """P(k) proportional to exp(-k^2 / (2 sigma^2))."""

    sigma: float

    def exponent(self, k):
        return Fraction(k) ** 2 / (2 * Fraction(self.sigma) ** 2)

    def reach(self):
        return int(12 * self.sigma) + 2

    def smooth_cdf(self, k):
        """Sum over i <= k by the midpoint rule: its error is below 0.03 / sigma^2."""
        return stats.norm.cdf((k + 0.5) / self.sigma)


@dataclass(frozen=True)
class Laplace:
    """P(k) proportional to exp(-|k| / scale)."""

    scale: float

    def exponent(self, k):
        return Fraction(abs(k)) / Fraction(self.scale)

    def reach(self):
        return int(60 * self.scale) + 2

    def smooth_cdf(self, k):
        """In closed form: with q = exp(-1 / scale), P(X > k) = q^(k + 1) / (1 + q) for k >= 0."""
        q = np.exp(-1.0 / self.scale)
        k = np.asarray(k, dtype=float)
        beyond = np.exp(-(np.maximum(k, -1.0 - k) + 1.0) / self.scale) / (1.0 + q)
        return np.where(k >= 0, 1.0 - beyond, np.exp(-np.maximum(-k, 0.0) / self.scale) / (1.0 + q))


def spread(law):
    return law.sigma if isinstance(law, Gaussian) else law.scale


def table(law):
    """Integers and their probabilities, by summing the weights (60 digits up to |k| = 400)."""
    reach = law.reach()
    k = np.arange(-reach, reach + 1)
    if reach <= 400:
        weights = [exp_of(law.exponent(i)) for i in range(reach + 1)]
        total = weights[0] + 2 * sum(weights[1:])
        half = np.array([float(weight / total) for weight in weights])
    else:
        half = np.exp(-np.array([float(law.exponent(i)) for i in range(reach + 1)]))
        half /= half[0] + 2.0 * half[1:].sum()
    return k, np.concatenate([half[:0:-1], half])


def cdf_of(law):
    """P(X <= k), for integers k."""
    if law.reach() > 20_000:
        return law.smooth_cdf
    k, p = table(law)
    cumulated = np.concatenate([[0.0], np.cumsum(p)])
    return lambda at: cumulated[np.clip(np.asarray(at) - k[0] + 1, 0, len(p))]


def check(first, second, law):
    """Whether two calls gave independent draws of the law: shape, moments, signs, tails, low digits, no dependence between places or calls."""
    assert first.dtype == second.dtype == np.int64
    cdf, size = cdf_of(law), spread(law)
    _counts(first, cdf, size)
    _kolmogorov(first, cdf)
    _tails(first, cdf, size)
    positive, negative = int((first > 0).sum()), int((first < 0).sum())
    if positive + negative:
        assert _binomial(positive, positive + negative, 0.5) > LEVEL, "the sign is not fair"
    if law.reach() <= 20_000:
        _moments(first, law)
    if size >= 100:
        for modulus in (2, 16, 7):
            assert stats.chisquare(np.bincount(first % modulus, minlength=modulus)).pvalue > LEVEL, "the last digits are not uniform"
    _independent(first, second)


def _counts(sample, cdf, size):
    """Chi-square and G test over bins of about equal probability (single integers where the scale is small)."""
    edges = np.unique(np.round(size * np.concatenate([stats.norm.ppf(np.linspace(0, 1, BINS + 1)[1:-1]), [-4.5, -4, -3.5, 3.5, 4, 4.5]]))).astype(
        np.int64
    )
    p = np.diff(np.concatenate([[0.0], cdf(edges), [1.0]]))
    counts = np.bincount(np.searchsorted(edges, sample, side="left"), minlength=len(p))
    common = p * len(sample) >= COMMON
    for seen, rare in zip(counts[~common], p[~common], strict=True):
        assert _binomial(seen, len(sample), rare) > LEVEL, "the frequency of rare integers is wrong"
    if common.sum() > 1:
        expected = p[common] / p[common].sum() * counts[common].sum()
        for power in ("pearson", "log-likelihood"):
            assert stats.power_divergence(counts[common], expected, lambda_=power).pvalue > LEVEL, "the frequencies are wrong"


def _binomial(seen, count, p):
    """Two-sided, exact."""
    p = min(max(float(p), 0.0), 1.0)
    return min(1.0, 2.0 * min(stats.binom.cdf(seen, count, p), stats.binom.sf(seen - 1, count, p)))


def _kolmogorov(sample, cdf):
    values, counts = np.unique(sample, return_counts=True)
    empirical = np.cumsum(counts) / len(sample)
    theory = cdf(values)
    distance = max(np.abs(empirical - theory).max(), np.abs(np.concatenate([[0.0], empirical[:-1]]) - cdf(values - 1)).max())
    assert distance <= np.sqrt(np.log(2 / LEVEL) / (2 * len(sample))), "the distribution is wrong (Kolmogorov-Smirnov, Massart's bound)"


def _tails(sample, cdf, size):
    for multiple in (3, 4, 5):
        edge = int(np.floor(multiple * size))
        p = float(min(1.0, 2.0 * cdf(np.array([-edge - 1]))[0]))
        seen = int((np.abs(sample) > edge).sum())
        assert _binomial(seen, len(sample), p) > LEVEL, f"the tail beyond {multiple} sigma is wrong"


def _moments(sample, law):
    k, p = table(law)
    for power in (1, 2, 4):
        mean, spare = np.sum(p * np.abs(k) ** float(power)), np.sum(p * np.abs(k) ** (2.0 * power))
        score = (np.mean(np.abs(sample) ** float(power)) - mean) / np.sqrt(max(spare - mean**2, 1e-300) / len(sample))
        if p.max() < 0.99:  # otherwise a handful of non-zero draws are no normal variable
            assert abs(score) < 8, f"moment {power} is wrong"


def _independent(first, second):
    if (first != 0).mean() < 0.01:  # two of a handful of non-zero draws may well be neighbours
        return
    for left, right in [(first[:-1], first[1:]), (first[:-2], first[2:]), (first, second), (first, second[::-1])]:
        for function in (np.asarray, np.abs, lambda k: k % 2):
            x, y = function(left).astype(float), function(right).astype(float)
            if np.ptp(x) and np.ptp(y):
                assert abs(np.corrcoef(x, y)[0, 1]) * np.sqrt(len(x)) < 8, "draws are dependent"
