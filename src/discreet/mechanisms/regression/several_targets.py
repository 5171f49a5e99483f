"""Gaussian objective perturbation for several targets of the same records (proof note several_targets.md).

    b_k ~ N(0, sigma^2 I),   w_k = argmin sum_i l(<x_i, w>; y_ik) + (lambda / 2) |w|^2 + <b_k, w>,   k = 1, .., m,   all released on one grid

One record is in all m objectives. Its privacy loss in each is at most Y_k = max(PL*(g_k), PL*(-g_k)), g_k independent and normal (theorem 1 of
objective.md), so that of all of them together is at most their sum. With c = ln(1 + kappa R^2 / lambda), which every Y_k is worth at least, and

    h(t) = 2 delta_T1(t + c)  >=  E (1 - e^{t - (Y_k - c)})_+,   t >= 0,        H(t) >= E (1 - e^{t - sum (Y_k - c)})_+

    add-remove    delta(epsilon) <= H(epsilon - m c)
    replace-one   delta(epsilon) <= (1 + e^{epsilon / 2}) H(epsilon / 2 - m c)          one record goes, another comes

Persons with several rows (theorem 2): the loss is a mixture over a person's rows of T = Y_1 + ... + Y_m, with Jacobian terms that lack their
logarithm. Its curve is that of one-vs-rest with both signs (modules `persons`, `loss_sums`).

The noise is about sqrt(m) times that of one target, and a factor more for the signs, which a record may have different in each. lambda grows with m,
since a record bends all objectives: at 2 m R^2 / epsilon (twice that under replace-one) the factor is within 3 % of its least.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import NoGuarantee, Profile, gaussian_mu
from discreet.accounting.convolution import Masses, curve_together
from discreet.accounting.numerical import pessimistic_masses
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput, quietly
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Privacy
from discreet.core.remembered import remembered
from discreet.core.rounding import lowering, raising
from discreet.data import Records
from discreet.data.target_table import TargetTable
from discreet.losses.predictions import LogCosh
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.learning.base import last_part
from discreet.mechanisms.learning.loss_sums import sum_of_losses
from discreet.mechanisms.learning.margin import jacobian_corners, row_loss, worst_outcome
from discreet.mechanisms.learning.persons import Loss, Tail, normal_loss, shared_delta, sum_of
from discreet.mechanisms.learning.perturbation import gaussian_plan, least_scale
from discreet.mechanisms.learning.two_signed import half_problem, two_signed_profile
from discreet.mechanisms.regression.base import checked_ridge
from discreet.mechanisms.regression.objective import TYPICAL, planned_records
from discreet.mechanisms.regression.objective_minimiser import certified_minimiser
from discreet.mechanisms.regression.prediction import (
    RESTING,
    NonPrivatePrediction,
    RidgedStages,
    default_ridge,
    half_of,
    require_smooth,
    tolerance_of,
)
from discreet.noise import Noise
from discreet.problems import PredictionRisk, RegularisedRisk, SeveralTargets
from discreet.words.regression import TARGETS

_POINTS = 160
_REACH = 10.5
"""Deviations of a Gaussian loss beyond which the curve is below 1e-25."""
_FINENESS, _COARSEST = 0.02, 0.25
"""The step of a discretised loss, of its deviation, and at most."""
_INFLATION = 1e-11
"""Of masses, as where curves are discretised (`accounting.numerical`)."""
_UP, _DOWN = raising(64), lowering(4_504)
_STEP, _PRECISION = 4e-2, 3e-4
_MOST_EPSILON = 100
"""As of the regressions of one target by least squares."""
_FAINT = 1e-17
"""delta below which what a composition leaves aside counts, and epsilons and deltas are added up where that is less."""
_FREE = 2.0
"""lambda epsilon / (m k R^2) of log-cosh, where k records change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetsObjectivePerturbation(RidgedStages[SeveralTargets]):
    """Those for all targets, together."""

    name = "targets-objective"

    @classmethod
    def _planned(cls, problem: SeveralTargets, privacy: Privacy, ridge: float | None) -> Self:
        epsilon, delta, neighbours = privacy.epsilon, privacy.delta, privacy.neighbours
        if epsilon > _MOST_EPSILON:
            raise InvalidInput(f"several targets need epsilon at most {_MOST_EPSILON}; epsilon={epsilon!r} was given.")
        each, domain = problem.each, problem.domain
        require_smooth(each)
        chosen_ridge = checked_ridge(targets_ridge(problem, epsilon, neighbours) if ridge is None else ridge)
        half = half_of_each(each, chosen_ridge)
        room = min(epsilon / (problem.targets * _changed(neighbours)), 700.0)
        least = domain.radius**2 * each.smoothness / (room if half.several else math.expm1(room))
        refusal = InfeasibleTarget(
            f"{problem.targets} targets at epsilon={epsilon:g} need a ridge above {least:.3g} on each sum of losses; {chosen_ridge:.3g} was given. "
            f"{targets_ridge(problem, epsilon, neighbours):.3g} is comfortable, and chosen where none is given; or raise epsilon."
        )
        if chosen_ridge <= least:
            raise refusal
        records = planned_records(each, neighbours)
        reach = chosen_ridge + (domain.records or TYPICAL) * domain.radius**2 * each.smoothness / domain.dimension
        root = math.sqrt(problem.targets) * _UP
        plan = gaussian_plan(
            epsilon=epsilon,
            delta=delta,
            dimension=problem.dimension,
            scale=lambda part, least: quietly(lambda: _least_scale(half, problem.targets, part, least, neighbours), refusal, InfeasibleTarget),
            curve=lambda scale: together_curve(half, targets=problem.targets, scale=scale, neighbours=neighbours),
            tolerance=lambda scale: tolerance_of(each, records, chosen_ridge, scale, neighbours),
            radius=lambda tolerance, error: (root * tolerance + error) / chosen_ridge,
            part=lambda last, scale: last_part(last * reach / scale),
        )
        return cls(**plan._asdict(), ridge=chosen_ridge, records=records, neighbours=neighbours)

    def _planned_for(self, problem: SeveralTargets, data: TargetTable) -> tuple[PredictionRisk, int, Records]:
        """See RidgedStages."""
        return problem.each, self.records, data.each[0]

    def ideal_curve(self, problem: SeveralTargets) -> Callable[[float], float]:
        """See TwoStages: theorem 1 of the proof note."""
        half = half_of_each(problem.each, self.ridge)
        return together_curve(half, targets=problem.targets, scale=self.scale, neighbours=self.neighbours)

    def distance(self, problem: SeveralTargets, tolerance: float, error: float) -> float:
        """See TwoStages."""
        return (math.sqrt(problem.targets) * _UP * tolerance + error) / self.ridge

    def theorem(self, problem: SeveralTargets) -> str:  # noqa: ARG002 - the same for any problem
        """See TwoStages."""
        return TARGETS

    def explained(self, problem: SeveralTargets) -> str:
        """What is released with how much noise, in words."""
        bound = problem.each.slope_bound * problem.domain.radius
        return (
            f"1. {problem.targets} minimisers of {problem.loss.name}, one for each target, of the same rows: a record moves none by more than its "
            f"bound.\n2. A random linear term of deviation {self.scale:.4g} in each coordinate, {self.scale / bound:.4g} times what a record's "
            f"slope can reach: all {problem.targets} have the one guarantee.\n3. A ridge of {self.ridge:.4g} on each."
        )

    def draw(self, problem: SeveralTargets, data: TargetTable, noise: Noise) -> Drawn:  # type: ignore[override]
        """See Mechanism."""
        linears = noise.gaussian(scale=self.scale, dimension=problem.dimension, draws=1)[:, 0].reshape(problem.targets, -1)
        found = [
            certified_minimiser(
                problem.each,
                records,
                loss=problem.loss,
                curvature=None,
                width=problem.each.slope_bound,
                ridge=self.ridge,
                linear=linear,
                tolerance=self.tolerance,
            )
            for records, linear in zip(data.each, linears, strict=True)
        ]
        return Drawn.of(self.grid.release(np.concatenate(found)[:, np.newaxis], noise)[:, 0])


