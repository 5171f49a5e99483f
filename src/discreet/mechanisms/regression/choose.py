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
from dataclasses import dataclass
from functools import partial

import numpy as np

from discreet.accounting import NoGuarantee
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.remembered import remembered
from discreet.data import Records
from discreet.mechanisms.regression.adassp import AdaSSP
from discreet.mechanisms.regression.base import Fitted, RegressionMechanism
from discreet.mechanisms.regression.belief import Equations
from discreet.mechanisms.regression.hessian_mixing import HessianMixing
from discreet.mechanisms.regression.mixing import GaussianMixing
from discreet.mechanisms.regression.objective import ResidualObjectivePerturbation
from discreet.mechanisms.regression.refined import RefinedMoments
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.noise import Noise
from discreet.solvers import NoisyMatrix
from discreet.words.learning import NON_PRIVATE

NAMES = ("auto", "objective", "objective-huber", "refined", "moments", "adassp", "mixing", "hessian-mixing")
_WITH_GRADIENTS = ("refined", "hessian-mixing")
_AROUND_A_POINT = ("objective", "objective-huber")
"""With a ridge of their own, which may pull towards a point, and records that may weigh less than others."""


@remembered
def calibrate_least_squares(
    problem: LeastSquares,
    *,
    mechanism: str = "auto",
    epsilon: float,
    delta: float,
    neighbours: Neighbours,
    steps: int | None = None,
    count_share: float | None = None,
) -> RegressionMechanism:
    """The mechanism of this name, calibrated; without noise for epsilon = infinity.

    `count_share` of mu^2 is for a secret number of records, where noise is in the objective; None follows the budget, 0 counts nothing.
    Raises InvalidInput for unknown names and numbers out of range.
    """
    if mechanism not in NAMES:
        raise InvalidInput(f"mechanism must be one of {list(NAMES)}; {mechanism!r} was given.")
    if not epsilon > 0:
        raise InvalidInput(f"epsilon must be positive; {epsilon!r} was given.")
    if epsilon == math.inf:
        if problem.prior is not None:
            raise InvalidInput("epsilon=inf is plain least squares, without a ridge that could pull towards a prior; leave prior out.")
        return NonPrivateLeastSquares(neighbours=neighbours)
    if not (0 < delta < 1 and epsilon <= 100):
        raise InvalidInput(
            f"private least squares needs 0 < delta < 1 and epsilon at most 100; epsilon={epsilon!r}, delta={delta!r} were given. For delta "
            "= 0, use Lasso or SimplexRegression."
        )
    name = ("objective" if steps is None else "refined") if mechanism == "auto" else mechanism
    if steps is not None and name not in _WITH_GRADIENTS:
        raise InvalidInput(f"mechanism={name!r} uses no gradient steps; leave n_iter out, or use mechanism='refined'.")
    if problem.prior is not None and name not in _AROUND_A_POINT:
        raise InvalidInput(f"mechanism={name!r} does not support a prior; leave it out, or use one of {list(_AROUND_A_POINT)}.")
    if problem.domain.largest_weight is not None and name not in _AROUND_A_POINT:
        raise InvalidInput(
            f"mechanism={name!r} does not support sample weights; leave sample_weight and max_sample_weight out, or use one of "
            f"{list(_AROUND_A_POINT)}."
        )
    if count_share and name not in _AROUND_A_POINT:
        raise InvalidInput(f"mechanism={name!r} does not count records; leave records_share out, or use one of {list(_AROUND_A_POINT)}.")
    objective = partial(ResidualObjectivePerturbation.calibrate, count_share=count_share)
    makers: dict[str, Callable[..., RegressionMechanism]] = {
        "objective": objective,
        "objective-huber": partial(objective, loss="huber"),
        "refined": partial(RefinedMoments.calibrate, steps=steps),
        "moments": partial(RefinedMoments.calibrate, steps=0),
        "adassp": AdaSSP.calibrate,
        "mixing": GaussianMixing.calibrate,
        "hessian-mixing": partial(HessianMixing.calibrate, steps=steps),
    }
    return makers[name](problem, epsilon=epsilon, delta=delta, neighbours=neighbours)


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivateLeastSquares(RegressionMechanism):
    """The shortest weights of least squares (by the normal equations, singular directions left at zero)."""

    name = "least-squares-non-private"
    neighbours: Neighbours

    def promise(self, problem: LeastSquares) -> NoGuarantee:  # noqa: ARG002 - the same for any problem
        """NoGuarantee: it draws no noise."""
        return NoGuarantee(neighbours=self.neighbours, theorem=NON_PRIVATE)

    def explained(self, problem: LeastSquares) -> str:  # noqa: ARG002 - the same for any problem
        """See RegressionMechanism."""
        return "Ordinary least squares without noise: epsilon is infinite, and nothing is protected."

    def fitted(self, problem: LeastSquares, data: Records, noise: Noise) -> Fitted:  # noqa: ARG002 - no noise is drawn
        """See RegressionMechanism."""
        size = problem.domain.dimension
        products, targets, records = np.zeros((size, size)), np.zeros(size), 0.0
        for of_rows, of_targets, count in data.map(_normal_equations):
            products += of_rows
            targets += of_targets
            records += count
        inverse = np.asarray(np.linalg.pinv(products, rcond=1e-11, hermitian=True), dtype=np.float64)
        weights: Floats = inverse @ targets
        left = sum(data.map(partial(_squares, weights=weights))) / max(records - size, 1)
        if problem.domain.largest_weight:
            return Fitted(weights, None, None)
        exact = Equations(noisy=NoisyMatrix(matrix=products, variance=0.0), solution=weights, errors=left * products)
        return Fitted(weights, left * inverse, math.sqrt(left), exact, exact)


def _normal_equations(_: int, block: Records) -> tuple[Floats, Floats, float]:
    counted = np.ones(block.records) if block.weights is None else block.weights
    return np.asarray(block.matrix.gram(counted), dtype=np.float64), block.matrix.rmatvec(block.targets * counted), float(counted.sum())


def _squares(_: int, block: Records, *, weights: Floats) -> float:
    squares = np.square(block.targets - block.matrix.matvec(weights))
    return float((squares if block.weights is None else squares * block.weights).sum())
