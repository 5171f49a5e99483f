"""What noise in the objective of two classes costs (theorems T1 and T2 of the proof note objective_perturbation.md), and the lambda that it needs.

Notation: s = G / sigma with G = c_max L R the gradient bound and sigma the noise; J the Jacobian term and (t_j, C_j) its corners (below); a the
slack-free ratio, so that J(t) <= a t (1 - t); delta_G the Gaussian profile.

Add-remove. The privacy loss is at most PL*(g) = sup_t { t s g + t^2 s^2 / 2 + J(t) }, g ~ N(0, 1), and delta(eps) <= E (1 - e^{eps - PL*(g)})_+.
    - eps >= a: exactly delta_G(eps; s) (corollary 1), one Gaussian mechanism and nothing more.
    - otherwise the maximum over the corners, max_j (alpha_j g + k_j) with alpha_j = t_j s, k_j = t_j^2 s^2 / 2 + C_j, is convex and
      piecewise linear in g, and the expectation is a finite sum: with g_0 where the envelope crosses eps, g_b its later kinks, z_b =
      envelope(g_b) - eps, phi the density and M Mills' ratio,
          phi(g_0) (M(g_0) - M(g_0 + alpha_0)) + sum_b phi(g_b) e^{-z_b} (M(g_b + alpha_b) - M(g_b + alpha_{b+1}))
      (all terms positive: nothing cancels, no integration error);
    - and there delta(eps) <= W(eps) as well (T3, module `one_direction`): the lesser is taken.

Replace-one. For every line c + A (1 - t) >= J(t), with T1's bound of add-remove:
    delta(eps) <= delta_add-remove(eps) + delta_G(eps - c; 2 s) + delta_G(eps - c - A; s)
The least over many lines is taken; c = 0, A = a is one of them. Its last term is negligible once lambda is about 3 R^2 / eps, and the
mechanism then costs what one Gaussian of sensitivity 2 G costs.

Persons with several rows (module `persons`): J is linear, c_max kappa(L t) R^2 / lambda, the loss a mixture of losses of rows, with the same weights
on both sides of the ratio where a person replaces another:
    add-remove     Y = PL*;  for tau >= a, a normal one (corollary 1, with tau for eps)
    replace-one    Y one half each PL* of (2 s, 2 J) and of (2 s, 0); or the cases above, with E (. - tau)_+ for E (1 - e^{eps - .})_+; the least

Spherical noise b of density proportional to exp(-beta |b|_2):

    epsilon = max_t { beta G t + J(t) }  (+ beta G under replace-one),      0 <= t <= 1

For losses with J(t) <= a t (1 - t) and a <= beta G this is exactly beta G (2 beta G under replace-one): no slack (corollary 2).

The Jacobian term, for spherical and Gaussian noise alike, is taken as a piecewise linear function that is nowhere too small. With
t = |l'| / L in [0, 1] the size of a record's slope, that record multiplies the density of the minimiser by at most

    e^{J(t)},   J(t) = ln(1 + c_max kappa(L t) R^2 / lambda)          (of a person with several rows: without the logarithm)

J is concave because kappa is (a law of every loss). On a grid 0 = t_0 < ... < t_N = 1 the values C_j = J(t_j) + g_j, where g_j is the
larger gap that a concave function can leave above its chords beside t_j, are the corners of a piecewise linear function that is >= J
everywhere. A privacy loss that is convex in t between corners, plus this function, takes its maximum at a corner: that is how every
supremum over t in this package becomes a maximum over finitely many numbers, without a rounding in the wrong direction.

Gap of a concave function over the chord of [t_j, t_{j+1}], a triangle between the extended neighbouring chords: at most width * (left slope
- right slope) / 4. The outermost cells have one neighbour only; there the gap is bounded by the interval bound of J minus the smaller end.

The Jacobian term alone uses up ln(1 + c_max c R^2 / lambda) of epsilon when its curvature and slope peak together, so lambda > c_max c R^2 /
(e^epsilon - 1) is necessary for these theorems; lambda > c_max c R^2 / epsilon for persons with several rows.
"""

import math
import sys
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, ndtr

from discreet.accounting import gaussian_delta, gaussian_deltas
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import lowering, raising
from discreet.mechanisms.learning.one_direction import one_direction
from discreet.mechanisms.learning.persons import Loss, loss_of_lines, normal_loss, shared_delta, shared_deltas, sum_of
from discreet.mechanisms.learning.perturbation import Head
from discreet.problems import RegularisedRisk
from discreet.words import learning as words

