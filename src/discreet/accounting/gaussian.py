"""Gaussian noise: the privacy profile of one mechanism, the least noise that reaches a target, and what integers of discrete noise cost instead.

A Gaussian vector N(f, sigma^2 I) with |f - f'|_2 <= Delta, mu = Delta / sigma, has

    delta_G(epsilon; mu) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)       (Balle and Wang 2018, theorem 8)

mu-Gaussian differential privacy is that curve: telling neighbours apart is at least as hard as telling N(0, 1) from N(mu, 1) (Dong, Roth, Su 2022,
corollary 2.13). It is the exact currency of noise of a fixed scale: mu^2 adds under composition, also adaptive (corollary 3.3), and a group of k
records has k mu (theorem 2.14).

Numerics. With a = epsilon/mu - mu/2, b = epsilon/mu + mu/2, phi the normal density and M(x) = (1 - Phi(x)) / phi(x) Mills' ratio, the same number
is phi(a) (M(a) - M(b)), for a >= 0: no large terms cancel. What is returned is an upper bound. u = 2^-53 is the unit roundoff.

  * a and b are off by at most r = 4 u (|epsilon/mu| + mu/2), so the formula is evaluated at a - r and, below, at b + r. The profile falls with
    epsilon, and phi(x) (M(x) - M(x + mu)) is the profile at the epsilon that belongs to x and mu: at x = a - r it is no smaller.
  * a - r >= 0: phi has a relative error below u (x^2 / 2 + 8), from the rounding of x^2 / 2 and of exp; each M one below `_ROUNDING` = 90 u, the sum
    x + mu included, as -1/x < M'/M < 0.
  * a - r < 0: 1 - Phi(a - r) has a relative error below `_ROUNDING`; e^epsilon (1 - Phi(b + r)) is lowered by its own, below 4 u (max(b, 0)^2 + 4):
    the logarithm of 1 - Phi has a slope below max(b, 0) + 1 in absolute value. Capping epsilon at 700 only lowers it.
  * Beyond a = 37.6 the profile is below the smallest normal number, and what is returned is never smaller than that.

`_ROUNDING` is about 20 times what erfcx and erfc commit (below 5e-16, compared with 60 digits).

Integers. What separates discrete Gaussian integers from rounded normal numbers (lemma 2 of the proof note residual_stage.md).

K of P(k) proportional to exp(-k^2 / (2 s^2)), and R = round(N(0, s^2)), N independent integers of each, drawn in T stages (each may ask what the
answers before suggest), s^2 >= N, s >= 1: for every event S of transcripts

    P(K in S) <= e^A P(R in S),    P(R in S) <= e^B P(K in S) + T e^{-800}
    A = N / (8 s^2),    B = ((sqrt(N) + 41 sqrt(T))^2 + T) / (8 s^2)

and R is a post-processing of Gaussian noise, so that answers with the noise K cost what those with Gaussian noise cost, but for A and B:

    delta(epsilon + A + B) <= e^A (delta_G(epsilon; mu) + e^epsilon T e^{-800})

Calibrations and rechecks take the lemma from here; the tests compare it with the laws themselves, in sixty digits.
"""

import math
import sys
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from discreet.accounting.base import Statement, require_finite
from discreet.core.arrays import Floats, as_float, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.remembered import remembered
from discreet.core.rounding import raising, up
from discreet.core.validate import whole

special = lazily("scipy.special")
_UNIT = 2.0**-53
_ROUNDING = 90.0 * _UNIT
"""Relative error allowed for a value of erfc or erfcx."""
_FARTHEST = 37.6
_LEAST = sys.float_info.min
_HUGE = 1e200
"""Where epsilon / mu is beyond it, mu is far smaller, and the profile is at its limit."""
_REACH = 41.0
_LOG_TAIL = -800.0
_LARGEST_EPSILON = 600.0
_UP = raising(32)


def mills_ratio(x: float) -> float:
    """(1 - Phi(x)) / phi(x) for x > -37 or so, where it is still finite."""
    return math.sqrt(math.pi / 2.0) * float(special.erfcx(x / math.sqrt(2.0)))


