"""The least value of a function of one number on an interval, for whoever needs no other optimisation.

Golden sections, and parabolas through the three best points where these shrink the interval faster (Brent 1973, chapter 5). The function need not
have one valley only: what is returned was found, whether or not there is less elsewhere.
"""

import math
from collections.abc import Callable

_GOLDEN = 0.5 * (3.0 - math.sqrt(5.0))
_ROOT = 2.0**-26
"""Two numbers whose quotient is nearer to 1 than this have values that cannot be told apart."""
_MOST = 500


def least_between(function: Callable[[float], float], low: float, high: float, *, near: float) -> tuple[float, float]:
    """A place between `low` and `high`, within about `near` of a valley, and the value there."""
    best = second = third = low + _GOLDEN * (high - low)
    at_best = at_second = at_third = function(best)
    step = before = 0.0
    for _ in range(_MOST):
        middle, room = 0.5 * (low + high), _ROOT * abs(best) + near / 3.0
        if abs(best - middle) <= 2.0 * room - 0.5 * (high - low):
            break
        r, q = (best - second) * (at_best - at_third), (best - third) * (at_best - at_second)
        p, q = (best - third) * q - (best - second) * r, 2.0 * (q - r)
        p, q = (-p, q) if q > 0 else (p, -q)
        if abs(p) < abs(0.5 * q * before) and q * (low - best) < p < q * (high - best):
            before, step = step, p / q
            if best + step - low < 2.0 * room or high - best - step < 2.0 * room:
                step = math.copysign(room, middle - best)
        else:
            before = (low if best >= middle else high) - best
            step = _GOLDEN * before
        place = best + (step if abs(step) >= room else math.copysign(room, step))
        value = function(place)
        if value <= at_best:
            low, high = (best, high) if place >= best else (low, best)
            third, at_third, second, at_second, best, at_best = second, at_second, best, at_best, place, value
            continue
        low, high = (place, high) if place < best else (low, place)
        if value <= at_second or second == best:
            third, at_third, second, at_second = second, at_second, place, value
        elif value <= at_third or third in (best, second):
            third, at_third = place, value
    return best, at_best
