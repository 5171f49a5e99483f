"""What a stranger computes from the certificate of a private Frank-Wolfe fit: the guarantee again, by another road.

Calibration takes the loss's stated constants, closed-form radii, the optimal recursion of bounded range on its own grid, and closed forms of the
Gaussian curve. A recheck scans the loss, looks at the vertices (module `constrained_parts`), composes bounded ranges by a recursion of its own on the
axis of epsilon with twice as many cells, and integrates the Gaussian privacy loss numerically. That recursion takes the worst split of a range over
grid points only, and no allowance for what lies between, so it is below the calibration's bound, by about 1 % of delta.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from discreet.accounting import Guarantee, Json, PureDP
from discreet.core.arrays import Floats
from discreet.core.fields import finite, whole
from discreet.verification.constrained_parts import copies, public_numbers
from discreet.verification.parts import covers, delta_check, discrete_integral, on_a_grid, same_relation
from discreet.verification.registry import Check, register_recheck

_AGREEMENT = 1e-9
_SHARE = 2.0**-14
"""Rounding errors of a gradient, and of a score, in units of one record's bound."""
_CELLS, _FEWER_CELLS, _LONG = 64, 24, 300
"""Cells of a range, and fewer of them for more than so many steps, where each range is small."""
_MOST_STEPS = 5000


@register_recheck("frank-wolfe-polytope")
def _polytope(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    yield on_a_grid(parameters)
    public = public_numbers(problem)
    steps, step = whole(parameters["steps"]), finite(parameters["grid_step"])
    moved = copies(guarantee) * public.slope * public.spread + 8.0 * _SHARE * public.slope * public.reach
    width = finite(parameters["rate"]) * (moved / step + 2.0)
    if parameters["pure"] is True:
        stated = guarantee.epsilon if isinstance(guarantee, PureDP) else math.nan
        ok = width > 0 and covers(stated, releases * steps * width)
        yield Check("epsilon", bool(ok), f"stated {stated:.10g}, recomputed {releases * steps * width:.10g} (the ranges of {steps} choices add up)")
        return
    epsilon = finite(parameters["epsilon"])
    found = _composed(width, steps, epsilon) if steps <= _MOST_STEPS else math.nan
    yield delta_check(epsilon, found, guarantee, releases, f"{steps} choices of range {width:.6g}, composed on another grid")


@register_recheck("frank-wolfe-gaussian")
@register_recheck("mirror-descent")
def _gaussian(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    yield on_a_grid(parameters)
    public = public_numbers(problem)
    steps, scale, epsilon = whole(parameters["steps"]), finite(parameters["scale"]), finite(parameters["epsilon"])
    distance = (copies(guarantee) + 2.0 * _SHARE) * public.slope * public.radius
    apart = distance / finite(parameters["grid_step"]) + math.sqrt(public.dimension)
    found = discrete_integral(epsilon, apart * math.sqrt(steps) / scale, integers=steps * public.dimension, scale=scale, stages=steps)
    yield delta_check(epsilon, found, guarantee, releases, f"numerical hockey-stick integral of {steps} Gaussian steps")


@register_recheck("frank-wolfe-non-private")
def _non_private(_parameters: Mapping[str, Json], _problem: Mapping[str, Json], _guarantee: Guarantee, _releases: int) -> Iterator[Check]:
    yield Check("guarantee", False, "epsilon is infinite: this is a fit without privacy")


def _composed(width: float, count: int, epsilon: float) -> float:
    """H_T of H_k(e) = max over t on a grid of q_t H_{k-1}(e - t) + (1 - q_t) H_{k-1}(e - t + R), q_t = (e^R - e^t) / (e^R - 1), H_0 = (1 - e^e)_+."""
    if not 0 < width <= 50:
        return math.nan
    if epsilon >= count * width:
        return 0.0
    cells = _CELLS if count <= _LONG else _FEWER_CELLS
    cell = width / cells
    far = math.ceil((max(epsilon, 0.125 * width * width * count) + 5.0 * width * math.sqrt(count) + 2.0 * width) / cell)
    far = min(far, (count + 1) * cells)
    points = cell * np.arange(-far, far + 1)
    low: Floats = -np.expm1(cell * np.arange(-far - cells, -far))
    values = np.maximum(0.0, -np.expm1(points))
    splits = [(m, (math.exp(width) - math.exp(m * cell)) / math.expm1(width)) for m in range(cells + 1)]
    for _ in range(count):
        # H(-e) = 1 - e^-e + e^-e H(e): below the left end, to first order, 1 - e^e.
        padded = np.concatenate((low, values, np.full(cells, values[-1])))
        best = np.zeros_like(values)
        for m, q in splits:
            start = cells - m
            first = padded[start : start + len(values)]
            second = padded[start + cells : start + cells + len(values)]
            np.maximum(best, q * first + (1.0 - q) * second, out=best)
        values = best
    place = epsilon / cell + far
    left = int(place)
    share = math.expm1((place - left) * cell) / math.expm1(cell)
    return float(values[left] * (1.0 - share) + values[min(left + 1, len(values) - 1)] * share)