def normal_density(x: float) -> float:
    """phi(x)."""
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def normal_tail(x: float) -> float:
    """1 - Phi(x), accurate in both tails."""
    return 0.5 * math.erfc(x / math.sqrt(2.0))


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Upper bound on delta_G(epsilon; mu), for any real epsilon and mu >= 0."""
    epsilon, mu = as_float(epsilon), as_float(mu)
    if math.isnan(epsilon) or math.isnan(mu) or mu < 0:
        raise InvalidInput(f"the Gaussian profile needs numbers with mu >= 0; epsilon={epsilon!r}, mu={mu!r} were given.")
    if mu == 0:
        return min(1.0, -math.expm1(epsilon) * (1.0 + 4.0 * _UNIT)) if epsilon < 0 else 0.0
    if math.isinf(mu):
        return 1.0
    quotient = max(-_HUGE, min(epsilon / mu, _HUGE))
    room = 4.0 * _UNIT * (abs(quotient) + 0.5 * mu)
    left, right = quotient - 0.5 * mu - room, quotient + 0.5 * mu + room
    if left > _FARTHEST:
        return _LEAST
    if left < 0:
        first = normal_tail(left)
        high = max(right, 0.0)
        second = math.exp(min(epsilon, 700.0)) * normal_tail(right) * max(0.0, 1.0 - 4.0 * _UNIT * (high * high + 4.0))
        return max(_LEAST, min(1.0, max(0.0, first - second) + _ROUNDING * first))
    near, far = mills_ratio(left), mills_ratio(left + mu)
    raised = normal_density(left) * (1.0 + _UNIT * (left * left + 16.0))
    return max(_LEAST, raised * (near - far + _ROUNDING * near))


def gaussian_deltas(epsilons: Floats, mu: float) -> Floats:
    """`gaussian_delta` of every number of an array."""
    mu = as_float(mu)
    if not 0 < mu < math.inf:
        return np.array([gaussian_delta(float(epsilon), mu) for epsilon in epsilons])
    with np.errstate(over="ignore"):
        quotients = np.clip(epsilons / mu, -_HUGE, _HUGE)
    room = 4.0 * _UNIT * (np.abs(quotients) + 0.5 * mu)
    left, right = quotients - 0.5 * mu - room, quotients + 0.5 * mu + room
    low, high = np.clip(left, -_FARTHEST - 1.0, 0.0), np.clip(right, -2.0 * _FARTHEST, 2.0 * _FARTHEST)
    first = 0.5 * special.erfc(low / math.sqrt(2.0))
    beyond = 0.5 * special.erfc(high / math.sqrt(2.0))
    second = np.exp(np.minimum(epsilons, 700.0)) * beyond * (1.0 - 4.0 * _UNIT * (np.square(np.maximum(high, 0.0)) + 4.0))
    body = np.minimum(1.0, np.maximum(0.0, first - second) + _ROUNDING * first)
    at = np.clip(left, 0.0, _FARTHEST)
    near, far = (math.sqrt(math.pi / 2.0) * special.erfcx(point / math.sqrt(2.0)) for point in (at, at + mu))
    raised = np.exp(-0.5 * np.square(at)) / math.sqrt(2.0 * math.pi) * (1.0 + _UNIT * (at * at + 16.0))
    deltas: Floats = np.where(left < 0, body, np.where(left > _FARTHEST, 0.0, raised * (near - far + _ROUNDING * near)))
    return np.maximum(deltas, _LEAST)


@remembered
def gaussian_mu(epsilon: float, delta: float) -> float:
    """The largest mu (to 1e-9, rounded down) with delta_G(epsilon; mu) <= delta: the analytic Gaussian mechanism needs sigma = Delta / mu.

    Raises InvalidInput unless epsilon >= 0 and 0 < delta < 1.
    """
    if not (epsilon >= 0 and is_finite(epsilon) and 0 < delta < 1):
        raise InvalidInput(f"Gaussian noise needs epsilon >= 0 and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
    low, high = -46.0, 6.0
    while gaussian_delta(epsilon, math.exp(high)) <= delta:
        high += 1.0
    if gaussian_delta(epsilon, math.exp(low)) > delta:
        raise InvalidInput(f"Gaussian noise for epsilon={epsilon!r}, delta={delta!r} would be too large for float64; raise delta.")
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if gaussian_delta(epsilon, math.exp(middle)) <= delta:
            low = middle
        else:
            high = middle
    return math.exp(low)


def gaussian_epsilon(mu: float, delta: float, *, most: float) -> float:
    """The epsilon of mu-Gaussian differential privacy at delta (by 60 halvings of `most`, rounded up); at most `most`.

    Raises InvalidInput unless 0 < delta < 1 and `most` is finite and at least 0, and for a mu that is no bound.
    """
    if not (0 < delta < 1 and is_finite(most) and most >= 0):
        raise InvalidInput(f"the epsilon of Gaussian noise needs 0 < delta < 1 and a finite most >= 0; delta={delta!r}, most={most!r} were given.")
    low, high = 0.0, float(most)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gaussian_delta(middle, mu) > delta else (low, middle)
    return high


def gaussian_scale(epsilon: float, delta: float, *, sensitivity: float, count: int = 1) -> float:
    """The smallest standard deviation (to 1e-9, rounded up) for which `count` Gaussian answers are (epsilon, delta)-private in total.

    Each answer may depend on earlier ones, and changes by at most `sensitivity` in Euclidean norm between neighbours; together they are one Gaussian
    answer with sqrt(count) times the sensitivity (Dong, Roth, Su 2022, corollary 3.3).
    """
    whole(count, "the number of answers")
    if not (is_finite(sensitivity) and sensitivity > 0):
        raise InvalidInput(f"Gaussian noise needs a positive finite sensitivity; {sensitivity!r} was given.")
    return up(sensitivity * math.sqrt(count) / gaussian_mu(epsilon, delta), 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianDP(Statement):
    """mu-Gaussian differential privacy."""

    kind: ClassVar[str] = "gaussian"
    mu: float

    def __post_init__(self) -> None:
        """Refuse a mu that is no bound."""
        Statement.__post_init__(self)
        require_finite("mu", self.mu)

    def delta(self, epsilon: float) -> float:
        """See the module docstring."""
        return gaussian_delta(epsilon, self.mu)

    def deltas(self, epsilons: Floats) -> Floats:
        """`delta` for every number of an array."""
        return gaussian_deltas(epsilons, self.mu)


class Closeness(NamedTuple):
    """A and B of the lemma, rounded up; infinite where it does not apply."""

    upper: float
    lower: float

    @property
    def total(self) -> float:
        """A + B: what integers cost of epsilon beside the rounded normal law."""
        return self.upper + self.lower


def closeness(integers: float, scale: float, *, stages: int = 1) -> Closeness:
    """For so many integers in all, of this scale or a larger one, drawn in so many stages."""
    integers, scale, stages_drawn = as_float(integers), as_float(scale), as_float(stages)
    if not (scale >= 1.0 and integers <= scale * scale):
        return Closeness(math.inf, math.inf)
    reach = math.sqrt(integers) + _REACH * math.sqrt(stages_drawn)
    return Closeness(integers / (8.0 * scale * scale) * _UP, (reach**2 + stages_drawn) / (8.0 * scale * scale) * _UP)


def beyond(epsilon: float, *, stages: int = 1) -> float:
    """e^epsilon times what is left out of the second comparison."""
    return float(beyond_each(np.array([as_float(epsilon)]), stages=stages)[0])


def beyond_each(epsilons: Floats, *, stages: int = 1) -> Floats:
    """`beyond` of every number of an array."""
    whole(stages, "the number of stages")
    left_out: Floats = stages * np.exp(np.minimum(epsilons + _LOG_TAIL, 0.0))  # above 1 nothing is promised anyway
    return left_out


def discrete_delta(epsilon: float, mu: float, *, integers: float, scale: float, stages: int = 1) -> float:
    """delta at epsilon of answers that neighbours move by mu scales, with this noise; 1 where the lemma does not apply."""
    apart = closeness(integers, scale, stages=stages)
    left = min(as_float(epsilon), _LARGEST_EPSILON) - apart.total
    if not left > 0:
        return 1.0
    return min(1.0, math.exp(apart.upper) * (gaussian_delta(left, mu * _UP) + beyond(left, stages=stages)) * _UP)
