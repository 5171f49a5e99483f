"""Gaussian noise N(0, sigma^2 I) in learning mechanisms, for (epsilon, delta), and what a budget buys of it; and what noise in the objective costs.

The first part of the budget pays for this noise, in the objective or on its minimiser, by a theorem; the second for the last stage, on the grid,
whose noise hides how far solver and noise are from real numbers: a distance of the weights that is a function of tau, the solver's tolerance, and e,
the error of the drawn noise. Both are composed as curves (residual_stage.md, theorem 3), so that a last stage with a share x of mu^2 costs the first
1 / sqrt(1 - x) of its noise; the share is chosen so that both noises together are least (`last_part`).
"""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from discreet.accounting import ApproximateDP, Guarantee, gaussian_delta, gaussian_mu, near
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import lowering, raising
from discreet.data import Records
from discreet.mechanisms.base import Mechanism, Public, at_epsilon
from discreet.mechanisms.learning.base import GaussianGrid, LearningMechanism, R
from discreet.mechanisms.learning.repeated import together
from discreet.noise import Noise, gaussian_error

_DOWN, _UP = lowering(450), raising(45)
_LEAST = sys.float_info.min
_PURSUED = 12
"""Most steps that look for both sides of a scale before halving does."""
_LITTLE = 1e-9
"""Of epsilon, by which lemmas about integers lower it, and more."""
_ATTEMPTS = 8
_SHARES = (1.0, 1e-2, 1e-4)
"""Of the last stage's share, where more does not fit beside a Jacobian term."""
_CLOSE, _AIM = 0.999, 0.9996
"""A plan is good enough from this share of delta on, and aims at that one."""
_NEARBY, _FARTHEST = 1e-2, 2.0
"""How far the logarithm of the noise is taken, to see how delta falls, and at most in one step."""
_COMPOSED = 1e-23
"""delta from which tails that a composition leaves out are little beside it."""
_MOST_OF_SUM = 0.05
_UNSEEN = 1e-300


class Dimensioned(Public, Protocol):
    """A problem of so many weights."""

    @property
    def dimension(self) -> int:
        """How many weights there are."""


P = TypeVar("P", bound=Dimensioned)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStages(Mechanism[P, Records]):
    """Gaussian noise whose curve a theorem gives, and the last stage: (epsilon, delta)-private."""

    scale: float
    """sigma, the standard deviation of each coordinate."""
    epsilon: float
    """epsilon at which the delta of the ideal output is evaluated."""
    tolerance: float
    """tau, the largest gradient norm of each minimiser."""
    noise_error: float
    """e, the largest distance of all drawn noise from its ideal."""
    grid: GaussianGrid
    """The last stage: step of the grid, and scale of the exact discrete noise in steps."""
    neighbours: Neighbours
    coarser: ClassVar[float] = 0.0
    """By what share the delta that is stated of the last stage exceeds its own."""

    @abstractmethod
    def ideal_curve(self, problem: P) -> Callable[[float], float]:
        """epsilon -> upper bound of delta(epsilon) of the ideal output, which no computer has, for epsilons >= 0 and both directions."""

    def ideal_deltas(self, problem: P) -> Callable[[Floats], Floats]:
        """`ideal_curve` at many epsilons."""
        curve = self.ideal_curve(problem)
        return lambda epsilons: np.array([curve(epsilon) for epsilon in epsilons.tolist()])

    @abstractmethod
    def distance(self, problem: P, tolerance: float, error: float) -> float:
        """How far a computed output may be from the ideal one, for tau and e."""

    @abstractmethod
    def theorem(self, problem: P) -> str:
        """What says so, in certificates."""

    def promise(self, problem: P) -> ApproximateDP:
        """That of the ideal output, and of the last stage, which hides the distance from it: the sum of both deltas, or that of both composed."""
        curve, epsilon = self.ideal_curve(problem), self.epsilon + self.grid.epsilon
        mu = self.grid.mu(radius=self._radius(problem), dimension=problem.dimension, beside=self.beside)
        total = min(curve(self.epsilon) + self.last_delta(problem), self.last_stage(problem)(near(curve, epsilon=epsilon, mu=mu), epsilon))
        return at_epsilon(epsilon, total, self.neighbours, self.theorem(problem))

    def last_delta(self, problem: P) -> float:
        """delta of the last stage alone, at its epsilon; 1 where it is not alone."""
        return 1.0 if self.beside else self.grid.delta(radius=self._radius(problem), dimension=problem.dimension) * (1.0 + self.coarser)

    def last_stage(self, problem: P) -> Callable[[Callable[[Floats], Floats], float], float]:
        """(curve of the ideal output, epsilon) -> delta of both stages composed."""
        after = partial(self.grid.delta_after, radius=self._radius(problem), dimension=problem.dimension, beside=self.beside)
        return lambda curve, epsilon: after(curve, epsilon) * (1.0 + self.coarser)

    @property
    def beside(self) -> float:
        """mu of a discrete Gaussian number that leaves too, and that the ideal output may depend on; 0 where there is none."""
        return 0.0

    def _radius(self, problem: P) -> float:
        """How far a computed output may be from the ideal one."""
        return self.distance(problem, self.tolerance, max(self.noise_error, gaussian_error(scale=self.scale, dimension=problem.dimension)))


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianPerturbation(TwoStages[R], LearningMechanism[R]):
    """Gaussian noise for the weights of linear classifiers."""

    def several(self, problem: R, count: int) -> Guarantee:
        """See LearningMechanism, and module `repeated`."""
        farther = math.sqrt(count) * self._radius(problem) * _UP
        after = partial(self.grid.delta_after, radius=farther, dimension=count * problem.dimension)
        return together(self.promise(problem), count, lambda relation: replace(self, neighbours=relation).ideal_deltas(problem), after)

    def _noise(self, problem: R, noise: Noise, count: int) -> Floats:
        return noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=count)


