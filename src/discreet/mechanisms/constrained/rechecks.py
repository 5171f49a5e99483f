"""What a stranger computes from the certificate of a private Frank-Wolfe fit: the guarantee again, by another road.

Calibration takes the loss's stated constants, closed-form radii, the optimal recursion of bounded range on its own grid, and closed forms of the
Gaussian curve. A recheck scans the loss, looks at the vertices (module `recheck_parts`), composes bounded ranges by a recursion of its own on the
axis of epsilon with twice as many cells, and integrates the Gaussian privacy loss numerically. That recursion takes the worst split of a range over
grid points only, and no allowance for what lies between, so it is below the calibration's bound, by about 1 % of delta.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np
from scipy.integrate import quad

from discreet.arrays import Floats
from discreet.certificates import Check, register_recheck
from discreet.guarantees import ApproximateDP, Guarantee, Json, PureDP
from discreet.mechanisms.constrained.recheck_parts import copies, grid_check, number, public_numbers, same_relation, whole

_AGREEMENT = 1e-9
_SHARE = 2.0**-14
"""Rounding errors of a gradient, and of a score, in units of one record's bound."""
_CELLS, _FEWER_CELLS, _LONG = 64, 24, 300
"""Cells of a range, and fewer of them for more than so many steps, where each range is small."""
_MOST_STEPS = 5000


@register_recheck("frank-wolfe-polytope")
def _polytope(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    yield grid_check(parameters)
    public = public_numbers(problem)
    steps, step = whole(parameters["steps"]), number(parameters["grid_step"])
    moved = copies(guarantee) * public.slope * public.spread + 8.0 * _SHARE * public.slope * public.reach
    width = number(parameters["rate"]) * (moved / step + 2.0)
    if parameters["pure"] is True:
        stated = guarantee.epsilon if isinstance(guarantee, PureDP) else math.nan
        ok = 0 < releases * steps * width <= stated * (1.0 + _AGREEMENT)
        yield Check("epsilon", bool(ok), f"stated {stated:.10g}, recomputed {releases * steps * width:.10g} (the ranges of {steps} choices add up)")
        return
    epsilon = number(parameters["epsilon"])
    found = _composed(width, steps, epsilon) if steps <= _MOST_STEPS else math.nan
    yield _delta(epsilon, found, guarantee, releases, f"{steps} choices of range {width:.6g}, composed on another grid")


@register_recheck("frank-wolfe-gaussian")
@register_recheck("mirror-descent")
def _gaussian(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    yield grid_check(parameters)
    public = public_numbers(problem)
    steps, scale, epsilon = whole(parameters["steps"]), number(parameters["scale"]), number(parameters["epsilon"])
    distance = (copies(guarantee) + 2.0 * _SHARE) * public.slope * public.radius
    apart = distance / number(parameters["grid_step"]) + math.sqrt(public.dimension)
    closeness = steps * (public.dimension + (math.sqrt(public.dimension) + 41.0) ** 2 + 1.0) / (8.0 * scale**2)
    usable = scale >= 1000.0 and public.dimension <= scale**2
    found = gaussian_integral(epsilon - closeness, apart * math.sqrt(steps) / scale) * math.exp(closeness) if usable else 1.0
    yield _delta(epsilon, found, guarantee, releases, f"numerical hockey-stick integral of {steps} Gaussian steps")


@register_recheck("frank-wolfe-non-private")
def _non_private(_parameters: Mapping[str, Json], _problem: Mapping[str, Json], _guarantee: Guarantee, _releases: int) -> Iterator[Check]:
    yield Check("guarantee", False, "epsilon is infinite: this is a fit without privacy")


def gaussian_integral(epsilon: float, mu: float) -> float:
    """E (1 - e^{epsilon - mu g - mu^2 / 2})_+ over g ~ N(0, 1): the curve of one Gaussian mechanism by quadrature."""
    start = epsilon / mu - 0.5 * mu

    def integrand(excess: float) -> float:
        g = start + excess
        return math.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi) * -math.expm1(-mu * excess)

    spots = [0.05, 0.2, 1.0, 3.0, max(0.0, -start), max(0.0, -start) + 2.0]
    return float(quad(integrand, 0.0, max(12.0, 12.0 - start), points=sorted(spots), limit=400, epsabs=0.0, epsrel=1e-12)[0])


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


def _delta(epsilon: float, computed: float, guarantee: Guarantee, releases: int, how: str) -> Check:
    if not isinstance(guarantee, ApproximateDP):
        return Check("delta", False, "an (epsilon, delta) guarantee was expected")
    ok = (
        epsilon > 0
        and computed >= 0
        and releases >= 1
        and releases * epsilon <= guarantee.epsilon * (1.0 + 1e-12)
        and releases * computed <= guarantee.delta_at_epsilon * (1.0 + _AGREEMENT)
    )
    stated = f"stated {guarantee.delta_at_epsilon:.6g} at epsilon {guarantee.epsilon:.6g}"
    return Check("delta", bool(ok), f"{stated}, recomputed {releases * computed:.6g} at {releases * epsilon:.6g} ({how})")
