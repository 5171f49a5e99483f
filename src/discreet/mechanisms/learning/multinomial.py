"""What noise in the multinomial objective costs (theorems M1 to M3 of the proof note multinomial_perturbation.md), and the lambda that it needs.

Gaussian noise. s = c_max R / sigma; a = c_max R^2 / lambda; t = 1 - |p|^2 in [0, 1 - 1/K] for a vector p of K probabilities; delta_G the Gaussian
profile. One record shifts the noise by s sum_j p_j (e_j - e_y): a mixture, with unknown probabilities p, of K shifts of lengths m_j s.

    privacy loss <= max over k of sup_p { sum_j p_j A_jk + J(p) - (s^2 / 2) t },     A_jk ~ N(m_jk^2 s^2 / 2, m_jk^2 s^2)
    J(p) = ln det(I + a (diag(p) - p p^T)) <= (K - 1) ln(1 + a t / (K - 1)) <= c + a' t      for every tangent (c, a')

    add-remove     one k:  m^2 = 2 (K - 1 times), 0
    replace-one    K - 1 times k: m^2 = 8, 6 (K - 2 times), 2;  and the one k of add-remove            (the worst pair of records)

b = max(0, a' - s^2 / 2). What its expectation is, with epsilon lowered by c: module `class_mixture`. Pairs of classes vanish from it for b = 0 and
are little for lambda >= 6 c_max R^2 / epsilon (12 under replace-one): then K classes cost what one Gaussian mechanism of sensitivity sqrt(2) R
(2 sqrt(2) R under replace-one) costs at delta / (K - 1).

Where lambda is so strong that the log ratio of the densities changes slowly, sqrt(2) s a step of the noise, K classes cost one Gaussian mechanism of
sensitivity sqrt(2) R without K - 1 (M4, `steady_delta`): from about 3 c_max R^2 T / s on, T the length that K - 1 normal numbers hardly ever have.

Persons with several rows (theorem P for classes): determinants are bounded by traces, J(p) = a t, and the loss is a mixture of losses of rows; beside
the bound with a pair's rows coupled, one half each of (2 s, 2 J) and (2 s, 0) under replace-one.

Spherical noise b of density proportional to exp(-beta |b|_2):

    epsilon = max_t { beta c_max R sqrt(2 - t) + (K - 1) ln(1 + a t / (K - 1)) }  (+ sqrt(2) beta c_max R under replace-one),    0 <= t <= 1 - 1/K

|p - e_y|^2 <= 2 - t, and the Jacobian term is at most the second summand; for a <= beta c_max R / (2 sqrt 2) the maximum is at t = 0: epsilon =
sqrt(2) beta c_max R, no slack. The Jacobian term alone is (K - 1) ln(1 + a / K) where all classes are equally likely, so this must be below epsilon:
lambda > c_max R^2 / (K (e^{epsilon / (K - 1)} - 1)). Of persons with several rows it is a (1 - 1/K): lambda > c_max R^2 (1 - 1/K) / epsilon.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc

from discreet.accounting import gaussian_delta
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import lowering, raising
from discreet.mechanisms.learning.class_mixture import Shifts, classes_loss, excess
from discreet.mechanisms.learning.class_supremum import supremum_delta
from discreet.mechanisms.learning.persons import Loss, shared_deltas, sum_of
from discreet.mechanisms.learning.perturbation import Head
from discreet.problems import MultinomialRisk
from discreet.words import learning as words

_STEPS = 4096
_TANGENTS = (0.0, 0.25, 0.5, 0.75, 1.0)
_UP = raising(4_096)
_DOWN = lowering(450)


@dataclass(frozen=True, slots=True)
class Multinomial(Head[MultinomialRisk]):
    """The multinomial logistic loss of K classes."""

    name = "multinomial-perturbation"
    others: bool = False
    """Whether the objective holds more than losses of records and the ridge, as the penalty of a set: M1 allows it, M4 does not."""

    def profile(self, problem: MultinomialRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
        """See Head."""
        deltas = self.deltas(problem, neighbours)
        return lambda scale, epsilon: float(deltas(scale, np.array([epsilon]))[0])

    def deltas(self, problem: MultinomialRisk, neighbours: Neighbours) -> Callable[[float, Floats], Floats]:
        """See Head."""
        along = _of_persons if problem.several else _along
        bound, lines, classes = problem.max_weight * problem.domain.radius, jacobian_lines(problem), problem.classes

        def found(scale: float, epsilons: Floats) -> Floats:
            s = bound / scale
            bounds = [np.ones_like(epsilons), *(along(classes, s, line, epsilons, neighbours) for line in lines)]
            if neighbours is ADD_REMOVE and not problem.several:
                bounds.append(np.array([supremum_delta(classes, s, lines, epsilon) for epsilon in epsilons.tolist()]))
            if not (problem.several or self.others):
                bounds.append(np.array([steady_delta(classes, s, problem.jacobian_ratio, epsilon, neighbours) for epsilon in epsilons.tolist()]))
            return np.asarray(np.minimum.reduce(bounds))

        return found

    def epsilon(self, one: MultinomialRisk, *, rate: float, neighbours: Neighbours) -> float:
        """See Head."""
        unit = rate * one.max_weight * one.domain.radius
        other_record = 0.0 if neighbours is ADD_REMOVE else math.sqrt(2.0) * unit
        if one.jacobian_ratio <= unit / (2.0 * math.sqrt(2.0)) * _DOWN:
            return (math.sqrt(2.0) * unit + other_record) * raising(45)
        edges = np.linspace(0.0, 1.0 - 1.0 / one.classes, _STEPS + 1)
        largest = unit * np.sqrt(2.0 - edges[:-1]) + jacobian_bound(one, edges[1:])
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
        unit, rank = problem.jacobian_ratio * problem.ridge, problem.classes - 1.0
        return unit / problem.classes * (rank / epsilon if problem.several else 1.0 / math.expm1(min(epsilon / rank, 700.0)))

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


def jacobian_bound(problem: MultinomialRisk, shares: Floats) -> Floats:
    """Upper bound of the Jacobian term where 1 - |p|^2 has these values, concave in them."""
    ratio, rank = problem.jacobian_ratio, problem.classes - 1.0
    return ratio * shares if problem.several else rank * np.log1p(ratio * shares / rank)


def jacobian_lines(problem: MultinomialRisk) -> list[tuple[float, float]]:
    """Pairs (c, a') with J(p) <= c + a' (1 - |p|^2) for all p: tangents of a concave bound, and its largest value with a' = 0.

    Of persons the bound is itself a line, and the second one is for a lambda near the least.
    """
    ratio, rank = problem.jacobian_ratio, problem.classes - 1.0
    most = 1.0 - 1.0 / problem.classes
    if problem.several:
        return [(0.0, ratio * _UP), (ratio * most * _UP, 0.0)]
    lines = [(rank * math.log1p(ratio * most / rank) * _UP, 0.0)]
    for t in (share * most for share in _TANGENTS):
        slope = ratio / (1.0 + ratio * t / rank)
        height = rank * math.log1p(ratio * t / rank) * _UP - slope * t / _UP
        lines.append((max(height, 0.0), slope * _UP))
    return lines


def steady_delta(classes: int, s: float, ratio: float, epsilon: float, neighbours: Neighbours) -> float:
    """M4: delta where the log ratio has a slope of at most sqrt(2) s for each record, wherever the noise along it is at most T long; 1 elsewhere."""
    records = 1 if neighbours is ADD_REMOVE else 2
    most = records * math.sqrt(2.0) * s * _UP
    longest = (s / math.sqrt(8.0) / ratio * _DOWN - math.sqrt(8.0) * ratio / s * _UP) * _DOWN - most
    if not longest > most:
        return 1.0
    beyond, moved = (records * float(gammaincc(0.5 * (classes - 1), 0.5 * (length * _DOWN) ** 2)) * _UP for length in (longest, longest - most))
    left = (epsilon + math.log1p(-min(moved, 0.5)) * _UP) * _DOWN
    return min(1.0, (gaussian_delta(left, most) + beyond) * _UP) if left > 0 and moved < 0.5 else 1.0


def _along(classes: int, s: float, line: tuple[float, float], epsilons: Floats, neighbours: Neighbours) -> Floats:
    """The bound with one line above the Jacobian term."""
    height, slope = line
    bend = max(0.0, slope - 0.5 * s * s / _UP)
    total = excess(_alone(classes), s, bend, epsilons - height, classes)
    if neighbours is not ADD_REMOVE:
        total += (classes - 1) * excess(_other(classes), s, bend, epsilons - height, classes)
    return total * _UP


def _of_persons(classes: int, s: float, line: tuple[float, float], epsilons: Floats, neighbours: Neighbours) -> Floats:
    """The same of persons with several rows."""
    height, slope = line

    def row(shifts: Shifts, times: float = 1.0, jacobian: float = 1.0) -> Loss:
        bend = max(0.0, jacobian * slope - 0.5 * (times * s) ** 2 / _UP)
        return classes_loss(shifts, times * s, bend, classes)

    alone = _alone(classes)
    if neighbours is ADD_REMOVE:
        return shared_deltas(sum_of((1.0, row(alone), height)), epsilons)
    mixed = sum_of((0.5, row(alone, 2.0, 2.0), 2.0 * height), (0.5, row(alone, 2.0, 0.0), 0.0))
    coupled = sum_of((1.0, row(alone), height), (classes - 1.0, row(_other(classes)), height))
    return np.minimum(shared_deltas(mixed, epsilons), shared_deltas(coupled, epsilons))


def _alone(classes: int) -> Shifts:
    """Of a record that comes or goes, and of the one k = y' where a record replaces another."""
    return ((2.0, classes - 1), (0.0, 1))


def _other(classes: int) -> Shifts:
    """Of each other k, where the pair of records is the worst."""
    return ((8.0, 1), (6.0, classes - 2), (2.0, 1))
