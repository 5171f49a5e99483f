"""What the largest of K shifts costs whose mixture, with unknown probabilities p, moves Gaussian noise (proof note multinomial_perturbation.md).

    Z = sup_p { sum_j p_j A_j + b (1 - |p|^2) },     A_j ~ N(m_j^2 s^2 / 2, m_j^2 s^2),     all sqrt(2) s apart

With A_1 >= A_2 the two largest, Z <= A_1 + (1 - 1/K) (2 b - A_1 + A_2)_+^2 / 4 b (lemma 3). So for every phi >= 0 that does not decrease

    E phi(Z) <= sum_j E phi(A_j) + sum_{i < j} E[phi(larger + bonus) - phi(larger)]

and the second sum is over pairs that come within 2 b of each other only: it vanishes for b = 0. phi is the hockey stick, (1 - e^{epsilon - x})_+,
or (x - tau)_+, of which the tangents of persons are made (module `persons`). Integrals over the difference A_i - A_j are sums over cells of
(largest integrand) x (largest density) x (width): upper bounds.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import erfcx, ndtr

from discreet.accounting import gaussian_delta
from discreet.core.arrays import Floats
from discreet.core.rounding import raising
from discreet.mechanisms.learning.persons import Loss, Tail, beyond, normal_loss

_CELLS = 192
_FARTHEST = 37.0
_UP = raising(4_096)
Shifts: TypeAlias = Sequence[tuple[float, int]]
"""(m^2, how many of the A_j have it)."""


class Rise(NamedTuple):
    """A function phi >= 0 that does not decrease, by expectations."""

    of: Callable[[Floats, float], Floats]
    """E phi(x) at normal x of these means, over the threshold, and one deviation: elementwise."""
    up: float
    """Factor that outweighs its rounding."""


def excess(shifts: Shifts, s: float, bend: float, epsilons: Floats, classes: int) -> Floats:
    """E (1 - e^{epsilon - Z})_+ for one k, elementwise: the largest of the A_j, and what a second one near it adds."""
    lengths = [(count, math.sqrt(square) * s) for square, count in shifts if count]
    total = np.array([sum(count * gaussian_delta(epsilon, length) for count, length in lengths) for epsilon in epsilons.tolist()])
    if bend > 0 and (less := total < 1).any():
        total[less] += _bonuses(shifts, s, bend, epsilons[less], classes, STICK)
    return total


def classes_loss(shifts: Shifts, s: float, bend: float, classes: int) -> Loss:
    """The law of max(0, Z), by E (Z - tau)_+ at least."""

    def tail(thresholds: Floats) -> Tail:
        at = np.maximum(thresholds, 0.0)
        singles = [(count, normal_loss(math.sqrt(square) * s)(at)) for square, count in shifts if square and count]
        mean, share = (np.asarray(sum(count * single[index] for count, single in singles)) for index in (0, 1))
        if bend > 0:
            mean = mean + _bonuses(shifts, s, bend, at, classes, _LINE)
        return Tail(mean + (at - thresholds), np.where(thresholds < 0, 1.0, np.minimum(share, 1.0)))

    return tail


def _bonuses(shifts: Shifts, s: float, bend: float, thresholds: Floats, classes: int, rise: Rise) -> Floats:
    """What all pairs add, for each threshold."""
    total = np.zeros(len(thresholds))
    for index, (square, count) in enumerate(shifts):
        for other, other_count in shifts[index:]:
            pairs = count * (count - 1) // 2 if other == square else count * other_count
            if pairs:
                total += pairs * _bonus(_cells(square, other, s, bend, 1.0 - 1.0 / classes), thresholds, rise)
    return total


class _Cells(NamedTuple):
    """Of a pair, what does not depend on the threshold: see `_bonus`."""

    mean: Floats
    """Of U, at the edges."""
    larger: Floats
    bonus: Floats
    """See `lifts`."""
    density: Floats
    width: Floats
    sigma: float


@lru_cache(maxsize=64)
def _cells(first: float, second: float, s: float, bend: float, share: float) -> _Cells | None:
    centre, spread = 0.5 * (first - second) * s * s, math.sqrt(2.0) * s
    left, right = max(-2.0 * bend, centre - _FARTHEST * spread), min(2.0 * bend, centre + _FARTHEST * spread)
    if left >= right:
        return None
    edges = cell_edges(left, right)
    nearest = np.clip(centre, edges[:-1], edges[1:])
    density = np.exp(-0.5 * np.square((nearest - centre) / spread)) / (math.sqrt(2.0 * math.pi) * spread)
    mean = 0.25 * (first + second) * s * s + 0.25 * (first - second) * (edges - centre)
    sigma = s * math.sqrt(max(0.0, 0.5 * (first + second - 1.0) - 0.125 * (first - second) ** 2))
    return _Cells(mean, *lifts(edges, bend, share), density, np.diff(edges), sigma)


def _bonus(cells: _Cells | None, thresholds: Floats, rise: Rise) -> Floats:
    """What the pair with m^2 = `first`, `second` adds: an integral over D = A_1 - A_2 ~ N((first - second) s^2 / 2, 2 s^2), |D| <= 2 bend.

    Given D, the mean U = (A_1 + A_2) / 2 is normal, as written above; the shifts of a pair are always sqrt(2) s apart.
    """
    if cells is None:
        return np.full(len(thresholds), 1e-280)
    gained = most_gained(cells.mean - thresholds[:, np.newaxis], cells.larger, cells.bonus, cells.sigma, rise)
    return np.sum(gained * cells.density * cells.width, axis=1) * _UP + 1e-280


def cell_edges(left: float, right: float) -> Floats:
    """Edges of the cells of an integral over D, ascending; 0, where the bonus has a peak, is never inside a cell."""
    edges: Floats = np.linspace(left, right, _CELLS + 1)
    if not left < 0.0 < right:
        return edges
    place = int(np.searchsorted(edges, 0.0))
    return edges if edges[place] == 0.0 else np.concatenate((edges[:place], [0.0], edges[place:]))


def lifts(edges: Floats, bend: float, share: float) -> tuple[Floats, Floats]:
    """Of D at the edges: how far the larger of A_1 and A_2 is above their mean, and what the bonus adds to it."""
    return 0.5 * np.abs(edges), share * np.square(2.0 * bend - np.abs(edges)) / (4.0 * bend)


def most_gained(mean: Floats, larger: Floats, bonus: Floats, sigma: float, rise: Rise) -> Floats:
    """For every cell, at least what the bonus adds at any D in it, given the mean of (A_1 + A_2) / 2 over the threshold, linear in D, at its edges.

    On either side of 0 the larger of A_1 and A_2 is linear in D and what the bonus lifts it to is convex, so each is least or largest at an edge.
    """
    highest = mean + larger
    lifted = highest + bonus
    low, high = np.minimum(highest[..., :-1], highest[..., 1:]), np.maximum(lifted[..., :-1], lifted[..., 1:])
    return np.maximum(rise.of(high, sigma) * rise.up - rise.of(low, sigma), 0.0)


def _of_stick(mean: Floats, sigma: float) -> Floats:
    """E (1 - e^{-(mean + sigma g)})_+, g ~ N(0, 1), elementwise."""
    if sigma == 0:
        return -np.expm1(-np.maximum(mean, 0.0))
    threshold = -mean / sigma
    far = np.maximum(threshold, 0.0)
    tail = 0.5 * np.exp(-0.5 * np.square(far)) * (erfcx(far / math.sqrt(2.0)) - erfcx((far + sigma) / math.sqrt(2.0)))
    near = np.minimum(threshold, 0.0)
    body = ndtr(-near) - np.exp(np.minimum(near * sigma + 0.5 * sigma * sigma, 700.0)) * ndtr(-near - sigma)
    return np.where(threshold > 0, tail, np.maximum(body, 0.0))


def _of_line(mean: Floats, sigma: float) -> Floats:
    """E (mean + sigma g)_+, elementwise."""
    return np.maximum(mean, 0.0) if sigma == 0 else sigma * beyond(-mean / sigma)[0]


STICK, _LINE = Rise(_of_stick, _UP), Rise(_of_line, 1.0 + 1e-9)
