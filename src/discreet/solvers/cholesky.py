"""Newton directions from Cholesky factors that are kept while they serve.

A gradient costs O(n d), a Hessian O(n d^2): the factor H_0 is kept until the gradient shrinks by less than `KEEP` a step. Since v = -H_0^{-1} grad
G only has to be a good direction, H_0 may be summed in float32, whatever precision the minimiser needs: the gradient is always float64.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from discreet.arrays import Floats
from discreet.solvers.objective import Objective
from discreet.solvers.solution import Status

KEEP = 0.35
"""Keep the factor while a step multiplies the gradient norm by at most this."""
_LEVELS = 16


class CholeskyDirections:
    """Directions -H^{-1} gradient, H the Hessian here or at an earlier point."""

    __slots__ = ("_factor", "_fresh", "_single")

    def __init__(self, *, single_precision: bool = True) -> None:
        """Start without a factor; `single_precision` allows float32 sums until they disappoint."""
        self._factor: tuple[Floats, bool] | None = None
        self._fresh = False
        self._single = single_precision

    @property
    def status(self) -> Status:
        """Newton's method."""
        return Status.NEWTON

    def propose(self, objective: Objective, margins: Floats, gradient: Floats, contraction: float) -> Floats:
        """See Directions."""
        if self._factor is not None and (contraction > KEEP or objective.hessian_at_hand):
            self._single = self._single and not (self._fresh and contraction > 2 * KEEP)
            self._factor = None
        self._fresh = self._factor is None
        if self._factor is None:
            self._factor = self._factorise(objective, margins)
        direction: Floats = -cho_solve(self._factor, gradient, check_finite=False)
        if self._single and not (np.all(np.isfinite(direction)) and direction @ gradient < 0):
            self._single, self._factor = False, None
            return self.propose(objective, margins, gradient, contraction)
        return direction

    def _factorise(self, objective: Objective, margins: Floats) -> tuple[Floats, bool]:
        curvatures = objective.curvatures(margins)
        if self._single:
            try:
                return cho_factor(objective.hessian(curvatures, single_precision=True), lower=True, overwrite_a=True, check_finite=False)
            except LinAlgError:
                self._single = False
        return positive_factor(objective.hessian(curvatures))


def positive_factor(hessian: Floats) -> tuple[Floats, bool]:
    """Cholesky factor (for cho_solve) of `hessian` (d, d), its diagonal raised a little if rounding has made it indefinite."""
    lift = 0.0
    unit = np.finfo(np.float64).eps * float(np.max(np.diag(hessian)))
    for _ in range(_LEVELS):
        try:
            return cho_factor(hessian + lift * np.eye(len(hessian)) if lift else hessian, lower=True, check_finite=False)
        except LinAlgError:
            lift = max(16.0 * lift, unit * len(hessian))
    return np.diag(np.sqrt(np.diag(hessian))), True