@dataclass(frozen=True, slots=True, kw_only=True)
class NonPrivateTargets(Mechanism[SeveralTargets, TargetTable]):
    """The minimisers without noise."""

    name = "targets-non-private"
    ridge: float
    """lambda, 0 for none."""
    neighbours: Neighbours

    def promise(self, problem: SeveralTargets) -> NoGuarantee:
        """NoGuarantee: it draws no noise."""
        return self._each.promise(problem.each)

    def draw(self, problem: SeveralTargets, data: TargetTable, noise: Noise) -> Drawn:
        """See Mechanism."""
        drawn = [block for records in data.each for block in self._each.draw(problem.each, records, noise).blocks]
        return Drawn.of(np.concatenate(drawn))

    def explained(self, problem: SeveralTargets) -> str:
        """See TargetsObjectivePerturbation."""
        return f"{problem.targets} ordinary fits without noise: epsilon is infinite, and nothing is protected."

    @property
    def _each(self) -> NonPrivatePrediction:
        return NonPrivatePrediction(ridge=self.ridge, neighbours=self.neighbours)


@remembered
def calibrate_targets(
    problem: SeveralTargets, *, epsilon: float, delta: float, neighbours: Neighbours, ridge: float | None = None
) -> TargetsObjectivePerturbation | NonPrivateTargets:
    """The mechanism, calibrated; without noise for epsilon = infinity, and without a ridge then where none is asked for."""
    if epsilon == math.inf:
        return NonPrivateTargets(ridge=0.0 if ridge is None else ridge, neighbours=neighbours)
    return TargetsObjectivePerturbation.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, ridge=ridge)


