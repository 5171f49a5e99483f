"""What the rechecks compute alike: integrals of privacy losses, lines above them, the last stage of fits."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.accounting import Json, closeness
from discreet.core.arrays import Floats
from discreet.core.fields import not_negative, positive
from discreet.core.least import least_between
from discreet.core.normal import log_ndtr, ndtr
from discreet.statements.base import mapping
from discreet.verification.base import Stated
from discreet.verification.drawn import gaussian_distance, spherical_distance
from discreet.words.learning import dimension_of

LEAST_SCALE = 64.0
"""Of discrete noise that is compared with Gaussian noise, in steps; the lemma would do with less."""
KNOWN_TO = 1e-6
"""The share of itself to which a curve of a first stage is known: a small bend within a panel (`excess`) makes up to 3e-7 of it, a tangent 1e-7; a
stated delta may be less by as much. Lines that are looked for (`lines`) are as near to the best where bounds have one valley; with others a curve is
higher. The tests compare with every bend at an end, and finer searches."""
_FEW = 32
"""Every so many lines are compared first."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def bound_of(value: Json) -> float:
    """A positive number, or infinity for None."""
    return math.inf if value is None else positive(value)


class Envelope(NamedTuple):
    """g -> the largest of some lines, of slopes that are nowhere negative."""

    slopes: Floats
    heights: Floats
    corners: Floats
    """Where the next line is the largest."""
    levels: Floats
    """Values there."""

    def __call__(self, g: Floats) -> Floats:
        """Elementwise."""
        place = np.searchsorted(self.corners, g)
        found: Floats = self.slopes[place] * g + self.heights[place]
        return found

    def beyond(self, levels: Floats) -> Floats:
        """E (loss(g) - level)_+ of a standard normal g, elementwise and in closed form: for what is integrated once it is found."""
        starts = np.append(-math.inf, self.corners)
        ends = np.append(self.corners, math.inf)
        mass, mean = ndtr(-starts) - ndtr(-ends), _density(starts) - _density(ends)
        after_mass, after_sum = (np.append(np.cumsum(part[::-1])[::-1][1:], 0.0) for part in (mass, self.slopes * mean + self.heights * mass))
        first = self.first_above(levels)
        place = np.searchsorted(self.corners, first)
        mass, mean = ndtr(-first) - ndtr(-ends[place]), _density(first) - _density(ends[place])
        inside = self.slopes[place] * mean + (self.heights[place] - levels) * mass
        found: Floats = np.maximum(inside + after_sum[place] - levels * after_mass[place], 0.0)
        return found

    def first_above(self, levels: Floats) -> Floats:
        """The least g from which on it is above each level; infinite where there is none."""
        place = np.searchsorted(self.levels, levels)
        slopes, over = self.slopes[place], levels - self.heights[place]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(slopes > 0, over / slopes, np.where(over <= 0, -math.inf, math.inf))


def _density(g: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * np.square(g)) / math.sqrt(2.0 * math.pi))


def upper_lines(steep: Floats, heights: Floats) -> Envelope:
    """g -> the largest of the lines steep g + heights, steep >= 0: their upper envelope.

    A line that is below the largest of two others everywhere is none of it: as a point (steepness, height), it is below the chord of these. Every few
    points are compared first, and with the chords between those that are left, all.
    """
    if not np.all(np.diff(steep) > 0):
        order = np.lexsort((heights, steep))
        steep, heights = steep[order], heights[order]
        last = np.append(np.diff(steep) > 0, True)
        steep, heights = steep[last], heights[last]
    if len(steep) > 2 * _FEW:
        some = np.append(np.arange(0, len(steep) - 1, _FEW), len(steep) - 1)
        above = ~(heights < np.interp(steep, *_hull(steep[some], heights[some], 64)))  # what is no number stays, and is refused
        steep, heights = steep[above], heights[above]
    steep, heights = _hull(steep, heights, 4)
    starts = (heights[:-1] - heights[1:]) / np.diff(steep)
    return Envelope(steep, heights, starts, steep[1:] * starts + heights[1:])


def _hull(steep: Floats, heights: Floats, apart: int) -> tuple[Floats, Floats]:
    """The points on the upper hull: those so far `apart`, a power of 4, are compared first, and neighbours until none is left that could go."""
    while True:
        crossed = (heights[:-apart] - heights[apart:]) / (steep[apart:] - steep[:-apart])
        below = crossed[apart:] <= crossed[:-apart]
        if below.any():
            kept = np.ones(len(steep), dtype=bool)
            kept[apart:-apart] = ~below
            steep, heights = steep[kept], heights[kept]
        elif apart == 1:
            return steep, heights
        apart = apart // 4 if apart > 1 else 4


