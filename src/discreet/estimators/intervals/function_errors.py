"""How far the weights of one function, released with noise, may be from those of the population, given its curvature, known with noise too.

The formulas are those of module `uncertainty`; here they are for one function: that of two classes, of numbers, of one class against the rest, or all
functions of a softmax together, whose errors hang together. Everything is public.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from discreet.core.arrays import AnyFloats, Floats
from discreet.data import Domain
from discreet.data.coding import Coding
from discreet.mechanisms.curvature import Curvature
from discreet.mechanisms.curvature.query import ABOVE, DIAGONAL
from discreet.solvers import NoisyMatrix

_LOWERED = 1.5
"""Standard deviations by which eigenvalues are lowered where the equations cannot be solved. With 1, intervals of 95 % for 20 weights cover 93.6 % in
the worst case tried; with 0, 78 %."""
_CURVED = 0.5
"""Of a Newton step's length, its error over the share of the decisions that it changes; seen: .3 for the logistic loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variance:
    """Of a'(estimate - theta), (n,) each."""

    sampled: Floats
    """What the sampling of records adds, and noise on H."""
    moved: Floats
    """What noise of variance 1 in the objective adds."""
    carried: Floats
    """What noise of variance 1 on the weights adds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FunctionErrors:
    """Of one function."""

    weights: Floats
    """(m,)."""
    matrices: Curvature
    """H and J (m, m), as released."""
    ridge: float
    """lambda, with what the mechanism added to it."""
    domain: Domain
    coding: Coding
    free: float = 1.0
    """How many numbers the noise on H has, over those of a symmetric matrix of its size: less of a softmax, whose blocks are symmetric too."""
    prior: Floats | float = 0.0
    """w0 (m,), public: where the ridge pulls towards; 0 for zero."""
    null: AnyFloats | None = None
    """(m, k), orthonormal: public directions that the loss does not see, in which there is the ridge alone, and noise in the objective."""

    @property
    def references(self) -> tuple[int, ...]:
        """Places of the weights that target "unpenalised" takes as 0."""
        return self.coding.references(intercept=self.domain.intercept_scale > 0)

    def penalised(self, directions: AnyFloats, deviations: float) -> tuple[Floats, list[Variance], Floats]:
        """Estimates, what is known of their variance, and their bias: from the equations, where they can be solved, and from H >= 0."""
        if self.null is not None:
            return self._beside_null(self.null, directions, deviations)
        sampling, size = self._sampling(), len(self.weights)
        carried = np.square(directions).sum(axis=1)
        noisy = self._noisy(np.eye(size), 0.0)
        values, vectors = NoisyMatrix(matrix=noisy.matrix, variance=self.free * noisy.variance).cleared()
        least = np.maximum(values - _LOWERED * math.sqrt(2.0 * self._entry_variance), 0.0)
        solved = ((directions @ vectors) / (least + self.ridge)) @ vectors.T
        parts = [Variance(sampled=_along(solved, sampling), moved=np.square(solved).sum(axis=1), carried=carried)]
        found = self._noisy(np.eye(size), self.ridge).errors(sampling, np.eye(size), deviations=deviations)
        if found is not None:
            parts.append(Variance(sampled=_along(directions, found[0]), moved=_along(directions, found[1]), carried=carried))
        return directions @ self.weights, parts, np.zeros(len(directions))

    def _beside_null(self, null: AnyFloats, directions: AnyFloats, deviations: float) -> tuple[Floats, list[Variance], Floats]:
        """H and J are known to be 0 along `null`, whatever was released; noise there is independent of that in the other directions."""
        basis = np.linalg.svd(null)[0][:, null.shape[1] :]
        held = self.matrices._replace(curvature=basis.T @ self.matrices.curvature @ basis, variation=basis.T @ self.matrices.variation @ basis)
        inner = replace(self, weights=basis.T @ (self.weights - self.prior), prior=0.0, matrices=held, null=None)
        _, parts, bias = inner.penalised(directions @ basis, deviations)
        along = np.square(directions @ null).sum(axis=1)
        whole = [Variance(sampled=one.sampled, moved=one.moved + along / self.ridge**2, carried=one.carried + along) for one in parts]
        return directions @ self.weights, whole, bias

    def unpenalised(self, directions: AnyFloats, deviations: float) -> tuple[Floats, list[Variance], Floats]:
        """The same for the Newton step that takes the penalty off, among weights that are 0 for reference categories, as `directions` are there."""
        ridge, size, domain = self.ridge, len(self.weights), self.domain
        kept = np.delete(np.eye(size), self.references, axis=1)
        begun = self.coding.moved(self.weights, intercept_scale=domain.intercept_scale, norm_bound=domain.norm_bound)
        noisy, within = self._noisy(kept, 0.0), directions @ kept
        solution = np.linalg.lstsq(noisy.matrix, kept.T @ (self.matrices.curvature @ begun + ridge * (self.weights - self.prior)), rcond=None)[0]
        step = kept @ solution - begun
        met = self._noisy(np.eye(size), 0.0).met(step)
        found = noisy.errors(kept.T @ (self._sampling() + met) @ kept, np.eye(len(solution)), deviations=deviations)
        if found is None:
            return within @ solution, [], np.zeros(len(within))
        moved = _along(within, found[1])
        # Noise that was added to the weights reaches a'theta by itself and through the pull of the penalty, as a + lambda z.
        across = np.einsum("ij,ij->i", within, np.linalg.solve(noisy.matrix, within.T).T)
        carried = np.square(within).sum(axis=1) + 2.0 * ridge * across + ridge**2 * moved
        changed = kept.T @ step
        share = float(changed @ noisy.matrix @ changed) / max(float(solution @ noisy.matrix @ solution), 1e-300)
        bias = _CURVED * math.sqrt(min(max(share, 0.0), 1.0)) * np.abs(directions @ step)
        return within @ solution, [Variance(sampled=_along(within, found[0]), moved=moved, carried=carried)], bias

    @property
    def _entry_variance(self) -> float:
        """h: entries off the diagonal have 5 / 7 of the deviation of those on it, just above 1 / sqrt(2)."""
        return (DIAGONAL / ABOVE * self.matrices.curvature_noise) ** 2

    def _noisy(self, kept: AnyFloats, ridge: float) -> NoisyMatrix:
        matrix: AnyFloats = kept.T @ self.matrices.curvature @ kept + ridge * np.eye(kept.shape[1])
        return NoisyMatrix(matrix=matrix, variance=self._entry_variance)

    def _sampling(self) -> AnyFloats:
        """The variance of g, without what noise made impossible."""
        pull = self.ridge * (self.weights - self.prior)
        records = self.domain.records
        return _non_negative(self.matrices.variation - (0.0 if records is None else np.outer(pull, pull) / records))


def _along(directions: AnyFloats, matrix: AnyFloats) -> Floats:
    """a' M a for every row a, (n,)."""
    found: Floats = np.einsum("ij,jk,ik->i", directions, matrix, directions)
    return np.maximum(found, 0.0)


def _non_negative(matrix: AnyFloats) -> AnyFloats:
    """The nearest matrix without negative eigenvalues."""
    values, vectors = np.linalg.eigh(matrix)
    clipped: AnyFloats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return clipped
