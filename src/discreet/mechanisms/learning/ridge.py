"""How much regularisation objective perturbation needs: the least lambda, the comfortable one, and the error between them.

Two classes. The Jacobian term alone uses up ln(1 + c_max c R^2 / lambda) of epsilon when its curvature and slope peak together, so lambda > c_max
c R^2 / (e^epsilon - 1) is necessary for these theorems. One-vs-rest. K Jacobian terms of two classes add up. Multinomial. The Jacobian term alone is
(K - 1) ln(1 + a / K) where all classes are equally likely, a = c_max R^2 / lambda, so this must be below epsilon:
lambda > c_max R^2 / (K (e^{epsilon / (K - 1)} - 1)).
"""

import math

from discreet.accounting import gaussian_mu
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk


def least_ridge(problem: RegularisedRisk, epsilon: float) -> float:
    """The lambda at which the Jacobian term uses up all of epsilon: every feasible lambda is larger."""
    return problem.curvature_bound / math.expm1(min(epsilon, 700.0))


def slack_free_ridge(problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """The smallest lambda at which the theorem has (next to) no slack, from public numbers; it does not depend on the problem's own lambda.

    Losses with a finite slope-curvature ratio M: c_max M R^2 / epsilon under add-remove (T1 and T2, corollaries 1 and 2), twice that for
    pure replace-one, and 2.5 times for Gaussian replace-one, where the extra terms cost at most 0.1 % more noise for delta <= 1e-6 and
    epsilon >= 0.1 (more where delta is large: 8 % at 1e-3 and epsilon 0.01). Other losses always pay something: for them the lambda at
    which the Jacobian term takes a tenth of epsilon, and at least c_max c R^2 / epsilon (c the smoothness), since the former vanishes
    exponentially at large epsilon.
    """
    unit = problem.slack_free_ratio * problem.strong_convexity
    if not math.isfinite(unit):
        return max(least_ridge(problem, 0.1 * epsilon), problem.curvature_bound / epsilon)
    if neighbours is ADD_REMOVE:
        return unit / epsilon
    return (2.5 if delta > 0 else 2.0) * unit / epsilon


def infeasible(problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> InfeasibleTarget:
    """The error when the Jacobian term leaves no budget for noise, with what would do."""
    least, comfortable = least_ridge(problem, epsilon), slack_free_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    records = problem.domain.records
    name, divisor, count = ("lambda", 1.0, "") if records is None else ("alpha", float(records), f"n={records}, ")
    return InfeasibleTarget(
        f"objective perturbation of the {problem.loss.name} loss needs {name} > {least / divisor:.3g} at epsilon={epsilon:g} ({count}data_norm="
        f"{problem.domain.norm_bound:g}, intercept_scale={problem.domain.intercept_scale:g}, {neighbours}); "
        f"{name}={problem.strong_convexity / divisor:.3g} was given. "
        f"Raise {name} (alpha=None takes {comfortable / divisor:.3g}), raise epsilon, or use mechanism='output', which needs no minimum."
    )


def least_multinomial_ridge(problem: MultinomialRisk, epsilon: float) -> float:
    """The lambda at which the Jacobian term uses up all of epsilon: every feasible lambda is larger."""
    unit = problem.jacobian_ratio * problem.strong_convexity
    return unit / (problem.classes * math.expm1(min(epsilon / (problem.classes - 1.0), 700.0)))


def comfortable_multinomial_ridge(problem: MultinomialRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """A lambda at which the theorem has little slack, from public numbers; it does not depend on the problem's own lambda.

    Pure: 4 c_max R^2 / epsilon (8 under replace-one), where there is none. Gaussian: 6 c_max R^2 / epsilon (12), where the slack costs at most 1 %
    more
    noise for three classes and 6 % for ten (more for many classes, where pairs are many: 17 % for a hundred). On MNIST test accuracy is about best
    there, for epsilon 0.5, 1 and 4.
    """
    unit = problem.jacobian_ratio * problem.strong_convexity
    factors = (6.0, 12.0) if delta > 0 else (4.0, 8.0)
    return factors[neighbours is not ADD_REMOVE] * unit / epsilon * (1.0 + 1e-3)


def infeasible_multinomial(problem: MultinomialRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> InfeasibleTarget:
    """The error when the Jacobian term leaves no budget for noise, with what would do."""
    least = least_multinomial_ridge(problem, epsilon)
    comfortable = comfortable_multinomial_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    return _refusal(problem, f"multinomial logistic regression of {problem.classes} classes", least, comfortable, epsilon, neighbours)


def least_one_vs_rest_ridge(problem: OneVsRestRisk, epsilon: float) -> float:
    """The lambda at which K Jacobian terms use up epsilon: K a / 4 of it where J <= a t (1 - t), else K ln(1 + c_max c R^2 / lambda)."""
    ratio = problem.each.slack_free_ratio
    if math.isfinite(ratio):
        return 0.25 * problem.classes * ratio * problem.strong_convexity / epsilon
    return least_ridge(problem.each, epsilon / problem.classes)


def comfortable_one_vs_rest_ridge(problem: OneVsRestRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """A lambda for K problems of two classes that share (epsilon, delta).

    Pure: without slack at epsilon / K each. Gaussian: with s = c_max L R / sigma of each problem, about mu / sqrt K (half of it under replace-one),
    the one at which the Jacobian term exceeds what the Gaussian terms absorb, s^2 / 2, by s: about 11 % more noise than without any slack.
    """
    unit = (
        problem.curvature_bound * 4.0
        if not math.isfinite(problem.each.slack_free_ratio)
        else problem.each.slack_free_ratio * problem.strong_convexity
    )
    changed = 1.0 if neighbours is ADD_REMOVE else 2.0
    if delta == 0:
        return changed * unit * problem.classes / epsilon * (1.0 + 1e-2)
    s = gaussian_mu(epsilon, delta) / math.sqrt(problem.classes) / changed
    return unit / (s + 0.5 * s * s)


def infeasible_one_vs_rest(problem: OneVsRestRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> InfeasibleTarget:
    """The same for one-vs-rest."""
    least = least_one_vs_rest_ridge(problem, epsilon)
    comfortable = comfortable_one_vs_rest_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    what = f"one-vs-rest with the {problem.each.loss.name} loss and {problem.classes} classes"
    return _refusal(problem, what, least, comfortable, epsilon, neighbours)


def _refusal(
    problem: MultinomialRisk | OneVsRestRisk, what: str, least: float, comfortable: float, epsilon: float, neighbours: Neighbours
) -> InfeasibleTarget:
    records = problem.domain.records
    name, divisor, count = ("lambda", 1.0, "") if records is None else ("alpha", float(records), f"n={records}, ")
    return InfeasibleTarget(
        f"{what} by objective perturbation needs more than {name}={least / divisor:.3g} at epsilon={epsilon:g} ({count}data_norm="
        f"{problem.domain.norm_bound:g}, intercept_scale={problem.domain.intercept_scale:g}, {neighbours}); "
        f"{name}={problem.strong_convexity / divisor:.3g} was given. Raise {name} ({comfortable / divisor:.3g} is comfortable), or raise epsilon."
    )
