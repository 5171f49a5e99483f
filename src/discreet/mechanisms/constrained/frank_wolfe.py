"""Private Frank-Wolfe, over polytopes and over any set with a linear minimiser (proof note frank_wolfe.md), and the method without noise.

Over a polytope (theorem 1):

    s_t = vertex number i with probability proportional to exp(-rate z_i),    z_i = round(<v_i, grad F(theta_t)> / w),    t = 1 .. T

the exponential mechanism, drawn exactly on integers; w is a power of two, public. With B the slope bound, k = 1 under add-remove and 2 under
replace-one, and E the bound of rounding errors of a score, neighbours move the difference of two scores by at most

    span = (k B spread + 4 E) / w + 2   steps of the grid

so a step has bounded range rate span, and T adaptive steps have the delta of `bounded_range_delta` (accounting/bounded_range.py). With delta = 0 the
ranges add up to epsilon. This replaces Talwar, Thakurta and Zhang (2014), Algorithm 4, whose Laplace noise is too small for its claim where
epsilon is large and too large elsewhere (note, section "What was printed").

The first step starts at a public point, where slopes are at most a known share of B: its range, and its distance below, are so much smaller.

Over any set (theorem 2):

    y_t = grad F(theta_t) + noise on a grid,    s_t = argmin_{s in C} <s, y_t>,    t = 1 .. T

Algorithm 5 of the same, with the noise of exact Gaussian composition (module `base`) in place of the printed constants: T steps together
are one Gaussian release of mu = Delta sqrt(T) / sigma, Delta = `gradient_distance`. What follows from y_t is post-processing: the linear minimiser
may be inexact.

    E F(theta) - min F <= Gamma (1 + ln T) / (2 T) + sigma G_C,    G_C the Gaussian width of C

Without noise shares are 2 / (t + 2): F - min F <= 2 Gamma / (T + 2).

The walk:  theta_{t+1} = (1 - g_t) theta_t + g_t s_t,   t = 1 .. T,   s_t a point of C that looks down the gradient.

With g_t = 1/t the result is the mean of s_1 .. s_T. If <s_t - s, grad F(theta_t)> <= r_t for all s in C, and Gamma is the curvature constant,

    F(theta_{T+1}) - min F <= (r_1 + .. + r_T) / T + Gamma (1 + ln T) / (2 T)

since h_t = F(theta_t) - min F has t h_{t+1} <= (t - 1) h_t + r_t + Gamma / (2 t). The shares 2 / (t + 2) of Jaggi (2013) and of Talwar, Thakurta and
Zhang (2014), Algorithm 3, have 2 Gamma / (T + 2) in the second place, less from T = 20 on. But private walks are short, and a mean of points gives
no noisy choice more weight than another: at the T that are used, equal shares had as little as half the excess risk (docs/frank-wolfe.md).

Predictions walk along: m <- (1 - g) m + g X s. For a vertex with few non-zero coordinates that takes a few columns of the table, and each number
of m is a function of its record and of the public points s_1 .. s_t alone, since the operations on it are single roundings. Otherwise m = X theta
anew.
"""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

import numpy as np

from discreet.accounting import Guarantee, Json, NoGuarantee, PureDP, bounded_range_delta, bounded_range_width, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import gamma, raising
from discreet.matrices.base import Columns
from discreet.mechanisms.base import at_epsilon
from discreet.mechanisms.constrained.base import (
    ConstrainedMechanism,
    GaussianSteps,
    GradientSteps,
    check_gaussian_target,
    checked_steps,
    default_steps,
    gradient_distance,
    require_smooth,
)
from discreet.mechanisms.constrained.set_minimiser import certified_minimiser, has_certified_projection, planned_tolerance
from discreet.noise import Integers, Noise
from discreet.objectives import PredictionSum
from discreet.problems import SetRisk
from discreet.problems.set_risk import ROUNDING
from discreet.sets import Constraint, Polytope
from discreet.words.constrained import FRANK_WOLFE, POLYTOPE
from discreet.words.learning import NON_PRIVATE

_FINE, _COARSE = 12, 10
"""log2 of the steps of the grid in the span, at least: rounding costs 2 in 2^12 of the noise, or 2 in 2^10 where there are MANY vertices, since the
sampler counts scores by value (noise/choice.py), and fewer values take less time."""
_MANY = 1 << 17
_UP = raising(4_096)
_FEW = 8
"""Coordinates of a point up to which its predictions are sums of columns."""


