"""The calibrations of Chaudhuri, Monteleoni and Sarwate (2011) exactly as printed, so that their tables can be reproduced.

For |x| <= 1, |l'| <= 1, l'' <= c, Lambda the regularisation of the mean objective, n public (lambda = n Lambda):

    Algorithm 1 (output):     beta = n Lambda epsilon / 2
    Algorithm 2 (objective):  eps' = epsilon - ln(1 + 2c / (n Lambda) + c^2 / (n Lambda)^2);  if eps' > 0: Delta = 0,
                              else Delta = c / (n (e^{epsilon/4} - 1)) - Lambda and eps' = epsilon / 2;   beta = eps' / 2

The noise is as printed; the weights then pass the last stage (`mechanisms.learning.base`), which the paper does not have and no computer can do
without. Algorithm 2 uses more noise than needed, so theorem T2 proves a smaller epsilon for it (its Jacobian slack is at most half the printed one),
and what is left over pays for the last stage. Algorithm 1 is tight, so its last stage costs 0.1 % on top of epsilon. The certificate states
what is proved. The paper covers replace-one neighbours and pure epsilon only.
"""

import math
from dataclasses import replace

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.mechanisms.learning.base import default_tolerance
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.learning.objective_perturbation import PureObjectivePerturbation
from discreet.mechanisms.learning.output_perturbation import PureOutputPerturbation
from discreet.problems import RegularisedRisk

_LAST_SHARE = 1e-3
"""Of epsilon, for the last stage."""


def published_output(problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> PureOutputPerturbation:
    """Algorithm 1 as printed. Raises InvalidInput outside the paper's assumptions."""
    _require_assumptions(problem, delta=delta, neighbours=neighbours)
    rate = problem.ridge * epsilon / 2.0
    return PureOutputPerturbation.with_rate(problem, rate=rate, last_epsilon=_LAST_SHARE * epsilon, neighbours=neighbours)


def published_objective(problem: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> PureObjectivePerturbation:
    """Algorithm 2 as printed, with the residual stage paid from what T2 leaves over. Raises InvalidInput outside the paper's assumptions."""
    _require_assumptions(problem, delta=delta, neighbours=neighbours)
    ridge, curvature = problem.ridge, problem.loss.smoothness
    remaining = epsilon - math.log1p(2.0 * curvature / ridge + (curvature / ridge) ** 2)
    extra = 0.0
    if remaining <= 0:
        extra = curvature / math.expm1(epsilon / 4.0) - ridge
        remaining = epsilon / 2.0
    rate = remaining / 2.0
    effective = replace(problem, ridge=ridge + extra)
    left_over = epsilon - MARGIN.epsilon(effective, rate=rate, neighbours=neighbours)
    tolerance = default_tolerance(effective, problem.dimension / rate)
    last = min(10.0 * _LAST_SHARE * epsilon, left_over * (1.0 - 1e-9))
    made = PureObjectivePerturbation.with_rate(effective, rate=rate, tolerance=tolerance, last_epsilon=last, neighbours=neighbours)
    return replace(made, extra_ridge=extra)


def _require_assumptions(problem: RegularisedRisk, *, delta: float, neighbours: Neighbours) -> None:
    if neighbours is not REPLACE_ONE or delta > 0:
        raise InvalidInput("calibration='published' is Chaudhuri et al. (2011): replace-one and delta=0 only; use calibration='tight' otherwise.")
    if problem.several:
        raise InvalidInput("calibration='published' is for one row per person; use calibration='tight', or keep one row of each person.")
    if problem.domain.radius > 1.0 + 1e-12 or problem.max_weight > 1.0 or problem.loss.lipschitz > 1.0:
        raise InvalidInput(
            "calibration='published' assumes rows of norm at most 1 with any intercept feature included, and record weights at most 1; "
            f"data_norm={problem.domain.norm_bound:g}, intercept_scale={problem.domain.intercept_scale:g}, "
            f"largest weight {problem.max_weight:g} were given. "
            "Use calibration='tight', or fit_intercept=False and data_norm=1."
        )
