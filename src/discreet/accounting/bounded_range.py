"""The exponential mechanism, T times: Renyi curve of bounded range, in closed form, and the noise it asks for.

A mechanism has range R when its log likelihood ratio between neighbours lies in an interval [t - R, t] of length R, whatever the pair. Choosing s
with probability proportional to exp(-R score(s) / (2 D)), where neighbours move every score by at most D, has range R (Durfee and Rogers 2019); the
same law is argmin of score + Gumbel noise of scale 2 D / R. The worst pair takes the two ends only, t with probability q = (e^R - e^t)/(e^R - 1).

Renyi (order alpha, b = alpha - 1, a = e^R): the supremum over t of (1/b) ln(q e^{b t} + (1 - q) e^{b (t - R)}) is reached at
e^t = s = b (a - a^-b) / (alpha (1 - a^-b)),

    ln s = ln(b / alpha) + R + ln(1 - e^{-alpha R}) - ln(1 - e^{-b R})
    divergence(alpha) = ln s + (ln(1 - e^{-alpha R}) - ln alpha - ln(1 - e^{-R})) / b       and never above min(R, alpha R^2 / 8)

(proof in the note composition.md). T adaptive uses have T times that curve.

The optimal adaptive composition is 3 to 7 % less noise, and slower: a recursion on a grid that is rounded up. With R the range,
a = e^R, g = e^epsilon and s = e^t, T uses have (Dong, Durfee, Rogers 2020)

    H_k(g) = max over 1 <= s <= a of F(s),   F(s) = ((a - s) H_{k-1}(g / s) + (s - 1) H_{k-1}(g a / s)) / (a - 1),   H_0(g) = (1 - g)_+

and delta(epsilon) = H_T(e^epsilon). H is kept at g_j = e^{j h}, h = R / 32, from above, with chords in between: the true H is convex, so
chords of upper bounds are upper bounds.

The maximum. For s in the cell [s_m, s_{m+1}], s_m = e^{m h}, both arguments at g = g_j stay on one chord each, with slopes -B_0 and -B_1, so that
F(s) = constant + linear - C / s with C = a g (B_0 - B_1) / (a - 1), and F'' = -2 C / s^3. Hence over the cell

    F(s) <= max(F(s_m), F(s_{m+1})) + (s_{m+1} - s_m)^2 max(C, 0) / (4 s_m^3)

which costs a factor of about 1 + 2/32^2 in variance. The relation is symmetric: H(1/g) = 1 - 1/g + H(g)/g gives the values below 1. Above the last
grid point H is at most the value there. Each step is raised by 1e-14 of itself for rounding.

A first use of a smaller range is the last step of the recursion, with its own a. Its range is rounded up to whole cells, of which there are 32 to
63 in the others', as suits it best; the Renyi curve takes it as it is.
"""

import math
from dataclasses import replace

import numpy as np

from discreet.accounting.base import sum_up
from discreet.accounting.renyi import ORDERS, RenyiDP
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.remembered import remembered
from discreet.core.rounding import lowering, raising, up
from discreet.core.validate import whole

_THEOREM = "bounded range, Renyi curve"
_WIDEST = 12.0
"""The recursion is for ranges up to here: beyond, it found no less than the Renyi curve with up to 1,000 uses."""
_WIDE, _MOST_WORK = 2.0, 1e9
"""A range above the first is left to the Renyi curve where the recursion would take more steps than the second, some ten seconds: of 2,000 uses it
found .6 % more range at 2.7. Of smaller ranges it finds up to 7 % more, and is taken however long it takes."""
_CELLS = 32
_ORDERS = np.asarray(ORDERS)
_EXCESSES = _ORDERS - 1.0
_AT_ORDERS = _EXCESSES * np.log(_EXCESSES) - _ORDERS * np.log(_ORDERS)
"""What a curve's bound of ln delta has at each order beside its divergence (module renyi)."""
_CLEAR_ABOVE = 1e-200
"""Below this delta the least number that a curve can say begins to count."""


def bounded_range_renyi(width: float, count: int = 1, *, neighbours: Neighbours, orders: tuple[float, ...] = ORDERS) -> RenyiDP:
    """The Renyi curve of `count` adaptive uses of mechanisms with range `width`. Raises InvalidInput unless width > 0 is finite and count >= 1."""
    _require_width(width)
    whole(count, "the number of uses")
    divergences = tuple(sum_up([(_divergence(order, width), count)]) for order in orders)
    return RenyiDP(orders=orders, divergences=divergences, neighbours=neighbours, theorem=_THEOREM)


