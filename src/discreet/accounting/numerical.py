"""Composition of unlike guarantees by adding up discretised privacy losses: module `discretise`, then module `convolution`.

The grid. Splitting an atom between its neighbours on a grid of step h adds a variance of at most h^2/4, so T mechanisms whose losses have
standard deviations s_i need h of about 0.03 sqrt(mean of s_i^2) for an error of 0.02 % in the noise. Where all atoms are multiples of one
epsilon (equal pure or approximate guarantees), h divides it, and the result is the optimum of Kairouz, Oh, Viswanath 2015, theorem 3.3, up
to rounding. The choice of h moves tightness only, never truth.
"""

import math
from collections.abc import Mapping

import numpy as np

from discreet.accounting.approximate import ApproximateDP
from discreet.accounting.base import Guarantee
from discreet.accounting.convolution import curve_together
from discreet.accounting.discretise import curve_of, pessimistic_masses, reach_of
from discreet.accounting.profile import hull
from discreet.accounting.pure import PureDP
from discreet.core.arrays import Floats
from discreet.core.rounding import raising

_POINTS = 320
_COARSEST = 0.25
"""e^epsilon must fit in a computer's numbers a step beyond the last point."""
_SMALLEST = 1e-20
"""Below this share of the useful range the curve is not recorded."""


def numerical_curve(counts: Mapping[Guarantee, int]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Points of the profile of all guarantees together, each as often as its count says."""
    spreads = np.array([_spread(part) for part in counts])
    repeats = np.array(list(counts.values()), dtype=float)
    variance = float(repeats @ np.square(spreads))
    if variance == 0:
        return _without_spread(counts)
    total = float(np.sum(repeats))
    width = 8.0 * math.sqrt(variance) + 0.5 * variance
    step = _aligned(counts, min(0.03 * math.sqrt(variance / total), width / 4096.0, _COARSEST))
    parts = [(pessimistic_masses(curve_of(part), step=step, reach=reach_of(part)), count) for part, count in counts.items()]
    if any(not np.any(masses.finite) for masses, _ in parts):
        return (0.0,), (1.0,)
    epsilons, deltas = curve_together(parts, step=step)
    return _thinned(epsilons, deltas)


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
    growth = np.exp(epsilons[: last + 1])
    share = np.diff(growth)[:-1] / (growth[2:] - growth[:-2])
    chords = deltas[: last - 1] * (1.0 - share) + deltas[2 : last + 1] * share
    gains = np.maximum(0.0, 1.0 - deltas[1:last] / np.maximum(chords, 1e-300))
    bends = 1 + np.flatnonzero(gains > 1e-6)
    if len(bends) > _POINTS:
        position = np.cumsum(np.sqrt(gains))
        bends = 1 + np.searchsorted(position, np.linspace(0.0, float(position[-1]) * (1.0 - 1e-9), _POINTS))
    kept = np.unique(np.concatenate(([0], np.minimum(bends, last), [last])))
    return hull(epsilons[kept], deltas[kept])
