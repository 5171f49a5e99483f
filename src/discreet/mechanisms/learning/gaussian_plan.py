"""What the mechanisms that put Gaussian noise into an objective share: how they cut (epsilon, delta) in two, and how they look for the least scale.

The first part pays for the noise sigma in the objective, by a theorem that the caller brings as `scale(epsilon, delta)`; the second, a share of both
numbers, for the last stage on the grid, whose noise hides how far solver and noise are from real numbers: `radius(tolerance, error)`, a distance of
the weights. The share is chosen so that both noises together are least (module `minimise`).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from discreet.accounting import gaussian_mu
from discreet.core.errors import InfeasibleTarget
from discreet.core.rounding import lowering
from discreet.mechanisms.learning.grid import GaussianGrid
from discreet.mechanisms.learning.minimise import last_share
from discreet.noise import gaussian_error


class GaussianPlan(NamedTuple):
    """The numbers of a mechanism; its fields but for the relation."""

    scale: float
    epsilon: float
    tolerance: float
    noise_error: float
    grid: GaussianGrid


def gaussian_plan(
    *,
    epsilon: float,
    delta: float,
    dimension: int,
    scale: Callable[[float, float], float],
    tolerance: Callable[[float], float],
    radius: Callable[[float, float], float],
    reach: float,
) -> GaussianPlan:
    """The least noise for a total of (epsilon, delta).

    `scale(epsilon, delta)` may raise InfeasibleTarget; `tolerance(sigma)` is the solver's; `reach` is about what divides the noise on its way to the
    weights.
    """
    rough = scale(epsilon * (1.0 - 1e-3), delta * (1.0 - 1e-3))
    solved = tolerance(rough)
    distance = radius(solved, gaussian_error(scale=rough, dimension=dimension))
    share = last_share(2.0 * distance / gaussian_mu(epsilon, delta) * reach / rough)
    found = scale(epsilon * (1.0 - share), delta * (1.0 - share))
    error = gaussian_error(scale=found, dimension=dimension)
    grid = GaussianGrid.calibrate(
        radius=radius(solved, error),
        dimension=dimension,
        epsilon=epsilon * share * lowering(450),
        delta=delta * share * (1.0 - 1e-6),
    )
    return GaussianPlan(scale=found, epsilon=epsilon * (1.0 - share), tolerance=solved, noise_error=error, grid=grid)


def least_scale(delta: Callable[[float], float], *, above: float, target: float, step: float, precision: float) -> float:
    """The least scale (to `precision` of itself, rounded up) with delta(scale) <= target; it has been evaluated there, and is not below `above`.

    Raises InfeasibleTarget where no scale up to e^40 times `above` does: the Jacobian term alone exceeds epsilon.
    """
    low = math.log(above) - 1e-6
    high = low
    while delta(math.exp(high)) > target:
        low, high, step = high, high + step, 2.0 * step
        if high - math.log(above) > 40.0:
            raise InfeasibleTarget("no noise scale reaches this target: the regularisation is too weak.")
    while high - low > precision:
        middle = 0.5 * (low + high)
        if delta(math.exp(middle)) <= target:
            high = middle
        else:
            low = middle
    return math.exp(high)
