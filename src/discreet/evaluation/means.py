"""Error bars of means whose spread was released beside them, and of an R^2: noise and sampling error together, by normal laws.

    R = sum x,  S = sum x^2,  T = number of records or what they weigh (exact, or noisy),   0 <= x <= 1,   r the mean in the population

For a candidate r the sum of x - r is normal, of variance at most V(r) = S(r) - r^2 T, and R has the noise's own law on top, convolved with it; the
interval holds every r for which R - r T is not too far out. S(r) is S with the reach of its noise, and in proportion to r beyond R / T: a few records
that are far off then widen the upper side as they do a Poisson mean's. It is at most r T, since x^2 <= x.

    R^2 = 1 - rho,   rho the mean of e^2 over the variance of t:   sum of e^2 - rho (t - mean t)^2 is normal around 0

for the true rho, of a deviation at most that of its two parts added up (Cauchy and Schwarz): what they have in common is not released. The second
part's is read from the first four moments of t. Intervals hold what they are about as often as they say where errors are many, or noise covers the
few; `python benchmarks/number_coverage.py` counts how often (docs/evaluation.md). Where persons have several rows, x of a person is the
sum of its rows' with their weights a: (sum a x)^2 <= sum a x^2, so S bounds the spread between persons, whatever their rows have in common.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from discreet.core.arrays import Floats
from discreet.evaluation.intervals import Estimate, NoiseLaw, checked_level

_COVERED = 0.1
"""How often the noise of a sum of squares may reach farther than is reckoned with."""
_HALVINGS = 46
MOST_RHO = 10.0
"""An R^2 below 1 - 10 is stated as that."""


class Total(NamedTuple):
    """A sum over records, as it was released, and its noise; None where it is exact."""

    value: float
    law: NoiseLaw | None

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise."""
        return 0.0 if self.law is None else self.law.deviation

    @property
    def highest(self) -> float:
        """What the exact sum is hardly beyond, at least 0."""
        return max(0.0, self.value + (0.0 if self.law is None else self.law.quantile(2.0 * _COVERED)))

    def quantile(self, tail: float) -> float:
        """How far the noise reaches but for this probability."""
        return 0.0 if self.law is None else self.law.quantile(tail)


Term = tuple[float, Total]
"""A sum and how often it counts."""


def reach(terms: Sequence[Term], deviation: float, tail: float) -> float:
    """q with P(|noise of the terms together + a normal number of this deviation| > q) = tail, all but the widest noise taken for normal."""
    often, law, rest, whole = _parts(terms, deviation)
    if law is None:
        return -float(ndtri(0.5 * tail)) * rest
    if rest <= 1e-9 * whole:
        return often * law.quantile(tail)
    values = often * law.values
    high = 4.0 * whole
    while _beyond(high, values, law, rest) > tail:
        high *= 2.0
    return float(brentq(lambda distance: _beyond(distance, values, law, rest) - tail, 0.0, high, xtol=1e-6 * whole))


def within(distance: float, terms: Sequence[Term], deviation: float, tail: float) -> bool:
    """Whether it is at most `reach`, which need not be found for that."""
    often, law, rest, whole = _parts(terms, deviation)
    if law is None or rest <= 1e-9 * whole:
        return distance <= reach(terms, deviation, tail)
    return _beyond(distance, often * law.values, law, rest) >= tail


def _parts(terms: Sequence[Term], deviation: float) -> tuple[float, NoiseLaw | None, float, float]:
    """How often the widest noise counts, its law, None where there is none, the deviation of the rest, and that of all."""
    widths = [abs(often) * total.deviation for often, total in terms]
    widest = int(np.argmax(widths)) if widths else 0
    rest = math.sqrt(deviation**2 + sum(width**2 for place, width in enumerate(widths) if place != widest))
    if not terms or widths[widest] == 0.0:
        return 0.0, None, rest, rest
    return abs(terms[widest][0]), terms[widest][1].law, rest, math.hypot(rest, widths[widest])


def _beyond(distance: float, values: Floats, law: NoiseLaw, rest: float) -> float:
    """P(|noise + a normal number of deviation `rest`| > distance), falling, for a noise with these values."""
    return 2.0 * float(law.masses @ ndtr((values - distance) / rest))


def mean_of(total: Total, squares: Total, size: Total, *, level: float) -> Estimate:
    """Of numbers x in [0, 1], from the sums of x and of x^2, and what all records weigh."""
    checked_level(level)
    tail = 1.0 - level
    if size.value < 1.0:
        return Estimate(value=0.0, low=0.0, high=1.0, noise_low=0.0, noise_high=1.0, level=level)
    most = squares.highest

    def plausible(mean: float) -> bool:
        weight = mean * size.value
        spread = max(most, most * weight / total.value if total.value > 0 else 0.0)
        variance = max(min(spread, weight) - mean * weight, 0.0)
        return within(abs(total.value - weight), ((1.0, total), (mean, size)), math.sqrt(variance), tail)

    value = min(1.0, max(0.0, total.value / size.value))
    alone, steep = total.quantile(tail), size.quantile(tail)
    low = max(0.0, (total.value - alone) / (size.value + steep))
    high = min(1.0, max(0.0, (total.value + alone) / (size.value - steep))) if size.value > steep else 1.0
    return _around(low, high, _end(plausible, value, 0.0), _end(plausible, value, 1.0), value=value, level=level)


