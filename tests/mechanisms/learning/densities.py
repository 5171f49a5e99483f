"""Exact privacy losses of objective perturbation in one and two dimensions, straight from the change of variables.

A data set is a list of (signed record v, multiplicity). The minimiser f of sum m l(<v, f>) + sum_j ridge_j f_j^2 / 2 + <b, f> has density
nu(b(f)) det H(f) with b(f) = -(sum m l' v + ridge f). Nothing of the library's calibration is used: only the losses' derivatives and numpy.
"""

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats
from discreet.losses import MarginLoss


@dataclass(frozen=True, kw_only=True)
class Records:
    """Signed records as rows, with multiplicities."""

    rows: Floats
    counts: Floats

    @classmethod
    def of(cls, *pairs: tuple[tuple[float, ...], float]) -> "Records":
        """From ((v_1, ..., v_d), multiplicity) pairs."""
        return cls(rows=np.array([row for row, _ in pairs], dtype=float), counts=np.array([count for _, count in pairs], dtype=float))


def perturbation_and_logdet(points: Floats, records: Records, loss: MarginLoss, ridge: Floats) -> tuple[Floats, Floats]:
    """b(f) as (m, d) and ln det H(f) as (m,), at f = points (m, d)."""
    margins = points @ records.rows.T
    slopes = loss.slope(margins) * records.counts
    b = -(slopes @ records.rows + points * ridge)
    return b, np.linalg.slogdet(_hessians(margins, records, loss, ridge))[1]


def _hessians(margins: Floats, records: Records, loss: MarginLoss, ridge: Floats) -> Floats:
    bends = loss.curvature(margins) * records.counts
    return np.einsum("mn,ni,nj->mij", bends, records.rows, records.rows) + np.diag(ridge)


def minimiser(b: Floats, records: Records, loss: MarginLoss, ridge: Floats) -> Floats:
    """f(b) for every row of b, by damped Newton steps on the gradient; asserts that it solved the equation."""
    f = np.zeros_like(b)

    def residual(points: Floats) -> Floats:
        return b - perturbation_and_logdet(points, records, loss, ridge)[0]

    gap = residual(f)
    for _ in range(300):
        norms = np.linalg.norm(gap, axis=1)
        if norms.max() < 1e-9 * (1.0 + np.abs(b).max()):
            return f
        step = -np.linalg.solve(_hessians(f @ records.rows.T, records, loss, ridge), gap[..., np.newaxis])[..., 0]
        length = np.ones(len(b))
        for _ in range(40):
            trial = residual(f + length[:, np.newaxis] * step)
            worse = np.linalg.norm(trial, axis=1) > (1.0 - 1e-4 * length) * norms
            if not worse.any():
                break
            length[worse] *= 0.5
        f = f + length[:, np.newaxis] * step
        gap = residual(f)
    raise AssertionError("the audit's own solver did not converge")


def gaussian_delta_between(
    first: Records, second: Records, *, loss: MarginLoss, ridge: Floats, scale: float, epsilon: float, nodes: int = 161
) -> float:
    """The hockey-stick divergence of the minimiser's law on `first` from that on `second`, by quadrature over b ~ N(0, scale^2 I) under `first`."""
    dimension = first.rows.shape[1]
    axis = np.linspace(-9.0, 9.0, nodes if dimension > 1 else 60 * nodes)
    mesh = np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    weights = np.exp(-0.5 * np.sum(mesh**2, axis=1)) * ((axis[1] - axis[0]) / np.sqrt(2.0 * np.pi)) ** dimension
    b = mesh * scale
    f = minimiser(b, first, loss, ridge)
    b, logdet = perturbation_and_logdet(f, first, loss, ridge)
    other, other_logdet = perturbation_and_logdet(f, second, loss, ridge)
    log_ratio = (np.sum(other**2, axis=1) - np.sum(b**2, axis=1)) / (2.0 * scale**2) + logdet - other_logdet
    return float(weights @ -np.expm1(np.minimum(epsilon - log_ratio, 0.0)))


def spherical_log_ratios(first: Records, second: Records, points: Floats, *, loss: MarginLoss, ridge: Floats, rate: float) -> Floats:
    """ln of the density on `first` over that on `second` at the given points, b of density proportional to exp(-rate |b|)."""
    b, logdet = perturbation_and_logdet(points, first, loss, ridge)
    other, other_logdet = perturbation_and_logdet(points, second, loss, ridge)
    return rate * (np.linalg.norm(other, axis=1) - np.linalg.norm(b, axis=1)) + logdet - other_logdet
