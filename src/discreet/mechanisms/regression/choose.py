"""The mechanism for least squares, by name or from public numbers.

    objective            noise in the objective, log-cosh of residuals          `auto`, unless a number of gradients is given
    objective-huber      the same with squares whose slope is clipped
    refined              noisy moments, then noisy gradients; intervals         `auto` with n_iter
    moments              noisy moments alone; intervals
    adassp               noisy moments with one ridge (Wang 2018)
    mixing               a noisy sketch of the records (Lev et al. 2025)
    hessian-mixing       a noisy sketch for the curvature, then noisy gradients (Lev et al. 2026)

`auto` takes the same one for every n, d, epsilon and delta: noise in the objective had the least error in nearly all of
docs/linear-regression.md, and what could turn that (how well the best line fits) is no public number.
"""

import math
from collections.abc import Callable
from functools import partial

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.regression.adassp import AdaSSP
from discreet.mechanisms.regression.base import RegressionMechanism
from discreet.mechanisms.regression.hessian_mixing import HessianMixing
from discreet.mechanisms.regression.mixing import GaussianMixing
from discreet.mechanisms.regression.non_private import NonPrivateLeastSquares
from discreet.mechanisms.regression.objective import ResidualObjectivePerturbation
from discreet.mechanisms.regression.refined import RefinedMoments
from discreet.mechanisms.regression.sums import LeastSquares

NAMES = ("auto", "objective", "objective-huber", "refined", "moments", "adassp", "mixing", "hessian-mixing")
_WITH_GRADIENTS = ("refined", "hessian-mixing")


def calibrate_least_squares(
    problem: LeastSquares, *, mechanism: str = "auto", epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None
) -> RegressionMechanism:
    """The mechanism of this name, calibrated; without noise for epsilon = infinity.

    Raises InvalidInput for unknown names and numbers out of range.
    """
    if mechanism not in NAMES:
        raise InvalidInput(f"mechanism must be one of {list(NAMES)}; {mechanism!r} was given.")
    if not epsilon > 0:
        raise InvalidInput(f"epsilon must be positive; {epsilon!r} was given.")
    if epsilon == math.inf:
        return NonPrivateLeastSquares(neighbours=neighbours)
    if not (0 < delta < 1 and epsilon <= 100):
        raise InvalidInput(
            f"private least squares needs 0 < delta < 1 and epsilon at most 100; epsilon={epsilon!r}, delta={delta!r} were given. Without delta, "
            "take Lasso or SimplexRegression."
        )
    name = ("objective" if steps is None else "refined") if mechanism == "auto" else mechanism
    if steps is not None and name not in _WITH_GRADIENTS:
        raise InvalidInput(f"mechanism={name!r} takes no gradients; leave n_iter out, or take mechanism='refined'.")
    makers: dict[str, Callable[..., RegressionMechanism]] = {
        "objective": ResidualObjectivePerturbation.calibrate,
        "objective-huber": partial(ResidualObjectivePerturbation.calibrate, loss="huber"),
        "refined": partial(RefinedMoments.calibrate, steps=steps),
        "moments": partial(RefinedMoments.calibrate, steps=0),
        "adassp": AdaSSP.calibrate,
        "mixing": GaussianMixing.calibrate,
        "hessian-mixing": partial(HessianMixing.calibrate, steps=steps),
    }
    return makers[name](problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
