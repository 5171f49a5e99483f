"""The lambda that is taken where nobody chooses one: from public numbers alone, close to the best for tables of many kinds.

    lambda = max( c_max L R^2 (sigma / G)^(5/4) (d / 100)^(2/5) / 4,  least )

    sigma / G     noise of the mechanism without slack, per coordinate, over the gradient bound G = c_max L R of one record:
                  k / mu(epsilon, delta) for Gaussian noise, k sqrt(d) / epsilon for spherical noise (its norm is about sqrt(d) times that), the
                  smaller one where delta > 0;
                  k = 1 under add-remove and 2 under replace-one
    least         half the lambda at which the theorem has no slack (module `ridge`): below it noise is bought with noise. Losses that always
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
from discreet.mechanisms.learning.ridge import comfortable_multinomial_ridge, comfortable_one_vs_rest_ridge, slack_free_ridge
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
