"""Directions of descent: Cholesky factors that are kept while they serve, built up as far as they pay, or conjugate gradients.

A gradient costs two passes, O(n d), a Hessian O(n d^2). Since v = -B^{-1} grad G only has to be a good direction, B begins as some matrix H_0 and
what its steps tell of the Hessian here is added to it by limited-memory BFGS, which costs O(d). H_0 is one of

    stage       H_0                                                                      cost in passes
    DIAGONAL    the diagonal of the Hessian of some records                              next to nothing
    SAMPLED     the Hessian of some records, over their share                            `Objective.hessian_passes`
    WHOLE       that of all records, summed in float32 while that serves, and its factor     "

A stage is left for the next when what is left of the way costs more with it: with the gradient to be divided by e^L, and a step that multiplies its
norm by r (as the last few did here, as such a factor usually does there),

    2 L / ln(1 / r)  >  passes of the next H_0 + 2 L / ln(1 / r_next)

Where a Hessian costs few passes (up to about 190 columns of a dense table), the first H_0 is the whole one, or that of the sample at whose minimum a
fit begins, which is left by the same rule; it is kept until the gradient shrinks by less than `KEEP` a step. Every choice follows from the shape and
from gradient norms, never from a clock: fits are deterministic.
"""

import math
from collections.abc import Callable
from enum import IntEnum
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor
from scipy.linalg.lapack import dpotrs

from discreet.core.arrays import Floats, length
from discreet.solvers.objective import Objective, Status

MATRIX_LIMIT = 3000
"""Largest dimension for which (d, d) Hessians are formed."""
KEEP = 0.5
"""Keep the factor while a step multiplies the gradient norm by at most this, or by what is worth a new one."""
_POOR = 0.7
"""A fresh factor in float32 that does no better than this is not trusted again."""
COSTLY = 8.0
"""Passes that a Hessian is always worth; beyond them passes are what a fit costs."""
_LEVELS = 16
_MEMORY, _LONG_MEMORY = 12, 30
_PRODUCTS = 1000


class Stage(IntEnum):
    """What H_0 is made of; see the module docstring."""

    DIAGONAL = 0
    SAMPLED = 1
    WHOLE = 2


_USUAL = {Stage.SAMPLED: 0.4, Stage.WHOLE: 0.2}
"""What a step multiplies the gradient norm by, about."""
_SOON = 0.1
"""The same of a whole one that begins near the minimum."""
_LOOKED_AT = 4
"""Steps that tell how a stage does."""


class Directions(Protocol):
    """A source of descent directions v with <v, gradient> < 0, typically near minus the inverse Hessian times the gradient."""

    status: ClassVar[Status]
    """What a solution found this way is called."""

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """Take the curvature from a sample of the records, `share` of all, at a point (d,) near its minimiser and theirs; may do nothing."""

    def propose(self, objective: Objective, point: Floats, margins: Floats, gradient: Floats, contraction: float) -> Floats:
        """A direction (d,) at `point`. `contraction` is the last ratio of gradient norms: near 0 if the last step was good, near 1 if not."""


class Made(Protocol):
    """What makes a (d, d) Hessian of the curvatures."""

    def __call__(self, curvatures: Floats, *, single_precision: bool = False) -> Floats:
        """See Objective.hessian."""


