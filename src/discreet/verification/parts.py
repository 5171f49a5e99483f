"""What the rechecks share: scans of a loss over margins, numerical integrals, the last stage, and the verdicts in words."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from discreet.accounting import ApproximateDP, Guarantee, Json, PureDP, closeness
from discreet.core.arrays import Floats
from discreet.core.fields import finite, positive
from discreet.core.neighbours import Neighbours
from discreet.losses import loss_named
from discreet.noise import gaussian_error, spherical_error
from discreet.statements.learning import dimension_of
from discreet.verification.registry import Check

AGREEMENT = 1e-9
"""Relative room for the quadrature; the calibrations leave more than that."""
LEAST_SCALE = 64.0
"""Of discrete noise that is compared with Gaussian noise, in steps; the lemma would do with less."""
CLOSE = 2e-3
"""By how much of itself a stated epsilon, or a number of bits, may be above the recomputed one."""
SAME = 1e-11
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


class Scan(NamedTuple):
    """One record's slopes and Jacobian terms over a scan of margins, and the scales of the problem."""

    slopes: Floats
    jacobian: Floats
    gradient: float
    ridge: float


def scan_of(problem: Mapping[str, Json], extra_ridge: float = 0.0) -> Scan:
    """The scan of a problem record."""
    given = problem["loss_parameters"]
    if not isinstance(given, dict):
        raise TypeError
    parameters = {str(key): finite(value) for key, value in given.items()}
    loss = loss_named(str(problem["loss"]), parameters)
    radius = math.hypot(finite(problem["data_norm"]), finite(problem["intercept_scale"]))
    ridge = finite(problem["ridge"]) + extra_ridge
    weight = finite(problem["max_weight"])
    if not (ridge > 0 and extra_ridge >= 0 and radius > 0 and weight > 0):
        raise ValueError
    width = max([1.0, *parameters.values()])
    kinks = [1.0 + sign * value for value in parameters.values() for sign in (-1.0, 1.0)]
    margins = np.unique(np.concatenate((np.linspace(-4.0, 6.0, 8_001) * width, np.linspace(-60.0, 60.0, 6_001) * width, kinks)))
    slopes = np.abs(loss.slope(margins))
    steepest = float(slopes.max())
    jacobian = np.log1p(weight * loss.curvature(margins) * radius**2 / ridge)
    if not steepest > 0:
        raise ValueError
    return Scan(slopes / steepest, jacobian, weight * steepest * radius, ridge)


def upper_lines(steep: Floats, heights: Floats) -> Callable[[Floats], Floats]:
    """g -> the largest of the lines steep g + heights: their upper envelope, by a walk over slopes."""
    order = np.lexsort((heights, steep))
    steep, heights = steep[order], heights[order]
    last = np.append(np.diff(steep) > 0, True)
    lines: list[tuple[float, float, float]] = []
    for slope, height in zip(steep[last].tolist(), heights[last].tolist(), strict=True):
        start = -math.inf
        while lines and (start := (lines[-1][1] - height) / (slope - lines[-1][0])) <= lines[-1][2]:
            lines.pop()
            start = -math.inf
        lines.append((slope, height, start))
    kept, lifted, starts = (np.array(column) for column in zip(*lines, strict=True))
    corners = starts[1:]

    def worst(g: Floats) -> Floats:
        place = np.searchsorted(corners, g)
        found: Floats = kept[place] * g + lifted[place]
        return found

    return worst


def excess(epsilon: float, loss: Callable[[Floats], Floats]) -> float:
    """E (1 - e^{epsilon - loss(g)})_+ for a non-decreasing loss of g ~ N(0, 1)."""

    def gap(g: float) -> float:
        return float(loss(np.array([g]))[0]) - epsilon

    low, high = -12.0, 40.0
    if gap(high) <= 0:
        return 0.0
    start = low if gap(low) >= 0 else float(brentq(gap, low, high, xtol=1e-13))
    edges = np.concatenate((start + np.linspace(0.0, 4.0, 33), np.linspace(start + 4.5, max(start + 14.0, 14.0), 40)))
    half = 0.5 * np.diff(edges)[:, np.newaxis]
    g = (0.5 * (edges[1:] + edges[:-1])[:, np.newaxis] + half * NODES).ravel()
    values = np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi) * -np.expm1(np.minimum(epsilon - loss(g), 0.0))
    return float((half * WEIGHTS).ravel() @ values)


def gaussian_integral(epsilon: float, mu: float) -> float:
    """The profile of one Gaussian mechanism by quadrature; any real epsilon, mu > 0."""
    return excess(epsilon, lambda g: mu * g + 0.5 * mu * mu)


def least_of(bound: Callable[[float], float], places: Floats, *, near: float) -> float:
    """The least of a bound that may have more than one valley: at increasing places, then between the neighbours of the best, up to `near`."""
    found = [bound(float(place)) for place in places]
    best = int(np.argmin(found))
    if len(places) == 1:
        return found[best]
    around = (float(places[max(0, best - 1)]), float(places[min(len(places) - 1, best + 1)]))
    return min(found[best], float(minimize_scalar(bound, bounds=around, method="bounded", options={"xatol": near}).fun))