def targets_ridge(problem: SeveralTargets, epsilon: float, neighbours: Neighbours) -> float:
    """lambda of each where nobody chooses one, from public numbers."""
    free = _FREE * problem.domain.radius**2 / min(epsilon, RESTING) if isinstance(problem.loss, LogCosh) else default_ridge(problem.each, epsilon)
    return problem.targets * _changed(neighbours) * free


def half_of_each(problem: PredictionRisk, ridge: float) -> RegularisedRisk:
    """The half of the loss of one target (module `two_signed`): of log-cosh its own, of others the Huber loss with their slopes and curvature."""
    if not isinstance(problem.loss, LogCosh):
        return half_of(problem, ridge)
    domain = problem.domain
    return half_problem(
        loss="log-cosh", width=problem.slope_bound, radius=domain.radius, ridge=ridge, dimension=domain.dimension, persons=domain.persons
    )


def together_delta(half: RegularisedRisk, *, targets: int, scale: float, epsilon: float, neighbours: Neighbours) -> float:
    """Upper bound of delta(epsilon) of all minimisers together; see the module docstring."""
    return together_curve(half, targets=targets, scale=scale, neighbours=neighbours)(epsilon)


def together_curve(half: RegularisedRisk, *, targets: int, scale: float, neighbours: Neighbours) -> Callable[[float], float]:
    """`together_delta` of epsilon; H is computed where it is first asked for."""
    if half.several:
        return _of_persons(half, targets, scale, neighbours)
    height = math.log1p(half.curvature_bound / half.ridge) * _UP
    alone, one = neighbours is ADD_REMOVE, two_signed_profile(half, neighbours)

    def delta(epsilon: float) -> float:
        left = ((epsilon if alone else 0.5 * epsilon) - targets * height * _UP) * _DOWN
        if left <= 0:
            return 1.0
        found = min(1.0, _beyond_height(half, targets, scale, height).delta(left) * (1.0 if alone else 1.0 + math.exp(0.5 * epsilon)) * _UP)
        return found if found > _FAINT else min(found, targets * one(scale, epsilon / targets * _DOWN) * _UP)

    return delta


