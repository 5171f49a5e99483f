"""Newton directions from Cholesky factors that are kept while they serve.

A gradient costs O(n d), a Hessian O(n d^2): the factor H_0 is kept until the gradient shrinks by less than `KEEP` a step, and what its steps tell of
the Hessian here is added to it by limited-memory BFGS (module `secant`), which costs O(d). Since v = -B^{-1} grad G only has to be a good
direction, H_0 may be summed in float32, or from a sample of the records, whatever precision the minimiser needs: the gradient is always float64, and
of all records.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from discreet.core.arrays import Floats
from discreet.solvers.objective import Objective, Status
from discreet.solvers.secant import SecantPairs

KEEP = 0.5
"""Keep the factor while a step multiplies the gradient norm by at most this."""
_POOR = 0.7
"""A fresh factor in float32 that does no better than this is not trusted again."""
_LEVELS = 16


class CholeskyDirections:
    """Directions -B^{-1} gradient, B the Hessian at an earlier point with the changes of gradient since."""

    __slots__ = ("_fresh", "_last", "_learnt", "_pairs", "_single")

    def __init__(self, *, single_precision: bool = True) -> None:
        """Start without a factor; `single_precision` allows float32 sums until they disappoint."""
        self._pairs: SecantPairs | None = None
        self._last: tuple[Floats, Floats] | None = None
        self._fresh = self._learnt = False
        self._single = single_precision

    @property
    def status(self) -> Status:
        """Newton's method."""
        return Status.NEWTON

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """See Directions: the sample's Hessian over its share, for m records of a well-behaved table within about sqrt(d / m) of that of all."""
        factor, lower = self._factorise(sample, sample.margins(point))
        self._begin((factor / share**0.5, lower))
        self._single, self._learnt = True, True

    def propose(self, objective: Objective, point: Floats, margins: Floats, gradient: Floats, contraction: float) -> Floats:
        """See Directions."""
        stale = contraction > KEEP and not self._learnt  # nothing is known yet of the first step with what was learnt
        self._learnt = False
        if self._pairs is not None and (stale or objective.hessian_at_hand):
            self._single = self._single and not (self._fresh and contraction > _POOR)
            self._pairs = None
        self._fresh = self._pairs is None
        pairs = self._begin(self._factorise(objective, margins)) if self._pairs is None else self._pairs
        if self._last is not None:
            before, slope = self._last
            pairs.add((point - before)[:, np.newaxis], (gradient - slope)[:, np.newaxis])
        self._last = point, gradient
        direction = pairs.directions(gradient[:, np.newaxis])[:, 0]
        if (self._single or not self._fresh) and not (np.all(np.isfinite(direction)) and direction @ gradient < 0):
            self._single, self._pairs = False, None
            return self.propose(objective, point, margins, gradient, contraction)
        return direction

    def _begin(self, factor: tuple[Floats, bool]) -> SecantPairs:
        self._pairs, self._last = SecantPairs(lambda vectors: cho_solve(factor, vectors, check_finite=False)), None
        return self._pairs

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
