"""Exact privacy of whole transcripts, for audits: the hockey-stick divergence of what an adversary sees who watches every step."""

import numpy as np

from discreet.audit.exact import gaussian_integers
from discreet.audit.exact import two_outcomes as choices


def two_outcomes(odds, other_odds, steps, epsilon):
    """sum over transcripts of (P - e^epsilon P')_+ for `steps` independent choices of two outcomes with these odds under D and D'."""
    return choices(odds, other_odds, steps).delta(epsilon)


def both_ways(odds, other_odds, steps, epsilon):
    """The larger of the divergences in the two orders."""
    return max(two_outcomes(odds, other_odds, steps, epsilon), two_outcomes(other_odds, odds, steps, epsilon))


def laplace_noisy_min(gap, scale):
    """ln P / (1 - P), P = P(Lap - Lap' > -gap), of choosing between two scores that are `gap` apart, each with Laplace noise of `scale`."""
    shift = abs(gap) / scale
    wrong = 0.5 * np.exp(-shift) * (1.0 + 0.5 * shift)
    return float(np.sign(gap) * (np.log1p(-wrong) - np.log(wrong)))


def discrete_gaussians(shift, scale, steps, epsilon):
    """delta(epsilon) of `steps` integers k_t + K_t, K_t discrete Gaussian of `scale`, where all k_t differ by `shift` between D and D'."""
    return gaussian_integers(shift, scale, times=steps).delta(epsilon)
