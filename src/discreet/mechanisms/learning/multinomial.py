"""What noise in the multinomial objective costs (theorems M1 to M3 of the proof note multinomial_perturbation.md), and the lambda that it needs.

Gaussian noise. s = c_max R / sigma; a = c_max R^2 / lambda; t = 1 - |p|^2 in [0, 1 - 1/K] for a vector p of K probabilities; delta_G the Gaussian
profile. One record shifts the noise by s sum_j p_j (e_j - e_y): a mixture, with unknown probabilities p, of K shifts of lengths m_j s.

    privacy loss <= max over k of sup_p { sum_j p_j A_jk + J(p) - (s^2 / 2) t },     A_jk ~ N(m_jk^2 s^2 / 2, m_jk^2 s^2)
    J(p) = ln det(I + a (diag(p) - p p^T)) <= (K - 1) ln(1 + a t / (K - 1)) <= c + a' t      for every tangent (c, a')

    add-remove     one k:  m^2 = 2 (K - 1 times), 0
    replace-one    K - 1 times k: m^2 = 8, 6 (K - 2 times), 2;  and the one k of add-remove            (the worst pair of records)

With b = max(0, a' - s^2 / 2) and A_1 >= A_2 the two largest of the A_jk, the supremum over p is at most A_1 + (1 - 1/K) (2 b - A_1 + A_2)_+^2 / 4 b.
So, with epsilon lowered by c,

    delta(epsilon) <= sum_j delta_G(epsilon; m_j s) + sum_{i < j} E[(1 - e^{epsilon - larger - bonus})_+ - (1 - e^{epsilon - larger})_+]

and the second sum is over pairs that come within 2 b of each other only: it vanishes for b = 0 and is small for lambda >= 6 c_max R^2 / epsilon (12
under replace-one). Then K classes cost what one Gaussian mechanism of sensitivity sqrt(2) R (2 sqrt(2) R under replace-one) costs at delta / (K - 1).
Integrals over the difference A_i - A_j are sums over cells of (largest integrand) x (largest density) x (width): upper bounds.

Spherical noise b of density proportional to exp(-beta |b|_2):

    epsilon = max_t { beta c_max R sqrt(2 - t) + (K - 1) ln(1 + a t / (K - 1)) }  (+ sqrt(2) beta c_max R under replace-one),    0 <= t <= 1 - 1/K

|p - e_y|^2 <= 2 - t, and the Jacobian term is at most the second summand; for a <= beta c_max R / (2 sqrt 2) the maximum is at t = 0: epsilon =
sqrt(2) beta c_max R, no slack. The Jacobian term alone is (K - 1) ln(1 + a / K) where all classes are equally likely, so this must be below epsilon:
lambda > c_max R^2 / (K (e^{epsilon / (K - 1)} - 1)).
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import erfcx, ndtr

from discreet.accounting import gaussian_delta
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import lowering, raising
from discreet.mechanisms.learning.perturbation import Head
from discreet.problems import MultinomialRisk
from discreet.statements import learning as words

_CELLS = 192
_STEPS = 4096
_TANGENTS = (0.0, 0.25, 0.5, 0.75, 1.0)
_FARTHEST = 37.0
_UP = raising(4_096)
_DOWN = lowering(450)
_Shifts = Sequence[tuple[float, int]]
"""(m^2, how many of the A_j have it)."""


class Multinomial(Head[MultinomialRisk]):
    """The multinomial logistic loss of K classes."""

    name = "multinomial-perturbation"

    def profile(self, problem: MultinomialRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
        """See Head."""

        def delta(scale: float, epsilon: float) -> float:
            s = problem.max_weight * problem.domain.radius / scale
            return min(1.0, *(_along(problem.classes, s, line, epsilon, neighbours) for line in jacobian_lines(problem)))

        return delta

    def epsilon(self, one: MultinomialRisk, *, rate: float, neighbours: Neighbours) -> float:
        """See Head."""
        unit = rate * one.max_weight * one.domain.radius
        other_record = 0.0 if neighbours is ADD_REMOVE else math.sqrt(2.0) * unit
        if one.jacobian_ratio <= unit / (2.0 * math.sqrt(2.0)) * _DOWN:
            return (math.sqrt(2.0) * unit + other_record) * raising(45)
        edges = np.linspace(0.0, 1.0 - 1.0 / one.classes, _STEPS + 1)
        rank = one.classes - 1.0
        largest = unit * np.sqrt(2.0 - edges[:-1]) + rank * np.log1p(one.jacobian_ratio * edges[1:] / rank)
        return (float(np.max(largest)) + other_record) * raising(450)

    def rate(self, one: MultinomialRisk, *, epsilon: float, neighbours: Neighbours) -> float:
        """See Head; to 1e-9."""
        high = epsilon / (one.gradient_bound * (1.0 if neighbours is ADD_REMOVE else 2.0)) * _DOWN
        if self.epsilon(one, rate=high, neighbours=neighbours) <= epsilon:
            return high
        low = 0.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if self.epsilon(one, rate=middle, neighbours=neighbours) <= epsilon:
                low = middle
            else:
                high = middle
        return low

    def least_ridge(self, problem: MultinomialRisk, epsilon: float) -> float:
        """See Head: see the module docstring."""
        unit = problem.jacobian_ratio * problem.ridge
        return unit / (problem.classes * math.expm1(min(epsilon / (problem.classes - 1.0), 700.0)))

    def comfortable_ridge(self, problem: MultinomialRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
        """See Head.

        Pure: 4 c_max R^2 / epsilon (8 under replace-one), where there is none. Gaussian: 6 c_max R^2 / epsilon (12), where the slack costs at most
        1 % more noise for three classes and 6 % for ten (more for many classes, where pairs are many: 17 % for a hundred). On MNIST test accuracy is
        about best there, for epsilon 0.5, 1 and 4.
        """
        unit = problem.jacobian_ratio * problem.ridge
        factors = (6.0, 12.0) if delta > 0 else (4.0, 8.0)
        return factors[neighbours is not ADD_REMOVE] * unit / epsilon * (1.0 + 1e-3)

    def theorem(self, problem: MultinomialRisk, *, pure: bool) -> str:  # noqa: ARG002 - the same for any problem
        """See Head."""
        return words.MULTINOMIAL_PURE if pure else words.MULTINOMIAL_GAUSSIAN

    def described(self, problem: MultinomialRisk) -> str:
        """See Head."""
        return f"multinomial logistic regression of {problem.classes} classes"


MULTINOMIAL = Multinomial()


def jacobian_lines(problem: MultinomialRisk) -> list[tuple[float, float]]:
    """Pairs (c, a') with J(p) <= c + a' (1 - |p|^2) for all p: tangents of a concave bound, and its largest value with a' = 0."""
    ratio, rank = problem.jacobian_ratio, problem.classes - 1.0
    most = 1.0 - 1.0 / problem.classes
    lines = [(rank * math.log1p(ratio * most / rank) * _UP, 0.0)]
    for t in (share * most for share in _TANGENTS):
        slope = ratio / (1.0 + ratio * t / rank)
        height = rank * math.log1p(ratio * t / rank) * _UP - slope * t / _UP
        lines.append((max(height, 0.0), slope * _UP))
    return lines


def _along(classes: int, s: float, line: tuple[float, float], epsilon: float, neighbours: Neighbours) -> float:
    """The bound with one line above the Jacobian term."""
    height, slope = line
    bend = max(0.0, slope - 0.5 * s * s / _UP)
    alone: _Shifts = ((2.0, classes - 1), (0.0, 1))
    total = _mixture(alone, s, bend, epsilon - height, classes)
    if neighbours is not ADD_REMOVE:
        total += (classes - 1) * _mixture(((8.0, 1), (6.0, classes - 2), (2.0, 1)), s, bend, epsilon - height, classes)
    return total * _UP


def _mixture(shifts: _Shifts, s: float, bend: float, epsilon: float, classes: int) -> float:
    """E (1 - e^{epsilon - sup_p})_+ for one k: the largest of the A_j, and what a second one near it adds."""
    total = sum(count * gaussian_delta(epsilon, math.sqrt(square) * s) for square, count in shifts if count)
    if bend == 0 or total >= 1:
        return total
    for index, (square, count) in enumerate(shifts):
        for other, other_count in shifts[index:]:
            pairs = count * (count - 1) // 2 if other == square else count * other_count
            if pairs:
                total += pairs * _bonus(square, other, s, bend, epsilon, 1.0 - 1.0 / classes)
    return total


def _bonus(first: float, second: float, s: float, bend: float, epsilon: float, share: float) -> float:
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
    mean = 0.25 * (first + second) * s * s + 0.25 * (first - second) * (edges - centre) - epsilon
    sigma = s * math.sqrt(max(0.0, 0.5 * (first + second - 1.0) - 0.125 * (first - second) ** 2))
    gained = most_gained(edges, mean, sigma, bend, share)
    return float(np.sum(gained * density * np.diff(edges))) * _UP + 1e-280


def cell_edges(left: float, right: float) -> Floats:
    """Edges of the cells of an integral over D, ascending; 0, where the bonus has a peak, is never inside a cell."""
    edges: Floats = np.linspace(left, right, _CELLS + 1)
    return np.union1d(edges, [0.0]) if left < 0.0 < right else edges


def most_gained(edges: Floats, mean: Floats, sigma: float, bend: float, share: float) -> Floats:
    """For every cell, at least what the bonus adds at any D in it, given the mean of (A_1 + A_2) / 2 - epsilon, linear in D, at its edges.

    On either side of 0 the larger of A_1 and A_2 is linear in D and what the bonus lifts it to is convex, so each is least or largest at an edge.
    """
    larger = mean + 0.5 * np.abs(edges)
    lifted = larger + share * np.square(2.0 * bend - np.abs(edges)) / (4.0 * bend)
    low, high = np.minimum(larger[:-1], larger[1:]), np.maximum(lifted[:-1], lifted[1:])
    return np.maximum(_excess(high, sigma) * _UP - _excess(low, sigma), 0.0)


def _excess(mean: Floats, sigma: float) -> Floats:
    """E (1 - e^{-(mean + sigma g)})_+, g ~ N(0, 1), elementwise."""
    if sigma == 0:
        return -np.expm1(-np.maximum(mean, 0.0))
    threshold = -mean / sigma
    far = np.maximum(threshold, 0.0)
    tail = 0.5 * np.exp(-0.5 * np.square(far)) * (erfcx(far / math.sqrt(2.0)) - erfcx((far + sigma) / math.sqrt(2.0)))
    near = np.minimum(threshold, 0.0)
    body = ndtr(-near) - np.exp(np.minimum(near * sigma + 0.5 * sigma * sigma, 700.0)) * ndtr(-near - sigma)
    return np.where(threshold > 0, tail, np.maximum(body, 0.0))
