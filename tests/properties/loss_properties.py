"""What every loss of the margin must satisfy, as functions that raise AssertionError; see discreet.losses.base for the words.

A loss has a natural length L / c (Lipschitz constant over smoothness: the width of its bend); steps and grids are in that unit, so the same law
fits a temperature of 0.01 and one of 10.
"""

import numpy as np
from scipy.special import expit

EXACT = 1e-12
"""Relative room for the rounding of a few operations."""
SPACING = np.finfo(np.float64).eps


def grid(loss, *, points=20_001, reach=60.0):
    """Margins over the bend and far on both sides, around 0 and around 1."""
    offsets = np.linspace(-reach, reach, points) * loss.lipschitz / loss.smoothness
    return np.unique(np.concatenate([offsets, 1.0 + offsets]))


def slopes(loss, margins):
    return np.abs(loss.slope(margins))


def check_slope_is_derivative_of_value(loss, margins):
    """Convexity between close margins a < b: l'(a) <= (l(b) - l(a)) / (b - a) <= l'(b), up to rounding. Pins l' to within c (b - a)."""
    step = 1e-5 * loss.lipschitz / loss.smoothness + 64 * SPACING * np.abs(margins)
    left, right = margins, margins + step
    low, slope_left, high, slope_right = loss.value(left), loss.slope(left), loss.value(right), loss.slope(right)
    quotient = (high - low) / (right - left)
    scale = np.abs(low) + np.abs(high) + loss.lipschitz * (1.0 + np.abs(left))
    room = 8 * SPACING * scale / (right - left) + EXACT * loss.lipschitz
    assert np.all(slope_left <= quotient + room), "the slope exceeds the rise of the value to its right"
    assert np.all(quotient <= slope_right + room), "the slope is below the rise of the value to its left"


def check_curvature_is_derivative_of_slope(loss, margins):
    """The mean rise of l' over a short interval lies between the least and the largest curvature in it, kinks included."""
    step = 1e-3 * loss.lipschitz / loss.smoothness + 1e6 * SPACING * np.abs(margins)
    inside = margins + step * np.linspace(0.0, 1.0, 17).reshape(-1, *(1,) * margins.ndim)
    rise = loss.slope(inside[-1]) - loss.slope(inside[0])
    quotient = rise / (inside[-1] - inside[0])
    curvature = loss.curvature(inside)
    room = 1e-5 * loss.smoothness
    assert np.all(quotient >= curvature.min(axis=0) - room), "the slope rises less than the curvature says"
    assert np.all(quotient <= curvature.max(axis=0) + room), "the slope rises more than the curvature says"


