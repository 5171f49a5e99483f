"""Gaussian objective perturbation for any loss of a prediction with bounded slopes (proof note prediction.md).

    b ~ N(0, sigma^2 I),   w = argmin sum_i l(<x_i, w>; y_i) + (lambda / 2) |w|^2 + <b, w>,   released on a grid with discrete Gaussian noise

    |l'| <= L and 0 <= l'' <= c for every prediction and every |y| <= B

Theorem 1 of objective.md for slopes of both signs, with curvature c at each slope: the curve of the Huber loss of width L and ridge lambda / c.
Quantiles, expectiles, counts and amounts are one loss each, and none needs a theorem of its own.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from discreet.accounting import NoGuarantee
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours, Privacy
from discreet.core.remembered import remembered
from discreet.core.rounding import raising
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.constrained.base import check_gaussian_target
from discreet.mechanisms.learning.base import computed_radius
from discreet.mechanisms.learning.perturbation import Dimensioned, TwoStages
from discreet.mechanisms.learning.two_signed import half_problem, two_signed_plan, two_signed_profile
from discreet.mechanisms.regression.base import checked_ridge
from discreet.mechanisms.regression.objective import TYPICAL, planned_records, planned_worth, require_planned
from discreet.mechanisms.regression.objective_minimiser import certified_minimiser, evaluated, gradient_error, longest
from discreet.noise import Noise
from discreet.problems import PredictionRisk, RegularisedRisk
from discreet.words.learning import NON_PRIVATE
from discreet.words.regression import PREDICTION

STRENGTH = 5.0
"""lambda epsilon / (c R^2) where nobody chooses: the Jacobian term takes a fifth of epsilon."""
RESTING = 100.0
"""An epsilon from which on lambda stays: with less, the last stage, which hides tau / lambda, would be more noise than the first saves."""
_MANY, _MANY_POWER, _LEAST_SHARE = 64, 0.6, 0.5
"""Of logarithms of a mean: so many features have a share of it, others as this power of their number, and never less than the last."""
_ROOM = 4.0
_PLACES = 257
"""Targets at which the loss without a prediction is looked at, for how long weights may be."""
_UP = raising(64)
_STEPS, _LEAST_FALL = 1000, 1e-13
_LIFT, _MOST_LIFT = 1e-14, 1e10
"""Of the curvature, over its trace: as little as arithmetic allows, and more after a step that led nowhere."""
_LAST = 1e-10
"""Width of a smoothed kink, over the bound of targets, at which the fit without privacy ends."""


class _Asked(Dimensioned, Protocol):
    def require(self, data: Any) -> None: ...  # noqa: ANN401 - of its own kind


P = TypeVar("P", bound=_Asked)


def require_smooth(problem: PredictionRisk) -> None:
    """Raise InvalidInput for a loss with a kink."""
    if not math.isfinite(problem.smoothness):
        raise InvalidInput(f"objective perturbation needs a smooth loss, but {problem.loss.name!r} has a kink; use its smooth version.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RidgedStages(TwoStages[P], Generic[P]):
    """The minimiser of a sum of losses, a ridge and a Gaussian linear term."""

    ridge: float
    """lambda, of each sum."""
    records: int
    """Most records that rounding errors are planned for; longer tables are refused."""

    @classmethod
    def calibrate(cls, problem: P, *, epsilon: float, delta: float, neighbours: Neighbours, ridge: float | None = None) -> Self:
        """The least noise for a total of (epsilon, delta). `ridge` None takes the default of such problems.

        Raises InvalidInput for a loss with a kink and numbers out of range, InfeasibleTarget for a ridge too small for any noise.
        """
        check_gaussian_target(epsilon, delta)
        return cls._planned(problem, Privacy(epsilon=epsilon, delta=delta, neighbours=neighbours), ridge)

    @classmethod
    @abstractmethod
    def _planned(cls, problem: P, privacy: Privacy, ridge: float | None) -> Self:
        """What `calibrate` returns."""

    def require(self, problem: P, data: Any) -> None:  # noqa: ANN401 - the problem's own
        """See Mechanism; also for more than rounding errors were planned for."""
        problem.require(data)
        planned, rows, records = self._planned_for(problem, data)
        require_planned(planned, rows, records, self.neighbours)

    @abstractmethod
    def _planned_for(self, problem: P, data: Any) -> tuple[PredictionRisk, int, Records]:  # noqa: ANN401 - the problem's own
        """The problem of one minimiser, rows that rounding errors are planned for, and one's records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionObjectivePerturbation(RidgedStages[PredictionRisk]):
    """That of one target's predictions."""

    name = "prediction-objective"

    @classmethod
    def _planned(cls, problem: PredictionRisk, privacy: Privacy, ridge: float | None) -> Self:
        epsilon, neighbours = privacy.epsilon, privacy.neighbours
        require_smooth(problem)
        chosen_ridge = checked_ridge(default_ridge(problem, epsilon) if ridge is None else ridge)
        half, domain = half_of(problem, chosen_ridge), problem.domain
        least = domain.radius**2 * problem.smoothness / math.expm1(min(epsilon, 700.0))
        if chosen_ridge <= least:
            raise InfeasibleTarget(
                f"objective perturbation of {problem.loss.name} at epsilon={epsilon:g} needs a ridge above {least:.3g} on the sum of losses; "
                f"{chosen_ridge:.3g} was given. {default_ridge(problem, epsilon):.3g} is comfortable, and alpha=None chooses it; or raise epsilon."
            )
        records = planned_records(problem, neighbours)
        plan = two_signed_plan(
            half,
            privacy,
            curvature=chosen_ridge + (domain.records or TYPICAL) * domain.radius**2 * problem.smoothness / domain.dimension,
            tolerance=lambda scale: tolerance_of(problem, records, chosen_ridge, scale, neighbours),
            radius=lambda tolerance, error: computed_radius(problem.prior, gradient=tolerance, error=error, ridge=chosen_ridge),
        )
        return cls(**plan._asdict(), ridge=chosen_ridge, records=records, neighbours=neighbours)

    def _planned_for(self, problem: PredictionRisk, data: Records) -> tuple[PredictionRisk, int, Records]:
        """See RidgedStages."""
        return problem, self.records, data

    def ideal_curve(self, problem: PredictionRisk) -> Callable[[float], float]:
        """See TwoStages: theorem 1, for the Huber loss with these constants."""
        return partial(two_signed_profile(half_of(problem, self.ridge), self.neighbours), self.scale)

    def distance(self, problem: PredictionRisk, tolerance: float, error: float) -> float:
        """See TwoStages."""
        return computed_radius(problem.prior, gradient=tolerance, error=error, ridge=self.ridge)

    def theorem(self, problem: PredictionRisk) -> str:  # noqa: ARG002 - the same for any problem
        """See TwoStages."""
        return PREDICTION

    def draw(self, problem: PredictionRisk, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        linear = noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=1)[:, 0]
        if problem.prior is not None:
            linear = linear - problem.prior.pull(self.ridge)
        found = certified_minimiser(
            problem,
            data,
            loss=problem.loss,
            curvature=None,
            width=problem.slope_bound,
            ridge=self.ridge,
            linear=linear,
            tolerance=self.tolerance,
        )
        return Drawn.of(self.grid.release(found[:, None], noise)[:, 0])


