"""Exact privacy losses of multinomial objective perturbation, straight from the change of variables.

A data set is a list of (row x, class, multiplicity). The minimiser W (K columns) of sum m (lse(W^T x) - (W^T x)_y) + ridge |W|^2 / 2 + <B, W> has
density
nu(B(W)) det H(W). The all-ones direction over classes carries no loss, so coordinates are those of an orthonormal basis of its complement: W = U
Q^T, U of shape (d, K - 1). Nothing of the library is used.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats


def complement(classes: int) -> Floats:
    """Orthonormal columns (K, K - 1) orthogonal to the all-ones vector."""
    return np.linalg.qr(np.column_stack((np.ones(classes), np.eye(classes)[:, :-1])))[0][:, 1:]


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """Rows (n, d), classes (n,) and multiplicities (n,)."""

    rows: Floats
    codes: np.ndarray
    counts: Floats
    classes: int

    @classmethod
    def of(cls, classes: int, *records: tuple[tuple[float, ...], int, float]) -> "Labelled":
        """From (row, class, multiplicity) triples."""
        rows, codes, counts = zip(*records, strict=True)
        return cls(rows=np.array(rows, dtype=float), codes=np.array(codes), counts=np.array(counts, dtype=float), classes=classes)


def noise_and_hessians(points: Floats, data: Labelled, ridge: float) -> tuple[Floats, Floats]:
    """B (m, d (K - 1)) and H (m, d (K - 1), d (K - 1)) at points (m, d (K - 1))."""
    q = complement(data.classes)
    d, size = data.rows.shape[1], q.shape[1]
    margins = data.rows @ (points.reshape(len(points), d, size) @ q.T)
    p = np.exp(margins - margins.max(axis=2, keepdims=True))
    p /= p.sum(axis=2, keepdims=True)
    residual = (p - np.eye(data.classes)[data.codes]) * data.counts[:, np.newaxis]
    gradient = (data.rows.T @ residual @ q).reshape(len(points), -1)
    mean = p @ q
    squares = (p @ (q[:, :, np.newaxis] * q[:, np.newaxis]).reshape(data.classes, -1)).reshape(*mean.shape, size)
    inside = (squares - mean[..., np.newaxis] * mean[..., np.newaxis, :]).reshape(*mean.shape[:2], -1)
    rows = (data.counts[:, np.newaxis, np.newaxis] * data.rows[:, :, np.newaxis] * data.rows[:, np.newaxis]).reshape(len(data.rows), -1)
    hessian = (rows.T @ inside).reshape(-1, d, d, size, size).transpose(0, 1, 3, 2, 4).reshape(len(points), d * size, d * size)
    return -(gradient + ridge * points), hessian + ridge * np.eye(points.shape[1])


def minimiser(noise: Floats, data: Labelled, ridge: float) -> Floats:
    """The minimiser for every row of noise, by damped Newton steps; asserts that it solved the equation."""
    points = np.zeros_like(noise)
    b, hessian = noise_and_hessians(points, data, ridge)
    for _ in range(200):
        gap = noise - b
        norms = np.linalg.norm(gap, axis=1)
        if norms.max() < 1e-9 * (1.0 + np.abs(noise).max()):
            return points
        step = -np.linalg.solve(hessian, gap[..., np.newaxis])[..., 0]
        length = np.ones(len(noise))
        for _ in range(40):
            trial, trial_hessian = noise_and_hessians(points + length[:, np.newaxis] * step, data, ridge)
            worse = np.linalg.norm(noise - trial, axis=1) > (1.0 - 1e-4 * length) * norms
            if not worse.any():
                break
            length[worse] *= 0.5
        points, b, hessian = points + length[:, np.newaxis] * step, trial, trial_hessian
    raise AssertionError("the audit's own solver did not converge")


def log_ratios(noise: Floats, first: Labelled, second: Labelled, *, ridge: float, scale: float) -> Floats:
    """ln of the minimiser's density on `first` over that on `second`, where `noise` (m, d (K - 1)) leads on `first`."""
    points = minimiser(noise, first, ridge)
    b, hessian = noise_and_hessians(points, first, ridge)
    other, other_hessian = noise_and_hessians(points, second, ridge)
    logdet = np.linalg.slogdet(hessian)[1] - np.linalg.slogdet(other_hessian)[1]
    return (np.sum(other**2, axis=1) - np.sum(b**2, axis=1)) / (2.0 * scale**2) + logdet


def delta_between(first: Labelled, second: Labelled, *, ridge: float, scale: float, epsilon: float, nodes: int = 101) -> float:
    """The hockey-stick divergence of the minimiser's law on `first` from that on `second`, by quadrature; for d (K - 1) = 2."""
    axis = np.linspace(-8.5, 8.5, nodes)
    mesh = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    weights = np.exp(-0.5 * np.sum(mesh**2, axis=1)) * (axis[1] - axis[0]) ** 2 / (2.0 * np.pi)
    losses = log_ratios(mesh * scale, first, second, ridge=ridge, scale=scale)
    return float(weights @ -np.expm1(np.minimum(epsilon - losses, 0.0)))
