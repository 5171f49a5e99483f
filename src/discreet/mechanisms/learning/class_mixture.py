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


def excess(shifts: Shifts, s: float, bend: float, epsilon: float, classes: int) -> float:
    """E (1 - e^{epsilon - Z})_+ for one k: the largest of the A_j, and what a second one near it adds."""
    total = sum(count * gaussian_delta(epsilon, math.sqrt(square) * s) for square, count in shifts if count)
    return total if bend == 0 or total >= 1 else total + _bonuses(shifts, s, bend, epsilon, classes, STICK)


def classes_loss(shifts: Shifts, s: float, bend: float, classes: int) -> Loss:
    """The law of max(0, Z), by E (Z - tau)_+ at least."""

    def tail(thresholds: Floats) -> Tail:
        at = np.maximum(thresholds, 0.0)
        singles = [(count, normal_loss(math.sqrt(square) * s)(at)) for square, count in shifts if square and count]
        mean, share = (np.asarray(sum(count * single[index] for count, single in singles)) for index in (0, 1))
        if bend > 0:
            mean = mean + [_bonuses(shifts, s, bend, float(threshold), classes, _LINE) for threshold in at]
        return Tail(mean + (at - thresholds), np.where(thresholds < 0, 1.0, np.minimum(share, 1.0)))

    return tail


def _bonuses(shifts: Shifts, s: float, bend: float, threshold: float, classes: int, rise: Rise) -> float:
    total = 0.0
    for index, (square, count) in enumerate(shifts):
        for other, other_count in shifts[index:]:
            pairs = count * (count - 1) // 2 if other == square else count * other_count
            if pairs:
                total += pairs * _bonus(square, other, s, bend, threshold, 1.0 - 1.0 / classes, rise)
    return total


def _bonus(first: float, second: float, s: float, bend: float, threshold: float, share: float, rise: Rise) -> float:
    """What the pair with m^2 = `first`, `second` adds: an integral over D = A_1 - A_2 ~ N((first - second) s^2 / 2, 2 s^2), |D| <= 2 bend.

    Given D, the mean U = (A_1 + A_2) / 2 is normal, as written below; the shifts of a pair are always sqrt(2) s apart.
    """
    centre, spread = 0.5 * (first - second) * s * s, math.sqrt(2.0) * s
    left, right = max(-2.0 * bend, centre - _FARTHEST * spread), min(2.0 * bend, centre + _FARTHEST * spread)
    if left >= right:
        return 1e-280
    edges = cell_edges(left, right)
    nearest = np.clip(centre, edges[:-1], edges[1:])
    density = np.exp(-0.5 * np.square((nearest - centre) / spread)) / (math.sqrt(2.0 * math.pi) * spread)
    mean = 0.25 * (first + second) * s * s + 0.25 * (first - second) * (edges - centre) - threshold
    sigma = s * math.sqrt(max(0.0, 0.5 * (first + second - 1.0) - 0.125 * (first - second) ** 2))
    gained = most_gained(edges, mean, sigma, bend, share, rise)
    return float(np.sum(gained * density * np.diff(edges))) * _UP + 1e-280


def cell_edges(left: float, right: float) -> Floats:
    """Edges of the cells of an integral over D, ascending; 0, where the bonus has a peak, is never inside a cell."""
    edges: Floats = np.linspace(left, right, _CELLS + 1)
    if not left < 0.0 < right:
        return edges
    place = int(np.searchsorted(edges, 0.0))
    return edges if edges[place] == 0.0 else np.concatenate((edges[:place], [0.0], edges[place:]))


def most_gained(edges: Floats, mean: Floats, sigma: float, bend: float, share: float, rise: Rise | None = None) -> Floats:
    """For every cell, at least what the bonus adds at any D in it, given the mean of (A_1 + A_2) / 2 over the threshold, linear in D, at its edges.

    On either side of 0 the larger of A_1 and A_2 is linear in D and what the bonus lifts it to is convex, so each is least or largest at an edge.
    """
    rise = rise or STICK
    larger = mean + 0.5 * np.abs(edges)
    lifted = larger + share * np.square(2.0 * bend - np.abs(edges)) / (4.0 * bend)
    low, high = np.minimum(larger[:-1], larger[1:]), np.maximum(lifted[:-1], lifted[1:])
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
