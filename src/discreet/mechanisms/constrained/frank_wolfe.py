"""Private Frank-Wolfe, over polytopes and over any set with a linear minimiser (proof note frank_wolfe.md), and the method without noise.

Over a polytope (theorem 1):

    s_t = vertex number i with probability proportional to exp(-rate z_i),    z_i = round(<v_i, grad F(theta_t)> / w),    t = 1 .. T

the exponential mechanism, drawn exactly on integers; w is a power of two, public. With B the slope bound, k = 1 under add-remove and 2 under
replace-one, and E the bound of rounding errors of a score, neighbours move the difference of two scores by at most

    span = (k B spread + 4 E) / w + 2   steps of the grid

so a step has bounded range rate span, and T adaptive steps have the delta of `bounded_range_delta` (accounting/bounded_range.py). With delta = 0 the
ranges add up to epsilon. This replaces Talwar, Thakurta and Zhang (2014), Algorithm 4, whose Laplace noise is too small for its claim where
epsilon is large and too large elsewhere (note, section "What was printed").

Over any set (theorem 2):

    y_t = grad F(theta_t) + noise on a grid,    s_t = argmin_{s in C} <s, y_t>,    t = 1 .. T

Algorithm 5 of the same, with the noise of exact Gaussian composition (module `gaussian_steps`) in place of the printed constants: T steps together
are one Gaussian release of mu = Delta sqrt(T) / sigma, Delta = `gradient_distance`. What follows from y_t is post-processing: the linear minimiser
may be inexact.

    E F(theta) - min F <= Gamma (1 + ln T) / (2 T) + sigma G_C,    G_C the Gaussian width of C

Without noise shares are 2 / (t + 2): F - min F <= 2 Gamma / (T + 2).
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, Guarantee, Json, NoGuarantee, PureDP, bounded_range_delta, bounded_range_width, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.base import at_epsilon
from discreet.mechanisms.constrained.base import (
    ConstrainedMechanism,
    check_gaussian_target,
    checked_steps,
    default_steps,
    gradient_distance,
    require_smooth,
)
from discreet.mechanisms.constrained.gaussian_steps import GaussianSteps
from discreet.mechanisms.constrained.walk import Walk
from discreet.noise import Integers, Noise
from discreet.problems import ConstrainedRisk, PredictionSum
from discreet.problems.certified_sums import gamma
from discreet.problems.constrained_risk import ROUNDING
from discreet.sets import Polytope
from discreet.statements.constrained import FRANK_WOLFE, POLYTOPE
from discreet.statements.learning import NON_PRIVATE

_FINE, _COARSE = 12, 10
"""log2 of the steps of the grid in the span, at least: rounding costs 2 in 2^12 of the noise, or 2 in 2^10 where there are MANY vertices, since the
sampler counts scores by value (noise/tally.py), and fewer values take less time."""
_MANY = 1 << 17
_UP = raising(4_096)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolytopeFrankWolfe(ConstrainedMechanism):
    """Frank-Wolfe whose vertices are drawn by the exponential mechanism: epsilon- or (epsilon, delta)-private."""

    name = "frank-wolfe-polytope"
    steps: int
    """T."""
    rate: float
    """Per step of the grid."""
    grid_step: float
    """w, a power of two."""
    epsilon: float
    """epsilon at which delta is stated."""
    pure: bool
    """Whether delta is 0, and the steps' ranges simply add up."""
    neighbours: Neighbours

    @classmethod
    def calibrate(cls, problem: ConstrainedRisk, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None) -> Self:
        """The least noise for (epsilon, delta); `steps` None takes the number that suits public numbers (base.py).

        Raises InvalidInput for a set that is no polytope, a loss with a kink, or numbers out of range.
        """
        if not (0 < epsilon < math.inf and 0 <= delta < 1):
            raise InvalidInput(
                f"private Frank-Wolfe needs 0 < epsilon < infinity and 0 <= delta < 1; epsilon={epsilon!r}, delta={delta!r} were given."
            )
        count = default_polytope_steps(problem, epsilon, delta, neighbours) if steps is None else checked_steps(steps)
        require_smooth(problem)
        fineness = _FINE if polytope_of(problem).vertex_count < _MANY else _COARSE
        width = epsilon / count if delta == 0 else _width(epsilon, delta, count)
        grid_step = 2.0 ** math.floor(math.log2(_moved(problem, neighbours)) - fineness)
        rate = width / span_in_steps(problem, neighbours, grid_step) / _UP
        return cls(steps=count, rate=rate, grid_step=grid_step, epsilon=epsilon, pure=delta == 0, neighbours=neighbours)

    def guarantee(self, problem: ConstrainedRisk) -> Guarantee:
        """See module docstring."""
        width = self.rate * span_in_steps(problem, self.neighbours, self.grid_step)
        theorem = POLYTOPE
        if self.pure:
            return PureDP(epsilon=self.steps * width * raising(5), neighbours=self.neighbours, theorem=theorem)
        delta = bounded_range_delta(width, self.steps, self.epsilon)
        return at_epsilon(self.epsilon, delta, self.neighbours, theorem)

    def point(self, problem: ConstrainedRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """See ConstrainedMechanism."""
        polytope = polytope_of(problem)
        require_short(problem, objective.records)
        walk = Walk.from_start(objective, polytope)
        for _ in range(self.steps):
            walk.towards(polytope.vertex(noise.choice(scores_on_grid(polytope, walk.gradient(), self.grid_step), rate=self.rate)))
        return walk.point


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianFrankWolfe(ConstrainedMechanism):
    """Frank-Wolfe on gradients with Gaussian noise: (epsilon, delta)-private."""

    name = "frank-wolfe-gaussian"
    noise_steps: GaussianSteps
    """Number of steps, grid and scale."""
    epsilon: float
    """epsilon at which delta is stated."""
    neighbours: Neighbours

    @classmethod
    def calibrate(cls, problem: ConstrainedRisk, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None) -> Self:
        """The least noise for (epsilon, delta); `steps` None takes the number that suits public numbers (base.py).

        Raises InvalidInput for a loss with a kink, or numbers out of range.
        """
        check_gaussian_target(epsilon, delta)
        require_smooth(problem)
        count = default_gaussian_steps(problem, epsilon, delta, neighbours) if steps is None else checked_steps(steps)
        distance = gradient_distance(problem, neighbours)
        found = GaussianSteps.calibrate(distance=distance, dimension=problem.dimension, epsilon=epsilon, delta=delta, count=count)
        return cls(noise_steps=found, epsilon=epsilon, neighbours=neighbours)

    def guarantee(self, problem: ConstrainedRisk) -> ApproximateDP:
        """See module docstring."""
        delta = self.noise_steps.delta(self.epsilon, distance=gradient_distance(problem, self.neighbours), dimension=problem.dimension)
        return at_epsilon(self.epsilon, delta, self.neighbours, FRANK_WOLFE)

    def parameters(self) -> dict[str, Json]:
        """See Mechanism."""
        return {**self.noise_steps.to_dict(), "epsilon": self.epsilon, "neighbours": str(self.neighbours)}

    def point(self, problem: ConstrainedRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """See ConstrainedMechanism."""
        walk = Walk.from_start(objective, problem.constraint)
        for _ in range(self.noise_steps.count):
            walk.towards(problem.constraint.linear_minimiser(self.noise_steps.release(walk.gradient(), noise)))
        return walk.point


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivateFrankWolfe(ConstrainedMechanism):
    """Frank-Wolfe without noise."""

    name = "frank-wolfe-non-private"
    steps: int = 1000
    neighbours: Neighbours

    def guarantee(self, problem: ConstrainedRisk) -> NoGuarantee:
        """None."""
        require_smooth(problem)
        return NoGuarantee(neighbours=self.neighbours, theorem=NON_PRIVATE)

    def point(self, problem: ConstrainedRisk, objective: PredictionSum, noise: Noise) -> Floats:  # noqa: ARG002 - no noise is drawn
        """See ConstrainedMechanism."""
        walk = Walk.from_start(objective, problem.constraint)
        for step in range(1, self.steps + 1):
            walk.towards(problem.constraint.linear_minimiser(walk.gradient()), share=2.0 / (step + 2.0))
        return walk.point


def polytope_of(problem: ConstrainedRisk) -> Polytope:
    """The problem's set. Raises InvalidInput where it has no list of vertices."""
    if not isinstance(problem.constraint, Polytope):
        raise InvalidInput(
            f"this mechanism chooses among vertices, and the set {problem.constraint.name!r} has no list of them. "
            "Use mechanism='frank-wolfe-gaussian'."
        )
    return problem.constraint


def scores_on_grid(polytope: Polytope, gradient: Floats, step: float) -> Integers:
    """round(<v_i, gradient> / step), (vertices,): division by a power of two is exact."""
    scores = polytope.vertex_scores(gradient)
    scores *= 1.0 / step
    return np.rint(scores, out=scores).astype(np.int64)


def span_in_steps(problem: ConstrainedRisk, neighbours: Neighbours, step: float) -> float:
    """The most that neighbours move the difference of two integer scores, rounding of gradients and of scores included."""
    error = 2.0 * ROUNDING * problem.score_bound
    return ((_moved(problem, neighbours) + 4.0 * error) / step + 2.0) * _UP


def require_short(problem: ConstrainedRisk, records: int) -> None:
    """Refuse tables so long that the rounding of a score, gamma_(d+4) n B r, could exceed ROUNDING B r."""
    most = 1 << math.floor(math.log2(ROUNDING / gamma(problem.dimension + 4)))
    if records > most:
        raise InvalidInput(
            f"rounding errors of scores are bounded for up to {most} records of {problem.dimension} features, and the table is longer."
        )


def default_polytope_steps(problem: ConstrainedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> int:
    """T of base.py: the expected regret of one choice is at most (span / range) ln(vertices)."""
    choices = math.log(max(2, polytope_of(problem).vertex_count)) * _moved(problem, neighbours)
    if delta == 0:
        return default_steps(problem, regret=choices / epsilon, power=1.0)
    return default_steps(problem, regret=0.5 * choices / gaussian_mu(epsilon, delta), power=0.5)


def _moved(problem: ConstrainedRisk, neighbours: Neighbours) -> float:
    """k B spread."""
    return problem.score_spread * (1.0 if neighbours is ADD_REMOVE else 2.0)


@lru_cache(maxsize=64)
def _width(epsilon: float, delta: float, count: int) -> float:
    """The largest range for `count` uses: the optimal recursion takes about a second, and estimators ask again for each fit."""
    return bounded_range_width(epsilon, delta * (1.0 - 1e-9), count=count)


def default_gaussian_steps(problem: ConstrainedRisk, epsilon: float, delta: float, neighbours: Neighbours) -> int:
    """T of base.py: the expected regret of a noisy step is at most sigma G_C."""
    regret = gradient_distance(problem, neighbours) * problem.constraint.gaussian_width / gaussian_mu(epsilon, delta)
    return default_steps(problem, regret=regret, power=0.5)
