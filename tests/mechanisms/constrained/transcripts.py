"""Exact privacy of whole transcripts, for audits: the hockey-stick divergence of what an adversary sees who watches every step."""

import numpy as np
from scipy.signal import fftconvolve
from scipy.stats import binom


def two_outcomes(odds, other_odds, steps, epsilon):
    """sum over transcripts of (P - e^epsilon P')_+ for `steps` independent choices of two outcomes with these odds under D and D'."""
    ones = np.arange(steps + 1)
    log_p = np.array([odds, other_odds])[:, np.newaxis] * 1.0
    p, q = 1.0 / (1.0 + np.exp(-log_p[0])), 1.0 / (1.0 + np.exp(-log_p[1]))
    return float(np.maximum(0.0, binom.pmf(ones, steps, p) - np.exp(epsilon) * binom.pmf(ones, steps, q)).sum())


def both_ways(odds, other_odds, steps, epsilon):
    """The larger of the divergences in the two orders."""
    return max(two_outcomes(odds, other_odds, steps, epsilon), two_outcomes(other_odds, odds, steps, epsilon))


def laplace_noisy_min(gap, scale):
    """ln P / (1 - P), P = P(Lap - Lap' > -gap), of choosing between two scores that are `gap` apart, each with Laplace noise of `scale`."""
    shift = abs(gap) / scale
    wrong = 0.5 * np.exp(-shift) * (1.0 + 0.5 * shift)
    return float(np.sign(gap) * (np.log1p(-wrong) - np.log(wrong)))


def discrete_gaussians(shift, scale, steps, epsilon):
    """delta(epsilon) of `steps` integers k_t + K_t, K_t discrete Gaussian of `scale`, where all k_t differ by `shift` between D and D'.

    The loss of a transcript is a function of the sum of the integers: sum_t (2 K_t shift + shift^2) / (2 scale^2) under D, with the law of the sum by
    convolution.
    """
    reach = int(9.5 * scale) + 2
    k = np.arange(-reach, reach + 1)
    law = np.exp(-0.5 * np.square(k / scale))
    law /= law.sum()
    total = law
    for _ in range(steps - 1):
        total = np.maximum(fftconvolve(total, law), 0.0)
    sums = np.arange(len(total)) - (len(total) - 1) // 2
    losses = (2.0 * sums * shift + steps * shift**2) / (2.0 * scale**2)
    return float(total @ np.maximum(0.0, -np.expm1(np.minimum(epsilon - losses, 0.0))))
