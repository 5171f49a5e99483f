"""Gaussian noise N(0, sigma^2 I) in learning mechanisms, for (epsilon, delta), and what a budget buys of it; and what noise in the objective costs.

The first part of the budget pays for this noise, in the objective or on its minimiser, by a theorem; the second for the last stage, on the grid,
whose noise hides how far solver and noise are from real numbers: a distance of the weights that is a function of tau, the solver's tolerance, and e,
the error of the drawn noise. The share is chosen so that both noises together are least (`last_share`).
"""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from discreet.accounting import ApproximateDP, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import lowering
from discreet.data import Records
from discreet.mechanisms.base import Mechanism, Public, at_epsilon
from discreet.mechanisms.learning.base import GaussianGrid, LearningMechanism, R
from discreet.noise import Noise, gaussian_error

_DOWN = lowering(450)
_LEAST = sys.float_info.min
_PURSUED = 12
"""Most steps that look for both sides of a scale before halving does."""


class Dimensioned(Public, Protocol):
    """A problem of so many weights."""

    @property
    def dimension(self) -> int:
        """Of them."""


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
    def ideal_delta(self, problem: P, epsilon: float) -> float:
        """Upper bound of delta(epsilon) of the ideal output, which no computer has."""

    def ideal_curve(self, problem: P) -> Callable[[float], float]:
        """`ideal_delta` of this problem, for many epsilons."""
        return partial(self.ideal_delta, problem)

    @abstractmethod
    def distance(self, problem: P, tolerance: float, error: float) -> float:
        """How far a computed output may be from the ideal one, for tau and e."""

    @abstractmethod
    def theorem(self, problem: P) -> str:
        """What says so, in certificates."""

    def promise(self, problem: P) -> ApproximateDP:
        """That of the ideal output, and of the last stage, which hides the distance from it."""
        error = max(self.noise_error, gaussian_error(scale=self.scale, dimension=problem.dimension))
        second = self.grid.delta(radius=self.distance(problem, self.tolerance, error), dimension=problem.dimension)
        total = self.ideal_delta(problem, self.epsilon) + second * (1.0 + self.coarser)
        return at_epsilon(self.epsilon + self.grid.epsilon, total, self.neighbours, self.theorem(problem))


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianPerturbation(TwoStages[R], LearningMechanism[R]):
    """Gaussian noise for the weights of linear classifiers."""

    def _noise(self, problem: R, noise: Noise, count: int) -> Floats:
        return noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=count)


class GaussianPlan(NamedTuple):
    """The numbers of a mechanism; its fields but for the relation."""

    scale: float
    epsilon: float
    tolerance: float
    noise_error: float
    grid: GaussianGrid


def gaussian_plan(
    *,
    epsilon: float,
    delta: float,
    dimension: int,
    scale: Callable[[float, float], float],
    tolerance: Callable[[float], float],
    radius: Callable[[float, float], float],
    share: Callable[[float, float], float],
    spare: float = 1e-6,
) -> GaussianPlan:
    """The least noise for a total of (epsilon, delta).

    `scale(epsilon, delta)` may raise InfeasibleTarget; `tolerance(sigma)` is the solver's; `share(last, sigma)` is the last stage's part of the
    budget where its noise with the whole of it would have size `last`; `spare` is the share of its delta that stays unspent.
    """
    rough = scale(epsilon * (1.0 - 1e-3), delta * (1.0 - 1e-3))
    solved = tolerance(rough)
    distance = radius(solved, gaussian_error(scale=rough, dimension=dimension))
    part = share(2.0 * distance / gaussian_mu(epsilon, delta), rough)
    found = scale(epsilon * (1.0 - part), delta * (1.0 - part))
    error = gaussian_error(scale=found, dimension=dimension)
    grid = GaussianGrid.calibrate(
        radius=radius(solved, error),
        dimension=dimension,
        epsilon=epsilon * part * _DOWN,
        delta=delta * part * (1.0 - spare),
    )
    return GaussianPlan(scale=found, epsilon=epsilon * (1.0 - part), tolerance=solved, noise_error=error, grid=grid)


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
            raise InfeasibleTarget("no noise scale reaches this target: the regularisation is too weak.")
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