def excess(epsilon: float, loss: Envelope, mu: float = 0.0, *, linear: bool = False) -> float:
    """E (1 - e^{epsilon - loss(g) - l})_+ for g ~ N(0, 1) and l ~ N(mu^2 / 2, mu^2), or `linear`, E (loss(g) + l - epsilon)_+."""
    starts = loss.first_above(epsilon - mu * (0.5 * mu + (_AWAY if mu else _AWAY[-1:])))
    start = min(max(float(starts[-1]), _FIRST), _LAST)
    last, bends = max(start + _REACH, _REACH), loss.corners[np.diff(loss.slopes) > loss.slopes[-1] / _BENDS]
    if mu:
        first, edges = max(float(starts[0]), _FIRST), np.concatenate((starts, start + _BEGINNING, _EVERYWHERE, bends))
    elif start >= _LAST:
        return 0.0
    else:
        first, edges = start, np.concatenate((start + _BEGINNING, np.linspace(start + 4.5, last, 40), bends))
    g, weights = panels(np.unique(np.clip(edges, first, last)))
    rise = normal_above if linear else hinge
    return float(weights @ (np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi) * rise(loss(g) + 0.5 * mu * mu - epsilon, mu)))


def panels(edges: Floats) -> tuple[Floats, Floats]:
    """Gauss-Legendre points and weights on consecutive panels, in order."""
    half = 0.5 * np.diff(edges)[:, np.newaxis]
    middle = 0.5 * (edges[1:] + edges[:-1])[:, np.newaxis]
    return (middle + half * _NODES).ravel(), (half * _WEIGHTS).ravel()


def normal_excess(threshold: float, s: float, mu: float = 0.0) -> float:
    """E (max(0, A) + l - threshold)_+, A ~ N(s^2 / 2, s^2), l as in `excess`, by quadrature."""
    if mu:
        return excess(threshold, upper_lines(np.array([0.0, s]), np.array([0.0, 0.5 * s * s])), mu, linear=True)
    line = Envelope(np.array([s]), np.array([0.5 * s * s]), np.empty(0), np.empty(0))
    return excess(max(threshold, 0.0), line, linear=True) + max(-threshold, 0.0)


def least_tangent(epsilon: float, beyond: Callable[[float, float], float], mu: float = 0.0) -> float:
    """delta of a mixture of losses Y with E (Y + l - tau)_+ = beyond(tau, mu), l as in `excess`: the least of the tangents of 1 - e^{epsilon - Y}.

    The tangent at epsilon + ln(1 + u) is beyond(tau) / (1 + u), tau = epsilon - u + ln(1 + u), and least where m, the mean of Y - tau beyond tau, is
    u. There is one such u, for d m / d tau >= -1: then m - u falls by 1 / (1 + u) or more. Secants find it, or golden sections where m jumps. It is
    searched for without l, which moves it little; any tangent is a bound.
    """

    def tangent(u: float, mu: float) -> float:
        return beyond(epsilon - (u - math.log1p(u)), mu) / (1.0 + u)

    def over(u: float) -> float:
        """m - u."""
        tau, apart = epsilon - (u - math.log1p(u)), _NEARBY * u
        here = beyond(tau, 0.0)
        fall = beyond(tau - apart, 0.0) - here
        return here * apart / fall - u if fall > 0 else -u

    (low, high), u, slope = _TANGENTS, _TANGENT, -1.0
    before: tuple[float, float] | None = None
    for _ in range(_SECANTS):
        at = over(u)
        if at <= -u:  # nothing is beyond
            return tangent(low, mu)
        low, high = (u, high) if at > 0 else (low, u)
        if before:
            slope = min((at - before[1]) / (u - before[0]), -1.0 / (1.0 + u))
        before, following = (u, at), u - at / slope
        if abs(at) <= _STILL * u:
            return tangent(following, mu)
        u = following if low < following < high else math.sqrt(low * high)
    place, _ = least_between(lambda place: tangent(math.exp(place), 0.0), math.log(low), math.log(high), near=1e-6)
    return tangent(math.exp(place), mu)


def least_tangents(epsilon: float, beyond: Callable[[Floats], Floats]) -> Floats:
    """The least tangents of many such losses, up to a share 1e-7 or so: `beyond` takes thresholds (losses, some) and gives as many numbers.

    u goes through powers of one ratio, and then, as there is one valley, through finer ones beside the best: an error in u counts as its square.
    """

    def tangents(places: Floats) -> Floats:
        over = np.exp(places)
        return beyond(epsilon - (over - np.log1p(over))) / (1.0 + over)

    places = np.linspace(math.log(_TANGENTS[0]), math.log(_TANGENTS[1]), _WIDE)[np.newaxis]
    found = tangents(places)
    for _ in range(_NARROWED):
        best, rows = np.argmin(found, axis=1), np.arange(len(found))
        places = np.broadcast_to(places, found.shape)
        low, high = places[rows, np.maximum(best - 1, 0)], places[rows, np.minimum(best + 1, found.shape[1] - 1)]
        places = low[:, np.newaxis] + np.multiply.outer(high - low, np.linspace(0.0, 1.0, _WITHIN))
        found = tangents(places)
    least: Floats = found.min(axis=1)
    return least