def bounded_range_delta(width: float, count: int, epsilon: float, *, first: float = 1.0) -> float:
    """Upper bound on delta(epsilon), epsilon >= 0, for `count` adaptive uses of mechanisms with range `width`, the first one of `first` times it.

    One use: (sqrt(a) - sqrt(g))^2 / (a - 1) with a = e^width, g = e^epsilon. More: the smaller of the optimal recursion and the Renyi curve.
    """
    _require_width(width)
    whole(count, "the number of uses")
    _require_share(first)
    if not epsilon >= 0:
        raise InvalidInput(f"delta of a range is computed for epsilon >= 0; {epsilon!r} was given.")
    if epsilon >= (count if first == 1 else (count - 1.0 + first) * raising(4)) * width:
        return 0.0
    if count == 1:
        # Divided by a: (1 - e^{-(width - epsilon)/2})^2 / (1 - e^{-width}).
        width = up(width * first) if first < 1 else width
        return up(math.expm1(0.5 * (epsilon - width)) ** 2 / -math.expm1(-width))
    by_orders = _curve_of(width, count, first).delta(epsilon)
    dear = width > _WIDE and count * _CELLS * _grid_size(width, count, epsilon, width / _CELLS) > _MOST_WORK
    return by_orders if dear or width > _WIDEST else min(by_orders, _recursion_delta(width, count, epsilon, first))