@dataclass(kw_only=True)
class Walk:
    """Where the walk is: `point` (d,), public given the outcomes so far, and `predictions` (n,), private."""

    objective: PredictionSum
    point: Floats
    predictions: Floats
    taken: int = 0
    _anew: bool = False
    """Whether predictions are computed from the point: from the first target with many coordinates on, so that product errors never walk on."""
    _sum: Floats | None = field(default=None, repr=False)
    _columns: Columns | None = field(default=None, repr=False)

    @classmethod
    def from_start(cls, objective: PredictionSum, constraint: Constraint) -> "Walk":
        """At the point of the set that is nearest to 0: chosen without the records."""
        point = start_of(constraint)
        predictions = objective.predictions(point) if point.any() else objective.at_zero
        return cls(objective=objective, point=point, predictions=predictions)

    def gradient(self) -> Floats:
        """At the current point, (d,); within the problem's bounds of rounding errors."""
        return self.objective.gradient_of(self.predictions)

    def towards(self, target: Floats, share: float | None = None) -> None:
        """One step to `target` (d,), a point of the set; of share 1/t, so that `point` is the mean of all targets, or of another one throughout."""
        self.taken += 1
        if share is None:
            share = 1.0 / self.taken
            self._sum = target.copy() if self._sum is None else self._sum + target
            self.point = self._sum / self.taken  # chosen and left again is zero then, without a remnant of rounding
        else:
            self.point = (1.0 - share) * self.point + share * target
        used = np.flatnonzero(target)
        if self._columns is None and not self._anew and len(used) <= _FEW:
            self._columns = self.objective.columns()
        self._anew = self._anew or len(used) > _FEW or self._columns is None
        if self._anew or self._columns is None:
            self.predictions = self.objective.predictions(self.point)
            return
        self.predictions *= 1.0 - share
        for index in used:
            rows, values = self._columns(int(index))
            change = values * (share * target[index])
            if rows is None:
                self.predictions += change
            else:
                self.predictions[rows] += change


