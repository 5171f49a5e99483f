"""Noise by Fisher information: how well an adversary reconstructs a record from noisy features, and what that noise costs a learner.

Reconstruction, next to the number that is printed for it. Released is x + e, e ~ N(0, Sigma). Squared errors are weighted by Pi: E (x - guess)' Pi (x
- guess).

    cramer_rao_error      Tr(Pi Sigma)                            unbiased estimators only: the release itself
    prior_mean_error      Tr(Pi S)                                guess the mean of what is known (of the class, say) and ignore the release
    linear_bayes_error    Tr(Pi (S - S (S + Sigma)^{-1} S))       the best linear guess, for a prior of covariance S
    box_centre_error      sum_j Pi_jj (range_j / 2)^2             at most this, for any record of a known box, by guessing its middle

The first is what Farokhi (2020, proposition 2.2, with Pi^{1/2} for Pi) minimises against, and no adversary is bound by it: the others are always
within reach of somebody who knows the mean and covariance of the population. The third is the least mean squared error of all estimators where the
prior is normal (then equal to van Trees' bound Tr(Pi (S^{-1} + Sigma^{-1})^{-1})), and of linear ones for any prior. `class_mean_error` averages the
second over classes: what labels in clear give away.

Noise against a general cost of learning: the extension of Farokhi (2020), section 2.4, solved. A learner minimises a fitness l(phi; x_1, .., x_n)
that is twice continuously differentiable. Noise e_i on the records moves its minimiser by

    J_1 e_1 + .. + J_n e_n + higher orders,     J_i = -(D^2_phi l)^{-1} D^2_{phi x_i} l           (implicit function theorem)

so for independent noise of covariance V a quadratic cost of that move, with weights M, is E = Tr(Q V), Q = sum_i J_i' M J_i, to second order in the
noise. The paper's proposition 2.11 has a constant c that exists and is not stated; its cost Tr(V) is Q = I, whatever is learnt. With Q

    minimise  Tr(Pi^{-1} I) + level Tr(Q V)   over laws of noise      at   N(0, V),  V = (Pi^{-1} # Q^{-1}) / sqrt(level)     `shaped_covariance`

A # B = A^{1/2} (A^{-1/2} B A^{-1/2})^{1/2} A^{1/2} the geometric mean: I >= V^{-1} with equality for normal laws, and V^{-1} Pi^{-1} V^{-1} = level Q
is where the derivative vanishes; the objective is convex in V. Q = I is theorem 2.4. Under a budget of information instead of a level,

    minimise  Tr(Q V)   subject to  Tr(Pi^{-1} V^{-1}) <= budget     at the V with sqrt(level) = budget / Tr(Pi^{-1} (Pi # Q)): `cheapest_covariance`

Q of the private records is itself private: use one from public or released data. Nothing here is a privacy guarantee: the information bounds unbiased
estimators (`cramer_rao_error`); for (epsilon, delta) give weights V^{-2} to the query `WeightedRows`, whose noise is then of this shape.
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import positive


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
        raise InvalidInput("ranges must be finite side lengths of at least 0, one per feature.")
    return float(0.25 * sides @ np.abs(_weights(weights, len(sides))) @ sides)


def _weights(weights: Floats | None, size: int) -> Floats:
    if weights is None:
        return np.eye(size)
    given = np.asarray(weights, dtype=np.float64)
    return _covariance(np.diag(given) if given.ndim == 1 else given, "weights", size)


def _covariance(matrix: Floats, name: str, size: int | None = None, *, definite: bool = False) -> Floats:
    given = np.asarray(matrix, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or size not in {None, len(given)} or not np.all(np.isfinite(given)):
        raise InvalidInput(f"{name} must be a square matrix of finite numbers{'' if size is None else f' with {size} rows'}.")
    least = np.linalg.eigvalsh(given)[0] if np.allclose(given, given.T, rtol=1e-9) else -np.inf
    if definite and not least > 0:
        raise InvalidInput(f"{name} must be symmetric and positive definite.")
    if least < -1e-9 * max(float(np.trace(given)), 1e-300):
        raise InvalidInput(f"{name} must be symmetric without negative eigenvalues.")
    return 0.5 * (given + given.T)


_positive = partial(_covariance, definite=True)


def learning_cost(hessian: Floats, mixed: Floats, *, weights: Floats | None = None) -> Floats:
    """Q, (d, d): `hessian` (p, p) of the fitness in phi, `mixed` (n, p, d) its mixed derivatives with each record, `weights` M (p, p), None for I."""
    outer, inner = _positive(hessian, "hessian"), np.asarray(mixed, dtype=np.float64)
    if inner.ndim != 3 or inner.shape[1] != len(outer) or not np.all(np.isfinite(inner)):
        raise InvalidInput(f"mixed must hold a ({len(outer)}, d) matrix for every record; shape {inner.shape} was given.")
    inverse = np.linalg.inv(outer)
    middle = inverse if weights is None else inverse @ _positive(weights, "weights", len(outer))
    square = middle @ inverse
    cost: Floats = np.einsum("ipd,pq,iqe->de", inner, square, inner)
    return 0.5 * (cost + cost.T)


def shaped_covariance(*, weights: Floats, cost: Floats, level: float) -> Floats:
    """V, (d, d), for weights Pi of the information and Q of the cost, both positive definite, and the level between them."""
    positive(level, "level")
    first = _positive(weights, "weights")
    return geometric_mean(_power(first, -1.0), _power(_positive(cost, "cost", len(first)), -1.0)) / math.sqrt(level)


def cheapest_covariance(*, weights: Floats, cost: Floats, budget: float) -> Floats:
    """V, (d, d), of the least cost Tr(Q V) among those with Tr(Pi^{-1} V^{-1}) <= budget."""
    positive(budget, "budget")
    shape = shaped_covariance(weights=weights, cost=cost, level=1.0)
    information = float(np.trace(np.linalg.solve(np.asarray(weights, dtype=np.float64), np.linalg.inv(shape))))
    return shape * (information / budget)


def shaped_value(*, weights: Floats, cost: Floats, level: float) -> float:
    """The optimum, 2 sqrt(level) Tr((Pi^{-1/2} Q Pi^{-1/2})^{1/2}); 2 sqrt(level) Tr(Pi^{-1/2}) for Q = I."""
    positive(level, "level")
    root = _power(_positive(weights, "weights"), -0.5)
    inner = np.linalg.eigvalsh(root @ _positive(cost, "cost", len(root)) @ root)
    return 2.0 * math.sqrt(level) * float(np.sum(np.sqrt(np.maximum(inner, 0.0))))


def moved_probability(*, covariance: Floats, cost: Floats, distance: float) -> float:
    """A bound of P(the minimiser moves by more than `distance`), to first order: Tr(Q V) / distance^2 (Chebyshev); at most 1."""
    positive(distance, "distance")
    first = _positive(covariance, "covariance")
    second = np.asarray(cost, dtype=np.float64)
    if second.shape != first.shape:
        raise InvalidInput("covariance and cost must have the same shape.")
    return min(1.0, float(np.trace(second @ first)) / distance**2)


def geometric_mean(first: Floats, second: Floats) -> Floats:
    """A # B of two positive definite matrices."""
    root, back = _power(_positive(first, "first"), 0.5), _power(_positive(first, "first"), -0.5)
    mean: Floats = root @ _power(back @ _positive(second, "second", len(root)) @ back, 0.5) @ root
    return 0.5 * (mean + mean.T)


def _power(matrix: Floats, power: float) -> Floats:
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return np.asarray((vectors * values**power) @ vectors.T)
