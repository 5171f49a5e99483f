"""Composition of unlike guarantees by adding up discretised privacy losses (module `convolution`), and how curves are discretised.

The grid. Splitting an atom between its neighbours on a grid of step h adds a variance of at most h^2/4, so T mechanisms whose losses have
standard deviations s_i need h of about 0.03 sqrt(mean of s_i^2) for an error of 0.02 % in the noise. Where all atoms are multiples of one
epsilon (equal pure or approximate guarantees), h divides it, and the result is the optimum of Kairouz, Oh, Viswanath 2015, theorem 3.3, up
to rounding. The choice of h moves tightness only, never truth.

From any privacy curve to a pair of measures on a grid that is at least as easy to tell apart ("connect the dots").

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
from collections.abc import Callable, Mapping

import numpy as np

from discreet.accounting.base import ApproximateDP, Guarantee, PureDP, below
from discreet.accounting.convolution import Masses, curve_together
from discreet.accounting.gaussian import GaussianDP
from discreet.accounting.profile import Profile, hull
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising

_POINTS = 320
_COARSEST = 0.25
"""e^epsilon must fit in a computer's numbers a step beyond the last point."""
_MOST_POINTS = 1 << 20
"""Of the grid of one part, beyond 0."""
_SMALLEST = 1e-20
"""Below this share of the useful range the curve is not recorded."""
_INFLATION = 1e-11
_FARTHEST = 500.0
"""Losses beyond it count as infinite: e^loss must fit in a computer's numbers."""
_GAUSSIAN_REACH = 10.5
"""Standard deviations beyond which a Gaussian loss has probability below 1e-25."""


def numerical_curve(counts: Mapping[Guarantee, int]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Points of the profile of all guarantees together, each as often as its count says."""
    spreads = np.array([_spread(part) for part in counts])
    repeats = np.array(list(counts.values()), dtype=float)
    variance = float(repeats @ np.square(spreads))
    if variance == 0:
        return _without_spread(counts)
    total = float(np.sum(repeats))
    # About where the sum of losses ends: its mean is half its variance, as for normal losses.
    width = 8.0 * math.sqrt(variance) + 0.5 * variance
    # Losses that are next to never far from 0 and may all the same be far take no grid that no memory holds.
    least = min(_COARSEST, max(min(reach_of(part), _FARTHEST) for part in counts) / _MOST_POINTS)
    step = _aligned(counts, max(least, min(0.03 * math.sqrt(variance / total), width / 4096.0, _COARSEST)))
    while True:
        parts = [(pessimistic_masses(curve_of(part), step=step, reach=reach_of(part)), count) for part, count in counts.items()]
        # One part fails surely, and so does the whole.
        if any(not np.any(masses.finite) for masses, _ in parts):
            return (0.0,), (1.0,)
        try:
            return _thinned(*curve_together(parts, step=step))
        except InvalidInput:  # a sum of them is too far for this step
            if step >= _COARSEST:
                raise
        step = min(2.0 * step, _COARSEST)


def _spread(part: Guarantee) -> float:
    """About the standard deviation of the privacy loss: 2.5 times the total variation that is not a failure."""
    return 2.5 * max(0.0, part.delta(0.0) - part.delta(reach_of(part)))


def _aligned(counts: Mapping[Guarantee, int], step: float) -> float:
    """`step`, or a little less where the atoms of all parts are multiples of one number."""
    sizes = {part.epsilon for part in counts if isinstance(part, PureDP | ApproximateDP) and part.epsilon > 0}
    if len(sizes) != 1 or max(sizes) > 64.0 * _COARSEST or any(not isinstance(part, PureDP | ApproximateDP) for part in counts):
        return step
    (size,) = sizes
    return size / math.ceil(size / max(step, size / 64.0))


def _without_spread(counts: Mapping[Guarantee, int]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Every part is either perfect or fails with its probability delta: the failures add."""
    survives = math.fsum(count * math.log1p(-min(part.delta(0.0), 1.0 - 1e-16)) for part, count in counts.items())
    return (0.0,), (min(1.0, -math.expm1(survives) * raising(4_096)),)


def _thinned(epsilons: Floats, deltas: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Few points of a fine curve, dense where chords would leave it; fewer points only raise it.

    A chord over g = e^epsilon errs by (distance)^2 (curvature) / 8. With r_j the share by which point j lies below the chord of its neighbours,
    points are spread evenly over the sum of sqrt(r_j), unless there are so few kinks that each gets its own.
    """
    floor = float(deltas[-1])
    last = min(len(deltas) - 1, int(np.searchsorted(-(deltas - floor), -max(_SMALLEST, 1e-9 * floor))) + 1)
    growth = np.exp(epsilons[: last + 1] - max(0.0, float(epsilons[last]) - _FARTHEST))  # of which only ratios count
    share = np.diff(growth)[:-1] / (growth[2:] - growth[:-2])
    chords = deltas[: last - 1] * (1.0 - share) + deltas[2 : last + 1] * share
    gains = np.maximum(0.0, 1.0 - deltas[1:last] / np.maximum(chords, 1e-300))
    bends = 1 + np.flatnonzero(gains > 1e-6)
    if len(bends) > _POINTS:
        position = np.cumsum(np.sqrt(gains))
        bends = 1 + np.searchsorted(position, np.linspace(0.0, float(position[-1]) * (1.0 - 1e-9), _POINTS))
    kept = np.unique(np.concatenate(([0], np.minimum(bends, last), [last])))
    return hull(epsilons[kept], deltas[kept])


def pessimistic_masses(curve: Callable[[Floats], Floats], *, step: float, reach: float) -> Masses:
    """The pair of the module docstring, with J the first grid point at or beyond `reach`."""
    count = max(1, math.ceil(min(reach, _FARTHEST) / step * (1.0 - 1e-9)) + 1)
    epsilons: Floats = step * np.arange(count + 1, dtype=np.float64)
    # A curve never rises, but computed values may; the least so far bounds all that follow.
    upper = np.minimum.accumulate(np.clip(curve(below(epsilons)), 0.0, 1.0))
    growth = np.exp(epsilons)
    chords = (upper[:-1] - upper[1:]) / (growth[:-1] * math.expm1(step))
    # A larger slope gives a larger curve: B_j may take any later chord's, so that masses are never negative.
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