def default_ridge(problem: PredictionRisk, epsilon: float) -> float:
    """lambda where nobody chooses one, from public numbers."""
    return STRENGTH * problem.smoothness * problem.domain.radius**2 / min(epsilon, RESTING)


def log_link_ridge(problem: PredictionRisk, epsilon: float, neighbours: Neighbours, *, share: float) -> float:
    """lambda where nobody chooses one and predictions are logarithms of a mean, which noise of more than about one spoils (docs/losses.md)."""
    moved = 2.0 if neighbours is REPLACE_ONE else 1.0
    times = share * moved * (problem.domain.dimension / _MANY) ** _MANY_POWER
    return max(times, _LEAST_SHARE) * default_ridge(problem, epsilon)


def half_of(problem: PredictionRisk, ridge: float) -> RegularisedRisk:
    """The half of the Huber loss whose slopes reach L; its curvature is 1, so lambda / c stands for lambda."""
    domain = problem.domain
    return half_problem(
        loss="huber",
        width=problem.slope_bound,
        radius=domain.radius,
        ridge=ridge / (problem.smoothness * _UP),
        dimension=domain.dimension,
        persons=domain.persons,
    )


def tolerance_of(problem: PredictionRisk, records: int, ridge: float, scale: float, neighbours: Neighbours) -> float:
    """tau: a small multiple of the bound of rounding errors, from public numbers. |b| is longer with a probability below e^-72.

    That it is enough is not taken for granted: the bound is computed again for the weights that are found, and what exceeds tau raises.
    """
    linear = scale * (math.sqrt(problem.dimension) + 12.0) + (0.0 if problem.prior is None else ridge * problem.prior.norm)
    bound, width = problem.domain.target_bound, problem.slope_bound
    places: Floats = np.linspace(-bound, bound, _PLACES)
    start, planned = float(problem.loss.value(np.zeros(_PLACES), places).max()), planned_worth(problem, records, neighbours)
    length = math.sqrt(2.0 * planned * start / ridge) + longest(problem, records=0, width=width, ridge=ridge, linear=linear)
    return _ROOM * gradient_error(problem, records=planned, width=width, ridge=ridge, length=length, linear=linear, bend=problem.smoothness)


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivatePrediction(Mechanism[PredictionRisk, Records]):
    """The minimiser without noise, of a loss with a kink too; with a ridge where one is asked for."""

    name = "prediction-non-private"
    ridge: float
    """lambda, 0 for none."""
    neighbours: Neighbours

    def promise(self, problem: PredictionRisk) -> NoGuarantee:  # noqa: ARG002 - the same for any problem
        """NoGuarantee: it draws no noise."""
        return NoGuarantee(neighbours=self.neighbours, theorem=NON_PRIVATE)

    def draw(self, problem: PredictionRisk, data: Records, noise: Noise) -> Drawn:  # noqa: ARG002 - no noise is drawn
        """See Mechanism: of a kink, by Newton's method on losses whose bend gets shorter and shorter."""
        point, width = np.zeros(problem.dimension), 0.1 * problem.domain.target_bound
        while True:
            point = self._minimiser(problem, data, point, width)
            width *= 0.1
            if math.isfinite(problem.smoothness) or width < _LAST * problem.domain.target_bound:
                return Drawn.of(point)

    def _minimiser(self, problem: PredictionRisk, data: Records, point: Floats, width: float) -> Floats:
        """Newton's method from `point` (d,), to the end of float64; the curvature is lifted where it is singular, or a step too long."""
        loss, unit, _ = problem.loss.smoothed(width)
        pulled = np.zeros(problem.dimension) if problem.prior is None else problem.prior.pull(self.ridge)

        def reach(at: Floats) -> tuple[float, Floats, Floats]:
            found = evaluated(data, at, loss=loss, curvature=None, hessian=True)
            hessian = np.asarray(found.hessian) / unit + self.ridge * np.eye(len(at))
            held = 0.5 * self.ridge * float(at @ at) - float(pulled @ at)
            return found.value / unit + held, found.gradient / unit + self.ridge * at - pulled, hessian

        value, slope, hessian = reach(point)
        size, lift = max(float(np.trace(hessian)), 1.0), _LIFT
        for _ in range(_STEPS):
            following = point - np.linalg.solve(hessian + lift * size * np.eye(len(point)), slope)
            after = reach(following)
            if after[0] < value or (after[0] <= value + _LEAST_FALL * abs(value) and float(np.linalg.norm(after[1])) < float(np.linalg.norm(slope))):
                point, (value, slope, hessian), lift = following, after, max(_LIFT, 0.1 * lift)
            elif lift > _MOST_LIFT:
                return point
            else:
                lift *= 10.0
        return point


@remembered
def calibrate_prediction(
    problem: PredictionRisk, *, epsilon: float, delta: float, neighbours: Neighbours, ridge: float | None = None
) -> PredictionObjectivePerturbation | NonPrivatePrediction:
    """The mechanism, calibrated; without noise for epsilon = infinity, and without a ridge then where none is asked for."""
    if epsilon == math.inf:
        if problem.prior is not None and not ridge:
            raise InvalidInput("epsilon=inf has no ridge that could pull towards a prior; leave prior out, or set alpha.")
        return NonPrivatePrediction(ridge=0.0 if ridge is None else ridge, neighbours=neighbours)
    return PredictionObjectivePerturbation.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, ridge=ridge)
