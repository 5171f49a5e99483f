"""Noise by Fisher information against a general cost of learning: the extension of Farokhi (2020), section 2.4, solved.

A learner minimises a fitness l(phi; x_1, .., x_n) that is twice continuously differentiable. Noise e_i on the records moves its minimiser by

    J_1 e_1 + .. + J_n e_n + higher orders,     J_i = -(D^2_phi l)^{-1} D^2_{phi x_i} l           (implicit function theorem)

so for independent noise of covariance V a quadratic cost of that move, with weights M, is E = Tr(Q V), Q = sum_i J_i' M J_i, to second order in the
noise. The paper's proposition 2.11 has a constant c that exists and is not stated; its cost Tr(V) is Q = I, whatever is learnt. With Q

    minimise  Tr(Pi^{-1} I) + level Tr(Q V)   over laws of noise      at   N(0, V),  V = (Pi^{-1} # Q^{-1}) / sqrt(level)     `shaped_covariance`

A # B = A^{1/2} (A^{-1/2} B A^{-1/2})^{1/2} A^{1/2} the geometric mean: I >= V^{-1} with equality for normal laws, and V^{-1} Pi^{-1} V^{-1} = level Q
is where the derivative vanishes; the objective is convex in V. Q = I is theorem 2.4. Under a budget of information instead of a level,

    minimise  Tr(Q V)   subject to  Tr(Pi^{-1} V^{-1}) <= budget     at the V with sqrt(level) = budget / Tr(Pi^{-1} (Pi # Q)): `cheapest_covariance`

Q of the private records is itself private: use one from public or released data. Nothing here is a privacy guarantee: the information bounds unbiased
estimators (module `reconstruction`); for (epsilon, delta) give weights V^{-2} to the query `WeightedRows`, whose noise is then of this shape.
"""

import math

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import positive


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


def _positive(matrix: Floats, name: str, size: int | None = None) -> Floats:
    given = np.asarray(matrix, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or size not in {None, len(given)} or not np.all(np.isfinite(given)):
        raise InvalidInput(f"{name} must be a square matrix of finite numbers{'' if size is None else f' with {size} rows'}.")
    if not np.allclose(given, given.T, rtol=1e-9) or not np.linalg.eigvalsh(given)[0] > 0:
        raise InvalidInput(f"{name} must be symmetric and positive definite.")
    return 0.5 * (given + given.T)
