"""What noise in K objectives of two classes on the same records costs, fresh in each (theorem O1 of one_vs_rest.md), and the lambda that it needs.

One problem, add-remove, s = c_max L R / sigma, J(t) <= a t (1 - t), A ~ N(s^2 / 2, s^2):

    privacy loss <= sup_t { t A + (a - s^2 / 2) t (1 - t) }  =  A for A >= b,  (A + b)^2 / (4 b) for |A| < b,  0 below,     b = max(0, a - s^2 / 2)

    delta_1(epsilon) = delta_G(epsilon; s) for epsilon >= b; else, with A_0 = 2 sqrt(b epsilon) - b, 1 / v = 1 / s^2 + 1 / (2 b), N the law of A,
        N(A_0, b) - e^{epsilon - s^2/8 - b/4} sqrt(v) / s (Phi(b / sqrt v) - Phi(A_0 / sqrt v)) + N(b, oo) - e^epsilon Phi(-b/s - s/2)

Where a <= s^2 / 2 (lambda >= 2 M sigma^2 / (c_max L)) each problem is exactly s-Gaussian-private, so K of them are sqrt(K) s, and 2 sqrt(K) s
when a record is replaced. Otherwise the whole curve delta_1 (or T3's where that is less), of which no more is taken near 0 than a symmetric relation
can have (`both_ways`), is composed K-fold (guarantees planned in advance: discretised worst-case losses), and replacing a record is a group of two
steps. Spherical noise: K problems at epsilon / K, and the K Jacobian terms add up.

Persons with several rows: the loss is a mixture of rows' sums over the K problems, T = Y_1 + ... + Y_K independent (modules `persons`, `loss_sums`);
one half each of the sums for (2 s, 2 J) and (2 s, 0) under replace-one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from discreet.accounting import Guarantee, Profile, both_ways, gaussian_delta, gaussian_deltas, gaussian_mu, n_fold, to_replace_one
from discreet.accounting.profile import hull
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.mechanisms.learning.loss_sums import sum_of_losses
from discreet.mechanisms.learning.margin import MARGIN, jacobian_corners, row_loss, worst_outcome
from discreet.mechanisms.learning.one_direction import one_direction
from discreet.mechanisms.learning.persons import Loss, normal_loss, shared_delta, sum_of
from discreet.mechanisms.learning.perturbation import Head
from discreet.problems import OneVsRestRisk, RegularisedRisk
from discreet.words import learning as words

_POINTS = 320
_REACH = 10.5
"""Standard deviations of a Gaussian loss beyond which the curve is below 1e-25."""
_ROUNDING = 1e-14
_LEAST = 1e-20
"""Of deltas for which the slack of T1 matters."""
_FAINT = 1e-17
"""delta below which what a composition leaves aside counts, and epsilons and deltas are added up where that is less."""


@dataclass(frozen=True, slots=True)
class OneVsRest(Head[OneVsRestRisk]):
    """K problems of two classes."""

    name = "one-vs-rest"
    step = 2e-2
    precision = 1e-4

    def profile(self, problem: OneVsRestRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
        """See Head: of all K exact minimisers together."""
        if problem.several:
            return _of_persons(problem, neighbours)
        each, classes = problem.each, problem.classes
        changed, one = 1.0 if neighbours is ADD_REMOVE else 2.0, MARGIN.profile(problem.each, neighbours)

        @lru_cache(maxsize=1)
        def composed(scale: float) -> Guarantee:
            whole = n_fold(one_problem_profile(each, scale=scale), classes, planned=True)
            return whole if neighbours is ADD_REMOVE else to_replace_one(whole)

        def delta(scale: float, epsilon: float) -> float:
            s = each.gradient_bound / scale
            if each.slack_free_ratio <= 0.5 * s * s * (1.0 - _ROUNDING):
                return gaussian_delta(epsilon, changed * math.sqrt(classes) * s * (1.0 + _ROUNDING))
            found = composed(scale).delta(epsilon)
            return found if found > _FAINT else min(found, classes * one(scale, epsilon / classes) * (1.0 + _ROUNDING))

        return delta

    def epsilon(self, one: RegularisedRisk, *, rate: float, neighbours: Neighbours) -> float:
        """See Head."""
        return MARGIN.epsilon(one, rate=rate, neighbours=neighbours)

    def rate(self, one: RegularisedRisk, *, epsilon: float, neighbours: Neighbours) -> float:
        """See Head."""
        return MARGIN.rate(one, epsilon=epsilon, neighbours=neighbours)

    def least_ridge(self, problem: OneVsRestRisk, epsilon: float) -> float:
        """The lambda at which K Jacobian terms use up epsilon: K a / 4 of it where J <= a t (1 - t), else K ln(1 + c_max c R^2 / lambda)."""
        ratio = problem.each.slack_free_ratio
        if math.isfinite(ratio):
            return 0.25 * problem.classes * ratio * problem.ridge / epsilon
        return MARGIN.least_ridge(problem.each, epsilon / problem.classes)

    def comfortable_ridge(self, problem: OneVsRestRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
        """A lambda for K problems of two classes that share (epsilon, delta).

        Pure: without slack at epsilon / K each. Gaussian: with s = c_max L R / sigma of each problem, about mu / sqrt K (half of it under
        replace-one), the one at which the Jacobian term exceeds what the Gaussian terms absorb, s^2 / 2, by s: about 1 % more noise than without
        any slack.
        """
        ratio = problem.each.slack_free_ratio
        unit = ratio * problem.ridge if math.isfinite(ratio) else problem.curvature_bound * 4.0
        changed = 1.0 if neighbours is ADD_REMOVE else 2.0
        if delta == 0:
            return changed * unit * problem.classes / epsilon * (1.0 + 1e-2)
        s = gaussian_mu(epsilon, delta) / math.sqrt(problem.classes) / changed
        return unit / (s + 0.5 * s * s)

    def theorem(self, problem: OneVsRestRisk, *, pure: bool) -> str:
        """See Head."""
        return words.one_vs_rest(problem.classes, pure=pure)

    def described(self, problem: OneVsRestRisk) -> str:
        """See Head."""
        return f"one-vs-rest with the {problem.loss.name} loss and {problem.classes} classes"


ONE_VS_REST = OneVsRest()


def _of_persons(problem: OneVsRestRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
    """`profile` where persons have several rows."""
    each = problem.each
    most = float(np.max(jacobian_corners(each).bounds))

    @lru_cache(maxsize=2)
    def all_classes(s: float, jacobian: float) -> Loss:
        one = row_loss(each, s, times=jacobian) if jacobian else normal_loss(s)
        return sum_of_losses(one, problem.classes, spread=s, reach=s * (0.5 * s + _REACH) + jacobian * most)

    def delta(scale: float, epsilon: float) -> float:
        s = each.gradient_bound / scale
        if neighbours is ADD_REMOVE:
            return shared_delta(all_classes(s, 1.0), epsilon)
        return shared_delta(sum_of((0.5, all_classes(2.0 * s, 2.0), 0.0), (0.5, all_classes(2.0 * s, 0.0), 0.0)), epsilon)

    return delta


def one_problem_profile(problem: RegularisedRisk, *, scale: float) -> Profile:
    """delta_1 at all epsilons, add-remove."""
    s = problem.gradient_bound / scale
    bend = max(0.0, problem.slack_free_ratio - 0.5 * s * s)
    last = s * (0.5 * s + _REACH) + (bend if math.isfinite(bend) else float(problem.jacobian_term(np.zeros(1), np.ones(1))[0]))
    epsilons = np.concatenate(([0.0], last * np.linspace(0.0, 1.0, _POINTS + 1)[1:] ** 1.5))
    if math.isfinite(bend):
        deltas = one_problem_deltas(epsilons, s, bend)
    else:
        delta = worst_outcome(problem)
        deltas = np.array([delta(scale, float(epsilon)) for epsilon in epsilons])
    slack = (epsilons < problem.slack_free_ratio) & (deltas > _LEAST)
    deltas[slack] = np.minimum(deltas[slack], one_direction(*jacobian_corners(problem), s * (1.0 + _ROUNDING))(epsilons[slack]))
    falling = both_ways(epsilons, np.minimum.accumulate(np.minimum(deltas, 1.0)))
    # The least of two bounds need not be convex, and what is composed would be raised to where it is.
    epsilons_at, deltas_at = hull(epsilons, falling)
    return Profile(epsilons=epsilons_at, deltas_at=deltas_at, neighbours=ADD_REMOVE, theorem="objective perturbation, theorems T1, T3 and O1")


def one_problem_deltas(epsilons: Floats, s: float, bend: float) -> Floats:
    """delta_1 of the module docstring at epsilons >= 0, rounded up."""
    beyond = gaussian_deltas(epsilons, s)
    if bend == 0:
        return beyond
    centre = 0.5 * s * s
    start = 2.0 * np.sqrt(bend * np.minimum(epsilons, bend)) - bend
    width = math.sqrt(1.0 / (1.0 / (s * s) + 0.5 / bend))
    inner = ndtr((bend - centre) / s) - ndtr((start - centre) / s)
    weight = np.exp(np.minimum(np.minimum(epsilons, bend) - s * s / 8.0 - bend / 4.0, 700.0)) * (width / s)
    inner -= weight * (ndtr(bend / width) - ndtr(start / width))
    outer = ndtr((centre - bend) / s) - np.exp(np.minimum(np.minimum(epsilons, bend), 700.0)) * ndtr(-(centre + bend) / s)
    return np.where(epsilons >= bend, beyond, np.minimum(1.0, np.maximum(inner + outer, beyond) + _ROUNDING * (1.0 + weight)))
