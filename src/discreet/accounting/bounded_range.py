"""The exponential mechanism, T times: Renyi curve of bounded range, in closed form, and the noise it asks for.

A mechanism has range R when its log likelihood ratio between neighbours lies in an interval [t - R, t] of length R, whatever the pair. Choosing s
with probability proportional to exp(-R score(s) / (2 D)), where neighbours move every score by at most D, has range R (Durfee and Rogers 2019); the
same law is argmin of score + Gumbel noise of scale 2 D / R. The worst pair takes the two ends only, t with probability q = (e^R - e^t)/(e^R - 1).

Renyi (order alpha, b = alpha - 1, a = e^R): the supremum over t of (1/b) ln(q e^{b t} + (1 - q) e^{b (t - R)}) is reached at
e^t = s = b (a - a^-b) / (alpha (1 - a^-b)),

    ln s = ln(b / alpha) + R + ln(1 - e^{-alpha R}) - ln(1 - e^{-b R})
    divergence(alpha) = ln s + (ln(1 - e^{-alpha R}) - ln alpha - ln(1 - e^{-R})) / b       and never above min(R, alpha R^2 / 8)

(proof in the note composition.md). T adaptive uses have T times that curve. The optimal composition is module `bounded_range_recursion`, 3 to 7 %
less noise, and slower.
"""

import math
from functools import lru_cache

from discreet.accounting.bounded_range_recursion import recursion_delta
from discreet.accounting.numbers import sum_up
from discreet.accounting.renyi import ORDERS, RenyiDP
from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import lowering, up
from discreet.core.validate import whole

_THEOREM = "bounded range, Renyi curve"
_WIDEST = 50.0
"""The recursion is for ranges up to here."""


def bounded_range_renyi(width: float, count: int = 1, *, neighbours: Neighbours, orders: tuple[float, ...] = ORDERS) -> RenyiDP:
    """The Renyi curve of `count` adaptive uses of mechanisms with range `width`. Raises InvalidInput unless width > 0 is finite and count >= 1."""
    _require_width(width)
    whole(count, "the number of uses")
    divergences = tuple(sum_up([(_divergence(order, width), count)]) for order in orders)
    return RenyiDP(orders=orders, divergences=divergences, neighbours=neighbours, theorem=_THEOREM)


def bounded_range_delta(width: float, count: int, epsilon: float) -> float:
    """Upper bound of delta(epsilon), epsilon >= 0, of `count` adaptive uses of mechanisms with range `width`.

    One use: (sqrt(a) - sqrt(g))^2 / (a - 1) with a = e^width, g = e^epsilon. More: the smaller of the optimal recursion and the Renyi curve.
    """
    _require_width(width)
    whole(count, "the number of uses")
    if not epsilon >= 0:
        raise InvalidInput(f"delta of a range is computed for epsilon >= 0; {epsilon!r} was given.")
    if epsilon >= count * width:
        return 0.0
    if count == 1:
        # Divided by a: (1 - e^{-(width - epsilon)/2})^2 / (1 - e^{-width}).
        return up(math.expm1(0.5 * (epsilon - width)) ** 2 / -math.expm1(-width))
    by_orders = bounded_range_renyi(width, count, neighbours=Neighbours.ADD_REMOVE).delta(epsilon)
    return min(by_orders, recursion_delta(width, count, epsilon)) if width <= _WIDEST else by_orders


