"""The mechanism for least squares, by name or from public numbers.

`auto` takes noisy moments refined by noisy gradients, for every n, d, epsilon and delta: one-shot moments are its case of no gradients, and lost to
four nearly everywhere (docs/linear-regression.md).
"""

import math

from discreet.errors import InvalidInput
from discreet.mechanisms.regression.base import RegressionMechanism
from discreet.mechanisms.regression.non_private import NonPrivateLeastSquares
from discreet.mechanisms.regression.refined import RefinedMoments
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.neighbours import Neighbours

NAMES = ("auto", "refined", "moments")


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
    if mechanism == "moments":
        if steps is not None:
            raise InvalidInput("mechanism='moments' takes no gradients; leave n_iter out, or take mechanism='refined'.")
        return RefinedMoments.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=0)
    return RefinedMoments.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)