class GaussianPlan(NamedTuple):
    """The numbers of a mechanism; its fields but for the relation."""

    scale: float
    epsilon: float
    tolerance: float
    noise_error: float
    grid: GaussianGrid


def gaussian_plan(  # noqa: PLR0913 - the numbers of one theorem
    *,
    epsilon: float,
    delta: float,
    dimension: int,
    scale: Callable[[float, float], float],
    curve: Callable[[float], Callable[[float], float]] | None,
    tolerance: Callable[[float], float],
    radius: Callable[[float, float], float],
    part: Callable[[float, float], float],
    beside: float = 0.0,
) -> GaussianPlan:
    """The least noise (nearly) for a total of (epsilon, delta), in which a number that leaves `beside` has this mu.

    `scale(epsilon, delta)` may raise InfeasibleTarget; `curve(sigma)` is that of the first stage, None where nobody checks what `scale` says;
    `tolerance(sigma)` is the solver's; `part(last, sigma)` is the last stage's share of mu^2 where its noise with the whole of it would have size
    `last`. Where composed stages do not fit, delta is very small or epsilon beyond what a composition is proved for, epsilons and deltas add up.
    Raises InfeasibleTarget where `scale` does, where more noise would have to be drawn than can be, and where epsilons would have to add up with
    what is beside.
    """
    target = delta * (1.0 - 1e-6)
    rough = scale(epsilon * (1.0 - _LITTLE), target)
    solved, mu = tolerance(rough), gaussian_mu(epsilon, delta)
    share = part(2.0 * radius(solved, gaussian_error(scale=rough, dimension=dimension)) / mu, rough)
    moved = mu if curve is None else _as_steep(curve(rough), epsilon, mu)

    def planned(share: float, found: float) -> tuple[GaussianPlan, float]:
        """With this share and scale; and delta of both stages, where it is known."""
        error, last = gaussian_error(scale=found, dimension=dimension), 0.5 * share * epsilon
        distance, hidden = radius(solved, error), moved * math.sqrt(share / (1.0 - share))
        grid = GaussianGrid.composed(radius=distance, dimension=dimension, mu=hidden, epsilon=last * _DOWN)
        plan = GaussianPlan(scale=found, epsilon=epsilon - last, tolerance=solved, noise_error=error, grid=grid)
        if curve is None:
            return plan, target
        total = plan.epsilon + grid.epsilon
        around = near(curve(found), epsilon=total, mu=grid.mu(radius=distance, dimension=dimension, beside=beside))
        return plan, grid.delta_after(around, total, radius=distance, dimension=dimension, beside=beside)

    if curve is None:
        return planned(share, rough)[0]
    fall = math.log(max(curve(rough)(epsilon), _LEAST) / max(curve(rough * (1.0 + _NEARBY))(epsilon), _LEAST)) / _NEARBY
    for less in _SHARES if delta >= _COMPOSED else ():
        place = math.log(rough) - 0.5 * math.log1p(-less * share - min((beside / mu) ** 2, 0.5)) - math.log(_AIM) / max(fall, 1.0)
        if plan := _reached(partial(planned, less * share), place, target, max(fall, 1.0)):
            return plan
    if beside:
        raise InfeasibleTarget("this target is beyond what a composition is proved for; give the number of records.")
    added = min(share ** (2.0 / 3.0), _MOST_OF_SUM)
    found, last = scale(epsilon * (1.0 - added), delta * (1.0 - added)), epsilon * added * _DOWN
    error = gaussian_error(scale=found, dimension=dimension)
    grid = GaussianGrid.calibrate(radius=radius(solved, error), dimension=dimension, epsilon=last, delta=target * added)
    return GaussianPlan(scale=found, epsilon=epsilon * (1.0 - added), tolerance=solved, noise_error=error, grid=grid)


