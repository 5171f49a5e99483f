"""Error bars that hold the noise and the sampling error together, from the law of the noise, which is public.

    N = K_1 + ... + K_m,     a sum of independent noise integers, K_i discrete Laplace or discrete Gaussian of one scale

The masses of one K are enumerated and convolved by a Fourier transform. Where the scale is large they are taken on a coarser grid, each K rounded
away from zero: that makes N a little larger, and error bars a little wider, never narrower. Nothing here touches privacy.

A count C of successes among n records drawn independently from a population has the law Bin(n, p); what is released is S = C + N, N a NoiseLaw.

    proportion   low = the least p with P(Bin(n, p) + N >= S) >= a / 2, high likewise (Clopper and Pearson 1934, for the law with its noise)
    ratio        n unknown, successes and failures released with noise: the noise at level a / 4, then Clopper and Pearson at 3 a / 4 for the
                 fewest successes with the most failures, and the other way round
    mean         of n numbers in [0, 1], n known or not: the noise at level a / 2, then { m : n kl(mean, m) <= log(4 / a) } (Chernoff; Hoeffding 1963)

a = 1 - level. What noise has carried beyond the possible counts (below 0, above n) is first brought back to the nearest possible one: the law of S
says how often that happens, so the intervals stay valid, and none is empty, or a point, where the noise is wide. Each covers the population's p, or
mean, with probability at least `level`, whatever it is. `noise_low` and `noise_high` are narrower: they are about these records, and hold the noise
alone.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.noise.laws import IntegerLaw

signal = lazily("scipy.signal")  # imports scipy.stats, and nothing that only reads a file needs it
_FINE = 32.0
_NEGLIGIBLE = 1e-10
_WIDEST = 1e9
"""Beyond it an answer says nothing about any table, and its law is not needed."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoiseLaw:
    """A symmetric law on multiples of `step`: masses[i] is the probability of (i - middle) step."""

    step: float
    masses: Floats = field(repr=False)

    @classmethod
    def of(cls, law: IntegerLaw, *, count: int = 1, parts: int = 1) -> Self:
        """The sum of `count` integers of this law, over `parts`."""
        if count < 1:
            raise InvalidInput(f"a sum of noise has at least one term; {count!r} was given.")
        grid, last = _grid(law.scale, reach=law.reach, parts=parts)
        tails = law.tails(grid=grid, count=last + 1)
        half = 0.5 * np.append(tails[:-1] - tails[1:], tails[-1])
        single = np.concatenate((half[::-1], [1.0 - tails[0]], half))
        size = next_fast_len((len(single) - 1) * count + 1, real=True)
        summed = single if count == 1 else np.maximum(irfft(rfft(single, size) ** count, size)[: (len(single) - 1) * count + 1], 0.0)
        return cls(step=grid / parts, masses=_trimmed(0.5 * (summed + summed[::-1])))

    @property
    def values(self) -> Floats:
        """What N may be, as many as there are masses."""
        middle = len(self.masses) // 2
        return self.step * np.arange(-middle, middle + 1, dtype=np.float64)

    @property
    def deviation(self) -> float:
        """The standard deviation of N."""
        return math.sqrt(float(np.square(self.values) @ self.masses))

    def quantile(self, tail: float) -> float:
        """The least q with P(|N| > q) <= tail."""
        middle = len(self.masses) // 2
        beyond = 2.0 * np.cumsum(self.masses[middle + 1 :][::-1])[::-1]
        return self.step * int(np.sum(beyond > tail))

    @classmethod
    def together(cls, terms: "Sequence[tuple[int, NoiseLaw]]") -> Self:
        """The law of a sum of independent multiples, each a positive whole number of times its law; all laws have one step."""
        masses, step = np.ones(1), terms[0][1].step
        for often, law in terms:
            wide = np.zeros((len(law.masses) - 1) * often + 1)
            wide[::often] = law.masses
            masses = np.maximum(signal.fftconvolve(masses, wide), 0.0)
        return cls(step=step, masses=_trimmed(0.5 * (masses + masses[::-1])))

    def over(self, divisor: float) -> "NoiseLaw":
        """The law of N / divisor."""
        return NoiseLaw(step=self.step / divisor, masses=self.masses)

    def halved(self) -> "NoiseLaw":
        """The law of N / 2."""
        return self.over(2.0)


