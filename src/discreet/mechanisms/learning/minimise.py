"""What all learning mechanisms share: the minimiser of the (perturbed) objective, to a tolerance that is fixed before the data are seen.

The minimiser is never exact. Every proof here asks for |grad G(f)|_2 <= tau, rounding errors included, with tau a function of public
numbers; then |f - argmin G| <= tau / lambda by strong convexity, and noise for that distance is paid for (proof note residual_stage.md).
The solver certifies its gradient norm or raises: tau is never loosened, and the noise is never drawn again.
"""

import math

import numpy as np

from discreet.arrays import Floats
from discreet.data import Dataset
from discreet.problems import RegularisedRisk
from discreet.solvers import solve, solve_many

_UNIT_ROUNDOFF = 2.0**-53
_NOMINAL_RECORDS = 1_000_000
"""Size for which tau is chosen where the number of records is private; a larger table works as long as the solver can still certify tau."""


def minimisers(problem: RegularisedRisk, data: Dataset, linears: Floats, tolerance: float) -> Floats:
    """argmin G + <b_j, .> for every column b_j of `linears` (dimension, draws), each to gradient norm `tolerance`; raises SolverFailure."""
    objective = problem.objective(data)
    if linears.shape[1] == 1:
        return solve(objective.with_linear(linears[:, 0]), tolerance=tolerance).weights[:, np.newaxis]
    return solve_many(objective, linears, tolerance=tolerance)[0]


def default_tolerance(problem: RegularisedRisk, noise_size: float) -> float:
    """tau: a small multiple of the rounding error that a gradient of this size cannot avoid, from public numbers.

    `noise_size` is the typical norm of the linear term. The weights have norm at most W = 2 |b| / lambda + sqrt(2 n l(0) / lambda), since G
    there is no larger than at 0.
    """
    records = float(problem.domain.records or _NOMINAL_RECORDS)
    at_zero = problem.max_weight * float(problem.loss.value(np.zeros(1))[0])
    weights = 2.0 * noise_size / problem.strong_convexity + math.sqrt(2.0 * records * at_zero / problem.strong_convexity)
    sums = 1100.0 * records * problem.gradient_bound
    margins = (problem.dimension + 8.0) * records * problem.curvature_bound * weights
    linear = 16.0 * (noise_size + problem.strong_convexity * weights)
    return 4.0 * _UNIT_ROUNDOFF * (sums + margins + linear)


def residual_share(problem: RegularisedRisk, *, first_noise: float, residual_noise: float) -> float:
    """The share of the budget for the residual stage that about minimises the total noise, from public numbers.

    `first_noise` is the size of the perturbation of the objective, `residual_noise` that of the residual noise if the stage had the whole
    budget. The first reaches the weights divided by about lambda + (curvature bound) n / dimension; a share x costs the first stage a
    factor 1 + x and gives the second a size proportional to 1 / x.
    """
    records = float(problem.domain.records or _NOMINAL_RECORDS)
    reach = problem.strong_convexity + problem.curvature_bound * records / problem.dimension
    ratio = residual_noise * reach / first_noise
    return float(min(max(ratio ** (2.0 / 3.0), 1e-3), 0.05))