def _reached(planned: Callable[[float], tuple[GaussianPlan, float]], place: float, target: float, fall: float) -> GaussianPlan | None:
    """The plan with the least scale, about, whose delta is at most `target`, by secants of both logarithms from exp(place) on; None if none is."""
    best: GaussianPlan | None = None
    before: tuple[float, float] | None = None
    for _ in range(_ATTEMPTS):
        plan, together = planned(math.exp(place))
        over = math.log(max(together, _LEAST) / target)
        if over <= 0:
            best = plan
            if together >= _CLOSE * target:
                break
        if before and (over - before[1]) * (place - before[0]) < 0:
            fall = (before[1] - over) / (place - before[0])
        before = place, over
        place += max(-_FARTHEST, min((over - math.log(_AIM)) / fall, _FARTHEST))
    return best


def _as_steep(curve: Callable[[float], float], epsilon: float, most: float) -> float:
    """mu of the Gaussian mechanism whose curve falls as fast just below epsilon, up to `most`: a measure of what one more may hide beside it."""
    before = epsilon * (1.0 - 1e-2)
    fall, low, high = curve(before) / max(curve(epsilon), _LEAST), -12.0, 0.0
    while high - low > 1e-2:
        middle = 0.5 * (low + high)
        after = gaussian_delta(epsilon, most * math.exp(middle))
        steeper = after < _UNSEEN or gaussian_delta(before, most * math.exp(middle)) > fall * after
        low, high = (middle, high) if steeper else (low, middle)
    return most * math.exp(low)


def least_scale(delta: Callable[[float], float], *, above: float, target: float, step: float, precision: float) -> float:
    """The least scale (to `precision` of itself, rounded up) with delta(scale) <= target; it has been evaluated there, and is not below `above`.

    Raises InfeasibleTarget where no scale up to e^40 times `above` does: the Jacobian term alone exceeds epsilon.
    """
    known: dict[float, float] = {}

    def risk(place: float) -> float:
        known[place] = found = delta(math.exp(place))
        return found

    low = math.log(above) - 1e-6
    high = low
    while risk(high) > target:
        low, high, step = high, high + step, 2.0 * step
        if high - math.log(above) > 40.0:
            raise InfeasibleTarget("no amount of noise reaches this target, because the regularisation is too weak.")
    _narrowed(risk, known, low, high, target, precision)
    while high - low > precision:
        low, high = _halved(risk, known, low, high, target)
    while known.get(high, math.inf) > target and risk(high) > target:  # the curve fell and rose again, by a rounding: what is too little is known now
        high += precision
    return math.exp(high)


def _halved(risk: Callable[[float], float], known: dict[float, float], low: float, high: float, target: float) -> tuple[float, float]:
    """One step of the bisection. `risk` does not increase, so that places evaluated before decide for all on their far sides."""
    middle = 0.5 * (low + high)
    if any(place <= middle and found <= target for place, found in known.items()):
        return low, middle
    if any(place >= middle and found > target for place, found in known.items()):
        return middle, high
    return (low, middle) if risk(middle) <= target else (middle, high)


def _narrowed(risk: Callable[[float], float], known: dict[float, float], low: float, high: float, target: float, precision: float) -> None:
    """Evaluate `risk` on both sides of where it meets the target, by the Illinois method on its logarithm: less than half as often as by halving."""

    def over(place: float) -> float:
        found = known[place] if place in known else risk(place)
        return math.log(max(found, _LEAST)) - math.log(max(target, _LEAST))

    left, right, stayed = over(low), over(high), 0.0
    for _ in range(_PURSUED):
        if not (high - low > 0.5 * precision and left > 0 >= right and math.isfinite(left - right)):
            return
        found = low + (high - low) * left / (left - right)
        place = min(max(found, low + 0.25 * precision), high - 0.25 * precision)
        at = over(place)
        if at > 0:
            low, left, right = place, at, 0.5 * right if stayed < 0 else right
        else:
            high, right, left = place, at, 0.5 * left if stayed > 0 else left
        stayed = -at


