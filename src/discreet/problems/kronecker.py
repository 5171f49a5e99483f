"""A stand-in for the inverse Hessian of the multinomial objective, from which conjugate gradients start.

    (A (x) M + ridge I)^{-1},    A = the mean of S(p_i) (K, K),   M = sum_i c_i x_i x_i^T (d, d)

Both are diagonalised, M once for all points, so that it is applied by products with matrices of eigenvectors.
"""

from collections.abc import Callable

import numpy as np

from discreet.core.arrays import Floats

KRONECKER_LIMIT = 1500
"""Widest table whose Gram matrix is formed and diagonalised."""


def spectrum(gram: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues (d,), those below 0 by rounding raised to it, and eigenvectors (d, d) of M."""
    values, vectors = np.linalg.eigh(gram)
    return np.maximum(values, 0.0), vectors


def kronecker_inverse(spread: Floats, moments: tuple[Floats, Floats], ridge: float) -> Callable[[Floats], Floats]:
    """The inverse applied to vectors (K d,), for A = `spread` and the spectrum of M."""
    across, turn = np.linalg.eigh(spread)
    along, axes = moments
    scale = 1.0 / (np.outer(np.maximum(across, 0.0), along) + ridge)

    def apply(vector: Floats) -> Floats:
        turned = turn.T @ vector.reshape(len(spread), -1) @ axes
        result: Floats = (turn @ (turned * scale) @ axes.T).ravel()
        return result

    return apply