@remembered
def bounded_range_width(epsilon: float, delta: float, *, count: int, optimal: bool = True, first: float = 1.0) -> float:
    """The largest range for which `count` adaptive uses, the first one of `first` times it, are (epsilon, delta)-private in total, rounded down.

    By the optimal recursion (to 1e-4, about a second for a hundred uses), or by the Renyi curve (to 1e-9, milliseconds). Raises InvalidInput unless
    epsilon > 0 and 0 < delta < 1.
    """
    whole(count, "the number of uses")
    if not (is_finite(epsilon) and epsilon > 0 and 0 < delta < 1):
        raise InvalidInput(f"bounded range needs 0 < epsilon < infinity and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
    # One use is (0, tanh(width / 4))-private, so this width does at every epsilon: for a tiny one it is where to begin.
    _require_share(first)
    width = max(_by_renyi(epsilon, delta, count, first), 4.0 * delta / count * lowering(5))
    return _by_recursion(epsilon, delta, count, width, first) if optimal else width


def gumbel_scale(epsilon: float, delta: float, *, sensitivity: float, count: int = 1, optimal: bool = True) -> float:
    """The scale of Gumbel noise on every score for `count` private choices, rounded up; neighbours change each score by at most `sensitivity`."""
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


def _roughly(width: float) -> Floats:
    """`_divergence` at every order, but for rounding."""
    near, far = -np.expm1(-_EXCESSES * width), -np.expm1(-_ORDERS * width)
    logarithms = np.log(_EXCESSES / _ORDERS) + width + np.log(far / near) + np.log(far / (_ORDERS * -math.expm1(-width))) / _EXCESSES
    sizes: Floats = np.minimum(np.minimum(width, 0.125 * _ORDERS * width * width), np.maximum(logarithms, 0.0))
    return sizes


def _by_renyi(epsilon: float, delta: float, count: int, share: float) -> float:
    """Bisection over log width; basic composition makes epsilon / count feasible."""
    first = math.log(epsilon / count)
    low, high = first - 1e-12, first
    while _keeps(high, count, epsilon, share, delta):
        low, high = high, high + max(0.5, (high - first) / 16.0)  # of 1e-300 it is far to a range at which anything is seen
        if high > 9.0:
            break
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _keeps(middle, count, epsilon, share, delta) else (low, middle)
    return math.exp(low) * lowering(5)


def _keeps(log_width: float, count: int, epsilon: float, share: float, delta: float) -> bool:
    """Whether the Renyi curve has at most `delta` there: all orders at once without care for rounding, and with it where that could decide."""
    width = math.exp(log_width)
    if count * width <= epsilon:
        return True
    each = _roughly(width)
    sizes = (count - 1.0) * each + (each if share == 1 else _roughly(share * width))
    exponents = _EXCESSES * (sizes - epsilon) + _AT_ORDERS
    doubt = 1e-8 + 1e-14 * count * (1.0 + width) * _ORDERS
    if delta > _CLEAR_ABOVE and not np.min(exponents - doubt) <= math.log(delta) <= np.min(exponents + doubt):
        return bool(np.min(exponents) < math.log(delta))
    return _curve_of(width, count, share).delta(epsilon) <= delta


def _curve_of(width: float, count: int, first: float) -> RenyiDP:
    """Of all uses, the first one of `first` times the range of others."""
    whole_ones = bounded_range_renyi(width, count, neighbours=Neighbours.ADD_REMOVE)
    if first == 1:
        return whole_ones
    counts = [(width, count - 1), (up(width * first), 1)]
    divergences = tuple(sum_up([(_divergence(order, each), times) for each, times in counts if times]) for order in ORDERS)
    return replace(whole_ones, divergences=divergences)


def _by_recursion(epsilon: float, delta: float, count: int, feasible: float, first: float) -> float:
    """Secant steps on log delta over log width, kept inside a bracket whose lower end is feasible."""
    low, at_low = math.log(feasible), math.log(max(bounded_range_delta(feasible, count, epsilon, first=first), 1e-300))
    target, slope = math.log(delta), 2.0 * math.log(1.0 / delta)
    if at_low > target or feasible >= _WIDEST:
        return feasible
    high = math.inf
    while high - low > 1e-4:
        step = max(0.25e-4, 0.999 * (target - at_low) / slope)
        trial = min(low + step, 0.5 * (low + high)) if math.isfinite(high) and low + step >= high else low + step
        value = math.log(max(bounded_range_delta(math.exp(trial), count, epsilon, first=first), 1e-300))
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


def _require_share(first: float) -> None:
    if not 0 < first <= 1:
        raise InvalidInput(f"the first range is a share of the others, above 0 and at most 1; {first!r} was given.")


def _recursion_delta(width: float, count: int, epsilon: float, first: float) -> float:
    """Upper bound of delta(epsilon), epsilon >= 0, of `count` adaptive uses of mechanisms with range `width` <= 50, `first` as above."""
    if epsilon >= count * width * raising(4_096):
        return 0.0
    cells = min(range(_CELLS, 2 * _CELLS), key=lambda number: math.ceil(number * first) / number)
    step = width / cells
    size = _grid_size(width, count, epsilon, step)
    values = np.zeros(size)
    for left in range(count - 1, -1, -1):
        values = _after(values, step, cells if left else math.ceil(cells * first))
    # The grid point at or below epsilon, and the chord to the next one.
    left = min(int(epsilon / step * lowering(5)), size - 2)
    share = min(1.0, max(0.0, math.expm1(epsilon - left * step) / math.expm1(step) * lowering(4_096) - 1e-15))
    return min(1.0, float(values[left] * (1.0 - share) + values[left + 1] * share) * raising(4_096))


def _grid_size(width: float, count: int, epsilon: float, step: float) -> int:
    drift = 0.125 * width * width * count
    far = max(epsilon, drift) + 4.6 * width * math.sqrt(count) + 2.0 * width
    return math.ceil(min(far, (count + 1) * width) / step) + 1


def _after(values: Floats, step: float, cells: int) -> Floats:
    """H_k from H_{k-1}, for one more use of a range of so many cells."""
    size, a = len(values), math.exp(step * cells)
    cell = np.exp(step * np.arange(cells + 1))
    first_share = np.maximum((a - cell) / (a - 1.0), 0.0)
    second_share = 1.0 - first_share
    bends = a * cell[1:] * np.square(np.diff(cell)) / ((a - 1.0) * 4.0 * cell[:-1] ** 3) * (1.0 + 1e-9)
    mirrored = np.exp(-step * np.arange(1, cells + 2))[::-1]
    # Index 0 of `extended` is grid point -(cells + 1); the last is size - 1 + cells + 1.
    left = 1.0 - mirrored + mirrored * values[np.minimum(np.arange(1, cells + 2), size - 1)][::-1]
    extended = np.concatenate((left, values, np.full(cells + 1, values[-1])))
    # g_i B_i at every grid point i, and C of the docstring up to constants.
    drops = (extended[:-1] - extended[1:]) / math.expm1(step)
    curving = np.maximum(drops[:-cells] - drops[cells:] / a, 0.0)
    best = previous = np.zeros(size)
    for m in range(cells + 1):
        start = cells + 1 - m
        ends = first_share[m] * extended[start : start + size] + second_share[m] * extended[start + cells : start + cells + size]
        if m > 0:
            # The cell between s_{m-1} and s_m: its arguments lie on the chord that begins at grid point j - m.
            best = np.maximum(best, np.maximum(ends, previous) + bends[m - 1] * curving[start : start + size])
        previous = ends
    return np.minimum(np.minimum.accumulate(best * raising(45)), 1.0)