class SecantPairs:
    """Limited-memory BFGS directions for many columns at once, each with its own pairs, all with one initial inverse Hessian; arrays are (d, k).

    With steps s_i and gradient changes y_i = grad(w + s_i) - grad(w), rho_i = 1 / <s_i, y_i>, the two-loop recursion (Nocedal 1980) applies

        B^{-1}_{i+1} = (I - rho_i s_i y_i^T) B^{-1}_i (I - rho_i y_i s_i^T) + rho_i s_i s_i^T,    B^{-1}_0 = H_0^{-1}

    to minus the gradient. <s, y> > 0 for strongly convex functions; a pair that rounding has spoilt is skipped (rho = 0).
    """

    __slots__ = ("_inverse", "_memory", "_pairs", "_rescaled", "_size")

    def __init__(self, inverse: Callable[[Floats], Floats], *, memory: int = _MEMORY, rescaled: bool = False) -> None:
        """`inverse` applies H_0^{-1} to (d, k); so many pairs are remembered. `rescaled`: H_0 times what fits the last pair stands for H_0."""
        self._inverse, self._memory = inverse, memory
        self._rescaled, self._size = rescaled, np.ones(1)
        self._pairs: list[tuple[Floats, Floats, Floats]] = []

    def directions(self, gradients: Floats) -> Floats:
        """-B^{-1} gradients, shape (d, k)."""
        residual = -gradients
        parts = []
        # From the newest pair to the oldest, and back below: each pair's two factors around what is inside.
        for step, change, rho in reversed(self._pairs):
            part = rho * _dots(step, residual)
            residual = residual - part * change
            parts.append(part)
        result = self._inverse(residual) * self._size if self._rescaled else self._inverse(residual)
        for (step, change, rho), part in zip(self._pairs, reversed(parts), strict=True):
            result = result + (part - rho * _dots(change, result)) * step
        return result

    def add(self, steps: Floats, changes: Floats) -> None:
        """Remember a step and its change of gradient for every column; forget the oldest beyond the memory."""
        products = _dots(steps, changes)
        sound = products > 1e-14 * np.sqrt(_dots(steps, steps) * _dots(changes, changes))
        rho = np.divide(1.0, products, out=np.zeros_like(products), where=sound)
        self._pairs = [*self._pairs[-self._memory + 1 :], (steps, changes, rho)]
        if self._rescaled:
            found = products / np.maximum(_dots(changes, self._inverse(changes)), 1e-300)
            self._size = np.where(sound, found, self._size)

    def keep(self, columns: npt.NDArray[np.bool_]) -> None:
        """Forget all columns but these."""
        self._pairs = [(step[:, columns], change[:, columns], rho[columns]) for step, change, rho in self._pairs]


def _dots(left: Floats, right: Floats) -> Floats:
    return np.einsum("ij,ij->j", left, right)


class CholeskyDirections:
    """Directions -B^{-1} gradient, B the Hessian at an earlier point with the changes of gradient since."""

    __slots__ = ("_fresh", "_last", "_learnt", "_norms", "_pairs", "_single", "_stage", "_tolerance")
    status: ClassVar[Status] = Status.NEWTON

    def __init__(self, *, single_precision: bool = True, tolerance: float | None = None) -> None:
        """Start without a factor; `single_precision` allows float32 sums until they disappoint. Without a `tolerance` every Hessian is whole."""
        self._pairs: SecantPairs | None = None
        self._last: tuple[Floats, Floats] | None = None
        self._fresh = self._learnt = False
        self._single = single_precision
        self._tolerance = tolerance
        self._stage: Stage | None = None
        self._norms: list[float] = []

    def learn(self, sample: Objective, point: Floats, share: float) -> None:
        """See Directions: the sample's Hessian over its share, for m records of a well-behaved table within about sqrt(d / m) of that of all."""
        # The sample's Hessian is about `share` of that of all: so is the square of its factor.
        factor, lower = self._factorise(sample.hessian, sample.curvatures(sample.margins(point)))
        self._begin(_solving((factor / share**0.5, lower)), Stage.SAMPLED)
        self._single, self._learnt = True, True

    def propose(self, objective: Objective, point: Floats, margins: Floats, gradient: Floats, contraction: float) -> Floats:
        """See Directions."""
        worn = self._worn(objective, gradient, contraction) and not self._learnt  # nothing is known yet of the first step with what was learnt
        self._learnt = False
        if self._pairs is not None and (worn or objective.hessian_at_hand):
            self._single = self._single and not (self._fresh and contraction > _POOR)
            self._pairs = None
        self._fresh = self._pairs is None
        pairs = self._built(objective, margins) if self._pairs is None else self._pairs
        if self._last is not None:
            before, slope = self._last
            pairs.add((point - before)[:, np.newaxis], (gradient - slope)[:, np.newaxis])
        self._last = point, gradient
        direction = pairs.directions(gradient[:, np.newaxis])[:, 0]
        # Pairs and float32 may lose descent; a new factor in float64 does not, so that this comes back here once at most.
        if (self._single or not self._fresh) and not (np.isfinite(direction).all() and direction @ gradient < 0):
            self._single, self._pairs = False, None
            return self.propose(objective, point, margins, gradient, contraction)
        return direction

    def _worn(self, objective: Objective, gradient: Floats, contraction: float) -> bool:
        """Whether the rest of the way is cheaper with another H_0."""
        sampled, whole = objective.hessian_passes
        if self._tolerance is None or whole <= COSTLY or self._stage is None:
            return contraction > KEEP or self._sampled_too_long(whole, gradient, contraction)
        norm = max(length(gradient), 1e-300)
        self._norms.append(norm)
        if self._stage is Stage.WHOLE:
            rate = contraction
            if rate <= KEEP:
                return False
        elif len(self._norms) <= _LOOKED_AT:
            return False
        else:
            # Of several steps: a single one of a poor H_0 goes up and down.
            rate = (norm / self._norms[-1 - _LOOKED_AT]) ** (1.0 / _LOOKED_AT)
        left, following = max(math.log(norm / self._tolerance), 1.0), self._following(objective)
        cost = whole if following is Stage.WHOLE else sampled
        return rate >= 1.0 or 2.0 * left / -math.log(rate) > cost + 2.0 * left / -math.log(_USUAL[following])

    def _sampled_too_long(self, whole: float, gradient: Floats, contraction: float) -> bool:
        """Whether a cheap Hessian of all records, near the minimum of a sample, leads to the end at less cost than that of the sample goes on."""
        if self._tolerance is None or self._stage is not Stage.SAMPLED or not (whole > 0 and contraction > _SOON):
            return False
        left = 2.0 * max(math.log(max(length(gradient), 1e-300) / self._tolerance), 1.0)
        return left / -math.log(contraction) > whole + left / -math.log(_SOON)

    def _following(self, objective: Objective) -> Stage:
        """The next H_0: the first is the cheapest where a Hessian costs much."""
        sampled, whole = objective.hessian_passes
        if self._tolerance is None or whole <= COSTLY:
            return Stage.WHOLE
        if self._stage is None:
            return Stage.DIAGONAL
        return Stage.SAMPLED if self._stage is Stage.DIAGONAL and sampled < 0.5 * whole else Stage.WHOLE

    def _built(self, objective: Objective, margins: Floats) -> "SecantPairs":
        curvatures, stage = objective.curvatures(margins), self._following(objective)
        if stage is Stage.DIAGONAL:
            return self._begin(objective.sampled_inverse_diagonal(curvatures), stage)
        made = objective.sampled_hessian if stage is Stage.SAMPLED else objective.hessian
        return self._begin(_solving(self._factorise(made, curvatures)), stage)

    def _begin(self, inverse: Callable[[Floats], Floats], stage: Stage) -> "SecantPairs":
        self._pairs, self._last = (
            SecantPairs(inverse, memory=_MEMORY if stage is Stage.WHOLE else _LONG_MEMORY, rescaled=stage is Stage.DIAGONAL),
            None,
        )
        self._stage, self._norms = stage, []
        return self._pairs

    def _factorise(self, made: "Made", curvatures: Floats) -> tuple[Floats, bool]:
        if self._single:
            try:
                return cho_factor(made(curvatures, single_precision=True), lower=True, overwrite_a=True, check_finite=False)
            except LinAlgError:
                self._single = False
        return positive_factor(made(curvatures))


