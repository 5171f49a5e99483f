"""Directions of Newton's method: from Cholesky factors that are kept while they serve, or by conjugate gradients.

A gradient costs O(n d), a Hessian O(n d^2): the factor H_0 is kept until the gradient shrinks by less than `KEEP` a step, and what its steps tell of
the Hessian here is added to it by limited-memory BFGS, which costs O(d). Since v = -B^{-1} grad G only has to be a good direction, H_0 may be summed
in float32, or from a sample of the records, whatever precision the minimiser needs: the gradient is always float64, and of all records.
"""

from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from discreet.core.arrays import Floats
from discreet.solvers.objective import Objective, Status

KEEP = 0.5
"""Keep the factor while a step multiplies the gradient norm by at most this."""
_POOR = 0.7
"""A fresh factor in float32 that does no better than this is not trusted again."""
_LEVELS = 16
_MEMORY = 12
_PRODUCTS = 1000


class Directions(Protocol):
    """A source of descent directions v with <v, gradient> < 0, typically near minus the inverse Hessian times the gradient."""

    status: ClassVar[Status]
    """What a solution found this way is called."""

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """Take the curvature from a sample of the records, `share` of all, at a point (d,) near its minimiser and theirs; may do nothing."""

    def propose(self, objective: Objective, point: Floats, margins: Floats, gradient: Floats, contraction: float) -> Floats:
        """A direction (d,) at `point`. `contraction` is the last ratio of gradient norms: near 0 if the last step was good, near 1 if not."""


class SecantPairs:
    """Limited-memory BFGS directions for many columns at once, each with its own pairs, all with one initial inverse Hessian; arrays are (d, k).

    With steps s_i and gradient changes y_i = grad(w + s_i) - grad(w), rho_i = 1 / <s_i, y_i>, the two-loop recursion (Nocedal 1980) applies

        B^{-1}_{i+1} = (I - rho_i s_i y_i^T) B^{-1}_i (I - rho_i y_i s_i^T) + rho_i s_i s_i^T,    B^{-1}_0 = H_0^{-1}

    to minus the gradient. <s, y> > 0 for strongly convex functions; a pair that rounding has spoilt is skipped (rho = 0).
    """

    __slots__ = ("_inverse", "_pairs")

    def __init__(self, inverse: Callable[[Floats], Floats]) -> None:
        """`inverse` applies H_0^{-1} to (d, k)."""
        self._inverse = inverse
        self._pairs: list[tuple[Floats, Floats, Floats]] = []

    def directions(self, gradients: Floats) -> Floats:
        """-B^{-1} gradients, shape (d, k)."""
        residual = -gradients
        parts = []
        for step, change, rho in reversed(self._pairs):
            part = rho * _dots(step, residual)
            residual = residual - part * change
            parts.append(part)
        result = self._inverse(residual)
        for (step, change, rho), part in zip(self._pairs, reversed(parts), strict=True):
            result = result + (part - rho * _dots(change, result)) * step
        return result

    def add(self, steps: Floats, changes: Floats) -> None:
        """Remember a step and its change of gradient for every column; forget the oldest beyond the memory."""
        products = _dots(steps, changes)
        sound = products > 1e-14 * np.sqrt(_dots(steps, steps) * _dots(changes, changes))
        rho = np.where(sound, 1.0 / np.where(sound, products, 1.0), 0.0)
        self._pairs = [*self._pairs[-_MEMORY + 1 :], (steps, changes, rho)]

    def keep(self, columns: npt.NDArray[np.bool_]) -> None:
        """Forget all columns but these."""
        self._pairs = [(step[:, columns], change[:, columns], rho[columns]) for step, change, rho in self._pairs]


def _dots(left: Floats, right: Floats) -> Floats:
    return np.einsum("ij,ij->j", left, right)


class CholeskyDirections:
    """Directions -B^{-1} gradient, B the Hessian at an earlier point with the changes of gradient since."""

    __slots__ = ("_fresh", "_last", "_learnt", "_pairs", "_single")
    status: ClassVar[Status] = Status.NEWTON

    def __init__(self, *, single_precision: bool = True) -> None:
        """Start without a factor; `single_precision` allows float32 sums until they disappoint."""
        self._pairs: SecantPairs | None = None
        self._last: tuple[Floats, Floats] | None = None
        self._fresh = self._learnt = False
        self._single = single_precision

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


class ConjugateDirections:
    """Directions that solve the Newton equations roughly, by conjugate gradients, for tables too wide for a (d, d) matrix.

    H v = -grad G is solved with products X^T (h * (X v)) + ridge v, preconditioned as the objective proposes, to a residual of
    min(0.1, sqrt(|grad G| / |grad G at the start|)) |grad G| (Dembo, Eisenstat, Steihaug 1982: superlinear convergence). Every iterate of conjugate
    gradients from zero is a descent direction, so stopping early is safe.
    """

    __slots__ = ("_first",)
    status: ClassVar[Status] = Status.CONJUGATE_GRADIENTS

    def __init__(self) -> None:
        """Remember nothing but the norm of the first gradient."""
        self._first: float | None = None

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """See Directions: nothing, the curvature is asked for anew in every step."""

    def propose(
        self,
        objective: Objective,
        point: Floats,  # noqa: ARG002 - part of the protocol
        margins: Floats,
        gradient: Floats,
        contraction: float,  # noqa: ARG002 - part of the protocol
    ) -> Floats:
        """See Directions."""
        norm = float(np.linalg.norm(gradient))
        self._first = norm if self._first is None else max(norm, self._first)
        target = min(0.1, float(np.sqrt(norm / self._first))) * norm
        curvatures = objective.curvatures(margins)
        precondition = objective.preconditioner(curvatures)
        solution = np.zeros_like(gradient)
        residual = -gradient
        scaled = precondition(residual)
        search = scaled.copy()
        energy = float(residual @ scaled)
        for _ in range(_PRODUCTS):
            product = objective.hessian_product(curvatures, search)
            bend = float(search @ product)
            if not bend > 0:
                break
            solution += (energy / bend) * search
            residual -= (energy / bend) * product
            if np.linalg.norm(residual) <= target:
                break
            scaled = precondition(residual)
            energy, previous = float(residual @ scaled), energy
            search = scaled + (energy / previous) * search
        return solution if solution @ gradient < 0 else -precondition(gradient)
