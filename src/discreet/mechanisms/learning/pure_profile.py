"""What spherical noise in an objective costs (theorem T2 of objective_perturbation.md, M3 of multinomial_perturbation.md), and its largest rate.

    b of density proportional to exp(-beta |b|_2),      f = argmin G + <b, .>,      G = c_max L R, J the Jacobian term, a = c_max R^2 / lambda

    two classes    epsilon = max_t { beta G t + J(t) }  (+ beta G under replace-one),                                     0 <= t <= 1
    multinomial    epsilon = max_t { beta c_max R sqrt(2 - t) + (K - 1) ln(1 + a t / (K - 1)) }
                             (+ sqrt(2) beta c_max R under replace-one),                                                  0 <= t <= 1 - 1/K

For losses with J(t) <= a t (1 - t) and a <= beta G the first is exactly beta G (2 beta G under replace-one): no slack (corollary 2). In the second t
stands for 1 - |p|^2: |p - e_y|^2 <= 2 - t, and the Jacobian term is at most its second summand; for a <= beta c_max R / (2 sqrt 2) the maximum is at
t = 0: epsilon = sqrt(2) beta c_max R, no slack.

The Jacobian term, for spherical and Gaussian noise alike, is taken as a piecewise linear function that is nowhere too small. With
t = |l'| / L in [0, 1] the size of a record's slope, that record multiplies the density of the minimiser by at most

    e^{J(t)},   J(t) = ln(1 + c_max kappa(L t) R^2 / lambda)

J is concave because kappa is (a law of every loss). On a grid 0 = t_0 < ... < t_N = 1 the values C_j = J(t_j) + g_j, where g_j is the
larger gap that a concave function can leave above its chords beside t_j, are the corners of a piecewise linear function that is >= J
everywhere. A privacy loss that is convex in t between corners, plus this function, takes its maximum at a corner: that is how every
supremum over t in this package becomes a maximum over finitely many numbers, without a rounding in the wrong direction.

Gap of a concave function over the chord of [t_j, t_{j+1}], a triangle between the extended neighbouring chords: at most width * (left slope
- right slope) / 4. The outermost cells have one neighbour only; there the gap is bounded by the interval bound of J minus the smaller end.
"""

import math
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import lowering, raising
from discreet.problems import MultinomialRisk, RegularisedRisk

_DOWN = lowering(450)
"""Factor that outweighs the rounding of a handful of operations, and what `_UP` adds."""
_UP = raising(45)
"""Factor that outweighs the rounding of c_max L R, of its product with the rate, and of two sums: seven operations,
with R = hypot(.). A ratio a above beta G by its own rounding costs the square of that only."""
_CELLS = 4096
_CORNERS = 512
_ROUNDING = 1e-14


class JacobianCorners(NamedTuple):
    """Corners of a piecewise linear upper bound of J."""

    slopes: Floats
    """t_j, (N + 1,), from 0 to 1, denser towards both ends."""
    bounds: Floats
    """C_j >= J(t_j), (N + 1,)."""


def jacobian_corners(problem: RegularisedRisk) -> JacobianCorners:
    """Corners for this public problem; the work does not depend on any data."""
    t = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, _CORNERS + 1))
    t[0], t[-1] = 0.0, 1.0
    at_corner = problem.jacobian_term(t, t)
    widths = np.diff(t)
    chords = np.diff(at_corner) / widths
    gaps = np.empty(_CORNERS)
    gaps[1:-1] = 0.25 * widths[1:-1] * np.maximum(chords[:-2] - chords[2:], 0.0)
    for cell in (0, _CORNERS - 1):
        highest = float(problem.jacobian_term(t[cell : cell + 1], t[cell + 1 : cell + 2])[0])
        gaps[cell] = highest - min(at_corner[cell], at_corner[cell + 1])
    padded = np.concatenate(([0.0], gaps, [0.0]))
    bounds = (at_corner + np.maximum(padded[:-1], padded[1:])) * (1.0 + _ROUNDING) + _ROUNDING * problem.jacobian_term(np.zeros(1), np.ones(1))
    return JacobianCorners(t, bounds)


def objective_epsilon(problem: RegularisedRisk, *, rate: float, neighbours: Neighbours) -> float:
    """epsilon of the exact minimiser under spherical noise of this rate, rounded up."""
    shift = rate * problem.gradient_bound
    other_record = 0.0 if neighbours is ADD_REMOVE else shift
    if problem.slack_free_ratio <= shift:
        return (shift + other_record) * _UP
    t, corners = jacobian_corners(problem)
    return (float(np.max(shift * t + corners)) + other_record) * _UP


def objective_rate(problem: RegularisedRisk, *, epsilon: float, neighbours: Neighbours) -> float:
    """The largest beta with `objective_epsilon` <= epsilon, to rounding; 0 when there is none."""
    other_record = 0.0 if neighbours is ADD_REMOVE else 1.0
    slack_free = epsilon / (1.0 + other_record) * _DOWN
    if problem.slack_free_ratio <= slack_free:
        return slack_free / problem.gradient_bound
    t, corners = jacobian_corners(problem)
    room = epsilon * _DOWN - corners
    if np.min(room) <= 0:
        return 0.0
    shifts = t + other_record
    return float(np.min(room[shifts > 0] / shifts[shifts > 0])) / problem.gradient_bound * _DOWN


def multinomial_epsilon(problem: MultinomialRisk, *, rate: float, neighbours: Neighbours) -> float:
    """epsilon of the exact minimiser under spherical noise of this rate, rounded up."""
    unit = rate * problem.max_weight * problem.domain.radius
    other_record = 0.0 if neighbours is ADD_REMOVE else math.sqrt(2.0) * unit
    if problem.jacobian_ratio <= unit / (2.0 * math.sqrt(2.0)) * _DOWN:
        return (math.sqrt(2.0) * unit + other_record) * raising(45)
    edges = np.linspace(0.0, 1.0 - 1.0 / problem.classes, _CELLS + 1)
    rank = problem.classes - 1.0
    largest = unit * np.sqrt(2.0 - edges[:-1]) + rank * np.log1p(problem.jacobian_ratio * edges[1:] / rank)
    return (float(np.max(largest)) + other_record) * raising(450)


def multinomial_rate(problem: MultinomialRisk, *, epsilon: float, neighbours: Neighbours) -> float:
    """The largest beta (to 1e-9) with `multinomial_epsilon` <= epsilon; 0 when there is none."""
    high = epsilon / (problem.gradient_bound * (1.0 if neighbours is ADD_REMOVE else 2.0)) * _DOWN
    if multinomial_epsilon(problem, rate=high, neighbours=neighbours) <= epsilon:
        return high
    low = 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if multinomial_epsilon(problem, rate=middle, neighbours=neighbours) <= epsilon:
            low = middle
        else:
            high = middle
    return low