def start_of(constraint: Constraint) -> Floats:
    """The point of the set that is nearest to 0, (d,)."""
    zero = np.zeros(constraint.dimension)
    return zero if constraint.contains(zero, tolerance=0.0) else constraint.project(zero)


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
    def calibrate(cls, problem: SetRisk, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None) -> Self:
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
        grid_step = 2.0 ** math.floor(math.log2(_moved(problem, neighbours)) - fineness)
        first = first_range(problem, neighbours, grid_step)
        width = epsilon / (count - 1.0 + first) if delta == 0 else _width(epsilon, delta, count, first)
        rate = width / span_in_steps(problem, neighbours, grid_step) / _UP
        return cls(steps=count, rate=rate, grid_step=grid_step, epsilon=epsilon, pure=delta == 0, neighbours=neighbours)

    def promise(self, problem: SetRisk) -> Guarantee:
        """See the module docstring."""
        width = self.rate * span_in_steps(problem, self.neighbours, self.grid_step)
        theorem, first = POLYTOPE, first_range(problem, self.neighbours, self.grid_step)
        if self.pure:
            return PureDP(epsilon=(self.steps - 1.0 + first) * width * raising(8), neighbours=self.neighbours, theorem=theorem)
        delta = bounded_range_delta(width, self.steps, self.epsilon, first=first)
        return at_epsilon(self.epsilon, delta, self.neighbours, theorem)

    def point(self, problem: SetRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """See ConstrainedMechanism."""
        polytope = polytope_of(problem)
        require_short(problem, objective.records)
        walk = Walk.from_start(objective, polytope)
        for _ in range(self.steps):
            walk.towards(polytope.vertex(noise.choice(scores_on_grid(polytope, walk.gradient(), self.grid_step), rate=self.rate)))
        return walk.point


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianFrankWolfe(GradientSteps):
    """Frank-Wolfe on gradients with Gaussian noise: (epsilon, delta)-private."""

    name = "frank-wolfe-gaussian"
    theorem = FRANK_WOLFE

    @classmethod
    def calibrate(cls, problem: SetRisk, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None) -> Self:
        """The least noise for (epsilon, delta); `steps` None takes the number that suits public numbers (base.py).

        Raises InvalidInput for a loss with a kink, or numbers out of range.
        """
        check_gaussian_target(epsilon, delta)
        require_smooth(problem)
        count = default_gaussian_steps(problem, epsilon, delta, neighbours) if steps is None else checked_steps(steps)
        distance = gradient_distance(problem, neighbours)
        first = gradient_distance(problem, neighbours, _share_at_start(problem))
        found = GaussianSteps.calibrate(distance=distance, dimension=problem.dimension, epsilon=epsilon, delta=delta, count=count, first=first)
        return cls(noise_steps=found, epsilon=epsilon, neighbours=neighbours)

    def first(self, problem: SetRisk) -> float:
        """See GradientSteps: the start is public."""
        return gradient_distance(problem, self.neighbours, _share_at_start(problem))

    def point(self, problem: SetRisk, objective: PredictionSum, noise: Noise) -> Floats:
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
    ridge: float = 0.0
    """lambda of a term lambda |theta|^2 / 2 that is minimised too."""
    factors: tuple[float, ...] = ()
    """(dimension,): how many times theta_j^2 counts in it; empty where all count once."""
    neighbours: Neighbours

    def parameters(self) -> dict[str, Json]:
        """See Mechanism; the ridge where there is one."""
        named = ConstrainedMechanism.parameters(self)
        return {name: value for name, value in named.items() if name not in ("ridge", "factors") or value}

    def promise(self, problem: SetRisk) -> NoGuarantee:
        """NoGuarantee: it draws no noise. Raises for a loss with a kink."""
        require_smooth(problem)
        return NoGuarantee(neighbours=self.neighbours, theorem=NON_PRIVATE)

    def point(self, problem: SetRisk, objective: PredictionSum, noise: Noise) -> Floats:  # noqa: ARG002 - no noise is drawn
        """See ConstrainedMechanism."""
        if self.factors and has_certified_projection(problem.constraint):  # a large factor would need many steps
            distance = planned_tolerance(problem, self.ridge, 0.0, factors=self.factors) / self.ridge
            zero = np.zeros(problem.dimension)
            return certified_minimiser(problem, objective, ridge=self.ridge, factors=self.factors, linear=zero, distance=distance)
        walk, ridges = Walk.from_start(objective, problem.constraint), self.ridge * np.array(self.factors or (1.0,))
        for step in range(1, self.steps + 1):
            slope = walk.gradient() + ridges * walk.point if self.ridge else walk.gradient()
            walk.towards(problem.constraint.linear_minimiser(slope), share=2.0 / (step + 2.0))
        return walk.point


def polytope_of(problem: SetRisk) -> Polytope:
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


def span_in_steps(problem: SetRisk, neighbours: Neighbours, step: float, slopes: float = 1.0) -> float:
    """The most that neighbours move the difference of two integer scores where slopes are at most this share of B, all roundings included."""
    error = 2.0 * ROUNDING * problem.score_bound
    return ((_moved(problem, neighbours) * slopes + 4.0 * error) / step + 2.0) * _UP


def first_range(problem: SetRisk, neighbours: Neighbours, step: float) -> float:
    """The range of the first choice over that of any other, at most 1."""
    at_start = span_in_steps(problem, neighbours, step, _share_at_start(problem))
    return min(1.0, at_start / span_in_steps(problem, neighbours, step) * raising(4))


def _share_at_start(problem: SetRisk) -> float:
    """Slopes at the start are those of one public point."""
    return problem.slope_share(start_of(problem.constraint))


def require_short(problem: SetRisk, records: int) -> None:
    """Refuse tables so long that the rounding of a score, gamma_(d+4) n B r, could exceed ROUNDING B r."""
    most = 1 << math.floor(math.log2(ROUNDING / gamma(problem.dimension + 4)))
    if records > most:
        raise InvalidInput(f"rounding errors are bounded for up to {most} records with {problem.dimension} features, and the table has more.")


def default_polytope_steps(problem: SetRisk, epsilon: float, delta: float, neighbours: Neighbours) -> int:
    """T of base.py: the expected regret of one choice is at most (span / range) ln(vertices)."""
    choices = math.log(max(2, polytope_of(problem).vertex_count)) * _moved(problem, neighbours)
    if delta == 0:
        return default_steps(problem, regret=choices / epsilon, power=1.0)
    return default_steps(problem, regret=0.5 * choices / gaussian_mu(epsilon, delta), power=0.5)


def _moved(problem: SetRisk, neighbours: Neighbours) -> float:
    """k B spread."""
    return problem.score_spread * (1.0 if neighbours is ADD_REMOVE else 2.0)


@lru_cache(maxsize=64)
def _width(epsilon: float, delta: float, count: int, first: float) -> float:
    """The largest range for `count` uses: the optimal recursion takes about a second, and estimators ask again for each fit."""
    return bounded_range_width(epsilon, delta * (1.0 - 1e-9), count=count, first=first)


def default_gaussian_steps(problem: SetRisk, epsilon: float, delta: float, neighbours: Neighbours) -> int:
    """T of base.py: the expected regret of a noisy step is at most sigma G_C."""
    regret = gradient_distance(problem, neighbours) * problem.constraint.gaussian_width / gaussian_mu(epsilon, delta)
    return default_steps(problem, regret=regret, power=0.5)