_DOWN = lowering(450)
"""Factor that outweighs the rounding of a handful of operations, and what `_UP` adds."""
_UP = raising(45)
"""Factor that outweighs the rounding of c_max L R, of its product with the rate, and of two sums: seven operations,
with R = hypot(.). A ratio a above beta G by its own rounding costs the square of that only."""
_CORNERS = 512
_LINES = 48
_FARTHEST = 37.0
_PASSES = 8
_CORNERS_UP, _LINES_UP = 1e-14, 1e-12
"""Relative, of corners and of lines above them."""


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
    bounds = (at_corner + np.maximum(padded[:-1], padded[1:])) * (1.0 + _CORNERS_UP) + _CORNERS_UP * problem.jacobian_term(np.zeros(1), np.ones(1))
    return JacobianCorners(t, bounds)


@dataclass(frozen=True, slots=True)
class Margin(Head[RegularisedRisk]):
    """Losses of the margin."""

    name = "objective-perturbation"
    step = 1e-5
    needs = "objective perturbation of {problem} needs {name} > {least}"
    remedy = "Raise {name} ({comfortable} is comfortable, and alpha=None chooses), raise epsilon, or use mechanism='output', which needs no minimum."

    def profile(self, problem: RegularisedRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
        """See Head; what depends on the problem alone is computed once."""
        if problem.several:
            return _of_persons(problem, neighbours)
        gradient, ratio, worst = problem.gradient_bound, problem.slack_free_ratio, worst_outcome(problem)
        t, corners = jacobian_corners(problem)
        along = lru_cache(maxsize=4)(partial(one_direction, t, corners))

        def add_remove(scale: float, epsilon: float) -> float:
            found = worst(scale, epsilon)
            return found if epsilon >= ratio else min(found, float(along(gradient / scale * _UP)(epsilon)))

        if neighbours is ADD_REMOVE:
            return add_remove
        lines = _lines_above(t, corners, ratio)

        def replace_one(scale: float, epsilon: float) -> float:
            s = gradient / scale
            starts, ends = epsilon - lines[0], epsilon - lines[0] - lines[1]
            best = int(np.argmin(gaussian_deltas(starts, 2.0 * s) + gaussian_deltas(ends, s)))  # any line is a bound: arrays only choose it
            both = gaussian_delta(float(starts[best]), 2.0 * s) + gaussian_delta(float(ends[best]), s)
            return min(1.0, worst(scale, epsilon) + both)

        return replace_one

    def epsilon(self, one: RegularisedRisk, *, rate: float, neighbours: Neighbours) -> float:
        """See Head."""
        shift = rate * one.gradient_bound
        other_record = 0.0 if neighbours is ADD_REMOVE else shift
        if one.slack_free_ratio <= shift:
            return (shift + other_record) * _UP
        t, corners = jacobian_corners(one)
        return (float(np.max(shift * t + corners)) + other_record) * _UP

    def rate(self, one: RegularisedRisk, *, epsilon: float, neighbours: Neighbours) -> float:
        """See Head; to rounding."""
        other_record = 0.0 if neighbours is ADD_REMOVE else 1.0
        slack_free = epsilon / (1.0 + other_record) * _DOWN
        if one.slack_free_ratio <= slack_free:
            return slack_free / one.gradient_bound
        t, corners = jacobian_corners(one)
        room = epsilon * _DOWN - corners
        if np.min(room) <= 0:
            return 0.0
        shifts = t + other_record
        return float(np.min(room[shifts > 0] / shifts[shifts > 0])) / one.gradient_bound * _DOWN

    def least_ridge(self, problem: RegularisedRisk, epsilon: float) -> float:
        """See Head: see the module docstring."""
        return problem.curvature_bound / (epsilon if problem.several else math.expm1(min(epsilon, 700.0)))

    def comfortable_ridge(self, problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
        """The smallest lambda at which the theorem has (next to) no slack.

        Losses with a finite slope-curvature ratio M: c_max M R^2 / epsilon under add-remove (T1 and T2, corollaries 1 and 2), twice that for
        pure replace-one, and 2.5 times for Gaussian replace-one, where the extra terms cost at most 0.1 % more noise for delta <= 1e-6 and
        epsilon >= 0.1 (more where delta is large: 8 % at 1e-3 and epsilon 0.01). Other losses always pay something: for them the lambda at
        which the Jacobian term takes a tenth of epsilon, and at least c_max c R^2 / epsilon (c the smoothness), since the former vanishes
        exponentially at large epsilon.
        """
        unit = problem.slack_free_ratio * problem.ridge
        if not math.isfinite(unit):
            return max(self.least_ridge(problem, 0.1 * epsilon), problem.curvature_bound / epsilon)
        if neighbours is ADD_REMOVE:
            return unit / epsilon
        return (2.5 if delta > 0 else 2.0) * unit / epsilon

    def theorem(self, problem: RegularisedRisk, *, pure: bool) -> str:  # noqa: ARG002 - the same for any problem
        """See Head."""
        return words.OBJECTIVE_PURE if pure else words.OBJECTIVE_GAUSSIAN

    def described(self, problem: RegularisedRisk) -> str:
        """See Head."""
        return f"the {problem.loss.name} loss"


MARGIN = Margin()


def worst_outcome(problem: RegularisedRisk) -> Callable[[float, float], float]:
    """(scale, epsilon) -> E (1 - e^{epsilon - PL*})_+, one row a person: of T1's bound of the loss at every outcome, which adds up over problems."""
    gradient, ratio = problem.gradient_bound, problem.slack_free_ratio
    t, corners = jacobian_corners(problem)

    @lru_cache(maxsize=4)
    def exact(s: float) -> Callable[[float], float]:
        return _expected_excess(t * s, 0.5 * np.square(t * s) + corners)

    def delta(scale: float, epsilon: float) -> float:
        s = gradient / scale
        return gaussian_delta(epsilon, s) if epsilon >= ratio else exact(s)(epsilon)

    return delta


def _lines_above(t: Floats, corners: Floats, ratio: float) -> Floats:
    """Rows c and A, (2, lines), with c + A (1 - t) >= J(t) for all t: the slack-free one where it exists, and others through heights at t = 1."""
    lowest, highest = float(corners[-1]), float(corners.max())
    heights = np.concatenate(([lowest], lowest + (highest - lowest) * np.geomspace(1e-6, 1.0, _LINES)))
    steepest = np.max((corners[:-1] - heights[:, np.newaxis]) / (1.0 - t[:-1]), axis=1)
    lines = np.stack((heights, np.maximum(0.0, steepest) * (1.0 + _LINES_UP)))
    return np.column_stack(((0.0, ratio), lines)) if math.isfinite(ratio) else lines


def row_loss(problem: RegularisedRisk, s: float, *, times: float = 1.0) -> Loss:
    """The law of PL* at shift s with `times` the Jacobian term: where its slack is below every threshold, that of one Gaussian mechanism."""
    plain = normal_loss(s)

    @lru_cache(maxsize=1)
    def exact() -> Loss:
        t, corners = jacobian_corners(problem)
        return loss_of_lines(*_upper_envelope(t * s, 0.5 * np.square(t * s) + times * corners))

    return lambda thresholds: (plain if np.min(thresholds) >= times * problem.slack_free_ratio else exact())(thresholds)


def _of_persons(problem: RegularisedRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
    """`profile` where persons have several rows."""
    gradient, replaced = problem.gradient_bound, person_replaced(problem)
    row = lru_cache(maxsize=4)(partial(row_loss, problem))

    def add_remove(scale: float, epsilon: float) -> float:
        return shared_delta(row(gradient / scale), epsilon)

    def replace_one(scale: float, epsilon: float) -> float:
        return min(replaced(gradient / scale, epsilon))

    return add_remove if neighbours is ADD_REMOVE else replace_one


def person_replaced(problem: RegularisedRisk) -> Callable[[float, float], tuple[float, float]]:
    """(s, epsilon) -> both bounds of delta where a person replaces another: one half each, and rows coupled."""
    lines = _lines_above(*jacobian_corners(problem), problem.slack_free_ratio)
    row = lru_cache(maxsize=8)(partial(row_loss, problem))

    def bounds(s: float, epsilon: float) -> tuple[float, float]:
        mixed = sum_of((0.5, row(2.0 * s, times=2.0), 0.0), (0.5, normal_loss(2.0 * s), 0.0))
        cases = sum_of((1.0, row(s), 0.0), (1.0, normal_loss(2.0 * s), lines[0]), (1.0, normal_loss(s), lines[0] + lines[1]))
        return shared_delta(mixed, epsilon), float(np.min(shared_deltas(cases, np.full(lines.shape[1], epsilon))))

    return bounds


def _expected_excess(slopes: Floats, heights: Floats) -> Callable[[float], float]:
    """epsilon >= 0 -> E (1 - e^{epsilon - max_j (slopes_j g + heights_j)})_+ over g ~ N(0, 1), for increasing non-negative slopes; rounded up.

    Its sum over the kinks beyond an epsilon is e^epsilon times one that does not depend on it, so all of these are known at once.
    """
    lines, begins = _upper_envelope(slopes, heights)
    if not lines:
        return lambda _: sys.float_info.min
    alpha, heights = np.array(lines).T
    kinks = np.array(begins)[1:]
    levels = alpha[:-1] * kinks + heights[:-1]
    turns = np.maximum(_tails(kinks, alpha[:-1]) - _tails(kinks, alpha[1:]), 0.0).tolist()
    fades = np.append(np.exp(-np.maximum(np.diff(levels), 0.0)), 0.0).tolist()[: len(turns)]
    beyond = [0.0]
    for turn, fade in zip(reversed(turns), reversed(fades), strict=True):
        beyond.append(turn + fade * beyond[-1])
    beyond.reverse()
    starts = levels.tolist()

    def excess(epsilon: float) -> float:
        if epsilon < 0:
            return 1.0
        place = bisect_right(starts, epsilon)
        slope, over = float(alpha[place]), epsilon - float(heights[place])
        if slope > 0:
            at = max(over / slope, begins[place])
            total = float(_tails(np.array(at), np.zeros(1))[0] - _tails(np.array(at), np.array([slope]))[0])
        else:
            total = max(0.0, -math.expm1(over))
        if place < len(starts):
            total += math.exp(-max(0.0, starts[place] - epsilon)) * beyond[place]
        return min(1.0, max(total, 0.0) * (1.0 + 1e-9) + sys.float_info.min)

    return excess


def _tails(g: Floats, shifts: Floats) -> Floats:
    """phi(g) M(g + shift) = integral over x > g of phi(x) e^{-shift (x - g)}, elementwise, for shifts >= 0."""
    far = g + shifts
    beyond = np.exp(-0.5 * np.square(g)) * 0.5 * erfcx(np.maximum(far, 0.0) / math.sqrt(2.0))
    within = np.exp(np.minimum(shifts * g + 0.5 * np.square(shifts), 0.0)) * ndtr(-far)
    return np.where(g > _FARTHEST, 0.0, np.where(far > 0, beyond, within))


def _upper_envelope(slopes: Floats, heights: Floats) -> tuple[list[tuple[float, float]], list[float]]:
    """The part above zero of max_j (slopes_j g + heights_j): its lines by increasing slope, and where each begins to be the maximum and positive."""
    for _ in range(_PASSES):
        with np.errstate(all="ignore"):
            meets = np.diff(heights) / -np.diff(slopes)
        above = np.concatenate(([True], meets[1:] > meets[:-1], [True]))  # a line that is nowhere above both beside it is nowhere the maximum
        if np.all(above) and np.all(np.isfinite(meets)):
            return _above_zero(slopes, heights, np.concatenate(([-math.inf], meets)))
        slopes, heights = slopes[above], heights[above]
    kept: list[tuple[float, float]] = []
    begins: list[float] = []
    for slope, height in zip(slopes.tolist(), heights.tolist(), strict=True):
        begin = -math.inf
        while kept:
            last_slope, last_height = kept[-1]
            level = -math.inf if height >= last_height else math.inf
            begin = level if slope == last_slope else (last_height - height) / (slope - last_slope)
            if begin > begins[-1]:
                break
            kept.pop()
            begins.pop()
            begin = -math.inf
        if begin < math.inf:
            kept.append((slope, height))
            begins.append(begin)
    lines = np.array(kept)
    return _above_zero(lines[:, 0], lines[:, 1], np.array(begins))


def _above_zero(slopes: Floats, heights: Floats, begins: Floats) -> tuple[list[tuple[float, float]], list[float]]:
    """Drop what lies below zero; the envelope is non-decreasing, so that is everything left of one point."""
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.where(slopes == 0, np.where(heights > 0, -math.inf, math.inf), -heights / slopes)
    positive = crossings < np.append(begins[1:], math.inf)
    if not np.any(positive):
        return [], []
    first = int(np.argmax(positive))
    starts = begins[first:].tolist()
    starts[0] = max(float(crossings[first]), starts[0])
    return list(zip(slopes[first:].tolist(), heights[first:].tolist(), strict=True)), starts
