"""Exact privacy losses of objective and output perturbation in one and two dimensions, straight from the change of variables.

A data set is a list of (signed record v, multiplicity). The minimiser f of sum m l(<v, f>) + sum_j ridge_j f_j^2 / 2 + <b, f> has density
nu(b(f)) det H(f) with b(f) = -(sum m l' v + ridge f) (Chaudhuri, Monteleoni, Sarwate 2011, theorem 9). Nothing of the library's calibration is
used: only the losses' derivatives and numpy.

Worst neighbouring tables of linear models, as signed records v = y x with multiplicities.

alone      nothing, and one record v of the largest norm
pulled     others at -v: the minimiser lies where the record's slope is largest, and the others' curvature with it
far        very many very short others, which pull the minimiser as far to the other side as one likes with next to no curvature: the record moves
           the gradient by its whole bound, and nothing damps it; the pair that output perturbation is calibrated for
turned     replace-one: two records in nearly opposite directions (cos t, sin t) and (-cos t, sin t), the others far along -(0, 1), so that both
           have their largest slope at once. The slopes of *exactly* opposite records add up to one bound only: such an audit sees no missing
           factor 2
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from discreet.audit.exact import PrivacyLoss
from discreet.audit.persons import WorstPerson, directions
from discreet.core.arrays import Floats
from discreet.core.errors import SolverFailure
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.losses import MarginLoss

_REACH = 9.0
_LONGEST = 45.0
_SHORT, _MARGIN, _ANGLE = 0.001, 12.0, 0.15
"""Of pairs: length of short records, margins to which others pull the minimiser, and the angle of turned ones."""
Rows: TypeAlias = Sequence[tuple[tuple[float, ...], float]]
"""Signed records with multiplicities."""


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
    squares = records.rows[:, :, np.newaxis] * records.rows[:, np.newaxis]
    return np.asarray((bends @ squares.reshape(len(squares), -1)).reshape(-1, *squares.shape[1:]) + np.diag(ridge))


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


class Pair(NamedTuple):
    """Two neighbouring tables of signed records, and what they are in words."""

    first: Counted
    second: Counted
    words: str


def worst_pairs(*, radius: float, ridge: float, neighbours: Neighbours, spread: float = 0.0, person: WorstPerson | None = None) -> tuple[Pair, ...]:
    """The pairs above for rows of norm at most `radius` and lambda = `ridge`; `spread` is how far noise moves margins, which others must outweigh.

    In the place of the record are the rows of `person` that are kept, which share its weight.
    """
    angles, whom = (np.zeros(1), "one record") if person is None else (person.kept, person.words)
    margin = _MARGIN + 6.0 * spread
    if neighbours is ADD_REMOVE:
        flat = not np.any(directions(angles)[:, 1])
        owned = _shared(radius * directions(angles)[:, : 1 if flat else 2])
        return tuple(
            Pair(_counted(others, owned), _counted(others or [((radius,), 0.0)], _without(owned)), f"{words}, and {whom} more at +R")
            for others, words in _others(radius, ridge, margin)
        )
    along = _far_count(radius, ridge, margin / np.sin(_ANGLE))
    others = [((0.0, -_SHORT * radius), along)]
    here = radius * directions(angles, turned=_ANGLE)
    alone = radius * directions(angles)
    return (
        Pair(
            _counted(others, _shared(here)),
            _counted(others, _shared(here * (-1.0, 1.0))),
            f"{along:g} records at (0, -{_SHORT:g} R), and {whom} of norm R at a right angle to them replaced by the nearly opposite one",
        ),
        Pair(_counted([], _shared(alone)), _counted([], _shared(-alone)), f"{whom} of norm R alone, its sign flipped"),
    )


def _shared(rows: Floats) -> Rows:
    """Rows (m, d) that share the weight of one; equal ones together."""
    different, counts = np.unique(rows, axis=0, return_counts=True)
    return [(tuple(row), count / len(rows)) for row, count in zip(different.tolist(), counts.tolist(), strict=True)]


def _without(rows: Rows) -> Rows:
    return [(row, 0.0) for row, _ in rows]


def _counted(others: Rows, owned: Rows) -> Counted:
    """All of them in the space of `owned`, of more coordinates perhaps."""
    width = len(owned[0][0])
    return Counted.of(*((row + (0.0,) * (width - len(row)), count) for row, count in others), *owned)


def _others(radius: float, ridge: float, margin: float) -> list[tuple[Rows, str]]:
    far = _far_count(radius, ridge, margin)
    return [
        ([], "no records"),
        ([((-radius,), 3.0)], "3 records at -R"),
        ([((-radius,), 300.0)], "300 records at -R"),
        ([((-_SHORT * radius,), far)], f"{far:g} records at -{_SHORT:g} R"),
    ]


def _far_count(radius: float, ridge: float, margin: float) -> float:
    """How many short records pull the minimiser to a margin of about `margin` on a row of norm R: half a slope each, against lambda |f|."""
    return float(np.ceil(2.0 * ridge * margin / (_SHORT * radius**2)))