class Head(ABC, Generic[R]):
    """What noise in the objective costs for problems of one kind. A new kind is one file with one of these."""

    name: ClassVar[str]
    """Of its mechanisms, but for the law."""
    step: ClassVar[float] = 1e-2
    """How far from the scale of one Gaussian mechanism the least one is looked for first."""
    precision: ClassVar[float] = 1e-8
    """Of the least scale, relative."""
    needs: ClassVar[str] = "{problem} by objective perturbation needs more than {name}={least}"
    remedy: ClassVar[str] = "Raise {name} ({comfortable} is comfortable), or raise epsilon."

    @abstractmethod
    def profile(self, problem: R, neighbours: Neighbours) -> Callable[[float, float], float]:
        """Upper bound of delta of the exact minimiser as a function of (scale, epsilon)."""

    def deltas(self, problem: R, neighbours: Neighbours) -> Callable[[float, Floats], Floats]:
        """`profile` as a function of (scale, epsilons)."""
        profile = self.profile(problem, neighbours)
        return lambda scale, epsilons: np.array([profile(scale, epsilon) for epsilon in epsilons.tolist()])

    def delta(self, problem: R, *, scale: float, epsilon: float, neighbours: Neighbours) -> float:
        """Upper bound of delta(epsilon) when the objective is perturbed by N(0, scale^2 I), afresh for each class, and minimised exactly."""
        return self.profile(problem, neighbours)(scale, epsilon)

    def scale(self, problem: R, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
        """The least scale (to `precision`, rounded up) with `delta` at most this one, which has been evaluated there.

        Raises InfeasibleTarget when the Jacobian term alone exceeds epsilon, so that no noise would do.
        """
        profile, target = self.profile(problem, neighbours), delta * (1.0 - 1e-6)
        above = problem.gradient_bound * (1.0 if neighbours is ADD_REMOVE else 2.0) / gaussian_mu(epsilon, target)
        return least_scale(lambda scale: profile(scale, epsilon), above=above, target=target, step=self.step, precision=self.precision)

    @abstractmethod
    def least_ridge(self, problem: R, epsilon: float) -> float:
        """lambda at which the Jacobian term alone uses up epsilon: every feasible one is larger."""

    @abstractmethod
    def comfortable_ridge(self, problem: R, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
        """A lambda at which the theorem has little slack, from public numbers; it does not depend on the problem's own lambda."""

    @abstractmethod
    def epsilon(self, one: Any, *, rate: float, neighbours: Neighbours) -> float:  # noqa: ANN401 - `one_of` R
        """epsilon of the exact minimiser under one vector of spherical noise of this rate, rounded up."""

    @abstractmethod
    def rate(self, one: Any, *, epsilon: float, neighbours: Neighbours) -> float:  # noqa: ANN401 - `one_of` R
        """The largest rate, about, with `epsilon` at most this one; 0 when there is none."""

    @abstractmethod
    def theorem(self, problem: R, *, pure: bool) -> str:
        """What says so, in certificates."""

    @abstractmethod
    def described(self, problem: R) -> str:
        """The problem, in a sentence on it."""

    def refusal(self, problem: R, *, epsilon: float, delta: float, neighbours: Neighbours) -> InfeasibleTarget:
        """The error where the Jacobian term leaves no budget for noise, with what would do."""
        least, comfortable = self.least_ridge(problem, epsilon), self.comfortable_ridge(problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
        domain = problem.domain
        name, divisor, count = ("lambda", 1.0, "") if domain.records is None else ("alpha", float(domain.records), f"n={domain.records}, ")
        needs = self.needs.format(problem=self.described(problem), name=name, least=f"{least / divisor:.3g}")
        remedy = self.remedy.format(name=name, comfortable=f"{comfortable / divisor:.3g}")
        return InfeasibleTarget(
            f"{needs} at epsilon={epsilon:g} ({count}data_norm={domain.norm_bound:g}, intercept_scale={domain.intercept_scale:g}, {neighbours}); "
            f"{name}={problem.ridge / divisor:.3g} was given. {remedy}"
        )
