"""The sum of K independent privacy losses of one law, beyond thresholds (proof note one_vs_rest.md, persons with several rows).

    T = Y_1 + ... + Y_K,  Y >= 0;      E (T - tau)_+ from m(t) = E (Y - t)_+,  t = 0, h, ..., J h

Chords above m belong to a law on the grid: each atom of Y is split between its two neighbours there, which keeps its mean and only raises
expectations of convex functions, of the sum too. What is beyond J h adds at most K m(J h). Of K of these together the hockey sticks
C(t) = E (1 - e^{t - T})_+ are known at the grid points (`accounting.convolution`, every error added), and

    (x - t)_+ = (1 - e^{t - x})_+ + int_t^x (1 - e^{r - x}) dr,      E (T - t)_+ = C(t) + int_t^oo C(r) dr

C is convex in e^r, so chords over e^r are above it: a cell adds at most h ((1 - k) C(t) + k C(t + h)) for k = 1/2 - h/12 <= 1/h - 1/(e^h - 1).

Far out, where these leave more aside than there is, e^{theta (x - t)} / (e theta) >= (x - t)_+ and independence are better: for any theta > 0

    E (T - t)_+ <= e^{K ln M(theta) - theta t} / (e theta),     M(theta) = E e^{theta Y}

M of atoms that keep means is no smaller, as the exponential is convex; what is beyond a grid that ends at `_FAR` deviations adds K m there.
"""

import math
from functools import lru_cache

import numpy as np

from discreet.accounting.convolution import Masses, curve_together
from discreet.core.arrays import Floats
from discreet.mechanisms.learning.persons import Loss, Tail

_POINTS = 8_192
_FINEST, _COARSEST = 0.02, 0.25
_FLAT = 2_000.0
"""Times its deviation, beyond which a loss is hardly random: (T - tau)_+ is at most the sum of (Y - tau / K)_+ then, and nearly that."""
_NEAR, _FAR, _FAINT = 10.0, 37.0, 1e-20
"""Deviations of one loss within reach, and up to which Chernoff's bound is taken; and means below which it is looked at."""
_TILTS = np.geomspace(0.5, 80.0, 160)
"""theta, in deviations of the sum."""
_UP = 1.0 + 1e-9
"""Outweighs the rounding of m (module `persons`) and of sums of positive numbers."""
_INFLATION = 1e-11
"""Of masses, as of curves that are discretised (`accounting.numerical`)."""


def sum_of_losses(loss: Loss, count: int, *, spread: float, reach: float) -> Loss:
    """The law of the sum of `count` independent losses of this law, by E (. - tau)_+ at least.

    `spread` is about the deviation of one, `reach` what one hardly exceeds: with these the bound is close, with others it is a bound.
    """
    if reach > _FLAT * spread:
        return lambda thresholds: Tail(count * (found := loss(thresholds / count)).mean * _UP, np.minimum(count * found.share, 1.0))
    step = min(max(_FINEST * spread, reach / _POINTS), _COARSEST)
    finite, rest = _atoms(loss, step, reach)
    epsilons, sticks = curve_together([(Masses(first=0, finite=finite, infinite=0.0), count)], step=step)
    above = _beyond_grid(sticks, step, most=count * (len(finite) - 1) * step - float(epsilons[-1])) + count * rest
    shares = -np.gradient(above, step)

    @lru_cache(maxsize=1)
    def far() -> tuple[Floats, Floats, float]:
        """theta, K ln M(theta) - ln(e theta), and what is beyond the grid."""
        atoms, beyond = _atoms(loss, 2.0 * step, reach + (_FAR - _NEAR) * spread)
        losses = 2.0 * step * np.arange(len(atoms))
        tilts = np.minimum(_TILTS / (math.sqrt(count) * spread), 600.0 / losses[-1])
        moments = np.log(np.exp(np.multiply.outer(tilts, losses)) @ atoms)
        return tilts, count * moments - 1.0 - np.log(tilts) + math.log(_UP), count * beyond

    def tail(thresholds: Floats) -> Tail:
        at = np.maximum(thresholds, 0.0)
        mean, share = np.interp(at, epsilons, above), np.where(thresholds < 0, 1.0, np.interp(at, epsilons, shares))
        faint = mean < _FAINT
        if faint.any():
            tilts, moments, beyond = far()
            exponents = moments[:, np.newaxis] - np.multiply.outer(tilts, at[faint])
            best = np.argmin(exponents, axis=0)
            chernoff = np.exp(np.take_along_axis(exponents, best[np.newaxis], axis=0)[0]) + beyond
            mean[faint], share[faint] = np.minimum(mean[faint], chernoff), np.minimum(tilts[best] * chernoff, 1.0)
        return Tail(mean + (at - thresholds), share)

    return tail


def _atoms(loss: Loss, step: float, reach: float) -> tuple[Floats, float]:
    """A law on the grid with means beyond thresholds no smaller, up to `reach`, and the mean of one loss beyond it."""
    means = loss(step * np.arange(max(2, math.ceil(reach / step)) + 1, dtype=np.float64)).mean * _UP
    falls = np.append(np.maximum.accumulate((-np.diff(means) / step)[::-1])[::-1], 0.0)
    likely = -np.diff(falls)
    return np.concatenate(([max(0.0, 1.0 - float(np.sum(likely)))], likely)) * (1.0 + _INFLATION), float(means[-1])


def _beyond_grid(sticks: Floats, step: float, *, most: float) -> Floats:
    """E (T - t)_+ at the grid points, from C there; the last loss is `most` beyond the last of these points."""
    share = 0.5 - step / 12.0
    cells = step * (sticks[:-1] * (1.0 - share) + sticks[1:] * share)
    rest = max(0.0, most) * float(sticks[-1])
    found: Floats = (sticks + np.append(np.cumsum(cells[::-1])[::-1], 0.0) + rest) * _UP
    return found
