"""From any privacy curve to a pair of measures on a grid that is at least as easy to tell apart ("connect the dots").

Let U_j >= delta(j h), j = 0..J, be upper bounds of the curve, and g_j = e^{j h}. Between grid points the least delta is below the chord over
g, and beyond the last one below U_J. The slopes of these chords, made non-increasing,

    B_j = max over i >= j of (U_i - U_{i+1}) / (g_{i+1} - g_i),      B_J = 0,

belong to a pair (P, Q) on the losses j h, |j| <= J, with

    q_j = B_{j-1} - B_j,   p_j = e^{j h} q_j   (j >= 1),    p_{-j} = q_j,    p_0 = the rest of mass 1,    p_infinity = U_J

whose curve is U_J + sum over i >= j of B_i (g_{i+1} - g_i) >= U_j on the grid. The pair is symmetric, like every neighbouring relation. (After
Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022; proof for our variant, and of what is allowed to be rounded, in the note composition.md.)

Only U_j >= delta(j h) is asked of the curve. All masses are raised by 1e-11 of themselves, more than the rounding errors of these formulas:
measures need not have mass 1, and larger ones are easier to tell apart.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.accounting.approximate import ApproximateDP
from discreet.accounting.base import Guarantee
from discreet.accounting.gaussian_dp import GaussianDP
from discreet.accounting.numbers import below
from discreet.accounting.profile import Profile
from discreet.accounting.pure import PureDP
from discreet.core.arrays import Floats

_INFLATION = 1e-11
_FARTHEST = 500.0
"""Losses beyond it count as infinite: e^loss must fit in a computer's numbers."""
_GAUSSIAN_REACH = 10.5
"""Standard deviations beyond which a Gaussian loss has probability below 1e-25."""


@dataclass(frozen=True, slots=True)
class Masses:
    """Probabilities under P of the losses (first + i) step, i = 0, 1, ...; the loss is infinite with probability `infinite`."""

    first: int
    finite: Floats
    infinite: float


def pessimistic_masses(curve: Callable[[Floats], Floats], *, step: float, reach: float) -> Masses:
    """The pair of the module docstring, with J the first grid point at or beyond `reach`."""
    count = max(1, math.ceil(min(reach, _FARTHEST) / step * (1.0 - 1e-9)) + 1)
    epsilons: Floats = step * np.arange(count + 1, dtype=np.float64)
    upper = np.minimum.accumulate(np.clip(curve(below(epsilons)), 0.0, 1.0))
    growth = np.exp(epsilons)
    chords = (upper[:-1] - upper[1:]) / (growth[:-1] * math.expm1(step))
    slopes = np.append(np.maximum.accumulate(chords[::-1])[::-1], 0.0)
    against = slopes[:-1] - slopes[1:]
    likely = against * growth[1:]
    infinite = float(upper[-1])
    rest = max(0.0, 1.0 - infinite - float(np.sum(likely)) - float(np.sum(against)))
    finite = np.concatenate((against[::-1], [rest], likely))
    return _trimmed(-count, finite * (1.0 + _INFLATION), infinite * (1.0 + _INFLATION))


def _trimmed(first: int, finite: Floats, infinite: float) -> Masses:
    """Without the atoms of mass zero at either end."""
    present = np.flatnonzero(finite)
    if present.size == 0:
        return Masses(first=0, finite=np.zeros(1), infinite=infinite)
    return Masses(first=first + int(present[0]), finite=finite[present[0] : present[-1] + 1], infinite=infinite)


def curve_of(part: Guarantee) -> Callable[[Floats], Floats]:
    """The curve of a guarantee over arrays."""
    match part:
        case PureDP() | ApproximateDP() | GaussianDP() | Profile():
            return part.deltas
        case _:
            return lambda epsilons: np.array([part.delta(float(epsilon)) for epsilon in epsilons])


def reach_of(part: Guarantee, floor: float = 1e-20) -> float:
    """A loss beyond which nothing but `floor`, or what is infinite anyway, is left."""
    match part:
        case PureDP() | ApproximateDP():
            return part.epsilon
        case Profile():
            return part.epsilons[-1]
        case GaussianDP():
            return part.mu * (0.5 * part.mu + _GAUSSIAN_REACH)
    if part.delta(_FARTHEST) > floor:
        return _FARTHEST
    low, high = 0.0, _FARTHEST
    while high - low > 1e-4 * high and high > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if part.delta(middle) <= floor else (middle, high)
    return high
