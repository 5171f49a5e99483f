"""The Jacobian term of objective perturbation as a piecewise linear function that is nowhere too small.

With t = |l'| / L in [0, 1] the size of a record's slope, that record multiplies the density of the minimiser by at most

    e^{J(t)},   J(t) = ln(1 + c_max kappa(L t) R^2 / lambda)

J is concave because kappa is (a law of every loss). On a grid 0 = t_0 < ... < t_N = 1 the values C_j = J(t_j) + g_j, where g_j is the
larger gap that a concave function can leave above its chords beside t_j, are the corners of a piecewise linear function that is >= J
everywhere. A privacy loss that is convex in t between corners, plus this function, takes its maximum at a corner: that is how every
supremum over t in this package becomes a maximum over finitely many numbers, without a rounding in the wrong direction.

Gap of a concave function over the chord of [t_j, t_{j+1}], a triangle between the extended neighbouring chords: at most width * (left slope
- right slope) / 4. The outermost cells have one neighbour only; there the gap is bounded by the interval bound of J minus the smaller end.
"""

from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.problems import RegularisedRisk

_CELLS = 512
_ROUNDING = 1e-14


class JacobianCorners(NamedTuple):
    """Corners of a piecewise linear upper bound of J."""

    slopes: Floats
    """t_j, (N + 1,), from 0 to 1, denser towards both ends."""
    bounds: Floats
    """C_j >= J(t_j), (N + 1,)."""


def jacobian_corners(problem: RegularisedRisk) -> JacobianCorners:
    """Corners for this public problem; the work does not depend on any data."""
    t = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, _CELLS + 1))
    t[0], t[-1] = 0.0, 1.0
    at_corner = problem.jacobian_term(t, t)
    widths = np.diff(t)
    chords = np.diff(at_corner) / widths
    gaps = np.empty(_CELLS)
    gaps[1:-1] = 0.25 * widths[1:-1] * np.maximum(chords[:-2] - chords[2:], 0.0)
    for cell in (0, _CELLS - 1):
        highest = float(problem.jacobian_term(t[cell : cell + 1], t[cell + 1 : cell + 2])[0])
        gaps[cell] = highest - min(at_corner[cell], at_corner[cell + 1])
    padded = np.concatenate(([0.0], gaps, [0.0]))
    bounds = (at_corner + np.maximum(padded[:-1], padded[1:])) * (1.0 + _ROUNDING) + _ROUNDING * problem.jacobian_term(np.zeros(1), np.ones(1))
    return JacobianCorners(t, bounds)