def _grid(scale: float, *, reach: float, parts: int) -> tuple[int, int]:
    if not (math.isfinite(scale) and 0 < scale / parts <= _WIDEST):
        raise InvalidInput(f"scales of noise go up to {_WIDEST:g}; {scale / parts!r} was given. Such an answer would be pure noise: raise epsilon.")
    grid = max(1, math.floor(scale / _FINE))
    return grid, math.ceil(reach * scale / grid) + 4


def _trimmed(masses: Floats) -> Floats:
    """Without the ends that hold less than _NEGLIGIBLE, whose mass moves to the new ends; normalised."""
    middle = len(masses) // 2
    beyond = np.cumsum(masses[: middle + 1])
    cut = min(int(np.searchsorted(beyond, _NEGLIGIBLE)), middle)
    kept = masses[cut : len(masses) - cut].copy()
    if cut:
        kept[0] += beyond[cut - 1]
        kept[-1] += beyond[cut - 1]
    return kept / float(np.sum(kept))


_NOISE_SHARE = 0.25
_TOTAL_SHARE = 0.1
"""Of the error probability, for a secret number of records."""
_HALVINGS = 44


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A released number with its error bars."""

    value: float
    low: float
    high: float
    """For the population that the records were drawn from: noise and sampling error together."""
    noise_low: float
    noise_high: float
    """For these records: what the noise alone leaves open."""
    level: float

    def root(self) -> "Estimate":
        """Of its square root; ends below 0 count as 0."""
        return self._each(lambda end: math.sqrt(max(end, 0.0)))

    def scaled(self, unit: float) -> "Estimate":
        """Of so many times what it is of, unit > 0."""
        return self._each(lambda end: unit * end)

    def moved(self, by: float) -> "Estimate":
        """Of what it is of, and so much more."""
        return self._each(lambda end: end + by)

    def _each(self, change: Callable[[float], float]) -> "Estimate":
        """Of a function of it that rises."""
        ends = {name: change(getattr(self, name)) for name in ("value", "low", "high", "noise_low", "noise_high")}
        return Estimate(**ends, level=self.level)

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {
            "value": self.value,
            "interval": [self.low, self.high],
            "noise_interval": [self.noise_low, self.noise_high],
            "level": self.level,
        }

    def __str__(self) -> str:
        """The number with its interval for the population."""
        return f"{self.value:.4f} ({100 * self.level:g} %: {self.low:.4f} to {self.high:.4f})"


def proportion_interval(successes: float, trials: int, law: NoiseLaw, *, level: float = 0.95) -> Estimate:
    """Of a public number of trials, `successes` counted with noise of this law."""
    checked_level(level)
    tail = 0.5 * (1.0 - level)
    successes = min(float(trials), max(0.0, successes))
    low, high = _lower(successes, trials, law, tail), 1.0 - _lower(trials - successes, trials, law, tail)
    width = law.quantile(1.0 - level)
    return Estimate(
        value=_clipped(successes / trials),
        low=low,
        high=high,
        noise_low=_clipped((successes - width) / trials),
        noise_high=_clipped((successes + width) / trials),
        level=level,
    )


def ratio_interval(successes: float, failures: float, law: NoiseLaw, failures_law: NoiseLaw, *, level: float = 0.95) -> Estimate:
    """Of a secret number of trials: successes and failures were both counted with noise."""
    checked_level(level)
    error = 1.0 - level
    tail = 0.5 * (1.0 - _NOISE_SHARE) * error
    successes, failures = max(0.0, successes), max(0.0, failures)
    fewest, most, kept, lost = _ends(successes, failures, law, failures_law, _NOISE_SHARE * error)
    fewest_alone, most_alone, kept_alone, lost_alone = _ends(successes, failures, law, failures_law, error)
    total = successes + failures
    return Estimate(
        value=_clipped(successes / total) if total > 0 else 0.5,
        low=float(betaincinv(fewest, lost + 1.0, tail)) if fewest > 0 else 0.0,
        high=float(betaincinv(most + 1.0, kept, 1.0 - tail)) if kept > 0 else 1.0,
        noise_low=fewest_alone / (fewest_alone + lost_alone) if fewest_alone > 0 else 0.0,
        noise_high=most_alone / (most_alone + kept_alone) if most_alone > 0 else 1.0,
        level=level,
    )


def mean_interval(total: float, records: tuple[float, float, float], law: NoiseLaw, *, unit: float, level: float = 0.95) -> Estimate:
    """Of numbers in [0, 1] whose sum, times `unit`, was released with noise; records = (fewest, as stated, most), all three n where n is public.

    Where n is secret, [fewest, most] must hold it with probability 1 - (1 - level) / 10.
    """
    checked_level(level)
    fewest, stated, most = records
    error = (1.0 - level) * (1.0 if fewest == most else 1.0 - _TOTAL_SHARE)
    if fewest < 1:
        return Estimate(value=_clipped(total / (unit * max(stated, 1.0))), low=0.0, high=1.0, noise_low=0.0, noise_high=1.0, level=level)
    alone, width = law.quantile(error), law.quantile(0.5 * error)
    total = min(unit * most, max(0.0, total))
    radius = math.log(4.0 / error) / fewest
    return Estimate(
        value=_clipped(total / (unit * stated)),
        low=1.0 - _furthest(1.0 - _clipped((total - width) / (unit * most)), radius),
        high=_furthest(_clipped((total + width) / (unit * fewest)), radius),
        noise_low=_clipped((total - alone) / (unit * most)),
        noise_high=_clipped((total + alone) / (unit * fewest)),
        level=level,
    )


def checked_level(level: float) -> None:
    """Raise InvalidInput unless it is the level of an interval."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0.5 <= level < 1:
        raise InvalidInput(f"the level of an interval must be at least 0.5 and less than 1; {level!r} was given.")


