"""How well an adversary reconstructs a record from noisy features, next to the number that is printed for it.

Released is x + e, e ~ N(0, Sigma). Squared errors are weighted by Pi: E (x - guess)' Pi (x - guess).

    cramer_rao_error      Tr(Pi Sigma)                            unbiased estimators only: the release itself
    prior_mean_error      Tr(Pi S)                                guess the mean of what is known (of the class, say) and ignore the release
    linear_bayes_error    Tr(Pi (S - S (S + Sigma)^{-1} S))       the best linear guess, for a prior of covariance S
    box_centre_error      sum_j Pi_jj (range_j / 2)^2             at most this, for any record of a known box, by guessing its middle

The first is what Farokhi (2020, proposition 2.2, with Pi^{1/2} for Pi) minimises against, and no adversary is bound by it: the others are always
within reach of somebody who knows the mean and covariance of the population. The third is the least mean squared error of all estimators where the
prior is normal (then equal to van Trees' bound Tr(Pi (S^{-1} + Sigma^{-1})^{-1})), and of linear ones for any prior. `class_mean_error` averages the
second over classes: what labels in clear give away.
"""

from collections.abc import Sequence

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput


def linear_bayes_error(prior: Floats, noise: Floats, *, weights: Floats | None = None) -> float:
    """The squared error of the best linear guess, for covariances (d, d) of the records and of the noise."""
    first = _covariance(prior, "prior")
    second, matrix = _covariance(noise, "noise", len(first)), _weights(weights, len(first))
    explained = first @ np.linalg.pinv(first + second, hermitian=True) @ first
    return max(0.0, float(np.trace(matrix @ (first - explained))))


def cramer_rao_error(noise: Floats, *, weights: Floats | None = None) -> float:
    """Tr(Pi Sigma), for unbiased estimators only."""
    matrix = _covariance(noise, "noise")
    return float(np.trace(_weights(weights, len(matrix)) @ matrix))


def prior_mean_error(prior: Floats, *, weights: Floats | None = None) -> float:
    """Tr(Pi S): a guess that ignores the release."""
    matrix = _covariance(prior, "prior")
    return float(np.trace(_weights(weights, len(matrix)) @ matrix))


def class_mean_error(priors: Sequence[Floats], shares: Sequence[float], *, weights: Floats | None = None) -> float:
    """The mean over classes, of these covariances (d, d) and shares (which add up to 1), of guessing the class's mean."""
    if len(priors) != len(shares) or not priors or any(share < 0 for share in shares) or not abs(sum(shares) - 1.0) < 1e-9:
        raise InvalidInput("class_mean_error needs a covariance for every class, and shares of at least 0 that add up to 1.")
    return sum(share * prior_mean_error(prior, weights=weights) for prior, share in zip(priors, shares, strict=True))


def box_centre_error(ranges: Floats, *, weights: Floats | None = None) -> float:
    """What guessing the middle of a box of these side lengths (d,) costs at most."""
    sides = np.asarray(ranges, dtype=np.float64)
    if sides.ndim != 1 or not np.all(np.isfinite(sides)) or np.any(sides < 0):
        raise InvalidInput("ranges must be finite side lengths of at least 0, one a feature.")
    return float(0.25 * sides @ np.abs(_weights(weights, len(sides))) @ sides)


def _weights(weights: Floats | None, size: int) -> Floats:
    if weights is None:
        return np.eye(size)
    given = np.asarray(weights, dtype=np.float64)
    return _covariance(np.diag(given) if given.ndim == 1 else given, "weights", size)


def _covariance(matrix: Floats, name: str, size: int | None = None) -> Floats:
    given = np.asarray(matrix, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or size not in {None, len(given)} or not np.all(np.isfinite(given)):
        raise InvalidInput(f"{name} must be a square matrix of finite numbers{'' if size is None else f' with {size} rows'}.")
    if not np.allclose(given, given.T, rtol=1e-9) or np.linalg.eigvalsh(given)[0] < -1e-9 * max(float(np.trace(given)), 1e-300):
        raise InvalidInput(f"{name} must be symmetric without negative eigenvalues.")
    return 0.5 * (given + given.T)