def least_union(slopes: Floats, jacobian: Floats, s: float, epsilon: float, *, spare: float = 0.0) -> float:
    """delta_G(eps - c; 2 s) + delta_G(eps - c - A; s), least over lines c + A (1 - q) above the Jacobian term, q the slopes.

    Where the slope is 1, terms of up to `spare` of the largest count as 0: a scan of margins that ends somewhere leaves them.
    """
    flat = slopes > 1.0 - 1e-9
    at_one = float(jacobian[flat].max()) if flat.any() else 0.0
    inner_q, inner_j = slopes[~flat], jacobian[~flat]
    top = max(at_one, float(jacobian.max()))

    def bound(height: float) -> float:
        steepness = max(0.0, float(np.max((inner_j - height) / (1.0 - inner_q))))
        return gaussian_integral(epsilon - height, 2.0 * s) + gaussian_integral(epsilon - height - steepness, s)

    places = np.linspace(at_one, top, 65) if top > at_one else np.array([top])
    if at_one <= spare * top:
        places = np.append(0.0, places)
    return least_of(bound, places, near=1e-6 * top)


def discrete_integral(epsilon: float, mu: float, *, integers: float, scale: float, stages: int = 1) -> float:
    """delta of discrete Gaussian integers that move by mu scales: the integral at what the lemma leaves of epsilon; 1 where it does not apply."""
    apart = closeness(integers, scale, stages=stages)
    if not (scale >= LEAST_SCALE and apart.total < epsilon):
        return 1.0
    return gaussian_integral(epsilon - apart.total, mu) * math.exp(apart.upper)


def noise_error(parameters: Mapping[str, Json], problem: Mapping[str, Json]) -> float:
    """How far drawn noise may be from its ideal: what is recorded, or what the sampler's arithmetic allows if that is more."""
    if "rate" in parameters:
        allowed = spherical_error(rate=positive(parameters["rate"]), dimension=dimension_of(problem))
    else:
        allowed = gaussian_error(scale=positive(parameters["scale"]), dimension=dimension_of(problem))
    return max(positive(parameters["noise_error"]), allowed)


def grid_distances(parameters: Mapping[str, Json], problem: Mapping[str, Json], radius: float) -> tuple[int, float, float]:
    """Number of weights, of all classes, and how far apart roundings of points within `radius` of one ideal may be, in steps: |.|_1 and |.|_2."""
    dimension = dimension_of(problem)
    euclidean = 2.0 * radius / positive(parameters["grid_step"]) + math.sqrt(dimension)
    return dimension, math.sqrt(dimension) * euclidean, euclidean


def laplace_grid(parameters: Mapping[str, Json], problem: Mapping[str, Json], radius: float) -> float:
    """The last stage's epsilon."""
    return grid_distances(parameters, problem, radius)[1] / positive(parameters["grid_scale"])


def gaussian_grid(parameters: Mapping[str, Json], problem: Mapping[str, Json], radius: float) -> float:
    """The last stage's delta at grid_epsilon: a Gaussian's, at an epsilon smaller by what separates the discrete law from the rounded normal one."""
    dimension, _, euclidean = grid_distances(parameters, problem, radius)
    scale = positive(parameters["grid_scale"])
    return discrete_integral(positive(parameters["grid_epsilon"]), euclidean / scale, integers=dimension, scale=scale)


def on_a_grid(parameters: Mapping[str, Json]) -> Check:
    """Whether the step is one of the grid's."""
    return power_of_two(positive(parameters["grid_step"]))


def power_of_two(step: float) -> Check:
    """Whether grid points are exact numbers."""
    return Check("grid", math.frexp(step)[0] == 0.5, f"step {step:.6g}, which must be a power of two, so that grid points are exact numbers")


def same_relation(parameters: Mapping[str, Json], guarantee: Guarantee) -> Check:
    """Whether noise and guarantee are for one relation."""
    same = Neighbours(str(parameters["neighbours"])) is guarantee.neighbours
    return Check("neighbouring relation", same, f"guarantee stated for {guarantee.neighbours}, noise calibrated for {parameters['neighbours']}")


def covers(stated: float, computed: float, *, room: float = AGREEMENT, most: float = math.inf, least: float = 0.0) -> bool:
    """Whether a stated number is not below the recomputed one, which is known up to `least`, an absolute number, at best.

    Above it is no danger. Where both roads are sharp, numbers that are apart by more than `most` of them do not belong together all the same; deltas
    may be, since calibrations are looser at the ends of their ranges, by a factor of 250 even.
    """
    return computed <= stated * (1.0 + room) + least and (math.isinf(most) or stated <= computed * (1.0 + most))


def epsilon_check(computed: float, guarantee: Guarantee, releases: int, how: str, *, most: float = CLOSE) -> Check:
    """Whether the stated epsilon covers the recomputed one, see `covers`."""
    stated = guarantee.epsilon if isinstance(guarantee, PureDP) else math.nan
    ok = computed > 0 and releases >= 1 and covers(stated, releases * computed, most=most)
    return Check("epsilon", bool(ok), f"stated {stated:.10g}, recomputed {releases * computed:.10g} ({how})")


def delta_check(
    epsilon: float,
    computed: float,
    guarantee: Guarantee,
    releases: int,
    how: str,
    *,
    room: float = AGREEMENT,
    least: float = 0.0,
) -> Check:
    """Whether the stated delta covers the recomputed one, at the epsilon that is stated; see `covers`."""
    if not isinstance(guarantee, ApproximateDP):
        return Check("delta", False, "an (epsilon, delta) guarantee was expected")
    ok = (
        epsilon > 0
        and computed >= 0
        and releases >= 1
        and math.isclose(guarantee.epsilon, releases * epsilon, rel_tol=SAME)
        and covers(guarantee.delta_at_epsilon, releases * computed, room=room, least=least)
    )
    stated = f"stated {guarantee.delta_at_epsilon:.6g} at epsilon {guarantee.epsilon:.6g}"
    detail = f"{stated}, recomputed {releases * computed:.6g} at {releases * epsilon:.6g} ({how})"
    return Check("delta", bool(ok), detail)
