"""How much regularisation objective perturbation needs: the least lambda, the comfortable one, the error between them; and the default.

Two classes. The Jacobian term alone uses up ln(1 + c_max c R^2 / lambda) of epsilon when its curvature and slope peak together, so lambda > c_max
c R^2 / (e^epsilon - 1) is necessary for these theorems. One-vs-rest. K Jacobian terms of two classes add up. Multinomial. The Jacobian term alone is
(K - 1) ln(1 + a / K) where all classes are equally likely, a = c_max R^2 / lambda, so this must be below epsilon:
lambda > c_max R^2 / (K (e^{epsilon / (K - 1)} - 1)).

Where nobody chooses one, lambda is taken from public numbers alone, close to the best for tables of many kinds (`default_ridge`).

    lambda = max( c_max L R^2 (sigma / G)^(5/4) (d / 100)^(2/5) / 4,  least )

    sigma / G     noise of the mechanism without slack, per coordinate, over the gradient bound G = c_max L R of one record:
                  k / mu(epsilon, delta) for Gaussian noise, k sqrt(d) / epsilon for spherical noise (its norm is about sqrt(d) times that), the
                  smaller one where delta > 0;
                  k = 1 under add-remove and 2 under replace-one
    least         half the lambda at which the theorem has no slack: below it noise is bought with noise. Losses that always
                  have slack: all of it

This is no theorem, and privacy does not rest on it: every lambda is private. It is a summary of measurements. Test errors over lambda were
measured on Adult (2,000 to 36,177 records, d = 105), KDD Cup 99 (d = 118), w8a (d = 300), MNIST 4 against 9 (d = 784), farm ads and two groups of
news20 (d = 55,000 and 62,000), epsilon 0.1 to 4, pure and delta = 1 / n^2, both relations; the best lambda of each grew with the noise
like sigma^1.2 to sigma^1.6, with the dimension like d^0.3 to d^0.4, and hardly with n: more records want less regularisation only where the error is
flat in lambda anyway. Within a factor of 2 of the rule the error moves by a few percent of itself. That lambda needs no n is what makes it usable
under add-remove, where n is private.

More than two classes: the multinomial loss has one problem with G = sqrt(2) c_max R in K d dimensions. One-vs-rest has K problems in d dimensions,
whose records are shared, so each has sqrt(K) times the noise. MNIST, ten classes, d = 784, agrees.

Output perturbation divides its noise by lambda itself, never by lambda plus curvature, and wants about eight times as much.
"""

import math

from discreet.accounting import gaussian_mu
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk

_MOST_NOISE = 1e100
_OUTPUT_FACTOR = 8.0


def default_ridge(problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours, mechanism: str = "objective") -> float:
    """lambda of the module docstring for this public problem; it does not depend on the problem's own lambda, nor on n."""
    noise = relative_noise(problem.dimension, epsilon=epsilon, delta=delta, neighbours=neighbours)
    comfortable = slack_free_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    least = 0.5 * comfortable if math.isfinite(problem.slack_free_ratio) else comfortable
    return max(_rule(problem.gradient_bound, problem, noise, problem.dimension), least) * (_OUTPUT_FACTOR if mechanism == "output" else 1.0)


def default_class_ridge(problem: MultinomialRisk | OneVsRestRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """The same for K classes."""
    noise = relative_noise(problem.dimension, epsilon=epsilon, delta=delta, neighbours=neighbours)
    if isinstance(problem, MultinomialRisk):
        comfortable = comfortable_multinomial_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        return max(_rule(problem.gradient_bound, problem, noise, problem.dimension), 0.5 * comfortable)
    comfortable = comfortable_one_vs_rest_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    shared = noise * math.sqrt(problem.classes)
    return max(_rule(problem.each.gradient_bound, problem, shared, problem.each.dimension), 0.5 * comfortable)


def relative_noise(dimension: int, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """sigma / G of the module docstring. Raises InfeasibleTarget where it is beyond all that could be drawn, and powers of it beyond float64."""
    moved = 1.0 if neighbours is ADD_REMOVE else 2.0
    spherical = moved * math.sqrt(dimension) / epsilon
    noise = min(spherical, moved / gaussian_mu(epsilon, delta)) if delta > 0 else spherical
    if not noise < _MOST_NOISE:
        raise InfeasibleTarget("this budget needs more noise than can be drawn: take a larger epsilon, or a larger delta.")
    return noise


def _rule(gradient: float, problem: RegularisedRisk | MultinomialRisk | OneVsRestRisk, noise: float, dimension: int) -> float:
    return 0.25 * gradient * problem.domain.radius * noise**1.25 * (dimension / 100.0) ** 0.4


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
    unit = problem.slack_free_ratio * problem.ridge
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
        f"{name}={problem.ridge / divisor:.3g} was given. "
        f"Raise {name} (alpha=None takes {comfortable / divisor:.3g}), raise epsilon, or use mechanism='output', which needs no minimum."
    )


def least_multinomial_ridge(problem: MultinomialRisk, epsilon: float) -> float:
    """The lambda at which the Jacobian term uses up all of epsilon: every feasible lambda is larger."""
    unit = problem.jacobian_ratio * problem.ridge
    return unit / (problem.classes * math.expm1(min(epsilon / (problem.classes - 1.0), 700.0)))


def comfortable_multinomial_ridge(problem: MultinomialRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """A lambda at which the theorem has little slack, from public numbers; it does not depend on the problem's own lambda.

    Pure: 4 c_max R^2 / epsilon (8 under replace-one), where there is none. Gaussian: 6 c_max R^2 / epsilon (12), where the slack costs at most 1 %
    more
    noise for three classes and 6 % for ten (more for many classes, where pairs are many: 17 % for a hundred). On MNIST test accuracy is about best
    there, for epsilon 0.5, 1 and 4.
    """
    unit = problem.jacobian_ratio * problem.ridge
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
        return 0.25 * problem.classes * ratio * problem.ridge / epsilon
    return least_ridge(problem.each, epsilon / problem.classes)


def comfortable_one_vs_rest_ridge(problem: OneVsRestRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """A lambda for K problems of two classes that share (epsilon, delta).

    Pure: without slack at epsilon / K each. Gaussian: with s = c_max L R / sigma of each problem, about mu / sqrt K (half of it under replace-one),
    the one at which the Jacobian term exceeds what the Gaussian terms absorb, s^2 / 2, by s: about 11 % more noise than without any slack.
    """
    unit = problem.curvature_bound * 4.0 if not math.isfinite(problem.each.slack_free_ratio) else problem.each.slack_free_ratio * problem.ridge
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
        f"{name}={problem.ridge / divisor:.3g} was given. Raise {name} ({comfortable / divisor:.3g} is comfortable), or raise epsilon."
    )