@dataclass(frozen=True, slots=True)
class Targets:
    """Sums of t, t^2, t^3 and t^4, -1 <= t <= 1, and what all records weigh."""

    first: Total
    second: Total
    third: Total
    fourth: Total
    size: Total

    @property
    def mean(self) -> float:
        """Of t."""
        return min(1.0, max(-1.0, self.first.value / max(self.size.value, 1.0)))

    @property
    def scatter(self) -> float:
        """The sum of (t - mean)^2; what the square of the first sum's noise adds is taken off."""
        return self.second.value - (self.first.value**2 - self.first.deviation**2) / max(self.size.value, 1.0)

    @property
    def deviation(self) -> float:
        """At most that of the sum of (t - mean)^2 over samples."""
        m, n = self.mean, max(self.size.value, 1.0)
        fourth = self.fourth.value - 4.0 * m * self.third.value + 6.0 * m * m * self.second.value - 3.0 * m**4 * n
        noise = ((1.0, self.fourth), (4.0 * m, self.third), (6.0 * m * m, self.second))
        fourth += reach(noise, 0.0, 2.0 * _COVERED)
        largest = (1.0 + abs(m)) ** 2
        scatter = min(max(self.scatter, 0.0), n)
        bound = largest * (scatter + reach(((1.0, self.second),), 0.0, 2.0 * _COVERED))
        return math.sqrt(max(min(fourth, bound) - scatter * scatter / n, 0.0))


def r_squared(squares: Total, fourths: Total, targets: Targets, *, unit: float, level: float) -> Estimate:
    """Of 1 - E e^2 / Var t, from the sums of x^2 and x^4, where e = unit x; and those of t."""
    checked_level(level)
    tail, n = 1.0 - level, max(targets.size.value, 1.0)
    scale, m, scatter = unit * unit, targets.mean, targets.scatter
    errors = math.sqrt(max(min(fourths.highest, squares.highest) - max(squares.value, 0.0) ** 2 / n, 0.0))
    of_targets = targets.deviation

    def plausible(rho: float, *, sample: bool) -> bool:
        terms = ((scale, squares), (rho, targets.second), (2.0 * rho * m, targets.first), (rho * m * m, targets.size))
        return within(abs(scale * squares.value - rho * scatter), terms, scale * errors + rho * of_targets if sample else 0.0, tail)

    among, of_these = partial(plausible, sample=True), partial(plausible, sample=False)

    rho = min(MOST_RHO, max(0.0, scale * squares.value / scatter)) if scatter > 0 else MOST_RHO if squares.value > 0 else 1.0
    return Estimate(
        value=1.0 - rho,
        low=1.0 - _end(among, rho, MOST_RHO),
        high=1.0 - _end(among, rho, 0.0),
        noise_low=1.0 - _end(of_these, rho, MOST_RHO),
        noise_high=1.0 - _end(of_these, rho, 0.0),
        level=level,
    )


def difference_of(total: Total, squares: Total, size: Total, *, level: float) -> Estimate:
    """Of the mean of numbers x that are -1, 0 or 1, from the sums of x and of x^2."""
    checked_level(level)
    tail = 1.0 - level
    if size.value < 1.0:
        return Estimate(value=0.0, low=-1.0, high=1.0, noise_low=-1.0, noise_high=1.0, level=level)
    spread = min(max(squares.highest, 1.0), size.value)

    def plausible(mean: float) -> bool:
        weight = mean * size.value
        variance = max(max(spread, abs(weight)) - mean * weight, 0.0)
        return within(abs(total.value - weight), ((1.0, total), (mean, size)), math.sqrt(variance), tail)

    value = min(1.0, max(-1.0, total.value / size.value))
    alone, steep = total.quantile(tail), size.quantile(tail)
    sizes = max(size.value - steep, 1.0), size.value + steep
    low, high = max(-1.0, min((total.value - alone) / one for one in sizes)), min(1.0, max((total.value + alone) / one for one in sizes))
    return _around(low, high, _end(plausible, value, -1.0), _end(plausible, value, 1.0), value=value, level=level)


def _around(noise_low: float, noise_high: float, low: float, high: float, *, value: float, level: float) -> Estimate:
    """What the noise alone leaves open is found at its corners, so where samples hardly differ it may be the wider one: the population's holds it."""
    ends = {"low": min(low, noise_low), "high": max(high, noise_high), "noise_low": noise_low, "noise_high": noise_high}
    return Estimate(value=value, **ends, level=level)


def _end(plausible: Callable[[float], bool], middle: float, farthest: float) -> float:
    """The last plausible number on the way from the middle, which counts as such, to the farthest one."""
    if plausible(farthest):
        return farthest
    inside, outside = middle, farthest
    for _ in range(_HALVINGS):
        half = 0.5 * (inside + outside)
        inside, outside = (half, outside) if plausible(half) else (inside, half)
    return outside