def normal_above(mean: Floats, sigma: float) -> Floats:
    """E (mean + sigma g)_+, g ~ N(0, 1), elementwise: mean Phi(mean / sigma) + sigma phi(mean / sigma)."""
    if sigma == 0:
        return np.maximum(mean, 0.0)
    z = mean / sigma
    found: Floats = mean * ndtr(z) + sigma * np.exp(-0.5 * np.square(z)) / math.sqrt(2.0 * math.pi)
    return np.maximum(found, 0.0)


def hinge(mean: Floats, sigma: float) -> Floats:
    """E (1 - e^{-(mean + sigma g)})_+, g ~ N(0, 1): P(g > -z) - e^{sigma^2 / 2 - mean} P(g > sigma - z) at z = mean / sigma, of logarithms."""
    if sigma == 0:
        return -np.expm1(-np.maximum(mean, 0.0))
    z = mean / sigma
    above, beyond = log_ndtr(np.stack((z, z - sigma)))
    return np.asarray(np.exp(above) * -np.expm1(np.minimum(0.5 * sigma * sigma - mean + beyond - above, 0.0)))


def chords(knots: Floats, deltas: Floats) -> Callable[[Floats], Floats]:
    """epsilons -> an upper bound of a curve that is at most `deltas` at increasing `knots`, any real numbers.

    A curve is convex in e^epsilon: it lies below the chord of any two knots, and the lowest chords are those of the lower hull. Beyond the last knot
    the bound is what it is there, since curves fall; below the first there is none, and it is 1.
    """
    places, heights = knots, deltas
    while np.any(above := _above_chords(places, heights)):  # of what lies on the chord of any two others, or above it, the hull holds nothing
        kept = np.concatenate(([True], ~above, [True]))
        places, heights = places[kept], heights[kept]

    def curve(epsilons: Floats) -> Floats:
        inside = np.clip(epsilons, places[0], places[-1])
        right = np.clip(np.searchsorted(places, inside), 1, len(places) - 1)
        low, high = places[right - 1], places[right]
        # Both shares by themselves: nothing cancels, where a chord falls from 1 to next to nothing.
        of_right = np.exp(inside - high) * np.expm1(low - inside) / np.expm1(low - high)
        of_left = np.expm1(inside - high) / np.expm1(low - high)
        return np.where(epsilons < places[0], 1.0, of_left * heights[right - 1] + of_right * heights[right])

    return curve