def _of_persons(half: RegularisedRisk, targets: int, scale: float, neighbours: Neighbours) -> Callable[[float], float]:
    """`together_curve` where persons have several rows."""
    s = half.gradient_bound / scale
    if neighbours is ADD_REMOVE:
        together = _sum_of_targets(half, targets, s, 1.0)
    else:
        together = sum_of(*((0.5, _sum_of_targets(half, targets, 2.0 * s, times), 0.0) for times in (2.0, 0.0)))
    return lambda epsilon: shared_delta(together, epsilon)


@remembered
def _sum_of_targets(half: RegularisedRisk, targets: int, shift: float, times: float) -> Loss:
    """T of the proof note at this shift, with `times` the Jacobian term."""
    t, corners = jacobian_corners(half)
    least = float(np.max(0.5 * np.square(t * shift) + times * corners))
    one = row_loss(half, shift, times=times) if times else normal_loss(shift)
    reach = shift * (0.5 * shift + _REACH) + times * float(np.max(corners))
    return sum_of_losses(_of_either_sign(one, least), targets, spread=shift, reach=reach)


def _of_either_sign(loss: Loss, least: float) -> Loss:
    """The law of max(PL*(g), PL*(-g)) from that of PL*(g): E (Y - tau)_+ <= (c - tau)_+ + 2 E (PL*(g) - max(tau, c))_+ for any c, here PL*(0)."""

    def tail(thresholds: Floats) -> Tail:
        at = np.maximum(thresholds, least)
        found = loss(at)
        return Tail(2.0 * found.mean + (at - thresholds), np.where(thresholds < least, 1.0, np.minimum(2.0 * found.share, 1.0)))

    return tail


@remembered
def _beyond_height(half: RegularisedRisk, targets: int, scale: float, height: float) -> Profile:
    """H, of the losses beyond `height` each."""
    s = half.gradient_bound / scale
    reach = s * (0.5 * s + _REACH)
    epsilons = reach * np.linspace(0.0, 1.0, _POINTS + 1) ** 1.5
    one_sign = _curve_of_one_sign(half)
    deltas = np.array([2.0 * one_sign(scale, at + height) for at in epsilons.tolist()])
    falling: Floats = np.minimum.accumulate(np.minimum(deltas, 1.0))
    one = Profile(epsilons=tuple(epsilons.tolist()), deltas_at=tuple(falling.tolist()), neighbours=ADD_REMOVE, theorem=TARGETS)
    step = min(_FINENESS * s, _COARSEST)
    grid, found = curve_together([(_above_zero(pessimistic_masses(one.deltas, step=step, reach=reach)), targets)], step=step)
    return Profile(epsilons=tuple(grid.tolist()), deltas_at=tuple(found.tolist()), neighbours=ADD_REMOVE, theorem=TARGETS)


@remembered
def _curve_of_one_sign(half: RegularisedRisk) -> Callable[[float, float], float]:
    """delta_T1 as a function of (scale, epsilon); what depends on the problem alone is computed once."""
    return worst_outcome(half)


def _above_zero(masses: Masses) -> Masses:
    """The positive losses, and the rest of mass 1 at 0: of Y - c, which is never below it."""
    likely = masses.finite[max(0, 1 - masses.first) :]
    rest = max(0.0, 1.0 - float(likely.sum()) - masses.infinite)
    return Masses(first=0, finite=np.concatenate(([rest], likely)) * (1.0 + _INFLATION), infinite=masses.infinite)


@remembered
def _least_scale(half: RegularisedRisk, targets: int, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    target = delta * (1.0 - 1e-6)
    above = half.gradient_bound * _changed(neighbours) * math.sqrt(targets) / gaussian_mu(epsilon, target)

    def risk(scale: float) -> float:
        return together_delta(half, targets=targets, scale=scale, epsilon=epsilon, neighbours=neighbours)

    return least_scale(risk, above=above, target=target, step=_STEP, precision=_PRECISION)


def _changed(neighbours: Neighbours) -> float:
    return 1.0 if neighbours is ADD_REMOVE else 2.0
