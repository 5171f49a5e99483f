"""The share of pairs of records that a model of times has in the right order, from one noisy histogram (Harrell, Lee, Mark 1996).

    c = (2 T + 1, B) released counts: row 2 p + 1 holds those whose event was in period p + 1, row 2 s those seen through s periods and no longer;
    bins rise with the predicted mean time

A pair is comparable where the event of one, in period p, is known to be before that of the other, who lived through p; it is right where the
predicted mean time of the first is below, and half right where both are in one bin. With E_p the row of events in p, L_p the sum of the rows of
those who lived through it, and k_ij = 1 for i < j, 1/2 for i = j, else 0:

    excess(a) = sum_p sum_ij E_p[i] L_p[j] (k_ij - a),     E excess(concordance) = 0,     excess(a) is linear in a

As for the area under a ROC curve (module `curves`), which this is for one period, every a is tested and no error is propagated through a ratio:

    the interval holds every a with   excess(a)^2 <= z^2 V_sample(a) + t^2 V_noise(a),     z the normal quantile of the level

g[c, b] is the derivative of the excess along a cell, in both its roles. No cell is a product with itself, so the noise of the excess has the
variance s^2 |g0|^2 + s^4 (sum of squares of the coefficients), g0 made of true counts, of which s^2 |g|^2 is an estimate that is too large on
average. t as for the area. V_sample is the sum over records of g^2 (Hoeffding 1948, of a U-statistic of pairs, to first order), with one standard
deviation of its noise more; it is at least what a (1 - a) ((1 - a) / (2 - a) + a / (1 + a)) / 2 says of the shares beside each event and each
survivor, or min(a (1 - a), 4 / events) where that is larger, and at most twice what a (1 - a) says. All to first order, with a normal law: an
approximation which benchmarks/time_coverage.py tries.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from discreet.core.arrays import Floats
from discreet.evaluation.intervals import Estimate, NoiseLaw

_STEPS = 4000
"""Of the grid of shares; intervals are one step wider at each end."""
_FEW = 4.0


class InOrder(NamedTuple):
    """Of the comparable pairs of a histogram."""

    share: float
    """Those in the right order, in [0, 1]; 1/2 where there are no pairs."""
    pairs: float


def in_order(counts: Floats) -> InOrder:
    """What (2 T + 1, bins) counts say, as if they had no noise."""
    events, beyond = _apart(counts)
    pairs = float(np.sum(events.sum(axis=1) * beyond.sum(axis=1)))
    share = min(1.0, max(0.0, float(np.sum(events * _above(beyond))) / pairs)) if pairs > 0.0 else 0.5
    return InOrder(share, pairs)


def _apart(counts: Floats) -> tuple[Floats, Floats]:
    """E and L, both (T, bins)."""
    return counts[1::2], np.cumsum(counts[::-1], axis=0)[::-1][2::2]  # row p of L: all rows from 2 (p + 1) on


def concordance(counts: Floats, law: NoiseLaw, *, level: float) -> Estimate:
    """From released counts (2 T + 1, bins), `law` that of one cell's noise. (0, 1) where there are no pairs to speak of."""
    events, beyond = _apart(counts)
    value, pairs = in_order(counts)
    if pairs <= 0.0:
        return Estimate(value=value, low=0.0, high=1.0, noise_low=0.0, noise_high=1.0, level=level)
    grid = np.append(np.linspace(0.0, 1.0, _STEPS + 1), value)
    slope, flat = _derivative(events, beyond)  # g = slope - a flat
    variance = law.deviation**2 + min(law.deviation**2, 0.25)
    noise = variance * _power(2, slope, flat, grid, np.ones_like(counts))
    normal = float(ndtri(0.5 + 0.5 * level))
    tail = max(normal, law.quantile(1.0 - level) / law.deviation) if law.deviation > 0 else normal
    sampling = _sampling(counts, slope, flat, law, grid)
    far = np.square((value - grid) * pairs)
    low, high = _ends(grid[far <= normal**2 * sampling + tail**2 * noise])
    noise_low, noise_high = _ends(grid[far <= tail**2 * noise])
    return Estimate(value=value, low=low, high=high, noise_low=noise_low, noise_high=noise_high, level=level)


def _above(rows: Floats) -> Floats:
    """For each bin how many of the row lie above, with half of those in it."""
    return np.asarray(np.cumsum(rows[:, ::-1], axis=1)[:, ::-1] - 0.5 * rows)


def _derivative(events: Floats, beyond: Floats) -> tuple[Floats, Floats]:
    """Of sum E L k along each cell, and of sum E L, both (2 T + 1, bins)."""
    periods, bins = events.shape
    slope, flat = np.zeros((2 * periods + 1, bins)), np.zeros((2 * periods + 1, bins))
    slope[1::2], flat[1::2] = _above(beyond), beyond.sum(axis=1)[:, np.newaxis]
    below = np.cumsum(np.cumsum(events, axis=1) - 0.5 * events, axis=0)
    before = np.cumsum(events.sum(axis=1))[:, np.newaxis]
    # Rows 2 (p + 1) and 2 (p + 1) + 1 lived through periods 0 .. p.
    slope[2::2] += below
    flat[2::2] += before
    slope[3::2] += below[:-1]
    flat[3::2] += before[:-1]
    return slope, flat


def _power(power: int, slope: Floats, flat: Floats, grid: Floats, weights: Floats) -> Floats:
    """sum of weights (slope - a flat)^power for every a, as a polynomial of a."""
    terms = [math.comb(power, k) * (-1) ** k * float(np.sum(weights * slope ** (power - k) * flat**k)) for k in range(power + 1)]
    return np.asarray(np.polynomial.polynomial.polyval(grid, terms))


def _sampling(counts: Floats, slope: Floats, flat: Floats, law: NoiseLaw, grid: Floats) -> Floats:
    """V_sample for every share."""
    fourths = np.maximum(_power(4, slope, flat, grid, np.ones_like(counts)), 0.0)
    found = _power(2, slope, flat, grid, counts) + law.deviation * np.sqrt(fourths)
    events, survived = np.maximum(counts[1::2].sum(axis=1), 0.0), np.zeros(len(counts))
    survived[2:] = np.repeat(np.cumsum(events), 2)[: len(counts) - 2]
    lived = np.maximum(np.cumsum(counts.sum(axis=1)[::-1])[::-1][2::2], 0.0)
    weight = float(np.sum(events * lived**2) + np.sum(np.maximum(counts.sum(axis=1), 0.0) * survived**2))
    most = grid * (1.0 - grid)
    typical = 0.5 * most * ((1.0 - grid) / (2.0 - grid) + grid / (1.0 + grid))
    number = max(float(events.sum()) + law.deviation * math.sqrt(events.size * counts.shape[1]), 1.0)
    least = np.maximum(typical, np.minimum(most, _FEW / number))
    return np.asarray(np.clip(found, weight * least, 2.0 * weight * np.maximum(most, least)))


def _ends(held: Floats) -> tuple[float, float]:
    """Of an interval that holds these shares."""
    return max(0.0, float(held.min()) - 1.0 / _STEPS), min(1.0, float(held.max()) + 1.0 / _STEPS)