def at_every_epsilon(curve: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """A curve below 0 too: at -e it is 1 - e^{-e} + e^{-e} delta(e), the two data sets having changed places."""

    def both(epsilons: Floats) -> Floats:
        known, lower = curve(np.abs(epsilons)), np.minimum(epsilons, 0.0)
        found: Floats = np.where(epsilons >= 0, known, -np.expm1(lower) + np.exp(lower) * known)
        return found

    return both


def _above_chords(knots: Floats, deltas: Floats) -> npt.NDArray[np.bool_]:
    """Of every knot but the first and the last: whether its point lies on the chord of those beside it, or above it."""
    of_right = np.exp(knots[1:-1] - knots[2:]) * np.expm1(knots[:-2] - knots[1:-1]) / np.expm1(knots[:-2] - knots[2:])
    above: npt.NDArray[np.bool_] = deltas[1:-1] >= deltas[:-2] + of_right * (deltas[2:] - deltas[:-2])
    return above


def gaussian_integral(epsilon: float, mu: float) -> float:
    """E (1 - e^{-mu (g - t)})_+, t = epsilon / mu - mu / 2: the profile of one Gaussian mechanism by quadrature; any real epsilon, mu > 0."""
    return float(gaussian_integrals(np.array([epsilon]), mu)[0])


def gaussian_integrals(epsilons: Floats, mu: float) -> Floats:
    """`gaussian_integral`, elementwise."""
    threshold = np.minimum(epsilons / mu - 0.5 * mu, _LAST)[:, np.newaxis]
    start = np.maximum(threshold, _FIRST)
    width = np.maximum(_REACH, _REACH - start) - _BESIDE
    g = start + np.concatenate((np.broadcast_to(_NEAR, (len(start), len(_NEAR))), _BESIDE + width * _FAR), axis=1)
    values = np.exp(-0.5 * g * g) * np.expm1(mu * (threshold - g))
    found = -(values[:, : len(_NEAR)] @ _NEAR_WEIGHTS + width[:, 0] * (values[:, len(_NEAR) :] @ _FAR_WEIGHTS)) / math.sqrt(2.0 * math.pi)
    return np.where(threshold[:, 0] < _LAST, found, 0.0)


_TANGENT, _TANGENTS, _NEARBY = 0.1, (1e-7, 150.0), 1e-4
"""u of tangents: where the search begins, between which it stays, and the share of u over which a slope is taken."""
_WIDE, _WITHIN, _NARROWED = 64, 9, 3
"""How many u are looked at first, and how many, and how often, between the neighbours of the best."""
_SECANTS, _STILL = 8, 1e-3
"""At most so many, the last one from where m is so near."""
_BEGINNING = np.linspace(0.0, 4.0, 33)
_FIRST, _LAST = -12.0, 40.0
"""Below the first a normal variable weighs nothing, and beyond the last there is none."""
_AWAY = np.concatenate(([37.5, 30.0, 24.0, 19.0, 16.0, 14.0], np.arange(12.0, -8.5, -0.5)))
_EVERYWHERE = np.arange(_FIRST, _LAST, 0.5)
"""Deviations of a second loss at which panels end, and where panels end anyway beside it."""
_BENDS = 64.0
"""More corners of a loss than this share of its steepest slope can have are none at which panels have to end."""
_BESIDE, _REACH = 4.0, 14.0
_NEAR, _NEAR_WEIGHTS = panels(np.array([0.0, 1 / 64, 1 / 16, 3 / 16, 7 / 16, 1.0, 2.0, _BESIDE]))
"""Beside a threshold, where the integrand bends within 1 / mu."""
_FAR, _FAR_WEIGHTS = panels(np.linspace(0.0, 1.0, 11))


def place_of_least(bound: Callable[[float], float], places: Floats, *, near: float) -> float:
    """Where a bound that may have more than one valley is least: at increasing places, then between the neighbours of the best, up to `near`."""
    found = [bound(float(place)) for place in places]
    best = int(np.argmin(found))
    around = (float(places[max(0, best - 1)]), float(places[min(len(places) - 1, best + 1)]))
    place, value = least_between(bound, *around, near=near)
    return place if value < found[best] else float(places[best])


def discrete_integral(epsilon: float, mu: float, *, integers: float, scale: float, stages: int = 1) -> float:
    """delta of discrete Gaussian integers that move by mu scales: the integral at what the lemma leaves of epsilon; 1 where it does not apply."""
    apart = closeness(integers, scale, stages=stages)
    if not (scale >= LEAST_SCALE and apart.total < epsilon):
        return 1.0
    return gaussian_integral(epsilon - apart.total, mu) * math.exp(apart.upper)


def noise_error(stated: Stated, dimension: int | None = None) -> float:
    """How far drawn noise may be from its ideal: what is recorded, or what the sampler's arithmetic allows if that is more."""
    parameters, numbers = stated.parameters, dimension or dimension_of(stated.problem)
    if "rate" in parameters:
        allowed = spherical_distance(positive(parameters["rate"]), numbers)
    else:
        allowed = gaussian_distance(positive(parameters["scale"]), numbers)
    return max(positive(parameters["noise_error"]), allowed)


def drawn_radius(stated: Stated, ridge: float, error: float, *, minimisers: int = 1) -> float:
    """How far so many minimisers, each computed to the stated tolerance under noise in the objective, may be from ideal ones together; e is `error`.

    A prior is added to the noise in floating point: such a sum is off by half a unit of both, of which that of the drawn numbers is less than e.
    """
    stopped = math.sqrt(minimisers) * positive(stated.parameters["tolerance"])
    if "prior" not in stated.problem:
        return (stopped + error) / ridge
    return (stopped + 2.0 * error) / ridge + 2.0**-51 * not_negative(mapping(stated.problem["prior"])["norm"])


def last_stage(parameters: Mapping[str, Json], dimension: int, radius: float) -> float:
    """epsilon of the last stage with Laplace noise, of so many weights that are computed within `radius` of ideal ones."""
    return math.sqrt(dimension) * steps_apart(parameters, dimension, radius) / positive(parameters["grid_scale"])


def steps_apart(parameters: Mapping[str, Json], dimension: int, radius: float) -> float:
    """How many steps roundings of points around one ideal are from each other, at most (l2)."""
    return 2.0 * radius / positive(parameters["grid_step"]) + math.sqrt(dimension)
