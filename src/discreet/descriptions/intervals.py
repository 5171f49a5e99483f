"""Intervals of what is described: noise and sampling error together, from the variance of the noise, which is public.

    share     { p : (p^ - p)^2 <= z^2 (p (1 - p) / n + nu) }                          Wilson (1927), with the variance nu of the noise beside it
    mean      m^ +- z sqrt(sigma^2 / n + nu)
    deviation the square roots of  v^ +- z sqrt((mu4 - v^2) / n + nu)                 mu4 the fourth central moment, from the fine cells
    quantile  the edges e of fine cells that |F^(e) - q| <= z sqrt(q (1 - q) / n + nu(e)) does not rule out, one more on either side; F^ the nearest
              function that rises, which is no farther from the true one than what was counted (Barlow et al. 1972)

Normal approximations: for the large counts that noise leaves anything of. The noise's deviation is multiplied by `stretch`, which is 1 for Gaussian
noise and makes an interval of one Laplace variable exact. Where the denominator itself may be 0, nothing is known, and the interval is all there is.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from discreet.core.arrays import Floats
from discreet.evaluation import Estimate


class Level(NamedTuple):
    """How often intervals cover, and what they are made of."""

    level: float
    z: float
    stretch: float
    """By which a deviation of noise is multiplied."""

    @classmethod
    def of(cls, level: float, *, gaussian: bool) -> "Level":
        """The multiples of a deviation for this level, with Gaussian noise or with that of Laplace."""
        z = float(ndtri(0.5 + 0.5 * level))
        return cls(level, z, 1.0 if gaussian else max(1.0, -math.log1p(-level) / (math.sqrt(2.0) * z)))

    def around(self, value: float, noise: float, sampling: float, bounds: tuple[float, float], *, shown: float | None = None) -> Estimate:
        """Of a number between bounds, from the variances of its noise and of its sampling; `shown` is what is shown in its place."""
        noise *= self.stretch**2
        wide, alone = self.z * math.sqrt(noise + sampling), self.z * math.sqrt(noise)
        # What noise carried beyond the bounds is brought back: wider, and never a point.
        inside = min(bounds[1], max(bounds[0], value))
        return self._held(inside if shown is None else shown, (inside - wide, inside + wide), (inside - alone, inside + alone), bounds)

    def share(self, value: float, noise: float, size: float, *, shown: float | None = None) -> Estimate:
        """Of the share of `size` records, from the variance of its noise."""
        noise *= self.stretch**2
        inside = min(1.0, max(0.0, value))
        square = self.z * self.z
        middle, head = inside + 0.5 * square / size, 1.0 + square / size
        root = math.sqrt(max(0.0, middle * middle - head * (inside * inside - square * noise)))
        alone = self.z * math.sqrt(noise)
        ends, held = ((middle - root) / head, (middle + root) / head), (inside - alone, inside + alone)
        return self._held(inside if shown is None else shown, ends, held, (0.0, 1.0))

    def unknown(self, value: float, bounds: tuple[float, float]) -> Estimate:
        """The interval where nothing is known."""
        return self._held(value, bounds, bounds, bounds)

    def quantile(self, share: float, edges: Floats, below: Floats, noise: Floats, size: float) -> Estimate:
        """Of the quantile at `share`: `below` is the share of records below each edge, with its variance of noise."""
        noise, rising = noise * self.stretch**2, _rising(below)
        place = int(np.clip(np.searchsorted(rising, share), 1, len(edges) - 1))
        low, high = float(rising[place - 1]), float(rising[place])
        part = 0.5 if high <= low else min(1.0, max(0.0, (share - low) / (high - low)))
        value = float(edges[place - 1] + part * (edges[place] - edges[place - 1]))
        ends, alone = (self._ends(share, edges, rising, self.z * np.sqrt(noise + sampling)) for sampling in (share * (1.0 - share) / size, 0.0))
        return self._held(value, ends, alone, (float(edges[0]), float(edges[-1])))

    def _ends(self, share: float, edges: Floats, below: Floats, width: Floats) -> tuple[float, float]:
        """The edge before the first that may be above the quantile, and the edge after the last that may be below it."""
        first, last = below + width >= share, below - width <= share
        start = int(np.argmax(first)) if first.any() else len(edges) - 1
        end = len(edges) - 1 - int(np.argmax(last[::-1])) if last.any() else 0
        return float(edges[max(start - 1, 0)]), float(edges[min(end + 1, len(edges) - 1)])

    def _held(self, value: float, ends: tuple[float, float], alone: tuple[float, float], bounds: tuple[float, float]) -> Estimate:
        """Within bounds, and around the value."""
        low, high = bounds
        value = min(high, max(low, value))
        outer, inner = ((min(value, max(low, start)), max(value, min(high, end))) for start, end in (ends, alone))
        return Estimate(value=value, low=outer[0], high=outer[1], noise_low=inner[0], noise_high=inner[1], level=self.level)


def _rising(values: Floats) -> Floats:
    """The nearest numbers that do not fall, by pooling those that do."""
    means: list[float] = []
    sizes: list[int] = []
    for value in values.tolist():
        mean, size = value, 1
        while means and means[-1] > mean:
            mean = (mean * size + means[-1] * sizes[-1]) / (size + sizes[-1])
            size += sizes.pop()
            means.pop()
        means.append(mean)
        sizes.append(size)
    return np.repeat(means, sizes)
