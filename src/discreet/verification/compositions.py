"""Losses of several problems together, on a grid: sums of losses, curves of compositions, two steps of a relation, as rechecks compute them.

Compositions take sums of products where they are few and a plain Fourier transform where they are many; sums of suprema, one tilted transform.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.accounting import ApproximateDP
from discreet.core.arrays import Floats
from discreet.core.lazily import lazily
from discreet.verification.base import Stated
from discreet.verification.numerics import chords, normal_above

fft, optimize = lazily("scipy.fft"), lazily("scipy.optimize")
Bound: TypeAlias = Callable[[Floats], Floats]
Longest: TypeAlias = npt.NDArray[np.longdouble]
_DIRECT = 4e9
"""Products that a composition of losses may take. Above, a transform does it, whose rounding at a large epsilon is multiplied by its exponential."""
_FEWEST, _FARTHEST = 14.0, 37.0
_MOST_POINTS = 20_000
_APART = 4
"""Of the points of a grid, at which theorem T3 is integrated."""
_LARGEST_EXPONENT = math.floor(float(np.log(np.finfo(np.longdouble).max))) - 1
"""Of losses whose exponential is a number, in the longest numbers that there are; what is beyond counts as infinite."""


def two_steps(one_step: Callable[[Floats], Floats], reach: float) -> Callable[[float], float]:
    """epsilon -> delta of two steps of a symmetric relation, each at most `one_step`, which takes any real numbers: the least split.

    delta(epsilon) <= delta(x) + e^x delta(epsilon - x) for every x. Below 0 a symmetric curve is known by its complement too:
    delta(-x) = 1 - e^-x + e^-x delta(x). Up to `reach`, chords are no worse than the atoms of a grid.
    """
    places = np.linspace(-reach, reach, 2001)
    mirrored = -np.expm1(-np.abs(places)) + np.exp(-np.abs(places)) * one_step(np.abs(places))
    nearby = chords(places, np.where(places < 0, np.minimum(one_step(places), mirrored), one_step(places)))

    def least(epsilons: Floats) -> Floats:
        return np.minimum(nearby(epsilons), one_step(epsilons))

    def delta(epsilon: float) -> float:
        # Where epsilon is small the best split is no share of it.
        splits = np.concatenate((epsilon * np.linspace(-1.0, 2.0, 3001), np.linspace(-reach, reach + epsilon, 1001)))
        return float(np.min(least(splits) + np.exp(np.minimum(splits, 700.0)) * least(epsilon - splits)))

    return delta


def deviations(stated: Stated) -> float:
    """Up to which losses are put on a grid, so that those beyond, which count as infinite, are little beside what is stated."""
    guarantee = stated.guarantee
    delta, epsilon = (guarantee.delta_at_epsilon, guarantee.epsilon) if isinstance(guarantee, ApproximateDP) else (1.0, 0.0)
    return min(max(_FEWEST, math.sqrt(2.0 * (min(epsilon, 700.0) - math.log(max(delta, 1e-300)))) + 2.0), _FARTHEST)


def sum_beyond(losses: Floats, weight: Floats, s: float, count: int, epsilon: float) -> Callable[[float, float], float]:
    """(tau, mu) -> E (T + l - tau)_+, l as in `excess`: T the sum of so many losses with these weights, on a grid whose atoms keep their means.

    The transform is of probabilities tilted so that the mean of T is epsilon, where they are wanted. `s` is about the deviation of one.
    """
    step = max(0.005 * s, float(losses.max()) / _MOST_POINTS)
    place, part = np.divmod(losses / step, 1.0)
    masses = np.bincount(place.astype(np.int64), weights=weight * (1.0 - part), minlength=int(place.max()) + 2)
    masses += np.bincount(place.astype(np.int64) + 1, weights=weight * part, minlength=len(masses))
    values = step * np.arange(len(masses))

    def tilted(tilt: float) -> tuple[Floats, float]:
        unscaled = np.log(np.maximum(masses, 1e-320)) + tilt * values
        log_moment = float(np.max(unscaled) + math.log(np.sum(np.exp(unscaled - np.max(unscaled)))))
        return np.exp(unscaled - log_moment), log_moment

    def mean(tilt: float) -> float:
        return count * float(tilted(tilt)[0] @ values) - epsilon

    farthest = 600.0 / float(values[-1])
    tilt = 0.0 if mean(0.0) > 0 else farthest if mean(farthest) < 0 else float(optimize.brentq(mean, 0.0, farthest))
    likely, log_moment = tilted(tilt)
    length = 1 << math.ceil(math.log2(count * (len(masses) - 1) + 1))
    together = np.maximum(fft.irfft(fft.rfft(likely, length) ** count, length), 0.0)
    sums = step * np.arange(length)
    together *= np.exp(np.clip(count * log_moment - tilt * sums, -700.0, 700.0))
    above, weighted = (np.append(np.cumsum(terms[::-1])[::-1], 0.0) for terms in (together, together * sums))

    def beyond(threshold: float, mu: float) -> float:
        if mu:
            return float(together @ normal_above(np.asarray(sums + (0.5 * mu * mu - threshold), dtype=np.float64), mu))
        at = int(np.searchsorted(sums, max(threshold, 0.0), side="right"))
        return float(weighted[at] - max(threshold, 0.0) * above[at]) + max(-threshold, 0.0)

    return beyond


def composed(
    worst: Floats, weight: Floats, count: int, *, step: float, reach: float, least: float = -math.inf, beside: Bound | None = None
) -> tuple[Floats, Floats]:
    """So many independent losses of one law together, on a grid of this step that `reach` ends, and their masses under the likelier data set.

    The law is that of numbers `worst` >= 0 and their weights: a bound of losses in both directions, so that the likelier set has those below 0 of the
    other; or from `least` on, 0, where these numbers are what is beyond it. `beside` is another bound of the curve of one, which counts where it is
    less. The mass of what lies beyond the grid, as infinite, comes last.
    """
    reach = min(reach, _LARGEST_EXPONENT)
    grid = np.asarray(step * np.arange(math.ceil(reach / step) + 2), dtype=np.float64)
    powers = np.exp(grid.astype(np.longdouble))
    upper = _beyond(worst, weight, grid, powers)
    if beside is not None:
        some = np.append(grid[::_APART], grid[-1] + step)
        upper = np.minimum(upper, chords(some, beside(some))(grid))
    if least < 0:  # of both directions: known below 0 too, by complements, and convex across it
        mirrored = -np.expm1(-grid) + np.exp(-grid) * upper
        upper = chords(np.append(-grid[:0:-1], grid), np.append(mirrored[:0:-1], upper))(grid)
    slope = np.append(np.maximum(np.diff(-upper) / np.diff(powers), 0.0), 0.0)
    slope = np.maximum.accumulate(slope[::-1])[::-1]
    steeper = slope[:-1] - slope[1:]
    against, likely = steeper.astype(np.float64), (steeper * powers[1:]).astype(np.float64)
    rest = 1.0 - float(upper[-1] + likely.sum())
    if least < 0:
        masses = np.concatenate((against[::-1], [max(0.0, rest - float(against.sum()))], likely))
    else:
        masses = np.concatenate((np.zeros(len(against)), [max(0.0, rest)], likely))
    longest = count * (len(grid) - 1)
    if (count * len(masses)) ** 2 <= _DIRECT:
        together = masses
        for _ in range(count - 1):
            together = np.convolve(together, masses)
    else:
        length = 1 << math.ceil(math.log2(2 * longest + 1))
        together = np.maximum(fft.irfft(fft.rfft(masses, length) ** count, length)[: 2 * longest + 1], 0.0)
    losses: Floats = step * np.arange(-longest, longest + 1, dtype=np.float64)
    return losses, np.append(together, min(1.0, count * float(upper[-1])))


def _beyond(losses: Floats, weights: Floats, grid: Floats, powers: Longest) -> Floats:
    """E (1 - e^{epsilon - loss})_+ for every epsilon of the grid, whose exponentials are `powers`.

    It is the weight of greater losses, less e^epsilon times that of e^-loss: both sums from the largest loss on, in the longest numbers there are,
    as they nearly cancel.
    """
    order = np.argsort(losses)
    longer, heavy = losses[order].astype(np.longdouble), weights[order].astype(np.longdouble)
    above, against = (np.append(np.cumsum(terms[::-1])[::-1], 0.0) for terms in (heavy, heavy * np.exp(-longer)))
    at = np.searchsorted(losses[order], grid, side="right")
    return np.maximum(above[at] - powers * against[at], 0.0).astype(np.float64)


def curve_of(losses: Floats, masses: Floats) -> Callable[[Floats], Floats]:
    """epsilons -> delta, for any real numbers."""
    likely, infinite = masses[:-1], float(masses[-1])
    above = np.append(np.cumsum(likely[::-1])[::-1], 0.0)
    powers = np.exp(np.minimum(-losses, _LARGEST_EXPONENT).astype(np.longdouble))
    against = np.append(np.cumsum((likely * powers)[::-1])[::-1], 0.0)

    def delta(epsilons: Floats) -> Floats:
        at = np.searchsorted(losses, epsilons, side="right")
        return (infinite + np.maximum(above[at] - np.exp(np.minimum(epsilons, 700.0)) * against[at], 0.0)).astype(np.float64)

    return delta
