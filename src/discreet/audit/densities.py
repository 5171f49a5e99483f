"""Exact privacy losses of objective and output perturbation in one and two dimensions, straight from the change of variables.

A data set is a list of (signed record v, multiplicity). The minimiser f of sum m l(<v, f>) + sum_j ridge_j f_j^2 / 2 + <b, f> has density
nu(b(f)) det H(f) with b(f) = -(sum m l' v + ridge f) (Chaudhuri, Monteleoni, Sarwate 2011, theorem 9). Nothing of the library's calibration is
used: only the losses' derivatives and numpy.
"""

from dataclasses import dataclass

import numpy as np

from discreet.audit.exact import PrivacyLoss
from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure
from discreet.losses import MarginLoss

_REACH = 9.0
_LONGEST = 45.0


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Signed records as rows, with multiplicities."""

    rows: Floats
    counts: Floats

    @classmethod
    def of(cls, *pairs: tuple[tuple[float, ...], float]) -> "Counted":
        """From ((v_1, ..., v_d), multiplicity) pairs."""
        return cls(rows=np.array([row for row, _ in pairs], dtype=float), counts=np.array([count for _, count in pairs], dtype=float))


def perturbation_and_logdet(points: Floats, records: Counted, loss: MarginLoss, ridge: Floats) -> tuple[Floats, Floats]:
    """b(f) as (m, d) and ln det H(f) as (m,), at f = points (m, d)."""
    margins = points @ records.rows.T
    slopes = loss.slope(margins) * records.counts
    b = -(slopes @ records.rows + points * ridge)
    return b, np.linalg.slogdet(_hessians(margins, records, loss, ridge))[1]


def _hessians(margins: Floats, records: Counted, loss: MarginLoss, ridge: Floats) -> Floats:
    bends = loss.curvature(margins) * records.counts
    return np.asarray(np.einsum("mn,ni,nj->mij", bends, records.rows, records.rows) + np.diag(ridge))


def minimiser(b: Floats, records: Counted, loss: MarginLoss, ridge: Floats) -> Floats:
    """f(b) for every row of b, by damped Newton steps on the gradient; raises SolverFailure unless it solved the equation."""
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
    raise SolverFailure("the audit's own solver did not converge on this pair of tables.")


def gaussian_losses(first: Counted, second: Counted, *, loss: MarginLoss, ridge: Floats, scale: float, nodes: int = 161) -> PrivacyLoss:
    """The loss of the minimiser on `first` over `second`, at nodes of a quadrature over b ~ N(0, scale^2 I) under `first`; d = 1 or 2."""
    dimension = first.rows.shape[1]
    axis = np.linspace(-_REACH, _REACH, nodes if dimension > 1 else 60 * nodes)
    mesh = np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    masses = np.exp(-0.5 * np.sum(mesh**2, axis=1)) * ((axis[1] - axis[0]) / np.sqrt(2.0 * np.pi)) ** dimension
    f = minimiser(mesh * scale, first, loss, ridge)
    b, logdet = perturbation_and_logdet(f, first, loss, ridge)
    other, other_logdet = perturbation_and_logdet(f, second, loss, ridge)
    losses = (np.sum(other**2, axis=1) - np.sum(b**2, axis=1)) / (2.0 * scale**2) + logdet - other_logdet
    return PrivacyLoss(masses=masses, losses=losses)


def spherical_log_ratios(first: Counted, second: Counted, points: Floats, *, loss: MarginLoss, ridge: Floats, rate: float) -> Floats:
    """ln of the density on `first` over that on `second` at the given points, b of density proportional to exp(-rate |b|)."""
    b, logdet = perturbation_and_logdet(points, first, loss, ridge)
    other, other_logdet = perturbation_and_logdet(points, second, loss, ridge)
    return np.asarray(rate * (np.linalg.norm(other, axis=1) - np.linalg.norm(b, axis=1)) + logdet - other_logdet)


def spherical_losses(first: Counted, second: Counted, *, loss: MarginLoss, ridge: Floats, rate: float, nodes: int = 4_001) -> PrivacyLoss:
    """The loss of the minimiser on `first` over `second` for b of density proportional to exp(-rate |b|), in one or two dimensions.

    Nodes in one dimension are equal steps of b; in two of its length and its angle. Masses are normalised; the sup over the nodes is what counts.
    """
    dimension = first.rows.shape[1]
    if dimension == 1:
        b = np.linspace(-_LONGEST, _LONGEST, nodes)[:, np.newaxis] / rate
        masses = np.exp(-rate * np.abs(b[:, 0]))
    else:
        across = int(np.sqrt(nodes))
        lengths, angles = np.linspace(_LONGEST / across, _LONGEST, across) / rate, np.linspace(0.0, 2.0 * np.pi, across, endpoint=False)
        radius, angle = (part.ravel() for part in np.meshgrid(lengths, angles, indexing="ij"))
        b = np.column_stack((radius * np.cos(angle), radius * np.sin(angle)))
        masses = radius * np.exp(-rate * radius)
    points = minimiser(b, first, loss, ridge)
    return PrivacyLoss(masses=masses / masses.sum(), losses=spherical_log_ratios(first, second, points, loss=loss, ridge=ridge, rate=rate))


def shifted_gaussian(shift: float, *, nodes: int = 8_001) -> PrivacyLoss:
    """N(shift, 1) against N(0, 1)."""
    x = np.linspace(-_REACH, _REACH, nodes)
    masses = np.exp(-0.5 * x**2)
    return PrivacyLoss(masses=masses / masses.sum(), losses=x * shift + 0.5 * shift**2)


def shifted_spherical(shift: float, *, nodes: int = 8_001) -> PrivacyLoss:
    """Density proportional to exp(-|x - shift|) against exp(-|x|) along the line of the shift: the largest loss is `shift` in every dimension."""
    x = np.linspace(-_LONGEST, _LONGEST, nodes)
    masses = np.exp(-np.abs(x))
    return PrivacyLoss(masses=masses / masses.sum(), losses=np.abs(x + shift) - np.abs(x))