def _solving(factor: tuple[Floats, bool]) -> Callable[[Floats], Floats]:
    """Of the factor, by LAPACK itself: what scipy's `cho_solve` does around it takes longer than a small system."""
    matrix = np.asarray(factor[0], dtype=np.float64, order="F")
    return lambda vectors: np.asarray(dpotrs(matrix, vectors, lower=factor[1])[0]) if matrix.size else vectors


def positive_factor(hessian: Floats) -> tuple[Floats, bool]:
    """Cholesky factor (for cho_solve) of `hessian` (d, d), its diagonal raised a little if rounding has made it indefinite."""
    lift = 0.0
    unit = np.finfo(np.float64).eps * float(np.max(np.diag(hessian)))
    for _ in range(_LEVELS):
        try:
            return cho_factor(hessian + lift * np.eye(len(hessian)) if lift else hessian, lower=True, check_finite=False)
        except LinAlgError:
            lift = max(16.0 * lift, unit * len(hessian))
    # No lift was enough: each coordinate by itself is still a direction of descent.
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

    def propose(self, objective: Objective, point: Floats, margins: Floats, gradient: Floats, contraction: float) -> Floats:  # noqa: ARG002
        """See Directions."""
        norm = length(gradient)
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
            # H is positive definite, so this is rounding: what was found so far is a direction of descent.
            if not bend > 0:
                break
            solution += (energy / bend) * search
            residual -= (energy / bend) * product
            if length(residual) <= target:
                break
            scaled = precondition(residual)
            energy, previous = float(residual @ scaled), energy
            search = scaled + (energy / previous) * search
        return solution if solution @ gradient < 0 else -precondition(gradient)
