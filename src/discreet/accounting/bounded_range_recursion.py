"""The optimal adaptive composition of mechanisms of bounded range, by a recursion on a grid that is rounded up.

With R the range, a = e^R, g = e^epsilon and s = e^t, T uses have (Dong, Durfee, Rogers 2020)

    H_k(g) = max over 1 <= s <= a of F(s),   F(s) = ((a - s) H_{k-1}(g / s) + (s - 1) H_{k-1}(g a / s)) / (a - 1),   H_0(g) = (1 - g)_+

and delta(epsilon) = H_T(e^epsilon). H is kept at g_j = e^{j h}, h = R / 32, from above, with chords in between: the true H is convex, so
chords of upper bounds are upper bounds.

The maximum. For s in the cell [s_m, s_{m+1}], s_m = e^{m h}, both arguments at g = g_j stay on one chord each, with slopes -B_0 and -B_1, so that
F(s) = constant + linear - C / s with C = a g (B_0 - B_1) / (a - 1), and F'' = -2 C / s^3. Hence over the cell

    F(s) <= max(F(s_m), F(s_{m+1})) + (s_{m+1} - s_m)^2 max(C, 0) / (4 s_m^3)

which costs a factor of about 1 + 2/32^2 in variance. The relation is symmetric: H(1/g) = 1 - 1/g + H(g)/g gives the values below 1. Above the last
grid point H is at most the value there. Each step is raised by 1e-14 of itself for rounding.
"""

import math

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import lowering, raising

_CELLS = 32
_LARGEST = 50.0


def recursion_delta(width: float, count: int, epsilon: float) -> float:
    """Upper bound of delta(epsilon), epsilon >= 0, of `count` adaptive uses of mechanisms with range `width`. Raises InvalidInput for width > 50."""
    if not (0 < width <= _LARGEST and count >= 1 and epsilon >= 0):
        raise InvalidInput(
            f"the recursion needs 0 < range <= {_LARGEST:g}, count >= 1 and epsilon >= 0; {width!r}, {count!r}, {epsilon!r} were given."
        )
    if epsilon >= count * width * raising(4_096):
        return 0.0
    step = width / _CELLS
    drift = 0.125 * width * width * count
    far = max(epsilon, drift) + 4.6 * width * math.sqrt(count) + 2.0 * width
    size = math.ceil(min(far, (count + 1) * width) / step) + 1
    values = _composed(width, count, size)
    # The grid point at or below epsilon, and the chord to the next one.
    left = min(int(epsilon / step * lowering(5)), size - 2)
    share = min(1.0, max(0.0, math.expm1(epsilon - left * step) / math.expm1(step) * lowering(4_096) - 1e-15))
    return min(1.0, float(values[left] * (1.0 - share) + values[left + 1] * share) * raising(4_096))


def _composed(width: float, count: int, size: int) -> Floats:
    """H_count at g_0 .. g_{size-1}."""
    step, a = width / _CELLS, math.exp(width)
    cell = np.exp(step * np.arange(_CELLS + 1))
    first_share = np.maximum((a - cell) / (a - 1.0), 0.0)
    second_share = 1.0 - first_share
    bends = a * cell[1:] * np.square(np.diff(cell)) / ((a - 1.0) * 4.0 * cell[:-1] ** 3) * (1.0 + 1e-9)
    mirrored = np.exp(-step * np.arange(1, _CELLS + 2))[::-1]
    values = np.zeros(size)
    for _ in range(count):
        # Index 0 of `extended` is grid point -(cells + 1); the last is size - 1 + cells + 1.
        left = 1.0 - mirrored + mirrored * values[np.minimum(np.arange(1, _CELLS + 2), size - 1)][::-1]
        extended = np.concatenate((left, values, np.full(_CELLS + 1, values[-1])))
        # g_i B_i at every grid point i, and C of the docstring up to constants.
        drops = (extended[:-1] - extended[1:]) / math.expm1(step)
        curving = np.maximum(drops[:-_CELLS] - drops[_CELLS:] / a, 0.0)
        best = previous = np.zeros(size)
        for m in range(_CELLS + 1):
            start = _CELLS + 1 - m
            ends = first_share[m] * extended[start : start + size] + second_share[m] * extended[start + _CELLS : start + _CELLS + size]
            if m > 0:
                # The cell between s_{m-1} and s_m: its arguments lie on the chord that begins at grid point j - m.
                best = np.maximum(best, np.maximum(ends, previous) + bends[m - 1] * curving[start : start + size])
            previous = ends
        values = np.minimum(np.minimum.accumulate(best * raising(45)), 1.0)
    return values