def check_value_is_convex(loss, margins):
    """l at the middle of two margins is at most the mean of l at the two."""
    value = loss.value(margins)
    for shift in (1, margins.size // 3, margins.size // 2):
        value_there = loss.value(np.roll(margins, shift))
        middle = loss.value(0.5 * (margins + np.roll(margins, shift)))
        room = 8 * SPACING * (np.abs(value) + np.abs(value_there) + loss.lipschitz)
        assert np.all(middle <= 0.5 * (value + value_there) + room), "the value is not convex"


def check_bounds(loss, margins):
    """-L <= l' <= 0 and 0 <= l'' <= c."""
    slope = loss.slope(margins)
    curvature = loss.curvature(margins)
    assert np.all(slope <= 0.0), "the loss increases"
    assert np.all(-slope <= loss.lipschitz * (1 + EXACT)), "the slope exceeds the declared Lipschitz constant"
    assert np.all(curvature >= 0.0), "the curvature is negative"
    assert np.all(curvature <= loss.smoothness * (1 + EXACT)), "the curvature exceeds the declared smoothness"


def check_constants_are_attained(loss):
    """A constant that is 1 % too large costs 1 % more noise for nothing."""
    margins = grid(loss)
    far = np.append(margins, -1e6 * loss.lipschitz / loss.smoothness)
    assert slopes(loss, far).max() >= 0.999 * loss.lipschitz, "the Lipschitz constant is larger than need be"
    assert loss.curvature(margins).max() >= 0.999 * loss.smoothness, "the smoothness is larger than need be"


def check_curvature_on_slopes(loss, margins):
    """At each margin the curvature is at most the bound on the smallest interval that surely holds the slope, and on every larger one."""
    size, curvature = slopes(loss, margins), loss.curvature(margins)
    room = EXACT * loss.smoothness
    rounding = 4 * SPACING * loss.lipschitz
    around = loss.curvature_on_slopes(np.maximum(size - rounding, 0.0), np.minimum(size + rounding, loss.lipschitz))
    assert np.all(curvature <= around + room), "the curvature exceeds the bound at its own slope"
    ordered, matching = np.sort(size), curvature[np.argsort(size)]
    for width in (1, 2, 5):
        low, high, between = ordered[:-width], ordered[width:], matching[: -width or None]
        assert np.all(between <= loss.curvature_on_slopes(low, high + rounding) + room), "an interval's bound is below the curvature at its low end"
        assert np.all(matching[width:] <= loss.curvature_on_slopes(np.maximum(low - rounding, 0.0), high) + room), "as above, at its high end"


def check_curvature_bound_is_tight(loss):
    """On a degenerate interval the bound is attained, within 1 %, by the margins of that slope."""
    margins = grid(loss)
    size, curvature = slopes(loss, margins), loss.curvature(margins)
    inside = (size > 0.01 * loss.lipschitz) & (size < 0.99 * loss.lipschitz)
    bound = loss.curvature_on_slopes(size[inside], size[inside])
    assert np.all(bound <= 1.01 * curvature[inside]), "the bound of the curvature at a slope is larger than need be"


def slope_grid(loss, points=4001):
    """Slopes over [0, L], dense at both ends down to 1e-15."""
    ends = np.geomspace(1e-15, 0.5, points)
    return loss.lipschitz * np.unique(np.concatenate([[0.0], ends, 1.0 - ends, [1.0], np.linspace(0.0, 1.0, points)]))


def kappa_near(loss, sizes):
    """The bound of the curvature at a slope that is known up to its rounding."""
    rounding = SPACING * loss.lipschitz
    return loss.curvature_on_slopes(np.maximum(sizes - rounding, 0.0), np.minimum(sizes + rounding, loss.lipschitz))


def check_kappa_is_concave(loss):
    """kappa at the middle of two slopes is at least the mean of kappa at the two."""
    sizes = slope_grid(loss)
    kappa = loss.curvature_on_slopes(sizes, sizes)
    for other in (np.roll(sizes, 1), np.roll(sizes, 997), sizes[::-1]):
        mean = 0.5 * (kappa + loss.curvature_on_slopes(other, other))
        assert np.all(kappa_near(loss, 0.5 * (sizes + other)) >= mean - EXACT * loss.smoothness), "kappa is not concave"


def check_kappa_shrinks_at_most_quadratically(loss):
    """kappa(t q) >= t^2 kappa(q) for t in [0, 1]."""
    sizes = slope_grid(loss, points=401)
    shrink = np.linspace(0.0, 1.0, 101)[:, None]
    kappa = loss.curvature_on_slopes(sizes, sizes)
    assert np.all(kappa_near(loss, shrink * sizes) >= shrink**2 * kappa - EXACT * loss.smoothness), "kappa(t q) < t^2 kappa(q)"


def check_slope_curvature_ratio(loss):
    """Where M is finite, l'' <= M q (L - q) / L, with equality somewhere; where it is infinite, the quotient grows without end."""
    margins = grid(loss)
    size, curvature = slopes(loss, margins), loss.curvature(margins)
    remaining = size * (loss.lipschitz - size) / loss.lipschitz
    ratio = loss.slope_curvature_ratio
    clear = remaining > 1e-4 * loss.lipschitz
    largest = (curvature[clear] / remaining[clear]).max()
    if np.isfinite(ratio):
        assert np.all(curvature <= ratio * remaining * (1 + 1e-9) + 16 * SPACING * loss.smoothness), "l'' > M q (L - q) / L"
        assert largest >= 0.999 * ratio, "M is larger than need be"
    else:
        assert largest > 20 * loss.smoothness / loss.lipschitz, "M is finite, and declaring it would save noise"


def check_extreme_margins(loss):
    """No overflow, no warning, no NaN, far beyond any margin."""
    margins = np.array([-1e300, -1e16, -0.0, 0.0, 1.0, 1e16, 1e300])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, slope = loss.value(margins), loss.slope(margins)
        curvature = loss.curvature(margins)
    assert np.all(np.isfinite(value))
    assert np.all(np.isfinite(slope))
    assert np.all(np.isfinite(curvature))
    assert np.isclose(slope[0], -loss.lipschitz, rtol=1e-9)
    assert curvature[-1] == 0.0


def check_the_link_is_that_of_a_loss_without_flat_parts(loss):
    """Whether l' < 0 everywhere says whether there is a link; then p l'(f) = (1 - p) l'(-f) where the log odds of p are those of f."""
    bend = loss.lipschitz / loss.smoothness
    beside = bend * np.linspace(-50.0, 50.0, 1001)
    falls = np.all(loss.slope(np.concatenate((beside, 1.0 + beside))) < 0.0)  # losses bend around 0 or around a margin of 1
    assert loss.linked == bool(falls), "a flat part has no link, and nothing else has none"
    if not loss.linked:
        return
    decisions = np.linspace(-5.0, 5.0, 201) * max(1.0, bend)
    odds = loss.proper_log_odds(decisions)
    chances = expit(odds)
    left, right = chances * loss.slope(decisions), (1.0 - chances) * loss.slope(-decisions)
    assert np.all(np.abs(left - right) <= 1e-9 * loss.lipschitz), "the decision is not the best one of its probability"
    for told in (odds, loss.log_odds(decisions)):
        assert np.all(np.diff(told) > 0), "log odds do not rise with the decision"
        assert np.allclose(told, -told[::-1], rtol=1e-9, atol=1e-12), "log odds are not odd"
