"""Exact laws of integers, choices, transcripts and sketches: the privacy losses of everything here that has a discrete or a chi-square law.

counts          k + K, K discrete Laplace or Gaussian, in several places at once
a choice        P(i) proportional to exp(-rate z_i)
a transcript    what an adversary sees who watches every step of a Frank-Wolfe or mirror walk: choices of vertices, noisy gradients
a sketch        k rows N(0, 1 + h) against k rows N(0, 1), or N(0, diag(1 + h, 1)) against N(0, diag(1, 1 + h))
"""

import numpy as np
from scipy.signal import fftconvolve
from scipy.stats import binom

from discreet.audit.exact import PrivacyLoss
from discreet.core.arrays import Floats

_GAUSSIAN_REACH = 9.5
_LAPLACE_REACH = 40.0


def discrete_gaussian_law(scale: float) -> tuple[Floats, Floats]:
    """Integers and their probabilities, P(k) proportional to exp(-k^2 / (2 scale^2))."""
    reach = int(_GAUSSIAN_REACH * scale) + 2
    k = np.arange(-reach, reach + 1, dtype=float)
    masses = np.exp(-0.5 * np.square(k / scale))
    return k, masses / masses.sum()


def discrete_laplace_law(scale: float) -> tuple[Floats, Floats]:
    """Integers and their probabilities, P(k) proportional to exp(-|k| / scale)."""
    reach = int(_LAPLACE_REACH * scale) + 2
    k = np.arange(-reach, reach + 1, dtype=float)
    masses = np.exp(-np.abs(k) / scale)
    return k, masses / masses.sum()


def gaussian_integers(shift: float, scale: float, *, times: int = 1) -> PrivacyLoss:
    """`times` integers k_t + K_t, K_t discrete Gaussian, where all k_t differ by `shift` between P and P'.

    The loss is a function of the sum of the integers: sum_t (2 K_t shift + shift^2) / (2 scale^2) under P, with the law of the sum by convolution.
    """
    _, law = discrete_gaussian_law(scale)
    total = law
    for _ in range(times - 1):
        total = np.maximum(fftconvolve(total, law), 0.0)
    sums = np.arange(len(total)) - (len(total) - 1) // 2
    return PrivacyLoss(masses=total, losses=np.asarray((2.0 * sums * shift + times * shift**2) / (2.0 * scale**2)))


def laplace_integers(shifts: tuple[int, ...], scale: float) -> PrivacyLoss:
    """Integers k_j + K_j, K_j discrete Laplace, where k_j differs by shifts[j] between P and P'."""
    masses, losses = np.ones(1), np.zeros(1)
    k, law = discrete_laplace_law(scale)
    for shift in shifts:
        one = (np.abs(k + shift) - np.abs(k)) / scale
        levels, place = np.unique(np.round(one, 12), return_inverse=True)  # few different losses, many integers
        of_level = np.bincount(place.ravel(), weights=law)
        masses, losses = np.outer(masses, of_level).ravel(), (losses[:, np.newaxis] + levels).ravel()
    return PrivacyLoss(masses=masses, losses=losses)


def choice(scores: Floats, other_scores: Floats, rate: float) -> PrivacyLoss:
    """One index, drawn with probability proportional to exp(-rate score)."""
    here, there = (np.exp(-rate * (np.asarray(z, dtype=float) - np.min(z))) for z in (scores, other_scores))
    return PrivacyLoss.of_masses(here / here.sum(), there / there.sum())


def two_outcomes(odds: float, other_odds: float, steps: int) -> PrivacyLoss:
    """`steps` independent choices of two outcomes with these log odds under P and P'."""
    ones = np.arange(steps + 1)
    p, q = 1.0 / (1.0 + np.exp(-odds)), 1.0 / (1.0 + np.exp(-other_odds))
    here = binom.pmf(ones, steps, p)
    seen = here > 0
    losses = binom.logpmf(ones, steps, p) - binom.logpmf(ones, steps, q)
    return PrivacyLoss(masses=here[seen], losses=losses[seen])


def sketch(rows: int, ratio: float, *, removed: bool, nodes: int = 20_001) -> tuple[PrivacyLoss, PrivacyLoss]:
    """The loss of a Gaussian sketch in both orders: |z|^2 / beta = `ratio` is what one record adds to the variance along it.

    `removed`: the record is there or not; otherwise it is replaced by one at a right angle. Quadrature over chi_k, in two dimensions for the latter.
    """
    if removed:
        radius, masses = _chi(rows, nodes)
        total = 0.5 * rows * np.log1p(ratio)
        squares = np.square(radius)
        return (
            PrivacyLoss(masses=masses, losses=0.5 * ratio * squares - total),
            PrivacyLoss(masses=masses, losses=total - 0.5 * ratio / (1.0 + ratio) * squares),
        )
    radius, masses = _chi(rows, 701)
    squares = np.square(radius)
    gain = 0.5 * ratio / (1.0 + ratio)
    losses = gain * ((1.0 + ratio) * squares[:, np.newaxis] - squares)
    one = PrivacyLoss(masses=np.outer(masses, masses).ravel(), losses=losses.ravel())
    return one, one


def _chi(degrees: int, nodes: int) -> tuple[Floats, Floats]:
    """Nodes and masses of the length of a standard Gaussian vector."""
    radius = np.linspace(max(1e-6, np.sqrt(max(degrees - 1.0, 0.0)) - _GAUSSIAN_REACH), np.sqrt(degrees) + _GAUSSIAN_REACH, nodes)
    logs = (degrees - 1.0) * np.log(radius) - 0.5 * np.square(radius)
    masses = np.exp(logs - logs.max())
    return radius, masses / masses.sum()
