"""The privacy profile of Gaussian objective perturbation (theorem T1 of the proof note objective_perturbation.md).

Notation: s = G / sigma with G = c_max L R the gradient bound and sigma the noise; J the Jacobian term and (t_j, C_j) its corners (module
`pure_profile`); a = slack-free ratio, so that J(t) <= a t (1 - t); delta_G the Gaussian profile.

Add-remove. The privacy loss is at most PL*(g) = sup_t { t s g + t^2 s^2 / 2 + J(t) }, g ~ N(0, 1), and delta(eps) <= E (1 - e^{eps - PL*(g)})_+.
    - eps >= a: exactly delta_G(eps; s) (corollary 1), one Gaussian mechanism and nothing more.
    - otherwise the maximum over the corners, max_j (alpha_j g + k_j) with alpha_j = t_j s, k_j = t_j^2 s^2 / 2 + C_j, is convex and
      piecewise linear in g, and the expectation is a finite sum: with g_0 where the envelope crosses eps, g_b its later kinks, z_b =
      envelope(g_b) - eps, phi the density and M Mills' ratio,
          phi(g_0) (M(g_0) - M(g_0 + alpha_0)) + sum_b phi(g_b) e^{-z_b} (M(g_b + alpha_b) - M(g_b + alpha_{b+1}))
      (all terms positive: nothing cancels, no integration error).

Replace-one. For every line c + A (1 - t) >= J(t):
    delta(eps) <= delta_add-remove(eps) + delta_G(eps - c; 2 s) + delta_G(eps - c - A; s)
The least over many lines is taken; c = 0, A = a is one of them. Its last term is negligible once lambda is about 3 R^2 / eps, and the
mechanism then costs what one Gaussian of sensitivity 2 G costs.
"""

import math
import sys
from collections.abc import Callable

import numpy as np
from scipy.special import erfcx, ndtr

from discreet.accounting import gaussian_delta, gaussian_deltas, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.mechanisms.learning.perturbation import least_scale
from discreet.mechanisms.learning.pure_profile import jacobian_corners
from discreet.problems import RegularisedRisk

_LINES = 48
_FARTHEST = 37.0
_ROUNDING = 1e-12


def objective_delta(problem: RegularisedRisk, *, scale: float, epsilon: float, neighbours: Neighbours) -> float:
    """Upper bound of delta(epsilon) when the objective is perturbed by N(0, scale^2 I) and minimised exactly."""
    return _profile(problem, neighbours)(scale, epsilon)


def objective_scale(problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """The least noise scale (to 1e-7, rounded up) with `objective_delta` <= delta.

    Raises InfeasibleTarget when the Jacobian term alone exceeds epsilon, so that no noise would do.
    """
    profile = _profile(problem, neighbours)
    target = delta * (1.0 - 1e-6)
    sensitivity = problem.gradient_bound * (1.0 if neighbours is ADD_REMOVE else 2.0)
    above = sensitivity / gaussian_mu(epsilon, target)
    return least_scale(lambda scale: profile(scale, epsilon), above=above, target=target, step=1e-5, precision=1e-8)


def _profile(problem: RegularisedRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
    """delta as a function of (scale, epsilon), with what depends on the problem alone computed once."""
    gradient, ratio = problem.gradient_bound, problem.slack_free_ratio
    t, corners = jacobian_corners(problem)
    lines = _lines_above(t, corners, ratio)

    def add_remove(scale: float, epsilon: float) -> float:
        s = gradient / scale
        if epsilon >= ratio:
            return gaussian_delta(epsilon, s)
        return _expected_excess(t * s, 0.5 * np.square(t * s) + corners, epsilon)

    def replace_one(scale: float, epsilon: float) -> float:
        s = gradient / scale
        starts, ends = epsilon - lines[0], epsilon - lines[0] - lines[1]
        best = int(np.argmin(gaussian_deltas(starts, 2.0 * s) + gaussian_deltas(ends, s)))  # any line is a bound: arrays only choose it
        both = gaussian_delta(float(starts[best]), 2.0 * s) + gaussian_delta(float(ends[best]), s)
        return min(1.0, add_remove(scale, epsilon) + both)

    return add_remove if neighbours is ADD_REMOVE else replace_one


def _lines_above(t: Floats, corners: Floats, ratio: float) -> Floats:
    """Rows c and A, (2, lines), with c + A (1 - t) >= J(t) for all t: the slack-free one where it exists, and others through heights at t = 1."""
    lowest, highest = float(corners[-1]), float(corners.max())
    heights = np.concatenate(([lowest], lowest + (highest - lowest) * np.geomspace(1e-6, 1.0, _LINES)))
    steepest = np.max((corners[:-1] - heights[:, np.newaxis]) / (1.0 - t[:-1]), axis=1)
    lines = np.stack((heights, np.maximum(0.0, steepest) * (1.0 + _ROUNDING)))
    return np.column_stack(((0.0, ratio), lines)) if math.isfinite(ratio) else lines


def _expected_excess(slopes: Floats, heights: Floats, epsilon: float) -> float:
    """E (1 - e^{epsilon - max_j (slopes_j g + heights_j)})_+ over g ~ N(0, 1), for increasing non-negative slopes; rounded up."""
    alpha, kinks = _upper_envelope(slopes, heights - epsilon)
    if not alpha:
        return 0.0
    first = kinks[0]
    if first == -math.inf:
        level = alpha[0][1]
        total = -math.expm1(-level)
    else:
        total = _tail(first, 0.0) - _tail(first, alpha[0][0])
    for (left, height), (right, _), kink in zip(alpha, alpha[1:], kinks[1:], strict=False):
        total += math.exp(-max(0.0, left * kink + height)) * max(0.0, _tail(kink, left) - _tail(kink, right))
    return min(1.0, max(total, 0.0) * (1.0 + 1e-9) + sys.float_info.min)


def _tail(g: float, shift: float) -> float:
    """phi(g) M(g + shift) = integral over x > g of phi(x) e^{-shift (x - g)}."""
    if g > _FARTHEST:
        return 0.0
    if g + shift > 0:
        return math.exp(-0.5 * g * g) * 0.5 * float(erfcx((g + shift) / math.sqrt(2.0)))
    return math.exp(shift * g + 0.5 * shift * shift) * float(ndtr(-(g + shift)))


def _upper_envelope(slopes: Floats, heights: Floats) -> tuple[list[tuple[float, float]], list[float]]:
    """The part above zero of max_j (slopes_j g + heights_j): its lines by increasing slope, and where each begins to be the maximum and positive."""
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
    return _above_zero(kept, begins)


def _above_zero(lines: list[tuple[float, float]], begins: list[float]) -> tuple[list[tuple[float, float]], list[float]]:
    """Drop what lies below zero; the envelope is non-decreasing, so that is everything left of one point."""
    for index, (slope, height) in enumerate(lines):
        end = begins[index + 1] if index + 1 < len(lines) else math.inf
        level = -math.inf if height > 0 else math.inf
        crossing = level if slope == 0 else -height / slope
        if crossing < end:
            start = max(crossing, begins[index])
            return lines[index:], [start, *begins[index + 1 :]]
    return [], []