def _ends(successes: float, failures: float, law: NoiseLaw, failures_law: NoiseLaw, error: float) -> tuple[float, float, float, float]:
    """Fewest and most successes, fewest and most failures, that hold the true ones but for a probability of `error`."""
    width, other = law.quantile(0.5 * error), failures_law.quantile(0.5 * error)
    return max(0.0, successes - width), max(0.0, successes + width), max(0.0, failures - other), max(0.0, failures + other)


def _lower(successes: float, trials: int, law: NoiseLaw, tail: float) -> float:
    """The largest p (from below) with P(Bin(trials, p) + N >= successes) <= tail."""
    needed = np.ceil(successes - law.values - 1e-9)
    sure = float(np.sum(law.masses[needed <= 0]))
    possible = (needed >= 1) & (needed <= trials)
    wanted, masses = needed[possible], law.masses[possible]

    def reached(p: float) -> float:
        return sure + float(masses @ betainc(wanted, trials - wanted + 1.0, p))

    if sure >= tail:
        return 0.0
    if reached(1.0) <= tail:
        return 1.0
    low = float(brentq(lambda p: reached(p) - tail, 0.0, 1.0, xtol=1e-13))
    while reached(low) > tail:
        low = max(0.0, low - 1e-12)
    return low


def _furthest(mean: float, radius: float) -> float:
    """The largest m >= mean with kl(mean, m) <= radius, from above."""
    low, high = mean, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _divergence(mean, middle) <= radius else (low, middle)
    return high


def _divergence(p: float, q: float) -> float:
    """kl(p, q) of two Bernoulli laws."""
    if q >= 1.0:
        return 0.0 if p >= 1.0 else math.inf
    first = p * math.log(p / q) if p > 0 else 0.0
    return first + ((1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1 else 0.0)


def _clipped(share: float) -> float:
    return min(1.0, max(0.0, share))


def noisy_range(total: float, law: NoiseLaw, level: float) -> tuple[float, float, float]:
    """(fewest, as released, most) records, which hold the true number with probability 1 - (1 - level) / 10."""
    width = law.quantile(_TOTAL_SHARE * (1.0 - level))
    return total - width, total, total + width
