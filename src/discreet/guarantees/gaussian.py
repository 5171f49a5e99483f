"""The privacy profile of one Gaussian mechanism, and the least noise that reaches a target (Balle and Wang 2018, theorem 8).

A Gaussian vector N(f, sigma^2 I) with |f - f'|_2 <= Delta, mu = Delta / sigma, has

    delta_G(epsilon; mu) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)

Numerics. With a = epsilon/mu - mu/2, phi the normal density and M(x) = (1 - Phi(x)) / phi(x) Mills' ratio, the same number is phi(a) (M(a)
- M(a + mu)): no large terms cancel. The result is rounded up by more than the rounding errors of this formula, so that it is an upper
bound.
"""

import math
import sys

import numpy as np
from scipy.special import erfc, erfcx

from discreet.arrays import Floats
from discreet.errors import InvalidInput
from discreet.guarantees.numbers import require_count, up

_ROUNDING = 1e-14
"""Relative error allowed for each of the two terms; about 40 times what erfcx and exp commit."""
_FARTHEST = 38.0
"""Beyond it the normal tail is below the smallest normal number, which is returned as the upper bound."""


def mills_ratio(x: float) -> float:
    """(1 - Phi(x)) / phi(x) for x > -37 or so, where it is still finite."""
    return math.sqrt(math.pi / 2.0) * float(erfcx(x / math.sqrt(2.0)))


def normal_density(x: float) -> float:
    """phi(x)."""
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def normal_tail(x: float) -> float:
    """1 - Phi(x), accurate in both tails."""
    return 0.5 * math.erfc(x / math.sqrt(2.0))


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Upper bound of delta_G(epsilon; mu), for any real epsilon and mu >= 0."""
    if math.isnan(epsilon) or math.isnan(mu) or mu < 0:
        raise InvalidInput(f"the Gaussian profile needs numbers with mu >= 0; epsilon={epsilon!r}, mu={mu!r} were given.")
    if mu == 0:
        return max(0.0, -math.expm1(epsilon)) if epsilon < 0 else 0.0
    if math.isinf(mu):
        return 1.0
    threshold = epsilon / mu - 0.5 * mu
    if threshold > _FARTHEST:
        return sys.float_info.min
    if threshold < 0:
        first = normal_tail(threshold)
        second = math.exp(min(epsilon, 700.0)) * normal_tail(threshold + mu)
    else:
        density = normal_density(threshold)
        first, second = density * mills_ratio(threshold), density * mills_ratio(threshold + mu)
    return min(1.0, max(0.0, first - second) + _ROUNDING * first + 5e-324)


def gaussian_deltas(epsilons: Floats, mu: float) -> Floats:
    """`gaussian_delta` of every number of an array."""
    if not 0 < mu < math.inf:
        return np.array([gaussian_delta(float(epsilon), mu) for epsilon in epsilons])
    with np.errstate(over="ignore"):
        thresholds = epsilons / mu - 0.5 * mu
    near, far = np.clip(thresholds, -_FARTHEST, 0.0), np.clip(thresholds, 0.0, 2.0 * _FARTHEST)
    density = np.exp(-0.5 * np.square(far)) / 2.0
    far_first = density * erfcx(far / math.sqrt(2.0))
    far_second = density * erfcx((far + mu) / math.sqrt(2.0))
    left = thresholds < 0
    first = np.where(left, 0.5 * erfc(near / math.sqrt(2.0)), far_first)
    second = np.where(left, np.exp(np.minimum(epsilons, 700.0)) * 0.5 * erfc((np.minimum(thresholds, 0.0) + mu) / math.sqrt(2.0)), far_second)
    deltas: Floats = np.minimum(1.0, np.maximum(0.0, first - second) + _ROUNDING * first + 5e-324)
    return np.where(thresholds > _FARTHEST, sys.float_info.min, deltas)


def gaussian_mu(epsilon: float, delta: float) -> float:
    """The largest mu (to 1e-9, rounded down) with delta_G(epsilon; mu) <= delta: the analytic Gaussian mechanism needs sigma = Delta / mu.

    Raises InvalidInput unless epsilon >= 0 and 0 < delta < 1.
    """
    if not (epsilon >= 0 and math.isfinite(epsilon) and 0 < delta < 1):
        raise InvalidInput(f"Gaussian noise needs epsilon >= 0 and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
    low, high = -46.0, 6.0
    while gaussian_delta(epsilon, math.exp(high)) <= delta:
        high += 1.0
    if gaussian_delta(epsilon, math.exp(low)) > delta:
        raise InvalidInput(f"no Gaussian noise that fits in a computer's numbers reaches epsilon={epsilon!r}, delta={delta!r}; raise delta.")
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if gaussian_delta(epsilon, math.exp(middle)) <= delta:
            low = middle
        else:
            high = middle
    return math.exp(low)


def gaussian_scale(epsilon: float, delta: float, *, sensitivity: float, count: int = 1) -> float:
    """The least standard deviation (to 1e-9, rounded up) with which `count` Gaussian answers are (epsilon, delta)-private together.

    Each answer may depend on the ones before and moves by at most `sensitivity` in Euclidean norm between neighbours; together they are one
    Gaussian answer of sensitivity sqrt(count) times as large (Dong, Roth, Su 2022, corollary 3.3).
    """
    require_count("the number of answers", count)
    if not (math.isfinite(sensitivity) and sensitivity > 0):
        raise InvalidInput(f"Gaussian noise needs a positive finite sensitivity; {sensitivity!r} was given.")
    return up(sensitivity * math.sqrt(count) / gaussian_mu(epsilon, delta), 1e-15)
