"""How much regularisation objective perturbation needs: the least lambda, the comfortable one, and the error between them.

The Jacobian term alone uses up ln(1 + c_max c R^2 / lambda) of epsilon when its curvature and slope peak together, so lambda > c_max c R^2
/ (e^epsilon - 1) is necessary for these theorems.
"""

import math

from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.problems import RegularisedRisk


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