def bounded_range_width(epsilon: float, delta: float, *, count: int, optimal: bool = True) -> float:
    """The largest range with which `count` adaptive uses are (epsilon, delta)-private together, rounded down.

    By the optimal recursion (to 1e-4, about a second for a hundred uses), or by the Renyi curve (to 1e-9, milliseconds). Raises InvalidInput unless
    epsilon > 0 and 0 < delta < 1.
    """
    whole(count, "the number of uses")
    if not (is_finite(epsilon) and epsilon > 0 and 0 < delta < 1):
        raise InvalidInput(f"bounded range needs 0 < epsilon < infinity and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
    # One use is (0, tanh(width / 4))-private, so this width does at every epsilon: for a tiny one it is where to begin.
    width = max(_by_renyi(epsilon, delta, count), 4.0 * delta / count * lowering(5))
    return _by_recursion(epsilon, delta, count, width) if optimal else width


def gumbel_scale(epsilon: float, delta: float, *, sensitivity: float, count: int = 1, optimal: bool = True) -> float:
    """The scale of Gumbel noise on every score for `count` private choices, rounded up; neighbours move each score by at most `sensitivity`."""
    if not (is_finite(sensitivity) and sensitivity > 0):
        raise InvalidInput(f"Gumbel noise needs a positive finite sensitivity; {sensitivity!r} was given.")
    return up(2.0 * sensitivity / bounded_range_width(epsilon, delta, count=count, optimal=optimal), 5)


def _divergence(order: float, width: float) -> float:
    """See module docstring; 4e-15 is more than the rounding errors of the logarithms, which are of order 1 before they cancel."""
    excess = order - 1.0
    near, far, whole = -math.expm1(-excess * width), -math.expm1(-order * width), -math.expm1(-width)
    log_s = math.log(excess / order) + width + math.log(far) - math.log(near)
    exact = log_s + (math.log(far) - math.log(order) - math.log(whole)) / excess
    rounding = (4e-15 + 1e-15 * abs(width)) * (1.0 + 1.0 / excess)
    return min(width, up(0.125 * order * width * width), max(exact, 0.0) + rounding)


def _by_renyi(epsilon: float, delta: float, count: int) -> float:
    """Bisection over log width; basic composition makes epsilon / count feasible."""
    first = math.log(epsilon / count)
    low, high = first - 1e-12, first
    while _renyi_delta(high, count, epsilon) <= delta:
        low, high = high, high + max(0.5, (high - first) / 16.0)  # of 1e-300 it is far to a range at which anything is seen
        if high > 9.0:
            break
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _renyi_delta(middle, count, epsilon) <= delta else (low, middle)
    return math.exp(low) * lowering(5)


def _renyi_delta(log_width: float, count: int, epsilon: float) -> float:
    width = math.exp(log_width)
    if count * width <= epsilon:
        return 0.0
    return _curve(width).delta(epsilon) if count == 1 else bounded_range_renyi(width, count, neighbours=Neighbours.ADD_REMOVE).delta(epsilon)


@lru_cache(maxsize=8)
def _curve(width: float) -> RenyiDP:
    return bounded_range_renyi(width, neighbours=Neighbours.ADD_REMOVE)


def _by_recursion(epsilon: float, delta: float, count: int, feasible: float) -> float:
    """Secant steps on log delta over log width, kept inside a bracket whose lower end is feasible."""
    low, at_low = math.log(feasible), math.log(max(bounded_range_delta(feasible, count, epsilon), 1e-300))
    target, slope = math.log(delta), 2.0 * math.log(1.0 / delta)
    if at_low > target or feasible >= _WIDEST:
        return feasible
    high = math.inf
    while high - low > 1e-4:
        step = max(0.25e-4, 0.999 * (target - at_low) / slope)
        trial = min(low + step, 0.5 * (low + high)) if math.isfinite(high) and low + step >= high else low + step
        value = math.log(max(bounded_range_delta(math.exp(trial), count, epsilon), 1e-300))
        if value <= target:
            slope, low, at_low = max((value - at_low) / (trial - low), 1.0), trial, value
            if target - value < 1e-4 * slope:
                break
        else:
            slope, high = max((value - at_low) / (trial - low), 1.0), trial
    return math.exp(low) * lowering(5)


def _require_width(width: float) -> None:
    if not (is_finite(width) and width > 0):
        raise InvalidInput(f"a range must be positive and finite; {width!r} was given.")
